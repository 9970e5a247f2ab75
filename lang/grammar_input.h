// What the grammar's rules stand on: the text with what they must remember, and the rules that look
// at the text themselves. Only the grammar's own files include it (and with it PEGTL).
// Covered by tests/lang/grammar_test.cpp.
//
// White space is not significant but for the end of a line, which ends a statement. `gap` is what
// may stand between two words; inside (), [] and after a comma it includes ends of lines and
// comments. `must<R>` is a commitment: if R does not follow, its row of lang/grammar_messages.h is
// the error.
#pragma once

#include <algorithm>
#include <tao/pegtl.hpp>

#include "lang/recovery.h"

namespace gpx::grammar::rules {

using namespace tao::pegtl;

/// The text, with what the rules below must remember.
struct Input : memory_input<tracking_mode::lazy, eol::lf, const char*> {
  using memory_input::memory_input;
  int nesting = 0;  ///< Brackets that are open: lines may end inside.
  int depth = 0;    ///< Rules that contain themselves and are open.
  bool ends_in_comma = false;
  mutable bool open_at_error = false;
  std::vector<std::size_t> open;  ///< Where a bracket, a brace or a region begins that is open.
  std::vector<Tree> nodes;        ///< Complete, and not yet children of another.
  std::vector<SyntaxError> errors;
  std::size_t more_errors = 0;

  std::string_view rest() const { return {current(), size()}; }
};

/// A rule that had to follow and did not.
struct Unexpected {
  std::string_view message;
  std::size_t at;
  std::optional<std::size_t> open = {};  ///< The innermost bracket, brace or `<` that is open.
  bool ends_open = false;                ///< What had to follow would have closed it.
  bool may_end_open = false;             ///< What was found belongs behind its end.
  bool leaves_region = false;            ///< The end of the region around it is missing.
};

template <typename Name>
struct plain_rule {
  using rule_t = Name;
  using subs_t = type_list<>;
};

/// Blanks between two words; ends of lines and comments too, inside brackets.
struct gap : plain_rule<gap> {
  static bool match(Input& in) {
    in.bump(skip_gap(in.rest(), in.nesting > 0));
    return true;
  }
};
struct wide_gap : plain_rule<wide_gap> {
  static bool match(Input& in) {
    in.bump(skip_gap(in.rest(), true));
    return true;
  }
};
/// What separates statements: ends of lines, `;` and comments.
struct separators : plain_rule<separators> {
  static bool match(Input& in) {
    in.bump(skip_separators(in.rest()));
    return true;
  }
};
/// After a comma the next line goes on: the end of the text leaves something open.
struct comma_end : plain_rule<comma_end> {
  static bool match(Input& in) {
    in.ends_in_comma = in.empty();
    return true;
  }
};

/// Consumes `length` bytes; false if there are none.
inline bool consume(Input& in, std::size_t length) {
  in.bump(length);
  return length > 0;
}
struct any_word : plain_rule<any_word> {
  static bool match(Input& in) { return consume(in, identifier_length(in.rest())); }
};
struct cxx_name : plain_rule<cxx_name> {
  static bool match(Input& in) { return consume(in, cxx_name_length(in.rest())); }
};
/// An identifier that is no reserved word.
struct free_word : plain_rule<free_word> {
  static bool match(Input& in) { return consume(in, name_length(in.rest())); }
};

/// A word as a template's argument.
template <std::size_t Size>
struct Spelling {
  char text[Size];
  consteval Spelling(const char (&word)[Size]) { std::copy_n(word, Size, text); }
};
/// The whole word. (PEGTL's own TAO_PEGTL_KEYWORD takes several times as long to compile.)
template <Spelling Word>
struct keyword : plain_rule<keyword<Word>> {
  static bool match(Input& in) {
    constexpr std::string_view word = Word.text;
    if (!in.rest().starts_with(word) || identifier_length(in.rest()) != word.size()) return false;
    return consume(in, word.size());
  }
};

/// A word that begins a statement comes next. Consumes nothing.
struct statement_ahead : plain_rule<statement_ahead> {
  static bool match(Input& in) { return starts_statement(in.rest()); }
};
/// `(A, B)`: two values in parentheses come next. Consumes nothing.
struct pair_ahead : plain_rule<pair_ahead> {
  static bool match(Input& in) { return opens_pair(in.rest()); }
};
/// After a `<`: what follows is timed, not compared with. Consumes nothing.
struct region_ahead : plain_rule<region_ahead> {
  static bool match(Input& in) { return opens_region(in.rest(), in.nesting > 0); }
};
/// An operation with its options comes next. Consumes nothing.
struct operation_ahead : plain_rule<operation_ahead> {
  static bool match(Input& in) { return starts_operation(in.rest()); }
};

/// An atomic comes next, or an axis of such words, and where it lies. Consumes nothing.
struct access_ahead : plain_rule<access_ahead> {
  static bool match(Input& in) { return starts_access(in.rest()); }
};

/// Rule begins with what it opens: it is open until Rule ends. Inside brackets `gap` goes across
/// lines.
template <bool Brackets, typename Rule>
struct enclosed {
  using rule_t = enclosed;
  using subs_t = type_list<Rule>;
  template <apply_mode A, rewind_mode M, template <typename...> class Action,
            template <typename...> class Control>
  static bool match(Input& in) {
    struct Guard {
      explicit Guard(Input& input) : in(input) {
        in.nesting += Brackets;
        in.open.push_back(in.byte());
      }
      ~Guard() {
        in.nesting -= Brackets;
        in.open.pop_back();
      }
      Input& in;
    } guard(in);
    return Control<Rule>::template match<A, M, Action, Control>(in);
  }
};
/// The end of what `enclosed` opened.
template <char C>
struct closing : one<C> {
  static constexpr bool ends_open = true;
};
template <typename Rule>
using bracketed = enclosed<true, Rule>;
template <typename Rule>
using braced = enclosed<false, Rule>;

/// Records the error of what began at `begin`, and steps over it; false where that is for the
/// construct around it to do.
bool step_over(Input& in, Resume resume, std::size_t begin, const Unexpected& error);

/// Rule, or else an error that is recorded and stepped over.
template <Resume resume, typename Rule>
struct recovering {
  using rule_t = recovering;
  using subs_t = type_list<Rule>;
  template <apply_mode A, rewind_mode M, template <typename...> class Action,
            template <typename...> class Control>
  static bool match(Input& in) {
    const std::size_t begin = in.byte(), nodes = in.nodes.size();
    try {
      return Control<Rule>::template match<A, M, Action, Control>(in);
    } catch (const Unexpected& error) {
      in.nodes.resize(nodes);
      if (!step_over(in, resume, begin, error)) throw;
      return true;
    }
  }
};

}  // namespace gpx::grammar::rules
