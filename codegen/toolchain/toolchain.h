// Toolchain: what a backend compiles kernels with, and what proves the timed region of the result.
//
// A backend hands out its own (Backend::toolchain). Another vendor's emitter, compiler and proof
// stand behind this interface: nothing else knows what an artifact holds.
// Covered by tests/codegen/toolchain_test.cpp and tests/backend64/backend64_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "codegen/compile/artifact.h"
#include "codegen/ir/kernel.h"
#include "codegen/proof/timed_region.h"
#include "codegen/user/user_kernel.h"
#include "lang/diagnostic.h"

namespace gpx::codegen {

class Toolchain {
 public:
  virtual ~Toolchain() = default;

  /// "libnvrtc.so.13.0.88": what makes the artifacts; "" where that is not known.
  virtual std::string name() const = 0;

  /// One artifact for each kernel, in order. Errors point into `source`, the experiment's text.
  virtual Result<std::vector<Artifact>> compile(std::span<const Kernel> kernels,
                                                const Source& source,
                                                std::vector<std::string>* warnings) const = 0;

  /// Whether what runs between the two clock reads is what the kernel says.
  virtual RegionReport prove(const Kernel& kernel, const Artifact& artifact) const = 0;

  /// A user's file of kernels, whole; a cubin as it is (codegen/user/cubin_file.h). The default is
  /// an error: the backend runs generated kernels alone.
  virtual Result<CompiledFile> compile_file(const Source& file, const FileOptions& options,
                                            std::vector<std::string>* warnings) const;

  /// Where the registers of a kernel from a file are read: "of its machine code for sm_90".
  /// `given`: the experiment asks for a number.
  virtual std::string registers_origin(bool /*given*/) const { return {}; }
};

}  // namespace gpx::codegen
