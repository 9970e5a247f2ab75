// README.md and docs/*.md: every command is run and prints what stands there, every experiment is
// checked, every option exists. GPX_REBASE=1 writes what is really printed into the documents.
//
// ```console            run, in one shell for the document; a line `…` stands for any lines, `…` in
//                       a line for any text. A status other than 0 must be shown by `echo $?`.
// ```console gpu        not run here (also: minutes, browser, and slurm, which ./dev slurm-test
//                       runs); its commands and options must exist
// ```console needs=X    run where there is a program X; nvrtc: where NVRTC makes the numbers
// ```gpx                a file of the language: checked, with what it names. `clauses`: of an
// experiment; `region`:
//                       statements of a region; `wrong`: has errors, which are shown
// ```LANGUAGE name.ext  besides, a file of that name for the commands that follow
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "codegen/compile/nvrtc.h"
#include "lang/language.h"
#include "lang/observe.h"
#include "lang/patterns.h"
#include "runtime/cli/command.h"
#include "runtime/library_names.h"
#include "tests/docs/session.h"
#include "tests/golden.h"

namespace gpx::docs {
namespace {

const Paths kPaths{GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"};

std::vector<std::string> document_paths() {
  std::set<std::string> paths{GPX_SOURCE_DIR "/README.md"};
  for (const char* folder : {"/docs", "/docs/cookbook", "/docs/howto", "/docs/results"})
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(GPX_SOURCE_DIR) + folder))
      if (entry.path().extension() == ".md") paths.insert(entry.path().string());
  return {paths.begin(), paths.end()};
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

bool is_there(const std::string& program) {
  if (program == "nvrtc") return codegen::find_nvrtc().has_value();
  for (const char* folder : {"/usr/local/bin/", "/usr/bin/", "/bin/"})
    if (std::filesystem::exists(folder + program)) return true;
  return false;
}

bool is_run(const Block& block) {
  if (block.language != "console") return false;
  return std::none_of(block.words.begin(), block.words.end(), [](const std::string& word) {
    return word == "gpu" || word == "minutes" || word == "browser" || word == "slurm" ||
           (word.starts_with("needs=") && !is_there(word.substr(6)));
  });
}

/// The commands point into `commands`, which must outlive the steps.
std::vector<Step> steps_of(const Document& document, std::vector<std::vector<Command>>& commands) {
  std::vector<Step> steps;
  for (const Block& block : document.blocks) commands.push_back(commands_of(block));
  for (std::size_t b = 0; b < document.blocks.size(); ++b) {
    const Block& block = document.blocks[b];
    if (!block.file().empty()) steps.push_back({block.file(), joined(block.lines), nullptr});
    if (!is_run(block)) continue;
    for (const Command& command : commands[b]) steps.push_back({"", command.text, &command});
  }
  return steps;
}

void rebase(const Document& document, const std::vector<Ran>& results) {
  std::vector<std::string> lines = document.lines;
  for (auto ran = results.rbegin(); ran != results.rend(); ++ran) {
    const auto begin =
        lines.begin() + static_cast<std::ptrdiff_t>(ran->command->line - 1 + ran->command->lines);
    const auto at =
        lines.erase(begin, begin + static_cast<std::ptrdiff_t>(ran->command->output.size()));
    const auto now = rebased(ran->command->output, ran->output);
    lines.insert(at, now.begin(), now.end());
  }
  std::ofstream(document.path, std::ios::binary) << joined(lines);
}

void compare(const Document& document, const std::vector<Ran>& results) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Ran& ran = results[i];
    INFO(document.path << ":" << ran.command->line << ": $ " << ran.command->text);
    const bool shown = i + 1 < results.size() && results[i + 1].command->text == "echo $?";
    CHECK_MESSAGE((ran.status == 0 || shown), "status " << ran.status);
    CHECK_MESSAGE(matches(ran.command->output, ran.output), "the document says\n"
                                                                << joined(ran.command->output)
                                                                << "but this is printed\n"
                                                                << joined(ran.output));
  }
}

void check_commands(const std::string& path) {
  const Document document = read_document(path);
  std::vector<std::vector<Command>> commands;
  const std::vector<Step> steps = steps_of(document, commands);
  const auto expected = static_cast<std::size_t>(std::count_if(
      steps.begin(), steps.end(), [](const Step& step) { return step.command != nullptr; }));
  if (expected == 0) return;
  const std::vector<Ran> results = run_steps(steps);
  INFO(path);
  REQUIRE_MESSAGE(results.size() == expected, "the shell ended after a command");
  if (gpx::test::rebasing()) return rebase(document, results);
  compare(document, results);
}

