// Runs that a command is given: documents that `gpx run --json` wrote, or runs of the store.
// Covered by tests/cli/report_command_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "lang/diagnostic.h"
#include "runtime/cli/options.h"
#include "runtime/report/overlay.h"

namespace gpx::cli {

/// What is drawn, and where to.
struct PictureOptions {
  std::vector<std::string> runs;
  std::string output;  ///< A path, "-".
  StoreOptions store;
  void take(CommandLine& line, const char* type, const char* help);
};

/// A document's file, not a run of the store.
bool names_document(const std::string& name);

/// A run. A name that is a file's, or looks like one (a folder in it, or .json), is a
/// document, "-" standard input, any other a run of the store.
Result<report::Run> read_run(const StoreOptions& store, const std::string& name);
/// All of them. Errors: those of all names.
Result<std::vector<report::Run>> read_runs(const PictureOptions& options);

}  // namespace gpx::cli
