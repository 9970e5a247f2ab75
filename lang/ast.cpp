// The AST as text, one line a node. Interface: ast.h; covered by the goldens (*.ast).
#include "lang/ast.h"

#include <fmt/format.h>

#include "lang/quoted.h"

namespace gpx {
namespace {

/// (+ (* 2 n) 1): grouping is plain to see.
std::string prefix(const Expr& expr) {
  const bool is_operator = expr.kind == Expr::Kind::unary || expr.kind == Expr::Kind::binary;
  if (!is_operator && expr.kind != Expr::Kind::call && expr.kind != Expr::Kind::range)
    return to_string(expr);
  std::string out = "(";
  if (expr.kind == Expr::Kind::call)
    out += expr.text;
  else
    out += expr.kind == Expr::Kind::range ? ".." : spelling(expr.op);
  for (const Expr& arg : expr.args) out += " " + prefix(arg);
  return out + ")";
}

std::string quoted_word(const ast::Ident& text) {
  Expr word;
  word.kind = Expr::Kind::word;
  word.text = text.text;
  return to_string(word);
}

class Printer {
 public:
  void line(int depth, std::string_view text) { out_.append(2 * depth, ' ').append(text) += '\n'; }

  void axis(int depth, const ast::Axis& axis) {
    std::string text = fmt::format("axis {}", axis.name.text);
    if (axis.is_list) {
      text += " list";
      for (const Expr& value : axis.list) text += " " + prefix(value);
    } else {
      text += fmt::format(" range {} {}", prefix(axis.from), prefix(axis.to));
      if (axis.step)
        text += fmt::format(" {} {}", axis.geometric ? "factor" : "step", prefix(*axis.step));
    }
    line(depth, text);
  }

  void body(int depth, const ast::Body& body) {
    for (const ast::Timed& timed : body.statements)
      std::visit([&](const auto& node) { show(depth, node); }, timed.node);
  }

  void block(const ast::Block& block) {
    std::string head = block.is_line ? "line" : "experiment " + block.name.text;
    if (block.title) head += " " + quoted_word(*block.title);
    line(0, head);
    for (const ast::Statement& one : block.statements) statement(1, one);
  }

  void statement(int depth, const ast::Statement& statement) {
    std::visit([&](const auto& node) { show(depth, node); }, statement.node);
  }

  std::string out_;

 private:
  template <typename Clause>
  static std::string extent(const Clause& n) {
    return prefix(n.value) + (n.down ? " down " + prefix(*n.down) : "") +
           (n.deep ? " deep " + prefix(*n.deep) : "");
  }
  static std::string words(const std::vector<ast::Ident>& idents) {
    std::string out;
    for (const ast::Ident& ident : idents) out += " " + ident.text;
    return out;
  }

