// What the standard library offers to name, with what is known of it: devices, analyses, findings.
// Covered by tests/lsp/library_test.cpp and findings_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/analysis/analysis_head.h"
#include "runtime/paths.h"

namespace gpx::lsp {

struct LibraryDevice {
  std::string name, path;
  std::string about;  ///< One line: what a driver would report.
};

using LibraryAnalysis = AnalysisHead;

/// What `expect`, `claim` and `paper` may name, without the key in brackets that some have.
struct LibraryFinding {
  std::string analysis, name;
  std::string about;
};

struct Library {
  Paths paths;
  std::vector<LibraryDevice> devices;
  std::vector<LibraryAnalysis> analyses;
  std::vector<LibraryFinding> findings;

  const LibraryDevice* device(std::string_view name) const;
  const LibraryAnalysis* analysis(std::string_view name) const;
};

/// What cannot be read is left out.
Library load_library(const Paths& paths);

/// The rows of stdlib/findings.txt as they are written: {a,b} stands for either, * for an
/// operation.
std::vector<LibraryFinding> read_rows(std::string_view text);
/// One for each name.
std::vector<LibraryFinding> read_findings(std::string_view text);

}  // namespace gpx::lsp
