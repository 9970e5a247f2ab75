#include "runtime/report/gnuplot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "lang/lists.h"
#include "runtime/report/number.h"
#include "runtime/report/style.h"

namespace gpx::report {
namespace {

constexpr int kSmall = 11;
constexpr std::size_t kMarkRows = 12;  ///< Labels beneath each other before they begin anew.
constexpr std::array<std::string_view, 5> kDashes = {"solid", "(6,3)", "(2,2)", "(9,3,2,3)",
                                                     "(12,4)"};
constexpr double kTitleLine = 0.036;  ///< Of the height.
constexpr double kLeft = 0.10, kTop = 0.93, kBottom = 0.11, kGap = 0.035;

/// `wide`: how many times as wide as usual.
std::string terminal(PictureFormat format, double wide) {
  switch (format) {
    case PictureFormat::svg:
    case PictureFormat::gnuplot:
    case PictureFormat::tikz:
      return fmt::format(
          "svg size {:.0f},560 dynamic noenhanced font 'Helvetica,14' background '#ffffff'",
          900 * wide);
    case PictureFormat::png:
      return fmt::format(
          "pngcairo size {:.0f},840 noenhanced font 'Helvetica,14' background '#ffffff'",
          1350 * wide);
    case PictureFormat::pdf:
      return fmt::format(
          "pdfcairo size {:.4g}cm,11.2cm noenhanced font 'Helvetica,10' background '#ffffff'",
          18 * wide);
  }
  return "svg";
}

std::string label_of(const std::string& name, const std::string& unit) {
  return gnuplot_quoted(axis_label(name, unit));
}

/// Ticks as gpx writes numbers: gnuplot's own know no bytes.
std::string ticks(const char* name, const PlotAxis& axis, const std::string& unit, bool labelled) {
  const auto place = [&](double at) {
    return gnuplot_quoted(labelled ? tick(at, unit) : "") + ' ' + exact(at);
  };
  return fmt::format("set {}range [{}:{}]\nset {}tics ({})\n", name, exact(axis.low),
                     exact(axis.high), name, joined(axis.ticks, ", ", place));
}

/// " low high" of a point where its curve has intervals: those of a point without one are its y.
std::string ends_text(const Curve& curve, std::size_t i) {
  if (curve.low.empty()) return {};
  const bool both = std::isfinite(curve.low[i]) && std::isfinite(curve.high[i]);
  return both ? ' ' + exact(curve.low[i]) + ' ' + exact(curve.high[i])
              : ' ' + exact(curve.y[i]) + ' ' + exact(curve.y[i]);
}

/// Each curve as a block of numbers.
std::string data_of(const Figure& figure) {
  std::string out;
  std::size_t number = 0;
  for (const Panel& panel : figure.panels)
    for (const Curve& curve : panel.curves) {
      out += fmt::format("$curve{} << EOD\n", number++);
      for (std::size_t i = 0; i < curve.x.size(); ++i)
        out += std::isfinite(curve.y[i])
                   ? exact(curve.x[i]) + ' ' + exact(curve.y[i]) + ends_text(curve, i) + '\n'
                   : "\n";
      out += "EOD\n";
    }
  return out;
}

/// The same range in all panels, labelled in the last one.
std::string x_axis(const Figure& figure, bool last) {
  std::string out = figure.log_x ? "set logscale x\n" : "unset logscale x\n";
  const PlotAxis axis = x_axis_of(figure);
  if (figure.x_words.empty()) {
    out += ticks("x", axis, figure.x_unit, last);
  } else {
    std::string places;
    for (std::size_t i = 0; i < figure.x_words.size(); ++i)
      places +=
          fmt::format("{}{} {}", i ? ", " : "", gnuplot_quoted(last ? figure.x_words[i] : ""), i);
    out += fmt::format("set xrange [{}:{}]\nset xtics ({})\n", exact(axis.low), exact(axis.high),
                       places);
  }
  return out + (last ? "set xlabel " + label_of(figure.x_name, figure.x_unit) + "\n"
                     : std::string("unset xlabel\n"));
}

std::string y_axis_commands(const Panel& panel) {
  const PlotAxis axis = y_axis_of(panel);
  return (panel.log ? "set logscale y\n" : "unset logscale y\n") +
         ticks("y", axis, panel.unit, true) + "set ylabel " + label_of(panel.name, panel.unit) +
         "\n";
}

/// A band for the interval, a line at the value; in the first panel its name, each a line lower
/// than the one before, for gnuplot does not say how wide a text is.
std::string marks(const Picture& picture, bool labelled) {
  std::string out = "unset arrow\nunset object\nunset label\n";
  for (std::size_t i = 0; i < picture.marks.size(); ++i) {
    const Mark& mark = picture.marks[i];
    if (mark.low && mark.high && *mark.low < *mark.high)
      out += fmt::format(
          "set object rectangle from {}, graph 0 to {}, graph 1 behind fillcolor '#a40e26' "
          "fillstyle transparent solid 0.12 noborder\n",
          exact(*mark.low), exact(*mark.high));
    out += fmt::format(
        "set arrow from {0}, graph 0 to {0}, graph 1 nohead linecolor '#a40e26' linewidth 1 "
        "dashtype {1}\n",
        exact(mark.x), kDashes[(1 + mark.run) % kDashes.size()]);
    if (labelled)
      out += fmt::format(
          "set label {} at {}, graph {:.3f} left offset character 0.6,0 font ',{}' "
          "textcolor '#a40e26' front boxed\n",
          gnuplot_quoted(mark_label(mark, picture)), exact(mark.x),
          0.96 - 0.055 * static_cast<double>(i % kMarkRows), kSmall);
  }
  return out;
}

std::string plot_line(const Panel& panel, std::size_t first, const CurveStyles& styles,
                      bool words) {
  std::string out;
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    const Curve& curve = panel.curves[i];
    const CurveStyle style = styles.of(curve);
    const std::string line =
        fmt::format("linecolor '{}' linewidth 2 dashtype {}", style.hex(), kDashes[style.dash]);
    const std::string title =
        curve.label.empty() ? "notitle" : "title " + gnuplot_quoted(curve.label);
    out += fmt::format("{}$curve{} using 1:2 with {} {} {}", i ? ", \\\n  " : "plot ", first + i,
                       words                 ? "points pointtype 7 pointsize 0.8"
                       : curve.x.size() > 40 ? "lines"
                                             : "linespoints pointtype 7 pointsize 0.4",
                       words ? fmt::format("linecolor '{}'", style.hex()) : line, title);
    if (!curve.low.empty())
      out += fmt::format(
          ", \\\n  $curve{} using 1:2:3:4 with yerrorbars {} pointtype 7 pointsize 0.4 notitle",
          first + i, line);
  }
  return out + '\n';
}

/// Where the plots end, so that the longest label fits beside them: a part of a picture that is
/// `wide` times as wide as usual, since the plots keep half of the usual width.
struct Room {
  double right = 0.97, wide = 1;
};

Room room_of(const Figure& figure) {
  constexpr double kKey = 0.055, kLetter = 0.0072, kLeast = 0.5;
  const int longest = longest_label(figure);
  if (longest == 0) return {};
  const double needed = kKey + kLetter * longest;
  if (needed <= 1 - kLeast) return {std::min(1 - needed, 0.97), 1};
  return {kLeast / (kLeast + needed), kLeast + needed};
}

/// The title, and beneath it the note, in lines that fit around the middle of the plots, quoted.
std::vector<std::string> headings(const Picture& picture, double right, double wide) {
  constexpr double kLetters = 115;  // Of the font's size, in the usual width.
  const double middle = (kLeft + right) / 2;
  const int columns = static_cast<int>(2 * std::min(middle, 1 - middle) * wide * kLetters);
  std::vector<std::string> lines;
  for (const std::string& text : {picture.title, picture.note})
    for (const std::string& line : wrap(text, columns))
      if (!line.empty()) lines.push_back(gnuplot_quoted(line));
  if (lines.empty()) lines.push_back("''");
  return lines;
}

}  // namespace

