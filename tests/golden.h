// Goldens: files of the repository that a test compares with a text it makes. GPX_REBASE=1 in the
// environment writes them anew, in every test; a person reads the difference.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace gpx::test {

inline bool rebasing() {
  const char* const asked = std::getenv("GPX_REBASE");
  return asked && std::string_view(asked) == "1";
}

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  INFO("file: ", path.string());
  REQUIRE(file.is_open());
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void check_golden(const std::filesystem::path& path, const std::string& text) {
  if (rebasing()) std::ofstream(path, std::ios::binary) << text;
  INFO("golden file (GPX_REBASE=1 writes it): ", path.string());
  CHECK(text == read_text(path));
}

}  // namespace gpx::test