/// The options of a command, or of all that begin with its word; empty if there is no such command.
std::string options_of(const std::string& name) {
  static const std::vector<cli::CommandInfo> table = cli::command_table(cli::command_rows());
  REQUIRE(table.size() > 15);
  std::string options;
  for (std::size_t i = 1; i < table.size(); ++i)
    if (table[i].name == name || table[i].name.starts_with(name + " "))
      for (const cli::OptionInfo& option : table[i].options)
        for (const std::string& spelling : option.names) options += spelling + ' ';
  return options;
}

/// Of `gpx command --option …`, in any text: the command and all options are known.
void check_names(const std::string& text) {
  static const std::regex call(R"((^|[ (/])gpx (fleet [a-z]+|[a-z]+)\b([^|;&)]*))"),
      option(R"(--[a-z][a-z-]*)");
  for (std::sregex_iterator at(text.begin(), text.end(), call), end; at != end; ++at) {
    const std::string options = options_of((*at)[2]);
    CHECK_MESSAGE(!options.empty(), "there is no command gpx " << (*at)[2]);
    // What stands behind "--" is for another program.
    const std::string all = (*at)[3], rest = all.substr(0, all.find(" -- "));
    for (std::sregex_iterator word(rest.begin(), rest.end(), option); word != end; ++word)
      CHECK_MESSAGE(std::regex_search(options, std::regex(word->str() + "\\b")),
                    "gpx " << (*at)[2] << " has no option " << word->str());
  }
}

/// Of `./dev command`: a line of its usage.
void check_dev(const std::string& text, const std::string& usage) {
  static const std::regex call(R"(\./dev ([a-z-]+))");
  for (std::sregex_iterator at(text.begin(), text.end(), call), end; at != end; ++at)
    CHECK_MESSAGE(usage.find("  " + (*at)[1].str() + ' ') != std::string::npos,
                  "there is no ./dev " << (*at)[1].str());
}

std::string as_file(const Block& block) {
  const std::string text = joined(block.lines);
  if (block.has("clauses")) return "experiment part {\n" + text + "\n}\n";
  if (block.has("region")) return "experiment part {\nwatchdog 1s\n<\n" + text + "\n>\n}\n";
  return text;
}

TEST_CASE("every command of the documents prints what stands there") {
  for (const std::string& path : document_paths()) {
    SUBCASE(path.c_str()) {
      check_commands(path);
    }
  }
}

TEST_CASE("commands stand in blocks that are run, or that say why not") {
  for (const std::string& path : document_paths()) {
    for (const Block& block : read_document(path).blocks) {
      INFO(path << ":" << block.line);
      if (block.language != "console") CHECK(commands_of(block).empty());
      if (block.language == "console") CHECK_FALSE(commands_of(block).empty());
    }
  }
}

TEST_CASE("every command and option that a document names exists") {
  const std::string usage = joined(read_document(GPX_SOURCE_DIR "/dev").lines);
  for (const std::string& path : document_paths()) {
    const Document document = read_document(path);
    const auto check = [&](const std::string& text, std::size_t line) {
      INFO(path << ":" << line << ": " << text);
      check_names(text);
      check_dev(text, usage);
    };
    for (const Span& span : document.spans) check(span.text, span.line);
    for (const Block& block : document.blocks) {
      for (const Command& command : commands_of(block)) check(command.text, command.line);
      if (block.language.empty() || block.language == "text")
        for (const std::string& line : block.lines)
          if (line.starts_with("gpx ") || line.starts_with("./dev ")) check(line, block.line);
    }
  }
}

TEST_CASE("every experiment of the documents is one") {
  std::size_t seen = 0;
  for (const std::string& path : document_paths()) {
    for (const Block& block : read_document(path).blocks) {
      if (block.language != "gpx" || block.has("wrong")) continue;
      ++seen;
      const Source source(path + ':' + std::to_string(block.line), as_file(block));
      const auto checked = parse(source).and_then([&](const Ast& ast) {
        return check(ast, source).and_then([&](const auto&) {
          return check_library_names(ast, source, kPaths);
        });
      });
      CHECK_MESSAGE(checked, (checked ? "" : render(checked.error())));
    }
  }
  CHECK(seen > 10);
}

