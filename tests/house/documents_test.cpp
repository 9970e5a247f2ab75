// The documents: lines that fit a window, paths and anchors that exist.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <regex>

#include "tests/house/rooms.h"

namespace gpx::house {
namespace {

constexpr std::size_t kColumns = 100;

struct Line {
  std::size_t number = 0;
  std::string text;
};

/// Lines outside of fenced code.
std::vector<Line> running_text(const std::string& text) {
  std::vector<Line> lines;
  bool code = false;
  std::size_t number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    const std::size_t begin = line.find_first_not_of(' ');
    const bool fence = begin != std::string::npos && line.compare(begin, 3, "```") == 0;
    if (fence) code = !code;
    if (!fence && !code) lines.push_back({number, line});
  }
  return lines;
}

std::size_t columns(const std::string& line) {
  return static_cast<std::size_t>(
      std::ranges::count_if(line, [](char c) { return (c & 0xc0) != 0x80; }));
}

/// Rows of tables, headings and HTML cannot be broken, nor a line that is one word (a link).
bool can_be_broken(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(' ');
  if (begin == std::string::npos || line[begin] == '|' || line[begin] == '#' || line[begin] == '<')
    return false;
  if (line.compare(begin, 2, "![") == 0) return false;  // A picture, with what it shows.
  return line.find(' ', begin) != std::string::npos;
}

std::string long_lines(const std::string& file, const std::string& text) {
  std::string found;
  for (const Line& line : running_text(text))
    if (columns(line.text) > kColumns && can_be_broken(line.text))
      found += file + ":" + std::to_string(line.number) + ": " +
               std::to_string(columns(line.text)) + " columns\n";
  return found;
}

/// A file or folder of the repository, or a header without its extension.
bool exists(const std::string& path) {
  return std::filesystem::exists(GPX_SOURCE_DIR "/" + path) ||
         std::filesystem::exists(GPX_SOURCE_DIR "/" + path + ".h");
}

/// Paths of the repository that a document names and that do not exist. Words in capitals stand
/// for any name, `*` for any characters.
std::string dead_paths(const std::string& file, const std::string& text) {
  static const std::regex path(
      R"((^|[` (])((lang|codegen|runtime|stdlib|experiments|tests|docs|cmake)/[A-Za-z0-9_./*-]*[A-Za-z0-9_*]))");
  static const std::regex placeholder(R"(\*|[A-Z]{3,})");
  std::string dead;
  for (const Line& line : running_text(text))
    for (std::sregex_iterator at(line.text.begin(), line.text.end(), path), end; at != end; ++at) {
      const std::string named = (*at)[2].str();
      const std::string whole = named.substr(0, named.find_last_of('/'));
      const bool any = std::regex_search(named, placeholder);
      if (!exists(any ? whole : named))
        dead += file + ":" + std::to_string(line.number) + ": there is no " + named + "\n";
    }
  return dead;
}

/// The anchor that a heading has on a page: small letters, digits, - and _; spaces become -.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    if (c == ' ') anchor += '-';
    if (c == '-' || c == '_' || std::isalnum(static_cast<unsigned char>(c)))
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return anchor;
}

bool has_anchor(const std::string& text, const std::string& anchor) {
  return std::ranges::any_of(running_text(text), [&](const Line& line) {
    const std::size_t begin = line.text.find_first_not_of('#');
    return line.text.starts_with('#') && begin != std::string::npos && line.text[begin] == ' ' &&
           anchor_of(line.text.substr(begin + 1)) == anchor;
  });
}

/// Links to a file or to a heading that is not there.
std::string dead_links(const std::string& file, const std::string& text) {
  static const std::regex link(R"(\]\(([^)#:]*)(#([^)]*))?\))");
  const std::filesystem::path root = GPX_SOURCE_DIR;
  std::string dead;
  for (std::sregex_iterator at(text.begin(), text.end(), link), end; at != end; ++at) {
    const std::filesystem::path target =
        (*at)[1].length() == 0 ? root / file : (root / file).parent_path() / (*at)[1].str();
    const std::string anchor = (*at)[3].str();
    if (!std::filesystem::exists(target) || (!anchor.empty() && !has_anchor(read(target), anchor)))
      dead += file + ": there is no " + (*at)[1].str() + (*at)[2].str() + "\n";
  }
  return dead;
}

TEST_CASE("lines of the documents fit a window") {
  std::string found;
  for (const std::string& file : documents())
    found += long_lines(file, read(GPX_SOURCE_DIR "/" + file));
  CHECK_MESSAGE(found.empty(), found);
}

TEST_CASE("paths and links of the documents lead somewhere") {
  std::string dead;
  for (const std::string& file : documents()) {
    const std::string text = read(GPX_SOURCE_DIR "/" + file);
    dead += dead_paths(file, text) + dead_links(file, text);
  }
  CHECK_MESSAGE(dead.empty(), dead);
}

TEST_CASE("a line that is too long is named, and one that cannot be broken is not") {
  const std::string words = std::string(60, 'a') + " " + std::string(60, 'b');
  CHECK(long_lines("a.md", "short\n" + words + "\n") == "a.md:2: 121 columns\n");
  CHECK(
      long_lines("a.md", "```\n" + words + "\n```\n| " + words + " |\n# " + words + "\n").empty());
  CHECK(long_lines("a.md", std::string(120, 'a') + "\n").empty());
}

TEST_CASE("a dead path, link or anchor is named") {
  CHECK(dead_paths("a.md", "in `tests/house/none.h`, tests/house/rooms.h and docs/*.md\n") ==
        "a.md:1: there is no tests/house/none.h\n");
  CHECK(dead_paths("a.md", "experiments/FILE, runtime/none/NAME.cpp\n") ==
        "a.md:1: there is no runtime/none/NAME.cpp\n");
  const std::string text = "## Two `words`, here\n[a](#two-words-here) [b](#three) [c](none.md)\n";
  CHECK(has_anchor(text, "two-words-here"));
  const std::string self = "docs/README.md";
  CHECK(dead_links(self, "[a](store.md) [b](none.md) [c](store.md#none-of-these)") ==
        self + ": there is no none.md\n" + self + ": there is no store.md#none-of-these\n");
}

}  // namespace
}  // namespace gpx::house
