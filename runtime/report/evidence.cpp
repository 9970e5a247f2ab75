// Interface: evidence.h. Covered by tests/report/evidence_test.cpp.
#include "runtime/report/evidence.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpx::report {

std::string probes_text(const ProbeEvidence& evidence) {
  const std::string range = evidence.first == evidence.last
                                ? fmt::format("{}", evidence.first)
                                : fmt::format("{} to {}", evidence.first, evidence.last);
  return range + ": " + evidence.what;
}

std::optional<Figure> figure_of(const ProbeEvidence& evidence) {
  constexpr double kWide = 64;
  if (evidence.points.empty()) return std::nullopt;
  Curve curve;
  for (const auto& [x, y] : evidence.points) {
    curve.x.push_back(x);
    curve.y.push_back(y);
  }
  const auto [least, most] = std::ranges::minmax(curve.x);
  Figure figure;
  figure.x_name = evidence.x;
  if (evidence.x == "bytes") figure.x_name = "size", figure.x_unit = "B";
  figure.log_x = least > 0 && most >= kWide * least;
  Panel& panel = figure.panels.emplace_back();
  panel.name = evidence.y;
  panel.curves.push_back(std::move(curve));
  return figure;
}

bool rests_on(const std::vector<Finding>& findings, const std::string& axis) {
  return std::ranges::any_of(findings, [&](const Finding& finding) {
    return std::ranges::any_of(finding.evidence, [&](const auto& point) {
      return std::ranges::any_of(point, [&](const auto& each) { return each.first == axis; });
    });
  });
}

std::vector<SharedEvidence> drawn_evidence(const std::vector<Finding>& findings) {
  std::vector<SharedEvidence> all;
  for (const Finding& finding : findings)
    for (const ProbeEvidence& one : finding.probes) {
      if (one.points.empty()) continue;
      auto same = std::ranges::find_if(
          all, [&](const SharedEvidence& shared) { return *shared.evidence == one; });
      if (same == all.end()) same = all.insert(all.end(), {&one, {}});
      same->findings.push_back(finding.name);
    }
  return all;
}

}  // namespace gpx::report
