// Channel: one end of a stream socket between two processes of this program, and what goes over it:
// frames of a kind and bytes. The socket tells each end when the other is gone.
// Covered by tests/runtime/device_protocol_test.cpp and tests/codegen/confined_test.cpp.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "codegen/confined/wire.h"

namespace gpx::confined {

struct Frame {
  std::uint64_t kind = 0;
  wire::Bytes body;
};

/// Closes the descriptor.
class Channel {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Got {
    message,
    closed,   ///< The other end is gone.
    garbage,  ///< What came is no message.
    late,     ///< The deadline passed.
    stopped,  ///< `stop` became true.
  };

  explicit Channel(int descriptor) : descriptor_(descriptor) {}
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  int descriptor() const { return descriptor_; }

  /// Got::message where all was sent.
  Got send(const Frame& frame, std::optional<Clock::time_point> deadline = {},
           const std::atomic<bool>* stop = nullptr);
  /// Called at the deadline: the next one, or nothing where it is final.
  using Later = std::function<std::optional<Clock::time_point>()>;
  /// Got::garbage where the kind is none from `first` to `last`.
  Got receive(Frame& frame, std::uint64_t first, std::uint64_t last,
              std::optional<Clock::time_point> deadline = {},
              const std::atomic<bool>* stop = nullptr, const Later& later = {});

 private:
  struct Limits {
    std::optional<Clock::time_point> deadline;
    const std::atomic<bool>* stop;
    const Later& later;
  };
  static std::optional<Got> ended(Limits& limits);
  Got wait(short events, Limits& limits) const;
  Got read(void* data, std::size_t size, Limits& limits) const;

  int descriptor_;
};

}  // namespace gpx::confined
