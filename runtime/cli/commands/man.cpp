// gpx man: the manual page. Covered by tests/cli/shell_test.cpp.
#include "runtime/cli/command.h"
#include "runtime/cli/completion/shells.h"

namespace gpx::cli {
namespace {

struct ManCommand : Talk {
  int run(const Console& console) const {
    print(console.out, manual(command_table(command_rows())));
    return kSuccess;
  }
};

}  // namespace

CommandRow man_command() {
  return command_row<ManCommand>(230, "man", "Print the manual page (gpx man | man -l -)");
}

}  // namespace gpx::cli
