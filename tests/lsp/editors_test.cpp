// The syntax files of lang/editors/ are made from the vocabulary: GPX_REBASE=1 writes them anew.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "lang/vocabulary.h"
#include "tests/golden.h"

using namespace gpx;

namespace {

using K = TermKind;

/// What is coloured alike, with the name of its colour in each editor. A word of several groups is
/// in the first one.
struct Group {
  const char *name, *textmate, *vim, *emacs;
  std::vector<TermKind> kinds;
};

const std::vector<Group>& groups() {
  static const std::vector<Group> all = {
      {"Clause", "keyword.other.clause.gpx", "Statement", "keyword", {K::item, K::statement}},
      {"Timed", "keyword.control.gpx", "Keyword", "keyword", {K::access, K::control}},
      {"Connective", "keyword.operator.word.gpx", "Operator", "builtin", {K::connective}},
      {"Pattern", "support.function.gpx", "Function", "function-name", {K::pattern, K::function}},
      {"Option", "storage.modifier.gpx", "Type", "type", {K::option, K::space, K::cache}},
      {"Value",
       "constant.language.gpx",
       "Constant",
       "constant",
       {K::observed, K::reduction, K::verdict, K::contents}},
      {"Name",
       "variable.language.gpx",
       "Identifier",
       "variable-name",
       {K::name, K::column, K::launch_column}},
  };
  return all;
}

std::vector<std::string> sorted_names(std::initializer_list<TermKind> kinds) {
  std::set<std::string> names;
  for (const TermKind kind : kinds)
    for (std::string& name : names_of(kind)) names.insert(std::move(name));
  return {names.begin(), names.end()};
}

/// The words of each group, sorted.
std::vector<std::vector<std::string>> words_of_groups() {
  std::set<std::string> seen;
  std::vector<std::vector<std::string>> all;
  for (const Group& group : groups()) {
    std::set<std::string> words;
    for (const TermKind kind : group.kinds)
      for (const std::string& name : names_of(kind))
        if (seen.insert(name).second) words.insert(name);
    all.emplace_back(words.begin(), words.end());
  }
  return all;
}

/// All spellings, KiB among them.
std::vector<std::string> unit_names() {
  std::set<std::string> names;
  for (const UnitRow& row : units()) names.insert(row.name);
  return {names.begin(), names.end()};
}

std::string escaped(std::string text) {
  for (std::size_t at = 0; (at = text.find('.', at)) != std::string::npos; at += 2)
    text.insert(at, "\\");
  return text;
}

/// Alternatives of a regular expression, the longest first.
std::string alternatives(std::vector<std::string> words) {
  std::stable_sort(words.begin(), words.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  for (std::string& word : words) word = escaped(word);
  return fmt::format("{}", fmt::join(words, "|"));
}

std::string textmate() {
  using Json = nlohmann::ordered_json;
  const auto rule = [](const std::string& name, const std::string& match) {
    return Json{{"name", name}, {"match", match}};
  };
  const std::string units = alternatives(unit_names());
  Json patterns = Json::array(
      {rule("comment.line.number-sign.gpx", "#.*$"),
       {{"name", "string.quoted.double.gpx"},
        {"begin", "\""},
        {"end", "\"|$"},
        {"patterns", Json::array({rule("constant.character.escape.gpx", "\\\\[\"\\\\]")})}},
       {{"match", "\\b(experiment|measure)\\s+([A-Za-z_]\\w*)"},
        {"captures",
         {{"1", {{"name", "keyword.other.clause.gpx"}}},
          {"2", {{"name", "entity.name.section.gpx"}}}}}},
       rule("support.function.operation.gpx",
            "(?<![\\w.])(?:" + alternatives(sorted_names({K::operation, K::atomic})) +
                ")(?![\\w.])"),
       rule("constant.numeric.gpx",
            "\\b[0-9]+(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?:" + units + ")?\\b"),
       rule("constant.numeric.count.gpx", "\\bx[0-9]+\\b"),
       rule("variable.other.finding.gpx", "\\b[A-Za-z_]\\w*(?:\\.\\w+)+")});
  const auto words = words_of_groups();
  for (std::size_t i = 0; i < words.size(); ++i)
    patterns.push_back(rule(groups()[i].textmate, "\\b(?:" + alternatives(words[i]) + ")\\b"));
  return Json{{"name", "gpx"},
              {"scopeName", "source.gpx"},
              {"fileTypes", Json::array({"gpx"})},
              {"patterns", std::move(patterns)}}
             .dump(2) +
         "\n";
}

/// Words after a head, in lines of at most 100 columns.
std::string wrapped(const std::string& head, const std::vector<std::string>& words,
                    const std::string& next) {
  std::string text = head;
  std::size_t column = head.size();
  for (const std::string& word : words) {
    if (column + 1 + word.size() > 100) {
      text += next;
      column = next.size() - 1;
    }
    text += ' ' + word;
    column += 1 + word.size();
  }
  return text + '\n';
}

std::string vim() {
  std::string text =
      "\" Syntax of gpx experiments. Made from the vocabulary of gpx "
      "(tests/lsp/editors_test.cpp).\n"
      "if exists(\"b:current_syntax\")\n  finish\nendif\n"
      "syntax case match\nsyntax sync fromstart\n"
      "\" add.u32 is one word.\nsyntax iskeyword @,48-57,_,.\n\n";
  const auto words = words_of_groups();
  for (std::size_t i = 0; i < words.size(); ++i)
    text += wrapped(fmt::format("syntax keyword gpx{}", groups()[i].name), words[i], "\n  \\");
  text += wrapped("syntax keyword gpxOperation", sorted_names({K::operation, K::atomic}), "\n  \\");
  text += fmt::format(
      "\nsyntax match gpxFinding /\\<\\h\\w*\\%(\\.\\w\\+\\)\\+/\n"
      "syntax match gpxNumber "
      "/\\w\\@<!\\d\\+\\%(\\.\\d\\+\\)\\?\\%([eE][+-]\\?\\d\\+\\)\\?\\%({}\\)\\?\\w\\@!/\n"
      "syntax match gpxNumber /\\w\\@<!x\\d\\+\\w\\@!/\n"
      "syntax region gpxString start=/\"/ skip=/\\\\[\"\\\\]/ end=/\"/ oneline contains=@Spell\n"
      "syntax match gpxComment /#.*$/ contains=@Spell\n\n",
      fmt::join(unit_names(), "\\|"));
  for (const Group& group : groups())
    text += fmt::format("highlight default link gpx{} {}\n", group.name, group.vim);
  return text +
         "highlight default link gpxOperation Function\n"
         "highlight default link gpxFinding Identifier\n"
         "highlight default link gpxNumber Number\n"
         "highlight default link gpxString String\n"
         "highlight default link gpxComment Comment\n\n"
         "let b:current_syntax = \"gpx\"\n";
}

std::string emacs() {
  const auto quoted = [](std::vector<std::string> words) {
    for (std::string& word : words) word = '"' + word + '"';
    return words;
  };
  std::string text =
      ";;; gpx-mode.el --- Major mode for gpx experiments -*- lexical-binding: t -*-\n\n"
      ";; Made from the vocabulary of gpx (tests/lsp/editors_test.cpp).\n\n;;; Code:\n\n"
      "(defvar eglot-server-programs)\n\n(defconst gpx-mode-font-lock-keywords\n  (list\n"
      "   '(\"\\\\_<[0-9]+\\\\(?:\\\\.[0-9]+\\\\)?[A-Za-z]*\\\\_>\" . font-lock-constant-face)\n"
      "   '(\"\\\\_<x[0-9]+\\\\_>\" . font-lock-constant-face)\n";
  text +=
      wrapped("   (cons (regexp-opt '(", quoted(sorted_names({K::operation, K::atomic})), "\n    ");
  text.insert(text.size() - 1, ") 'symbols) 'font-lock-function-name-face)");
  const auto words = words_of_groups();
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += wrapped("   (cons (regexp-opt '(", quoted(words[i]), "\n    ");
    text.insert(text.size() - 1, fmt::format(") 'symbols) 'font-lock-{}-face)", groups()[i].emacs));
  }
  text.insert(text.size() - 1, "))");
  return text +
         "\n(defvar gpx-mode-syntax-table\n  (let ((table (make-syntax-table)))\n"
         "    (modify-syntax-entry ?# \"<\" table)\n"
         "    (modify-syntax-entry ?\\n \">\" table)\n"
         "    (modify-syntax-entry ?\\\" \"\\\"\" table)\n"
         "    (modify-syntax-entry ?. \"_\" table)\n"
         "    (modify-syntax-entry ?_ \"_\" table)\n    table))\n\n"
         ";;;###autoload\n(define-derived-mode gpx-mode prog-mode \"gpx\"\n"
         "  \"Major mode for experiments of gpx.\"\n"
         "  (setq-local font-lock-defaults '(gpx-mode-font-lock-keywords))\n"
         "  (setq-local comment-start \"# \")\n  (setq-local comment-end \"\"))\n\n"
         ";;;###autoload\n(add-to-list 'auto-mode-alist '(\"\\\\.gpx\\\\'\" . gpx-mode))\n\n"
         "(with-eval-after-load 'eglot\n"
         "  (add-to-list 'eglot-server-programs '(gpx-mode \"gpx\" \"lsp\")))\n\n"
         "(provide 'gpx-mode)\n;;; gpx-mode.el ends here\n";
}

void compare(const std::string& name, const std::string& made) {
  gpx::test::check_golden(GPX_SOURCE_DIR "/lang/editors/" + name, made);
}

}  // namespace

TEST_CASE("the editors' syntax files have every word of the language") {
  compare("vscode/syntaxes/gpx.tmLanguage.json", textmate());
  compare("vim/syntax/gpx.vim", vim());
  compare("emacs/gpx-mode.el", emacs());
}

TEST_CASE("no word of the language is without a colour") {
  std::set<std::string> coloured;
  for (const auto& words : words_of_groups()) coloured.insert(words.begin(), words.end());
  for (const Term& term : vocabulary())
    if (term.kind != K::operation && term.kind != K::atomic && term.kind != K::unit)
      CHECK_MESSAGE(coloured.count(term.name) == 1, term.name);
}
