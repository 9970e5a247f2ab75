// ProbePlace: where a probe runs, and which blocks run on other SMs meanwhile.
// Covered by tests/runtime/prober_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "codegen/ir/program.h"
#include "lang/experiment.h"

namespace gpx {

/// A block that is not observed: it follows links of an array of its own, or runs straight code of
/// so many bytes, over and over.
struct ProbeBeside {
  std::uint32_t sm = 0;
  std::uint64_t code_bytes = 0;  ///< 0: it chases.
  std::uint64_t array_bytes = 0;
  std::vector<std::uint64_t> offsets;
};

struct ProbePlace {
  std::optional<std::uint32_t> sm;  ///< Absent: wherever the device puts it.
  std::vector<ProbeBeside> beside;

  /// Its part of ProbeRequest::question(): " sm=3 beside=1:0,128"; "" without a place.
  std::string text() const;
  /// Its part of ProbeRequest::key().
  void add_key(std::vector<std::uint64_t>& key) const;
  /// The experiment's measure placed, with these blocks; their arrays are in `space`, after its
  /// own.
  void add_to(Experiment& experiment, Space space, std::uint32_t width) const;
  /// Their SMs, and the lists of those that chase. `chases`: of the observed block.
  void set(codegen::Launch& launch, const codegen::Kernel& kernel, std::uint32_t width,
           std::size_t chases) const;
};

}  // namespace gpx