std::string gnuplot_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : fit({false, true, 0}, text)) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

std::string to_gnuplot(const Picture& picture, PictureFormat format) {
  const Figure& figure = picture.figure;
  const CurveStyles styles(figure);
  const auto [right, wide] = room_of(figure);
  const std::vector<std::string> lines = headings(picture, right, wide);
  const double highest = kTop - kTitleLine * static_cast<double>(lines.size() - 1);
  double rows = 0;
  for (const Panel& panel : figure.panels) rows += panel.rows;
  const double room = highest - kBottom - kGap * static_cast<double>(figure.panels.size() - 1);
  std::string out = fmt::format("set encoding utf8\nset terminal {}\n", terminal(format, wide));
  out += data_of(figure);
  out += fmt::format(
      "set multiplot\nset grid linetype 1 linecolor '#d0d7de' linewidth 1\nset "
      "style textbox opaque noborder margins 0.3,0.3\nset lmargin at screen {}\n"
      "set rmargin at screen {}\nset border linecolor '#50545c'\n",
      kLeft, right);
  double top = highest;
  std::size_t first = 0;
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const Panel& panel = figure.panels[i];
    const double bottom = top - room * panel.rows / rows;
    out += fmt::format("set tmargin at screen {:.4f}\nset bmargin at screen {:.4f}\n", top, bottom);
    out += i == 0 ? "set title " + joined(lines, ".\"\\n\".") + " font ',13'\n" : "unset title\n";
    out += x_axis(figure, i + 1 == figure.panels.size());
    out += y_axis_commands(panel);
    out += marks(picture, i == 0);
    // One key for panels of the same curves.
    out += i > 0 && same_labels(panel, figure.panels.front())
               ? std::string("unset key\n")
               : fmt::format(
                     "set key at screen {:.3f}, screen {:.4f} left top reverse Left samplen 2 "
                     "font ',{}'\n",
                     right + 0.005, top, kSmall);
    out += plot_line(panel, first, styles, !figure.x_words.empty());
    first += panel.curves.size();
    top = bottom - kGap;
  }
  return out + "unset multiplot\n";
}

}  // namespace gpx::report
