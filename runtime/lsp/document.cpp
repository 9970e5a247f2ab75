// Answers about a document. Interface: document.h; covered by tests/lsp/document_test.cpp.
#include "runtime/lsp/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "codegen/files/files.h"
#include "codegen/ir/text.h"
#include "lang/build.h"
#include "lang/grammar.h"
#include "lang/language.h"
#include "lang/lists.h"
#include "runtime/library_names.h"
#include "runtime/measure/user_measure.h"

namespace gpx::lsp {
namespace {

namespace fs = std::filesystem;

std::string article(const Candidate& one) {
  return one.detail == one.name ? fmt::format("**{}**", one.name)
                                : fmt::format("**{}** · `{}`", one.name, one.detail);
}

/// `16KB` is 16384 B.
std::optional<std::string> number_help(const std::string& word) {
  const std::size_t digits = word.find_first_not_of("0123456789.");
  if (digits == 0 || digits == std::string::npos) return std::nullopt;
  const std::string unit = word.substr(digits);
  for (const UnitRow& row : units()) {
    if (unit != row.name) continue;
    const double value = std::strtod(word.c_str(), nullptr);
    const double base = row.divide ? value / row.scale : value * row.scale;
    const Term* term = find_term(unit);
    return fmt::format("`{}` = {:.12g} {}{}", word, base, unit_phrase(row.unit),
                       term ? fmt::format("\n\n`{}`: {}", unit, term->help) : std::string());
  }
  return std::nullopt;
}

bool is_whole_word(const std::string& text, std::size_t at, std::size_t size) {
  const auto part = [&](std::size_t i) { return i < text.size() && codegen::in_word(text[i]); };
  return (at == 0 || !part(at - 1)) && !part(at + size);
}

/// Where a function is defined in a kernel's file; the file's begin where it is not found.
Range function_in(const fs::path& path, const std::string& name) {
  const auto bytes = file_text(path.string(), kMostKernelBytes);
  if (!bytes) return {};
  const Text text(*bytes);
  std::size_t global = text.bytes().find("__global__");
  for (; global != std::string::npos; global = text.bytes().find("__global__", global + 1)) {
    const std::size_t at = text.bytes().find(name, global);
    const std::size_t open = text.bytes().find('(', global);
    if (at == std::string::npos) break;
    if (at < open && is_whole_word(text.bytes(), at, name.size()))
      return {text.position(at), text.position(at + name.size())};
  }
  return {};
}

std::string unquoted(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"') text.remove_prefix(1);
  if (!text.empty() && text.back() == '"') text.remove_suffix(1);
  return std::string(text);
}

/// A file named in the text: beside the document, else in a folder of the standard library.
std::optional<fs::path> find_file(const std::string& document, const std::string& name,
                                  const fs::path& folder) {
  if (name.empty()) return std::nullopt;
  std::vector<fs::path> places;
  if (!document.empty()) places.push_back(fs::path(document).parent_path() / name);
  if (!folder.empty()) places.push_back(folder / name);
  for (const fs::path& place : places) {
    if (is_file(place.string())) return place;
  }
  return std::nullopt;
}

/// Of all that can be read, whatever is wrong with the rest.
std::vector<Declaration> declared_in(const Source& source) {
  Problems ignored(source);
  return declarations(build_ast(grammar::parse_file(source.text()), ignored), source);
}

}  // namespace

Document::Document(std::string path, std::string text)
    : path_(std::move(path)), text_(std::move(text)) {}

void Document::set_text(std::string text) {
  text_ = Text(std::move(text));
  reading_.reset();
}

void Document::replace(const Range& range, const std::string& with) {
  text_.replace(range, with);
  reading_.reset();
}

std::vector<Problem> Document::problems(const Paths& paths) const {
  std::vector<Problem> problems;
  const auto add = [&](const std::vector<Diagnostic>& all, bool is_warning) {
    for (const Diagnostic& one : all)
      problems.push_back({one.location ? text_.range(*one.location) : Range{},
                          one.hint.empty() ? one.message : one.message + "\n" + one.hint,
                          is_warning});
  };
  const auto experiments = check_whole(Source(path_, text_.bytes()), paths);
  if (!experiments) add(experiments.error().diagnostics, false);
  if (experiments)
    for (const Experiment& each : *experiments) add(each.warnings, true);
  return problems;
}

const Document::Reading& Document::reading() const {
  if (!reading_) {
    Source source(path_, text_.bytes());
    std::vector<Declaration> declared = declared_in(source);
    reading_.emplace(Reading{std::move(source), std::move(declared)});
  }
  return *reading_;
}

const std::vector<Declaration>& Document::declared() const {
  return reading().declared;
}

Place Document::place(Position position) const {
  return place_at(text_.bytes(), text_.offset(position));
}

/// A bare line is read as a whole or not at all: while one clause of it is being typed, the names
/// of the clauses before it are read alone.
std::vector<Declaration> Document::visible(const Place& place) const {
  std::vector<Declaration> found = visible_at(declared(), place.word.begin);
  if (!place.in_line) return found;
  const Source before(path_, text_.bytes().substr(0, place.begin));
  for (Declaration& one : visible_at(declared_in(before), place.begin)) {
    const bool known = std::any_of(found.begin(), found.end(), [&](const Declaration& other) {
      return other.span == one.span;
    });
    if (!known) found.push_back(std::move(one));
  }
  return found;
}

std::vector<Candidate> Document::completion(Position position, const Library& library) const {
  const Place at = place(position);
  const std::string typed(reading().source.slice(at.word));
  if (!typed.empty() && std::isdigit(static_cast<unsigned char>(typed.front()))) {
    std::vector<Candidate> numbers;
    const std::string digits = typed.substr(0, typed.find_first_not_of("0123456789."));
    for (const Term& term : vocabulary())
      if (term.kind == TermKind::unit)
        numbers.push_back({Candidate::Kind::unit, digits + term.name, term.syntax, term.help});
    return numbers;
  }
  return candidates(at, visible(at), library);
}

Range Document::word_to(Position position) const {
  const Place at = place(position);
  const auto end = static_cast<std::uint32_t>(text_.offset(position));
  return text_.range(Span{std::min(at.word.begin, end), end});
}

std::optional<Hover> Document::hover(Position position, const Library& library) const {
  const Place at = place(position);
  const std::string word(reading().source.slice(at.word));
  if (word.empty() || at.in_text || at.in_comment) return std::nullopt;
  const Range range = text_.range(at.word);
  if (const auto number = number_help(word)) return Hover{range, *number};
  const auto names = visible(at);
  std::vector<Candidate> found = candidates(at, names, library, word);
  if (found.empty()) found = meanings(word, names);
  if (found.empty()) return std::nullopt;
  return Hover{range, joined(found, "\n\n---\n\n", [](const Candidate& one) {
                 return article(one) + "\n\n" + one.help;
               })};
}

std::optional<std::string> Document::formatted() const {
  const Source source(path_, text_.bytes());
  const Result<Ast> ast = parse(source);
  if (!ast) return std::nullopt;
  return format(*ast, source);
}

std::optional<Target> Document::definition(Position position, const Library& library) const {
  const Place at = place(position);
  const std::string word(reading().source.slice(at.word));
  if (word.empty() || at.in_comment) return std::nullopt;
  const fs::path kernels = fs::path(library.paths.stdlib) / "kernels";
  const auto file_target = [](const std::string& path) { return Target{path, {}}; };
  if (at.in_text) {
    if (at.last() != "analyze" && at.last() != "from") return std::nullopt;
    const auto file = find_file(path_, unquoted(word), at.last() == "from" ? kernels : fs::path());
    return file ? std::optional(file_target(file->string())) : std::nullopt;
  }
  if (at.last() == "device") {
    const LibraryDevice* device = library.device(word);
    return device ? std::optional(file_target(device->path)) : std::nullopt;
  }
  if (at.last() == "analyze") {
    const LibraryAnalysis* analysis = library.analysis(word);
    return analysis ? std::optional(file_target(analysis->path)) : std::nullopt;
  }
  if (at.last() == "entry") {
    const auto file = find_file(path_, unquoted(at.last(1)), kernels);
    if (!file) return std::nullopt;
    return Target{file->string(), function_in(*file, word)};
  }
  for (const Declaration& one : visible(at))
    if (one.name == word) return Target{"", text_.range(one.span)};
  return std::nullopt;
}

}  // namespace gpx::lsp
