// Parse tree to AST: expressions. Interface: build_parts.h; covered by the goldens (*.ast) and
// tests/lang/expr_test.cpp.
#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

#include "lang/build.h"
#include "lang/build_parts.h"
#include "lang/vocabulary.h"

namespace gpx {

using grammar::Node;
using grammar::Tree;

namespace {

/// What may be meant by `suffix` behind `digits`.
std::string suffix_hint(const std::string& suffix, std::string_view digits) {
  if (suffix == "x" || suffix == "X") return fmt::format("a factor is written x{}", digits);
  if (suffix == "clk") return fmt::format("{0}clocks is a time, {0}/clk a rate", digits);
  return suggest(suffix, names_of(TermKind::unit), "units");
}

// A chain such as 1+1+... nests its operands on the left; what evaluates it recurses as deep.
constexpr std::size_t max_nodes = 1000;

std::string unquoted(std::string_view text) {
  std::string out;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] == '\\') ++i;
    out += text[i];
  }
  return out;
}

struct Digits {
  Quantity quantity;
  const char* end;
  bool fits = true;  ///< A double is near it.
};

/// The number at the start of `text`; an integer of 64 bits exactly.
Digits read_digits(std::string_view text) {
  const bool hexadecimal = (text.starts_with("0x") || text.starts_with("0X")) && text.size() > 2 &&
                           std::isxdigit(static_cast<unsigned char>(text[2])) != 0;
  const char* const begin = text.data() + (hexadecimal ? 2 : 0);
  const char* const stop = text.data() + text.size();
  std::uint64_t whole = 0;
  const auto integer = std::from_chars(begin, stop, whole, hexadecimal ? 16 : 10);
  const char next = integer.ptr < stop ? *integer.ptr : ' ';
  const bool more = hexadecimal ? std::string_view(".pP").find(next) != std::string_view::npos
                                : std::string_view(".eE").find(next) != std::string_view::npos;
  if (integer.ec == std::errc{} && !more) return {quantity_of(Int128{whole}), integer.ptr};
  double value = 0;
  const auto format = hexadecimal ? std::chars_format::hex : std::chars_format::general;
  const auto real = std::from_chars(begin, stop, value, format);
  return {{value, Unit::none}, real.ptr, real.ec != std::errc::result_out_of_range};
}

Expr::Op op_of(std::string_view text) {
  using Op = Expr::Op;
  for (Op op : {Op::add, Op::sub, Op::mul, Op::div, Op::mod, Op::eq, Op::ne, Op::lt, Op::le, Op::gt,
                Op::ge, Op::within, Op::is})
    if (spelling(op) == text) return op;
  return Op::none;
}

Expr combine(Expr::Op op, Expr left, Expr right) {
  Expr expr;
  expr.kind = Expr::Kind::binary;
  expr.op = op;
  expr.span = {left.span.begin, right.span.end};
  expr.args.push_back(std::move(left));
  expr.args.push_back(std::move(right));
  return expr;
}

Expr apply(Expr::Op op, Span span, Expr operand) {
  Expr expr;
  expr.kind = Expr::Kind::unary;
  expr.op = op;
  expr.span = span;
  expr.args.push_back(std::move(operand));
  return expr;
}

Expr leaf(Expr::Kind kind, Span span, std::string text = {}) {
  Expr expr;
  expr.kind = kind;
  expr.span = span;
  expr.text = std::move(text);
  return expr;
}

Expr poison(Span span) {
  Expr expr = leaf(Expr::Kind::quantity, span);
  expr.quantity.value = std::numeric_limits<double>::quiet_NaN();
  return expr;
}

}  // namespace

bool is_poison(const Expr& expr) {
  if (expr.kind == Expr::Kind::quantity && std::isnan(expr.quantity.value)) return true;
  for (const Expr& arg : expr.args)
    if (is_poison(arg)) return true;
  return false;
}

ast::Ident ExprBuilder::ident(const Tree& tree) const {
  if (tree.node == Node::string) return {unquoted(text(tree)), tree.span};
  return {std::string(text(tree)), tree.span};
}

std::vector<ast::Ident> ExprBuilder::idents(const Tree& tree) const {
  std::vector<ast::Ident> all;
  for (const Tree& child : tree.children) all.push_back(ident(child));
  return all;
}

Expr ExprBuilder::operand(const Tree& tree) {
  nodes_ = 0;
  Expr built = expr(tree);
  if (nodes_ <= max_nodes) return built;
  problems_.add(tree.span, fmt::format("an expression of more than {} operands", max_nodes));
  return poison(tree.span);
}

