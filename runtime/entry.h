// Entry: the stages of the pipeline at which a text can enter it, `--from`.
//
//   (none)      a file of the language
//   experiment  experiments as --dump=experiment prints them, which is the language too
//   program     experiments and what they were lowered to, as --dump=program prints them
//   probes      experiments with their samples and the log of their probes, as --dump=probes prints
//               them: their analyses run without a device
//   kernel      one kernel as --dump=kernel prints it; its launch is given by settings:
//               threads, blocks, repeat, warmup, watchdog, the kernel's scalars, bytes of buffers
//
// What comes before the stage is not done again; what comes after it is the pipeline's own way.
// Covered by tests/runtime/entry_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/ir/program.h"
#include "lang/language.h"
#include "runtime/recorded.h"

namespace gpx {

/// The stages that can be entered, in the pipeline's order.
const std::vector<std::string>& entry_stages();

/// One experiment, at the stage where it entered.
struct Entered {
  Experiment experiment;
  std::vector<codegen::Program> programs;  ///< Of each measure; none: they are still to be lowered.
  std::optional<Recorded> recorded;        ///< What was measured: nothing else is.
};

/// The part of a text that is in the language: the rest is blank, so that places are the
/// whole text's.
Source language_part(const Source& source);

/// Gives checked experiments the programs that follow them in the text. Errors: a broken program or
/// kernel, at its place; a measure without one; `settings`, which came too late.
Result<std::vector<Entered>> enter_programs(const Source& source,
                                            std::vector<Experiment> experiments,
                                            const std::vector<Setting>& settings);

/// Gives checked experiments the recordings that follow them in the text. Errors: a broken
/// recording; an experiment without one; `settings`, which came too late.
Result<std::vector<Entered>> enter_recorded(const Source& source,
                                            std::vector<Experiment> experiments,
                                            const std::vector<Setting>& settings);

/// Errors: a broken kernel, at its place; a parameter that no setting gives, at its place; a
/// setting that the kernel has no use for; a kernel that wants contents, which a program has.
Result<Entered> enter_kernel(const Source& source, const std::vector<Setting>& settings);

}  // namespace gpx
