// Parse tree to AST. Interface: build.h; covered by the goldens (*.ast).
#include "lang/build.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "lang/recovery.h"
#include "lang/vocabulary.h"

namespace gpx {
namespace {

using grammar::Node;
using grammar::Tree;

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

class Builder {
 public:
  explicit Builder(Problems& problems) : problems_(problems), source_(problems.source()) {}

  ast::Item item(const Tree& tree);
  ast::Axis axis_values(const Tree& tree);

  /// An expression of its own, not part of a larger one.
  Expr operand(const Tree& tree) {
    nodes_ = 0;
    Expr built = expr(tree);
    if (nodes_ <= max_nodes) return built;
    problems_.add(tree.span, fmt::format("an expression of more than {} operands", max_nodes));
    return poison(tree.span);
  }

 private:
  std::string_view text(const Tree& tree) const { return source_.slice(tree.span); }
  ast::Ident ident(const Tree& tree) const {
    if (tree.node == Node::string) return {unquoted(text(tree)), tree.span};
    return {std::string(text(tree)), tree.span};
  }
  std::vector<ast::Ident> idents(const Tree& tree) const {
    std::vector<ast::Ident> all;
    for (const Tree& child : tree.children) all.push_back(ident(child));
    return all;
  }
  static Expr poison(Span span) {
    Expr expr = leaf(Expr::Kind::quantity, span);
    expr.quantity.value = std::numeric_limits<double>::quiet_NaN();
    return expr;
  }

  Expr expr(const Tree& tree);
  Expr number(const Tree& tree);
  Expr chain(const Tree& tree);
  Expr joined(Expr::Op op, const Tree& tree);
  Expr comparison(const Tree& tree);
  Expr reference(const Tree& tree);
  Value key_value(const Tree& tree);

  ast::Axis axis(const Tree& tree);
  ast::AxisGroup group(const Tree& tree);
  template <typename T>
  void set_once(std::optional<T>& slot, T value, const Tree& at, const char* what);
  ast::Access access(const Tree& tree);
  ast::Operate operate(const Tree& tree);
  ast::When when(const Tree& tree);
  ast::Diverge diverge(const Tree& tree);
  ast::Body body(const Tree& tree);
  ast::Timed timed(const Tree& tree);
  ast::Statement statement(const Tree& tree);
  ast::Block block(const Tree& tree);

  ast::Cite cite(const Tree& tree);
  ast::Sweep sweep(const Tree& tree);
  ast::Repeat repeat(const Tree& tree);
  ast::Flush flush(const Tree& tree);
  ast::Chase chase(const Tree& tree);
  ast::Array array(const Tree& tree);
  ast::Measure measure(const Tree& tree);
  ast::Analyze analyze(const Tree& tree);
  ast::Plot plot(const Tree& tree);
  ast::Paper paper(const Tree& tree);

