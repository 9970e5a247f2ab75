// Console: where a command reads and writes, and how it ends. Covered by tests/cli/.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "lang/diagnostic.h"
#include "runtime/exit_status.h"
#include "runtime/report/style.h"

namespace gpx::cli {

/// The worse of two exit statuses: 3 before 2, then 130, 1 and 0; others are failures.
int worse(int a, int b);

/// Results go to `out`, messages and progress to `err`.
struct Console {
  std::FILE* in = stdin;
  std::FILE* out = stdout;
  std::FILE* err = stderr;
  report::Style out_style, err_style;
  bool in_is_terminal = false, out_is_terminal = false, err_is_terminal = false;
  std::string program = {};                 ///< See Paths::program.
  std::vector<std::string> arguments = {};  ///< Of this command, as the store keeps them.
  /// Where progress goes, a line each, where this process measures one of several devices.
  std::FILE* progress = nullptr;
  bool watched = false;  ///< Another process ends this one at the time limit.
  /// The line of standard input that is being carried out: an error without a place is there.
  std::optional<Location> at = {};
};

Console make_console(std::FILE* in, std::FILE* out, std::FILE* err);

void print(std::FILE* stream, const std::string& text);
/// Prints the error and returns its exit status.
int print_error(const Console& console, const Error& error);

}  // namespace gpx::cli
