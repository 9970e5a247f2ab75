// gpx export, gpx import: runs from one store to another. Covered by
// tests/cli/store_commands_test.cpp.
#include <fmt/format.h>

#include "runtime/cli/commands/commands.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/stored.h"
#include "runtime/report/report.h"

namespace gpx::cli {
namespace {

Result<std::string> text_of(const Options& options) {
  const auto opened = open_store(options, false);
  if (!opened) return tl::unexpected(opened.error());
  const auto number = opened->find(options.runs.front());
  if (!number) return tl::unexpected(number.error());
  if (!options.as_csv) return opened->export_document(*number);
  const auto run = opened->load(*number);
  if (!run) return tl::unexpected(run.error());
  return report::to_csv(run->result);
}

Result<std::int64_t> import_file(const store::Store& store, const std::string& file) {
  const auto text = read_text(file, kMostDocumentBytes);
  if (!text) return tl::unexpected(text.error());
  const auto run = report::from_json(*text, file);
  if (!run) return tl::unexpected(run.error());
  return store.import_run(*run);
}

}  // namespace

int export_command(const Options& options, const Console& console) {
  const auto text = text_of(options);
  if (!text) return print_error(console, text.error());
  if (options.output == "-") {
    print(console.out, *text);
    return kSuccess;
  }
  const auto written = write_file(options.output, *text);
  return written ? kSuccess : print_error(console, written.error());
}

int import_command(const Options& options, const Console& console) {
  const auto opened = open_store(options, true);
  if (!opened) return print_error(console, opened.error());
  int status = kSuccess;
  for (const std::string& file : options.files) {
    const auto number = import_file(*opened, file);
    if (number && !options.quiet) print(console.out, fmt::format("{}: run {}\n", file, *number));
    if (!number) status = print_error(console, number.error());
  }
  return status;
}

}  // namespace gpx::cli
