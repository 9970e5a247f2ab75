// Commit messages since the rooms: `area: imperative`, at most 72 characters, a blank second line.
#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <memory>
#include <regex>

#include "tests/house/rooms.h"

namespace gpx::house {
namespace {

/// The commit after which the rule holds.
constexpr const char* kFirst = "3c23b6f4";
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

TEST_CASE("subjects of commits say the area and what is done, in 72 characters") {
  const std::string log =
      output_of("git -C '" GPX_SOURCE_DIR "' log --no-merges --format=%h%x20%s " +
                std::string(kFirst) + "..HEAD 2>/dev/null");
  std::string found;
  for (const std::string& line : lines_of(log)) {
    const std::string subject = line.substr(line.find(' ') + 1), fault = fault_of(subject);
    if (!fault.empty()) found += line + "\n  " + fault + "\n";
  }
  CHECK_MESSAGE(found.empty(), found);
}

TEST_CASE("commits that CONTRIBUTING.md names exist") {
  static const std::regex hash(R"(`([0-9a-f]{7})`)");
  const std::string text = read(GPX_SOURCE_DIR "/CONTRIBUTING.md");
  const std::string log =
      "\n" + output_of("git -C '" GPX_SOURCE_DIR "' log --format=%h --abbrev=7 2>/dev/null");
  const bool has_history =
      log.find(std::string("\n") + std::string(kFirst, 7)) != std::string::npos;
  std::size_t named = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), hash), end; at != end; ++at, ++named)
    if (has_history) CHECK_MESSAGE(log.find("\n" + (*at)[1].str()) != std::string::npos, at->str());
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
