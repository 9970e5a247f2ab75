// Interface: runs.h.
#include "runtime/serve/runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "codegen/files/files.h"
#include "runtime/exit_status.h"

namespace gpx::serve {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kLook{20}, kShortLook{2};
constexpr std::uintmax_t kMostOutputBytes = 80u << 20;  ///< A trace ends after 64 MB.

}  // namespace

/// The files of one process in a folder of its own.
struct JobFiles {
  JobFiles(const ScratchFolder& folder, const Job& job)
      : input(folder.file(fmt::format("{}.input", job.id))),
        output(folder.file(fmt::format("{}.output", job.id))),
        document(folder.file(fmt::format("{}.json", job.id))) {
    std::ofstream(input, std::ios::binary) << job.input;
    std::ofstream{output};
  }
  ChildStart start(const std::string& program, const Job& job) const {
    ChildStart start{{program}, input, output, job.folder};
    for (const std::string& word : job.words)
      start.words.push_back(word == kDocument ? document : word);
    return start;
  }
  JobEnd take(const ProcessEnd& end) const {
    JobEnd all{end, file_text(output, kMostOutputBytes).value_or(""),
               file_text(document, kMostOutputBytes).value_or("")};
    for (const std::string& file : {input, output, document}) ::remove(file.c_str());
    return all;
  }

  std::string input, output, document;
};

struct Runs::Running {
  Running(const ScratchFolder& folder, const std::string& program, const Job& job)
      : id(job.id), files(folder, job), process(files.start(program, job)) {}
  std::uint64_t id;
  JobFiles files;
  GpxProcess process;
};

Runs::Runs(std::string program, RunListener& listener)
    : program_(std::move(program)), listener_(listener), worker_([this] { work(); }) {}

Runs::~Runs() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  worker_.join();
}

void Runs::add(Job job) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(job));
  changed_.notify_all();
}

void Runs::stop(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  to_stop_.push_back(id);
  changed_.notify_all();
}

void Runs::begin_some(std::vector<std::unique_ptr<Running>>& running) {
  const std::size_t most = std::max<std::size_t>(1, std::thread::hardware_concurrency());
  while (running.size() < most) {
    Job job;
    {
      const std::lock_guard lock(mutex_);
      if (waiting_.empty()) return;
      job = std::move(waiting_.front());
      waiting_.pop_front();
    }
    running.push_back(std::make_unique<Running>(folder_, program_, job));
    listener_.job_begins(job.id);
  }
}

/// The one thread that starts processes: they are asked to end when it ends.
void Runs::work() {
  std::vector<std::unique_ptr<Running>> running;
  for (;;) {
    std::vector<std::uint64_t> never_begun;
    {
      std::unique_lock lock(mutex_);
      if (running.empty()) changed_.wait(lock, [&] { return ending_ || !waiting_.empty(); });
      if (ending_) {
        waiting_.clear();
        for (const auto& one : running) to_stop_.push_back(one->id);
      }
      for (const std::uint64_t id : to_stop_) {
        for (const auto& one : running)
          if (one->id == id) one->process.stop({});
        if (std::erase_if(waiting_, [&](const Job& job) { return job.id == id; }) > 0)
          never_begun.push_back(id);
      }
      to_stop_.clear();
      if (ending_ && running.empty()) return;
    }
    for (const std::uint64_t id : never_begun) {
      JobEnd end;
      end.process.status = kInterrupted;
      listener_.job_ends(id, end);
    }
    begin_some(running);
    std::erase_if(running, [&](const std::unique_ptr<Running>& one) {
      const auto id = one->id;
      if (!one->process.look([&](const std::string& what) { listener_.job_progresses(id, what); }))
        return false;
      listener_.job_ends(id, one->files.take(one->process.end()));
      return true;
    });
    if (!running.empty()) std::this_thread::sleep_for(kLook);
  }
}

JobEnd call_gpx(const std::string& program, Job job, double seconds,
                const std::atomic<bool>& stopped) {
  const ScratchFolder folder("call");
  const JobFiles files(folder, job);
  GpxProcess process(files.start(program, job));
  while (!process.look([](const std::string&) {})) {
    if (process.seconds() > seconds || stopped)
      process.stop(fmt::format("it was stopped after {} s", seconds));
    std::this_thread::sleep_for(kShortLook);
  }
  return files.take(process.end());
}

}  // namespace gpx::serve
