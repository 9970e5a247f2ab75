// Where a line of a kernel's PTX comes from: its file, a header of its own, one of the toolkit.
//
// Covered by tests/runtime/kernel_module_test.cpp.
#pragma once

#include <optional>
#include <string>

#include "codegen/compile/artifact.h"
#include "lang/diagnostic.h"

namespace gpx {

/// A place that a user can look at.
struct KernelPlace {
  /// The innermost line that the user wrote: of the kernel's file, or of a header of its folder.
  Location location;
  /// "inlined at a.cu:3" of a header, "in cuda/barrier:77" of the toolkit's; "": neither.
  std::string besides;

  /// "line 3 of a.cu, in cuda/barrier:77"
  std::string text() const;
};

/// By the `.loc` above the line, with what it was inlined at. A variable has none: it is looked for
/// by its name. nullopt: not known. `kernel_file`: the path, whose text is Artifact::cuda.
std::optional<KernelPlace> kernel_place(const codegen::Artifact& artifact,
                                        const std::string& kernel_file, int ptx_line);

/// The line of the kernel's own file that a line of its PTX belongs to; 0: not known.
int kernel_line(const codegen::Artifact& artifact, const std::string& kernel_file, int ptx_line);

}  // namespace gpx
