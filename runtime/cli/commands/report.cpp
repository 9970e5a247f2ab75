// gpx report: runs as one page for a browser. Covered by tests/cli/report_command_test.cpp.
#include <fmt/format.h>

#include "runtime/cli/commands/commands.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/run_files.h"
#include "runtime/report/html.h"

namespace gpx::cli {

int report_command(const Options& options, const Console& console) {
  const Result<std::vector<report::Run>> runs = read_runs(options);
  if (!runs) return print_error(console, runs.error());
  const std::string page = report::to_html(*runs);
  if (options.output == "-") {
    print(console.out, page);
    return kSuccess;
  }
  if (const Result<void> written = write_file(options.output, page); !written)
    return print_error(console, written.error());
  if (options.verbose)
    print(console.err, fmt::format("{}: {} run{}, {} KB\n", options.output, runs->size(),
                                   runs->size() == 1 ? "" : "s", (page.size() + 1023) / 1024));
  return kSuccess;
}

}  // namespace gpx::cli
