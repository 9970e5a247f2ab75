// Compile: kernels become artifacts for one target, through the cache, several at a time.
// Covered by tests/codegen/compile_test.cpp.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "codegen/compile/artifact.h"
#include "codegen/compile/cache.h"
#include "codegen/compile/compiler.h"
#include "codegen/ir/kernel.h"
#include "lang/diagnostic.h"

namespace gpx::codegen {

struct CompileOptions {
  const Source* source = nullptr;            ///< The experiment's text: errors point into it.
  std::shared_ptr<const Compiler> compiler;  ///< None: the target's (find_compiler()).
  ArtifactCache cache = ArtifactCache::from_environment();
  unsigned jobs = 0;  ///< Threads that compile; 0: one for each core.
};

/// One artifact for each kernel, in order. The compiler is opened only if one of them is not in
/// the cache. An error in generated code points at the experiment's line that it came from, with
/// the compiler's message. `warnings` (may be nullptr) gets what went wrong with the cache.
Result<std::vector<Artifact>> compile(std::span<const Kernel> kernels, const Target& target,
                                      const CompileOptions& options,
                                      std::vector<std::string>* warnings);

/// The first error of a compiler's log: its line in the file that the log names, and the message.
/// Line 0 where the log gives none (ptxas counts lines of the PTX).
struct CompilerMessage {
  int line = 0;
  std::string text;
  int ptx_line = 0;  ///< Of the PTX, where the assembler found it; 0: none.
};
CompilerMessage first_error(std::string_view log, std::string_view file);

}  // namespace gpx::codegen
