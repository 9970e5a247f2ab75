// Blind recovery: devices with random parameters are characterized through the whole pipeline, and
// what is found is compared with what was planted. Device k of `--seed S` is the one of seed S + k.
// usage: gpx_recover [--devices N] [--seed S] [--jobs J] [--only GROUPS] [--budget SECONDS]
//        [--seconds N] [--whole] [--wide] [--small] [--tenants] [--untranslated] [--open] [--keep
//        DIR]
//        [--write DIR]
// The standard library is GPX_STDLIB, else that of the source tree.
// Exit status 1 where anything is confidently wrong, 2 for arguments that are none, 3 where a
// device could not be characterized.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/bench/judge.h"

namespace gpx::bench {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Judgement, finding, parameter, judged, text)

namespace {

namespace fs = std::filesystem;

struct Settings {
  std::uint64_t devices = 20, seed = 1;
  unsigned jobs = 2;
  bool small = false, whole = false, wide = false, untranslated = false, tenants = false,
       verbose = false;
  std::vector<std::string> only;
  std::string keep, write;
  double budget_s = 240, begin_within_s = 0;
};

/// The source tree's, or another copy: what is built for other machines finds it there.
Paths library() {
  const char* stdlib = std::getenv("GPX_STDLIB");
  return {stdlib && *stdlib ? stdlib : GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"};
}

RandomDevice device_of(const Settings& settings, std::uint64_t seed) {
  RandomDevice device = settings.wide    ? wide_device(seed)
                        : settings.whole ? whole_device(seed, settings.small)
                                         : random_device(seed, settings.small);
  if (settings.untranslated) device = untranslated(std::move(device), seed);
  return settings.tenants ? with_tenant(std::move(device), seed) : device;
}

/// Of all workers, which have ended, and of the processes of their scripts.
double cpu_seconds() {
  rusage use{};
  getrusage(RUSAGE_CHILDREN, &use);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

fs::path kept_in(const Settings& settings) {
  return settings.keep.empty()
             ? fs::temp_directory_path() / fmt::format("gpx-recover-{}", settings.seed)
             : fs::path(settings.keep);
}

int write_devices(const Settings& settings) {
  const fs::path folder = settings.write;
  for (std::uint64_t seed = settings.seed; seed < settings.seed + settings.devices; ++seed)
    std::ofstream(folder / fmt::format("device_{}.lua", seed)) << device_of(settings, seed).lua;
  return 0;
}

/// What came of one device: a line of JSON between processes.
struct Outcome {
  struct Group {
    std::string name;
    double seconds = 0;
    std::string reason;  ///< Why it is not whole; empty: it is.
    bool failed = false;
    NLOHMANN_DEFINE_TYPE_INTRUSIVE(Group, name, seconds, reason, failed)
  };
  std::uint64_t seed = 0;
  std::string error;  ///< Why there are no groups.
  std::vector<Group> groups;
  std::vector<Judgement> judgements;
  NLOHMANN_DEFINE_TYPE_INTRUSIVE(Outcome, seed, error, groups, judgements)
};

/// Makes devices, characterizes and judges them: all that a worker does.
class Worker {
 public:
  Worker(const Settings& settings, fs::path folder)
      : settings_(settings), folder_(std::move(folder)) {}

  Outcome one(std::uint64_t seed) const {
    const RandomDevice device = device_of(settings_, seed);
    const fs::path file = folder_ / fmt::format("device_{}.lua", seed);
    std::ofstream(file) << device.lua;
    CharacterizeOptions options;
    options.seed = seed;
    options.jobs = 1;
    options.budget_s = settings_.budget_s;
    Session session(library());
    const auto& only = settings_.only.empty() ? device.groups : settings_.only;
    const auto result =
        characterize_task(session, file.string(), only).and_then([&](const auto& task) {
          return characterize(session, task, options);
        });
    fs::remove(file);
    Outcome outcome{.seed = seed, .error = {}, .groups = {}, .judgements = {}};
    if (result)
      judge_all(device, *result, outcome);
    else
      outcome.error = render(result.error());
    return outcome;
  }

 private:
  static void judge_all(const RandomDevice& device, const RunResult& result, Outcome& outcome) {
    for (const ExperimentResult& group : result.experiments) {
      std::string reason;
      if (!group.whole())
        reason = group.failure ? group.failure->diagnostics.front().message : group.group->reason;
      outcome.groups.push_back({.name = group.experiment.name,
                                .seconds = group.group->seconds,
                                .reason = reason,
                                .failed = group.failure.has_value()});
    }
    outcome.judgements = judge(device, findings_of(result));
  }

  const Settings& settings_;
  fs::path folder_;
};

/// Every job is a process: scripts run in copies of it, and what one copies all of its threads wait
/// for. Two jobs in one process took a fifth more.
class Recovery {
 public:
  explicit Recovery(Settings settings) : settings_(std::move(settings)) {
    folder_ = kept_in(settings_);
  }

  int run() {
    void* const shared = ::mmap(nullptr, sizeof(std::atomic<std::uint64_t>), PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return no_worker("has no memory to share");
    next_ = new (shared) std::atomic<std::uint64_t>(0);
    struct Started {
      pid_t process;
      int lines;
    };
    std::vector<Started> started;
    for (unsigned j = 0; j < settings_.jobs; ++j) {
      int ends[2];
      if (::pipe2(ends, O_CLOEXEC) != 0) return no_worker("has no pipe");
      const pid_t process = ::fork();
      if (process < 0) return no_worker("cannot be made");
      if (process == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::close(ends[0]);
        work(ends[1]);
        ::_exit(0);
      }
      ::close(ends[1]);
      started.push_back({process, ends[0]});
    }
    {
      std::vector<std::jthread> readers;
      for (const Started& each : started)
        readers.emplace_back([this, lines = each.lines] { read(lines); });
    }
    for (const Started& each : started) {
      int status = 0;
      ::waitpid(each.process, &status, 0);
      if (status != 0)
        broken_.push_back(fmt::format("a worker {} {}: its device's file is in {}",
                                      WIFSIGNALED(status) ? "was ended by signal" : "ended with",
                                      WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
                                      folder_.string()));
    }
    return summary();
  }

 private:
  static int no_worker(const char* why) {
    fmt::print(stderr, "a worker {}: {}\n", why, std::strerror(errno));
    return 3;
  }

  /// No further device begins.
  bool late() const {
    const std::chrono::duration<double> since = std::chrono::steady_clock::now() - begin_;
    return settings_.begin_within_s > 0 && since.count() > settings_.begin_within_s;
  }

  void work(int lines) const {
    const Worker worker(settings_, folder_);
    for (std::uint64_t k = (*next_)++; k < settings_.devices && !late(); k = (*next_)++) {
      const std::string line = nlohmann::json(worker.one(settings_.seed + k))
                                   .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
                               '\n';
      for (std::string_view rest = line; !rest.empty();) {
        const ssize_t written = ::write(lines, rest.data(), rest.size());
        if (written < 0 && errno != EINTR) return;
        if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
      }
    }
  }

  /// What a worker says, until it ends.
  void read(int lines) {
    FILE* const file = ::fdopen(lines, "r");
    char* line = nullptr;
    std::size_t room = 0;
    while (::getline(&line, &room, file) > 0) {
      const auto outcome = nlohmann::json::parse(line, nullptr, false);
      const std::lock_guard lock(mutex_);
      if (!outcome.is_discarded()) file_outcome(outcome.get<Outcome>());
    }
    std::free(line);
    std::fclose(file);
  }

  void file_outcome(const Outcome& outcome) {
    if (!outcome.error.empty()) {
      broken_.push_back(fmt::format("seed {}: {}", outcome.seed, outcome.error));
      return;
    }
    const RandomDevice device = device_of(settings_, outcome.seed);
    std::string wrong, what, open;
    double seconds = 0;
    for (const Outcome::Group& group : outcome.groups) {
      seconds_[group.name] += group.seconds;
      seconds += group.seconds;
      if (group.reason.empty()) continue;
      open += fmt::format("  {}: {}\n", group.name, group.reason);
      if (!group.failed) continue;
      broken_.push_back(
          fmt::format("seed {}: {} failed: {}", outcome.seed, group.name, group.reason));
      what = group.name + "_failed";
      wrong += fmt::format("-- {} failed: {}\n", group.name, group.reason);
    }
    for (const Judgement& judgement : outcome.judgements) {
      tally_.add(judgement);
      if (judgement.judged == Judged::inconclusive) open += "  " + judgement.text + '\n';
      if (judgement.judged != Judged::wrong) continue;
      if (what.empty()) what = judgement.finding;
      wrong += "-- " + judgement.text + '\n';
    }
    if (settings_.verbose && !open.empty())
      fmt::print("seed {} leaves open:\n{}", outcome.seed, open);
    std::fflush(stdout);  // a run of hours is read while it goes on
    if (!wrong.empty()) keep(outcome.seed, device, what, wrong);
    fmt::print(stderr, "{}/{} seed {}: {}, {:.1f} s; {} confidently wrong so far\n", ++done_,
               settings_.devices, outcome.seed, fmt::join(device.groups, " "), seconds,
               tally_.count(Judged::wrong));
  }

  /// A wrong one's file: its name says where, its head what.
  void keep(std::uint64_t seed, const RandomDevice& device, std::string what,
            const std::string& wrong) {
    std::ranges::replace(what, '.', '_');
    const fs::path file = folder_ / fmt::format("{}_{}_{}.lua", device.groups.front(), what, seed);
    std::ofstream(file) << wrong << device.lua;
    wrong_.push_back(fmt::format("seed {}, {}\n{}", seed, file.string(), wrong));
  }

  int summary() {
    for (const std::string& each : wrong_) fmt::print("{}\n", each);
    for (const std::string& each : broken_) fmt::print("{}\n", each);
    fmt::print("{}\n", tally_.table());
    const auto count = [&](Judged judged) {
      return static_cast<double>(tally_.count(judged) - tally_.count(judged, kAbsence));
    };
    const double decided = count(Judged::exact) + count(Judged::inside) + count(Judged::wrong);
    const double all = decided + count(Judged::inconclusive);
    fmt::print(
        "{} devices: {:.1f} % exact among what is decided, {:.1f} % inconclusive, {} "
        "confidently wrong; {:.2f} s of CPU a device\n",
        done_, 100 * count(Judged::exact) / std::max(decided, 1.0),
        100 * count(Judged::inconclusive) / std::max(all, 1.0), tally_.count(Judged::wrong),
        cpu_seconds() / static_cast<double>(std::max<std::size_t>(done_, 1)));
    for (const auto& [group, seconds] : seconds_)
      fmt::print("  {}: {:.1f} s in all\n", group, seconds);
    return tally_.count(Judged::wrong) > 0 ? 1 : broken_.empty() ? 0 : 3;
  }

  Settings settings_;
  fs::path folder_;
  std::atomic<std::uint64_t>* next_ = nullptr;  ///< The next device's number, of all workers.
  std::mutex mutex_;
  Tally tally_;
  std::size_t done_ = 0;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::map<std::string, double> seconds_;
  std::vector<std::string> wrong_, broken_;
};

}  // namespace
}  // namespace gpx::bench

int main(int argc, char** argv) {
  gpx::bench::Settings settings;
  CLI::App app{"Blind recovery of devices with random parameters", "./dev bench recover"};
  app.add_option("--devices", settings.devices, "How many")->check(CLI::Range(1, 1'000'000));
  app.add_option("--seed", settings.seed, "Of the first device; the next one has the next seed");
  app.add_option("--jobs", settings.jobs, "Devices at a time")->check(CLI::Range(1, 256));
  app.add_option("--only", settings.only,
                 "Groups of gpx characterize (default: those that look at "
                 "what is planted)")
      ->delimiter(',');
  app.add_option("--budget", settings.budget_s, "Seconds for a device; what does not fit is open")
      ->check(CLI::PositiveNumber);
  app.add_option("--seconds", settings.begin_within_s,
                 "After so many no further device begins; those that began are judged")
      ->check(CLI::PositiveNumber);
  app.add_flag("--whole", settings.whole, "Whole devices: all of the memory of a GPU at once");
  app.add_flag(
      "--wide", settings.wide,
      "Whole devices of any policy, an L2 of 1 to 80 MB, TLBs of a quarter of it and more");
  app.add_flag("--small", settings.small, "Devices with few lines, as the tests use");
  app.add_flag("--tenants", settings.tenants, "Another process uses the devices now and then");
  app.add_flag("--untranslated", settings.untranslated,
               "Devices without TLBs: none is to be found");
  app.add_flag("--open", settings.verbose, "Say what stays inconclusive, and why");
  app.add_option("--keep", settings.keep, "Where the files of wrongly judged devices are left");
  app.add_option("--write", settings.write, "Only write the devices' files to this folder");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  std::error_code error;
  const auto folder = settings.write.empty() ? gpx::bench::kept_in(settings)
                                             : std::filesystem::path(settings.write);
  std::filesystem::create_directories(folder, error);
  if (error) {
    fmt::print(stderr, "'{}' cannot be made: {}\n", folder.string(), error.message());
    return 3;
  }
  if (!settings.write.empty()) return gpx::bench::write_devices(settings);
  return gpx::bench::Recovery(std::move(settings)).run();
}
