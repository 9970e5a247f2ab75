// gpx export: a run from a store to a file. Covered by tests/cli/store_commands_test.cpp.
#include "runtime/cli/command.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/stored.h"
#include "runtime/report/report.h"

namespace gpx::cli {
namespace {

struct ExportCommand : Talk {
  std::string name, output = "-";
  bool as_csv = false, as_json = false;
  StoreOptions store;

  void take(CommandLine& line) {
    line.argument("RUN", name, kStoredRun).required().completes(Values::runs);
    const CommandLine::Option csv = line.flag("--csv", as_csv, "Its samples, as CSV");
    line.flag("--json", as_json, "All of it, as gpx import reads it (the default)").excludes(csv);
    line.option("--output,-o", output, "PATH", "The file; - is standard output").shows_default();
    store.take(line);
  }
  int run(const Console& console) const;
};

Result<std::string> text_of(const ExportCommand& wanted) {
  const auto opened = open_store(wanted.store, false);
  if (!opened) return tl::unexpected(opened.error());
  const auto number = opened->find(wanted.name);
  if (!number) return tl::unexpected(number.error());
  if (!wanted.as_csv) return opened->export_document(*number);
  const auto run = opened->load(*number);
  if (!run) return tl::unexpected(run.error());
  return report::to_csv(run->result);
}

int ExportCommand::run(const Console& console) const {
  const auto text = text_of(*this);
  if (!text) return print_error(console, text.error());
  if (output == "-") {
    print(console.out, *text);
    return kSuccess;
  }
  const auto written = write_file(output, *text);
  return written ? kSuccess : print_error(console, written.error());
}

}  // namespace

CommandRow export_command() {
  return command_row<ExportCommand>(130, "export", "Write a stored run to a file");
}

}  // namespace gpx::cli