  void show(int d, const ast::Access& n) {
    std::string text = (n.async ? "async " : "") + n.kind.text;
    if (n.space) text += " space " + n.space->text;
    text += " pattern " + n.pattern.text;
    for (const Expr& arg : n.args) text += " " + prefix(arg);
    if (n.width) text += " width " + prefix(*n.width);
    if (n.cache) text += " cache " + n.cache->text;
    if (n.each) text += " each";
    if (n.count) text += " count " + prefix(*n.count);
    if (n.from) text += " from " + prefix(*n.from);
    if (n.rank) text += " rank " + prefix(*n.rank);
    line(d, text + (n.chain ? " chain" : ""));
  }
  void show(int d, const ast::Operate& n) {
    std::string text = n.is_ptx ? "ptx " + quoted(n.operation.text) : "operate " + n.operation.text;
    if (n.count) text += " count " + prefix(*n.count);
    if (n.streams) text += " streams " + prefix(*n.streams);
    if (n.chain) text += " chain";
    if (n.source) text += " source " + n.source->text;
    line(d, text + (n.data ? " data " + n.data->text : ""));
  }
  void show(int d, const ast::Code& n) { line(d, "code " + prefix(n.bytes)); }
  void show(int d, const ast::Sync& n) { line(d, n.cluster ? "sync cluster" : "sync"); }
  void show(int d, const ast::Wait&) { line(d, "wait"); }
  void show(int d, const ast::Stamp& n) { line(d, n.label ? "stamp " + n.label->text : "stamp"); }
  void show(int d, const ast::Assign& n) {
    line(d, fmt::format("assign {} {}", n.variable.text, prefix(n.value)));
  }
  void show(int d, const ast::Keep& n) {
    line(d, fmt::format("keep {} {}", n.column.text, prefix(n.value)));
  }
  void show(int d, const ast::Run& n) { line(d, "run " + n.kernel.text); }
  void show(int d, const ast::When& n) {
    line(d, "when " + prefix(n.condition));
    body(d + 1, n.then);
    if (!n.otherwise) return;
    line(d, "else");
    body(d + 1, *n.otherwise);
  }
  void show(int d, const ast::While& n) {
    line(d, "while " + prefix(n.condition));
    body(d + 1, n.body);
  }
  void show(int d, const ast::Diverge& n) {
    std::string text =
        fmt::format("diverge {} {}", prefix(n.selector), n.is_list ? "list" : "range");
    if (n.is_list)
      for (const Expr& value : n.list) text += " " + prefix(value);
    else
      text += fmt::format(" {} {}", prefix(n.from), prefix(n.to));
    line(d, text);
    body(d + 1, n.body);
  }

