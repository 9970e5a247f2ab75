// Blind recovery: devices with random parameters are characterized through the whole pipeline, and
// what is found is compared with what was planted. Device k of `--seed S` is the one of seed S + k.
// usage: gpx_recover [--devices N] [--seed S] [--jobs J] [--only GROUPS] [--budget SECONDS]
//        [--seconds N] [--whole] [--small] [--open] [--keep DIR] [--write DIR]
// The standard library is GPX_STDLIB, else that of the source tree.
// Exit status 1 where anything is confidently wrong.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include "tests/bench/judge.h"

namespace gpx::bench {
namespace {

namespace fs = std::filesystem;

struct Settings {
  std::uint64_t devices = 20, seed = 1;
  unsigned jobs = 2;
  bool small = false, whole = false, verbose = false;
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
  return settings.whole ? whole_device(seed, settings.small) : random_device(seed, settings.small);
}

double cpu_seconds() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  rusage scripts{};  // in processes of their own
  getrusage(RUSAGE_CHILDREN, &scripts);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime) + seconds(scripts.ru_utime) +
         seconds(scripts.ru_stime);
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

class Recovery {
 public:
  explicit Recovery(Settings settings) : settings_(std::move(settings)) {
    folder_ = kept_in(settings_);
  }

  int run() {
    std::atomic<std::uint64_t> next = 0;
    std::vector<std::jthread> workers;
    for (unsigned j = 0; j < settings_.jobs; ++j)
      workers.emplace_back([&] {
        for (std::uint64_t k = next++; k < settings_.devices && !late(); k = next++)
          one(settings_.seed + k);
      });
    workers.clear();
    return summary();
  }

 private:
  /// No further device begins.
  bool late() const {
    const std::chrono::duration<double> since = std::chrono::steady_clock::now() - begin_;
    return settings_.begin_within_s > 0 && since.count() > settings_.begin_within_s;
  }

  /// Makes a device, characterizes it and files the judgements.
  void one(std::uint64_t seed) {
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
    const std::lock_guard lock(mutex_);
    if (!result)
      broken_.push_back(fmt::format("seed {}: {}", seed, render(result.error())));
    else
      file_judgements(seed, device, *result);
    fs::remove(file);
  }

  void file_judgements(std::uint64_t seed, const RandomDevice& device, const RunResult& result) {
    std::string wrong, what, open;
    double seconds = 0;
    for (const ExperimentResult& group : result.experiments) {
      const std::string& name = group.experiment.name;
      seconds_[name] += group.group->seconds;
      seconds += group.group->seconds;
      if (group.whole()) continue;
      const std::string reason =
          group.failure ? group.failure->diagnostics.front().message : group.group->reason;
      open += fmt::format("  {}: {}\n", name, reason);
      if (!group.failure) continue;
      broken_.push_back(fmt::format("seed {}: {} failed: {}", seed, name, reason));
      what = name + "_failed";
      wrong += fmt::format("-- {} failed: {}\n", name, reason);
    }
    for (const Judgement& judgement : judge(device, findings_of(result))) {
      tally_.add(judgement);
      if (judgement.judged == Judged::inconclusive) open += "  " + judgement.text + '\n';
      if (judgement.judged != Judged::wrong) continue;
      if (what.empty()) what = judgement.finding;
      wrong += "-- " + judgement.text + '\n';
    }
    if (settings_.verbose && !open.empty()) fmt::print("seed {} leaves open:\n{}", seed, open);
    if (!wrong.empty()) keep(seed, device, what, wrong);
    fmt::print(stderr, "{}/{} seed {}: {}, {:.1f} s; {} confidently wrong so far\n", ++done_,
               settings_.devices, seed, fmt::join(device.groups, " "), seconds,
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
  app.add_option("--devices", settings.devices, "How many")->check(CLI::PositiveNumber);
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
  app.add_flag("--small", settings.small, "Devices with few lines, as the tests use");
  app.add_flag("--open", settings.verbose, "Say what stays inconclusive, and why");
  app.add_option("--keep", settings.keep, "Where the files of wrongly judged devices are left");
  app.add_option("--write", settings.write, "Only write the devices' files to this folder");
  CLI11_PARSE(app, argc, argv);
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
