// The cookbook: what its pages name can be looked up, each page shows what it gives.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "codegen/files/files.h"
#include "lang/vocabulary.h"
#include "runtime/analysis/analysis.h"
#include "runtime/cli/command.h"
#include "runtime/cli/help/library_help.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/output/library.h"
#include "tests/docs/document.h"

namespace gpx::docs {
namespace {

std::vector<std::string> pages() {
  std::set<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(GPX_SOURCE_DIR "/docs/cookbook"))
    if (entry.path().extension() == ".md") paths.insert(entry.path().string());
  return {paths.begin(), paths.end()};
}

std::string stem(const std::string& path) {
  return std::filesystem::path(path).stem().string();
}

bool has_help(const std::string& word) {
  static const std::vector<cli::CommandRow> commands = cli::command_rows();
  const bool command = std::ranges::find(commands, word, &cli::CommandRow::name) != commands.end();
  return command || !cli::topic_help(word, {false, true, 100}).empty();
}

/// The words of the page's experiments and scripts, and of the template that it is about.
std::set<std::string> defined(const Document& page) {
  std::string code;
  for (const Block& block : page.blocks)
    if (block.language == "gpx" || block.language == "lua" || block.language == "console")
      for (const std::string& line : block.lines) code += line + '\n';
  for (const cli::Template& one : cli::templates())
    if (one.name == stem(page.path))
      for (const std::string& file : one.files) code += file_text(file).value_or("") + '\n';
  static const std::regex word("[A-Za-z_][A-Za-z0-9_]*");
  std::set<std::string> words;
  for (std::sregex_iterator at(code.begin(), code.end(), word), end; at != end; ++at)
    words.insert(at->str());
  return words;
}

/// "run.device.clock_hz": each part is a word of the page.
bool all_defined(const std::string& name, const std::set<std::string>& words) {
  std::istringstream parts(name);
  for (std::string part; std::getline(parts, part, '.');)
    if (!words.contains(part)) return false;
  return true;
}

/// Of programs and files that are not gpx's, letters that stand for numbers, instructions of PTX,
/// and words of exported files that the page itself explains.
const std::set<std::string> kElsewhere = {"booktabs",    "pgfplots",
                                          "csv",         "md",
                                          "tex",         "last",
                                          "w",           "x1024",
                                          "io",          "rs",
                                          "cp.async",    "wgmma.wait_group",
                                          "modelled",    "measured_on_hardware",
                                          "sample_error"};

TEST_CASE("whatever the cookbook names of the library and the language has help") {
  std::set<std::string> names;
  for (const std::string& method : analysis_methods(cli::find_paths().stdlib)) names.insert(method);
  for (const TermKind kind :
       {TermKind::statement, TermKind::operation, TermKind::atomic, TermKind::observed,
        TermKind::column, TermKind::pattern, TermKind::option, TermKind::cache, TermKind::access})
    for (std::string& name : names_of(kind)) names.insert(std::move(name));
  static const std::regex word("[a-z_][a-z0-9_.]*");
  std::size_t seen = 0;
  for (const std::string& path : pages()) {
    for (const Span& span : read_document(path).spans)
      for (std::sregex_iterator at(span.text.begin(), span.text.end(), word), end; at != end;
           ++at) {
        if (!names.contains(at->str())) continue;
        ++seen;
        CHECK_MESSAGE(has_help(at->str()),
                      path << ":" << span.line << ": gpx help " << at->str() << " says nothing");
      }
  }
  CHECK(seen > 100);
}

TEST_CASE("a word in a span of the cookbook is one of the page's, or has help") {
  static const std::regex word(R"(([a-z_][a-z0-9_.-]*)(\[[^\]]*\])?)");
  std::size_t seen = 0;
  for (const std::string& path : pages()) {
    const Document page = read_document(path);
    const std::set<std::string> own = defined(page);
    for (const Span& span : page.spans) {
      std::smatch parts;
      if (!std::regex_match(span.text, parts, word)) continue;
      const std::string name = parts[1];
      ++seen;
      // Tables of calls and fields, which the page on scripts is about.
      const bool of_scripts = stem(path) == "analysis";
      CHECK_MESSAGE(
          (all_defined(name, own) || kElsewhere.contains(name) || of_scripts || has_help(name)),
          path << ":" << span.line << ": nothing says what " << span.text << " is");
    }
  }
  CHECK(seen > 100);
}

TEST_CASE("every call of scripts that the cookbook names has help") {
  static const std::regex call(R"((gpx|stats)\.[a-z_]+|samples:[a-z]+|\b(finding|fit_line)\b)");
  std::set<std::string> seen;
  for (const std::string& path : pages())
    for (const Span& span : read_document(path).spans) {
      const std::string text = std::regex_replace(span.text, std::regex("[a-z_-]+\\.gpx"), "");
      for (std::sregex_iterator at(text.begin(), text.end(), call), end; at != end; ++at) {
        seen.insert(at->str());
        CHECK_MESSAGE(has_help(at->str()), path << ":" << span.line << ": " << at->str());
      }
    }
  CHECK(seen.size() > 15);
}

TEST_CASE("the page of a template prints its files, for who writes them by hand") {
  for (const cli::Template& one : cli::templates()) {
    INFO(one.name);
    std::set<std::string> printed;
    for (const Block& block :
         read_document(GPX_SOURCE_DIR "/docs/cookbook/" + one.name + ".md").blocks)
      if (block.language == "console")
        for (const Command& command : commands_of(block)) {
          std::string text = command.text + '\n';
          for (const std::string& line : command.output) text += line + '\n';
          printed.insert(text);
        }
    for (const std::string& file : one.files) {
      const std::string name = std::filesystem::path(file).filename().string();
      CHECK_MESSAGE(printed.contains("cat " + name + '\n' + file_text(file).value_or("")), name);
    }
  }
}

TEST_CASE("every template has a page, which runs it and shows a number of its result") {
  static const std::regex number("[0-9]");
  for (const cli::Template& one : cli::templates()) {
    INFO(one.name);
    if (one.name == "p2p") continue;  // No virtual device has a peer.
    const Document page = read_document(GPX_SOURCE_DIR "/docs/cookbook/" + one.name + ".md");
    bool shown = false;
    for (const Block& block : page.blocks) {
      if (block.language != "console") continue;
      for (const Command& command : commands_of(block)) {
        const bool runs = command.text.find("gpx run ") != std::string::npos ||
                          command.text.find("gpx lua ") != std::string::npos ||
                          command.text.find("grep ") != std::string::npos;
        for (const std::string& line : command.output)
          shown = shown || (runs && std::regex_search(line, number));
      }
    }
    CHECK(shown);
  }
}

}  // namespace
}  // namespace gpx::docs
