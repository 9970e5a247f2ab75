// The front door: what is a text at all, parsing with all errors, unfinished input.
// Interface: language.h; covered by tests/lang/grammar_test.cpp.
#include "lang/language.h"

#include <fmt/format.h>

#include "lang/build.h"
#include "lang/check_context.h"
#include "lang/grammar.h"
#include "lang/recovery.h"
#include "lang/utf8.h"

namespace gpx {
namespace {

constexpr std::size_t max_text = 1 << 20;

/// A text that is no text is refused at its first bad byte: what follows would be noise.
bool is_text(const Source& source, Problems& problems) {
  const std::string& text = source.text();
  if (text.size() > max_text) {
    problems.add(Diagnostic{
        fmt::format("the text has {} bytes: at most {} can be read", text.size(), max_text),
        Location{source.name(), 0, 0, 0, {}},
        {}});
    return false;
  }
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const Span place{static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i + 1)};
    const std::size_t size = utf8_length(text, i);
    if (size == 0) {
      problems.add(place, fmt::format("not a text: byte 0x{:02x} is not UTF-8", byte));
      return false;
    }
    if ((byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7f) {
      problems.add(place, fmt::format("not a text: control character 0x{:02x}", byte));
      return false;
    }
    i += size;
  }
  return true;
}

}  // namespace

Result<Setting> parse_setting(const std::string& argument) {
  const std::size_t equals = argument.find('=');
  const std::string name = argument.substr(0, equals);
  if (equals == std::string::npos)
    return fail(Fault::input, fmt::format("--set {}: expected NAME=VALUE", argument),
                "such as --set threads=64");
  if (name.empty() || grammar::identifier_length(name) != name.size())
    return fail(Fault::input, fmt::format("--set {}: '{}' is not a name", argument, name),
                "such as --set threads=64");
  return Setting{name, argument.substr(equals + 1)};
}

Result<Ast> parse(const Source& source) {
  Problems problems(source);
  if (!is_text(source, problems)) return tl::unexpected<Error>(problems.error());
  const grammar::Parsed parsed = grammar::parse_file(source.text());
  for (const grammar::SyntaxError& error : parsed.errors)
    problems.add(error.span, error.message, error.hint);
  problems.add_uncounted(parsed.more_errors);
  Ast ast = build_ast(parsed, problems);
  if (problems.empty()) return ast;
  check_partial(ast, problems);
  return tl::unexpected<Error>(problems.error());
}

Completeness completeness(const std::string& text) {
  const grammar::Parsed parsed = grammar::parse_file(text + "\n");
  if (parsed.errors.empty()) return Completeness::complete;
  for (const grammar::SyntaxError& error : parsed.errors)
    if (!error.open_at_end) return Completeness::wrong;
  return Completeness::incomplete;
}

}  // namespace gpx
