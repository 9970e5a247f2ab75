// Interface: reported.h.
#include "runtime/reported.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpx {
namespace {

const char* const kWholeL2 = "l2.whole_capacity";

void extend_note(Finding& finding, const std::string& text) {
  finding.note += (finding.note.empty() ? "" : "; ") + text;
}

/// A part of L2 is no rounding: partitions are halves or less.
bool is_a_part(const Finding& finding, double size, double whole) {
  constexpr double kMostPart = 0.75;
  return finding.high.value_or(size) < whole && size <= kMostPart * whole;
}

/// "the driver reports 50 MB"
std::string reported_l2(const DeviceInfo& device) {
  constexpr double kKilo = 1024, kMega = 1 << 20;
  const double bytes = static_cast<double>(device.l2_bytes);
  return bytes < kMega ? fmt::format("the driver reports {:g} KB", bytes / kKilo)
                       : fmt::format("the driver reports {:g} MB", bytes / kMega);
}

/// Where the whole of L2 was not measured, its part stands beside what the driver reports.
void note_part(const DeviceInfo& device, Finding& finding, double size) {
  if (finding.unit != "B" || !is_a_part(finding, size, static_cast<double>(device.l2_bytes)))
    return;
  extend_note(finding, "as seen from one SM, which may reach a part of L2 only by crossing; " +
                           reported_l2(device) + " for the whole");
}

bool is_measured(const std::vector<Finding>& findings, const std::string& name) {
  return std::ranges::any_of(findings, [&](const Finding& each) {
    return each.name == name && each.verdict == Verdict::measured;
  });
}

/// No memory is faster than its peak: whatever was measured, caches served a part of it. `share`:
/// of the peak.
void refuse_above_peak(const DeviceInfo& device, Finding& finding, double share) {
  const double peak = device.memory_bandwidth;
  finding.note = fmt::format(
      "{:.4g} GB/s would be {:.0f} % of the reported peak, {:.4g} GB/s: "
      "caches served a part; move more than L2 holds. {}",
      share * peak / 1e9, 100 * share, peak / 1e9, finding.note);
  finding.verdict = Verdict::inconclusive;
  finding.value = {};
  finding.low = finding.high = finding.confidence = std::nullopt;
}

bool is_of_dram(const std::string& name) {
  return name.starts_with("memory.bandwidth") || name.starts_with("bandwidth.dram");
}

}  // namespace

std::optional<double> share_of_peak(const DeviceInfo& device, const Finding& finding) {
  const double* value = std::get_if<double>(&finding.value);
  if (finding.verdict != Verdict::measured || !value || !is_of_dram(finding.name) ||
      finding.unit != "B/s" || !(device.memory_bandwidth > 0))
    return std::nullopt;
  return *value / device.memory_bandwidth;
}

void note_reported(const DeviceInfo& device, std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    const double* value = std::get_if<double>(&finding.value);
    if (finding.verdict != Verdict::measured || !value) continue;
    if (finding.name == kWholeL2 && device.l2_bytes > 0) extend_note(finding, reported_l2(device));
    if (finding.name == "l2.capacity" && device.l2_bytes > 0 && !is_measured(findings, kWholeL2))
      note_part(device, finding, *value);
    const auto share = share_of_peak(device, finding);
    if (!share) continue;
    if (finding.low.value_or(*value) > device.memory_bandwidth)
      refuse_above_peak(device, finding, *share);
    else
      extend_note(finding, fmt::format("{:.0f} % of the reported peak, {:.4g} GB/s", 100 * *share,
                                       device.memory_bandwidth / 1e9));
  }
}

}  // namespace gpx
