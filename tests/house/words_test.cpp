// The words of documents and findings: sentences that are short enough to be read once, and the
// field's terms (docs/glossary.md) in place of circumlocutions.
#include <doctest/doctest.h>

#include <regex>

#include "tests/house/rooms.h"

namespace gpx::house {
namespace {

constexpr std::size_t kMostWords = 40;

/// A paragraph or an item of a list, on one line, with the line that it begins on.
struct Passage {
  std::size_t line = 0;
  std::string text;
};

/// Running text without code, tables, headings, pictures and HTML.
std::vector<Passage> passages_of(const std::string& text) {
  static const std::regex item(R"((\s*)([-*]|\d+\.) .*)");
  std::vector<Passage> passages;
  bool code = false, open = false;
  std::size_t number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const std::string words = line.substr(begin);
    const bool fence = words.starts_with("```");
    if (fence) code = !code;
    if (fence || code || words.empty() || std::string("|#<!").find(words[0]) != std::string::npos) {
      open = false;
      continue;
    }
    if (!open || std::regex_match(line, item)) passages.push_back({number, {}});
    std::string& passage = passages.back().text;
    passage += (passage.empty() ? "" : " ") + words;
    open = true;
  }
  return passages;
}

/// Code spans are one word each, links their text.
std::string plain(const std::string& text) {
  static const std::regex code("`[^`]*`"), link(R"(\]\([^)]*\))");
  return std::regex_replace(std::regex_replace(text, code, "X"), link, "");
}

std::size_t words_in(const std::string& sentence) {
  static const std::regex word(R"(\S*[A-Za-z0-9]\S*)");
  return static_cast<std::size_t>(std::distance(
      std::sregex_iterator(sentence.begin(), sentence.end(), word), std::sregex_iterator()));
}

std::string long_sentences(const std::string& file, const std::string& text) {
  static const std::regex end(R"([.!?][)*"]*\s+(?=[A-Z*\[(0-9"]))");
  std::string found;
  for (const Passage& passage : passages_of(text)) {
    const std::string words = plain(passage.text);
    for (std::sregex_token_iterator at(words.begin(), words.end(), end, -1), none; at != none; ++at)
      if (const std::size_t count = words_in(at->str()); count > kMostWords)
        found += file + ":" + std::to_string(passage.line) + ": a sentence of " +
                 std::to_string(count) + " words: " + at->str().substr(0, 80) + "\n";
  }
  return found;
}

/// What is said in other words, and how.
struct Term {
  std::regex not_this;
  std::string but;
};
const std::vector<Term>& terms() {
  static const std::vector<Term> all = {
      {std::regex("an access that it answers|an access that none .*answers"),
       "hit latency, miss latency"},
      {std::regex("take one way together"), "addresses this close share a line"},
      {std::regex("hold their lines at once"), "the largest footprint without a miss"},
      {std::regex("[Ww]hat a miss brings in"), "fill size"},
      {std::regex("[Ff]oretell|[Ff]oretold"), "predict"},
      {std::regex("go(es)? round L[12]"), "bypass"},
      {std::regex("minimal conflict"), "minimal eviction set"},
      {std::regex("over the first [0-9%]+[a-z]* [KM]B"), "for addresses within the first 5 MB"},
      {std::regex("clocks of (its|an) address, measured alone"),
       "minus ... clocks of address arithmetic, measured separately"},
      {std::regex("scatters? too much"), "too noisy: ±X % where Y % is needed"}};
  return all;
}

std::string other_words(const std::string& file, const std::string& text) {
  std::string found;
  std::size_t number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    for (const Term& term : terms())
      if (std::smatch match; std::regex_search(line, match, term.not_this))
        found += file + ":" + std::to_string(number) + ": '" + match.str() + "': say '" + term.but +
                 "'\n";
  }
  return found;
}

std::vector<std::string> documents() {
  std::vector<std::string> all = files_under("docs", {".md"});
  for (const char* file : {"README.md", "CHANGELOG.md", "CONTRIBUTING.md"}) all.push_back(file);
  return all;
}

TEST_CASE("sentences of the documents can be read at once") {
  std::string found;
  for (const std::string& file : documents())
    found += long_sentences(file, read(std::string(GPX_SOURCE_DIR "/") + file));
  CHECK_MESSAGE(found.empty(), found);
}

TEST_CASE("documents, findings, help and experiments use the field's terms") {
  std::vector<std::string> files = documents();
  for (const char* folder : {"stdlib", "experiments", "lang", "runtime/cli", "runtime/report"})
    for (const std::string& file : files_under(folder, {".lua", ".txt", ".gpx", ".cpp", ".def"}))
      files.push_back(file);
  REQUIRE(files.size() > 150);
  std::string found;
  for (const std::string& file : files)
    found += other_words(file, read(std::string(GPX_SOURCE_DIR "/") + file));
  CHECK_MESSAGE(found.empty(), found);
}

TEST_CASE("a sentence that is too long is named, a table and code are not") {
  std::string words;
  for (int i = 0; i < 41; ++i) words += "word ";
  CHECK(long_sentences("a.md", words).find("a.md:1: a sentence of 41 words") == 0);
  CHECK(long_sentences("a.md", words.substr(5) + "\n").empty());
  CHECK(long_sentences("a.md", "| " + words + " |\n```\n" + words + "\n```\n").empty());
  CHECK(long_sentences("a.md", words.substr(0, 100) + "end. A " + words.substr(0, 100)).empty());
  CHECK(long_sentences("a.md", "- one\n- " + words + "\n").find("a.md:2:") == 0);
}

TEST_CASE("a circumlocution is named with the term") {
  CHECK(other_words("a.lua", "x\nnote = \"what a miss brings in\"\n") ==
        "a.lua:2: 'what a miss brings in': say 'fill size'\n");
  CHECK(other_words("a.lua", "loads that bypass L1").empty());
}

}  // namespace
}  // namespace gpx::house
