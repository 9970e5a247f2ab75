// Round trips: a twin of each device, and the exam on both. Devices are those of the library that
// are named, else random whole devices of `--seed S` on (random_device.h). usage: gpx_twin_trip
// [--devices N] [--seed S] [--device NAME]... [--only PARTS] [--small]
//        [--exam FILE] [--keep DIR]
// A line for each device: its mean error, the share of points within 10 %, and the worst family.
// Exit status 3 where a device could not be measured.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "codegen/files/files.h"
#include "runtime/twin/draft.h"
#include "runtime/twin/exam.h"
#include "runtime/twin/fit.h"
#include "runtime/twin/gather.h"
#include "tests/bench/random_device.h"

namespace gpx::bench {
namespace {

namespace fs = std::filesystem;

struct TripSettings {
  std::uint64_t devices = 10, seed = 1;
  bool small = false;
  std::vector<std::string> named, only;
  std::string exam = GPX_SOURCE_DIR "/experiments/twin_heldout.gpx", keep;
};

class Trips {
 public:
  explicit Trips(TripSettings settings) : settings_(std::move(settings)) {
    folder_ = settings_.keep.empty() ? fs::temp_directory_path() / "gpx-twin-trips"
                                     : fs::path(settings_.keep);
    fs::create_directories(folder_);
  }

  int run() {
    for (const std::string& name : settings_.named) trip(name, name);
    for (std::uint64_t k = 0; settings_.named.empty() && k < settings_.devices; ++k) {
      const RandomDevice device = whole_device(settings_.seed + k, settings_.small);
      const std::string file = (folder_ / (device.name + ".lua")).string();
      std::ofstream(file) << device.lua;
      trip(device.name, file);
    }
    if (means_.empty()) return 3;
    std::ranges::sort(means_);
    double sum = 0;
    for (const double mean : means_) sum += mean;
    fmt::print("{} devices: mean error {:.2f} %, median {:.2f} %, worst {:.2f} %\n", means_.size(),
               100 * sum / static_cast<double>(means_.size()), 100 * means_[means_.size() / 2],
               100 * means_.back());
    return failed_ ? 3 : 0;
  }

 private:
  void trip(const std::string& name, const std::string& device) {
    const auto exam = go(name, device);
    if (!exam) {
      fmt::print("{}: {}\n", name, render(exam.error()));
      failed_ = true;
      return;
    }
    const twin::Errors all = twin::errors_of(exam->points);
    std::string worst;
    double most = -1;
    for (const auto& family : twin::families_of(*exam))
      if (const double mean = twin::errors_of(family).mean; mean > most) {
        most = mean;
        worst = family.front().family;
      }
    fmt::print(
        "{}: {} points, mean error {:.2f} %, {:.1f} % within 10 %, worst family {} {:.1f} %\n",
        name, all.points, 100 * all.mean, 100 * all.within, worst, 100 * most);
    std::fflush(stdout);
    means_.push_back(all.mean);
  }

  Result<twin::Exam> go(const std::string& name, const std::string& device) {
    const Paths paths{GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"};
    Session session(paths);
    twin::GatherOptions options;
    options.device = device;
    options.only = settings_.only;
    options.run.jobs = 1;
    auto measured = twin::gather(session, options);
    if (!measured) return tl::unexpected(measured.error());
    const std::string file = (folder_ / (name + "_twin.lua")).string();
    const std::vector<twin::Measured> runs = {{std::move(*measured), ""}};
    auto draft = twin::draft(paths, runs, twin::name_of_file(file));
    if (!draft) return tl::unexpected(draft.error());
    twin::FitOptions fit;
    fit.on_group = [](const twin::FitGroup& group) {
      fmt::print("  {}: {} points, {:.1f} % off, now {:.1f} %, {} runs\n", group.name, group.points,
                 100 * group.before, 100 * group.after, group.runs);
    };
    if (const auto done = twin::fit(paths, runs, *draft, fit); !done)
      return tl::unexpected(done.error());
    std::ofstream(file) << draft->text;
    const Source exam(settings_.exam, file_text(settings_.exam).value_or(""));
    const auto there = twin::run_each(session, device, exam, options.run);
    if (!there) return tl::unexpected(there.error());
    const auto here = twin::run_each(session, file, exam, options.run);
    if (!here) return tl::unexpected(here.error());
    return twin::compare(*there, *here);
  }

  TripSettings settings_;
  fs::path folder_;
  std::vector<double> means_;
  bool failed_ = false;
};

int trips_main(int argc, char** argv) {
  CLI::App app("Twins of virtual devices, and their exams");
  TripSettings settings;
  app.add_option("--devices", settings.devices, "Random whole devices");
  app.add_option("--seed", settings.seed, "Of the first one");
  app.add_option("--device", settings.named, "Devices of the library, or files, in their place");
  app.add_option("--only", settings.only, "Parts of gpx twin")->delimiter(',');
  app.add_option("--exam", settings.exam, "Another exam than experiments/twin_heldout.gpx");
  app.add_option("--keep", settings.keep, "The folder for device files");
  app.add_flag("--small", settings.small, "Small random devices");
  CLI11_PARSE(app, argc, argv);
  return Trips(std::move(settings)).run();
}

}  // namespace
}  // namespace gpx::bench

int main(int argc, char** argv) {
  return gpx::bench::trips_main(argc, argv);
}
