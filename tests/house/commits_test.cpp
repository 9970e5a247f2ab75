// Commit messages since the rooms: `area: imperative`, at most 72 characters, a blank second line.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <regex>
#include <string_view>

#include "tests/house/rooms.h"

namespace gpx::house {
namespace {

/// The commit after which the rule holds.
#define GPX_FIRST "3c23b6fadd9f3cc5dd91b35da911330a72890def"
/// Commits of 73 to 82 characters: history is not rewritten.
constexpr std::array<std::string_view, 7> kKnown = {"93ace1f", "f1614cb", "40c158a", "a5ba5f3",
                                                    "5b4f667", "05ea816", "6d9bcca"};
constexpr std::size_t kSubject = 72;

/// What is wrong with a subject; empty if nothing is.
std::string fault_of(const std::string& subject) {
  static const std::regex form(R"([a-z][a-z0-9_/.,-]*( and [a-z0-9_/.-]+)?: \S.*)");
  if (subject.size() > kSubject)
    return std::to_string(subject.size()) + " characters, and at most 72 are read";
  if (!std::regex_match(subject, form)) return "not `area: imperative`";
  return subject.ends_with('.') ? "ends in a period" : "";
}

/// What a command prints; empty where it fails, as git does in a copy without history.
std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), &::pclose);
  std::string out;
  std::array<char, 4096> bytes;
  while (const std::size_t got = std::fread(bytes.data(), 1, bytes.size(), pipe.get()))
    out.append(bytes.data(), got);
  return out;
}

/// Whether the rule's first commit is here: not in an archive, nor in a shallow clone. A clone with
/// all its history must have it, or nothing would be checked.
bool has_history() {
  const std::string git = "git -C '" GPX_SOURCE_DIR "' ";
  if (output_of(git + "rev-parse --is-shallow-repository 2>/dev/null") != "false\n") return false;
  REQUIRE(output_of(git + "rev-parse --verify --quiet " GPX_FIRST "^{commit}") == GPX_FIRST "\n");
  return true;
}

TEST_CASE("subjects of commits say the area and what is done, in 72 characters") {
  if (!has_history()) return;
  const std::string log =
      output_of("git -C '" GPX_SOURCE_DIR "' log --no-merges --abbrev=7 --format='%h %s' " GPX_FIRST
                "..HEAD");
  CHECK_FALSE(log.empty());
  std::string found;
  for (const std::string& line : lines_of(log)) {
    const std::string fault = fault_of(line.substr(line.find(' ') + 1));
    const bool known =
        std::ranges::any_of(kKnown, [&](auto hash) { return line.starts_with(hash); });
    if (!fault.empty() && !known) found += line + "\n  " + fault + "\n";
  }
  CHECK_MESSAGE(found.empty(), found);
}

TEST_CASE("commits that CONTRIBUTING.md names exist") {
  static const std::regex hash(R"(`([0-9a-f]{7})`)");
  const std::string text = read(GPX_SOURCE_DIR "/CONTRIBUTING.md");
  const bool looked_up = has_history();
  const std::string log =
      looked_up ? "\n" + output_of("git -C '" GPX_SOURCE_DIR "' log --abbrev=7 --format=%h") : "";
  std::size_t named = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), hash), end; at != end; ++at, ++named) {
    CAPTURE(at->str());
    if (looked_up) CHECK(log.find("\n" + (*at)[1].str()) != std::string::npos);
  }
  CHECK(named >= 5);
}

TEST_CASE("a subject that breaks the rule is found") {
  CHECK(fault_of("lang: add the pattern permute").empty());
  CHECK(fault_of("runtime/store: read columns once").empty());
  CHECK(fault_of("What came out, and how it came") == "not `area: imperative`");
  CHECK(fault_of("docs: " + std::string(67, 'x')) == "73 characters, and at most 72 are read");
  CHECK(fault_of("docs: say it.") == "ends in a period");
}

}  // namespace
}  // namespace gpx::house
