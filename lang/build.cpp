// Parse tree to AST: clauses, blocks and comments. Expressions are in build_expr.cpp, regions in
// build_timed.cpp. Interface: build.h; covered by the goldens (*.ast).
#include "lang/build.h"

#include "lang/build_parts.h"
#include "lang/recovery.h"
#include "lang/vocabulary.h"

namespace gpx {
namespace {

using grammar::Node;
using grammar::Tree;

class Builder : public TimedBuilder {
 public:
  using TimedBuilder::TimedBuilder;

  ast::Item item(const Tree& tree);
  ast::Axis axis_values(const Tree& tree);

 private:
  ast::Axis axis(const Tree& tree);
  ast::AxisGroup group(const Tree& tree);
  ast::Statement statement(const Tree& tree);
  ast::Block block(const Tree& tree);

  ast::Cite cite(const Tree& tree);
  ast::ResultOf result_of(const Tree& tree);
  ast::ResultCheck result_check(const Tree& tree);
  ast::Sweep sweep(const Tree& tree);
  ast::Repeat repeat(const Tree& tree);
  ast::Flush flush(const Tree& tree);
  ast::Beside beside(const Tree& tree);
  ast::Chase chase(const Tree& tree);
  ast::Array array(const Tree& tree);
  ast::Kernel kernel(const Tree& tree);
  template <typename Clause>
  Clause extent(const Tree& tree);
  ast::Measure measure(const Tree& tree);
  ast::Analyze analyze(const Tree& tree);
  ast::Plot plot(const Tree& tree);
  ast::Paper paper(const Tree& tree);
};

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
  ast::Repeat repeat;
  const Tree& often = tree.children[0];
  if (often.node != Node::until) {
    repeat.value = operand(often);
  } else {
    repeat.until = operand(often.children[0]);
    if (often.children.size() > 1) repeat.value = operand(often.children[1]);
  }
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

ast::Beside Builder::beside(const Tree& tree) {
  ast::Beside beside{operand(tree.children[0]), std::nullopt, body(tree.children.back())};
  if (tree.children.size() > 2) beside.condition = operand(tree.children[1].children[0]);
  return beside;
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

ast::Kernel Builder::kernel(const Tree& tree) {
  ast::Kernel kernel{ident(tree.children[0]), ident(tree.children[1]), {}, {}, {}};
  std::vector<ast::Argument>* list = &kernel.defines;  // Those of the entry stand behind its name.
  for (std::size_t i = 2; i < tree.children.size(); ++i) {
    const Tree& child = tree.children[i];
    if (child.node == Node::argument) {
      list->push_back({ident(child.children[0]), operand(child.children[1])});
    } else {
      kernel.entry = ident(child);
      list = &kernel.args;
    }
  }
  return kernel;
}

ast::ResultOf Builder::result_of(const Tree& tree) {
  ast::ResultOf result{ident(tree.children[0]), {}, ident(tree.children.back()), tree.span};
  if (tree.children.size() > 2) result.kernel = ident(tree.children[1]);
  return result;
}

ast::ResultCheck Builder::result_check(const Tree& tree) {
  ast::ResultCheck check{result_of(tree.children[0]), {}, {}, {}, {}};
  const Tree& right = tree.children[1];
  if (right.node == Node::result_of)
    check.other = result_of(right);
  else if (right.node == Node::string)
    check.file = ident(right);
  else
    check.value = operand(right);
  if (tree.children.size() > 2) check.within = operand(tree.children[2].children[0]);
  return check;
}

/// `threads 128`, `threads (16, 8)`
template <typename Clause>
Clause Builder::extent(const Tree& tree) {
  const Tree& value = tree.children[0];
  if (value.node != Node::extents) return {operand(value)};
  Clause clause{operand(value.children[0]), operand(value.children[1])};
  if (value.children.size() > 2) clause.deep = operand(value.children[2]);
  return clause;
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
  if (tree.node != Node::region) word = static_cast<std::uint32_t>(grammar::identifier_length(all));
  out.keyword = {tree.span.begin, tree.span.begin + word};
  const auto& children = tree.children;
  switch (tree.node) {
    case Node::cite: out.node = cite(tree); break;
    case Node::device: out.node = ast::Device{ident(children[0])}; break;
    case Node::param: out.node = ast::Param{ident(children[0]), operand(children[1])}; break;
    case Node::sweep: out.node = sweep(tree); break;
    case Node::threads: out.node = extent<ast::Threads>(tree); break;
    case Node::blocks: out.node = extent<ast::Blocks>(tree); break;
    case Node::cluster: out.node = ast::Cluster{operand(children[0])}; break;
    case Node::warmup: out.node = ast::Warmup{operand(children[0])}; break;
    case Node::repeat: out.node = repeat(tree); break;
    case Node::flush: out.node = flush(tree); break;
    case Node::offset: out.node = ast::Offset{operand(children[0])}; break;
    case Node::rehearse: out.node = ast::Rehearse{operand(children[0])}; break;
    case Node::registers: out.node = ast::Registers{operand(children[0])}; break;
    case Node::watchdog: out.node = ast::Watchdog{operand(children[0])}; break;
    case Node::bank_width: out.node = ast::BankWidth{operand(children[0])}; break;
    case Node::carveout: out.node = ast::Carveout{operand(children[0])}; break;
    case Node::l1_cache: out.node = ast::L1Cache{ident(children[0])}; break;
    case Node::place: out.node = ast::Place{operand(children[0])}; break;
    case Node::beside: out.node = beside(tree); break;
    case Node::shared: out.node = ast::Shared{ident(children[0]), operand(children[1])}; break;
    case Node::shared_bytes: out.node = ast::SharedBytes{operand(children[0])}; break;
    case Node::kernel: out.node = kernel(tree); break;
    case Node::array: out.node = array(tree); break;
    case Node::measure: out.node = measure(tree); break;
    case Node::observe: out.node = ast::Observe{ident(children[0])}; break;
    case Node::region: out.node = ast::Region{body(tree)}; break;
    case Node::analyze: out.node = analyze(tree); break;
    case Node::plot: out.node = plot(tree); break;
    case Node::derive: out.node = ast::Derive{ident(children[0]), operand(children[1])}; break;
    case Node::expect:
      if (children[0].node == Node::expect_result)
        out.node = ast::Expect{{}, result_check(children[0])};
      else
        out.node = ast::Expect{operand(children[0])};
      break;
    case Node::paper: out.node = paper(tree); break;
    default: out.node = ast::Claim{ident(children[0]), operand(children[1]), ident(children[2])};
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
  block.names_broken |=
      !known || word == "param" || word == "sweep" || word == "shared" || word == "derive";
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