  void show(int d, const ast::Cite& n) { line(d, "cite " + n.work.text + words(n.ids)); }
  void show(int d, const ast::Device& n) { line(d, "device " + n.name.text); }
  void show(int d, const ast::Param& n) {
    line(d, fmt::format("param {} {}", n.name.text, prefix(n.value)));
  }
  void show(int d, const ast::Sweep& n) {
    line(d, "sweep");
    for (const ast::AxisGroup& group : n.groups) {
      if (group.zipped) line(d + 1, "zip");
      for (const ast::Axis& one : group.axes) axis(d + 1 + group.zipped, one);
    }
  }
  void show(int d, const ast::Threads& n) { line(d, "threads " + extent(n)); }
  void show(int d, const ast::Blocks& n) { line(d, "blocks " + extent(n)); }
  void show(int d, const ast::Warmup& n) { line(d, "warmup " + prefix(n.value)); }
  void show(int d, const ast::Repeat& n) {
    std::string often = n.value ? prefix(*n.value) : "";
    if (n.until) often = "until " + prefix(*n.until) + "%" + (n.value ? " at most " + often : "");
    line(d, "repeat " + often + (n.reduce ? " reduce " + n.reduce->text : ""));
  }
  void show(int d, const ast::Flush& n) {
    std::string text = "flush";
    if (n.bytes) text += " " + prefix(*n.bytes);
    if (n.condition) text += " if " + prefix(*n.condition);
    line(d, text);
  }
  void show(int d, const ast::Offset& n) { line(d, "offset " + prefix(n.value)); }
  void show(int d, const ast::Rehearse& n) { line(d, "rehearse " + prefix(n.value)); }
  void show(int d, const ast::Registers& n) { line(d, "registers " + prefix(n.value)); }
  void show(int d, const ast::Watchdog& n) { line(d, "watchdog " + prefix(n.value)); }
  void show(int d, const ast::BankWidth& n) { line(d, "bank_width " + prefix(n.value)); }
  void show(int d, const ast::Carveout& n) { line(d, "carveout " + prefix(n.value)); }
  void show(int d, const ast::L1Cache& n) { line(d, "l1_cache " + n.state.text); }
  void show(int d, const ast::Place& n) { line(d, "place sm " + prefix(n.sm)); }
  void show(int d, const ast::Beside& n) {
    line(d, "beside sm " + prefix(n.sm) + (n.condition ? " if " + prefix(*n.condition) : ""));
    body(d + 1, n.body);
  }
  void show(int d, const ast::Shared& n) {
    line(d, fmt::format("shared {} {}", n.name.text, prefix(n.initial)));
  }
  void show(int d, const ast::Cluster& n) { line(d, "cluster " + prefix(n.value)); }
  void show(int d, const ast::SharedBytes& n) { line(d, "shared_bytes " + prefix(n.value)); }
  void show(int d, const ast::Kernel& n) {
    line(d,
         fmt::format("kernel {} file {} entry {}", n.name.text, quoted_word(n.file), n.entry.text));
    for (const ast::Argument& macro : n.defines)
      line(d + 1, fmt::format("define {} {}", macro.name.text, prefix(macro.value)));
    for (const ast::Argument& arg : n.args)
      line(d + 1, fmt::format("{} {}", arg.name.text, prefix(arg.value)));
  }
  void show(int d, const ast::Array& n) {
    std::string text =
        fmt::format("array {} space {} bytes {}", n.name.text, n.space.text, prefix(n.bytes));
    if (n.chase) text += " chase " + n.chase->order.text;
    if (n.chase)
      for (const Expr& arg : n.chase->args) text += " " + prefix(arg);
    if (n.width) text += " width " + prefix(*n.width);
    line(d, text);
  }
  void show(int d, const ast::Measure& n) {
    line(d, "measure " + n.name.text);
    for (const ast::Statement& one : n.statements) statement(d + 1, one);
  }
  void show(int d, const ast::Observe& n) { line(d, "observe " + n.what.text); }
  void show(int d, const ast::Region& n) {
    line(d, "region");
    body(d + 1, n.body);
  }
  void show(int d, const ast::Analyze& n) {
    line(d, "analyze " + (n.is_file ? "file " + quoted_word(n.method) : n.method.text));
    for (const ast::Argument& arg : n.args)
      line(d + 1, fmt::format("{} {}", arg.name.text, prefix(arg.value)));
  }
  void show(int d, const ast::Plot& n) {
    std::string text = "plot" + words(n.y) + " over " + n.x.text;
    if (!n.by.empty()) text += " by" + words(n.by);
    line(d, text + (n.log_x ? " logx" : "") + (n.log_y ? " logy" : ""));
  }
  void show(int d, const ast::Derive& n) {
    line(d, fmt::format("derive {} {}", n.name.text, prefix(n.value)));
  }
  static std::string result(const ast::ResultOf& n) {
    return n.what.text + " " + (n.kernel ? n.kernel->text + "." : "") + n.buffer.text;
  }
  void show(int d, const ast::Expect& n) {
    if (!n.result) return line(d, "expect " + prefix(n.condition));
    const ast::ResultCheck& r = *n.result;
    std::string text = "expect " + result(r.result);
    if (r.other) text += " is " + result(*r.other);
    if (r.file) text += " is " + quoted_word(*r.file);
    if (r.value) text += " is " + prefix(*r.value);
    line(d, text + (r.within ? " within " + prefix(*r.within) : ""));
  }
  void show(int d, const ast::Paper& n) {
    std::string text = fmt::format("paper {} {}", prefix(n.finding), prefix(n.value));
    if (n.high) text += " to " + prefix(*n.high);
    line(d, text + " " + n.cite.text);
  }
  void show(int d, const ast::Claim& n) {
    line(d,
         fmt::format("claim {} {} {}", quoted_word(n.sentence), prefix(n.condition), n.cite.text));
  }
};

}  // namespace

std::string to_string(const Ast& ast) {
  Printer printer;
  for (const ast::Item& item : ast.items) {
    if (const auto* block = std::get_if<ast::Block>(&item))
      printer.block(*block);
    else
      printer.statement(0, std::get<ast::Statement>(item));
  }
  return printer.out_;
}

}  // namespace gpx
