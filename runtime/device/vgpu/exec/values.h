// Values that decide nothing: what a launch computes, but neither its addresses nor its paths
// depend on. Who asks for the time alone, or for counts, leaves them out.
//
// A product of matrices that are loaded, multiplied and stored is the same to time whatever is in
// them. Instructions whose results decide nothing stay where they are and do nothing; accesses
// still check their addresses. What decides is found backwards, by row of a warp: of machine code,
// whose registers have several uses, along its paths; of PTX, whose registers have one, for all of
// them at once. Memory is one value for each space. Covered by tests/vgpu/values_test.cpp.
#pragma once

#include <memory>

namespace gpx::vgpu::exec {

struct Program;

/// The program without them; the same one where none is found. `rereads`: the launch may read what
/// it writes to global memory.
std::shared_ptr<const Program> without_values(const std::shared_ptr<const Program>& program,
                                              bool rereads);

}  // namespace gpx::vgpu::exec
