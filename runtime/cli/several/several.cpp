// The processes of several devices. Interface: several.h.
#include "runtime/cli/several/several.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <memory>
#include <thread>

#include "lang/try.h"
#include "runtime/child_process.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/several/device_list.h"
#include "runtime/cli/several/display.h"
#include "runtime/report/document.h"
#include "runtime/scratch_folder.h"

namespace gpx::cli {
namespace {

constexpr std::chrono::milliseconds kLook{20};
constexpr const char* kTableEnding = ".csv";

std::string document_of(const ScratchFolder& folder, std::size_t device) {
  return folder.file(fmt::format("{}.json", device));
}

std::vector<std::string> words_for(const SeveralTask& task, std::size_t device,
                                   const std::string& document, const Console& console) {
  std::vector<std::string> words = {console.program, kOneOfSeveral, document,
                                    task.command,    "--device",    task.devices[device]};
  words.insert(words.end(), task.options.begin(), task.options.end());
  if (task.own_options)
    for (std::string& word : task.own_options(task.devices[device]))
      words.push_back(std::move(word));
  if (task.with_table) words.insert(words.end(), {"--csv", document + kTableEnding});
  if (!task.files.empty()) words.emplace_back("--");
  words.insert(words.end(), task.files.begin(), task.files.end());
  return words;
}

/// "error: ..." of the first error that was printed.
std::string first_error(const std::string& messages) {
  constexpr std::string_view kError = "error: ";
  const std::size_t begin = messages.find(kError);
  if (begin == std::string::npos) return {};
  const std::size_t from = begin + kError.size();
  return messages.substr(from, messages.find('\n', from) - from);
}

std::string reason_of(const ProcessEnd& end) {
  if (!end.killed.empty()) return end.killed;
  if (end.status == kSuccess || end.status == kExpectationFailed) return {};
  if (end.status == kInterrupted) return "interrupted";
  const std::string error = first_error(end.messages);
  return error.empty() ? fmt::format("it ended with status {}", end.status) : error;
}

report::DeviceRun read_device(const std::string& name, const ProcessEnd& end,
                              const std::string& document) {
  report::DeviceRun run{name,         {},          end.status, reason_of(end),
                        end.messages, end.seconds, {},         end.run};
  if (const auto text = read_text(document, kMostDocumentBytes)) {
    auto read = report::read_document(*text, name);
    if (read)
      run.document = std::move(*read);
    else if (run.reason.empty())
      run.reason = read.error().diagnostics.front().message;
  } else if (run.reason.empty()) {
    run.reason = "it left no results";
  }
  if (!run.reason.empty() && run.status == kSuccess) run.status = kToolFailed;
  if (const auto csv = read_text(document + kTableEnding, kMostDocumentBytes)) run.csv = *csv;
  return run;
}

/// `limit_s`: 0: none.
void stop_late(GpxProcess& process, double limit_s) {
  if (limit_s > 0 && process.seconds() > limit_s)
    process.stop(fmt::format("it was stopped at the time limit of {} s", limit_s));
}

/// This line once more, by a process that does not look at the time limit and prints where this one
/// would.
int run_watched(const DeviceOptions& options, const Console& console) {
  const InterruptGuard interrupt;
  std::vector<std::string> words = {console.program, kWatched};
  words.insert(words.end(), console.arguments.begin(), console.arguments.end());
  std::fflush(console.out);
  std::fflush(console.err);
  GpxProcess process(
      {.words = std::move(words),
       .streams = Streams{::fileno(console.in), ::fileno(console.out), ::fileno(console.err)}});
  while (!process.look([](const std::string&) {})) {
    if (interrupt.interrupted()) process.stop({});
    stop_late(process, options.time_limit_s);
    std::this_thread::sleep_for(kLook);
  }
  if (process.end().killed.empty()) return process.end().status;
  return print_error(console,
                     make_error(Fault::device, options.device + ": " + process.end().killed,
                                "gpx resume continues a run that the store keeps"));
}

/// All devices' processes, some of which may not have begun.
class Processes {
 public:
  Processes(const SeveralTask& task, const ScratchFolder& folder, const Talk& talk,
            const Console& console)
      : task_(task),
        folder_(folder),
        console_(console),
        display_(task.devices, talk, console),
        processes_(task.devices.size()),
        ends_(task.devices.size()),
        runs_(task.devices.size()) {}