Expr ExprBuilder::number(const Tree& tree) {
  const std::string_view all = text(tree);
  const Digits read = read_digits(all);
  const std::string suffix(read.end, all.data() + all.size());
  const double value = read.quantity.value;
  if (!read.fits || !std::isfinite(value)) {
    problems_.add(tree.span, "this number is too large or too small");
    return poison(tree.span);
  }
  Expr expr = leaf(Expr::Kind::quantity, tree.span);
  expr.quantity = read.quantity;
  if (suffix.empty()) return expr;
  for (const UnitRow& row : units())
    if (suffix == row.name) {
      expr.quantity = {row.divide ? value / row.scale : value * row.scale, row.unit};
      if (row.unit == Unit::byte) expr.text = suffix;
      return expr;
    }
  const Span place{tree.span.end - static_cast<std::uint32_t>(suffix.size()), tree.span.end};
  problems_.add(place, fmt::format("unknown unit '{}'", suffix),
                suffix_hint(suffix, all.substr(0, all.size() - suffix.size())));
  return poison(tree.span);
}

/// operand (operator operand)+, grouped to the left.
Expr ExprBuilder::chain(const Tree& tree) {
  Expr left = expr(tree.children[0]);
  for (std::size_t i = 1; i + 1 < tree.children.size() && nodes_ <= max_nodes; i += 2)
    left = combine(op_of(text(tree.children[i])), std::move(left), expr(tree.children[i + 1]));
  return left;
}

/// operands with the same word between them.
Expr ExprBuilder::joined(Expr::Op op, const Tree& tree) {
  Expr left = expr(tree.children[0]);
  for (std::size_t i = 1; i < tree.children.size() && nodes_ <= max_nodes; ++i)
    left = combine(op, std::move(left), expr(tree.children[i]));
  return left;
}

Expr ExprBuilder::comparison(const Tree& tree) {
  const Tree& right = tree.children[2];
  const Expr::Op op = op_of(text(tree.children[1]));
  Expr second =
      op == Expr::Op::is ? leaf(Expr::Kind::word, right.span, ident(right).text) : expr(right);
  return combine(op, expr(tree.children[0]), std::move(second));
}

Value ExprBuilder::key_value(const Tree& tree) {
  switch (tree.node) {
    case Node::number: return number(tree).quantity;
    case Node::unary: {
      const Quantity q = number(tree.children[1]).quantity;
      return Quantity{-q.value, q.unit, -q.rest};
    }
    case Node::truth: return text(tree) == "true";
    default: return ident(tree).text;
  }
}

/// A name, a function's call, or a finding: what has dots or keys.
Expr ExprBuilder::reference(const Tree& tree) {
  std::string base;
  std::size_t words = 0;
  std::vector<std::pair<std::string, Value>> keys;
  const Tree* arguments = nullptr;
  for (const Tree& child : tree.children) {
    if (child.node == Node::arguments)
      arguments = &child;
    else if (child.node == Node::ident)
      base += (words++ ? "." : "") + ident(child).text;
    else if (child.children.size() == 1)
      keys.emplace_back("", number(child.children[0]).quantity);
    else
      for (std::size_t i = 0; i + 1 < child.children.size(); i += 2)
        keys.emplace_back(ident(child.children[i]).text, key_value(child.children[i + 1]));
  }
  if (!arguments) {
    const bool finding = words > 1 || !keys.empty();
    Expr name = leaf(finding ? Expr::Kind::finding : Expr::Kind::name, tree.span,
                     canonical_finding(base, keys));
    name.keys = std::move(keys);
    return name;
  }
  Expr call = leaf(Expr::Kind::call, tree.span, base);
  for (const Tree& arg : arguments->children) call.args.push_back(expr(arg));
  return call;
}

Expr ExprBuilder::expr(const Tree& tree) {
  using Op = Expr::Op;
  if (++nodes_ > max_nodes) return poison(tree.span);
  switch (tree.node) {
    case Node::number: return number(tree);
    case Node::string: return leaf(Expr::Kind::word, tree.span, ident(tree).text);
    case Node::truth: {
      Expr expr = leaf(Expr::Kind::truth, tree.span);
      expr.truth = text(tree) == "true";
      return expr;
    }
    case Node::reference: return reference(tree);
    case Node::arguments: {  // `(1, 2, 3, 4)`: a call of nothing
      Expr tuple = leaf(Expr::Kind::call, tree.span);
      for (const Tree& component : tree.children) tuple.args.push_back(expr(component));
      return tuple;
    }
    case Node::power: return combine(Op::pow, expr(tree.children[0]), expr(tree.children[1]));
    case Node::unary: return apply(Op::neg, tree.span, expr(tree.children[1]));
    case Node::negation: return apply(Op::not_, tree.span, expr(tree.children[1]));
    case Node::conjunction: return joined(Op::and_, tree);
    case Node::disjunction: return joined(Op::or_, tree);
    case Node::comparison: return comparison(tree);
    case Node::bounds: {
      Expr range = combine(Op::none, expr(tree.children[0]), expr(tree.children[1]));
      range.kind = Expr::Kind::range;
      return range;
    }
    default: return chain(tree);
  }
}

}  // namespace gpx
