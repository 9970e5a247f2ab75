// JSON to values and back. Interface: messages.h; covered by the sessions in tests/lsp/golden/.
#include "runtime/lsp/messages.h"

#include <fmt/format.h>

namespace gpx::lsp {
namespace {

std::size_t number_field(const Json& json, const char* name) {
  const Json& value = field(json, name);
  if (!value.is_number_unsigned())
    throw Refused{kInvalidParams, fmt::format("'{}' is no number from 0", name)};
  return value.get<std::size_t>();
}

Json to_json(Position position) {
  return {{"line", position.line}, {"character", position.character}};
}

int completion_kind(Candidate::Kind kind) {
  using Kind = Candidate::Kind;
  switch (kind) {  // CompletionItemKind
    case Kind::keyword: return 14;
    case Kind::value: return 12;
    case Kind::function:
    case Kind::operation: return 3;
    case Kind::unit: return 11;
    case Kind::name: return 6;
    case Kind::device: return 7;
    case Kind::analysis: return 9;
    case Kind::argument: return 5;
  }
  return 1;
}

int symbol_kind(Declaration::Kind kind) {
  using Kind = Declaration::Kind;
  switch (kind) {  // SymbolKind
    case Kind::experiment: return 5;
    case Kind::measure: return 6;
    case Kind::kernel: return 12;
    case Kind::array: return 18;
    case Kind::parameter: return 14;
    case Kind::axis:
    case Kind::variable:
    case Kind::column:
    case Kind::label: return 13;
  }
  return 13;
}

}  // namespace

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool is_too_deep(const std::string& text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (quoted && c == '\\') ++i;
    if (quoted) continue;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > kMostNesting) return true;
  }
  return false;
}

// ---- Parameters -------------------------------------------------------------------------------

const Json& field(const Json& json, const char* name) {
  if (!json.is_object()) throw Refused{kInvalidParams, "the parameters are no object"};
  const auto found = json.find(name);
  if (found == json.end()) throw Refused{kInvalidParams, fmt::format("'{}' is missing", name)};
  return *found;
}

std::string text_field(const Json& json, const char* name) {
  const Json& value = field(json, name);
  if (!value.is_string()) throw Refused{kInvalidParams, fmt::format("'{}' is no text", name)};
  return value.get<std::string>();
}

Position position_from(const Json& json) {
  return {number_field(json, "line"), number_field(json, "character")};
}

Range range_from(const Json& json) {
  return {position_from(field(json, "start")), position_from(field(json, "end"))};
}

std::string uri_from(const Json& params) {
  return text_field(field(params, "textDocument"), "uri");
}

// ---- Answers ----------------------------------------------------------------------------------

Json to_json(const Range& range) {
  return {{"start", to_json(range.start)}, {"end", to_json(range.end)}};
}

Json to_json(const Problem& problem) {
  constexpr int error = 1, warning = 2;
  return {{"range", to_json(problem.range)},
          {"severity", problem.is_warning ? warning : error},
          {"source", "gpx"},
          {"message", problem.message}};
}

Json to_json(const Candidate& one, const Range& word) {
  return {{"label", one.name},
          {"kind", completion_kind(one.kind)},
          {"detail", one.detail},
          {"documentation", {{"kind", "markdown"}, {"value", one.help}}},
          {"textEdit", {{"range", to_json(word)}, {"newText", one.name}}}};
}

Json symbols(const std::vector<Declaration>& all, const Text& text) {
  Json list = Json::array();
  for (const Declaration& one : all) {
    Json symbol = {
        {"name", one.name.empty() ? "experiment" : one.name},
        {"detail", one.kind == Declaration::Kind::experiment ? one.text : to_string(one.kind)},
        {"kind", symbol_kind(one.kind)},
        {"range", to_json(text.range(one.whole))},
        {"selectionRange", to_json(text.range(one.span))}};
    if (!one.inside.empty()) symbol["children"] = symbols(one.inside, text);
    list.push_back(std::move(symbol));
  }
  return list;
}

Json capabilities() {
  constexpr int incremental = 2;
  return {
      {"positionEncoding", "utf-16"},
      {"textDocumentSync", {{"openClose", true}, {"change", incremental}}},
      {"hoverProvider", true},
      {"completionProvider", {{"triggerCharacters", Json::array({" ", "(", ",", "<", ":", "="})}}},
      {"definitionProvider", true},
      {"documentSymbolProvider", true},
      {"documentFormattingProvider", true}};
}

}  // namespace gpx::lsp
