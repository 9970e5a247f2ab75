// Clauses and timed statements to text, one by one, without layout. Interface: format_text.h;
// covered by tests/lang/format_test.cpp and the goldens (*.fmt).
#include "lang/format_text.h"

#include <fmt/format.h>

#include "lang/lists.h"

namespace gpx {
namespace {

class Texts {
 public:
  explicit Texts(const Source& source) : source_(source) {}

  std::string clause(const ast::Statement& statement) const {
    return std::visit([&](const auto& node) { return show(node); }, statement.node);
  }
  std::string timed(const ast::Timed& timed) const {
    return std::visit([&](const auto& node) { return show(node); }, timed.node);
  }
  std::string statements(const ast::Body& body) const {
    return joined(body.statements, "; ", [&](const ast::Timed& one) { return timed(one); });
  }
  std::string head(const ast::When& n) const { return "when " + expr(n.condition); }
  std::string head(const ast::Beside& n) const {
    const std::string sm = "sm " + operand(n.sm);
    return n.condition ? sm + " if " + expr(*n.condition) : sm;
  }
  std::string head(const ast::While& n) const { return "while " + expr(n.condition); }
  std::string head(const ast::Diverge& n) const {
    const std::string values = n.is_list ? fmt::format("[{}]", list(n.list))
                                         : fmt::format("{}..{}", operand(n.from), operand(n.to));
    return fmt::format("diverge {} over {}", operand(n.selector), values);
  }

 private:
  std::string expr(const Expr& e) const {
    return to_string(e,
                     [&](const Expr& number) { return std::string(source_.slice(number.span)); });
  }
  /// As a clause's operand.
  std::string operand(const Expr& e) const {
    return is_sum(e) ? expr(e) : fmt::format("({})", expr(e));
  }
  /// As one word among others.
  std::string beside(const Expr& e) const {
    return is_primary(e) ? expr(e) : fmt::format("({})", expr(e));
  }
  /// x3, x n, x (2 * n)
  std::string times(const Expr& e) const {
    return (e.kind == Expr::Kind::quantity ? "x" : "x ") + beside(e);
  }
  std::string list(const std::vector<Expr>& all) const {
    return joined(all, ", ", [&](const Expr& e) { return expr(e); });
  }
  static std::string words(const std::vector<ast::Ident>& all, const char* between) {
    std::string out;
    for (const ast::Ident& ident : all) out += (out.empty() ? "" : between) + ident.text;
    return out;
  }
  std::string axis(const ast::Axis& a) const {
    if (a.is_list) return fmt::format("{} in [{}]", a.name.text, list(a.list));
    std::string out = fmt::format("{} {}..{}", a.name.text, operand(a.from), operand(a.to));
    if (a.step) out += " step " + (a.geometric ? times(*a.step) : operand(*a.step));
    return out;
  }

  std::string arguments(const std::vector<ast::Argument>& all) const {
    return joined(all, ", ", [&](const ast::Argument& arg) {
      return arg.name.text + " = " + expr(arg.value);
    });
  }
  template <typename Clause>
  std::string extent(const Clause& n) const {
    if (!n.down) return operand(n.value);
    const std::string deep = n.deep ? ", " + operand(*n.deep) : "";
    return fmt::format("({}, {}{})", operand(n.value), operand(*n.down), deep);
  }

