// Runs the rules of lang/grammar_rules.h over a text: what is done around each of them, which is to
// build the tree, to bound the depth and to throw the messages.
//
// PEGTL's own parse_tree and match() are not used: they instantiate so much for each rule that this
// file took three times as long to compile, and they build nodes for rules that leave none.
#include "lang/grammar.h"

#include <iterator>
#include <utility>

#include "lang/grammar_messages.h"
#include "lang/grammar_nodes.h"
#include "lang/syntax_error.h"

namespace gpx::grammar {
namespace rules {

constexpr std::size_t max_errors = 1000;

namespace {

/// What is missing is the end of what is open, not something at the place of the error.
bool is_unclosed(std::string_view text, const Unexpected& error) {
  if (!error.open) return false;
  const char opening = text[*error.open];
  // A bracket goes on over ends of lines: where something new begins, it should have ended.
  if (opening == '(' || opening == '[') return starts_anew(text, error.at);
  return error.ends_open;
}

SyntaxError describe(const Input& in, std::string_view text, std::size_t begin,
                     const Unexpected& error) {
  const bool unclosed = is_unclosed(text, error);
  // Behind another error inside of it, it is a consequence of that, and stands behind it.
  const bool first = in.errors.empty() || in.errors.back().span.begin < error.open;
  if (unclosed && first) return describe_unclosed(text, *error.open, error.at);
  SyntaxError described = describe_error(error.message, text, begin, error.at);
  if (error.may_end_open || (error.ends_open && described.hint.empty()))
    described.hint = open_hint(text, *error.open);
  return described;
}

}  // namespace

bool step_over(Input& in, Resume resume, std::size_t begin, const Unexpected& error) {
  const std::string_view text(in.begin(), in.end() - in.begin());
  if (error.leaves_region && resume == Resume::timed) return false;
  const auto next = resume_at(resume, text, begin, error.at);
  if (!next) return false;
  if (in.errors.size() < max_errors) {
    in.errors.push_back(describe(in, text, begin, error));
    in.errors.back().begin = static_cast<std::uint32_t>(begin);
    in.errors.back().open_at_end = error.at >= text.size() && in.open_at_error;
  } else {
    ++in.more_errors;
  }
  in.iterator() = in.begin() + *next;
  return true;
}

namespace {

// Each parenthesis passes `negation` and `unary` once. The limit is far beyond any experiment and
// far below the end of the stack.
template <typename Rule>
inline constexpr int depth_limit = 0;
template <>
inline constexpr int depth_limit<negation> = 2 * max_depth;
template <>
inline constexpr int depth_limit<unary> = 2 * max_depth;
template <>
inline constexpr int depth_limit<block> = max_depth;
template <>
inline constexpr int depth_limit<else_part> = max_depth;

class DepthGuard {
 public:
  DepthGuard(Input& in, int limit) : in_(in) {
    if (++in_.depth <= limit) return;
    --in_.depth;
    throw Unexpected{too_deep(), in_.byte()};
  }
  ~DepthGuard() { --in_.depth; }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;

 private:
  Input& in_;
};

/// What a rule looked at and did not consume leaves no nodes.
template <typename Rule>
inline constexpr bool looks_ahead = false;
template <typename Rule>
inline constexpr bool looks_ahead<internal::at<Rule>> = true;
template <typename Rule>
inline constexpr bool looks_ahead<internal::not_at<Rule>> = true;

/// Makes the nodes since `first` the children of one, which began at `begin`.
void close_node(Input& in, Node kind, std::size_t first, std::size_t begin) {
  const auto children = in.nodes.begin() + static_cast<std::ptrdiff_t>(first);
  if (is_level(kind) && in.nodes.end() - children == 1) return;
  const std::string_view text(in.begin(), in.byte());
  std::size_t end = text.size();  // Statements look past blanks for their end.
  while (end > begin && (text[end - 1] == ' ' || text[end - 1] == '\t' || text[end - 1] == '\r'))
    --end;
  Tree tree{kind, {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)}, {}};
  tree.children.assign(std::make_move_iterator(children), std::make_move_iterator(in.nodes.end()));
  in.nodes.erase(children, in.nodes.end());
  in.nodes.push_back(std::move(tree));
}

/// What is done around each rule. One form of each: all of them go back where they do not match.
template <typename Rule>
struct control {
  template <apply_mode, rewind_mode, template <typename...> class, template <typename...> class>
  static bool match(Input& in) {
    return matches(in);
  }

  static bool matches(Input& in) {
    if constexpr (requires { Rule::match(in); }) {
      return with_node(in, [](Input& text) { return Rule::match(text); });
    } else {
      return with_node(in, [](Input& text) {
        return Rule::template match<apply_mode::nothing, rewind_mode::required, nothing, control>(
            text);
      });
    }
  }

  template <typename Match>
  static bool with_node(Input& in, Match match_rule) {
    const std::size_t nodes = in.nodes.size(), begin = in.byte();
    bool matched = false;
    if constexpr (depth_limit < Rule >> 0) {
      const DepthGuard guard(in, depth_limit<Rule>);
      matched = match_rule(in);
    } else {
      matched = match_rule(in);
    }
    if (!matched || looks_ahead<typename Rule::rule_t>)
      in.nodes.resize(nodes);
    else if constexpr (node_of<Rule> != Node::none)
      close_node(in, node_of<Rule>, nodes, begin);
    return matched;
  }

  /// A statement of a region that a clause of the experiment follows: the region's end is missing.
  static bool leaves_region(const Input& in) {
    if constexpr (std::is_same_v<Rule, close_angle>) return true;
    if constexpr (requires { Rule::ends_timed; }) return starts_statement(in.rest());
    return false;
  }

  [[noreturn]] static void raise(const Input& in) {
    static_assert(has_message<Rule>, "a must<> rule needs a row in the table");
    in.open_at_error = !in.open.empty() || in.ends_in_comma;
    Unexpected error{error_message<Rule>, in.byte()};
    if (!in.open.empty()) error.open = in.open.back();
    error.leaves_region = leaves_region(in);
    error.ends_open = error.leaves_region || requires {
      Rule::ends_open;
    };
    error.may_end_open =
        std::is_same_v<Rule, measure_statement> && starts_statement(in.rest()) && error.open;
    throw error;
  }
};

template <typename Rule>
Parsed parse_as(const std::string& text) {
  Input in(text.data(), text.data() + text.size(), "");
  Parsed parsed;
  control<Rule>::matches(in);
  parsed.tree = {Node::file, {}, std::move(in.nodes)};
  parsed.errors = std::move(in.errors);
  parsed.more_errors = in.more_errors;
  return parsed;
}

}  // namespace
}  // namespace rules

Parsed parse_file(const std::string& text) {
  return rules::parse_as<rules::file>(text);
}

Parsed parse_value(const std::string& text) {
  return rules::parse_as<rules::value_file>(text);
}

}  // namespace gpx::grammar