  Problems& problems_;
  const Source& source_;
  std::size_t nodes_ = 0;
};

Expr Builder::number(const Tree& tree) {
  const std::string_view all = text(tree);
  double value = 0;
  const auto [end, status] = std::from_chars(all.data(), all.data() + all.size(), value);
  const std::string suffix(end, all.data() + all.size());
  if (status == std::errc::result_out_of_range || !std::isfinite(value)) {
    problems_.add(tree.span, "this number is too large or too small");
    return poison(tree.span);
  }
  Expr expr = leaf(Expr::Kind::quantity, tree.span);
  expr.quantity = {value, Unit::none};
  if (suffix.empty()) return expr;
  for (const UnitRow& row : units())
    if (suffix == row.name) {
      expr.quantity = {row.divide ? value / row.scale : value * row.scale, row.unit};
      return expr;
    }
  const Span place{tree.span.end - static_cast<std::uint32_t>(suffix.size()), tree.span.end};
  problems_.add(place, fmt::format("unknown unit '{}'", suffix),
                suggest(suffix, names_of(TermKind::unit), "units"));
  return poison(tree.span);
}

/// operand (operator operand)+, grouped to the left.
Expr Builder::chain(const Tree& tree) {
  Expr left = expr(tree.children[0]);
  for (std::size_t i = 1; i + 1 < tree.children.size() && nodes_ <= max_nodes; i += 2)
    left = combine(op_of(text(tree.children[i])), std::move(left), expr(tree.children[i + 1]));
  return left;
}

/// operands with the same word between them.
Expr Builder::joined(Expr::Op op, const Tree& tree) {
  Expr left = expr(tree.children[0]);
  for (std::size_t i = 1; i < tree.children.size() && nodes_ <= max_nodes; ++i)
    left = combine(op, std::move(left), expr(tree.children[i]));
  return left;
}

Expr Builder::comparison(const Tree& tree) {
  const Tree& right = tree.children[2];
  const Expr::Op op = op_of(text(tree.children[1]));
  Expr second =
      op == Expr::Op::is ? leaf(Expr::Kind::word, right.span, ident(right).text) : expr(right);
  return combine(op, expr(tree.children[0]), std::move(second));
}

Value Builder::key_value(const Tree& tree) {
  switch (tree.node) {
    case Node::number:
      return number(tree).quantity;
    case Node::unary: {
      const Quantity q = number(tree.children[1]).quantity;
      return Quantity{-q.value, q.unit};
    }
    case Node::truth:
      return text(tree) == "true";
    default:
      return ident(tree).text;
  }
}

/// A name, a function's call, or a finding: what has dots or keys.
Expr Builder::reference(const Tree& tree) {
  std::string base;
  std::size_t words = 0;
  std::vector<std::pair<std::string, Value>> keys;
  const Tree* arguments = nullptr;
  for (const Tree& child : tree.children) {
    if (child.node == Node::arguments)
      arguments = &child;
    else if (child.node == Node::ident)
      base += (words++ ? "." : "") + ident(child).text;
    else
      for (std::size_t i = 0; i + 1 < child.children.size(); i += 2)
        keys.emplace_back(ident(child.children[i]).text, key_value(child.children[i + 1]));
  }
  if (!arguments) {
    const bool finding = words > 1 || !keys.empty();
    return leaf(finding ? Expr::Kind::finding : Expr::Kind::name, tree.span,
                canonical_finding(base, keys));
  }
  Expr call = leaf(Expr::Kind::call, tree.span, base);
  for (const Tree& arg : arguments->children) call.args.push_back(expr(arg));
  return call;
}

Expr Builder::expr(const Tree& tree) {
  using Op = Expr::Op;
  if (++nodes_ > max_nodes) return poison(tree.span);
  switch (tree.node) {
    case Node::number:
      return number(tree);
    case Node::string:
      return leaf(Expr::Kind::word, tree.span, ident(tree).text);
    case Node::truth: {
      Expr expr = leaf(Expr::Kind::truth, tree.span);
      expr.truth = text(tree) == "true";
      return expr;
    }
    case Node::reference:
      return reference(tree);
    case Node::power:
      return combine(Op::pow, expr(tree.children[0]), expr(tree.children[1]));
    case Node::unary:
      return apply(Op::neg, tree.span, expr(tree.children[1]));
    case Node::negation:
      return apply(Op::not_, tree.span, expr(tree.children[1]));
    case Node::conjunction:
      return joined(Op::and_, tree);
    case Node::disjunction:
      return joined(Op::or_, tree);
    case Node::comparison:
      return comparison(tree);
    case Node::bounds: {
      Expr range = combine(Op::none, expr(tree.children[0]), expr(tree.children[1]));
      range.kind = Expr::Kind::range;
      return range;
    }
    default:
      return chain(tree);
  }
}

ast::Axis Builder::axis_values(const Tree& tree) {
  ast::Axis axis;
  axis.values_span = tree.span;
  axis.is_list = tree.node != Node::range;
  if (tree.node == Node::values) {
    for (const Tree& child : tree.children) axis.list.push_back(operand(child));
  } else if (tree.node == Node::range) {
    axis.from = operand(tree.children[0]);
    axis.to = operand(tree.children[1]);
    if (tree.children.size() > 2) {
      const Tree& step = tree.children[2];
      axis.geometric = step.children.front().node == Node::times;
      axis.step = operand(step.children.back());
    }
  } else {
    axis.list.push_back(operand(tree));
  }
  return axis;
}

ast::Axis Builder::axis(const Tree& tree) {
  ast::Axis axis = axis_values(tree.children[1]);
  axis.name = ident(tree.children[0]);
  return axis;
}

ast::AxisGroup Builder::group(const Tree& tree) {
  ast::AxisGroup group;
  group.span = tree.span;
  group.zipped = tree.node == Node::zip;
  if (!group.zipped)
    group.axes.push_back(axis(tree));
  else
    for (const Tree& child : tree.children) group.axes.push_back(axis(child));
  return group;
}

template <typename T>
void Builder::set_once(std::optional<T>& slot, T value, const Tree& at, const char* what) {
  if (slot)
    problems_.add(at.span, fmt::format("a second {}", what));
  else
    slot = std::move(value);
}

ast::Access Builder::access(const Tree& tree) {
  ast::Access access;
  std::size_t i = 0;
  access.kind = ident(tree.children[i++]);
  if (tree.children[i].node == Node::space) access.space = ident(tree.children[i++].children[0]);
  access.pattern = ident(tree.children[i++]);
  for (; i < tree.children.size(); ++i) {
    const Tree& part = tree.children[i];
    if (part.node == Node::arguments) {
      access.has_args = true;
      for (const Tree& arg : part.children) access.args.push_back(operand(arg));
    } else if (part.node == Node::width) {
      set_once(access.width, operand(part.children[0]), part, "width for one access");
    } else if (part.node == Node::cache) {
      set_once(access.cache, ident(part.children[0]), part, "cache operator for one access");
    } else if (part.node == Node::each) {
      set_once(access.each, ident(part), part, "'each' for one access");
    } else if (part.node == Node::chain) {
      set_once(access.chain, ident(part), part, "'chain' for one access");
    } else {
      set_once(access.count, operand(part.children[1]), part, "count for one access");
    }
  }
  return access;
}

ast::Operate Builder::operate(const Tree& tree) {
  ast::Operate operate;
  operate.operation = ident(tree.children[0]);
  for (std::size_t i = 1; i < tree.children.size(); ++i) {
    const Tree& part = tree.children[i];
    if (part.node == Node::count) {
      set_once(operate.count, operand(part.children[1]), part, "count for one operation");
    } else if (operate.chain || operate.streams) {
      problems_.add(part.span, "a second 'chain' or 'streams' for one operation",
                    "'chain' is one stream: each waits for the one before it");
    } else if (part.node == Node::chain) {
      operate.chain = ident(part);
    } else {
      operate.streams = operand(part.children[0]);
    }
  }
  return operate;
}

ast::When Builder::when(const Tree& tree) {
  ast::When when;
  when.condition = operand(tree.children[0]);
  when.then = body(tree.children[1]);
  if (tree.children.size() < 3) return when;
  const Tree& otherwise = tree.children[2];
  when.else_when = otherwise.node == Node::when;
  if (!when.else_when) {
    when.otherwise = body(otherwise);
    return when;
  }
  when.otherwise.emplace();
  when.otherwise->statements.push_back(timed(otherwise));
  return when;
}

ast::Diverge Builder::diverge(const Tree& tree) {
  ast::Diverge diverge;
  diverge.selector = operand(tree.children[0]);
  const Tree& values = tree.children[1];
  diverge.values_span = values.span;
  diverge.is_list = values.node == Node::values;
  if (diverge.is_list) {
    for (const Tree& child : values.children) diverge.list.push_back(operand(child));
  } else {
    diverge.from = operand(values.children[0]);
    diverge.to = operand(values.children[1]);
  }
  diverge.body = body(tree.children[2]);
  return diverge;
}

/// A region or a block; both are closed by one character.
ast::Body Builder::body(const Tree& tree) {
  ast::Body body;
  body.open = {tree.span.begin, tree.span.begin + 1};
  body.close = {tree.span.end - 1, tree.span.end};
  for (const Tree& child : tree.children)
    if (child.node != Node::open) body.statements.push_back(timed(child));
  return body;
}

ast::Timed Builder::timed(const Tree& tree) {
  const auto& children = tree.children;
  switch (tree.node) {
    case Node::access:
      return {access(tree), tree.span};
    case Node::sync:
      return {ast::Sync{}, tree.span};
    case Node::stamp:
      if (children.empty()) return {ast::Stamp{}, tree.span};
      return {ast::Stamp{ident(children[0])}, tree.span};
    case Node::keep:
      return {ast::Keep{ident(children[0]), operand(children[1])}, tree.span};
    case Node::assign:
      return {ast::Assign{ident(children[0]), operand(children[1])}, tree.span};
    case Node::when:
      return {when(tree), tree.span};
    case Node::while_:
      return {ast::While{operand(children[0]), body(children[1])}, tree.span};
    case Node::diverge:
      return {diverge(tree), tree.span};
    default:
      return {operate(tree), tree.span};
  }
}

ast::Cite Builder::cite(const Tree& tree) {
  std::vector<ast::Ident> all = idents(tree);
  return {all.front(), {all.begin() + 1, all.end()}};
}

ast::Sweep Builder::sweep(const Tree& tree) {
  ast::Sweep sweep;
  for (const Tree& child : tree.children) sweep.groups.push_back(group(child));
  return sweep;
}

ast::Repeat Builder::repeat(const Tree& tree) {
  ast::Repeat repeat{operand(tree.children[0]), std::nullopt};
  if (tree.children.size() > 1) repeat.reduce = ident(tree.children[1]);
  return repeat;
}

ast::Flush Builder::flush(const Tree& tree) {
  ast::Flush flush;
  for (const Tree& child : tree.children) {
    if (child.node == Node::condition)
      flush.condition = operand(child.children[0]);
    else
      flush.bytes = operand(child);
  }
  return flush;
}

ast::Chase Builder::chase(const Tree& tree) {
  ast::Chase chase{ident(tree.children[0]), {}};
  const Tree* from = &tree;
  std::size_t i = 1;
  if (tree.children.size() > 1 && tree.children[1].node == Node::values)
    from = &tree.children[1], i = 0;
  for (; i < from->children.size(); ++i) chase.args.push_back(operand(from->children[i]));
  return chase;
}

ast::Array Builder::array(const Tree& tree) {
  ast::Array array;
  array.name = ident(tree.children[0]);
  array.space = ident(tree.children[1]);
  array.bytes = operand(tree.children[2]);
  for (std::size_t i = 3; i < tree.children.size(); ++i) {
    const Tree& part = tree.children[i];
    if (part.node == Node::chase)
      set_once(array.chase, chase(part), part, "'chase' for one array");
    else
      set_once(array.width, operand(part.children[0]), part, "width for one array");
  }
  return array;
}

ast::Measure Builder::measure(const Tree& tree) {
  ast::Measure measure;
  for (const Tree& child : tree.children) {
    if (child.node == Node::ident)
      measure.name = ident(child);
    else if (child.node == Node::open)
      measure.open = child.span;
    else
      measure.statements.push_back(statement(child));
  }
  return measure;
}

ast::Analyze Builder::analyze(const Tree& tree) {
  ast::Analyze analyze;
  analyze.method = ident(tree.children[0]);
  analyze.is_file = tree.children[0].node == Node::string;
  for (std::size_t i = 1; i < tree.children.size(); ++i) {
    const Tree& argument = tree.children[i];
    analyze.args.push_back({ident(argument.children[0]), operand(argument.children[1])});
  }
  return analyze;
}

ast::Plot Builder::plot(const Tree& tree) {
  ast::Plot plot;
  plot.y = idents(tree.children[0]);
  plot.x = ident(tree.children[1]);
  for (std::size_t i = 2; i < tree.children.size(); ++i) {
    const Tree& part = tree.children[i];
    if (part.node == Node::by) plot.by = idents(part);
    if (part.node == Node::logx) plot.log_x = true;
    if (part.node == Node::logy) plot.log_y = true;
  }
  return plot;
}

ast::Paper Builder::paper(const Tree& tree) {
  ast::Paper paper;
  paper.finding = operand(tree.children[0]);
  paper.value = operand(tree.children[1]);
  if (tree.children.size() > 3) paper.high = operand(tree.children[2]);
  paper.cite = ident(tree.children.back());
  return paper;
}

ast::Statement Builder::statement(const Tree& tree) {
  ast::Statement out;
  out.span = tree.span;
  std::uint32_t word = 1;  // The `<` of a region, or a keyword.
  const std::string_view all = text(tree);
  if (tree.node != Node::region)
    while (word < all.size() && all[word] >= 'a' && all[word] <= 'z') ++word;
  out.keyword = {tree.span.begin, tree.span.begin + word};
  const auto& children = tree.children;
  switch (tree.node) {
    case Node::cite:
      out.node = cite(tree);
      break;
    case Node::device:
      out.node = ast::Device{ident(children[0])};
      break;
    case Node::param:
      out.node = ast::Param{ident(children[0]), operand(children[1])};
      break;
    case Node::sweep:
      out.node = sweep(tree);
      break;
    case Node::threads:
      out.node = ast::Threads{operand(children[0])};
      break;
    case Node::blocks:
      out.node = ast::Blocks{operand(children[0])};
      break;
    case Node::warmup:
      out.node = ast::Warmup{operand(children[0])};
      break;
    case Node::repeat:
      out.node = repeat(tree);
      break;
    case Node::flush:
      out.node = flush(tree);
      break;
    case Node::rehearse:
      out.node = ast::Rehearse{operand(children[0])};
      break;
    case Node::registers:
      out.node = ast::Registers{operand(children[0])};
      break;
    case Node::watchdog:
      out.node = ast::Watchdog{operand(children[0])};
      break;
    case Node::shared:
      out.node = ast::Shared{ident(children[0]), operand(children[1])};
      break;
    case Node::array:
      out.node = array(tree);
      break;
    case Node::measure:
      out.node = measure(tree);
      break;
    case Node::observe:
      out.node = ast::Observe{ident(children[0])};
      break;
    case Node::region:
      out.node = ast::Region{body(tree)};
      break;
    case Node::analyze:
      out.node = analyze(tree);
      break;
    case Node::plot:
      out.node = plot(tree);
      break;
    case Node::expect:
      out.node = ast::Expect{operand(children[0])};
      break;
    case Node::paper:
      out.node = paper(tree);
      break;
    default:
      out.node = ast::Claim{ident(children[0]), operand(children[1]), ident(children[2])};
  }
  return out;
}

ast::Block Builder::block(const Tree& tree) {
  ast::Block block;
  block.span = tree.span;
  block.is_line = tree.node == Node::line;
  for (const Tree& child : tree.children) {
    if (child.node == Node::ident)
      block.name = ident(child);
    else if (child.node == Node::string)
      block.title = ident(child);
    else if (child.node == Node::open)
      block.open = child.span;
    else
      block.statements.push_back(statement(child));
  }
  return block;
}

ast::Item Builder::item(const Tree& tree) {
  const bool parameter =
      tree.node == Node::line && tree.children.size() == 1 && tree.children[0].node == Node::param;
  if (parameter) return statement(tree.children[0]);
  return block(tree);
}

/// Comments are found on their own: they may stand anywhere, also inside what was skipped.
std::vector<ast::Comment> comments_of(const std::string& text) {
  std::vector<ast::Comment> comments;
  bool quoted = false, blank = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      quoted = false, blank = true;
      continue;
    }
    if (quoted && c == '\\') ++i;
    if (c == '"') quoted = !quoted;
    if (c == '#' && !quoted) {
      std::size_t end = std::min(text.find('\n', i), text.size());
      const std::size_t next = end;
      while (end > i && (text[end - 1] == ' ' || text[end - 1] == '\t' || text[end - 1] == '\r'))
        --end;
      comments.push_back({{static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(end)}, blank});
      i = next - 1;
      continue;
    }
    if (c != ' ' && c != '\t' && c != '\r') blank = false;
  }
  return comments;
}