TEST_CASE("the reference describes every word of the language") {
  const std::string text = joined(read_document(GPX_SOURCE_DIR "/docs/language.md").lines);
  for (const Term& term : vocabulary()) {
    // Tables of their own: `:help operation`, `:help atomic`.
    if (term.kind == TermKind::operation || term.kind == TermKind::atomic) continue;
    const std::regex word("(^|[^a-z_0-9])" + std::string(term.name) + "($|[^a-z_0-9])");
    CHECK_MESSAGE(std::regex_search(text, word),
                  "docs/language.md does not say what '" << term.name << "' is");
    if (term.kind == TermKind::statement && std::string(term.name) != "<")
      CHECK_MESSAGE(text.find("**`" + std::string(term.name)) != std::string::npos,
                    "docs/language.md has no entry for the clause '" << term.name << "'");
  }
}

/// The reference's table that begins with `head` has these rows.
void check_table(const std::string& head, const std::vector<std::string>& rows) {
  const std::string path = GPX_SOURCE_DIR "/docs/language.md";
  std::string table = head;
  for (const std::string& row : rows) table += row + "\n";
  std::string text = joined(read_document(path).lines);
  const std::size_t begin = text.find(head), end = text.find("\n\n", begin);
  REQUIRE(end != std::string::npos);
  if (gpx::test::rebasing()) {
    text.replace(begin, end + 1 - begin, table);
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  CHECK(text.substr(begin, end + 1 - begin) == table);
}

TEST_CASE("the reference's tables are the language's") {
  std::vector<std::string> patterns, observed;
  for (const PatternRow& row : kPatterns) patterns.push_back(row.document());
  for (const ObserveTraits& row : observations()) observed.push_back(row.document());
  check_table("| pattern | address | |\n|---|---|---|\n", patterns);
  check_table("| | observes | a row for each | columns |\n|---|---|---|---|\n", observed);
}

TEST_CASE("the reference's grammar has every word that the language reserves, and no other") {
  const std::string grammar = gpx::test::read_text(GPX_SOURCE_DIR "/lang/grammar.txt");
  REQUIRE_FALSE(grammar.empty());
  for (const Term& term : vocabulary())
    if (is_reserved(term.name) && std::string(term.name) != "<")
      CHECK_MESSAGE(grammar.find('"' + std::string(term.name) + '"') != std::string::npos,
                    "the grammar has no \"" << term.name << "\"");
  static const std::regex literal("\"([a-z][a-z_0-9]*)\"");
  for (std::sregex_iterator at(grammar.begin(), grammar.end(), literal), end; at != end; ++at)
    // "of" stands between numbers alone, "e" in them, and "checksum" behind `expect` before a
    // parenthesis: none of them is ever taken for a name.
    if ((*at)[1] != "of" && (*at)[1] != "e" && (*at)[1] != "checksum")
      CHECK_MESSAGE(find_term((*at)[1].str()), "the language has no word " << (*at)[1]);
}

TEST_CASE("the index has every document and every command") {
  const std::string index = joined(read_document(GPX_SOURCE_DIR "/docs/README.md").lines);
  for (const std::string& path : document_paths()) {
    const auto name = std::filesystem::relative(path, GPX_SOURCE_DIR "/docs").string();
    if (name == "../README.md" || name == "README.md") continue;
    CHECK_MESSAGE(index.find("](" + name + ")") != std::string::npos,
                  "docs/README.md has no link to " << name);
  }
  for (const cli::CommandRow& command : cli::command_rows())
    CHECK_MESSAGE(index.find("`gpx " + command.name + '`') != std::string::npos,
                  "docs/README.md does not name gpx " << command.name);
}

TEST_CASE("links between the documents lead somewhere") {
  static const std::regex link(R"(\]\(([^)#:]+)(#[^)]*)?\))");
  for (const std::string& path : document_paths()) {
    const std::string text = joined(read_document(path).lines);
    const auto folder = std::filesystem::path(path).parent_path();
    for (std::sregex_iterator at(text.begin(), text.end(), link), end; at != end; ++at) {
      INFO(path << ": " << (*at)[1].str());
      CHECK(std::filesystem::exists(folder / (*at)[1].str()));
    }
  }
}

}  // namespace
}  // namespace gpx::docs
