#include "runtime/report/ratio.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace gpx::report {
namespace {

/// A curve's label without the run before it: "n=2" of "k20 (virtual): n=2".
std::string own_label(const Curve& curve, const Group& group) {
  const std::string& run = group.members[curve.run].label;
  if (!curve.label.starts_with(run)) return curve.label;
  return curve.label.substr(std::min(curve.label.size(), run.size() + 2));
}

Curve ratio_of(const Curve& first, const Curve& second, std::string label) {
  Curve ratio;
  ratio.label = std::move(label);
  std::map<double, double> at;
  for (std::size_t i = 0; i < first.x.size(); ++i) at[first.x[i]] = first.y[i];
  for (std::size_t i = 0; i < second.x.size(); ++i) {
    const auto found = at.find(second.x[i]);
    if (found == at.end() || !std::isfinite(second.y[i] / found->second)) continue;
    ratio.x.push_back(second.x[i]);
    ratio.y.push_back(second.y[i] / found->second);
  }
  return ratio;
}

}  // namespace

void add_ratio(OverlaidFigure& shown, const Group& group) {
  if (shown.figure.panels.empty() || group.members.size() != 2) return;
  Panel panel{"second / first", "", {}, 6, false};
  const std::vector<Curve>& curves = shown.figure.panels.front().curves;
  for (const Curve& first : curves) {
    if (first.run != 0) continue;
    const std::string label = own_label(first, group);
    const auto second = std::ranges::find_if(curves, [&](const Curve& curve) {
      return curve.run == 1 && own_label(curve, group) == label;
    });
    if (second == curves.end()) continue;
    Curve ratio = ratio_of(first, *second, label);
    if (!ratio.x.empty()) panel.curves.push_back(std::move(ratio));
  }
  if (!panel.curves.empty()) shown.figure.panels.push_back(std::move(panel));
}

}  // namespace gpx::report
