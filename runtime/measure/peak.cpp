// Interface: runtime/measure/peak.h.
#include "runtime/measure/peak.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lang/statements.h"

namespace gpx {
namespace {

constexpr double kSlack = 1.01;  ///< Of the peak: clocks are read in steps.

/// `bytes` are those of shared memory only where nothing else is accessed.
bool reads_memory(const Measure& measure) {
  bool found = false;
  for_each_statement(measure.body, [&](const Statement& one) {
    const auto* access = std::get_if<Access>(&one.node);
    found = found || (access && access->space == Space::global && access->by.space.empty());
  });
  return found;
}

std::set<std::string, std::less<>> measures_of(const Experiment& experiment) {
  std::set<std::string, std::less<>> names;
  for (const Measure& measure : experiment.measures)
    if (reads_memory(measure)) names.insert(measure.name);
  return names;
}

}  // namespace

std::optional<std::string> beyond_peak(const Experiment& experiment, const Samples& samples,
                                       const DeviceInfo& device) {
  const Column *bytes = samples.find("bytes"), *time = samples.find("time");
  if (device.memory_bandwidth <= 0 || !bytes || !time) return std::nullopt;
  const Column* measure = samples.find("measure");
  const auto names = measures_of(experiment);
  std::size_t beyond = 0, all = 0, at = 0;
  double greatest = 0;
  for (std::size_t row = 0; row < samples.rows(); ++row) {
    if (measure ? !names.contains(measure->texts[row]) : names.empty()) continue;
    const double rate = bytes->numbers[row] / time->numbers[row];
    if (!(rate > 0)) continue;  // Not observed.
    ++all;
    if (rate > kSlack * device.memory_bandwidth) ++beyond;
    if (rate > greatest) greatest = rate, at = row;
  }
  if (beyond == 0) return std::nullopt;
  const std::string place = place_text(samples, at);
  return fmt::format(
      "{:.4g} GB/s{} is faster than the memory of {} ({:.4g} GB/s): a cache answers a part, here "
      "and "
      "at {} of {} points",
      greatest / 1e9, place.empty() ? "" : " at " + place, device.name,
      device.memory_bandwidth / 1e9, beyond, all);
}

}  // namespace gpx
