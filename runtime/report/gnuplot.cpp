#include "runtime/report/gnuplot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "runtime/report/number.h"
#include "runtime/report/report.h"
#include "runtime/report/style.h"

namespace gpx::report {
namespace {

// Told apart by colour-blind readers; repeated with another dash.
constexpr std::array<std::string_view, 8> kColours = {"#0868ac", "#c2410c", "#117733", "#8b2fa0",
                                                      "#946200", "#0f766e", "#b5246b", "#50545c"};
constexpr int kDashes = 5;
constexpr double kLeft = 0.10, kRight = 0.76, kTop = 0.93, kBottom = 0.11, kGap = 0.035;

/// A string of gnuplot: in single quotes only a single quote is special.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : fit({false, true, 0}, text)) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

std::string_view terminal(PictureFormat format) {
  switch (format) {
    case PictureFormat::svg:
      return "svg size 900,560 dynamic noenhanced font 'Helvetica,14' background '#ffffff'";
    case PictureFormat::png:
      return "pngcairo size 1350,840 noenhanced font 'Helvetica,14' background '#ffffff'";
    case PictureFormat::pdf:
      return "pdfcairo size 18cm,11.2cm noenhanced font 'Helvetica,10' background '#ffffff'";
  }
  return "svg";
}

std::string axis_label(const std::string& name, const std::string& unit) {
  return quoted(unit.empty() ? name : fmt::format("{} ({})", name, unit));
}

std::string tick_format(const std::string& unit) {
  if (unit == "B") return "'%.4b %BB'";
  if (unit == "s" || unit == "Hz") return fmt::format("'%.4s %c{}'", unit);
  return "'%g'";
}

/// Each curve as a block of numbers.
std::string data_of(const Figure& figure) {
  std::string out;
  std::size_t number = 0;
  for (const Panel& panel : figure.panels)
    for (const Curve& curve : panel.curves) {
      out += fmt::format("$curve{} << EOD\n", number++);
      for (std::size_t i = 0; i < curve.x.size(); ++i)
        out +=
            std::isfinite(curve.y[i]) ? exact(curve.x[i]) + ' ' + exact(curve.y[i]) + '\n' : "\n";
      out += "EOD\n";
    }
  return out;
}

std::string x_axis(const Figure& figure, bool last) {
  std::string out = figure.log_x ? "set logscale x\n" : "unset logscale x\n";
  if (!figure.x_words.empty()) {
    std::string places;
    for (std::size_t i = 0; i < figure.x_words.size(); ++i)
      places += fmt::format("{}{} {}", i ? ", " : "", quoted(last ? figure.x_words[i] : ""), i);
    out += "set xtics (" + places + ")\n";
  } else {
    out += "set format x " + (last ? tick_format(figure.x_unit) : "''") + "\n";
  }
  return out + (last ? "set xlabel " + axis_label(figure.x_name, figure.x_unit) + "\n"
                     : std::string("unset xlabel\n"));
}

/// A band for the interval, a line at the value; in the first panel its name along the line.
std::string marks(const OverlaidFigure& shown, bool labelled) {
  std::string out = "unset arrow\nunset object\nunset label\n";
  for (const Mark& mark : shown.marks) {
    const std::string x = exact(mark.x);
    if (mark.low && mark.high && *mark.low < *mark.high)
      out += fmt::format(
          "set object rectangle from {}, graph 0 to {}, graph 1 behind fillcolor '#a40e26' "
          "fillstyle transparent solid 0.12 noborder\n",
          exact(*mark.low), exact(*mark.high));
    out += fmt::format(
        "set arrow from {0}, graph 0 to {0}, graph 1 nohead linecolor '#a40e26' linewidth 1 "
        "dashtype {1}\n",
        x, 2 + mark.run % (kDashes - 1));
    if (labelled)
      out += fmt::format(
          "set label {} at {}, graph 0.98 rotate by 90 right offset character -0.6,0 font ',10' "
          "textcolor '#a40e26' front\n",
          quoted(mark.text), x);
  }
  return out;
}

/// Colour by curve, dash by run where runs are overlaid, else by how often colours repeat.
std::string style_of(const Panel& panel, std::size_t index, bool several) {
  const Curve& curve = panel.curves[index];
  const auto before = static_cast<std::size_t>(
      std::count_if(panel.curves.begin(), panel.curves.begin() + static_cast<std::ptrdiff_t>(index),
                    [&](const Curve& other) { return other.run == curve.run; }));
  const std::size_t dash = several ? curve.run : before / kColours.size();
  return fmt::format("linecolor '{}' linewidth 2 dashtype {}", kColours[before % kColours.size()],
                     1 + dash % kDashes);
}

std::string plot_line(const Panel& panel, std::size_t first, bool several) {
  std::string out;
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    const Curve& curve = panel.curves[i];
    const std::string title = curve.label.empty() ? "notitle" : "title " + quoted(curve.label);
    out += fmt::format("{}$curve{} using 1:2 with {} {} {}", i ? ", \\\n  " : "plot ", first + i,
                       curve.x.size() > 40 ? "lines" : "linespoints pointtype 7 pointsize 0.4",
                       style_of(panel, i, several), title);
  }
  return out + '\n';
}

bool same_labels(const Panel& a, const Panel& b) {
  return std::ranges::equal(a.curves, b.curves, {}, &Curve::label, &Curve::label);
}

std::string title_of(const Group& group) {
  std::string out = group.name;
  for (std::size_t i = 0; i < group.members.size(); ++i)
    out += (i ? ", " : ": ") + group.members[i].label;
  const bool modelled = std::ranges::any_of(
      group.members, [](const Member& member) { return is_virtual(*member.result); });
  return modelled ? out + " – virtual: a model, not a measurement" : out;
}

}  // namespace

