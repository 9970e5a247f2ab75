// Artifact: what compiling one kernel gives, and for which target.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpx::codegen {

/// What a backend executes. A virtual GPU asks for PTX of one pinned virtual architecture; a real
/// GPU asks for machine code of its own compute capability.
struct Target {
  enum class Form { ptx, cubin };
  Form form = Form::ptx;
  int sm = 75;  ///< 75 is compute_75 for ptx, 90 is sm_90 for cubin.
  /// The units that the device has not, as operations name them: "tensor".
  std::vector<std::string_view> lacks = {};
  /// With what only GPUs of exactly this compute capability have: sm_90a.
  bool specific = false;
  bool operator==(const Target&) const = default;
};

/// One compiled kernel. PTX is always there: the timed region is checked in it. Of a user's cubin
/// it declares the kernels alone.
struct Artifact {
  std::string entry;                ///< Name of the kernel's entry function.
  std::string cuda;                 ///< The source that was compiled.
  std::string ptx;                  ///< No trailing NUL.
  std::vector<std::uint8_t> cubin;  ///< Empty for Target::Form::ptx.
  std::uint32_t registers = 0;      ///< Of 32 bits a thread, from the cubin; 0: not known.
  std::string sass;                 ///< The cubin as text; empty for Target::Form::ptx.
  std::string log;                  ///< What the compiler said.
  std::string hash;                 ///< 32 hex digits: source, options and compiler version.
  Target target;
  bool from_cache = false;
  /// It came as a cubin: `ptx` has empty entries, which say what the kernels take.
  bool code_alone = false;
};

}  // namespace gpx::codegen
