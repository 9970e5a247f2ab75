// gpx report: runs as one page for a browser. Covered by tests/cli/report_command_test.cpp.
#include <fmt/format.h>

#include "lang/try.h"
#include "runtime/cli/command.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/run_files.h"
#include "runtime/report/html.h"

namespace gpx::cli {
namespace {

struct ReportCommand : Talk {
  PictureOptions picture;

  void take(CommandLine& line) {
    picture.take(line, "FILE.html", "The page; - is standard output");
  }
  Result<int> run(const Console& console) const;
};

Result<int> ReportCommand::run(const Console& console) const {
  const auto runs = GPX_TRY(read_runs(picture));
  const std::string page = report::to_html(runs);
  if (picture.output == "-") {
    print(console.out, page);
    return kSuccess;
  }
  GPX_TRY(write_file(picture.output, page));
  if (!quiet)
    print(console.out, fmt::format("wrote {}: {}\n", picture.output, plural(runs.size(), "run")));
  return kSuccess;
}

}  // namespace

CommandRow report_command() {
  return command_row<ReportCommand>(40, "report", "Make one HTML page of runs, for a browser");
}

}  // namespace gpx::cli