  std::string show(const ast::Cite& n) const { return n.work.text + " " + words(n.ids, " "); }
  std::string show(const ast::Device& n) const { return n.name.text; }
  std::string show(const ast::Param& n) const { return n.name.text + " = " + expr(n.value); }
  std::string show(const ast::Sweep& n) const {
    return joined(n.groups, ", ", [&](const ast::AxisGroup& group) {
      const std::string axes =
          joined(group.axes, ", ", [&](const ast::Axis& a) { return axis(a); });
      return group.zipped ? fmt::format("zip({})", axes) : axes;
    });
  }
  std::string show(const ast::Threads& n) const { return extent(n); }
  std::string show(const ast::Blocks& n) const { return extent(n); }
  std::string show(const ast::Warmup& n) const { return operand(n.value); }
  std::string show(const ast::Repeat& n) const {
    std::string out = n.value ? operand(*n.value) : "";
    if (n.until) out = "until " + beside(*n.until) + "%" + (n.value ? " at most " + out : "");
    return out + (n.reduce ? " reduce " + n.reduce->text : "");
  }
  std::string show(const ast::Flush& n) const {
    std::string out = n.bytes ? operand(*n.bytes) : "";
    if (n.condition) out += (out.empty() ? "if " : " if ") + expr(*n.condition);
    return out;
  }
  std::string show(const ast::Observe& n) const { return n.what.text; }
  std::string show(const ast::Offset& n) const { return operand(n.value); }
  std::string show(const ast::Rehearse& n) const { return operand(n.value); }
  std::string show(const ast::Registers& n) const { return operand(n.value); }
  std::string show(const ast::Watchdog& n) const { return operand(n.value); }
  std::string show(const ast::BankWidth& n) const { return operand(n.value); }
  std::string show(const ast::Carveout& n) const { return operand(n.value); }
  static std::string show(const ast::L1Cache& n) { return n.state.text; }
  std::string show(const ast::Place& n) const { return "sm " + operand(n.sm); }
  std::string show(const ast::Beside& n) const { return head(n) + " " + block(n.body); }
  std::string show(const ast::Shared& n) const { return n.name.text + " = " + operand(n.initial); }
  std::string chase(const ast::Chase& n) const {
    if (n.order.text == "list") return fmt::format("chase(list [{}])", list(n.args));
    if (n.order.text != "steps") return fmt::format("chase({} {})", n.order.text, list(n.args));
    std::string steps;
    for (std::size_t i = 0; i + 1 < n.args.size(); i += 2)
      steps += fmt::format("{}{} of {}", i ? ", " : "", operand(n.args[i]), operand(n.args[i + 1]));
    return fmt::format("chase(steps [{}])", steps);
  }
  std::string show(const ast::Array& n) const {
    std::string out = fmt::format("{} : {}[{}]", n.name.text, n.space.text, operand(n.bytes));
    if (n.chase) out += " " + chase(*n.chase);
    return n.width ? out + " width " + beside(*n.width) : out;
  }
  std::string show(const ast::Cluster& n) const { return operand(n.value); }
  std::string show(const ast::SharedBytes& n) const { return operand(n.value); }
  std::string show(const ast::Kernel& n) const {
    return fmt::format("{} from {}{} entry {}({})", n.name.text, quoted(n.file),
                       n.defines.empty() ? "" : " define " + arguments(n.defines), n.entry.text,
                       arguments(n.args));
  }
  std::string show(const ast::Region& n) const {
    const std::string inside = statements(n.body);
    return inside.empty() ? ">" : inside + " >";
  }
  std::string show(const ast::Measure& n) const {
    std::string out = n.name.text + " {";
    for (const ast::Statement& one : n.statements) out += " " + statement_text(one, source_);
    return out + " }";
  }
  std::string show(const ast::Analyze& n) const {
    if (n.is_file && n.args.empty()) return quoted(n.method);
    return fmt::format("{}({})", n.is_file ? quoted(n.method) : n.method.text, arguments(n.args));
  }
  std::string show(const ast::Plot& n) const {
    std::string out = fmt::format("{} over {}", words(n.y, ", "), n.x.text);
    if (!n.by.empty()) out += " by " + words(n.by, ", ");
    return out + (n.log_x ? " logx" : "") + (n.log_y ? " logy" : "");
  }
  std::string show(const ast::Derive& n) const { return n.name.text + " = " + operand(n.value); }
  static std::string result(const ast::ResultOf& n) {
    return fmt::format("{}({}{})", n.what.text, n.kernel ? n.kernel->text + "." : "",
                       n.buffer.text);
  }
  std::string show(const ast::Expect& n) const {
    if (!n.result) return expr(n.condition);
    const ast::ResultCheck& r = *n.result;
    std::string right = r.other ? result(*r.other) : r.file ? quoted(*r.file) : operand(*r.value);
    if (r.within) right += " within " + operand(*r.within);
    return fmt::format("{} == {}", result(r.result), right);
  }
  std::string show(const ast::Paper& n) const {
    std::string out = fmt::format("{} = {}", expr(n.finding), operand(n.value));
    if (n.high) out += ".." + operand(*n.high);
    return out + " " + n.cite.text;
  }
  std::string show(const ast::Claim& n) const {
    return fmt::format("{} {} {}", quoted(n.sentence), expr(n.condition), n.cite.text);
  }

