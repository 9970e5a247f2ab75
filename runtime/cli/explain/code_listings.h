// Code listings: all stages of a measure's kernel with their lines linked, for programs that show
// them (`gpx explain --json`, docs/serve.md). Covered by tests/cli/explain_command_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "codegen/compile/artifact.h"
#include "runtime/cli/explain/marked_listing.h"
#include "runtime/device/backend.h"
#include "runtime/measure/sample_table.h"

namespace gpx::cli {

struct CodeListing {
  std::string form;  ///< "source", "kernel", "CUDA", "PTX", "SASS"
  std::string of;    ///< "sm_90a", the kernel's file, "".
  Listing lines;
};

struct ExplainedMeasure {
  std::string heading;
  std::vector<std::string> facts;
  std::vector<CodeListing> listings;
};

/// The stages of the measure's first kernel. Machine code is that of the device; of a virtual one,
/// which executes PTX, it is compiled for `architecture` and a fact says so, or why there is none.
void add_code(const LoweredMeasure& measure, const Source& source, const Backend& backend,
              const codegen::Target& architecture, ExplainedMeasure& into);

/// {"schema": 1, "explained": [{"heading", "facts", "listings": [{"form", "of", "lines": [...]}]}]}
std::string to_json(const std::vector<ExplainedMeasure>& all);

}  // namespace gpx::cli
