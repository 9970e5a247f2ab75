// ProbeRequest: one kind of question that an analysis asks a device while it learns.
//
// A kind is a struct in a file of its own that says three things: which experiment asks it (one
// measure, one point), what its launch has in place of that point's numbers, and how its answer is
// read. Lowering, compilation, proof and loading are the pipeline's own (prober.cpp). What no
// region of the language says is asked by a kernel of stdlib/probes (probe/kernel.h). For scripts a
// kind has one function more in runtime/analysis/lua/probe.cpp.
// Covered by tests/runtime/prober_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "codegen/ir/program.h"
#include "lang/experiment.h"
#include "runtime/device/backend.h"
#include "runtime/measure/sample_table.h"

namespace gpx {

class ProbeRequest {
 public:
  virtual ~ProbeRequest() = default;

  /// What it asks for can be asked of this device. Fault::input: gpx or the device has a limit.
  virtual Result<void> check(const DeviceInfo& /*device*/) const { return {}; }
  /// All that it asks, on one line: requests of one text are the same question. A long list stands
  /// there by its ends and a digest.
  virtual std::string question() const = 0;
  /// The numbers that decide prepared(): requests of one kind and key share a loaded program.
  virtual std::vector<std::uint64_t> key() const = 0;
  /// Its program and artifacts, for this backend.
  virtual Result<LoweredMeasure> prepared(Backend& backend) const = 0;
  /// Copies of its kernel, each of which is loaded with constants of its own.
  virtual std::uint32_t kernels() const { return 1; }
  /// Blocks that are launched before all of them, where these may do: 0, none. All are launched
  /// where the answer of those cannot be read.
  virtual std::uint32_t fewer_blocks() const { return 0; }
  /// Launches, each of which is read.
  virtual std::uint32_t repetitions() const { return 1; }
  /// Makes the launch of the experiment's point this request's.
  virtual void set(codegen::Launch& launch, const codegen::Kernel& kernel) const = 0;
  /// The answer of completed repetitions, whose results are as long as the launch says.
  virtual Result<std::vector<double>> read(const codegen::Program& program,
                                           const codegen::Launch& launch,
                                           std::span<const Repetition> repetitions) const = 0;
};

/// A request that an experiment asks.
class ExperimentProbe : public ProbeRequest {
 public:
  virtual Experiment experiment() const = 0;
  Result<LoweredMeasure> prepared(Backend& backend) const final;
};

}  // namespace gpx
