// gpx fmt: files in the standard format. Covered by tests/cli/text_commands_test.cpp.
#include <algorithm>

#include "lang/language.h"
#include "runtime/cli/commands/commands.h"
#include "runtime/cli/output/files.h"

namespace gpx::cli {
namespace {

int format_file(const std::string& file, const Options& options, const Console& console) {
  const Result<Source> source = read_source(file);
  if (!source) return print_error(console, source.error());
  const Result<Ast> ast = parse(*source);
  if (!ast) return print_error(console, ast.error());
  const std::string text = format(*ast, *source);
  if (options.only_check) {
    if (text == source->text()) return kSuccess;
    if (!options.quiet) print(console.err, file + ": not in the standard format\n");
    return kExpectationFailed;
  }
  if (options.to_stdout || file == "-") {
    print(console.out, text);
    return kSuccess;
  }
  if (text == source->text()) return kSuccess;
  if (const Result<void> written = write_file(file, text); !written)
    return print_error(console, written.error());
  if (options.verbose) print(console.err, file + ": put into the standard format\n");
  return kSuccess;
}

}  // namespace

int fmt_command(const Options& options, const Console& console) {
  int status = kSuccess;
  for (const std::string& file : options.files)
    status = std::max(status, format_file(file, options, console));
  return status;
}

}  // namespace gpx::cli
