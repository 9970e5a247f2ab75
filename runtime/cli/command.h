// Commands: each is one file of commands/, which holds its options, its row and what it does.
//
// commands/NAME.cpp defines NAME_command(); the build makes the list of all rows from the folder's
// files. The parser, --help, the completions and the manual page follow from the rows.
// Covered by tests/cli/commands_test.cpp and tests/cli/options_test.cpp.
#pragma once

#include <memory>

#include "runtime/cli/command_line.h"
#include "runtime/cli/console.h"
#include "runtime/cli/options.h"

namespace gpx::cli {

/// The row of a command. `Command` derives from Talk; take(line) says what it takes, and
/// run(console) does it and returns the exit status, or the error, which is then printed.
template <class Command>
CommandRow command_row(int rank, const char* name, const char* help) {
  return {rank, name, help, [](CommandLine& line) -> Action {
            const auto command = std::make_shared<Command>();
            command->take(line);
            take_talk(line, *command);
            return [command](const Console& console) {
              const Result<int> status = command->run(console);
              return status ? *status : print_error(console, status.error());
            };
          }};
}

/// All rows, by rank.
std::vector<CommandRow> command_rows();

/// The whole program but for main().
int gpx_main(const std::vector<std::string>& arguments, const Console& console);

}  // namespace gpx::cli
