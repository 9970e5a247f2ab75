#include "runtime/report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "runtime/report/html/text.h"
#include "runtime/report/number.h"
#include "runtime/report/style.h"

namespace gpx::report {
namespace {

// Pixels.
constexpr double kSvgWidth = 900, kSvgLeast = 84, kSvgBottom = 56, kSvgGap = 16, kSvgRow = 34;
constexpr double kSvgLetter = 6.6;         ///< Of a key's text: no font is known here.
constexpr double kSvgWideLetter = 7.4;     ///< Of the widest font that stands in for Helvetica.
constexpr double kSvgTitleLine = 18;       ///< From one line above the plots to the next.
constexpr double kSvgKeyLine = 26;         ///< The dash before a key's text, with its gap.
constexpr std::size_t kSvgMarkRows = 10;   ///< Labels beneath each other before they begin anew.
constexpr std::size_t kSvgFewPoints = 40;  ///< Of a curve whose points are shown.
constexpr std::array<std::string_view, kDashCount> kSvgDashes = {"", "7 4", "2 3", "9 4 2 4",
                                                                 "13 5"};
constexpr std::string_view kSvgMarkColour = "#a40e26";

std::string svg_text(double x, double y, std::string_view attributes, std::string_view content) {
  return fmt::format("<text x=\"{}\" y=\"{}\"{}{}>{}</text>\n", svg_number(x), svg_number(y),
                     attributes.empty() ? "" : " ", attributes, html::escape(content));
}

std::string svg_line(double x1, double y1, double x2, double y2, std::string_view attributes) {
  return fmt::format("<path d=\"M{} {}L{} {}\" {}/>\n", svg_number(x1), svg_number(y1),
                     svg_number(x2), svg_number(y2), attributes);
}

std::string svg_dashes(std::size_t dash) {
  return dash == 0 ? "" : fmt::format(" stroke-dasharray=\"{}\"", kSvgDashes[dash]);
}

/// The part of the picture in which one panel is drawn.
struct SvgFrame {
  const Panel& panel;
  PlotAxis x, y;
  double left, right, top, bottom;

  double across(double value) const { return left + x.position(value) * (right - left); }
  double up(double value) const { return bottom - y.position(value) * (bottom - top); }
};

/// A line above the plots.
struct SvgHeading {
  std::string text;
  double width;
  std::string_view attributes;
};

class SvgDrawing {
 public:
  explicit SvgDrawing(const Picture& picture)
      : picture_(picture),
        figure_(picture.figure),
        styles_(picture.figure),
        left_(left_end()),
        right_(right_end()),
        width_(whole_width()),
        pair_(is_pair(picture.figure)) {}

  std::string all() {
    const std::vector<SvgHeading> lines = headings();
    double top = 22 + kSvgTitleLine * static_cast<double>(lines.size());
    std::string panels, title;
    double y = 24;
    for (const SvgHeading& line : lines) {
      title += svg_text(middle_of(line), y, line.attributes, line.text);
      y += kSvgTitleLine;
    }
    for (std::size_t i = 0; i < figure_.panels.size(); ++i) {
      const Panel& panel = figure_.panels[i];
      const double bottom = top + kSvgRow * std::max(6, panel.rows);
      const SvgFrame frame{panel, x_axis_of(figure_), y_axis_of(panel), left_, right_, top, bottom};
      panels += panel_of(frame, i);
      top = bottom + kSvgGap;
    }
    const double height = top - kSvgGap + kSvgBottom;
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
               "height=\"{1}\" font-family=\"Helvetica,Arial,sans-serif\" font-size=\"13\">\n"
               "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
               svg_number(width_), svg_number(height)) +
           title + panels + "</svg>\n";
  }

 private:
  /// Where the plots begin, so that the widest tick of a y axis fits next to the axis's name.
  double left_end() const {
    constexpr double kName = 38;
    int longest = 0;
    for (const Panel& panel : figure_.panels)
      for (const double at : y_axis_of(panel).ticks)
        longest = std::max(longest, display_width(tick(at, panel.unit)));
    return std::max(kSvgLeast, kName + kSvgWideLetter * longest);
  }

  /// Where the plots end, so that the longest label fits beside them.
  double right_end() const {
    const int longest = longest_label(figure_);
    if (longest == 0) return kSvgWidth - 24;
    return std::max(0.5 * kSvgWidth, kSvgWidth - 12 - kSvgKeyLine - 8 - kSvgLetter * longest);
  }

