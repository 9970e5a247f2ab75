// How an experiment launches and repeats what it times: threads, blocks, repetitions, registers,
// shared variables, what is observed.
// Interface: check_context.h; covered by tests/lang/check_test.cpp and the goldens.
#include <fmt/format.h>

#include <cmath>
#include <set>

#include "lang/check_context.h"
#include "lang/extremes.h"
#include "lang/observe.h"

namespace gpx {
namespace {

/// `threads` or `blocks`: an axis, a statement, a setting, or 1.
template <typename Clause>
void check_count(CheckContext& context, const NumberRule& rule, const Clause* clause, Expr& out,
                 std::optional<Expr>& down, std::optional<Expr>& deep) {
  Names& names = context.names;
  const std::string name = rule.what;
  const Expr* written = clause ? &clause->value : nullptr;
  if (names.axis(name) || names.is_poisoned(name)) {
    if (written) context.problems.add(written->span, fmt::format("'{}' is already an axis", name));
    out = Expr::name_of(name);
    names.use(name);
    return;
  }
  if (written)
    if (auto expr = checked_number(context, *written, rule)) out = *expr;
  if (Override* replacement = context.overrides.find(name)) {
    if (!replacement->is_single) {
      replacement->problems.add(replacement->value.values_span,
                                fmt::format("'{}' is not swept in '{}': it takes one value", name,
                                            context.experiment.name));
      return;
    }
    CheckContext inner{context.block,      replacement->problems, context.overrides,
                       context.experiment, context.names,         context.written};
    if (auto expr = checked_number(inner, replacement->value.list[0], rule)) out = *expr;
  } else if constexpr (requires { clause->down; }) {
    if (clause && clause->down) down = checked_number(context, *clause->down, rule);
    if (clause && clause->deep) deep = checked_number(context, *clause->deep, rule);
  }
  names.set_builtin(name, {extents_product(out, down, deep), {Type::Kind::quantity, Unit::none}});
}

/// `cluster N`: none unless given or an axis.
void check_cluster(CheckContext& context, const ast::Cluster* node) {
  if (!node && !context.names.axis("cluster")) return;
  std::optional<Expr> none;
  check_count(context, rules::cluster, node, context.measure().cluster.emplace(Expr::number(1)),
              none, none);
}

/// After the blocks.
void check_whole_clusters(CheckContext& context, const ast::Cluster* node) {
  const Measure& m = context.measure();
  const Experiment& e = context.experiment;
  if (!m.cluster) return;
  for_each_point(e.sweep, {&m.blocks, &*m.cluster}, [&](const std::vector<Value>& point) {
    const Scope scope = e.scope(point);
    const double blocks = number_at(m.blocks, scope), cluster = number_at(*m.cluster, scope);
    if (cluster < 1 || std::fmod(blocks, cluster) == 0) return true;
    context.problems.add(node ? node->value.span : context.names.axis("cluster")->span,
                         fmt::format("{} blocks are not whole clusters of {}", blocks, cluster),
                         "'blocks' is a multiple of 'cluster' at every point");
    return false;
  });
}

void check_flush(CheckContext& context) {
  const auto* flush = clause<ast::Flush>(context, "'flush'");
  if (!flush) return;
  Flush out{Expr::number(0, Unit::byte), std::nullopt};
  if (flush->bytes)
    if (auto bytes = checked_number(context, *flush->bytes, rules::flush))
      out.bytes = std::move(*bytes);
  if (flush->condition) {
    auto typed = context.names.resolve(*flush->condition, {true, false}, context.problems);
    if (typed && typed->type.kind != Type::Kind::truth)
      context.problems.add(flush->condition->span,
                           fmt::format("'if' needs a condition, this is {}", phrase(typed->type)));
    else if (typed)
      out.condition = std::move(typed->expr);
  }
  context.measure().flush = std::move(out);
}

void check_observe(CheckContext& context) {
  const auto* observe = clause<ast::Observe>(context, "'observe'");
  if (!observe) return;
  if (const auto what = observe_of(observe->what.text))
    context.measure().observe = *what;
  else
    context.problems.add(
        observe->what.span, fmt::format("cannot observe '{}'", observe->what.text),
        suggest(observe->what.text, {kObserveNames.begin(), kObserveNames.end()}, "observations"));
}

void check_variable(CheckContext& context, const ast::Shared& from) {
  if (!check_free(from.name, context.names, context.problems)) return;
  if (auto initial = checked_number(context, from.initial, rules::first_value))
    context.measure().shared.push_back(
        {from.name.text, std::move(*initial), Span{from.name.span.begin, from.initial.span.end}});
}

/// The experiment's variables, then the measure's own, which replace those of the same name.
std::vector<const ast::Shared*> shared_variables(CheckContext& context) {
  const std::vector<ast::Statement> none;
  const auto& own = context.written ? context.written->statements : none;
  std::vector<const ast::Shared*> all;
  for (const auto* level : {&context.block.statements, &own}) {
    std::set<std::string> seen;
    for (const auto& [statement, node] : statements_of<ast::Shared>(*level)) {
      const std::string& name = node->name.text;
      if (!seen.insert(name).second)
        context.problems.add(node->name.span, fmt::format("a second shared variable '{}'", name));
      std::erase_if(all, [&](const ast::Shared* other) { return other->name.text == name; });
      all.push_back(node);
    }
  }
  return all;
}

/// Of a clause that is a single number.
template <typename Clause>
std::optional<Expr> check_amount(CheckContext& context, const char* name, const NumberRule& rule) {
  const auto* node = clause<Clause>(context, fmt::format("'{}'", name));
  return node ? checked_number(context, node->value, rule) : std::nullopt;
}

/// Of an expression that is the same at all points.
std::optional<double> constant_number(CheckContext& context, const Expr& written,
                                      const NumberRule& rule) {
  if (!context.names.constant(written, context.problems)) return std::nullopt;
  const auto expr = checked_number(context, written, rule);
  if (!expr) return std::nullopt;
  return number_at(*expr, context.experiment.scope({}));
}

}  // namespace

void check_repeat(CheckContext& context) {
  const auto* repeat = single<ast::Repeat>(context, context.block.statements, "'repeat'");
  if (!repeat) return;
  Experiment& experiment = context.experiment;
  const NumberRule& rule = repeat->until ? rules::at_most : rules::repeat;
  if (repeat->until) {
    experiment.repeat = kMostRepetitions;
    if (const auto percent = constant_number(context, *repeat->until, rules::until))
      experiment.until_percent = *percent;
  }
  if (repeat->value)
    if (const auto count = constant_number(context, *repeat->value, rule))
      experiment.repeat = static_cast<std::uint32_t>(*count);
  if (!repeat->reduce) return;
  if (const auto how = reduce_of(repeat->reduce->text))
    experiment.reduce = *how;
  else
    context.problems.add(
        repeat->reduce->span, fmt::format("unknown reduction '{}'", repeat->reduce->text),
        suggest(repeat->reduce->text, names_of(TermKind::reduction), "reductions"));
  const bool extreme = experiment.reduce == Reduce::min || experiment.reduce == Reduce::max;
  if (repeat->until && extreme)
    context.problems.add(
        repeat->reduce->span,
        fmt::format("'until' needs a confidence interval: '{}' has none, whatever the repetitions",
                    repeat->reduce->text),
        "'median', 'mean' and 'harmonic_mean' have one");
  if (repeat->until && !extreme && experiment.reduce != Reduce::median)
    experiment.warnings.push_back(
        {fmt::format("the interval of a {} misses where outliers are rare: a run ends before it "
                     "sees one",
                     to_string(experiment.reduce)),
         context.problems.source().locate(repeat->reduce->span),
         "that of a median holds whatever the noise"});
}

Expr extents_product(const Expr& across, const std::optional<Expr>& down,
                     const std::optional<Expr>& deep) {
  Expr all = across;
  for (const std::optional<Expr>* more : {&down, &deep}) {
    if (!*more) continue;
    Expr product;
    product.kind = Expr::Kind::binary;
    product.op = Expr::Op::mul;
    product.args = {all, **more};
    product.span = across.span;
    all = std::move(product);
  }
  return all;
}

bool check_cluster_use(CheckContext& context, Span span) {
  if (context.measure().cluster) return true;
  context.problems.add(span, "there are no clusters here", "such as cluster 2, with blocks 2");
  return false;
}

void check_launch(CheckContext& context) {
  Measure& m = context.measure();
  const std::vector<const ast::Shared*> variables = shared_variables(context);
  for (const ast::Shared* variable : variables) context.names.add_variable(variable->name.text);
  const auto* threads = clause<ast::Threads>(context, "'threads'");
  const auto* blocks = clause<ast::Blocks>(context, "'blocks'");
  const auto* cluster = clause<ast::Cluster>(context, "'cluster'");
  check_count(context, rules::threads, threads, m.threads, m.threads_down, m.threads_deep);
  check_cluster(context, cluster);
  check_count(context, rules::blocks, blocks, m.blocks, m.blocks_down, m.blocks_deep);
  check_whole_clusters(context, cluster);
  if (auto warmup = check_amount<ast::Warmup>(context, "warmup", rules::warmup))
    m.warmup = std::move(*warmup);
  m.registers = check_amount<ast::Registers>(context, "registers", rules::registers);
  m.shared_bytes = check_amount<ast::SharedBytes>(context, "shared_bytes", rules::shared_bytes);
  m.watchdog = check_amount<ast::Watchdog>(context, "watchdog", rules::watchdog);
  check_flush(context);
  for (const ast::Shared* variable : variables) check_variable(context, *variable);
  check_observe(context);
}

}  // namespace gpx
