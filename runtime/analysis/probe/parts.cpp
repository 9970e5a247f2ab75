// Interface: parts.h. Covered by tests/runtime/prober_test.cpp.
#include "runtime/analysis/probe/parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <xxhash.h>

#include <algorithm>

#include "lang/assert.h"
#include "runtime/analysis/probe/request.h"
#include "runtime/measure/prepare.h"

namespace gpx {

Experiment probe_experiment() {
  Experiment experiment;
  experiment.name = "probe";
  Measure& measure = experiment.measures.front();
  measure.warmup = Expr::number(0);
  measure.rehearse = Expr::number(1);
  return experiment;
}

Array probe_array(std::string name, Space space, std::uint64_t bytes, std::uint32_t width) {
  const auto size = [](std::uint64_t n) {
    return Expr::number(static_cast<double>(n), Unit::byte);
  };
  return {
      std::move(name), space, size(bytes), size(width), {Array::Layout::Kind::list, {size(0)}}, {}};
}

std::string list_text(std::span<const std::uint64_t> list) {
  constexpr std::size_t kWhole = 20;  // Lines of most eviction sets; of more a log has megabytes.
  const std::uint64_t step = list.size() > 3 ? list[1] - list[0] : 0;
  const auto unequal = std::ranges::adjacent_find(
      list, [&](std::uint64_t a, std::uint64_t b) { return b < a || b - a != step; });
  if (step > 0 && unequal == list.end())
    return fmt::format("{}..{}/{}", list.front(), list.back(), step);
  if (list.size() <= kWhole) return fmt::format("{}", fmt::join(list, ","));
  return fmt::format("{}:{}..{}#{:016x}", list.size(), list.front(), list.back(),
                     XXH3_64bits(list.data(), list.size_bytes()));
}

void set_scalar(codegen::Launch& launch, const codegen::Kernel& kernel, std::string_view name,
                std::uint64_t value) {
  const std::vector<std::string> names = kernel.scalars();
  const auto at = std::ranges::find(names, name);
  if (at != names.end()) launch.scalars[static_cast<std::size_t>(at - names.begin())] = value;
}

Result<LoweredMeasure> ExperimentProbe::prepared(Backend& backend) const {
  const Experiment asks = experiment();
  GPX_ASSERT(asks.measures.size() == 1 && asks.sweep.points() == 1);
  auto made =
      prepare(asks, Source("probe", ""), backend, {}, {.shared_per_block = kProbeSharedBytes});
  if (!made) return tl::unexpected(made.error());
  LoweredMeasure measure = std::move(made->measures.front());
  measure.measure = nullptr;  // Of the experiment, which is over.
  return measure;
}

}  // namespace gpx
