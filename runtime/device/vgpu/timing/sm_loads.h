// Which SMs of a grid whose blocks are all resident at once stand for the others. Each SM keeps the
// blocks that it got first, so the grid ends with the SM that got most: where a row has as many
// blocks as SMs, or a divisor, an SM gets all blocks of a column. Covered by
// tests/vgpu/sm_loads_test.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "runtime/device/vgpu/timing/sample_error.h"

namespace gpx::vgpu::timing {

/// SMs are alike where none has this much more than their mean.
constexpr double kUnevenLoad = 1.05;

/// What the blocks of each of `sms` SMs execute, by what some of the `blocks` do: block b comes to
/// SM b modulo `sms`. Of an SM none of whose blocks is known: the mean. Empty: nothing is known.
inline std::vector<double> loads_of_sms(const std::vector<SampledBlock>& known,
                                        std::uint64_t blocks, std::uint64_t sms) {
  std::vector<double> sums(sms, 0), counts(sms, 0);
  double all = 0;
  for (const SampledBlock& each : known) {
    sums[each.at % sms] += each.value;
    counts[each.at % sms] += 1;
    all += each.value;
  }
  if (all == 0) return {};
  for (std::uint64_t sm = 0; sm < sms; ++sm) {
    const double block =
        counts[sm] > 0 ? sums[sm] / counts[sm] : all / static_cast<double>(known.size());
    sums[sm] = block * static_cast<double>(blocks / sms + (sm < blocks % sms ? 1 : 0));
  }
  return sums;
}

/// Whether the last of so many blocks takes kLongEnd times what the others that are known do.
inline bool ends_long(const std::vector<SampledBlock>& known, std::uint64_t blocks) {
  double last = 0, sum = 0;
  for (const SampledBlock& each : known) (each.at + 1 == blocks ? last : sum) += each.value;
  return known.size() > 1 && last * static_cast<double>(known.size() - 1) > kLongEnd * sum;
}

/// The first of `part` neighbouring SMs that have the one with most and come closest to the mean of
/// all. nullopt: SMs are alike, or there is nothing to choose.
inline std::optional<std::uint64_t> busiest_part(const std::vector<double>& loads,
                                                 std::uint64_t part) {
  if (part == 0 || part >= loads.size()) return std::nullopt;
  const auto most = std::ranges::max_element(loads);
  double all = 0;
  for (const double each : loads) all += each;
  const double mean = all / static_cast<double>(loads.size());
  if (*most <= kUnevenLoad * mean) return std::nullopt;
  const auto at = static_cast<std::uint64_t>(most - loads.begin());
  std::uint64_t best = 0;
  double nearest = std::numeric_limits<double>::infinity();
  for (std::uint64_t first = at - std::min(at, part - 1);
       first <= std::min<std::uint64_t>(at, loads.size() - part); ++first) {
    double sum = 0;
    for (std::uint64_t sm = first; sm < first + part; ++sm) sum += loads[sm];
    const double off = std::abs(sum / static_cast<double>(part) - mean);
    if (off < nearest) nearest = off, best = first;
  }
  return best;
}

}  // namespace gpx::vgpu::timing
