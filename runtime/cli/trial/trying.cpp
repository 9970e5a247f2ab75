// Interface: trying.h. Covered by tests/cli/try_command_test.cpp.
#include "runtime/cli/trial/trying.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "runtime/report/table.h"

namespace gpx::cli {
namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

/// How much longer than its limit on a processor a kernel may take: others use the machine, too.
constexpr double kWallFactor = 10;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// In the child: becomes the program, within its limits, with `out` as its standard output. CUDA's
/// driver reserves more addresses than any limit leaves it: a real GPU has none of memory.
[[noreturn]] void become(std::vector<std::string> command, int out, double seconds, bool real) {
  ::setpgid(0, 0);
  const auto cpu = static_cast<rlim_t>(std::ceil(seconds)) + 1;
  const rlimit time{cpu, cpu + 1};
  const rlimit memory{kTryLimits.memory_bytes, kTryLimits.memory_bytes};
  ::setrlimit(RLIMIT_CPU, &time);
  if (!real) ::setrlimit(RLIMIT_AS, &memory);
  ::dup2(out, STDOUT_FILENO);
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(nothing, STDERR_FILENO);
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

/// All that comes until the end, or until the time is over.
std::string read_all(int from, double seconds, bool& late) {
  const auto begin = Clock::now();
  std::string text;
  char part[4096];
  while (true) {
    const double left = seconds - seconds_since(begin);
    pollfd ready{from, POLLIN, 0};
    const int some = left > 0 ? ::poll(&ready, 1, static_cast<int>(1000 * left) + 1) : 0;
    late = some == 0;
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) return text;
    const ssize_t size = ::read(from, part, sizeof part);
    if (size <= 0) return text;
    text.append(part, static_cast<std::size_t>(size));
  }
}

std::string percent(std::size_t part, std::size_t all) {
  return all == 0 ? ""
                  : fmt::format("{:.1f} %",
                                100.0 * static_cast<double>(part) / static_cast<double>(all));
}

/// The first folder below `path`; "." of a file that lies in it.
std::string folder_of(const std::string& file, const std::string& path) {
  const std::filesystem::path below = std::filesystem::path(file).lexically_relative(path);
  const bool inside = std::distance(below.begin(), below.end()) > 1;
  return inside ? below.begin()->string() : ".";
}

const char* phrase(Tried tried) {
  constexpr const char* kPhrases[] = {"runs",
                                      "wrong result",
                                      "wrong arguments guessed",
                                      "refused",
                                      "template without an instance",
                                      "compile error",
                                      "time-out",
                                      "crash of gpx"};
  return kPhrases[static_cast<std::size_t>(tried)];
}

using Counts = std::map<Tried, std::size_t>;

std::size_t total(const Counts& counts) {
  std::size_t sum = 0;
  for (const auto& [tried, count] : counts) sum += count;
  return sum;
}

std::string outcomes_table(const std::map<std::string, Counts>& by_folder, const Counts& all,
                           const report::Style& style) {
  std::vector<std::string> header = {"folder", "kernels"};
  std::vector<bool> right = {false, true};
  for (const Tried tried : kTried)
    if (all.contains(tried)) {
      header.emplace_back(phrase(tried));
      right.push_back(true);
    }
  header.emplace_back("run");
  right.push_back(true);
  report::Table table(header, right);
  const auto add = [&](const std::string& name, const Counts& counts) {
    std::vector<report::Cell> row = {{name}, {fmt::format("{}", total(counts))}};
    for (const Tried tried : kTried)
      if (all.contains(tried))
        row.push_back({fmt::format("{}", counts.contains(tried) ? counts.at(tried) : 0)});
    const std::size_t run = counts.contains(Tried::runs) ? counts.at(Tried::runs) : 0;
    row.push_back({percent(run, total(counts))});
    table.add(std::move(row));
  };
  for (const auto& [name, counts] : by_folder) add(name, counts);
  if (by_folder.size() != 1) add("all", all);
  return table.render(style);
}

}  // namespace

OutputAside::OutputAside() {
  std::fflush(stdout);
  kept_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
}
OutputAside::~OutputAside() {
  std::fflush(stdout);
  if (kept_ < 0) return;
  ::dup2(kept_, STDOUT_FILENO);
  ::close(kept_);
}

