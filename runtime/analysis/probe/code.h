// Straight code: one thread runs machine code of so many bytes, and each pass is timed.
// Covered by tests/runtime/prober_test.cpp.
#pragma once

#include "runtime/analysis/probe/place.h"
#include "runtime/analysis/probe/request.h"

namespace gpx {

/// `warm_passes` unobserved, then one that counts, in each of `runs` launches. Answers the clocks
/// of the pass that counts, one number a launch.
struct CodeRequest final : ExperimentProbe {
  std::uint64_t bytes = 0;
  std::uint32_t warm_passes = 2;
  std::uint32_t runs = 1;
  ProbePlace place;

  std::string question() const override;
  std::vector<std::uint64_t> key() const override;
  Experiment experiment() const override;
  std::uint32_t repetitions() const override { return runs; }
  void set(codegen::Launch& launch, const codegen::Kernel& kernel) const override;
  Result<std::vector<double>> read(const codegen::Program& program, const codegen::Launch& launch,
                                   std::span<const Repetition> repetitions) const override;
};

}  // namespace gpx
