// Options: the command line as a value.
//
// parse_options() never prints and never exits: help and version are commands like the others, and
// a wrong line is an Error with the nearest known name. Covered by tests/cli/options_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lang/diagnostic.h"
#include "runtime/predict/predict.h"

namespace gpx::cli {

enum class Command {
  run,
  characterize,
  predict,
  report,
  plot,
  explain,
  check,
  fmt,
  list,
  runs,
  show,
  diff,
  export_run,
  import_run,
  rerun,
  resume,
  lua,
  repl,
  lsp,
  devices,
  doctor,
  completions,
  man,
  version,
  help
};

struct Options {
  Command command = Command::repl;
  bool command_given = false;      ///< False: no command on the line (the REPL, on a terminal).
  std::vector<std::string> files;  ///< "-": standard input.

  // run, characterize, explain, repl
  std::string device = "auto";
  bool device_given = false;          ///< rerun: not the device of the stored run.
  std::vector<std::string> settings;  ///< "name=value"
  std::uint64_t seed = 1;
  // run
  std::string json, csv, report;  ///< A path, "-", or empty for none.
  std::vector<std::string> dump;
  bool quiet = false, verbose = false;
  bool plot = true;
  // predict: everything but the file and the device
  PredictRequest predict;
  // characterize (and json, quiet)
  std::vector<std::string> only;  ///< Groups and families.
  double budget_s = 0;            ///< 0: none.
  bool list_groups = false;
  // plot
  std::size_t plot_number = 1;  ///< From 1.
  bool plot_given = false;
  // fmt
  bool only_check = false;
  bool to_stdout = false;
  // list, runs, show
  bool as_json = false;
  // those that use a store
  std::string store;  ///< --store; empty: where it is by default.
  bool no_store = false;
  /// RUN: a number, the beginning of an id, "last"; for report and plot also a document's path.
  std::vector<std::string> runs;
  // runs
  std::uint64_t limit = 20;
  std::string of_experiment, of_device;
  // show
  bool samples = false;
  // export, report, plot
  std::string output;  ///< A path, "-".
  bool as_csv = false;
  // resume
  bool last = false;
  // lua
  bool trust = false;
  // completions
  std::string completions_of;  ///< A shell, or a kind of values.

  std::string text;  ///< For Command::help.
};

/// `arguments` without the program's name.
Result<Options> parse_options(const std::vector<std::string>& arguments);

/// An option or an argument of a command, as --help tells it.
struct OptionInfo {
  std::vector<std::string> names;  ///< "--quiet", "-q"; of an argument its one name: "FILE".
  std::string value;               ///< "NAME"; empty: a flag, or an argument.
  std::string help;
  bool required = false, repeated = false;
};
struct CommandInfo {
  std::string name, help;
  std::vector<OptionInfo> options, arguments;
};
/// All commands, as parse_options() takes them; the first row is gpx itself.
std::vector<CommandInfo> command_table();
/// What --help says at its end: paragraphs, each with a heading.
struct HelpSection {
  const char* heading;
  const char* text;
};
const std::vector<HelpSection>& help_sections();

}  // namespace gpx::cli
