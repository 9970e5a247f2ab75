// What an experiment concludes and compares with: cite, device, analyze, plot, expect, paper,
// claim.
// Interface: check_context.h; covered by tests/lang/check_test.cpp and the goldens.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lang/check_context.h"
#include "lang/lists.h"
#include "lang/observe.h"
#include "lang/quoted.h"
#include "lang/statements.h"

namespace gpx {
namespace {

/// LA8: capital letters, then a number.
bool is_row_id(const std::string& text) {
  std::size_t i = 0;
  while (i < text.size() && text[i] >= 'A' && text[i] <= 'Z') ++i;
  const std::size_t letters = i;
  while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
  return letters > 0 && i > letters && i == text.size();
}

void check_cites(CheckContext& context) {
  std::set<std::string> seen;
  for (const auto& [statement, node] : statements_of<ast::Cite>(context.block.statements)) {
    Cite cite{node->work.text, {}};
    if (is_row_id(node->work.text))
      context.problems.add(node->work.span, "the work comes first, then its rows",
                           fmt::format("such as cite lashgar2015 {}", node->work.text));
    else if (node->ids.empty())
      context.problems.add(statement->span, "expected the ids of the rows that are reproduced",
                           fmt::format("such as cite {} LA8", node->work.text));
    for (const ast::Ident& id : node->ids) {
      if (!is_row_id(id.text))
        context.problems.add(id.span, fmt::format("'{}' is not the id of a row", id.text),
                             "an id is capital letters and a number, such as LA8");
      else if (!seen.insert(id.text).second)
        context.problems.add(id.span, fmt::format("{} is cited twice", id.text));
      cite.ids.push_back(id.text);
    }
    context.experiment.cites.push_back(std::move(cite));
  }
}

/// What the measures observe, as the columns are called.
std::vector<std::string> observed_columns(const Experiment& experiment) {
  std::vector<std::string> columns;
  for (const Measure& measure : experiment.measures) {
    for (const ObservedColumn& column : traits_of(measure.observe).columns)
      add_once(columns, column.name);
    if (measure.run())
      for (const std::string& column : names_of(TermKind::launch_column)) add_once(columns, column);
    for_each_statement(measure.body, [&](const Statement& one) {
      if (const auto* keep = std::get_if<Keep>(&one.node)) add_once(columns, keep->column);
    });
    if (measure.bytes) add_once(columns, "bytes");
  }
  for (const Derived& derived : experiment.derived) add_once(columns, derived.name);
  return columns;
}

/// Columns that tell rows apart, beside the axes.
std::vector<std::string> row_keys(const Experiment& experiment) {
  std::vector<std::string> columns;
  for (const Measure& measure : experiment.measures) {
    if (!measure.name.empty()) add_once(columns, "measure");
    for (const ObservedKey& key : traits_of(measure.observe).keys) add_once(columns, key.name);
  }
  return columns;
}

void check_cited(CheckContext& context, const ast::Ident& id) {
  std::vector<std::string> cited;
  for (const Cite& cite : context.experiment.cites)
    cited.insert(cited.end(), cite.ids.begin(), cite.ids.end());
  if (contains(cited, id.text) || context.block.cites_broken) return;
  std::string hint = "add it to a cite clause";
  if (!cited.empty()) hint = fmt::format("cited are {}", fmt::join(cited, ", "));
  context.problems.add(id.span, fmt::format("'{}' is not among the rows that are cited", id.text),
                       hint);
}

std::optional<AnalyzeArg> read_argument(CheckContext& context, const ast::Argument& from) {
  AnalyzeArg arg{from.name.text, false, {}};
  const Expr& value = from.value;
  if (value.kind == Expr::Kind::name) {
    if (context.names.axis(value.text)) {
      arg.is_axis = true;
      arg.value = value.text;
      return arg;
    }
    if (is_column(value.text) || contains(row_keys(context.experiment), value.text) ||
        contains(observed_columns(context.experiment), value.text)) {
      arg.value = value.text;
      return arg;
    }
    if (!context.names.parameter(value.text) && !context.names.is_poisoned(value.text) &&
        !context.block.names_broken) {
      std::string hint = suggest(value.text, context.names.known({true, false}));
      if (hint.empty()) hint = fmt::format("a word is written in quotes: \"{}\"", value.text);
      context.problems.add(value.span,
                           fmt::format("no axis or parameter is named '{}'", value.text), hint);
      return std::nullopt;
    }
  }
  const auto constant = context.names.constant(value, context.problems);
  if (!constant) return std::nullopt;
  arg.value = *constant;
  return arg;
}

void check_analyses(CheckContext& context) {
  for (const auto& [statement, node] : statements_of<ast::Analyze>(context.block.statements)) {
    Analyze analyze{node->method.text, node->is_file, {}, statement->span};
    std::set<std::string> seen;
    if (analyze.method.empty())
      context.problems.add(node->method.span, "the path of the script is empty");
    for (const ast::Argument& argument : node->args) {
      if (!seen.insert(argument.name.text).second)
        context.problems.add(argument.name.span,
                             fmt::format("a second argument '{}'", argument.name.text));
      if (auto arg = read_argument(context, argument)) analyze.args.push_back(std::move(*arg));
    }
    context.experiment.analyses.push_back(std::move(analyze));
  }
}

void check_axis_name(CheckContext& context, const ast::Ident& name) {
  if (context.names.axis(name.text) || context.names.is_poisoned(name.text) ||
      context.block.names_broken || contains(row_keys(context.experiment), name.text))
    return;
  context.problems.add(name.span, fmt::format("no axis is named '{}'", name.text),
                       suggest(name.text, context.names.axis_names()));
}

/// An observation whose value is a column of its name: latency, time.
bool is_own_column(const std::string& name) {
  const auto observe = observe_of(name);
  return observe && traits_of(*observe).columns.front().name == name;
}

/// What can be plotted: what is observed, the variance of neighbours, or an axis.
void check_column(CheckContext& context, const ast::Ident& name) {
  const auto observed = observed_columns(context.experiment);
  if (contains(observed, name.text) || name.text == "neighbour_variance") return;
  if (context.names.is_poisoned(name.text)) return;
  if (is_own_column(name.text)) {
    context.problems.add(name.span, fmt::format("'{}' is not observed here", name.text),
                         fmt::format("this experiment observes {}; write 'observe {}'",
                                     fmt::join(observed, ", "), name.text));
    return;
  }
  if (context.names.axis(name.text) || context.block.names_broken) return;
  auto candidates = context.names.axis_names();
  for (const std::string& word : names_of(TermKind::observed))
    if (is_own_column(word) || word == "neighbour_variance") candidates.push_back(word);
  candidates.insert(candidates.end(), observed.begin(), observed.end());
  std::string hint = suggest(name.text, candidates);
  if (hint.empty())
    hint = fmt::format("'{}', 'neighbour_variance' or an axis", fmt::join(observed, "', '"));
  context.problems.add(name.span, fmt::format("cannot plot '{}'", name.text), hint);
}

/// Stored runs have texts that name the variance of neighbours as it was called before.
ast::Ident present_name(CheckContext& context, ast::Ident y) {
  if (y.text != "variance" || contains(observed_columns(context.experiment), y.text) ||
      context.names.axis(y.text))
    return y;
  context.experiment.warnings.push_back({"'variance' is called 'neighbour_variance' now",
                                         context.problems.source().locate(y.span),
                                         "it is that of a point and its two neighbours"});
  y.text = "neighbour_variance";
  return y;
}

void check_plots(CheckContext& context) {
  for (const auto& [statement, node] : statements_of<ast::Plot>(context.block.statements)) {
    Plot plot;
    plot.span = statement->span;
    plot.log_x = node->log_x;
    plot.log_y = node->log_y;
    std::set<std::string> seen;
    for (const ast::Ident& written : node->y) {
      const ast::Ident y = present_name(context, written);
      check_column(context, y);
      if (!seen.insert(y.text).second)
        context.problems.add(y.span, fmt::format("'{}' is plotted twice", y.text));
      plot.y.push_back(y.text);
    }
    check_axis_name(context, node->x);
    plot.x = node->x.text;
    std::set<std::string> axes = {plot.x};
    for (const ast::Ident& by : node->by) {
      check_axis_name(context, by);
      if (!axes.insert(by.text).second)
        context.problems.add(by.span, fmt::format("'{}' is already an axis of this plot", by.text));
      plot.by.push_back(by.text);
    }
    context.experiment.plots.push_back(std::move(plot));
  }
}

/// `outcome == deadlock` needs a measure whose launches may end otherwise than complete.
void check_outcomes(CheckContext& context, const Expr& expr) {
  const bool compares = expr.kind == Expr::Kind::binary && expr.op != Expr::Op::is;
  const auto& measures = context.experiment.measures;
  const bool has = context.block.broken ||
                   std::any_of(measures.begin(), measures.end(),
                               [](const Measure& measure) { return measure.has_outcomes(); });
  if (has) return;
  for (const Expr& arg : expr.args) {
    if (compares && is_outcome(arg))
      context.problems.add(arg.span, "'outcome' is not observed here",
                           "a measure with a watchdog or with registers has outcomes");
    check_outcomes(context, arg);
  }
}

std::optional<Expr> check_condition(CheckContext& context, const Expr& written, const char* who) {
  const Allow allow{.findings = true, .samples = true};
  auto typed = context.names.resolve(written, allow, context.problems);
  if (!typed) return std::nullopt;
  check_outcomes(context, typed->expr);
  check_sample_values(context, typed->expr);
  if (typed->type.kind == Type::Kind::truth || typed->type.kind == Type::Kind::unknown)
    return std::move(typed->expr);
  context.problems.add(written.span,
                       fmt::format("{} needs a condition, this is {}", who, phrase(typed->type)),
                       "such as outstanding.entries within 42..45");
  return std::nullopt;
}

std::optional<Value> paper_value(CheckContext& context, const Expr& expr) {
  const Names& names = context.names;
  const bool word =
      expr.kind == Expr::Kind::name && !names.parameter(expr.text) && !names.is_poisoned(expr.text);
  if (word) return Value(expr.text);
  return names.constant(expr, context.problems);
}

void check_paper(CheckContext& context, const ast::Paper& node) {
  PaperValue paper;
  paper.finding = node.finding.text;
  paper.cite = node.cite.text;
  check_cited(context, node.cite);
  const auto value = paper_value(context, node.value);
  if (!value) return;
  paper.value = *value;
  if (node.high) {
    const auto high = context.names.constant(*node.high, context.problems);
    if (!high) return;
    const auto* low = std::get_if<Quantity>(&*value);
    const auto* top = std::get_if<Quantity>(&*high);
    if (!low || !top || low->unit != top->unit || top->value < low->value) {
      const Span span{node.value.span.begin, node.high->span.end};
      context.problems.add(span, "a range needs two numbers of one unit, the smaller one first");
      return;
    }
    paper.high = *top;
  }
  context.experiment.papers.push_back(std::move(paper));
}

void check_claim(CheckContext& context, const ast::Claim& node) {
  check_cited(context, node.cite);
  if (auto condition = check_condition(context, node.condition, "claim"))
    context.experiment.claims.push_back(
        {node.sentence.text, std::move(*condition), to_string(node.condition), node.cite.text});
}

}  // namespace

namespace {

std::string result_text(const ast::ResultOf& of) {
  return fmt::format("{}({}{})", of.what.text, of.kernel ? of.kernel->text + "." : "",
                     of.buffer.text);
}

std::string result_text(const ast::ResultCheck& check) {
  std::string right = check.other  ? result_text(*check.other)
                      : check.file ? quoted(check.file->text)
                                   : to_string(*check.value);
  if (check.within) right += " within " + to_string(*check.within);
  return fmt::format("{} == {}", result_text(check.result), right);
}

}  // namespace

void check_report(CheckContext& context) {
  check_cites(context);
  if (const auto* device = single<ast::Device>(context, context.block.statements, "'device'"))
    context.experiment.device = device->name.text;
  check_analyses(context);
  check_plots(context);
  for (const auto& [statement, node] : statements_of<ast::Expect>(context.block.statements))
    if (node->result)
      check_result(context, *node->result, result_text(*node->result));
    else if (auto condition = check_condition(context, node->condition, "expect"))
      context.experiment.expects.push_back({std::move(*condition), to_string(node->condition)});
  for (const auto& [statement, node] : statements_of<ast::Paper>(context.block.statements))
    check_paper(context, *node);
  for (const auto& [statement, node] : statements_of<ast::Claim>(context.block.statements))
    check_claim(context, *node);
}

}  // namespace gpx
