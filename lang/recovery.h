// What the grammar needs to know of plain text: white space, words, where to go on after an error.
// No PEGTL here. Covered by tests/lang/grammar_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lang/grammar.h"

namespace gpx::grammar {

/// Bytes of blanks at the start of `rest`; with ends of lines and comments where `across_lines`.
std::size_t skip_gap(std::string_view rest, bool across_lines);
/// Bytes of blanks, ends of lines, `;` and comments at the start of `rest`.
std::size_t skip_separators(std::string_view rest);
/// The length of the identifier at the start of `rest`; 0 if there is none.
std::size_t identifier_length(std::string_view rest);
/// The length of a function's name as C++ writes it, with its scopes and a template's arguments:
/// "ns::k<float, 3>"; 0 if there is none.
std::size_t cxx_name_length(std::string_view rest);
/// The same as identifier_length(), but 0 also for a reserved word.
std::size_t name_length(std::string_view rest);
/// True if `rest` starts with a word that begins a statement, `threads` and `blocks` included.
bool starts_statement(std::string_view rest);
/// `*960`, `960x`, `X960`: the count or factor that is meant, as it is written: "x960". Else "".
std::string intended_count(std::string_view rest);
/// True if `rest` starts with a name that goes on as an operation does: x256, chain, or its end.
bool starts_operation(std::string_view rest);
/// True where `rest` begins with an atomic and its pattern, or with a name and what follows the
/// kind of an access: a space, a pattern, a word with arguments.
bool starts_access(std::string_view rest);
/// True if `rest` starts with `(` and a comma stands in these parentheses themselves.
bool opens_pair(std::string_view rest);
/// `rest` follows a `<`: true where it is what can be timed, not what can be compared with. Inside
/// brackets (where something is unclosed) only its words are looked for.
bool opens_region(std::string_view rest, bool in_brackets);

/// What an error spoils, and so where parsing goes on.
enum class Resume {
  item,       ///< Something of a file: its line, with the braces opened on it.
  header,     ///< `experiment name "title"`: up to the `{`.
  statement,  ///< A statement of a block: to the end of the line, `;` or `}`.
  timed,      ///< Something timed: to the end of the line, `;`, `}` or the region's `>`.
};

/// A new construct plainly starts at `at`, or the text ends: what went wrong ended before it.
bool starts_anew(std::string_view text, std::size_t at);
/// Where to go on after an error at `at` in a construct that began at `begin`; nothing where the
/// construct around it must deal with it.
std::optional<std::size_t> resume_at(Resume resume, std::string_view text, std::size_t begin,
                                     std::size_t at);

}  // namespace gpx::grammar
