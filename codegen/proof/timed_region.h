// Timed region: the proof that what stands between the two clock reads is what was asked for.
//
// The PTX is checked instruction by instruction against the kernel IR, machine code (SASS) by what
// must hold of any correct compilation: the right number of accesses, all of them issued before the
// first use of a value, no spill, no branch, the end clock behind a barrier behind the last use.
// A virtual GPU executes the PTX itself; for a real GPU only the machine code is proof.
// Covered by tests/codegen/timed_region_test.cpp.
#pragma once

#include <string>
#include <string_view>

#include "codegen/compile/artifact.h"
#include "codegen/ir/kernel.h"

namespace gpx::codegen {

struct RegionReport {
  enum class Verdict {
    verified,    ///< What runs between the clock reads is what the experiment says.
    unverified,  ///< It could not be shown; `reason` says why.
    refused,     ///< It is something else: a measurement would be wrong.
  };
  Verdict verdict = Verdict::unverified;
  std::string reason;   ///< One line; of a verified region, what is timed beside the accesses.
  std::string listing;  ///< The region's instructions.
  std::string form;     ///< What the listing is of, where a toolchain made it: "PTX", "SASS".
};

RegionReport check_ptx(const Kernel& kernel, std::string_view ptx);

/// `sass` as `nvdisasm -c` or `cuobjdump -sass` print it.
RegionReport check_sass(const Kernel& kernel, std::string_view sass);

/// PTX, and where the artifact has a cubin its machine code.
RegionReport check_timed_region(const Kernel& kernel, const Artifact& artifact);

std::string_view to_string(RegionReport::Verdict verdict);

/// "the timed region of X is not what was asked for: …", and the first lines of its listing.
std::string refusal(std::string_view of, const RegionReport& report);

}  // namespace gpx::codegen
