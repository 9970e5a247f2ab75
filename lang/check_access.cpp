// Accesses: loads, stores and copies with a pattern, and loads that follow the links of an array.
// Interface: check_context.h; covered by tests/lang/check_test.cpp and the goldens.
#include <fmt/format.h>

#include "lang/check_context.h"
#include "lang/extremes.h"
#include "lang/patterns.h"

namespace gpx {
namespace {

std::optional<Pattern> read_pattern(CheckContext& context, const ast::Access& from) {
  const PatternRow* row = find_pattern(from.pattern.text);
  if (!row) {
    std::vector<std::string> known = names_of(TermKind::pattern);
    for (const Array& array : context.experiment.arrays) known.push_back(array.name);
    if (!context.names.is_poisoned(from.pattern.text))
      context.problems.add(from.pattern.span,
                           fmt::format("unknown pattern '{}'", from.pattern.text),
                           suggest(from.pattern.text, known, "patterns"));
    return std::nullopt;
  }
  if (from.args.size() < row->least() || from.args.size() > row->most()) {
    context.problems.add(from.pattern.span,
                         fmt::format("{} does not take {} argument{}", from.pattern.text,
                                     from.args.size(), from.args.size() == 1 ? "" : "s"),
                         fmt::format("write {}", row->syntax()));
    return std::nullopt;
  }
  Pattern pattern{row->name, {}};
  bool good = true;
  for (std::size_t i = 0; i < row->most(); ++i) {
    const PatternArgument& wanted = row->arguments[i];
    auto arg = i < from.args.size()
                   ? checked_number(context, from.args[i], wanted.rule)
                   : std::optional(Expr::number(*wanted.fallback, wanted.rule.unit));
    good = good && arg;
    if (arg) pattern.args.push_back(std::move(*arg));
  }
  if (!good) return std::nullopt;
  return pattern;
}

/// Addresses must be multiples of what one access reads: the hardware faults on others.
void check_alignment(CheckContext& context, const ast::Access& from, const Access& access) {
  const Experiment& e = context.experiment;
  const PatternRow& row = *find_pattern(access.pattern.name);
  for (std::size_t i = 0; i < row.most(); ++i) {
    if (!row.arguments[i].aligned) continue;
    const Expr& bytes = access.pattern.args[i];
    for_each_point(e.sweep, {&bytes, &access.width}, [&](const std::vector<Value>& point) {
      const Scope scope = e.scope(point);
      const std::string fault =
          alignment_fault(number_at(bytes, scope), number_at(access.width, scope));
      if (fault.empty()) return true;
      context.problems.add(i < from.args.size() ? from.args[i].span : from.pattern.span, fault);
      return false;
    });
  }
}

bool check_width(CheckContext& context, const Expr& written, const Expr& width) {
  const Experiment& e = context.experiment;
  bool good = true;
  for_each_point(e.sweep, {&width}, [&](const std::vector<Value>& point) {
    const std::string fault = width_fault(number_at(width, e.scope(point)));
    if (fault.empty()) return true;
    context.problems.add(written.span, fault);
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

CacheOp read_cache(CheckContext& context, const ast::Access& from) {
  if (!from.cache) return CacheOp::unspecified;
  const auto cache = cache_of(from.cache->text);
  if (!cache)
    context.problems.add(from.cache->span,
                         fmt::format("unknown cache operator '{}'", from.cache->text),
                         suggest(from.cache->text, names_of(TermKind::cache), "cache operators"));
  return cache.value_or(CacheOp::unspecified);
}

std::optional<Statement> read_pattern_access(CheckContext& context, const ast::Access& from,
                                             Span span) {
  Access access;
  access.kind = *access_of(from.kind.text);
  if (from.from)
    context.problems.add(from.from->span, "only a load of an array's links begins somewhere",
                         "such as load a from warp x256 chain");
  access.span = span;
  read_space(context, from, access);
  access.cache = read_cache(context, from);
  auto pattern = read_pattern(context, from);
  std::optional<Expr> width = access.width, count = access.count;
  if (from.width) {
    width = checked_number(context, *from.width, rules::width);
    if (width && !check_width(context, *from.width, *width)) width.reset();
  }
  if (from.count) count = checked_number(context, *from.count, rules::count);
  if (!pattern || !width || !count) return std::nullopt;
  access.pattern = std::move(*pattern);
  access.width = std::move(*width);
  access.count = std::move(*count);
  check_alignment(context, from, access);
  return Statement{std::move(access), span};
}

const Array* array_of(const CheckContext& context, const std::string& name) {
  for (const Array& array : context.experiment.arrays)
    if (array.name == name) return &array;
  return nullptr;
}

/// What a load of an array does not take; true if there is none of it.
bool check_chase_parts(CheckContext& context, const ast::Access& from, const Array& array) {
  const auto wrong = [&](Span span, std::string message, std::string hint = {}) {
    context.problems.add(span, std::move(message), std::move(hint));
    return false;
  };
  const std::string& name = array.name;
  if (from.kind.text != "load")
    return wrong(from.kind.span, "only a load can follow the links of an array");
  if (from.space)
    return wrong(from.space->span, fmt::format("the array '{}' lies in {} memory: no space stands "
                                               "here",
                                               name, to_string(array.space)));
  if (from.has_args)
    return wrong(from.pattern.span, fmt::format("'{}' is an array: it takes no arguments", name));
  if (from.width)
    return wrong(from.width->span,
                 fmt::format("the width of '{}' stands in its array clause", name));
  if (array.layout.kind == Array::Layout::Kind::none)
    return wrong(from.pattern.span, fmt::format("the array '{}' has no links to follow", name),
                 fmt::format("such as array {} : {}[16KB] chase(stride 128B)", name,
                             to_string(array.space)));
  const bool by_distance = array.layout.kind == Array::Layout::Kind::stride ||
                           array.layout.kind == Array::Layout::Kind::random;
  if (from.from && !by_distance)
    return wrong(from.from->span,
                 fmt::format("the elements of '{}' are not told by a number", name),
                 "'from' needs chase(stride ...) or chase(random ...)");
  if (from.chain || from.each) return true;
  return wrong(
      from.pattern.span,
      fmt::format("a load of the array '{}' follows its links: write 'chain' or 'each'", name));
}

std::optional<Statement> read_chase(CheckContext& context, const ast::Access& from, Span span) {
  const std::string& name = from.pattern.text;
  const Array* array = array_of(context, name);
  if (!array) {
    if (context.names.is_poisoned(name) || context.block.broken) return std::nullopt;
    std::vector<std::string> known;
    for (const Array& one : context.experiment.arrays) known.push_back(one.name);
    std::string hint = suggest(name, known);
    if (hint.empty()) hint = "declare it: array NAME : global[16KB] chase(stride 128B)";
    context.problems.add(from.pattern.span,
                         find_pattern(name)
                             ? fmt::format("'{}' is a pattern: only the links of an array make a "
                                           "chain",
                                           name)
                             : fmt::format("no array is named '{}'", name),
                         hint);
    return std::nullopt;
  }
  if (!check_chase_parts(context, from, *array)) return std::nullopt;
  Chase chase{name, read_cache(context, from), Expr::number(1)};
  if (from.count) {
    auto count = checked_number(context, *from.count, rules::chase);
    if (!count) return std::nullopt;
    chase.count = std::move(*count);
  }
  if (from.from) {
    auto first = checked_thread_value(context, *from.from, {"'from'", Type::Kind::quantity, false});
    if (!first) return std::nullopt;
    chase.from = std::move(*first);
  }
  return Statement{std::move(chase), span};
}

}  // namespace

std::optional<Statement> read_access(CheckContext& context, const ast::Access& from, Span span) {
  const bool chase = from.chain || from.each || array_of(context, from.pattern.text);
  return chase ? read_chase(context, from, span) : read_pattern_access(context, from, span);
}

}  // namespace gpx
