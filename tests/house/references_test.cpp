// What a comment refers to exists: "Covered by tests/..." and every other path of a test.
#include <doctest/doctest.h>

#include <regex>

#include "tests/house/rooms.h"

namespace gpx::house {
namespace {

/// Paths of tests in a text that do not exist, one a line.
std::string dead_references(const std::string& file, const std::string& text) {
  static const std::regex path(R"(\btests/[A-Za-z0-9_/]+(\.[A-Za-z0-9_]+)*)");
  std::string dead;
  for (std::sregex_iterator at(text.begin(), text.end(), path), end; at != end; ++at)
    if (!std::filesystem::exists(GPX_SOURCE_DIR "/" + at->str()))
      dead += file + " refers to " + at->str() + "\n";
  return dead;
}

TEST_CASE("every test that a source refers to exists") {
  std::vector<std::string> files = sources();
  for (const char* top : {"stdlib", "experiments", "cmake"})
    for (std::string& file : files_under(top, {".lua", ".gpx", ".cmake"})) files.push_back(file);
  std::string dead;
  for (const std::string& file : files)
    dead += dead_references(file, read(GPX_SOURCE_DIR "/" + file));
  CHECK_MESSAGE(dead.empty(), dead);
}

TEST_CASE("a dead reference is named") {
  CHECK(dead_references("a.h", "// Covered by tests/house/rooms.h.\n").empty());
  CHECK(dead_references("a.h", "// Covered by tests/house/none_test.cpp.\n") ==
        "a.h refers to tests/house/none_test.cpp\n");
}

}  // namespace
}  // namespace gpx::house
