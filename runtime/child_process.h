// Child process: gpx itself, once more, to measure one of several devices or for a page of
// `gpx serve`. Its standard error and its progress come over pipes; its results are in files.
// Covered by tests/cli/several_devices_test.cpp.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gpx {

/// How the process ended.
struct ProcessEnd {
  int status = 0;        ///< An ExitStatus.
  std::string killed;    ///< Why it did not end by itself; "" where it did.
  std::string messages;  ///< What it printed on standard error.
  double seconds = 0;
  std::int64_t run = 0;  ///< Its run's number in the store; 0: nothing is kept.
};

/// Descriptors of this process that are another's standard streams.
struct Streams {
  int in = -1, out = -1, err = -1;
};

/// What is started, and on which files.
struct ChildStart {
  std::vector<std::string> words;    ///< The first is the program's path.
  std::string input = "/dev/null";   ///< Standard input.
  std::string output = "/dev/null";  ///< Standard output; the file exists.
  std::string folder = {};           ///< It works there; empty: here.
  /// Its standard streams, instead of files and a pipe; Ctrl-C on their terminal reaches it, too.
  std::optional<Streams> streams = {};
};

class GpxProcess {
 public:
  /// One that cannot be started has ended, with kToolFailed. It is asked to end when the thread
  /// that started it ends.
  explicit GpxProcess(ChildStart start);
  ~GpxProcess();
  GpxProcess(const GpxProcess&) = delete;
  GpxProcess& operator=(const GpxProcess&) = delete;

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
/// The word before a document's path and a command: the document gets the results, a pipe the
/// progress, and neither is part of what the store keeps of the line.
inline constexpr const char* kOneOfSeveral = "one-of-several";
/// The word before a command whose process another one watches: the time limit is that one's.
inline constexpr const char* kWatched = "watched";
/// A line of progress that begins so ends with the number of the run that is kept.
inline constexpr const char* kKeptAsRun = "kept as run ";
/// Where the process writes its progress.
constexpr int kProgressDescriptor = 3;

}  // namespace gpx
