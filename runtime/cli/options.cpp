#include "runtime/cli/options.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "lang/words.h"

namespace gpx::cli {
namespace {

/// CLI11 takes -4 for 2^64 - 4.
std::string seed_mistake(const std::string& text) {
  std::uint64_t seed = 0;
  return read_number(text, seed)
             ? std::string()
             : "'" + text + "' is not a seed: a whole number from 0 to 2^64 - 1";
}

}  // namespace

std::string seconds_mistake(const std::string& text) {
  char* end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && seconds > 0 && std::isfinite(seconds)
             ? std::string()
             : "'" + text + "' is not a number of seconds above 0";
}

void take_talk(CommandLine& line, Talk& talk) {
  std::optional<CommandLine::Option> quiet = line.find("--quiet");
  if (!quiet)
    quiet =
        line.flag("--quiet,-q", talk.quiet, "No progress and no notes: only results and errors");
  if (!line.find("--verbose"))
    line.flag("--verbose,-v", talk.verbose, "Print more details").excludes(*quiet);
}

void take_seed(CommandLine& line, std::uint64_t& seed) {
  line.option("--seed", seed, "N", "Seed of a virtual GPU's noise").checked(seed_mistake);
}

void take_whole(CommandLine& line, bool& all_blocks) {
  line.flag("--whole", all_blocks,
            "Run every block of a kernel from a file on a virtual GPU, not a sample of them");
}

void take_no_wait(CommandLine& line, bool& no_wait) {
  line.flag("--no-wait", no_wait,
            "Do not wait for another gpx on the same GPU, although the two disturb each other");
}

void say_why_it_waits(const std::string& why) {
  fmt::print(stderr, "{}\n", why);
}

void take_json(CommandLine& line, std::string& path, const char* help) {
  line.option("--json", path, "PATH", help);
}

void take_all_columns(CommandLine& line, bool& all) {
  line.flag("--all-columns", all, "CSV with all columns of launches of kernels from files");
}

void DeviceOptions::take(CommandLine& line) {
  line.option("--device", device, "NAME",
              "auto, cuda, cuda:1, a virtual device's name, or a device file; several: cuda:*, "
              "cuda:0,2 or k20,h100")
      .completes(Values::devices);
  line.option("--time-limit", time_limit_s, "SECONDS",
              "Stop each device that takes longer, and keep what it measured (default: none)")
      .checked(seconds_mistake);
  take_seed(line, seed);
}

void ExperimentOptions::take(CommandLine& line) {
  DeviceOptions::take(line);
  line.option("--set", settings, "NAME=VALUE", "Give a parameter another value: --set n=2")
      .one_each();
  take_whole(line, all_blocks);
  take_no_wait(line, no_wait);
}

void OutputOptions::take(CommandLine& line) {
  take_json(line, json, "Write the results as JSON; - is standard output");
  line.option("--csv", csv, "PATH", "Write the samples as CSV; - is standard output");
  take_all_columns(line, all_columns);
  line.option("--report", report, "PATH",
              "Write a report for a browser as one HTML file; - is standard output");
}

void ReportOptions::take(CommandLine& line) {
  const CommandLine::Option silent = line.flag("--quiet,-q", quiet, "No report and no progress");
  line.flag("--verbose,-v", verbose,
            "All expectations and provenance; progress as lines where there is no terminal")
      .excludes(silent);
  const CommandLine::Option drawn =
      line.flag("--plot", plot, "Draw curves in the report (this is the default)");
  line.flag("--no-plot", plot, "Draw no curves", false).excludes(drawn);
}

void StoreOptions::take(CommandLine& line) {
  line.option("--store", store, "FILE", "The store (default: $GPX_STORE, else the user's)");
}

void StoreOptions::take_writing(CommandLine& line) {
  take(line);
  line.flag("--no-store", no_store, "Do not keep this run").excludes(*line.find("--store"));
}

}  // namespace gpx::cli
