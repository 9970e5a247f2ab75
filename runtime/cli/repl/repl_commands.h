// A row of the REPL's table of commands. Covered by tests/cli/repl_test.cpp.
#pragma once

#include "runtime/cli/repl/repl.h"

namespace gpx::cli {

struct Repl::Command {
  const char* name;
  const char* argument;  ///< What follows it; "": nothing may.
  const char* help;      ///< One line.
  const char* more;      ///< What :help of this command adds; may be empty.
  void (*run)(Repl& repl, const std::string& argument);
};

}  // namespace gpx::cli
