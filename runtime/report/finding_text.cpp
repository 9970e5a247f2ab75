#include "runtime/report/finding_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "lang/lists.h"
#include "runtime/report/number.h"
#include "runtime/reported.h"

namespace gpx::report {
namespace {

/// With its unit; bytes in the multiple of the finding's other numbers.
std::string scaled(double value, const Finding& finding) {
  if (finding.unit != "B" || !std::isfinite(value)) return with_unit(value, finding.unit);
  std::vector<double> beside;
  if (const auto* number = std::get_if<double>(&finding.value)) beside.push_back(*number);
  for (const auto& end : {finding.low, finding.high})
    if (end) beside.push_back(*end);
  return in_bytes(value, common_bytes(beside));
}

/// The number without its unit where its unit has no multiples.
std::string bound(double value, const Finding& finding) {
  return is_scaled(finding.unit) ? scaled(value, finding) : brief(value);
}

}  // namespace

std::string value_text(const Finding& finding) {
  if (const auto* number = std::get_if<double>(&finding.value)) return scaled(*number, finding);
  if (const auto* text = std::get_if<std::string>(&finding.value)) return *text;
  if (const auto* truth = std::get_if<bool>(&finding.value)) return *truth ? "yes" : "no";
  if (const auto* list = std::get_if<std::vector<double>>(&finding.value)) {
    const std::string text = joined(*list, ", ", [](double each) { return brief(each); });
    return finding.unit.empty() ? text : fmt::format("{} {}", text, finding.unit);
  }
  return "–";
}

std::string interval_text(const Finding& finding) {
  const auto& [low, high] = std::tie(finding.low, finding.high);
  if (low && high) return fmt::format("{}..{}", bound(*low, finding), bound(*high, finding));
  if (low) return fmt::format("≥ {}", bound(*low, finding));
  if (high) return fmt::format("≤ {}", bound(*high, finding));
  return {};
}

std::string spread_text(const Finding& finding) {
  const auto& [low, high] = std::tie(finding.low, finding.high);
  const bool one = low && high && bound(*low, finding) == bound(*high, finding);
  return one ? std::string() : interval_text(finding);
}

std::string value_and_interval(const Finding& finding) {
  const std::string value = value_text(finding), interval = spread_text(finding);
  return interval.empty() ? value : fmt::format("{} ({})", value, interval);
}

std::string unkeyed(const std::string& name) {
  return name.substr(0, name.find('['));
}

std::string paper_text(const Finding& finding) {
  if (!finding.paper) return {};
  const auto* number = std::get_if<Quantity>(&finding.paper->value);
  std::string text = number && number->unit == Unit::clock
                         ? fmt::format("{} clocks", brief(number->value))
                         : to_string(finding.paper->value);
  if (finding.paper->high) text += ".." + bound(*finding.paper->high, finding);
  return finding.paper->cite.empty() ? text : fmt::format("{} ({})", text, finding.paper->cite);
}

bool is_part_of_l2(const Finding* capacity, const Finding* whole) {
  return capacity && whole && capacity->verdict == Verdict::measured &&
         whole->verdict == Verdict::measured && capacity->high && whole->low &&
         *capacity->high < *whole->low;
}

std::string peak_text(const Finding& finding, const DeviceInfo& device) {
  const auto share = share_of_peak(device, finding);
  return share ? fmt::format("{:.0f} %", 100 * *share) : std::string();
}

bool has_peaks(const std::vector<Finding>& findings, const DeviceInfo& device) {
  return std::ranges::any_of(
      findings, [&](const Finding& each) { return share_of_peak(device, each).has_value(); });
}

std::string verdict_text(Verdict verdict) {
  return verdict == Verdict::not_observed ? "not observed" : std::string(to_string(verdict));
}

std::string verdict_text(const Finding& finding, const DeviceInfo& device) {
  const bool modelled = finding.modelled || !device.measured;
  return modelled && finding.verdict == Verdict::measured ? "modelled"
                                                          : verdict_text(finding.verdict);
}

Paint verdict_paint(Verdict verdict) {
  static constexpr Paint kPaints[] = {Paint::green, Paint::yellow, Paint::red};
  return kPaints[static_cast<std::size_t>(verdict)];
}

std::string short_text(const Finding& finding) {
  if (finding.verdict != Verdict::measured)
    return fmt::format("{} {}", finding.name, verdict_text(finding.verdict));
  // "outstanding.entries 44": a name that ends in the unit says it already.
  const auto* number = std::get_if<double>(&finding.value);
  const bool named = number && !finding.unit.empty() && finding.name.ends_with(finding.unit);
  const std::string value = named ? brief(*number) : value_text(finding);
  const std::string interval = spread_text(finding);
  if (number && finding.low == *number && !finding.high)
    return fmt::format("{} ≥ {}", finding.name, value);
  return interval.empty() ? fmt::format("{} {}", finding.name, value)
                          : fmt::format("{} {} ({})", finding.name, value, interval);
}

}  // namespace gpx::report
