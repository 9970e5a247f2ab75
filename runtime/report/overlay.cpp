#include "runtime/report/overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "lang/assert.h"
#include "runtime/report/figures.h"
#include "runtime/report/finding_text.h"
#include "runtime/report/report.h"

namespace gpx::report {
namespace {

std::string label_of(const Member& member) {
  const DeviceInfo& device = member.result->device;
  return device.name.empty() ? "no device" : device_label(device);
}

/// Members by device, those of one device also by run, and where that is the same too by number. A
/// curve of half a sweep says so.
void label_members(std::vector<Member>& members) {
  std::map<std::string, int> devices, names;
  for (const Member& member : members) ++devices[label_of(member)];
  for (Member& member : members) {
    member.label = label_of(member);
    if (devices[member.label] > 1) member.label += ", " + member.run->name;
    if (member.result->interrupted) member.label += ", interrupted";
    ++names[member.label];
  }
  std::map<std::string, int> seen;
  for (Member& member : members)
    if (names[member.label] > 1) member.label += fmt::format(" #{}", ++seen[member.label]);
}

struct Hull {
  double low = INFINITY, high = -INFINITY;
  bool contains(double value) const { return value >= low && value <= high; }
};

/// The values on x of the points that a finding rests on; empty if one does not name x.
Hull hull_of(const Finding& finding, const std::string& x) {
  Hull hull;
  for (const auto& point : finding.evidence) {
    const auto named = [&](const auto& each) { return each.first == x; };
    const auto found = std::ranges::find_if(point, named);
    if (found == point.end()) return {};
    const auto* number = std::get_if<Quantity>(&found->second);
    if (!number) return {};
    hull.low = std::min(hull.low, number->value);
    hull.high = std::max(hull.high, number->value);
  }
  return hull;
}

/// Whether no more than one value of x lies strictly between the ends.
bool are_neighbours(const Hull& hull, const std::set<double>& values) {
  const auto first = values.upper_bound(hull.low), last = values.lower_bound(hull.high);
  return hull.low < hull.high && std::distance(first, last) <= 1;
}

std::set<double> values_of(const Column& column) {
  std::set<double> values;
  for (const double value : column.numbers)
    if (std::isfinite(value)) values.insert(value);
  return values;
}

/// A finding without evidence lies on an axis of the same unit that is named after a size.
bool is_size_on(const Finding& finding, const Column& x) {
  static const std::set<std::string> kSizes = {"size", "bytes", "footprint", "array"};
  return finding.evidence.empty() && x.unit == Unit::byte && finding.unit == "B" &&
         finding.name.ends_with(".capacity") && kSizes.contains(x.name);
}

bool lies_on(const Finding& finding, double value, const Column& x,
             const std::set<double>& values) {
  if (values.empty()) return false;
  if (is_size_on(finding, x)) return value >= *values.begin() && value <= *values.rbegin();
  const Hull hull = hull_of(finding, x.name);
  if (!hull.contains(value)) return false;
  const std::string_view unit = unit_symbol(x.unit);
  const bool own_unit = finding.unit == x.name || (!unit.empty() && finding.unit == unit);
  return own_unit || are_neighbours(hull, values);
}

bool same_axes(const Figure& a, const Figure& b) {
  return a.x_name == b.x_name && a.x_unit == b.x_unit && a.x_words.empty() == b.x_words.empty() &&
         std::ranges::equal(a.panels, b.panels, [](const Panel& p, const Panel& q) {
           return p.name == q.name && p.unit == q.unit;
         });
}

/// A run's second plot of the same axes is a figure of its own.
bool has_curves_of(const Figure& figure, std::size_t index) {
  return std::ranges::any_of(figure.panels, [&](const Panel& panel) {
    return std::ranges::any_of(panel.curves, [&](const Curve& c) { return c.run == index; });
  });
}

/// Words keep their places in `into`; new ones come after them.
void join_words(Figure& figure, std::vector<std::string>& into) {
  std::vector<double> place;
  for (const std::string& word : figure.x_words) {
    auto found = std::ranges::find(into, word);
    if (found == into.end()) found = into.insert(into.end(), word);
    place.push_back(static_cast<double>(found - into.begin()));
  }
  if (place.empty()) return;
  for (Panel& panel : figure.panels)
    for (Curve& curve : panel.curves)
      for (double& x : curve.x) x = place[static_cast<std::size_t>(x)];
}

std::string curve_name(const std::string& member, const std::string& curve) {
  return curve.empty() ? member : member + ": " + curve;
}

void add_figure(Group& group, OverlaidFigure more, std::size_t index) {
  const bool several = group.members.size() > 1;
  const std::string& label = group.members[index].label;
  for (Panel& panel : more.figure.panels)
    for (Curve& curve : panel.curves) {
      curve.run = index;
      if (several) curve.label = curve_name(label, curve.label);
    }
  for (Mark& mark : more.marks) {
    mark.run = index;
    if (several) mark.text = curve_name(label, mark.text);
  }
  const auto known = std::ranges::find_if(group.figures, [&](const OverlaidFigure& each) {
    return same_axes(each.figure, more.figure) && !has_curves_of(each.figure, index);
  });
  if (known == group.figures.end()) {
    group.figures.push_back(std::move(more));
    return;
  }
  GPX_ASSERT(more.figure.panels.size() == known->figure.panels.size());  // same_axes()
  join_words(more.figure, known->figure.x_words);
  for (std::size_t i = 0; i < known->figure.panels.size(); ++i)
    std::ranges::move(more.figure.panels[i].curves,
                      std::back_inserter(known->figure.panels[i].curves));
  std::ranges::move(more.marks, std::back_inserter(known->marks));
  known->left_out += more.left_out;
}

void add_figures(Group& group, std::size_t index, std::size_t most) {
  const ExperimentResult& result = *group.members[index].result;
  for (const Plot& plot : plots_of(result)) {
    BuiltFigure built = build_figure(result, plot, most);
    if (built.figure.panels.empty()) continue;
    add_figure(group, {std::move(built.figure), marks_of(result, plot), built.left_out}, index);
  }
}

/// A panel without a value in any run (neighbours of two points) shows nothing.
void drop_empty(Group& group) {
  for (OverlaidFigure& shown : group.figures)
    std::erase_if(shown.figure.panels, [](const Panel& panel) { return panel.curves.empty(); });
  std::erase_if(group.figures,
                [](const OverlaidFigure& shown) { return shown.figure.panels.empty(); });
}

}  // namespace

std::vector<Mark> marks_of(const ExperimentResult& result, const Plot& plot) {
  std::vector<Mark> marks;
  const Column* x = result.curves.find(plot.x);
  if (!x || x->is_text) return marks;
  const std::set<double> values = values_of(*x);
  for (const Finding& finding : result.findings) {
    const auto* value = std::get_if<double>(&finding.value);
    if (!value || finding.verdict != Verdict::measured || !lies_on(finding, *value, *x, values))
      continue;
    marks.push_back({finding.name, finding.name + ' ' + value_and_interval(finding), *value,
                     finding.low, finding.high, 0});
  }
  return marks;
}

std::vector<Group> overlay(const std::vector<Run>& runs, std::size_t most) {
  std::vector<Group> groups;
  for (const Run& run : runs)
    for (const ExperimentResult& result : run.document.result.experiments) {
      auto group = std::ranges::find(groups, result.experiment.name, &Group::name);
      if (group == groups.end())
        group = groups.insert(groups.end(), Group{result.experiment.name, {}, {}});
      group->members.push_back({&result, &run, {}});
    }
  for (Group& group : groups) {
    label_members(group.members);
    for (std::size_t i = 0; i < group.members.size(); ++i) add_figures(group, i, most);
    drop_empty(group);
  }
  return groups;
}

}  // namespace gpx::report
