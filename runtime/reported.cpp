// Interface: reported.h.
#include "runtime/reported.h"

#include <fmt/format.h>

#include "lang/value.h"

namespace gpx {
namespace {

void extend_note(Finding& finding, const std::string& text) {
  finding.note += (finding.note.empty() ? "" : "; ") + text;
}

/// A part of L2 is no rounding: partitions are halves or less.
bool is_a_part(const Finding& finding, double size, double whole) {
  constexpr double kMostPart = 0.75;
  return finding.high.value_or(size) < whole && size <= kMostPart * whole;
}

void note_capacity(Finding& finding, double size, double whole) {
  if (finding.unit != "B" || !is_a_part(finding, size, whole)) return;
  extend_note(finding, fmt::format("as seen from one SM, which may reach a part of L2 only by "
                                   "crossing; the driver reports {} for the whole",
                                   to_string(Quantity{whole, Unit::byte})));
}

bool is_of_dram(const std::string& name) {
  return name.starts_with("memory.bandwidth") || name.starts_with("bandwidth.dram");
}

}  // namespace

void note_reported(const DeviceInfo& device, std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    const double* value = std::get_if<double>(&finding.value);
    if (finding.verdict != Verdict::measured || !value) continue;
    if (finding.name == "l2.capacity" && device.l2_bytes > 0)
      note_capacity(finding, *value, static_cast<double>(device.l2_bytes));
    if (is_of_dram(finding.name) && finding.unit == "B/s" && device.memory_bandwidth > 0)
      extend_note(finding, fmt::format("{:.0f} % of the reported peak, {:.4g} GB/s",
                                       100 * *value / device.memory_bandwidth,
                                       device.memory_bandwidth / 1e9));
  }
}

}  // namespace gpx
