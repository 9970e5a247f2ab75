// gpx check: all mistakes of all files, and nothing runs. Covered by
// tests/cli/text_commands_test.cpp.
#include <fmt/format.h>

#include "lang/try.h"
#include "runtime/cli/command.h"
#include "runtime/cli/output/files.h"
#include "runtime/library_names.h"

namespace gpx::cli {
namespace {

Result<std::vector<Experiment>> check_file(const std::string& file) {
  const auto source = GPX_TRY(read_experiment_file(file));
  return check_whole(source, find_paths());
}

std::string warnings_of(const std::vector<Experiment>& experiments, bool colour) {
  std::string text;
  for (const Experiment& each : experiments)
    for (const Diagnostic& warning : each.warnings) text += render_warning(warning, colour);
  return text;
}

struct CheckCommand : Talk {
  std::vector<std::string> files;

  void take(CommandLine& line) {
    line.argument("FILE", files, "Experiment files; - is standard input")
        .required()
        .completes(Values::experiments);
  }
  int run(const Console& console) const {
    int status = kSuccess;
    for (const std::string& file : files) {
      const auto experiments = check_file(file);
      if (!experiments) {
        status = print_error(console, experiments.error());
        continue;
      }
      if (experiments->empty()) {
        status = print_error(console, no_experiment(file));
        continue;
      }
      if (!quiet) print(console.err, warnings_of(*experiments, console.err_style.colour));
      if (verbose)
        print(console.err,
              fmt::format("{}: {}\n", file, plural(experiments->size(), "experiment")));
    }
    return status;
  }
};

}  // namespace

CommandRow check_command() {
  return command_row<CheckCommand>(70, "check", "Check experiment files without running them");
}

}  // namespace gpx::cli
