// What a process that runs a device says to the one that asked for it, and the other way round.
//
//   child: hello | error     once, when its device is open
//   parent: load             child: loaded | error
//   parent: launch           child: began, then ended | error
//
// Both ends are the same program; `hello` carries its version all the same. Messages go over a
// stream socket, which tells each end when the other is gone.
// Covered by tests/runtime/device_protocol_test.cpp and isolated_backend_test.cpp.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "codegen/compile/artifact.h"
#include "codegen/confined/channel.h"
#include "codegen/ir/program.h"
#include "lang/diagnostic.h"
#include "runtime/device/backend.h"

namespace gpx::protocol {

/// Of the first message; another one comes from another program.
std::string version();

enum class Kind : std::uint8_t { hello = 1, error, load, loaded, launch, began, ended };

struct Message {
  Kind kind = Kind::error;
  wire::Bytes body;
};

/// Which program answers, and for which device.
struct Hello {
  std::string version;
  DeviceInfo device;
};
/// A program as a backend needs it: kernels without their instructions, no launches.
struct LoadRequest {
  codegen::Program program;
  std::vector<codegen::Artifact> artifacts;
};
/// One launch, without a warm-up.
struct LaunchRequest {
  codegen::Launch launch;
  std::uint64_t seed = 0;
};

Message hello(const DeviceInfo& device);
Message load(const codegen::Program& program, std::span<const codegen::Artifact> artifacts);
Message launch(const codegen::Launch& launch, std::uint64_t seed);
Message ended(const Repetition& repetition);
Message error(const Error& error);

/// Nothing where the body is not of this kind.
std::optional<Hello> read_hello(const Message& message);
std::optional<LoadRequest> read_load(const Message& message);
std::optional<LaunchRequest> read_launch(const Message& message);
std::optional<Repetition> read_ended(const Message& message);
std::optional<Error> read_error(const Message& message);

/// One end of the socket, which it closes.
class Channel {
 public:
  using Clock = confined::Channel::Clock;
  using Got = confined::Channel::Got;

  explicit Channel(int descriptor) : channel_(descriptor) {}

  /// Got::message where all was sent.
  Got send(const Message& message, std::optional<Clock::time_point> deadline = {},
           const std::atomic<bool>* stop = nullptr);
  Got receive(Message& message, std::optional<Clock::time_point> deadline = {},
              const std::atomic<bool>* stop = nullptr);

 private:
  confined::Channel channel_;
};

}  // namespace gpx::protocol
