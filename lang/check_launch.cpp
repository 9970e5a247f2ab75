// How an experiment is launched and what it times: threads, blocks, repetitions, the region.
// Interface: check_context.h; covered by tests/lang/check_test.cpp and the goldens.
#include <fmt/format.h>

#include <cmath>

#include "lang/build.h"
#include "lang/check_context.h"
#include "lang/extremes.h"

namespace gpx {
namespace {

constexpr double max_count = 2147483647;        ///< Threads, blocks.
constexpr double max_bytes = 9007199254740992;  ///< 2^53: beyond it a double skips integers.
constexpr double max_repeat = 10000;
constexpr double max_accesses = 4096;  ///< In one region, by one thread.

std::string limits(const NumberRule& rule) {
  const auto text = [&](double value) { return to_string(Quantity{value, rule.unit}); };
  const std::string whole = rule.unit == Unit::byte ? "a whole number of bytes" : "a whole number";
  if (rule.high >= max_count) return fmt::format("{}, at least {}", whole, text(rule.low));
  return fmt::format("{} from {} to {}", whole, text(rule.low), text(rule.high));
}

/// What is wrong with a value; "" if nothing is.
std::string fault_of(const Quantity& q, const NumberRule& rule) {
  if (q.value == std::floor(q.value) && q.value >= rule.low && q.value <= rule.high) return {};
  return to_string(q);
}

bool check_values(CheckContext& context, const Typed& typed, const Expr& written,
                  const NumberRule& rule) {
  const Experiment& e = context.experiment;
  bool good = true;
  for_each_point(e.sweep, {&typed.expr}, [&](const std::vector<Value>& point) {
    const auto value = evaluate(typed.expr, e.scope(point));
    std::string message;
    if (!value) {
      message = value.error().message + where(e.sweep, typed.expr, point);
    } else if (const std::string bad = fault_of(std::get<Quantity>(*value), rule); !bad.empty()) {
      message = fmt::format("{} is {}{}: it must be {}", rule.what, bad,
                            where(e.sweep, typed.expr, point), limits(rule));
    }
    if (message.empty()) return true;
    context.problems.add(written.span, message);
    return good = false;
  });
  return good;
}

}  // namespace

std::optional<Expr> checked_number(CheckContext& context, const Expr& expr,
                                   const NumberRule& rule) {
  auto typed = context.names.resolve(expr, {true, false}, context.problems);
  if (!typed) return std::nullopt;
  if (typed->type != Type{Type::Kind::quantity, rule.unit}) {
    const char* wanted = rule.unit == Unit::none ? "a plain number" : "bytes";
    context.problems.add(
        expr.span, fmt::format("{} must be {}, this is {}", rule.what, wanted, phrase(typed->type)),
        unit_hint(expr, rule.unit));
    return std::nullopt;
  }
  if (!check_values(context, *typed, expr, rule)) return std::nullopt;
  return std::move(typed->expr);
}

namespace {

/// `threads` or `blocks`: an axis, a statement, a setting, or 1.
void check_count(CheckContext& context, const char* name, const Expr* written, Expr& out) {
  Names& names = context.names;
  if (names.axis(name) || names.is_poisoned(name)) {
    if (written) context.problems.add(written->span, fmt::format("'{}' is already an axis", name));
    out = Expr::name_of(name);
    return;
  }
  const NumberRule rule{name, Unit::none, 1, max_count};
  if (written)
    if (auto expr = checked_number(context, *written, rule)) out = *expr;
  if (Override* replacement = context.overrides.find(name)) {
    if (!replacement->is_single) {
      replacement->problems.add(replacement->value.values_span,
                                fmt::format("'{}' is not swept in '{}': it takes one value", name,
                                            context.experiment.name));
      return;
    }
    CheckContext inner{context.block, replacement->problems, context.overrides, context.experiment,
                       context.names};
    if (auto expr = checked_number(inner, replacement->value.list[0], rule)) out = *expr;
  }
  names.set_builtin(name, {out, {Type::Kind::quantity, Unit::none}});
}

void check_repeat(CheckContext& context) {
  const auto* repeat = single<ast::Repeat>(context, "'repeat'");
  if (!repeat) return;
  const NumberRule rule{"repeat", Unit::none, 1, max_repeat};
  if (context.names.constant(repeat->value, context.problems))
    if (const auto expr = checked_number(context, repeat->value, rule)) {
      const auto value = evaluate(*expr, context.experiment.scope({}));
      context.experiment.repeat = static_cast<std::uint32_t>(std::get<Quantity>(*value).value);
    }
  if (!repeat->reduce) return;
  if (const auto how = reduce_of(repeat->reduce->text))
    context.experiment.reduce = *how;
  else
    context.problems.add(
        repeat->reduce->span, fmt::format("unknown reduction '{}'", repeat->reduce->text),
        suggest(repeat->reduce->text, names_of(TermKind::reduction), "reductions"));
}

void check_flush(CheckContext& context) {
  const auto* flush = single<ast::Flush>(context, "'flush'");
  if (!flush) return;
  Flush out{Expr::number(0, Unit::byte), std::nullopt};
  if (flush->bytes)
    if (auto bytes = checked_number(context, *flush->bytes,
                                    {"the amount to flush", Unit::byte, 0, max_bytes}))
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
  const auto* observe = single<ast::Observe>(context, "'observe'");
  if (!observe) return;
  if (const auto what = observe_of(observe->what.text))
    context.measure().observe = *what;
  else
    context.problems.add(observe->what.span, fmt::format("cannot observe '{}'", observe->what.text),
                         suggest(observe->what.text, {"latency", "time"}, "observations"));
}

}  // namespace

void check_launch(CheckContext& context) {
  Measure& m = context.measure();
  const auto* threads = single<ast::Threads>(context, "'threads'");
  const auto* blocks = single<ast::Blocks>(context, "'blocks'");
  check_count(context, "threads", threads ? &threads->value : nullptr, m.threads);
  check_count(context, "blocks", blocks ? &blocks->value : nullptr, m.blocks);
  check_repeat(context);
  if (const auto* warmup = single<ast::Warmup>(context, "'warmup'"))
    if (auto expr = checked_number(context, warmup->value, {"warmup", Unit::none, 0, max_repeat}))
      m.warmup = std::move(*expr);
  check_flush(context);
  check_observe(context);
}

namespace {

struct PatternShape {
  Pattern::Kind kind;
  std::size_t least, most;  ///< Arguments.
  const char* syntax;
};

constexpr PatternShape shapes[] = {
    {Pattern::Kind::unique, 1, 1, "unique(BYTES)"},
    {Pattern::Kind::merge, 2, 2, "merge(K, BYTES)"},
    {Pattern::Kind::stride, 1, 1, "stride(BYTES)"},
    {Pattern::Kind::broadcast, 0, 1, "broadcast or broadcast(BYTES)"},
    {Pattern::Kind::random, 1, 2, "random(BYTES) or random(BYTES, SEED)"},
};

NumberRule rule_of(Pattern::Kind kind, std::size_t argument) {
  if (kind == Pattern::Kind::merge && argument == 0)
    return {"the number of threads that share an address", Unit::none, 1, max_count};
  if (kind == Pattern::Kind::random && argument == 1) return {"the seed", Unit::none, 0, max_bytes};
  return {fmt::format("the argument of {}", to_string(kind)), Unit::byte, 1, max_bytes};
}

std::optional<Pattern> read_pattern(CheckContext& context, const ast::Access& from) {
  const auto kind = pattern_of(from.pattern.text);
  if (!kind) {
    context.problems.add(from.pattern.span, fmt::format("unknown pattern '{}'", from.pattern.text),
                         suggest(from.pattern.text, names_of(TermKind::pattern), "patterns"));
    return std::nullopt;
  }
  const PatternShape& shape = shapes[static_cast<std::size_t>(*kind)];
  if (from.args.size() < shape.least || from.args.size() > shape.most) {
    context.problems.add(from.pattern.span,
                         fmt::format("{} does not take {} argument{}", from.pattern.text,
                                     from.args.size(), from.args.size() == 1 ? "" : "s"),
                         fmt::format("write {}", shape.syntax));
    return std::nullopt;
  }
  Pattern pattern{*kind, {}};
  bool good = true;
  for (std::size_t i = 0; i < from.args.size(); ++i) {
    auto arg = checked_number(context, from.args[i], rule_of(*kind, i));
    good = good && arg;
    if (arg) pattern.args.push_back(std::move(*arg));
  }
  if (!good) return std::nullopt;
  if (pattern.args.empty()) pattern.args.push_back(Expr::number(128, Unit::byte));
  if (*kind == Pattern::Kind::random && pattern.args.size() == 1)
    pattern.args.push_back(Expr::number(1));
  return pattern;
}

double number_at(const Expr& expr, const Scope& scope) {
  const auto value = evaluate(expr, scope);
  const auto* q = value ? std::get_if<Quantity>(&*value) : nullptr;
  return q ? q->value : 0;
}

/// Addresses must be multiples of what one access reads: the hardware faults on others.
void check_alignment(CheckContext& context, const ast::Access& from, const Access& access) {
  const Experiment& e = context.experiment;
  const bool merge = access.pattern.kind == Pattern::Kind::merge;
  const Expr& bytes = access.pattern.args[merge ? 1 : 0];
  for_each_point(e.sweep, {&bytes, &access.width}, [&](const std::vector<Value>& point) {
    const Scope scope = e.scope(point);
    const double b = number_at(bytes, scope), width = number_at(access.width, scope);
    if (std::fmod(b, width) == 0) return true;
    const Span span = from.args.empty() ? from.pattern.span : from.args[merge ? 1 : 0].span;
    context.problems.add(span, fmt::format("{} is no multiple of the width {}: the accesses would "
                                           "not be aligned",
                                           to_string(Quantity{b, Unit::byte}),
                                           to_string(Quantity{width, Unit::byte})));
    return false;
  });
}

bool check_width(CheckContext& context, const Expr& written, const Expr& width) {
  const Experiment& e = context.experiment;
  bool good = true;
  for_each_point(e.sweep, {&width}, [&](const std::vector<Value>& point) {
    const double bytes = number_at(width, e.scope(point));
    if (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16) return true;
    context.problems.add(written.span, fmt::format("the width is {}: it must be 1B, 2B, 4B, 8B or "
                                                   "16B",
                                                   to_string(Quantity{bytes, Unit::byte})));
    return good = false;
  });
  return good;
}

void read_space(CheckContext& context, const ast::Access& from, Access& access) {
  if (!from.space) return;
  const auto space = space_of(from.space->text);
  if (!space)
    context.problems.add(from.space->span, fmt::format("unknown space '{}'", from.space->text),
                         suggest(from.space->text, names_of(TermKind::space), "spaces"));
  else if (*space != Space::global)
    context.problems.add(from.space->span,
                         fmt::format("not supported yet: accesses to {} memory", from.space->text),
                         "global memory is supported");
  else
    access.space = *space;
}

void read_cache(CheckContext& context, const ast::Access& from, Access& access) {
  if (!from.cache) return;
  const auto cache = cache_of(from.cache->text);
  if (cache)
    access.cache = *cache;
  else
    context.problems.add(from.cache->span,
                         fmt::format("unknown cache operator '{}'", from.cache->text),
                         suggest(from.cache->text, names_of(TermKind::cache), "cache operators"));
}

std::optional<Access> read_access(CheckContext& context, const ast::Access& from) {
  Access access;
  access.kind = *access_of(from.kind.text);
  access.span = from.span;
  read_space(context, from, access);
  read_cache(context, from, access);
  auto pattern = read_pattern(context, from);
  std::optional<Expr> width = access.width, count = access.count;
  if (from.width) {
    width = checked_number(context, *from.width, {"the width", Unit::byte, 1, 16});
    if (width && !check_width(context, *from.width, *width)) width.reset();
  }
  if (from.count)
    count = checked_number(context, *from.count, {"the count", Unit::none, 1, max_accesses});
  if (!pattern || !width || !count) return std::nullopt;
  access.pattern = std::move(*pattern);
  access.width = std::move(*width);
  access.count = std::move(*count);
  check_alignment(context, from, access);
  return access;
}

/// Every access of the region is one instruction: their number is limited.
void check_total(CheckContext& context, const ast::Statement& region) {
  const Experiment& e = context.experiment;
  std::vector<const Expr*> counts;
  for (const Statement& statement : context.measure().body)
    counts.push_back(&std::get<Access>(statement.node).count);
  for_each_point(e.sweep, counts, [&](const std::vector<Value>& point) {
    double total = 0;
    const Scope scope = e.scope(point);
    for (const Expr* count : counts) total += number_at(*count, scope);
    if (total <= max_accesses) return true;
    context.problems.add(region.span, fmt::format("the region holds {} accesses: at most {} fit",
                                                  total, max_accesses));
    return false;
  });
}

}  // namespace

void check_region(CheckContext& context) {
  const auto regions = statements_of<ast::Region>(context.block);
  if (regions.empty()) {
    if (context.block.broken) return;
    const Span span = context.block.is_line ? context.block.span : context.block.name.span;
    context.problems.add(span,
                         context.block.is_line
                             ? "this line times nothing: it needs a region < ... >"
                             : "this experiment times nothing: it needs a region < ... >",
                         "such as < load unique(128B) >");
    return;
  }
  for (std::size_t i = 1; i < regions.size(); ++i)
    context.problems.add(regions[i].first->keyword,
                         "a second region < ... >: an experiment times one");
  const auto& [statement, region] = regions[0];
  context.measure().body_span = statement->span;
  if (region->accesses.empty() && !context.block.broken)
    context.problems.add(statement->span, "the region is empty", "such as < load unique(128B) >");
  bool good = true;
  for (const ast::Access& from : region->accesses) {
    auto access = read_access(context, from);
    good = good && access;
    if (access) context.measure().body.push_back({std::move(*access), from.span});
  }
  if (good) check_total(context, *statement);
}

}  // namespace gpx