  /// What the longest label needs, which a plot of half the usual width may not leave.
  double whole_width() const {
    const int longest = longest_label(figure_);
    if (longest == 0) return kSvgWidth;
    return std::max(kSvgWidth, std::ceil(right_ + 8 + kSvgKeyLine + kSvgWideLetter * longest));
  }

  /// The title, and smaller beneath it the note, broken into lines that fit.
  std::vector<SvgHeading> headings() const {
    std::vector<SvgHeading> lines;
    const auto add = [&](const std::string& text, double letter, std::string_view attributes) {
      for (const std::string& line : wrap(text, static_cast<int>((width_ - 24) / letter)))
        lines.push_back({line, letter * display_width(line), attributes});
    };
    add(picture_.title, kSvgWideLetter, "text-anchor=\"middle\"");
    if (!picture_.note.empty())
      add(picture_.note, kSvgLetter, "text-anchor=\"middle\" font-size=\"12\" fill=\"#50545c\"");
    return lines;
  }

  /// Over the plots, but not beyond a border of the picture.
  double middle_of(const SvgHeading& line) const {
    const double half = line.width / 2;
    return std::max(std::min((left_ + right_) / 2, width_ - 12 - half), 12 + half);
  }

  std::string panel_of(const SvgFrame& frame, std::size_t index) const {
    const bool first = index == 0, last = index + 1 == figure_.panels.size();
    std::string out = grid(frame, last) + bands(frame);
    for (std::size_t i = 0; i < frame.panel.curves.size(); ++i)
      out += bars(frame, i) + curve(frame, i);
    if (first) out += mark_labels(frame);
    if (first || !same_labels(frame.panel, figure_.panels.front())) out += key(frame);
    if (last)
      out += svg_text((left_ + right_) / 2, frame.bottom + 42, "text-anchor=\"middle\"",
                      axis_label(figure_.x_name, figure_.x_unit));
    const double middle = (frame.top + frame.bottom) / 2;
    return out + svg_text(22, middle,
                          fmt::format("text-anchor=\"middle\" transform=\"rotate(-90 22 {})\"",
                                      svg_number(middle)),
                          axis_label(frame.panel.name, frame.panel.unit));
  }

  std::string grid(const SvgFrame& frame, bool labelled) const {
    constexpr std::string_view kLine = "stroke=\"#d0d7de\"";
    std::string out;
    const auto at_x = [&](double value, const std::string& label) {
      const double x = frame.across(value);
      out += svg_line(x, frame.top, x, frame.bottom, kLine);
      if (labelled) out += svg_text(x, frame.bottom + 20, "text-anchor=\"middle\"", label);
    };
    if (figure_.x_words.empty())
      for (const double at : frame.x.ticks) at_x(at, tick(at, figure_.x_unit));
    for (std::size_t i = 0; i < figure_.x_words.size(); ++i)
      at_x(static_cast<double>(i), figure_.x_words[i]);
    for (const double at : frame.y.ticks) {
      const double y = frame.up(at);
      out += svg_line(left_, y, right_, y, kLine);
      out += svg_text(left_ - 8, y + 4, "text-anchor=\"end\"", tick(at, frame.panel.unit));
    }
    return out + fmt::format("<path d=\"M{0} {1}V{2}H{3}\" fill=\"none\" stroke=\"#50545c\"/>\n",
                             svg_number(left_), svg_number(frame.top), svg_number(frame.bottom),
                             svg_number(right_));
  }

  /// Of the findings: a band for the interval, a line at the value.
  std::string bands(const SvgFrame& frame) const {
    std::string out;
    for (const Mark& mark : picture_.marks) {
      if (mark.low && mark.high && *mark.low < *mark.high) {
        const double from = std::clamp(frame.across(*mark.low), left_, right_);
        const double to = std::clamp(frame.across(*mark.high), left_, right_);
        out += fmt::format(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" "
            "fill-opacity=\"0.12\"/>\n",
            svg_number(from), svg_number(frame.top), svg_number(to - from),
            svg_number(frame.bottom - frame.top), kSvgMarkColour);
      }
      const double x = frame.across(mark.x);
      out += svg_line(
          x, frame.top, x, frame.bottom,
          fmt::format("stroke=\"{}\"{}", kSvgMarkColour, svg_dashes((1 + mark.run) % kDashCount)));
    }
    return out;
  }

