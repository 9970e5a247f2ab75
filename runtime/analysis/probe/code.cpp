// Interface: code.h. Covered by tests/runtime/prober_test.cpp.
#include "runtime/analysis/probe/code.h"

#include <fmt/format.h>

#include "runtime/analysis/probe/parts.h"

namespace gpx {
namespace {

constexpr std::uint32_t kLinkBytes = 4;  // Of the chases beside it.

}  // namespace

std::string CodeRequest::question() const {
  return fmt::format("code bytes={} warm={} runs={}{}", bytes, warm_passes, runs, place.text());
}

std::vector<std::uint64_t> CodeRequest::key() const {
  std::vector<std::uint64_t> key = {bytes};
  place.add_key(key);
  return key;
}

Experiment CodeRequest::experiment() const {
  Experiment experiment = probe_experiment();
  const auto size = Expr::number(static_cast<double>(bytes), Unit::byte);
  experiment.measures.front().body.push_back({Code{size}, {}});
  place.add_to(experiment, Space::constant, kLinkBytes);
  return experiment;
}

void CodeRequest::set(codegen::Launch& launch, const codegen::Kernel& kernel) const {
  set_scalar(launch, kernel, "rehearse", warm_passes);
  launch.contents.clear();
  place.set(launch, kernel, kLinkBytes, 0);
}

Result<std::vector<double>> CodeRequest::read(const codegen::Program&, const codegen::Launch&,
                                              std::span<const Repetition> repetitions) const {
  std::vector<double> clocks;
  for (const Repetition& repetition : repetitions)
    clocks.push_back(static_cast<double>(repetition.results.front()));
  return clocks;
}

}  // namespace gpx