  void run(const std::atomic<bool>& stop) {
    while (ended_ < processes_.size()) {
      if (stop) end_all();
      begin_some();
      for (std::size_t i = 0; i < begun_; ++i) look(i);
      std::this_thread::sleep_for(kLook);
    }
  }
  report::DeviceRun result(std::size_t i) {
    return runs_[i].valid() ? runs_[i].get()
                            : read_device(task_.devices[i], ends_[i], document_of(folder_, i));
  }

 private:
  /// A virtual device takes a core. Real ones wait for nobody.
  std::size_t most_at_once() const {
    const auto real = std::ranges::count_if(
        task_.devices, [](const std::string& name) { return name.starts_with("cuda"); });
    return std::max<std::size_t>(
        {1, std::thread::hardware_concurrency(), static_cast<std::size_t>(real)});
  }
  void begin_some() {
    for (; begun_ < processes_.size() && begun_ - ended_ < most_at_once(); ++begun_)
      processes_[begun_] = std::make_unique<GpxProcess>(ChildStart{
          words_for(task_, begun_, document_of(folder_, begun_), console_), folder_.file("input")});
  }
  void look(std::size_t i) {
    GpxProcess* process = processes_[i].get();
    if (!process) return;
    stop_late(*process, task_.time_limit_s);
    if (!process->look([&](const std::string& what) { display_.progress(i, what); })) return;
    ends_[i] = process->end();
    processes_[i].reset();
    ++ended_;
    // A document of 6 MB takes a quarter of a second, in which the others go on.
    runs_[i] = std::async(std::launch::async, read_device, task_.devices[i], ends_[i],
                          document_of(folder_, i));
    const std::string reason = reason_of(ends_[i]);
    display_.ended(i, reason.empty() ? fmt::format("{:.1f} s", ends_[i].seconds) : reason);
  }
  /// Those that have not begun do not begin.
  void end_all() {
    for (std::size_t i = 0; i < begun_; ++i)
      if (processes_[i]) processes_[i]->stop({});
    for (; begun_ < processes_.size(); ++begun_, ++ended_) ends_[begun_].status = kInterrupted;
  }

  const SeveralTask& task_;
  const ScratchFolder& folder_;
  const Console& console_;
  DevicesDisplay display_;
  std::vector<std::unique_ptr<GpxProcess>> processes_;
  std::vector<ProcessEnd> ends_;
  std::vector<std::future<report::DeviceRun>> runs_;  ///< Of those that have ended.
  std::size_t begun_ = 0, ended_ = 0;
};

}  // namespace

Result<std::optional<int>> measured_apart(
    const DeviceOptions& options, const Console& console,
    const std::function<Result<int>(const std::vector<std::string>& devices)>& apart) {
  const auto devices = GPX_TRY(several_devices(options.device, find_paths()));
  if (!devices.empty()) return GPX_TRY(apart(devices));
  if (options.time_limit_s > 0 && !console.watched) return run_watched(options, console);
  return std::nullopt;
}

std::vector<std::string> words_of(const DeviceOptions& device, const StoreOptions& store) {
  std::vector<std::string> words = {"--seed", std::to_string(device.seed)};
  if (store.no_store) words.emplace_back("--no-store");
  if (!store.store.empty()) words.insert(words.end(), {"--store", store.store});
  return words;
}

Result<std::vector<report::DeviceRun>> run_on_devices(const SeveralTask& task, const Talk& talk,
                                                      const Console& console) {
  const ScratchFolder folder("devices");
  if (!folder.made()) return fail(Fault::device, "cannot make a temporary folder", "see TMPDIR");
  GPX_TRY(write_file(folder.file("input"), task.input));
  const InterruptGuard interrupt;
  std::vector<report::DeviceRun> runs;
  Processes processes(task, folder, talk, console);
  processes.run(interrupt.flag());
  for (std::size_t i = 0; i < task.devices.size(); ++i) runs.push_back(processes.result(i));
  return runs;
}

}  // namespace gpx::cli
