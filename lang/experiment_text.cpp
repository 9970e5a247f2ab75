// The experiment IR as text, which is itself a valid experiment with everything explicit.
// Interface: experiment.h; covered by tests/lang/golden_test.cpp.
#include <fmt/format.h>

#include <algorithm>

#include "lang/check_context.h"
#include "lang/experiment.h"
#include "lang/lists.h"
#include "lang/observe.h"
#include "lang/quoted.h"
#include "lang/ranges.h"
#include "lang/statements.h"
#include "lang/vocabulary.h"

namespace gpx {
namespace {

Expr word(const std::string& text) {
  Expr expr;
  expr.kind = Expr::Kind::word;
  expr.text = text;
  return expr;
}

/// Words in quotes, so that none can be taken for a name.
std::string explicit_text(const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text ? to_string(word(*text)) : to_string(value);
}

std::string print_axis(const Axis& axis) {
  if (const auto range = as_range(axis)) return axis.name + " " + *range;
  return fmt::format("{} in [{}]", axis.name, joined(axis.values, ", ", explicit_text));
}

std::string print_sweep(const Sweep& sweep) {
  std::vector<std::string> groups;
  for (const auto& group : sweep.groups) {
    std::vector<std::string> axes;
    for (const Axis& axis : group)
      if (!axis.all_sms) axes.push_back(print_axis(axis));
    if (axes.empty()) continue;
    groups.push_back(group.size() == 1 ? axes.front() : "zip(" + joined(axes, ", ") + ")");
  }
  return joined(groups, ", ");
}

/// An operand beside other words of a clause.
std::string operand(const Expr& expr) {
  return is_primary(expr) ? to_string(expr) : "(" + to_string(expr) + ")";
}

/// x3, x n, x (2 * n)
std::string times(const Expr& count) {
  return (count.kind == Expr::Kind::quantity ? "x" : "x ") + operand(count);
}

std::string cache_clause(const std::string& axis, CacheOp cache) {
  if (axis.empty() && cache == CacheOp::unspecified) return {};
  return fmt::format(" cache {}", axis.empty() ? to_string(cache) : std::string_view(axis));
}

std::string print_access(const Access& access) {
  std::vector<std::string> args;
  for (const Expr& arg : access.pattern.args) args.push_back(to_string(arg));
  const auto word = [](const std::string& axis, std::string_view written) {
    return axis.empty() ? written : std::string_view(axis);
  };
  const bool atomic = access.kind == Access::Kind::atomic;
  const std::string_view kind = atomic ? access.operation : to_string(access.kind);
  const std::string space =
      access.async ? std::string()
                   : fmt::format(" {}", word(access.by.space, to_string(access.space)));
  std::string out =
      fmt::format("{}{}{} {}", access.async ? "async " : "", word(access.by.kind, kind), space,
                  word(access.by.pattern, access.pattern.name));
  if (!args.empty()) out += fmt::format("({})", joined(args, ", "));
  if (!atomic && (!access.is_bulk() || access.is_tensor()))
    out += " width " + operand(access.width);
  out += cache_clause(access.by.cache, access.cache);
  if (access.rank) out += " on rank " + operand(*access.rank);
  return out + " " + times(access.count) + (access.chained ? " chain" : "");
}

std::string print_chase(const Chase& chase) {
  std::string out = "load " + chase.array;
  out += cache_clause(chase.cache_axis ? chase.cache_axis->text : "", chase.cache);
  if (chase.from) out += " from " + operand(*chase.from);
  if (chase.rank) out += " on rank " + operand(*chase.rank);
  return fmt::format("{} {} chain", out, times(chase.count));
}

std::string print_operate(const Operate& operate) {
  const Expr& streams = operate.streams;
  const bool chain = streams.kind == Expr::Kind::quantity && streams.quantity.value == 1;
  const std::string& name = operate.operation.text;
  return fmt::format("{} {} {}{}{}", operate.is_ptx ? "ptx " + quoted(name) : name,
                     times(operate.count), chain ? "chain" : "streams " + operand(streams),
                     operate.source ? " " + operate.source->text : "",
                     operate.data ? " data " + operate.data->text : "");
}

/// The values as a range, if they are numbers that count up or down by one.
std::optional<std::string> counted(const std::vector<Expr>& values) {
  for (const Expr& value : values)
    if (value.kind != Expr::Kind::quantity) return std::nullopt;
  if (values.size() < 2) return std::nullopt;
  const double step = values[1].quantity.value - values[0].quantity.value;
  if (step != 1 && step != -1) return std::nullopt;
  for (std::size_t i = 1; i < values.size(); ++i)
    if (values[i].quantity.value - values[i - 1].quantity.value != step) return std::nullopt;
  return operand(values.front()) + ".." + operand(values.back());
}

std::string list(const std::vector<Expr>& values) {
  return "[" + joined(values, ", ", [](const Expr& value) { return to_string(value); }) + "]";
}

/// The statements of a region, one below the other.
class BodyText {
 public:
  void body(const std::vector<Statement>& statements, std::size_t depth) {
    for (const Statement& statement : statements)
      std::visit([&](const auto& node) { show(node, depth); }, statement.node);
  }
  std::string text_;

