// What the standard library offers to name, with what is known of it: devices and analyses.
// Covered by tests/lsp/library_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/paths.h"

namespace gpx::lsp {

struct LibraryDevice {
  std::string name, path;
  std::string about;  ///< One line: what a driver would report.
};

struct LibraryAnalysis {
  struct Parameter {
    std::string name;
    std::string example;  ///< "threads"; "" where the head gives none.
  };
  std::string name, path;
  std::string call;   ///< As the head of its file writes it: "outstanding(x = threads, …)".
  std::string about;  ///< What the head says of it.
  std::vector<Parameter> parameters;
};

struct Library {
  Paths paths;
  std::vector<LibraryDevice> devices;
  std::vector<LibraryAnalysis> analyses;

  const LibraryDevice* device(std::string_view name) const;
  const LibraryAnalysis* analysis(std::string_view name) const;
};

/// What cannot be read is left out.
Library load_library(const Paths& paths);

/// The head of an analysis's file: the comment that it opens with.
LibraryAnalysis read_head(std::string name, std::string path, std::string_view text);

}  // namespace gpx::lsp
