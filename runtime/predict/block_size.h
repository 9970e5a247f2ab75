// Block size: whether a kernel does the same work when its threads are divided into blocks of
// another size. Covered by tests/runtime/block_size_test.cpp.
#pragma once

#include <string>

#include "codegen/compile/artifact.h"
#include "codegen/ir/program.h"

namespace gpx {

/// Why it might do other work; "": it does the same. It does so if the place of a thread enters
/// only as blockIdx.x * blockDim.x + threadIdx.x, and the number of threads as gridDim.x *
/// blockDim.x, and if threads of a block share nothing: no shared memory, no barriers, no calls.
/// Read in the PTX; what a compiler has rewritten in another form counts as other work.
std::string why_block_matters(const codegen::Artifact& artifact, const codegen::Launch& launch);

}  // namespace gpx
