// gpx import: runs of gpx export into a store. Covered by tests/cli/store_commands_test.cpp.
#include <fmt/format.h>

#include "lang/try.h"
#include "runtime/cli/command.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/stored.h"
#include "runtime/report/report.h"

namespace gpx::cli {
namespace {

Result<std::int64_t> import_file(const store::Store& store, const std::string& file) {
  const auto text = GPX_TRY(read_text(file, kMostDocumentBytes));
  const auto run = GPX_TRY(report::from_json(text, file));
  return store.import_run(run);
}

struct ImportCommand : Talk {
  std::vector<std::string> files;
  StoreOptions store;

  void take(CommandLine& line) {
    line.argument("FILE", files, "Files of gpx export; - is standard input").required();
    store.take(line);
  }
  Result<int> run(const Console& console) const {
    const auto opened = GPX_TRY(open_store(store, true));
    int status = kSuccess;
    for (const std::string& file : files) {
      const auto number = import_file(opened, file);
      if (number && !quiet) print(console.out, fmt::format("{}: run {}\n", file, *number));
      if (!number) status = print_error(console, number.error());
    }
    return status;
  }
};

}  // namespace

CommandRow import_command() {
  return command_row<ImportCommand>(140, "import", "Add runs that gpx export wrote to the store");
}

}  // namespace gpx::cli
