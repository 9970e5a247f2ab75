#include "runtime/report/tikz.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "lang/lists.h"
#include "runtime/report/number.h"
#include "runtime/report/style.h"

namespace gpx::report {
namespace {

constexpr std::array<std::string_view, kDashCount> kTikzDashes = {"solid", "dashed", "dotted",
                                                                  "dash dot", "densely dashed"};

std::string tikz_ticks(const char* name, const PlotAxis& axis, const std::string& unit,
                       bool labelled) {
  const auto label = [&](double at) { return "{" + latex_escaped(tick(at, unit)) + "}"; };
  return fmt::format("  {0}min={1}, {0}max={2}, {0}tick={{{3}}}, {0}ticklabels={{{4}}},\n", name,
                     exact(axis.low), exact(axis.high), joined(axis.ticks, ",", exact),
                     labelled ? joined(axis.ticks, ",", label) : "");
}

std::string tikz_x_axis(const Figure& figure, bool last) {
  const PlotAxis axis = x_axis_of(figure);
  std::string out = figure.log_x ? "  xmode=log,\n" : "";
  if (figure.x_words.empty()) {
    out += tikz_ticks("x", axis, figure.x_unit, last);
  } else {
    const auto label = [](const std::string& word) { return "{" + latex_escaped(word) + "}"; };
    out += fmt::format("  xtick={{{}}}, xticklabels={{{}}},\n",
                       fmt::join(std::views::iota(std::size_t{0}, figure.x_words.size()), ","),
                       last ? joined(figure.x_words, ",", label) : "");
  }
  if (last)
    out +=
        fmt::format("  xlabel={{{}}},\n", latex_escaped(axis_label(figure.x_name, figure.x_unit)));
  return out;
}

/// How far the ends of a point's interval are from it; nothing where it has none.
std::string tikz_bar(const Curve& curve, std::size_t i) {
  if (!has_bar(curve, i) || !std::isfinite(curve.low[i]) || !std::isfinite(curve.high[i]))
    return {};
  return fmt::format(" += (0,{}) -= (0,{})", exact(curve.high[i] - curve.y[i]),
                     exact(curve.y[i] - curve.low[i]));
}

std::string tikz_coordinates(const Curve& curve, const Figure& figure, const Panel& panel) {
  std::string out;
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    // What cannot be shown breaks the line.
    const bool shown = std::isfinite(curve.y[i]) && (!panel.log || curve.y[i] > 0);
    if (figure.log_x && !(curve.x[i] > 0)) continue;
    out += fmt::format("({},{}){}{}", exact(curve.x[i]), shown ? exact(curve.y[i]) : "nan",
                       shown ? tikz_bar(curve, i) : "", i % 8 == 7 ? '\n' : ' ');
  }
  return out;
}

std::string tikz_curve(const Picture& picture, const Panel& panel, const Curve& curve, bool named) {
  const CurveStyle style = CurveStyles(picture.figure).of(curve);
  std::string out = fmt::format("\\addplot[color={}, thick, {}{}{}] coordinates {{\n{}}};\n",
                                tikz_colour(style.hex()), kTikzDashes[style.dash],
                                !picture.figure.x_words.empty() ? ", only marks"
                                : curve.x.size() > 40           ? ""
                                                                : ", mark=*, mark size=1pt",
                                curve.low.empty() ? "" : ", error bars/.cd, y dir=both, y explicit",
                                tikz_coordinates(curve, picture.figure, panel));
  if (named && !curve.label.empty())
    out += fmt::format("\\addlegendentry{{{}}}\n", latex_escaped(curve.label));
  return out;
}

/// The title, and smaller beneath it the note; LaTeX breaks their lines.
std::string tikz_title(const Picture& picture) {
  const std::string note =
      picture.note.empty() ? "" : "\\\\{\\footnotesize " + latex_escaped(picture.note) + "}";
  return fmt::format(
      "  title style={{align=center, text width=0.9\\linewidth}},\n  title={{{}{}}},\n",
      latex_escaped(picture.title), note);
}

std::string tikz_marks(const Picture& picture, bool labelled) {
  std::string out;
  for (const Mark& mark : picture.marks) {
    const std::string x = exact(mark.x);
    out += fmt::format(
        "\\draw[red!70!black, dashed] ({{axis cs:{0},0}} |- {{rel axis cs:0,0}}) -- "
        "({{axis cs:{0},0}} |- {{rel axis cs:0,1}})",
        x);
    if (labelled)
      out += fmt::format(" node[pos=0.97, right, font=\\scriptsize] {{{}}}",
                         latex_escaped(mark_label(mark, picture)));
    out += ";\n";
  }
  return out;
}

}  // namespace

std::string tikz_colour(std::string_view colour) {
  const auto part = [&](std::size_t at) {
    unsigned value = 0;
    std::from_chars(colour.data() + at, colour.data() + at + 2, value, 16);
    return value;
  };
  return fmt::format("{{rgb,255:red,{};green,{};blue,{}}}", part(1), part(3), part(5));
}

std::string latex_escaped(std::string_view text) {
  // LaTeX's usual font has other characters where ASCII has <, > and |.
  static constexpr std::pair<char, std::string_view> kNamed[] = {
      {'~', "asciitilde"}, {'^', "asciicircum"}, {'\\', "backslash"},
      {'<', "less"},       {'>', "greater"},     {'|', "bar"}};
  std::string out;
  for (const char c : fit({false, true, 0}, text)) {
    const auto named = std::ranges::find(kNamed, c, &std::pair<char, std::string_view>::first);
    if (named != std::end(kNamed))
      out += fmt::format("\\text{}{{}}", named->second);
    else if (std::string_view("&%$#_{}").find(c) != std::string_view::npos)
      out += std::string("\\") + c;
    else
      out += c;
  }
  return out;
}

std::string to_tikz(const Picture& picture) {
  const Figure& figure = picture.figure;
  const bool labelled = std::ranges::any_of(figure.panels, [](const Panel& panel) {
    return std::ranges::any_of(panel.curves,
                               [](const Curve& curve) { return !curve.label.empty(); });
  });
  std::string out =
      "% \\usepackage{pgfplots}\\usepgfplotslibrary{groupplots}\n"
      "\\begin{tikzpicture}\n\\begin{groupplot}[\n" +
      fmt::format("  group style={{group size=1 by {}, vertical sep=4mm}},\n",
                  figure.panels.size()) +
      "  width=" + std::string(labelled ? "0.72" : "0.95") +
      "\\linewidth, grid=major, unbounded coords=jump, scaled ticks=false,\n"
      "  legend style={font=\\scriptsize, draw=none, at={(1.02,1)}, anchor=north west}]\n";
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const Panel& panel = figure.panels[i];
    const bool last = i + 1 == figure.panels.size();
    out += fmt::format("\\nextgroupplot[\n  height={:.1f}cm,\n", 0.5 * std::max(8, panel.rows));
    if (i == 0) out += tikz_title(picture);
    if (panel.log) out += "  ymode=log,\n";
    out += tikz_x_axis(figure, last) + tikz_ticks("y", y_axis_of(panel), panel.unit, true);
    out += fmt::format("  ylabel={{{}}}]\n", latex_escaped(axis_label(panel.name, panel.unit)));
    const bool named = i == 0 || !same_labels(panel, figure.panels.front());
    for (const Curve& curve : panel.curves) out += tikz_curve(picture, panel, curve, named);
    out += tikz_marks(picture, i == 0);
  }
  return out + "\\end{groupplot}\n\\end{tikzpicture}\n";
}

}  // namespace gpx::report
