// Lacked: instructions that a region times and that no GPU of the device's compute capability has.
//
// Virtual devices may be older than all that compilers still target: the PTX compiles, and the
// model gives the instruction a cost that no such GPU ever had.
// Covered by tests/runtime/lacked_test.cpp.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "codegen/ir/operation.h"
#include "runtime/device/info.h"
#include "runtime/measure/sample_table.h"

namespace gpx {

/// One warning that names them with what they need, or none.
std::vector<std::string> lacked(std::span<const LoweredMeasure> measures, const DeviceInfo& device);

/// Least compute capability that has all PTX instructions of an operation: 50, sm_50.
int least_target_of(const codegen::Operation& operation);

}  // namespace gpx
