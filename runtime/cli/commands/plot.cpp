// gpx plot: a figure of runs as a picture for a paper. .png and .pdf are drawn by gnuplot.
// Covered by tests/cli/plot_command_test.cpp.
#include <fmt/format.h>

#include <variant>

#include "lang/try.h"
#include "runtime/cli/command.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/output/picture_file.h"
#include "runtime/cli/run_files.h"
#include "runtime/report/hierarchy.h"

namespace gpx::cli {
namespace {

constexpr std::size_t kMostOfPlot = 24;  ///< Of each run.

/// Curves, or the memory hierarchies of characterizations.
struct Chosen {
  std::string name;
  std::variant<report::Picture, report::Diagram> picture;
};

std::vector<Chosen> all_figures(const std::vector<report::Run>& runs) {
  std::vector<Chosen> all;
  if (const auto hierarchies = report::hierarchies_of(runs); !hierarchies.empty())
    all.push_back({"memory hierarchy", report::draw(hierarchies)});
  for (const report::Group& group : report::overlay(runs, kMostOfPlot))
    for (const report::OverlaidFigure& figure : group.figures)
      all.push_back({report::figure_name(group, figure), report::picture_of(group, figure)});
  return all;
}

std::string listed(const std::vector<Chosen>& all) {
  std::string out;
  for (std::size_t i = 0; i < all.size(); ++i)
    out += fmt::format("{}{} {}", i ? "; " : "", i + 1, all[i].name);
  return out;
}

Result<Chosen> choose(const std::vector<Chosen>& all, std::size_t number) {
  if (all.empty())
    return fail(Fault::input, "nothing to plot: no sweep of at least three points",
                "gpx report shows timelines and findings");
  if (number < 1 || number > all.size())
    return fail(Fault::input,
                fmt::format("there is no plot {}: there {} {}", number,
                            all.size() == 1 ? "is" : "are", all.size()),
                listed(all));
  return all[number - 1];
}

struct PlotCommand : Talk {
  PictureOptions picture;
  std::optional<std::uint64_t> number;  ///< From 1.

  void take(CommandLine& line) {
    picture.take(line, "FILE",
                 "The picture: .svg, .png, .pdf, .gp (a script of gnuplot) or .tex (TikZ)");
    line.option("--plot", number, "N", "Which plot, from 1 in the order of the report");
  }
  Result<int> run(const Console& console) const {
    GPX_TRY(plot(console));
    return kSuccess;
  }
  Result<void> plot(const Console& console) const;
};

Result<void> PlotCommand::plot(const Console& console) const {
  const auto format = GPX_TRY(format_of_file(picture.output));
  const auto runs = GPX_TRY(read_runs(picture));
  const std::vector<Chosen> all = all_figures(runs);
  const auto chosen = GPX_TRY(choose(all, number.value_or(1)));
  auto file = GPX_TRY(AtomicFile::open(picture.output));
  const Result<std::string> drawn =
      std::visit([&](const auto& each) { return draw_picture(each, format); }, chosen.picture);
  if (!drawn) return tl::unexpected<Error>(drawn.error());
  if (all.size() > 1 && !number && !quiet)
    print(console.err,
          fmt::format("plot 1 of {} (--plot N for another): {}\n", all.size(), listed(all)));
  GPX_TRY(file.commit(*drawn));
  if (!quiet) print(console.out, fmt::format("wrote {}: {}\n", picture.output, chosen.name));
  return {};
}

}  // namespace

CommandRow plot_command() {
  return command_row<PlotCommand>(50, "plot",
                                  "Draw a plot of runs as a picture (gnuplot draws .png and .pdf)");
}

}  // namespace gpx::cli
