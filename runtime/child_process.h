// Device process: gpx itself, once more, for one of several devices. What it prints on standard
// error and its progress come over pipes; its results are in files.
// Covered by tests/cli/several_devices_test.cpp.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace gpx::cli {

/// How a device's process ended.
struct ProcessEnd {
  int status = 0;        ///< An ExitStatus.
  std::string killed;    ///< Why it did not end by itself; "" where it did.
  std::string messages;  ///< What it printed on standard error.
  double seconds = 0;
};

class DeviceProcess {
 public:
  /// Starts `words` (the first is the program's path) with the file `input` as standard input.
  /// One that cannot be started has ended, with kToolFailed.
  DeviceProcess(std::vector<std::string> words, const std::string& input);
  ~DeviceProcess();
  DeviceProcess(const DeviceProcess&) = delete;
  DeviceProcess& operator=(const DeviceProcess&) = delete;

  /// Reads what has come; `on_progress` gets each line of progress. Returns whether it has ended.
  bool look(const std::function<void(const std::string&)>& on_progress);
  /// Asks it to end, as Ctrl-C does; kGraceSeconds later look() kills it. `why`: the reason that
  /// is reported if it does not end whole; "": the user asked for it.
  void stop(const std::string& why);
  double seconds() const;
  const ProcessEnd& end() const { return end_; }

 private:
  using Clock = std::chrono::steady_clock;
  void read_pipes(const std::function<void(const std::string&)>& on_progress);

  pid_t pid_ = -1;  ///< -1: it has ended.
  int errors_ = -1, progress_ = -1;
  std::string line_;  ///< Progress whose line is not whole yet.
  Clock::time_point start_ = Clock::now(), stopped_{};
  std::string why_;
  ProcessEnd end_;
};

/// What a process that is asked to end may take to keep what it measured.
constexpr double kGraceSeconds = 10;
/// Where the process writes its progress.
constexpr int kProgressDescriptor = 3;

}  // namespace gpx::cli