std::optional<PictureFormat> picture_format(std::string_view path) {
  if (path.ends_with(".svg")) return PictureFormat::svg;
  if (path.ends_with(".png")) return PictureFormat::png;
  if (path.ends_with(".pdf")) return PictureFormat::pdf;
  return std::nullopt;
}

std::string figure_name(const Group& group, const OverlaidFigure& figure) {
  std::string names;
  for (const Panel& panel : figure.figure.panels) names += (names.empty() ? "" : ", ") + panel.name;
  return fmt::format("{}: {} over {}", group.name, names, figure.figure.x_name);
}

std::string to_gnuplot(const Group& group, const OverlaidFigure& shown, PictureFormat format) {
  const Figure& figure = shown.figure;
  const bool several = group.members.size() > 1;
  double rows = 0;
  for (const Panel& panel : figure.panels) rows += panel.rows;
  const double room = kTop - kBottom - kGap * static_cast<double>(figure.panels.size() - 1);
  std::string out = fmt::format("set encoding utf8\nset terminal {}\n", terminal(format));
  out += data_of(figure);
  out += fmt::format(
      "set multiplot\nset grid linecolor '#d0d7de' linewidth 0.5\nset lmargin at screen {}\n"
      "set rmargin at screen {}\nset border linecolor '#50545c'\n",
      kLeft, kRight);
  double top = kTop;
  std::size_t first = 0;
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const Panel& panel = figure.panels[i];
    const double bottom = top - room * panel.rows / rows;
    out += fmt::format("set tmargin at screen {:.4f}\nset bmargin at screen {:.4f}\n", top, bottom);
    out += i == 0 ? "set title " + quoted(title_of(group)) + " font ',14'\n" : "unset title\n";
    out += x_axis(figure, i + 1 == figure.panels.size());
    out += panel.log ? "set logscale y\n" : "unset logscale y\n";
    out += "set format y " + tick_format(panel.unit) + "\nset ylabel " +
           axis_label(panel.name, panel.unit) + "\n";
    out += marks(shown, i == 0);
    // One key for panels of the same curves.
    out += i > 0 && same_labels(panel, figure.panels.front())
               ? std::string("unset key\n")
               : fmt::format(
                     "set key at screen 0.995, screen {:.4f} right top reverse Left samplen 2 "
                     "font ',11'\n",
                     top);
    out += panel.curves.empty() ? "" : plot_line(panel, first, several);
    first += panel.curves.size();
    top = bottom - kGap;
  }
  return out + "unset multiplot\n";
}

}  // namespace gpx::report
