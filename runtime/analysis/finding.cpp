// Findings as text. Interface: finding.h. Covered by tests/runtime/analysis_test.cpp.
#include "runtime/analysis/finding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpx {

std::string_view to_string(Verdict verdict) {
  static constexpr std::string_view kNames[] = {"measured", "not_observed", "inconclusive"};
  return kNames[static_cast<std::size_t>(verdict)];
}

std::vector<std::string> finding_keys() {
  std::vector<std::string> keys;
  const Finding none;
  for_each_field(none, [&](const FindingField& field, const auto&) { keys.push_back(field.key); });
  return keys;
}

std::string to_string(const Finding& finding) {
  struct Shown {
    std::string operator()(std::monostate) const { return "-"; }
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(bool truth) const { return truth ? "true" : "false"; }
    std::string operator()(double number) const { return fmt::format("{}", number); }
    std::string operator()(const std::vector<double>& list) const {
      return fmt::format("{}", list);
    }
  };
  const auto bound = [](const std::optional<double>& number) {
    return number ? fmt::format("{}", *number) : std::string();
  };
  std::string text = finding.name + " = " + std::visit(Shown{}, finding.value);
  if (!finding.unit.empty()) text += " " + finding.unit;
  if (finding.low || finding.high)
    text += fmt::format(" [{}, {}]", bound(finding.low), bound(finding.high));
  text += fmt::format(" {}", to_string(finding.verdict));
  return finding.note.empty() ? text : text + ": " + finding.note;
}

}  // namespace gpx
