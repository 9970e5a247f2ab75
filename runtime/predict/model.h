// The MWP/CWP model of one launch (runtime/analysis/mwp_cwp.h), raised to what no launch goes
// below. Covered by tests/runtime/predict_test.cpp.
#pragma once

#include "runtime/predict/predict.h"

namespace gpx {

/// A launch on a machine: what the model is asked about.
struct Modelled {
  const codegen::Launch& launch;
  const LaunchFacts& facts;
  const MachineParameters& machine;
  const DeviceInfo& device;
};

/// Clocks that its transactions take at the bandwidth of the memory.
double bandwidth_cycles(const Modelled& of);

/// Clocks that the accesses of shared memory take of the SM with the most blocks; 0: what one takes
/// is not known.
double shared_cycles(const Modelled& of);

/// Clocks that the launch of its blocks takes; 0: how fast the device launches them is not known.
double launch_cycles(const Modelled& of);

/// Errors: a parameter of the machine without which there is no model.
Result<ModelResult> run_model(const Modelled& of);

}  // namespace gpx
