// What --help and the manual page say beside commands and options.
// Covered by tests/cli/shell_test.cpp.
#pragma once

#include <vector>

namespace gpx::cli {

/// A paragraph with a heading.
struct HelpSection {
  const char* heading;
  const char* text;
};
const std::vector<HelpSection>& help_sections();

}  // namespace gpx::cli
