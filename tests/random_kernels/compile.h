// Compiles a text in a process of its own: a kernel that ends the compiler ends nothing else.
#pragma once

#include <string>
#include <vector>

#include "codegen/compile/nvrtc.h"

namespace gpx::random_kernels {

/// What became of a compilation.
struct Made {
  bool ok = false;
  bool died = false;  ///< The compiler's process did not come to its end: `log` says how.
  std::string ptx = {}, log = {};
  std::vector<std::uint8_t> cubin = {};
};

Made compile_apart(const codegen::Nvrtc& nvrtc, const std::string& text,
                   const codegen::Target& target, const std::vector<std::string>& options);

}  // namespace gpx::random_kernels
