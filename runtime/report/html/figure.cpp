// Figures and heat maps: their data for report.js, and what is said of them in words.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lang/lists.h"
#include "runtime/report/html/sections.h"
#include "runtime/report/html/text.h"
#include "runtime/report/number.h"
#include "runtime/report/picture.h"
#include "runtime/report/report.h"

namespace gpx::report::html {
namespace {

constexpr std::size_t kMostValues = 60000;  ///< Of one figure; about 8 bytes each.

template <typename List, typename Text>
std::string json_list(const List& list, Text text) {
  return "[" + joined(list, ",", text) + "]";
}
std::string json_list(const std::vector<double>& values) {
  return json_list(values, json_number);
}
std::string json_list(const std::vector<std::string>& texts) {
  return json_list(texts, json_text);
}

/// Evenly spaced values as first, step and number.
std::string json_positions(const std::vector<double>& x) {
  const double step = x.size() > 2 ? x[1] - x[0] : 0;
  bool even = step != 0 && is_integer(step) && is_integer(x[0]);
  for (std::size_t i = 1; even && i < x.size(); ++i) even = x[i] - x[i - 1] == step;
  if (!even) return json_list(x);
  return fmt::format("{{\"from\":{},\"step\":{},\"n\":{}}}", json_number(x[0]), json_number(step),
                     x.size());
}

/// The least and the greatest of each stretch, in their order, so that no spike is lost.
Curve thinned(const Curve& curve, std::size_t most) {
  if (curve.y.size() <= most) return curve;
  const std::size_t each = (2 * curve.y.size() + most - 1) / most;
  Curve out;
  out.label = curve.label;
  out.run = curve.run;
  for (std::size_t begin = 0; begin < curve.y.size(); begin += each) {
    const std::size_t end = std::min(begin + each, curve.y.size());
    std::size_t low = begin, high = begin;
    for (std::size_t i = begin; i < end; ++i) {
      if (!(curve.y[low] <= curve.y[i])) low = i;
      if (!(curve.y[high] >= curve.y[i])) high = i;
    }
    for (const std::size_t at : {std::min(low, high), std::max(low, high)}) {
      out.x.push_back(curve.x[at]);
      out.y.push_back(curve.y[at]);
      if (!curve.low.empty()) {
        out.low.push_back(curve.low[at]);
        out.high.push_back(curve.high[at]);
      }
      if (low == high) break;
    }
  }
  return out;
}

std::size_t values_of(const Figure& figure) {
  std::size_t values = 0;
  for (const Panel& panel : figure.panels)
    for (const Curve& curve : panel.curves) values += curve.y.size();
  return values;
}

std::size_t curves_of(const Figure& figure) {
  std::size_t curves = 0;
  for (const Panel& panel : figure.panels) curves += panel.curves.size();
  return curves;
}

/// Curves name their x among `xs`: most share one.
std::string json_panel(const Panel& panel, const CurveStyles& styles, std::size_t most,
                       std::vector<std::vector<double>>& xs) {
  std::string curves;
  for (const Curve& whole : panel.curves) {
    const Curve curve = thinned(whole, most);
    auto x = std::ranges::find(xs, curve.x);
    if (x == xs.end()) x = xs.insert(xs.end(), curve.x);
    const std::string ends = curve.low.empty() ? ""
                                               : ",\"low\":" + json_list(curve.low) +
                                                     ",\"high\":" + json_list(curve.high);
    const CurveStyle style = styles.of(curve);
    curves +=
        fmt::format("{}{{\"label\":{},\"run\":{},\"colour\":{},\"dash\":{},\"x\":{},\"y\":{}{}}}",
                    curves.empty() ? "" : ",", json_text(curve.label), curve.run, style.colour,
                    style.dash, x - xs.begin(), json_list(curve.y), ends);
  }
  return fmt::format("{{\"name\":{},\"unit\":{},\"log\":{},\"curves\":[{}]}}",
                     json_text(panel.name), json_text(panel.unit), panel.log, curves);
}

std::string json_mark(const Mark& mark) {
  return fmt::format("{{\"x\":{},\"low\":{},\"high\":{},\"name\":{},\"text\":{},\"run\":{}}}",
                     json_number(mark.x), json_number(mark.low.value_or(mark.x)),
                     json_number(mark.high.value_or(mark.x)), json_text(mark.name),
                     json_text(mark.text), mark.run);
}

std::string json_figure(const OverlaidFigure& shown, const Group& group, std::size_t most) {
  const Figure& figure = shown.figure;
  const CurveStyles styles(figure);
  std::vector<std::vector<double>> xs;
  const std::string panels = json_list(figure.panels, [&](const Panel& panel) {
    return json_panel(panel, styles, most, xs);  // Adds to `xs`.
  });
  const std::string runs =
      json_list(group.members, [](const Member& member) { return json_text(member.label); });
  return fmt::format(
      "{{\"x\":{{\"name\":{},\"unit\":{},\"log\":{},\"words\":{}}},\"runs\":{},\"xs\":{},"
      "\"panels\":{},\"marks\":{}}}",
      json_text(figure.x_name), json_text(figure.x_unit), figure.log_x, json_list(figure.x_words),
      runs, json_list(xs, json_positions), panels, json_list(shown.marks, json_mark));
}

std::string caption_of(const Figure& figure) {
  const auto label = [](const Panel& panel) { return axis_label(panel.name, panel.unit); };
  return fmt::format("{} over {}", joined(figure.panels, ", ", label),
                     axis_label(figure.x_name, figure.x_unit));
}

std::string mark_list(const OverlaidFigure& shown) {
  if (shown.marks.empty()) return {};
  std::string items;
  for (const Mark& mark : shown.marks) items += element("li", "", mark.text);
  return "<p class=\"note\">Marked:</p><ul class=\"marks\">" + items + "</ul>\n";
}

/// The frame of what report.js draws: `data` in a script that is no program.
std::string drawn(std::string_view kind, const Id& id, const std::string& caption,
                  const std::string& more, const std::string& data) {
  return fmt::format(
      "<figure class=\"drawn\" data-kind=\"{}\" id=\"{}\">\n<figcaption>{}</figcaption>\n"
      "<div class=\"chart\"></div>\n<noscript><p class=\"note\">This picture needs JavaScript; "
      "the findings below do not.</p></noscript>\n{}"
      "<script type=\"application/json\">{}</script>\n</figure>\n",
      kind, id, caption, more, data);
}

std::string json_axis(const HeatAxis& axis) {
  return fmt::format("{{\"name\":{},\"unit\":{},\"values\":{},\"words\":{}}}", json_text(axis.name),
                     json_text(axis.unit), json_list(axis.values), json_list(axis.words));
}

}  // namespace

std::string badge(const Member& member) {
  const bool modelled = is_virtual(*member.result);
  return element("span", modelled ? "badge virtual" : "badge real",
                 modelled ? fmt::format("virtual GPU {}: a model, not a measurement",
                                        member.result->device.name)
                          : member.result->device.name + ": measured");
}

std::string badges(const Group& group) {
  std::vector<std::string> all;
  for (const Member& member : group.members) add_once(all, badge(member));
  return joined(all, " ");
}

std::string figure(const OverlaidFigure& shown, const Group& group, const Id& id) {
  const std::size_t most =
      std::max<std::size_t>(16, kMostValues / std::max<std::size_t>(1, curves_of(shown.figure)));
  const bool thin = std::ranges::any_of(shown.figure.panels, [&](const Panel& panel) {
    return std::ranges::any_of(panel.curves, [&](const Curve& c) { return c.y.size() > most; });
  });
  std::string more = mark_list(shown);
  if (thin)
    more += element("p", "note",
                    fmt::format("Thinned: of {} values the least and the greatest of each stretch "
                                "are shown; the JSON and CSV files have them all.",
                                values_of(shown.figure)));
  if (shown.left_out > 0)
    more += element("p", "note",
                    fmt::format("{} {} not shown.", plural(shown.left_out, "more curve"),
                                shown.left_out == 1 ? "is" : "are"));
  return drawn("curves", id, escape(caption_of(shown.figure)) + ' ' + badges(group), more,
               json_figure(shown, group, most));
}

std::string heat_map(const HeatMap& map, const Member& member, const Id& id) {
  const std::string data =
      fmt::format("{{\"x\":{},\"y\":{},\"name\":{},\"unit\":{},\"cells\":{}}}", json_axis(map.x),
                  json_axis(map.y), json_text(map.name), json_text(map.unit), json_list(map.cells));
  const std::string more =
      map.binned ? element("p", "note", "Each cell is the greatest of several values.") : "";
  return drawn("heat", id, escape(map.title) + ' ' + badge(member), more, data);
}

}  // namespace gpx::report::html
