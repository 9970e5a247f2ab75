#include "runtime/report/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "lang/diagnostic.h"
#include "lang/lists.h"
#include "runtime/report/figures.h"
#include "runtime/report/number.h"
#include "runtime/report/report.h"

namespace gpx::report {
namespace {

// Distinct for colour-blind readers; --c0 to --c7 of the page (html/report.css).
constexpr std::array<std::string_view, kColourCount> kColours = {
    "#0868ac", "#c2410c", "#117733", "#8b2fa0", "#946200", "#0f766e", "#b5246b", "#50545c"};

struct Extent {
  double low = INFINITY, high = -INFINITY;
  void add(double value, bool log) {
    if (!std::isfinite(value) || (log && value <= 0)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  /// Some range where nothing can be shown (a logarithm of nothing but zeros).
  Extent or_any() const { return low <= high ? *this : Extent{1, 10}; }
  /// With room beside its ends; what is not negative stays so.
  Extent with_margins(bool log) const {
    constexpr double kBeside = 0.2;
    if (log) return {low * std::pow(high / low, -kBeside), high * std::pow(high / low, kBeside)};
    const double margin = kBeside * (high - low);
    return {low < 0 ? low - margin : std::max(low - margin, 0.0), high + margin};
  }
};

}  // namespace

const char* const kPictureEndings =
    "its name ends in .svg, .png, .pdf, .gp (a script of gnuplot) or .tex (TikZ)";

std::optional<PictureFormat> picture_format(std::string_view path) {
  constexpr std::pair<std::string_view, PictureFormat> kEndings[] = {
      {".svg", PictureFormat::svg},
      {".png", PictureFormat::png},
      {".pdf", PictureFormat::pdf},
      {".gp", PictureFormat::gnuplot},
      {".tex", PictureFormat::tikz}};
  for (const auto& [ending, format] : kEndings)
    if (path.ends_with(ending)) return format;
  return std::nullopt;
}

std::string figure_name(const Group& group, const OverlaidFigure& figure) {
  return fmt::format("{}: {} over {}", group.name, joined(figure.figure.panels, ", ", &Panel::name),
                     figure.figure.x_name);
}

namespace {

/// What the bars of a picture are; "" where it has none.
std::string bars_text(const Group& group, const Figure& figure) {
  const bool some = std::ranges::any_of(figure.panels, [](const Panel& panel) {
    return std::ranges::any_of(panel.curves, [](const Curve& curve) {
      for (std::size_t i = 0; i < curve.x.size(); ++i)
        if (has_bar(curve, i)) return true;
      return false;
    });
  });
  if (!some) return {};
  const bool range = std::ranges::any_of(
      group.members, [](const Member& member) { return shows_range(*member.result); });
  return range ? "bars: range of the repetitions" : "bars: 95 % interval";
}

}  // namespace

Picture picture_of(const Group& group, const OverlaidFigure& figure) {
  const std::string& title = group.members.front().result->experiment.title;
  Picture picture{figure.figure, figure.marks, {}, title.empty() ? group.name : title, {}};
  const auto add_note = [&](const std::string& text) {
    if (!text.empty()) picture.note += (picture.note.empty() ? "" : "; ") + text;
  };
  for (const Member& member : group.members) {
    add_note(member.label +
             (is_virtual(*member.result) ? ": a model, not a measurement" : ": measured"));
    picture.runs.push_back(member.label);
  }
  add_note(bars_text(group, figure.figure));
  if (figure.left_out > 0)
    add_note(fmt::format("{} left out", plural(figure.left_out, "more curve")));
  std::ranges::sort(picture.marks, {}, &Mark::x);
  return picture;
}

int longest_label(const Figure& figure) {
  int longest = 0;
  for (const Panel& panel : figure.panels)
    for (const Curve& curve : panel.curves) longest = std::max(longest, display_width(curve.label));
  return longest;
}

bool is_pair(const Figure& figure) {
  std::set<double> places;
  for (const Panel& panel : figure.panels)
    for (const Curve& curve : panel.curves) places.insert(curve.x.begin(), curve.x.end());
  return places.size() == 2;
}

PlotAxis x_axis_of(const Figure& figure) {
  Extent extent;
  for (const Panel& panel : figure.panels)
    for (const Curve& curve : panel.curves)
      for (const double x : curve.x) extent.add(x, figure.log_x);
  extent = extent.or_any();
  if (is_pair(figure)) extent = extent.with_margins(figure.log_x);
  PlotAxis axis = make_axis(extent.low, extent.high, 8, figure.log_x, figure.x_unit, false);
  constexpr int kLetters = 100;  // Of a picture's width.
  tick_at_points(axis, figure, kLetters);
  return axis;
}

PlotAxis y_axis_of(const Panel& panel) {
  Extent extent;
  for (const Curve& curve : panel.curves)
    for_each_y(curve, [&](double y) { extent.add(y, panel.log); });
  extent = extent.or_any();
  return make_axis(extent.low, extent.high, panel.rows / 2 + 1, panel.log, panel.unit, true);
}

std::string_view CurveStyle::hex() const {
  return kColours[colour];
}

CurveStyles::CurveStyles(const Figure& figure) {
  for (const Panel& panel : figure.panels)
    for (const Curve& curve : panel.curves)
      if (const Key key{curve.run, curve.label}; !contains(curves_, key)) curves_.push_back(key);
  const auto in_run = [&](std::size_t run) {
    return std::ranges::count(curves_, run, &Key::first);
  };
  for (const Key& key : curves_) several_ = several_ || key.first != curves_.front().first;
  by_run_ = several_ && std::ranges::all_of(curves_, [&](const Key& key) {
              return key.first < kColourCount && in_run(key.first) <= static_cast<long>(kDashCount);
            });
}

CurveStyle CurveStyles::of(const Curve& curve) const {
  const auto place = std::ranges::find(curves_, Key{curve.run, curve.label});
  const auto before =
      static_cast<std::size_t>(std::ranges::count(curves_.begin(), place, curve.run, &Key::first));
  if (by_run_) return {curve.run, before};
  const std::size_t dash = several_ ? curve.run : before / kColourCount;
  return {before % kColourCount, dash % kDashCount};
}

std::string mark_label(const Mark& mark, const Picture& picture) {
  const std::size_t dot = mark.name.substr(0, mark.name.find('[')).rfind('.');
  const std::string name = dot == std::string::npos ? mark.name : mark.name.substr(dot + 1);
  const std::string run = picture.runs.size() > 1 ? picture.runs[mark.run] + ": " : "";
  return fmt::format("{}{} {}", run, name, tick(mark.x, picture.figure.x_unit));
}

bool same_labels(const Panel& a, const Panel& b) {
  return std::ranges::equal(a.curves, b.curves, {}, &Curve::label, &Curve::label);
}

}  // namespace gpx::report
