// The options that several commands have in common. take() says them to the command's line.
// Covered by tests/cli/options_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/cli/command_line.h"

namespace gpx::cli {

/// What every command takes.
struct Talk {
  bool quiet = false, verbose = false;
  void take(CommandLine&) {}  ///< Of a command that takes nothing else.
};
/// --quiet and --verbose, where the command has not given them a meaning of its own.
void take_talk(CommandLine& line, Talk& talk);

struct DeviceOptions {
  std::string device = "auto";
  std::uint64_t seed = 1;
  double time_limit_s = 0;  ///< --time-limit; 0: none.
  void take(CommandLine& line);
};

struct ExperimentOptions : DeviceOptions {
  std::vector<std::string> settings;  ///< "name=value"
  bool all_blocks = false;            ///< --whole
  bool no_wait = false;
  void take(CommandLine& line);
};

struct OutputOptions {
  std::string json, csv, report;  ///< A path, "-", or empty for none.
  bool all_columns = false;       ///< Of the CSV.
  void take(CommandLine& line);
};

struct ReportOptions : Talk {
  bool plot = true;
  void take(CommandLine& line);
};

struct StoreOptions {
  std::string store;  ///< Empty: where it is by default.
  bool no_store = false;
  void take(CommandLine& line);  ///< Of a command that reads a store.
  void take_writing(CommandLine& line);
};

/// RUN: a number, the beginning of an id, or "last".
constexpr const char* kStoredRun = "A run's number, the beginning of its id, or last";
/// A number of seconds above 0; the text is what is wrong.
std::string seconds_mistake(const std::string& text);
/// --seed of a virtual GPU's noise.
void take_seed(CommandLine& line, std::uint64_t& seed);
/// --all-columns of a CSV.
void take_all_columns(CommandLine& line, bool& all);
/// --no-wait.
void take_no_wait(CommandLine& line, bool& no_wait);
/// Prints why a command waits, on standard error.
void say_why_it_waits(const std::string& why);
/// --whole.
void take_whole(CommandLine& line, bool& all_blocks);
/// --json PATH.
void take_json(CommandLine& line, std::string& path, const char* help);

}  // namespace gpx::cli
