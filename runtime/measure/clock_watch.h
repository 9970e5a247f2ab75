// ClockWatch: batches during which the SM clock changed, or power or heat held it down, as far as
// the backend's telemetry tells. What is counted in clocks of the SM, and any time, is another at
// another clock. Covered by tests/runtime/measure_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/device/backend.h"

namespace gpx {

/// A batch is measured so often before it is kept as it is: the first time may be what wakes the
/// GPU up, a clock that changes in all three is not settling.
constexpr int kTriesAtSteadyClock = 3;

class ClockWatch {
 public:
  /// The backend must outlive it.
  explicit ClockWatch(const Backend& backend) : backend_(backend) {}

  /// Around each time that a batch is measured. True: the clock was not steady, and the batch is
  /// to be measured again.
  void begins();
  bool again();
  /// The batch of so many points is kept.
  void keep(std::uint64_t points);

  /// What is to be said of the points that were kept all the same, of `all`.
  std::optional<std::string> note(std::uint64_t all) const;

 private:
  bool is_steady() const;

  const Backend& backend_;
  Telemetry before_, after_;
  int tries_ = 0;
  std::uint64_t changed_points_ = 0, throttled_points_ = 0;
  unsigned low_mhz_ = 0, high_mhz_ = 0;  ///< Over the points whose clock changed.
};

}  // namespace gpx