  std::string mark_labels(const SvgFrame& frame) const {
    std::string out;
    for (std::size_t i = 0; i < picture_.marks.size(); ++i) {
      const std::string label = mark_label(picture_.marks[i], picture_);
      const double x = frame.across(picture_.marks[i].x);
      const bool room = x + kSvgLetter * display_width(label) < right_;
      out += svg_text(room ? x + 5 : x - 5,
                      frame.top + 14 + 15 * static_cast<double>(i % kSvgMarkRows),
                      fmt::format("fill=\"{}\" font-size=\"11\"{}", kSvgMarkColour,
                                  room ? "" : " text-anchor=\"end\""),
                      label);
    }
    return out;
  }

  /// The intervals of a curve's points; ends beyond the axis end at its border.
  std::string bars(const SvgFrame& frame, std::size_t index) const {
    const Curve& c = frame.panel.curves[index];
    const auto end_at = [&](double value) {
      const double y = frame.up(value);
      return svg_number(std::isnan(y) ? frame.bottom : std::clamp(y, frame.top, frame.bottom));
    };
    std::string path;
    for (std::size_t i = 0; i < c.low.size(); ++i) {
      const double x = frame.across(c.x[i]);
      if (!has_bar(c, i) || !std::isfinite(x)) continue;
      path += fmt::format("M{} {}V{}", svg_number(x), end_at(c.low[i]), end_at(c.high[i]));
    }
    if (path.empty()) return {};
    return fmt::format(
        "<path d=\"{}\" stroke=\"{}\" stroke-width=\"3\" stroke-opacity=\"0.35\"/>\n", path,
        styles_.of(c).hex());
  }

  std::string curve(const SvgFrame& frame, std::size_t index) const {
    const Curve& c = frame.panel.curves[index];
    const CurveStyle style = styles_.of(c);
    std::string path, points, before;
    bool draws = false;
    for (std::size_t i = 0; i < c.x.size(); ++i) {
      const double x = frame.across(c.x[i]), y = frame.up(c.y[i]);
      if (!std::isfinite(x) || !std::isfinite(y)) {
        draws = false;
        continue;
      }
      const std::string place = svg_number(x) + ' ' + svg_number(y);
      if (draws && place == before) continue;
      path += (draws ? 'L' : 'M') + place;
      const bool words = !figure_.x_words.empty();
      if (words || c.x.size() <= kSvgFewPoints)
        points += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"/>\n", svg_number(x),
                              svg_number(y), words || pair_ ? 4 : 2.4, style.hex());
      if (pair_)
        points += svg_text(
            x, y - 9,
            fmt::format("text-anchor=\"middle\" font-size=\"11\" fill=\"{}\"", style.hex()),
            tick(c.y[i], frame.panel.unit));
      before = place;
      draws = true;
    }
    if (path.empty()) return {};
    if (!figure_.x_words.empty()) return points;  // Words have no order: nothing joins them.
    return fmt::format(
               "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\" "
               "stroke-linejoin=\"round\"{}/>\n",
               path, style.hex(), svg_dashes(style.dash)) +
           points;
  }

  std::string key(const SvgFrame& frame) const {
    std::string out;
    double y = frame.top + 10;
    for (std::size_t i = 0; i < frame.panel.curves.size(); ++i) {
      const std::string& label = frame.panel.curves[i].label;
      if (label.empty()) continue;
      const CurveStyle style = styles_.of(frame.panel.curves[i]);
      out += svg_line(
          right_ + 8, y - 4, right_ + 8 + kSvgKeyLine - 6, y - 4,
          fmt::format("stroke=\"{}\" stroke-width=\"1.8\"{}", style.hex(), svg_dashes(style.dash)));
      out += svg_text(right_ + 8 + kSvgKeyLine, y, "font-size=\"12\"", label);
      y += 17;
    }
    return out;
  }

  const Picture& picture_;
  const Figure& figure_;
  CurveStyles styles_;
  double left_;
  double right_;
  double width_;
  bool pair_;
};

}  // namespace

std::string svg_number(double value) {
  std::string text = fmt::format("{:.1f}", value);
  return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

std::string to_svg(const Picture& picture) {
  return SvgDrawing(picture).all();
}

}  // namespace gpx::report
