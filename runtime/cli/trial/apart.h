// Trials apart: a process of this program tries one kernel after another, so that what a kernel
// does to it, or how long it takes, costs nothing else.
//
// A real device is opened once for many kernels. Where a kernel does not run the process ends, and
// unless it was the first one of its process it is tried again in a fresh one: each outcome is that
// of a process of its own. Covered by tests/cli/try_command_test.cpp.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "codegen/confined/channel.h"
#include "runtime/trial/trial.h"

namespace gpx::cli {

struct TryLimits {
  double seconds = 20;                                  ///< Wall and processor, of a kernel.
  std::uint64_t memory_bytes = std::uint64_t{8} << 30;  ///< Of addresses, on a virtual GPU.
};
inline constexpr TryLimits kTryLimits;

class TrialsApart {
 public:
  /// `program`: this one. `seconds`: of each kernel.
  TrialsApart(std::string program, std::string device, double seconds);
  ~TrialsApart() { end(); }
  TrialsApart(const TrialsApart&) = delete;
  TrialsApart& operator=(const TrialsApart&) = delete;

  /// Ends early where `stop` becomes true; the outcome is then a crash.
  Trial run(const FoundKernel& kernel, const std::atomic<bool>* stop);

  std::size_t processes() const { return processes_; }  ///< That were started.

 private:
  bool start();
  int end();
  Trial tried(const FoundKernel& kernel, const std::atomic<bool>* stop);

  std::string program_, device_;
  double seconds_;
  std::size_t processes_ = 0, kernels_ = 0;  ///< Kernels of the process that runs.
  pid_t process_ = -1;
  std::unique_ptr<confined::Channel> channel_;
};

/// The hidden command of such a process, before the device's name.
inline constexpr const char* kServeTrials = "serve-trials";

/// Tries what is asked for over standard input, a socket, until it is closed. Returns the process's
/// exit status.
int serve_trials(const std::string& program, const std::string& device);

}  // namespace gpx::cli
