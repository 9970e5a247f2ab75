// Programs as text: what `--dump=program` shows and `--from=program` reads.
//
//   kernel load_unique_4B_x1 { ... }
//   program {
//     repetitions 3
//     buffer data : global 131072
//     result latency sample
//     result checksum checksum
//     result sink scratch
//     launch load_unique_4B_x1 blocks 1 threads 32 with never=11936128518282651045 pitch=4 warmup 1
//   }
//
// A launch is a point of the sweep, in its order. Results and records are the kernels' and stand
// there for people; one that is not the kernels' is an error. A program of kernels from files
// prints, without their text, and does not read back.
// Covered by tests/codegen/program_text_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/ir/program.h"

namespace gpx::codegen {

/// `measure`: the name of the measure that it is of; may be empty.
std::string to_string(const Program& program, std::string_view measure = {});

struct NamedProgram {
  std::string measure;
  Span place;  ///< Of its name, or of the word `program`.
  Program program;
};

/// Reads programs as printed, and verifies their kernels. Errors have line and column in `source`.
Result<std::vector<NamedProgram>> parse_programs(const Source& source);

}  // namespace gpx::codegen
