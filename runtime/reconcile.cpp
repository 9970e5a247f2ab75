// Interface: reconcile.h.
#include "runtime/reconcile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

namespace gpx {
namespace {

/// A finding's group and itself.
struct Found {
  ExperimentResult* group;
  std::size_t at;

  Finding& finding() const { return group->findings[at]; }
  const std::string& name() const { return group->experiment.name; }
};

std::string number_text(double number, const std::string& unit) {
  if (unit == "B" && number >= 1024) return fmt::format("{:.5g} KB", number / 1024);
  const std::string text = fmt::format("{:.5g}", number);
  return unit.empty() ? text : fmt::format("{} {}", text, unit);
}

std::string value_text(const Finding& finding) {
  if (const auto* number = std::get_if<double>(&finding.value))
    return number_text(*number, finding.unit);
  if (const auto* text = std::get_if<std::string>(&finding.value)) return *text;
  if (const auto* truth = std::get_if<bool>(&finding.value)) return *truth ? "yes" : "no";
  if (const auto* list = std::get_if<std::vector<double>>(&finding.value))
    return fmt::format("{:.4g}", fmt::join(*list, ", "));
  return "no value";
}

/// Whether some value lies within both intervals; values without an interval must be equal.
bool agree(const Finding& a, const Finding& b) {
  const auto *x = std::get_if<double>(&a.value), *y = std::get_if<double>(&b.value);
  if (!x || !y) return a.value == b.value;
  const double low = std::max(a.low.value_or(*x), b.low.value_or(*y));
  const double high = std::min(a.high.value_or(*x), b.high.value_or(*y));
  return a.unit == b.unit && low <= high;
}

void add_note(Finding& finding, const std::string& text) {
  finding.note += (finding.note.empty() ? "" : "; ") + text;
}

/// What the owner's note says of the others, and its verdict where they exclude each other.
void judge(const Found& owner, const std::vector<Found>& all) {
  Finding& finding = owner.finding();
  std::string contradicting;
  for (const Found& other : all) {
    if (other.group == owner.group) continue;
    const Finding& also = other.finding();
    const std::string value = fmt::format("{} of group {}", value_text(also), other.name());
    if (also.verdict == Verdict::not_observed && finding.verdict == Verdict::measured)
      add_note(finding, fmt::format("group {} did not observe it", other.name()));
    if (also.verdict != Verdict::measured) continue;
    if (agree(finding, also))
      add_note(finding, "confirmed by " + value);
    else
      contradicting += (contradicting.empty() ? "" : ", ") + value;
  }
  if (contradicting.empty()) return;
  finding.note = fmt::format("{} of group {} excludes {}; {}", value_text(finding), owner.name(),
                             contradicting, finding.note);
  finding.verdict = Verdict::inconclusive;
  finding.value = {};
  finding.low = finding.high = finding.confidence = std::nullopt;
}

/// The last one that measured it, else the last one.
const Found& owner_of(const std::vector<Found>& all) {
  const auto measured = [](const Found& one) { return one.finding().verdict == Verdict::measured; };
  const auto found = std::find_if(all.rbegin(), all.rend(), measured);
  return found == all.rend() ? all.back() : *found;
}

}  // namespace

void reconcile(std::vector<ExperimentResult>& results) {
  std::map<std::string, std::vector<Found>> names;
  for (ExperimentResult& result : results)
    for (std::size_t i = 0; i < result.findings.size(); ++i)
      if (const std::string& name = result.findings[i].name;
          name.substr(0, name.find('[')) != "outcome")
        names[name].push_back({&result, i});
  std::map<ExperimentResult*, std::set<std::size_t>> given_up;
  for (const auto& [name, all] : names) {
    if (all.size() < 2) continue;
    const Found& owner = owner_of(all);
    judge(owner, all);
    for (const Found& one : all)
      if (one.group != owner.group) given_up[one.group].insert(one.at);
  }
  for (auto& [group, places] : given_up)
    for (auto at = places.rbegin(); at != places.rend(); ++at)
      group->findings.erase(group->findings.begin() + static_cast<std::ptrdiff_t>(*at));
}

}  // namespace gpx
