// gpx fmt: files in the standard format. Covered by tests/cli/text_commands_test.cpp.
#include <algorithm>

#include "lang/language.h"
#include "runtime/cli/command.h"
#include "runtime/cli/output/files.h"

namespace gpx::cli {
namespace {

struct FmtCommand : Talk {
  std::vector<std::string> files;
  bool only_check = false, to_stdout = false;

  void take(CommandLine& line) {
    line.argument("FILE", files, "Experiment files; - formats standard input")
        .required()
        .completes(Values::experiments);
    line.flag("--check", only_check, "Change nothing; status 1 if a file would change");
    line.flag("--stdout", to_stdout, "Print the result instead of changing the file");
  }
  int run(const Console& console) const;
};

int format_file(const std::string& file, const FmtCommand& options, const Console& console) {
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

int FmtCommand::run(const Console& console) const {
  int status = kSuccess;
  for (const std::string& file : files)
    status = std::max(status, format_file(file, *this, console));
  return status;
}

}  // namespace

CommandRow fmt_command() {
  return command_row<FmtCommand>(80, "fmt", "Put experiment files into the standard format");
}

}  // namespace gpx::cli
