// Interface: chase.h. Covered by tests/runtime/prober_test.cpp.
#include "runtime/analysis/probe/chase.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "lang/vocabulary.h"
#include "runtime/analysis/probe/parts.h"

namespace gpx {
namespace {

constexpr std::uint64_t kRecordBytes = 16;  // Of one access in global memory: latency and index.
constexpr std::uint64_t kLeastStreamed = 1 << 20;

/// Accesses whose latency and index shared memory holds.
std::uint64_t kept_accesses(std::uint32_t width) {
  return kProbeSharedBytes / (4 + width);
}

/// Links through a list that holds an offset twice lead round a part of it for ever.
Result<void> check_distinct(std::vector<std::uint64_t> offsets) {
  std::ranges::sort(offsets);
  if (const auto twice = std::ranges::adjacent_find(offsets); twice != offsets.end())
    return fail(Fault::device, fmt::format("the list of a chase holds offset {} twice", *twice));
  return {};
}

}  // namespace

/// Accesses that its kernel has a record for: shared memory's, while they suffice; then as few
/// sizes as the memory of all requests needs.
std::uint64_t ChaseRequest::recorded() const {
  const std::uint64_t kept = kept_accesses(width);
  if (average || accesses() <= kept) return kept;
  return std::max(kLeastStreamed, std::bit_ceil(accesses()));
}

Result<void> ChaseRequest::check(const DeviceInfo& device) const {
  const std::uint64_t most = device.memory_bytes / 8 / kRecordBytes;
  if (!average && accesses() > std::max(most, kLeastStreamed))
    return fail(Fault::input, fmt::format("a chase of {} observed accesses: at most {} are "
                                          "recorded on this device",
                                          accesses(), most));
  if (copy >= copies)
    return fail(Fault::input, fmt::format("a chase by copy {} of {} of its kernel", copy, copies));
  return check_distinct(offsets);
}

std::string ChaseRequest::question() const {
  std::string text = fmt::format("chase {}", to_string(space));
  if (cache != CacheOp::unspecified) text += fmt::format(" cache={}", to_string(cache));
  text += fmt::format(" width={} bytes={} warm={} passes={}", width, array_bytes, warm_passes,
                      observed_passes);
  if (average) text += " average";
  if (flush) text += " flush";
  if (copies > 1) text += fmt::format(" copy={}/{}", copy, copies);
  return text + place.text() + " list=" + list_text(offsets);
}

std::vector<std::uint64_t> ChaseRequest::key() const {
  std::vector<std::uint64_t> key = {static_cast<std::uint64_t>(space),
                                    static_cast<std::uint64_t>(cache),
                                    width,
                                    array_bytes,
                                    average,
                                    recorded(),
                                    copies};
  place.add_key(key);
  return key;
}

Experiment ChaseRequest::experiment() const {
  Experiment experiment = probe_experiment();
  Measure& measure = experiment.measures.front();
  experiment.arrays.push_back(probe_array("a", space, array_bytes, width));
  measure.observe = average ? Observe::average : Observe::each;
  const auto count = Expr::number(static_cast<double>(recorded()));
  measure.body.push_back({Chase{"a", cache, count}, {}});
  place.add_to(experiment, space, width);
  return experiment;
}

void ChaseRequest::set(codegen::Launch& launch, const codegen::Kernel& kernel) const {
  set_scalar(launch, kernel, "rehearse", (warm_passes + observed_passes - 1) / observed_passes);
  set_scalar(launch, kernel, "first0", offsets.front());
  set_scalar(launch, kernel, "accesses0", accesses());
  launch.contents = {{Array::Layout::Kind::list, array_bytes, width, offsets}};
  launch.flush = flush;
  launch.kernel = copy;
  launch.carveout = 0;  // L1 gets what its records in shared memory leave.
  place.set(launch, kernel, width, 1);
  if (!average) launch.record_extents = {accesses()};
}

// Every index must be the one that the list has there: then the chase went where it was sent.
Result<ChaseLatencies> ChaseRequest::read(const codegen::Program& program,
                                          const codegen::Launch& launch,
                                          std::span<const Repetition> repetitions) const {
  const std::vector<std::uint64_t>& words = repetitions.front().results;
  if (average)
    return ChaseLatencies{static_cast<double>(words.front()) / static_cast<double>(accesses())};
  ChaseLatencies latencies(launch.record_rows());
  for (std::size_t i = 0; i < latencies.size(); ++i) {
    const std::uint64_t* row = words.data() + program.results.size() + 2 * i;
    const std::uint64_t wanted = offsets[i % offsets.size()];
    if (row[1] != wanted)
      return fail(Fault::device, fmt::format("access {} of the chase read at {} B instead of {} B",
                                             i, row[1], wanted));
    latencies[i] = static_cast<double>(row[0]);
  }
  return latencies;
}

}  // namespace gpx
