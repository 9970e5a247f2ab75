// What a text names beyond itself: devices, analyses and their arguments, scripts, files of kernels
// and their functions. `gpx check`, the language server and a run say so before anything is
// measured.
// Covered by tests/runtime/library_names_test.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lang/ast.h"
#include "lang/diagnostic.h"
#include "lang/experiment.h"
#include "lang/source.h"
#include "runtime/paths.h"

namespace gpx {

/// All names that stand for nothing, at their places. Scripts named by a path start from the folder
/// of `source`, and are looked for only where it is a file. `run_on` is what a run was asked to run
/// on (see device_select.h); absent: it is not known, and a text may name any device, since
/// `--device mine.lua` can be called so. `kernel_files`: see RunOptions.
Result<void> check_library_names(const Ast& ast, const Source& source, const Paths& paths,
                                 const std::optional<std::string>& run_on = {},
                                 std::span<const Source> kernel_files = {});

/// What is no mistake, and yet makes an analysis conclude nothing, as warnings of the experiments:
/// fewer values of an axis than its head asks for.
void warn_of_library(std::vector<Experiment>& experiments, const Source& source,
                     const Paths& paths);

/// All that can be said of a text without running it: its experiments, whose `warnings` stand, or
/// what is wrong with it and with what it names.
Result<std::vector<Experiment>> check_whole(const Source& source, const Paths& paths);

}  // namespace gpx
