// Compiler: CUDA C++ to PTX and, where it can, to machine code. There are two: NVRTC, and for PTX
// alone a clang, so that virtual devices need no CUDA toolkit.
// Covered by tests/codegen/compiler_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "codegen/compile/artifact.h"
#include "lang/diagnostic.h"

namespace gpx::codegen {

/// What a compilation gives. A failed one has a log and no code.
struct Compiled {
  bool ok = false;
  std::string ptx;                      ///< No trailing NUL.
  std::vector<std::uint8_t> cubin;      ///< Empty for Target::Form::ptx.
  std::vector<std::string> names = {};  ///< Symbols of the instances that were asked for.
  std::string log;  ///< Errors as "FILE(LINE): error: TEXT", whichever compiler it was.
};

/// What is compiled: a text, the name that its errors give it, and for what.
struct ProgramText {
  std::string source, name;
  Target target;
};

/// A compiler that was found. It may be opened only when it first compiles.
class Compiler {
 public:
  virtual ~Compiler() = default;

  virtual std::string title() const = 0;  ///< "NVRTC": the one that an error is of.
  virtual std::string name() const = 0;   ///< "libnvrtc.so.13.0.88", "clang 14.0.6": for reports.
  /// Changes when another compiler stands in its place: part of the keys of the artifact cache.
  virtual const std::string& identity() const = 0;
  virtual std::vector<std::string> options(const Target& target) const = 0;

  /// What is to be said of what it makes for the target; empty: nothing.
  virtual std::string note(const Target&) const { return {}; }

  /// Safe from several threads. An error means that the compiler itself failed or cannot compile
  /// for the target; a mistake in the source is a Compiled that is not ok.
  virtual Result<Compiled> compile(const std::string& source, const std::string& name,
                                   const Target& target) const = 0;

  /// One after the other, but beside other calls of this function: NVRTC compiles one program at a
  /// time in a process (measured: four threads take as long as one), so it forks one here.
  virtual std::vector<Result<Compiled>> compile_beside(std::span<const ProgramText> programs) const;
};

/// NVRTC where it is. For PTX, where it is not (or GPX_NVRTC is "off"), a clang. An error
/// (Fault::device) says where NVRTC was looked for and what can be installed.
Result<std::shared_ptr<const Compiler>> find_compiler(const Target& target);

/// NVRTC, found and not yet opened.
Result<std::shared_ptr<const Compiler>> find_nvrtc_compiler();

}  // namespace gpx::codegen
