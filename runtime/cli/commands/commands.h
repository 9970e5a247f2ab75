// The commands of gpx: one function and one file each. A command prints to its Console and returns
// the process's exit status. Covered by tests/cli/.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "lang/diagnostic.h"
#include "runtime/cli/options.h"
#include "runtime/report/style.h"

namespace gpx::cli {

/// Errors have their own status: Fault's values, 2 and 3.
enum ExitStatus {
  kSuccess = 0,
  kExpectationFailed = 1,
  kInputWrong = 2,
  kToolFailed = 3,
  kInterrupted = 130
};

/// Where a command reads and writes. Results go to `out`, messages and progress to `err`.
struct Console {
  std::FILE* in = stdin;
  std::FILE* out = stdout;
  std::FILE* err = stderr;
  report::Style out_style, err_style;
  bool in_is_terminal = false, out_is_terminal = false, err_is_terminal = false;
  std::string program = {};                 ///< See Paths::program.
  std::vector<std::string> arguments = {};  ///< Of this command, as the store keeps them.
};

Console make_console(std::FILE* in, std::FILE* out, std::FILE* err);

void print(std::FILE* stream, const std::string& text);
/// Prints the error and returns its exit status.
int print_error(const Console& console, const Error& error);

int run_command(const Options& options, const Console& console);
int predict_command(const Options& options, const Console& console);
int characterize_command(const Options& options, const Console& console);
int report_command(const Options& options, const Console& console);
int plot_command(const Options& options, const Console& console);
int explain_command(const Options& options, const Console& console);
int check_command(const Options& options, const Console& console);
int fmt_command(const Options& options, const Console& console);
int list_command(const Options& options, const Console& console);
int runs_command(const Options& options, const Console& console);
int show_command(const Options& options, const Console& console);
int diff_command(const Options& options, const Console& console);
int export_command(const Options& options, const Console& console);
int import_command(const Options& options, const Console& console);
int rerun_command(const Options& options, const Console& console);
int resume_command(const Options& options, const Console& console);
int lua_command(const Options& options, const Console& console);
int lsp_command(const Options& options, const Console& console);
int devices_command(const Options& options, const Console& console);
int doctor_command(const Options& options, const Console& console);
int repl_command(const Options& options, const Console& console);
int completions_command(const Options& options, const Console& console);
int man_command(const Options& options, const Console& console);

/// The whole program but for main().
int gpx_main(const std::vector<std::string>& arguments, const Console& console);

}  // namespace gpx::cli
