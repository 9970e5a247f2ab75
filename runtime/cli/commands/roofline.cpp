// gpx roofline: the roofs of a device from the rates that runs found. Covered by
// tests/cli/roofline_command_test.cpp.
#include "runtime/report/roofline.h"

#include <fmt/format.h>

#include "lang/try.h"
#include "runtime/cli/command.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/output/picture_file.h"
#include "runtime/cli/run_files.h"
#include "runtime/report/plot.h"

namespace gpx::cli {
namespace {

struct RooflineCommand : Talk {
  std::vector<std::string> runs;
  std::string picture;
  bool plot = true;
  StoreOptions store;

  void take(CommandLine& line) {
    line.argument("RUN", runs,
                  "Documents of gpx run --json, or runs of the store; their findings are joined")
        .required()
        .completes(Values::documents);
    line.option("--output,-o", picture, "FILE", "A picture: .svg, .png, .pdf, .gp or .tex");
    line.flag("--no-plot", plot, "Draw no curves", false);
    store.take(line);
  }
  Result<int> run(const Console& console) const {
    GPX_TRY(show(console));
    return kSuccess;
  }
  Result<void> show(const Console& console) const;
};

Result<void> RooflineCommand::show(const Console& console) const {
  PictureOptions wanted;
  wanted.runs = runs;
  wanted.store = store;
  const auto read = GPX_TRY(read_runs(wanted));
  const std::vector<report::Roofline> all = report::rooflines_of(read);
  if (all.empty())
    return fail(
        Fault::input,
        "a roofline needs the rate of a memory and that of floating-point operations, of one "
        "device",
        "gpx characterize --only bandwidth,pipelines finds both");
  if (!quiet) {
    print(console.out, report::roofline_text(all, console.out_style));
    if (plot) print(console.out, '\n' + report::roofline_plot(all, console.out_style));
  }
  if (picture.empty()) return {};
  GPX_TRY(write_picture(picture, report::roofline_picture(all)));
  if (!quiet) print(console.out, fmt::format("\nwrote {}\n", picture));
  return {};
}

}  // namespace

CommandRow roofline_command() {
  return command_row<RooflineCommand>(
      55, "roofline", "Show a device's roofs from measured rates, as a table and a plot");
}

}  // namespace gpx::cli
