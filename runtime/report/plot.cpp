#include "runtime/report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "lang/assert.h"
#include "runtime/report/canvas.h"
#include "runtime/report/number.h"
#include "runtime/report/picture.h"
#include "runtime/report/table.h"

namespace gpx::report {
namespace {

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  bool whole = true;  ///< Only whole numbers.
  void add(double v) {
    if (!std::isfinite(v)) return;
    whole = whole && is_integer(v);
    low = std::min(low, v);
    high = std::max(high, v);
  }
  bool empty() const { return low > high; }
};

/// What all panels share: the x axis and the widths of the margins.
struct Layout {
  PlotAxis x;
  int left = 0;          ///< Columns of the y tick labels.
  int right = 0;         ///< Columns of the curve labels.
  bool letters = false;  ///< Labels stand beneath the plot.
  int columns = 0;
};

bool shows(double value, bool log) {
  return std::isfinite(value) && (!log || value > 0);
}

Range y_range(const Panel& panel) {
  Range range;
  for (const Curve& curve : panel.curves)
    for_each_y(curve, [&](double y) {
      if (shows(y, panel.log)) range.add(y);
    });
  return range;
}

PlotAxis y_axis(const Panel& panel) {
  const Range range = y_range(panel);
  if (range.empty()) return {};
  return make_axis(range.low, range.high, std::max(2, (panel.rows + 1) / 2), panel.log, panel.unit,
                   true);
}

Range x_range(const Figure& figure) {
  Range range;
  for (const Panel& panel : figure.panels)
    for (const Curve& curve : panel.curves)
      for (const double x : curve.x)
        if (shows(x, figure.log_x)) range.add(x);
  return range;
}

/// A curve's label with its ASCII mark where there is no braille.
std::string label_of(const Curve& curve, int series, const Style& style) {
  if (curve.label.empty()) return {};
  const std::string label = fit(style, curve.label);
  return style.unicode ? label : fmt::format("{} {}", series_mark(series), label);
}

/// Labels that would take more than half of the width stand beneath the plot, each behind its
/// letter.
constexpr int kLetterLabel = 1;
std::string letter_of(int series) {
  return std::string(1, static_cast<char>((series < 26 ? 'a' : 'A' - 26) + series));
}

std::string legend(const Panel& panel, const Style& style) {
  Table table({"", ""});
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    const auto series = static_cast<int>(i);
    const std::string label = label_of(panel.curves[i], series, style);
    if (!label.empty()) table.add({{letter_of(series), series_paint(series)}, {label}});
  }
  return table.render(style);
}

Layout layout_of(const Figure& figure, const Range& x, const Style& style) {
  Layout layout;
  for (const Panel& panel : figure.panels) {
    for (const double value : y_axis(panel).ticks)
      layout.left = std::max(layout.left, display_width(fit(style, tick(value, panel.unit))));
    for (std::size_t i = 0; i < panel.curves.size(); ++i)
      layout.right = std::max(layout.right,
                              display_width(label_of(panel.curves[i], static_cast<int>(i), style)));
  }
  layout.letters = layout.right > style.width / 2;
  if (layout.letters) layout.right = kLetterLabel;
  layout.columns = std::clamp(style.width - layout.left - layout.right - 5, 16, 160);
  // Whole numbers have no ticks between them.
  const int count =
      x.whole ? std::clamp(static_cast<int>(std::min(x.high - x.low, 1e3)), 1, layout.columns / 12)
              : layout.columns / 12;
  layout.x = make_axis(x.low, x.high, count, figure.log_x, figure.x_unit, false);
  tick_at_points(layout.x, figure, layout.columns);
  return layout;
}

int dot_at(double position, int dots) {
  return static_cast<int>(std::lround(position * (dots - 1)));
}