bool holds(Span span, std::uint32_t at) {
  return at >= span.begin && at <= span.end;
}

/// What a clause that could not be read would have defined.
void mark(ast::Block& block, std::string_view rest) {
  const std::string_view word = rest.substr(0, grammar::identifier_length(rest));
  const bool known =
      grammar::starts_statement(rest) || is_timed_word(word) || rest.substr(0, 1) == "<";
  block.broken = true;
  block.names_broken |= !known || word == "param" || word == "sweep" || word == "shared";
  block.cites_broken |= !known || word == "cite";
}

/// An error outside every block may have been a parameter of all.
void mark_broken(const std::vector<grammar::SyntaxError>& errors, const std::string& text,
                 Ast& ast) {
  std::vector<ast::Block*> blocks;
  for (ast::Item& item : ast.items)
    if (auto* block = std::get_if<ast::Block>(&item)) blocks.push_back(block);
  for (const grammar::SyntaxError& error : errors) {
    const std::string_view rest = std::string_view(text).substr(error.begin);
    bool inside = false;
    for (ast::Block* block : blocks)
      if (holds(block->span, error.begin)) {
        mark(*block, rest);
        inside = true;
      }
    for (ast::Block* block : blocks) block->names_broken |= !inside;
  }
}

}  // namespace

bool is_poison(const Expr& expr) {
  if (expr.kind == Expr::Kind::quantity && std::isnan(expr.quantity.value)) return true;
  for (const Expr& arg : expr.args)
    if (is_poison(arg)) return true;
  return false;
}

Ast build_ast(const grammar::Parsed& parsed, Problems& problems) {
  Builder builder(problems);
  Ast ast;
  for (const Tree& child : parsed.tree.children) ast.items.push_back(builder.item(child));
  ast.comments = comments_of(problems.source().text());
  mark_broken(parsed.errors, problems.source().text(), ast);
  return ast;
}

ast::Axis build_value(const Tree& value, Problems& problems) {
  return Builder(problems).axis_values(value);
}

}  // namespace gpx
