// One kernel of a user's file tried: compiled, given what a comment says or what is guessed, and
// run whole. Covered by tests/runtime/trial_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "runtime/pipeline.h"
#include "runtime/trial/find_kernels.h"

namespace gpx {

enum class Tried {
  runs,             ///< To its end; where a comment expects results, with these.
  wrong_result,     ///< A comment expects others.
  wrong_arguments,  ///< Guessed ones: it left its buffers, or had no use for them.
  refused,          ///< By gpx, though it compiles.
  no_instance,      ///< A template of which the file makes none.
  compile_error,
  time_out,
  crash,  ///< Of gpx.
};
inline constexpr Tried kTried[] = {Tried::runs,     Tried::wrong_result, Tried::wrong_arguments,
                                   Tried::refused,  Tried::no_instance,  Tried::compile_error,
                                   Tried::time_out, Tried::crash};
/// "runs", "wrong_result", ...
std::string_view to_string(Tried tried);

struct Trial {
  std::string file, kernel;
  int line = 0;         ///< Of the kernel.
  bool guessed = true;  ///< Its arguments are.
  Tried outcome = Tried::crash;
  std::string why;     ///< "" where it runs.
  int why_line = 0;    ///< Of the file; 0: not known.
  double seconds = 0;  ///< That the trial took.
};

/// In this process and without a limit of time: gpx try gives each a process of its own.
Trial try_kernel(Session& session, const std::string& device, const Source& text,
                 const FoundKernel& kernel);

}  // namespace gpx