 private:
  void line(std::size_t depth, std::string_view text) {
    text_.append(2 * depth, ' ').append(text) += '\n';
  }
  void show(const Access& n, std::size_t depth) { line(depth, print_access(n)); }
  void show(const Chase& n, std::size_t depth) { line(depth, print_chase(n)); }
  void show(const Operate& n, std::size_t depth) { line(depth, print_operate(n)); }
  void show(const Code& n, std::size_t depth) { line(depth, "code " + to_string(n.bytes)); }
  void show(const Sync& n, std::size_t depth) { line(depth, n.cluster ? "sync cluster" : "sync"); }
  void show(const Wait&, std::size_t depth) { line(depth, "wait"); }
  void show(const Stamp& n, std::size_t depth) {
    const bool numbered = !n.label.empty() && n.label[0] >= '0' && n.label[0] <= '9';
    line(depth, numbered ? "stamp" : "stamp " + n.label);
  }
  void show(const Assign& n, std::size_t depth) {
    line(depth, fmt::format("{} = {}", n.variable, to_string(n.value)));
  }
  void show(const Keep& n, std::size_t depth) {
    line(depth, fmt::format("keep {} = {}", n.column, to_string(n.value)));
  }
  void show(const Run& n, std::size_t depth) { line(depth, "run " + n.kernel); }
  void show(const When& n, std::size_t depth) { when(n, depth, ""); }
  void when(const When& n, std::size_t depth, const char* before) {
    line(depth, fmt::format("{}when {} {{", before, to_string(n.condition)));
    body(n.then, depth + 1);
    const auto* chained =
        n.otherwise.size() == 1 ? std::get_if<When>(&n.otherwise[0].node) : nullptr;
    if (chained) return when(*chained, depth, "} else ");
    if (!n.otherwise.empty()) {
      line(depth, "} else {");
      body(n.otherwise, depth + 1);
    }
    line(depth, "}");
  }
  void show(const While& n, std::size_t depth) {
    line(depth, fmt::format("while {} {{", to_string(n.condition)));
    body(n.body, depth + 1);
    line(depth, "}");
  }
  void show(const Diverge& n, std::size_t depth) {
    const auto range = counted(n.values);
    line(depth, fmt::format("diverge {} over {} {{", to_string(n.selector),
                            range ? *range : list(n.values)));
    body(n.body, depth + 1);
    line(depth, "}");
  }
};

std::string print_array(const Array& array) {
  using Kind = Array::Layout::Kind;
  const auto& args = array.layout.args;
  std::string out =
      fmt::format("{} : {}[{}]", array.name, to_string(array.space), to_string(array.bytes));
  std::vector<std::string> parts;
  if (array.layout.kind == Kind::steps)
    for (std::size_t i = 0; i + 1 < args.size(); i += 2)
      parts.push_back(to_string(args[i]) + " of " + to_string(args[i + 1]));
  else
    for (const Expr& arg : args) parts.push_back(to_string(arg));
  const bool bracketed = array.layout.kind == Kind::list || array.layout.kind == Kind::steps;
  if (array.layout.kind != Kind::none)
    out += fmt::format(" chase({} {}{}{})", to_string(array.layout.kind), bracketed ? "[" : "",
                       joined(parts, ", "), bracketed ? "]" : "");
  return out + " width " + operand(array.width);
}

std::string print_buffer(const KernelArgument& argument) {
  const BufferContents& contents = *argument.buffer;
  std::vector<std::string> args;
  for (const Expr& arg : contents.args) args.push_back(to_string(arg));
  std::string what(to_string(contents.kind));
  if (contents.kind == BufferContents::Kind::value)
    what = args.front();
  else if (contents.kind == BufferContents::Kind::file)
    what = quoted(contents.file);
  else if (!args.empty())
    what += "(" + joined(args, ", ") + ")";
  return fmt::format("buffer({}, {})", to_string(argument.value), what);
}

std::string print_argument(const KernelArgument& argument) {
  using Form = KernelArgument::Form;
  if (argument.form == Form::buffer) return print_buffer(argument);
  if (argument.form == Form::scalar) {
    const Expr& value = argument.value;
    return value.kind == Expr::Kind::word && value.text == "null" ? value.text : to_string(value);
  }
  std::vector<std::string> fields;
  for (const KernelArgument& field : argument.fields) {
    const bool typed = argument.form == Form::structure && !field.parameter.empty();
    const bool scalar = typed && field.form == Form::scalar;
    const std::string value = print_argument(field);
    fields.push_back(scalar  ? fmt::format("{}({})", field.parameter, value)
                     : typed ? field.parameter + value
                             : value);
  }
  return fmt::format("{}({})", argument.form == Form::structure ? "struct" : "",
                     joined(fields, ", "));
}

std::string print_kernel(const UserKernel& kernel) {
  std::vector<std::string> args;
  for (const KernelArgument& argument : kernel.arguments)
    args.push_back(argument.parameter + " = " + print_argument(argument));
  std::vector<std::string> defines;
  for (const KernelDefine& define : kernel.defines)
    defines.push_back(define.name + " = " + to_string(define.value));
  return fmt::format("{} from {}{} entry {}({})", kernel.name, to_string(word(kernel.file)),
                     defines.empty() ? "" : " define " + joined(defines, ", "), kernel.entry,
                     joined(args, ", "));
}

/// `128`, `(16, 8)`, `(8, 8, 4)`
std::string print_extent(const Expr& across, const std::optional<Expr>& down,
                         const std::optional<Expr>& deep) {
  if (!down) return to_string(across);
  return fmt::format("({}, {}{})", to_string(across), to_string(*down),
                     deep ? ", " + to_string(*deep) : "");
}

std::string print_plot(const Plot& plot) {
  std::string out = fmt::format("{} over {}", joined(plot.y, ", "), plot.x);
  if (!plot.by.empty()) out += " by " + joined(plot.by, ", ");
  if (plot.log_x) out += " logx";
  if (plot.log_y) out += " logy";
  return out;
}

std::string print_paper(const PaperValue& paper) {
  const std::string high = paper.high ? ".." + to_string(*paper.high) : "";
  return fmt::format("{} = {}{} {}", paper.finding, explicit_text(paper.value), high, paper.cite);
}

/// Lines of a block.
class Lines {
 public:
  void add(std::string_view keyword, std::string_view rest) {
    text_ += fmt::format("{}{} {}\n", indent_, keyword, rest);
  }
  std::string indent_ = "  ";
  std::string text_;
};

bool is_axis(const Experiment& experiment, std::string_view name) {
  for (const Axis* axis : experiment.sweep.axes())
    if (axis->name == name) return true;
  return false;
}

/// `place sm all` is of all measures.
bool of_all_sms(const Experiment& experiment) {
  return std::ranges::any_of(experiment.sweep.axes(), &Axis::all_sms);
}

void print_setup(const Experiment& e, Lines& out) {
  for (const Cite& cite : e.cites)
    out.add("cite", fmt::format("{} {}", cite.work, fmt::join(cite.ids, " ")));
  if (!e.device.empty()) out.add("device", e.device);
  for (const auto& [name, value] : e.parameters)
    out.add("param", name + " = " + explicit_text(value));
  if (const std::string sweep = print_sweep(e.sweep); !sweep.empty()) out.add("sweep", sweep);
  if (of_all_sms(e)) out.add("place sm", "all");
}

void print_grid(const Experiment& e, const Measure& m, Lines& out) {
  if (!is_axis(e, "threads"))
    out.add("threads", print_extent(m.threads, m.threads_down, m.threads_deep));
  if (!is_axis(e, "blocks"))
    out.add("blocks", print_extent(m.blocks, m.blocks_down, m.blocks_deep));
  if (m.cluster && !is_axis(e, "cluster")) out.add("cluster", to_string(*m.cluster));
}

void print_repeat(const Experiment& e, Lines& out) {
  const std::string often = e.until_percent > 0
                                ? fmt::format("until {}% at most {}", e.until_percent, e.repeat)
                                : fmt::format("{}", e.repeat);
  out.add("repeat", fmt::format("{} reduce {}", often, to_string(e.reduce)));
}

void print_companion(const Companion& companion, Lines& out) {
  const std::string when = companion.condition ? " if " + to_string(*companion.condition) : "";
  out.add("beside sm", fmt::format("{}{} {{", to_string(companion.sm), when));
  BodyText body;
  body.body(companion.body, out.indent_.size() / 2 + 1);
  out.text_ += fmt::format("{}{}}}\n", body.text_, out.indent_);
}

/// At every point.
bool is_zero(const Expr& expr) {
  return expr.kind == Expr::Kind::quantity && expr.quantity.value == 0;
}

/// Everything of a measure after its grid.
void print_measured(const Experiment& e, const Measure& m, Lines& out) {
  out.add("warmup", to_string(m.warmup));
  if (m.flush)
    out.add("flush", to_string(m.flush->bytes) +
                         (m.flush->condition ? " if " + to_string(*m.flush->condition) : ""));
  if (!is_zero(m.offset)) out.add("offset", to_string(m.offset));
  const bool by_default = traits_of(m.observe).clocked && is_only_operations(m.body);
  if (!is_zero(m.rehearse) || by_default) out.add("rehearse", to_string(m.rehearse));
  if (m.registers) out.add("registers", to_string(*m.registers));
  if (m.watchdog) out.add("watchdog", to_string(*m.watchdog));
  if (m.bank_width) out.add("bank_width", to_string(*m.bank_width));
  if (m.carveout) out.add("carveout", to_string(*m.carveout));
  const bool named = m.place && m.place->kind == Expr::Kind::name && m.place->text == kSmAxis;
  if (m.place && !(named && of_all_sms(e))) out.add("place sm", to_string(*m.place));
  for (const Companion& companion : m.companions) print_companion(companion, out);
  if (m.shared_bytes) out.add("shared_bytes", to_string(*m.shared_bytes));
  for (const SharedVariable& variable : m.shared)
    out.add("shared", variable.name + " = " + to_string(variable.initial));
  out.add("observe", to_string(m.observe));
  BodyText body;
  body.body(m.body, out.indent_.size() / 2 + 1);
  out.text_ += fmt::format("{0}<\n{1}{0}>\n", out.indent_, body.text_);
}

void print_measures(const Experiment& e, Lines& out) {
  for (const Measure& measure : e.measures) {
    out.add("measure", measure.name + " {");
    out.indent_ = "    ";
    print_grid(e, measure, out);
    print_measured(e, measure, out);
    out.indent_ = "  ";
    out.text_ += "  }\n";
  }
}

void print_arrays(const Experiment& e, Lines& out) {
  for (const Array& array : e.arrays) out.add("array", print_array(array));
  for (const UserKernel& kernel : e.kernels) out.add("kernel", print_kernel(kernel));
}

}  // namespace

std::string to_string(const Analyze& analyze) {
  std::vector<std::string> args;
  for (const AnalyzeArg& arg : analyze.args)
    args.push_back(arg.name + " = " +
                   (arg.is_axis ? std::get<std::string>(arg.value) : explicit_text(arg.value)));
  const std::string method = analyze.is_file ? to_string(word(analyze.method)) : analyze.method;
  return fmt::format("{}({})", method, joined(args, ", "));
}

std::string to_string(const Experiment& e) {
  Lines out;
  print_setup(e, out);
  if (e.measures.front().name.empty()) {
    print_grid(e, e.measures.front(), out);
    print_arrays(e, out);
    print_repeat(e, out);
    print_measured(e, e.measures.front(), out);
  } else {
    print_arrays(e, out);
    print_repeat(e, out);
    print_measures(e, out);
  }
  for (const Derived& derived : e.derived) out.add("derive", derived.name + " = " + derived.text);
  for (const Analyze& analyze : e.analyses) out.add("analyze", to_string(analyze));
  for (const Plot& plot : e.plots) out.add("plot", print_plot(plot));
  for (const PaperValue& paper : e.papers) out.add("paper", print_paper(paper));
  for (const Claim& claim : e.claims)
    out.add("claim",
            fmt::format("{} {} {}", to_string(word(claim.sentence)), claim.text, claim.cite));
  for (const Expect& expect : e.expects) out.add("expect", expect.text);
  for (const ResultExpect& expect : e.result_expects) out.add("expect", expect.text);
  const std::string title = e.title.empty() ? "" : " " + to_string(word(e.title));
  return fmt::format("experiment {}{} {{\n{}}}\n", e.name, title, out.text_);
}

}  // namespace gpx
