// gpx help: what --help says, of gpx or of one command. Covered by tests/cli/options_test.cpp.
#include <algorithm>

#include "runtime/cli/command.h"

namespace gpx::cli {
namespace {

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const CommandRow& row : command_rows()) names.push_back(row.name);
  return names;
}

struct HelpCommand : Talk {
  std::string of;  ///< A command; empty: gpx itself.

  void take(CommandLine& line) {
    line.argument("COMMAND", of, "A command of gpx").completes(command_names());
  }
  int run(const Console& console) const;
};

int HelpCommand::run(const Console& console) const {
  std::vector<std::string> words = {"--help"};
  if (!of.empty()) words.insert(words.begin(), of);
  const std::vector<std::string> names = command_names();
  if (!of.empty() && std::ranges::find(names, of) == names.end()) {
    const auto near = nearest(of, names);
    return print_error(console, make_error(Fault::input, "unknown command '" + of + "'",
                                           near ? "did you mean '" + *near + "'?"
                                                : "gpx help lists the commands"));
  }
  const Result<ParsedLine> line = parse_line(command_rows(), words);
  return line ? line->run(console) : print_error(console, line.error());
}

}  // namespace

CommandRow help_command() {
  return command_row<HelpCommand>(225, "help", "Show what a command does and takes");
}

}  // namespace gpx::cli
