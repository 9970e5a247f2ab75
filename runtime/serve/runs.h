// Runs: processes of gpx that a page started, several at once, the others in a queue.
//
// A process that crashes, hangs or is killed takes nothing of the server with it. If the server is
// killed, its processes are asked to end, and the store has what they measured.
// Covered by tests/serve/serve_test.py.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/child_process.h"
#include "runtime/scratch_folder.h"

namespace gpx::serve {

struct Job {
  std::uint64_t id = 0;
  /// The command and its arguments; kDocument among them stands for a file of its own.
  std::vector<std::string> words;
  std::string input, folder;
};
inline constexpr const char* kDocument = "{document}";

struct JobEnd {
  ProcessEnd process;
  std::string output;    ///< Standard output.
  std::string document;  ///< What it wrote to kDocument.
};

class RunListener {
 public:
  virtual ~RunListener() = default;
  virtual void job_begins(std::uint64_t id) = 0;
  virtual void job_progresses(std::uint64_t id, const std::string& what) = 0;
  virtual void job_ends(std::uint64_t id, const JobEnd& end) = 0;
};

class Runs {
 public:
  Runs(std::string program, RunListener& listener);
  /// Asks all processes to end and waits until they did.
  ~Runs();
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;

  void add(Job job);
  /// One that has not begun ends as interrupted, without beginning.
  void stop(std::uint64_t id);

 private:
  struct Running;
  void work();
  void begin_some(std::vector<std::unique_ptr<Running>>& running);

  std::string program_;
  RunListener& listener_;
  ScratchFolder folder_{"serve"};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> waiting_;
  std::vector<std::uint64_t> to_stop_;
  bool ending_ = false;
  std::thread worker_;
};

/// A short command, waited for: explain, sass, predict. After `seconds` it is stopped and
/// `process.killed` says why.
JobEnd call_gpx(const std::string& program, Job job, double seconds,
                const std::atomic<bool>& stopped);

}  // namespace gpx::serve
