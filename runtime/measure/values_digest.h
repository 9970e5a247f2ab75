// Values digest: what the kernels read, point by point, folded into one number.
//
// Two devices that execute the same programs have the same digest, whatever their timing. The
// values of a point print as text, so that shards can be folded in the order of the whole sweep.
// Covered by tests/runtime/shard_test.cpp and tests/runtime/measure_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/measure/sample_table.h"

namespace gpx {

/// The checksum that a slot of a kernel's results held.
struct ReadValue {
  std::uint64_t slot = 0, value = 0;
  bool operator==(const ReadValue&) const = default;
};

/// The checksums of a point; none where its kernel reads a clock, whose values differ each time. An
/// error: two completed repetitions read different values.
Result<std::vector<ReadValue>> read_values(const LoweredMeasure& measure, std::uint64_t point,
                                           const JobResult& job);

/// "0:1f,2:a0": slot and value, in hexadecimal.
std::string to_string(const std::vector<ReadValue>& values);
Result<std::vector<ReadValue>> parse_values(const std::string& text);

class ValuesDigest {
 public:
  void fold(const std::vector<ReadValue>& values);
  /// 16 hexadecimal digits.
  std::string text() const;
  /// Goes on from what text() returned.
  Result<void> restore(const std::string& text);

 private:
  std::uint64_t hash_ = 0;
};

}  // namespace gpx
