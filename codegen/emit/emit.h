// Emitter: kernel IR becomes CUDA C++.
//
// What is timed is one asm block, because a compiler neither moves nor removes what stands in it:
//
//   @hit st.global [sink], address     for all that the region uses: ptxas must have it computed
//   bar.sync 0                         all warps start together
//   mov start, %clock64                (CS2R, 64 bits: the read of %clock has a varying latency)
//   ld.global ...                      the accesses, nothing between them
//   mov order, %clock                  with more than 12 loaded words, or with stores: a read of
//   the
//                                      clock keeps ptxas from mixing the sums below with the loads
//                                      above, which would make loads wait for loads. On an H100 it
//                                      adds up to 9 clocks where one load is timed, so fewer go
//                                      without it.
//   mov fold, value; add fold, fold, value ...   every loaded 32-bit word, in the loads' order
//   hit = hit and fold == never
//   @!hit bar.sync 0                   all values are there, in every warp
//   mov end, %clock64
//
// `hit` begins as the comparison of an address with an argument that no address equals, and stays
// false: the stores never happen, the barrier always does, and ptxas knows neither. Beside the
// accesses a thread executes, between the two reads, one addition for each word (one machine
// instruction adds two), one comparison and one barrier; no memory instruction, which would take a
// slot of the load/store unit. The additions of all but the last loads overlap with waiting. Where
// the time of the whole grid is measured there is no barrier, and a store that never happens waits
// for the values.
//
// A body that branches, operates or chases stands in the same place (control.cpp,
// codegen/ir/chase.h). What it begins with (chains, shared variables, first links) is set before
// the barrier; all results of operations join the sum. Rehearsals are a loop around everything from
// there to the end clock, whose back edge follows the second read.
//
// Measured with NVRTC 13.0 for sm_75, 80, 90, 100. Covered by tests/codegen/emit_test.cpp.
#pragma once

#include <string>
#include <string_view>

#include "codegen/ir/kernel.h"

namespace gpx::codegen {

/// The CUDA C++ of a verified kernel. `file` names the experiment's text for #line directives;
/// empty: none. The arguments are `result` (64-bit slots in the order of Program::results), the
/// buffers, the scalars.
std::string emit_cuda(const Kernel& kernel, std::string_view file = {});

}  // namespace gpx::codegen
