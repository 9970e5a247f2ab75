// The experiment IR: walking its sweep, and its text form, which is itself a valid experiment with
// everything explicit. Interface: experiment.h; covered by tests/lang/golden_test.cpp.
#include "lang/experiment.h"

#include <fmt/format.h>

#include "lang/ranges.h"
#include "lang/vocabulary.h"

namespace gpx {

std::uint64_t Sweep::points() const {
  std::uint64_t points = 1;
  for (const auto& group : groups) points *= group.empty() ? 1 : group.front().values.size();
  return points;
}

std::vector<const Axis*> Sweep::axes() const {
  std::vector<const Axis*> axes;
  for (const auto& group : groups)
    for (const Axis& axis : group) axes.push_back(&axis);
  return axes;
}

std::vector<Value> Sweep::at(std::uint64_t point) const {
  std::vector<std::size_t> index(groups.size());
  for (std::size_t g = groups.size(); g-- > 0;) {  // The last group varies fastest.
    const std::size_t size = groups[g].empty() ? 1 : groups[g].front().values.size();
    index[g] = point % size;
    point /= size;
  }
  std::vector<Value> values;
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (const Axis& axis : groups[g]) values.push_back(axis.values[index[g]]);
  return values;
}

Scope Experiment::scope(const std::vector<Value>& point) const {
  return [this, &point](std::string_view wanted) -> const Value* {
    std::size_t i = 0;
    for (const auto& group : sweep.groups)
      for (const Axis& axis : group) {
        if (axis.name == wanted && i < point.size()) return &point[i];
        ++i;
      }
    const auto found = parameters.find(std::string(wanted));
    return found == parameters.end() ? nullptr : &found->second;
  };
}

std::string canonical_finding(std::string_view base,
                              const std::vector<std::pair<std::string, Value>>& keys) {
  std::string out(base);
  if (keys.empty()) return out;
  out += '[';
  for (std::size_t i = 0; i < keys.size(); ++i)
    out += fmt::format("{}{}={}", i ? "," : "", keys[i].first, to_string(keys[i].second));
  return out + ']';
}

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

std::string join(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string print_axis(const Axis& axis) {
  if (const auto range = as_range(axis)) return axis.name + " " + *range;
  std::vector<std::string> values;
  for (const Value& value : axis.values) values.push_back(explicit_text(value));
  return fmt::format("{} in [{}]", axis.name, join(values));
}

std::string print_sweep(const Sweep& sweep) {
  std::vector<std::string> groups;
  for (const auto& group : sweep.groups) {
    std::vector<std::string> axes;
    for (const Axis& axis : group) axes.push_back(print_axis(axis));
    groups.push_back(group.size() == 1 ? axes.front() : "zip(" + join(axes) + ")");
  }
  return join(groups);
}

/// An operand beside other words of a clause.
std::string operand(const Expr& expr) {
  return is_primary(expr) ? to_string(expr) : "(" + to_string(expr) + ")";
}

std::string print_access(const Access& access) {
  std::vector<std::string> args;
  for (const Expr& arg : access.pattern.args) args.push_back(to_string(arg));
  std::string out =
      fmt::format("{} {} {}({}) width {}", to_string(access.kind), to_string(access.space),
                  to_string(access.pattern.kind), join(args), operand(access.width));
  if (access.cache != CacheOp::unspecified)
    out += fmt::format(" cache {}", to_string(access.cache));
  const bool number = access.count.kind == Expr::Kind::quantity;
  return out + (number ? " x" : " x ") + operand(access.count);
}

std::string print_analyze(const Analyze& analyze) {
  std::vector<std::string> args;
  for (const AnalyzeArg& arg : analyze.args)
    args.push_back(arg.name + " = " +
                   (arg.is_axis ? std::get<std::string>(arg.value) : explicit_text(arg.value)));
  const std::string method = analyze.is_file ? to_string(word(analyze.method)) : analyze.method;
  return fmt::format("{}({})", method, join(args));
}

std::string print_plot(const Plot& plot) {
  std::string out = fmt::format("{} over {}", join(plot.y), plot.x);
  if (!plot.by.empty()) out += " by " + join(plot.by);
  if (plot.log_x) out += " logx";
  if (plot.log_y) out += " logy";
  return out;
}

std::string print_paper(const PaperValue& paper) {
  const std::string high = paper.high ? ".." + to_string(*paper.high) : "";
  return fmt::format("{} = {}{} {}", paper.finding, explicit_text(paper.value), high, paper.cite);
}

/// Lines of a block, two spaces in.
class Lines {
 public:
  void add(std::string_view keyword, std::string_view rest) {
    text_ += fmt::format("  {} {}\n", keyword, rest);
  }
  std::string text_;
};

bool is_axis(const Experiment& experiment, std::string_view name) {
  for (const Axis* axis : experiment.sweep.axes())
    if (axis->name == name) return true;
  return false;
}

void print_setup(const Experiment& e, Lines& out) {
  const Measure& m = e.measures.front();
  for (const Cite& cite : e.cites)
    out.add("cite", fmt::format("{} {}", cite.work, fmt::join(cite.ids, " ")));
  if (!e.device.empty()) out.add("device", e.device);
  for (const auto& [name, value] : e.parameters)
    out.add("param", name + " = " + explicit_text(value));
  if (!e.sweep.groups.empty()) out.add("sweep", print_sweep(e.sweep));
  if (!is_axis(e, "threads")) out.add("threads", to_string(m.threads));
  if (!is_axis(e, "blocks")) out.add("blocks", to_string(m.blocks));
  out.add("repeat", fmt::format("{} reduce {}", e.repeat, to_string(e.reduce)));
  out.add("warmup", to_string(m.warmup));
  if (m.flush)
    out.add("flush", to_string(m.flush->bytes) +
                         (m.flush->condition ? " if " + to_string(*m.flush->condition) : ""));
  out.add("observe", to_string(m.observe));
}

}  // namespace

std::string to_string(const Experiment& e) {
  Lines out;
  print_setup(e, out);
  out.text_ += "  <\n";
  for (const Statement& statement : e.measures.front().body)
    out.text_ += "    " + print_access(std::get<Access>(statement.node)) + "\n";
  out.text_ += "  >\n";
  for (const Analyze& analyze : e.analyses) out.add("analyze", print_analyze(analyze));
  for (const Plot& plot : e.plots) out.add("plot", print_plot(plot));
  for (const PaperValue& paper : e.papers) out.add("paper", print_paper(paper));
  for (const Claim& claim : e.claims)
    out.add("claim",
            fmt::format("{} {} {}", to_string(word(claim.sentence)), claim.text, claim.cite));
  for (const Expect& expect : e.expects) out.add("expect", expect.text);
  const std::string title = e.title.empty() ? "" : " " + to_string(word(e.title));
  return fmt::format("experiment {}{} {{\n{}}}\n", e.name, title, out.text_);
}

}  // namespace gpx