/// Ends beyond the axis, such as an infinite one, end at its border.
void draw_bars(Canvas& canvas, const Curve& curve, const PlotAxis& x, const PlotAxis& y,
               int series) {
  const auto row = [&](double end) {
    const double at = y.position(end);
    return dot_at(std::isnan(at) ? 0 : std::clamp(at, 0.0, 1.0), canvas.dots_high());
  };
  for (std::size_t i = 0; i < curve.low.size(); ++i) {
    const double px = x.position(curve.x[i]);
    if (!has_bar(curve, i) || !std::isfinite(px)) continue;
    const int column = dot_at(px, canvas.dots_wide());
    canvas.line(column, row(curve.low[i]), column, row(curve.high[i]), series);
  }
}

constexpr int kPointDots = 2;  ///< To each side of a point that no line leads to.

/// Words have no order: their points are not joined.
void draw_curve(Canvas& canvas, const Curve& curve, const PlotAxis& x, const PlotAxis& y,
                int series, bool words) {
  GPX_ASSERT(curve.x.size() == curve.y.size(), "curve %s", curve.label.c_str());
  bool joined = false;
  int last_x = 0, last_y = 0;
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    const double px = x.position(curve.x[i]), py = y.position(curve.y[i]);
    if (!std::isfinite(px) || !std::isfinite(py)) {
      joined = false;
      continue;
    }
    const int at_x = dot_at(px, canvas.dots_wide()), at_y = dot_at(py, canvas.dots_high());
    if (words)
      canvas.line(std::max(0, at_x - kPointDots), at_y,
                  std::min(canvas.dots_wide() - 1, at_x + kPointDots), at_y, series);
    else if (joined)
      canvas.line(last_x, last_y, at_x, at_y, series);
    else
      canvas.dot(at_x, at_y, series);
    joined = true;
    last_x = at_x;
    last_y = at_y;
  }
}

/// The row of each curve's label: its right end, moved to the nearest free row. -1: no room.
std::vector<int> label_rows(const Panel& panel, const PlotAxis& y) {
  std::vector<bool> taken(static_cast<std::size_t>(panel.rows), false);
  std::vector<int> rows;
  for (const Curve& curve : panel.curves) {
    const auto last = std::find_if(curve.y.rbegin(), curve.y.rend(),
                                   [&](double v) { return shows(v, panel.log); });
    int row = -1;
    if (last != curve.y.rend()) {
      const int wanted = panel.rows - 1 - dot_at(y.position(*last), panel.rows);
      for (int off = 0; off < 2 * panel.rows && row < 0; ++off) {
        const int at = wanted + (off % 2 ? (off + 1) / 2 : -off / 2);
        if (at >= 0 && at < panel.rows && !taken[static_cast<std::size_t>(at)]) row = at;
      }
    }
    if (row >= 0) taken[static_cast<std::size_t>(row)] = true;
    rows.push_back(row);
  }
  return rows;
}

std::string heading(const Panel& panel, const Style& style) {
  return "  " + paint(style, Paint::bold, fit(style, axis_label(panel.name, panel.unit))) + '\n';
}

