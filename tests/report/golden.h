// Goldens of the report: compares a text with a file under golden/. With GPX_REBASE_GOLDENS=1 in
// the environment it writes the file instead, and a person reads the diff.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

inline void check_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(GPX_TESTS_DIR) + "/report/golden/" + name;
  if (const char* rebase = std::getenv("GPX_REBASE_GOLDENS"); rebase && *rebase == '1') {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  std::stringstream expected;
  expected << file.rdbuf();
  INFO("golden file: ", path);
  REQUIRE(file.is_open());
  CHECK(text == expected.str());
}