Trial try_apart(const std::string& program, const std::string& device, const FoundKernel& kernel,
                double seconds) {
  Trial trial{kernel.file, kernel.name, kernel.line, !kernel.given, Tried::crash, {}};
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    trial.why = "no pipe can be made";
    return trial;
  }
  const auto begin = Clock::now();
  const std::vector<std::string> command = {program,  "try",    kernel.file, "--device",
                                            device,   "--only", kernel.name, "--in-process",
                                            "--json", "-"};
  const bool real = device == "auto" || device.starts_with("cuda");
  const pid_t child = ::fork();
  if (child == 0) become(command, ends[1], seconds, real);
  ::close(ends[1]);
  bool late = false;
  const std::string text =
      child > 0 ? read_all(ends[0], kWallFactor * seconds, late) : std::string();
  ::close(ends[0]);
  int status = 0;
  if (child > 0) {
    ::kill(-child, SIGKILL);  // also what it started
    ::waitpid(child, &status, 0);
  }
  trial.seconds = seconds_since(begin);
  for (Trial& each : read_trials(text))
    if (each.line == kernel.line) {
      each.seconds = trial.seconds;
      return each;
    }
  const bool over = late || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU);
  trial.outcome = over ? Tried::time_out : Tried::crash;
  trial.why = over ? fmt::format("it had not ended after {} s of a processor", seconds)
              : WIFSIGNALED(status) ? fmt::format("gpx was killed by signal {}", WTERMSIG(status))
                                    : "gpx gave no outcome";
  return trial;
}

std::string trials_json(const std::vector<Trial>& trials, const std::string& device) {
  Json list = Json::array();
  Json totals = Json::object();
  for (const Tried tried : kTried) totals[std::string(to_string(tried))] = 0;
  for (const Trial& each : trials) {
    const std::string outcome(to_string(each.outcome));
    totals[outcome] = totals[outcome].get<int>() + 1;
    list.push_back({{"file", each.file},
                    {"line", each.line},
                    {"kernel", each.kernel},
                    {"guessed", each.guessed},
                    {"outcome", outcome},
                    {"why", each.why},
                    {"why_line", each.why_line},
                    {"seconds", each.seconds}});
  }
  const Json document = {{"schema", 1},
                         {"gpx", GPX_VERSION},
                         {"try", {{"device", device}, {"kernels", list}, {"totals", totals}}}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<Trial> read_trials(const std::string& text) {
  std::vector<Trial> trials;
  const Json document = Json::parse(text, nullptr, false);
  if (document.is_discarded() || !document.contains("try")) return trials;
  for (const Json& each : document["try"]["kernels"]) {
    Trial trial{each.value("file", ""),
                each.value("kernel", ""),
                each.value("line", 0),
                each.value("guessed", false),
                Tried::crash,
                each.value("why", ""),
                each.value("why_line", 0),
                each.value("seconds", 0.0)};
    const std::string outcome = each.value("outcome", "");
    for (const Tried tried : kTried)
      if (outcome == to_string(tried)) trial.outcome = tried;
    trials.push_back(std::move(trial));
  }
  return trials;
}

std::string trials_text(const std::vector<Trial>& trials, const std::string& path,
                        const std::string& device, bool all, const report::Style& style) {
  if (trials.empty()) return fmt::format("there is no kernel in '{}'\n", path);
  std::map<std::string, Counts> by_folder;
  Counts counts;
  report::Table rest({"kernel", "at", "outcome", "why"});
  for (const Trial& each : trials) {
    ++by_folder[folder_of(each.file, path)][each.outcome];
    ++counts[each.outcome];
    if (each.outcome == Tried::runs && !all) continue;
    const std::string why =
        each.why_line > 0 ? fmt::format("line {}: {}", each.why_line, each.why) : each.why;
    rest.add({{each.kernel},
              {fmt::format("{}:{}", each.file, each.line)},
              {phrase(each.outcome)},
              {why}});
  }
  std::string text = fmt::format("{} on {}\n", plural(trials.size(), "kernel"), device) +
                     outcomes_table(by_folder, counts, style);
  if (!rest.empty()) text += "\n" + rest.render(style);
  return text;
}

}  // namespace gpx::cli