std::string draw_panel(const Panel& panel, const Layout& layout, const Style& style, bool words) {
  const PlotAxis y = y_axis(panel);
  Canvas canvas(layout.columns, panel.rows, style.unicode);
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    draw_bars(canvas, panel.curves[i], layout.x, y, static_cast<int>(i));
    draw_curve(canvas, panel.curves[i], layout.x, y, static_cast<int>(i), words);
  }

  std::vector<std::string> ticks(static_cast<std::size_t>(panel.rows));
  for (const double value : y.ticks)
    ticks[static_cast<std::size_t>(panel.rows - 1 - dot_at(y.position(value), panel.rows))] =
        fit(style, tick(value, panel.unit));
  std::vector<std::string> labels(ticks.size());
  const std::vector<int> rows = label_rows(panel, y);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i] >= 0)
      labels[static_cast<std::size_t>(rows[i])] =
          paint(style, series_paint(static_cast<int>(i)),
                layout.letters && !panel.curves[i].label.empty()
                    ? letter_of(static_cast<int>(i))
                    : label_of(panel.curves[i], static_cast<int>(i), style));

  std::string out;
  for (int r = 0; r < panel.rows; ++r) {
    const auto at = static_cast<std::size_t>(r);
    std::string line = "  " + pad(ticks[at], layout.left, true) + ' ' +
                       fit(style, ticks[at].empty() ? "│" : "┤") + canvas.row(r, style);
    if (!labels[at].empty())
      line += ' ' + labels[at];
    else
      line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

std::string x_tick(const Figure& figure, double value) {
  if (figure.x_words.empty()) return tick(value, figure.x_unit);
  if (value < 0 || value != std::floor(value) ||
      value >= static_cast<double>(figure.x_words.size()))
    return {};
  return figure.x_words[static_cast<std::size_t>(value)];
}

/// The line under a panel, and under the last one the tick labels and the axis's name.
std::string draw_x_axis(const Figure& figure, const Layout& layout, const Style& style,
                        bool labels) {
  const std::string margin(static_cast<std::size_t>(layout.left + 3), ' ');
  std::vector<std::string> line(static_cast<std::size_t>(layout.columns), "─");
  std::vector<std::string> text(static_cast<std::size_t>(layout.columns) + 1, " ");
  int free_from = 0;
  for (const double value : layout.x.ticks) {
    const int column = dot_at(layout.x.position(value), layout.columns);
    line[static_cast<std::size_t>(column)] = "┬";
    const std::string label = fit(style, x_tick(figure, value));
    const int width = display_width(label);
    const int start = std::clamp(column - width / 2, 0, std::max(0, layout.columns - width));
    if (label.empty() || start < free_from || start + width > layout.columns) continue;
    // The first column has it all, the others nothing.
    for (int c = 0; c < width; ++c) text[static_cast<std::size_t>(start + c)].clear();
    text[static_cast<std::size_t>(start)] = label;
    free_from = start + width + 1;
  }
  std::string out = margin + fit(style, "└");
  for (const std::string& piece : line) out += fit(style, piece);
  out += '\n';
  if (!labels) return out;
  std::string under;
  for (const std::string& cell : text) under += cell;
  under.erase(under.find_last_not_of(' ') + 1);
  out += margin + ' ' + under + '\n';
  const std::string name = fit(style, axis_label(figure.x_name, figure.x_unit));
  const int before = std::max(0, (layout.columns - display_width(name)) / 2) + 1;
  return out + margin + std::string(static_cast<std::size_t>(before), ' ') + name + '\n';
}

}  // namespace

void tick_at_points(PlotAxis& axis, const Figure& figure, int letters) {
  constexpr std::size_t kMostPoints = 8;
  std::set<double> points;
  for (const Panel& panel : figure.panels)
    for (const Curve& curve : panel.curves)
      for (const double x : curve.x)
        if (shows(x, figure.log_x) && points.size() <= kMostPoints) points.insert(x);
  if (points.size() < 2 || points.size() > kMostPoints || !figure.x_words.empty()) return;
  double free_from = -std::numeric_limits<double>::infinity();
  for (const double x : points) {
    const double half = display_width(tick(x, figure.x_unit)) / 2.0;
    const double at = axis.position(x) * letters;
    if (at - half < free_from) return;
    free_from = at + half + 1;
  }
  axis.ticks.assign(points.begin(), points.end());
}

std::string draw(const Figure& figure, const Style& style) {
  const Range x = x_range(figure);
  if (x.empty() || figure.panels.empty()) return "  nothing to plot: no finite point\n";
  const Layout layout = layout_of(figure, x, style);
  std::string out;
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const Panel& panel = figure.panels[i];
    out += heading(panel, style);
    if (y_range(panel).empty()) {
      out += "    no finite value\n";
      continue;
    }
    out += draw_panel(panel, layout, style, !figure.x_words.empty());
    const bool last = i + 1 == figure.panels.size();
    out += draw_x_axis(figure, layout, style, last);
    if (layout.letters && (last || !same_labels(panel, figure.panels[i + 1])))
      out += legend(panel, style);
  }
  return out;
}

}  // namespace gpx::report