  std::string show(const ast::Access& a) const {
    std::string out = (a.async ? "async " : "") + a.kind.text;
    if (a.space) out += " " + a.space->text;
    out += " " + a.pattern.text;
    if (a.has_args) out += fmt::format("({})", list(a.args));
    if (a.width) out += " width " + beside(*a.width);
    if (a.cache) out += " cache " + a.cache->text;
    if (a.each) out += " each";
    if (a.from) out += " from " + beside(*a.from);
    if (a.rank) out += " on rank " + beside(*a.rank);
    if (a.count) out += " " + times(*a.count);
    return out + (a.chain ? " chain" : "");
  }
  std::string show(const ast::Operate& n) const {
    std::string out = n.is_ptx ? "ptx " + quoted(n.operation) : n.operation.text;
    if (n.count) out += " " + times(*n.count);
    if (n.streams) out += " streams " + beside(*n.streams);
    if (n.chain) out += " chain";
    if (n.source) out += " " + n.source->text;
    return out + (n.data ? " data " + n.data->text : "");
  }
  std::string show(const ast::Code& n) const { return "code " + operand(n.bytes); }
  static std::string show(const ast::Sync& n) { return n.cluster ? "sync cluster" : "sync"; }
  static std::string show(const ast::Wait&) { return "wait"; }
  static std::string show(const ast::Stamp& n) {
    return n.label ? "stamp " + n.label->text : "stamp";
  }
  std::string show(const ast::Assign& n) const {
    return n.variable.text + " = " + operand(n.value);
  }
  std::string show(const ast::Keep& n) const {
    return fmt::format("keep {} = {}", n.column.text, operand(n.value));
  }
  static std::string show(const ast::Run& n) { return "run " + n.kernel.text; }
  std::string block(const ast::Body& body) const {
    const std::string inside = statements(body);
    return inside.empty() ? "{ }" : fmt::format("{{ {} }}", inside);
  }
  std::string show(const ast::When& n) const {
    std::string out = head(n) + " " + block(n.then);
    if (!n.otherwise) return out;
    return out + " else " + (n.else_when ? statements(*n.otherwise) : block(*n.otherwise));
  }
  std::string show(const ast::While& n) const { return head(n) + " " + block(n.body); }
  std::string show(const ast::Diverge& n) const { return head(n) + " " + block(n.body); }

  std::string quoted(const ast::Ident& text) const { return std::string(source_.slice(text.span)); }

  const Source& source_;
};

}  // namespace

std::string clause_text(const ast::Statement& statement, const Source& source) {
  return Texts(source).clause(statement);
}

std::string statement_text(const ast::Statement& statement, const Source& source) {
  const std::string rest = clause_text(statement, source);
  return std::string(source.slice(statement.keyword)) + (rest.empty() ? "" : " ") + rest;
}

std::string beside_head(const ast::Beside& beside, const Source& source) {
  return Texts(source).head(beside);
}

std::string timed_text(const ast::Timed& timed, const Source& source) {
  return Texts(source).timed(timed);
}

std::string head_text(const ast::Timed& timed, const Source& source) {
  const Texts texts(source);
  if (const auto* when = std::get_if<ast::When>(&timed.node)) return texts.head(*when);
  if (const auto* loop = std::get_if<ast::While>(&timed.node)) return texts.head(*loop);
  if (const auto* diverge = std::get_if<ast::Diverge>(&timed.node)) return texts.head(*diverge);
  return {};
}

}  // namespace gpx
