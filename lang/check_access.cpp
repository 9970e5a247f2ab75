// Accesses: loads, stores and copies with a pattern, and loads that follow the links of an array.
// Interface: check_context.h; covered by tests/lang/check_test.cpp and the goldens.
#include <fmt/format.h>

#include <algorithm>

#include "lang/atomics.h"
#include "lang/check_context.h"
#include "lang/extremes.h"
#include "lang/patterns.h"

namespace gpx {
namespace {

/// What a word of an access may be: written, or by the values of an axis or a parameter.
struct Word {
  std::vector<std::string> values;
  std::vector<Span> places;  ///< Of each value, to blame.
  std::string axis;          ///< "": one value.
};

/// `known` words stand for themselves; nothing where numbers stand for words, which is reported.
template <typename Known>
std::optional<Word> read_word(CheckContext& context, const ast::Ident& from, const char* what,
                              Known&& known) {
  Word word{{from.text}, {from.span}, {}};
  if (known(from.text)) return word;
  const auto numbers = [&](Type type) {
    context.problems.add(from.span,
                         fmt::format("'{}' is {}: {} is a word", from.text, phrase(type), what));
    return std::nullopt;
  };
  if (const Value* value = context.names.parameter(from.text)) {
    const auto* text = std::get_if<std::string>(value);
    if (!text) return numbers(type_of(*value));
    word.values = {*text};
    return word;
  }
  const Axis* axis = context.names.axis(from.text);
  if (!axis) return word;
  if (!std::holds_alternative<std::string>(axis->values.front()))
    return numbers(type_of(axis->values.front()));
  context.names.use(axis->name);
  word = {{}, {}, axis->name};
  const ast::Axis* written =
      context.overrides.find(from.text) ? nullptr : written_axis(context, from.text);
  for (std::size_t i = 0; i < axis->values.size(); ++i) {
    word.values.push_back(std::get<std::string>(axis->values[i]));
    word.places.push_back(written && i < written->list.size() ? written->list[i].span : from.span);
  }
  return word;
}

bool wrong_arguments(CheckContext& context, const ast::Access& from, const PatternRow& row) {
  if (from.args.size() >= row.least() && from.args.size() <= row.most()) return false;
  context.problems.add(
      from.pattern.span,
      fmt::format("{} does not take {}", row.name, plural(from.args.size(), "argument")),
      fmt::format("write {}", row.syntax()));
  return true;
}

/// The arguments of a row; where the pattern is an axis those that are written.
std::optional<std::vector<Expr>> read_arguments(CheckContext& context, const ast::Access& from,
                                                const PatternRow& row, bool swept) {
  if (wrong_arguments(context, from, row)) return std::nullopt;
  std::vector<Expr> args;
  bool good = true;
  for (std::size_t i = 0; i < (swept ? from.args.size() : row.most()); ++i) {
    const PatternArgument& wanted = row.arguments[i];
    if (wanted.open && i >= from.args.size()) break;
    auto arg = i < from.args.size()
                   ? checked_number(context, from.args[i], wanted.rule)
                   : std::optional(Expr::number(*wanted.fallback, wanted.rule.unit));
    good = good && arg;
    if (arg) args.push_back(std::move(*arg));
  }
  if (!good) return std::nullopt;
  return args;
}

/// The rows that the pattern may be.
std::optional<std::vector<const PatternRow*>> read_pattern(CheckContext& context,
                                                           const ast::Access& from,
                                                           Access& access) {
  const auto word = read_word(context, from.pattern, "a pattern", find_pattern);
  if (!word) return std::nullopt;
  std::vector<const PatternRow*> rows;
  for (std::size_t i = 0; i < word->values.size(); ++i) {
    const PatternRow* row = find_pattern(word->values[i]);
    if (row) {
      auto args = read_arguments(context, from, *row, !word->axis.empty());
      if (!args) return std::nullopt;
      access.pattern = {row->name, std::move(*args)};
      rows.push_back(row);
      continue;
    }
    std::vector<std::string> known = names_of(TermKind::pattern);
    for (const Array& array : context.experiment.arrays) known.push_back(array.name);
    if (!context.names.is_poisoned(from.pattern.text))
      context.problems.add(word->places[i], fmt::format("unknown pattern '{}'", word->values[i]),
                           suggest(word->values[i], known, "patterns"));
    return std::nullopt;
  }
  access.by.pattern = word->axis;
  return rows;
}

/// Addresses must be multiples of what one access reads: the hardware faults on others.
void check_alignment(CheckContext& context, const ast::Access& from, const Access& access,
                     const PatternRow& row) {
  const Experiment& e = context.experiment;
  for (std::size_t i = 0; i < access.pattern.args.size(); ++i) {
    if (!row.arguments[i].aligned) continue;
    const Expr& bytes = access.pattern.args[i];
    const Expr kind = Expr::name_of(access.by.kind);  // It may say the width.
    for_each_point(e.sweep, {&bytes, &access.width, &kind}, [&](const std::vector<Value>& point) {
      const Scope scope = e.scope(point);
      const Expr width = access.by.any() ? resolved(access, scope).width : access.width;
      const std::string fault = alignment_fault(number_at(bytes, scope), number_at(width, scope));
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

/// `load stride(4B) shared`: a pattern and behind it a space.
std::string swapped_space(const ast::Access& from) {
  const bool swapped = find_pattern(from.space->text) && space_of(from.pattern.text);
  return swapped ? fmt::format("the space comes before the pattern: {} {}", from.pattern.text,
                               from.space->text)
                 : std::string();
}

bool read_space(CheckContext& context, const ast::Access& from, Access& access) {
  if (!from.space) return true;
  const auto word = read_word(context, *from.space, "a space", space_of);
  if (!word) return false;
  for (std::size_t i = 0; i < word->values.size(); ++i) {
    const auto space = space_of(word->values[i]);
    if (space && (is_global_memory(*space) || space == Space::shared)) {
      access.space = *space;
      continue;
    }
    const std::string& name = word->values[i];
    std::string hint = swapped_space(from);
    if (hint.empty()) hint = suggest(name, names_of(TermKind::space), "spaces");
    if (space)
      context.problems.add(
          word->places[i],
          fmt::format("not supported yet: accesses to {} memory by a pattern", name),
          fmt::format(
              "the links of an array can be followed there: array a : {}[16KB] chase(stride "
              "128B), then load a x64 chain",
              name));
    else
      context.problems.add(word->places[i], fmt::format("unknown space '{}'", name), hint);
    return false;
  }
  access.by.space = word->axis;
  return true;
}

bool read_cache(CheckContext& context, const ast::Access& from, CacheOp& cache, std::string& axis) {
  if (!from.cache) return true;
  const auto word = read_word(context, *from.cache, "a cache operator", cache_of);
  if (!word) return false;
  for (std::size_t i = 0; i < word->values.size(); ++i) {
    if (const auto known = cache_of(word->values[i])) {
      cache = *known;
      continue;
    }
    context.problems.add(word->places[i],
                         fmt::format("unknown cache operator '{}'", word->values[i]),
                         suggest(word->values[i], names_of(TermKind::cache), "cache operators"));
    return false;
  }
  axis = word->axis;
  return true;
}

std::vector<std::string> access_words() {
  std::vector<std::string> words = names_of(TermKind::access);
  for (std::string& atomic : names_of(TermKind::atomic)) words.push_back(std::move(atomic));
  return words;
}

bool read_kind(CheckContext& context, const ast::Access& from, Access& access, bool& atomics) {
  const auto word = read_word(context, from.kind, "an access", [](const std::string& text) {
    return access_of(text) || find_atomic(text);
  });
  if (!word) return false;
  atomics = true;
  Access tried = access;  // The width of an atomic is not that of other words of the axis.
  for (std::size_t i = 0; i < word->values.size(); ++i) {
    if (set_kind(tried, word->values[i])) {
      atomics = atomics && tried.kind == Access::Kind::atomic;
      continue;
    }
    std::vector<std::string> known = access_words();
    for (std::string& control : names_of(TermKind::control)) known.push_back(std::move(control));
    std::string hint = suggest(word->values[i], known);
    if (hint.empty()) hint = "load, store, copy, or an atomic such as atom.add.u32";
    if (!context.names.is_poisoned(from.kind.text))
      context.problems.add(word->places[i], fmt::format("unknown access '{}'", word->values[i]),
                           hint);
    return false;
  }
  if (word->axis.empty()) access.width = tried.width;
  access.kind = tried.kind;
  access.operation = tried.operation;
  access.by.kind = word->axis;
  return true;
}

/// `on rank R`, of an access to shared memory.
bool read_rank(CheckContext& context, const ast::Access& from, bool shared,
               std::optional<Expr>& rank) {
  if (!from.rank) return true;
  if (!shared) {
    context.problems.add(from.rank->span, "only shared memory can be reached on another rank",
                         "such as load shared unique(4B) on rank (rank + 1)");
    return false;
  }
  if (!check_cluster_use(context, from.rank->span)) return false;
  rank = checked_thread_value(context, *from.rank, {"'on rank'", Type::Kind::quantity, false});
  return rank.has_value();
}

/// What does not go together, whatever the numbers.
bool check_parts(CheckContext& context, const ast::Access& from, const Access& access, bool atomics,
                 const std::vector<const PatternRow*>& rows) {
  const auto wrong = [&](Span span, std::string message, std::string hint = {}) {
    context.problems.add(span, std::move(message), std::move(hint));
    return false;
  };
  const bool atomic = access.kind == Access::Kind::atomic;
  if (from.from)
    return wrong(from.from->span, "'from' applies only to a load of an array's links",
                 "such as load a from warp x256 chain");
  if (atomic && from.width)
    return wrong(from.width->span, "an atomic has the width of its type",
                 fmt::format("{} has {}", from.kind.text, to_string(access.width)));
  if (atomic && from.cache) return wrong(from.cache->span, "an atomic has no cache operator");
  if (from.cache && access.by.space.empty() && access.space == Space::shared)
    return wrong(from.cache->span, "an access to shared memory has no cache operator");
  const auto only = std::ranges::find(rows, true, &PatternRow::only_atomics);
  if (only != rows.end() && !atomics)
    return wrong(from.pattern.span,
                 fmt::format("'{}' is a pattern of atomics: accesses of one thread to one address "
                             "are merged",
                             (*only)->name),
                 "such as atom.add.u32 same x16; all threads read one address by broadcast");
  const auto bulk = std::ranges::find(rows, true, &PatternRow::only_bulk);
  if (bulk != rows.end() && !from.async)
    return wrong(from.pattern.span,
                 fmt::format("'{}' is a pattern of asynchronous copies", (*bulk)->name),
                 "such as async load bulk(4KB); wait");
  const bool returns = !atomic || find_atomic(access.operation)->returns;
  if (from.chain && !returns)
    return wrong(from.chain->span, "red gives no value that the next one could wait for",
                 fmt::format("atom.{}", access.operation.substr(4)));
  return true;
}

std::optional<Statement> read_pattern_access(CheckContext& context, const ast::Access& from,
                                             Span span) {
  Access access;
  access.span = span;
  bool atomics = false;
  if (!read_kind(context, from, access, atomics)) return std::nullopt;
  const bool space = read_space(context, from, access);
  const bool cache = read_cache(context, from, access.cache, access.by.cache);
  const auto rows = read_pattern(context, from, access);
  std::optional<Expr> width = access.width, count = access.count;
  if (from.width) {
    width = checked_number(context, *from.width, rules::width);
    if (width && !check_width(context, *from.width, *width)) width.reset();
  }
  if (from.count) count = checked_number(context, *from.count, rules::count);
  if (!space || !cache || !rows || !width || !count) return std::nullopt;
  if (!check_parts(context, from, access, atomics, *rows)) return std::nullopt;
  access.width = std::move(*width);
  access.count = std::move(*count);
  access.chained = from.chain.has_value();
  const bool shared = access.by.space.empty() && access.space == Space::shared;
  if (!read_rank(context, from, shared, access.rank)) return std::nullopt;
  access.async = from.async;
  if (access.async && !check_async(context, from, access)) return std::nullopt;
  for (const PatternRow* row : *rows) check_alignment(context, from, access, *row);
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
    return wrong(from.space->span, fmt::format("the array '{}' lies in {} memory: remove the space",
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
    return wrong(from.from->span, fmt::format("the elements of '{}' have no numbers", name),
                 "'from' needs chase(stride ...) or chase(random ...)");
  if (from.chain || from.each) return true;
  return wrong(
      from.pattern.span,
      fmt::format("a load of the array '{}' follows its links: write 'chain' or 'each'", name),
      "'chain' times all of its accesses together, 'each' every one of them");
}

/// The address of another block's memory has 64 bits.
bool has_wide_links(CheckContext& context, const Expr& written, const Array& array) {
  bool wide = true;
  for_each_point(context.experiment.sweep, {&array.width}, [&](const std::vector<Value>& point) {
    return wide = number_at(array.width, context.experiment.scope(point)) == 8;
  });
  if (!wide)
    context.problems.add(written.span, "links that lead through another block's memory have 8B",
                         fmt::format("array {} : shared[...] chase(...) width 8B", array.name));
  return wide;
}

std::optional<Statement> read_chase(CheckContext& context, const ast::Access& from, Span span) {
  const std::string& name = from.pattern.text;
  const Array* array = array_of(context, name);
  if (!array) {
    if (context.names.is_poisoned(name) || context.block.broken) return std::nullopt;
    std::vector<std::string> known;
    for (const Array& one : context.experiment.arrays) known.push_back(one.name);
    std::string hint = suggest(name, known);
    if (hint.empty() && space_of(name))
      hint = fmt::format(
          "an array has its space where it is declared: array a : {}[16KB] "
          "chase(stride 128B)",
          name);
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
  Chase chase{name, CacheOp::unspecified, Expr::number(1)};
  std::string axis;
  if (!read_cache(context, from, chase.cache, axis)) return std::nullopt;
  if (!axis.empty()) {
    chase.cache = CacheOp::unspecified;
    chase.cache_axis = Expr::name_of(axis);
  }
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
  if (!read_rank(context, from, array->space == Space::shared, chase.rank)) return std::nullopt;
  if (chase.rank && !has_wide_links(context, *from.rank, *array)) return std::nullopt;
  return Statement{std::move(chase), span};
}

}  // namespace

std::optional<Statement> read_access(CheckContext& context, const ast::Access& from, Span span) {
  const bool load = access_of(from.kind.text).has_value();
  const bool array = array_of(context, from.pattern.text) != nullptr;
  if (from.async && (array || from.each)) {
    context.problems.add(from.pattern.span, "an asynchronous copy takes a pattern",
                         "such as async load unique(16B) width 16B x4; wait");
    return std::nullopt;
  }
  const bool chase = (load && from.chain && !from.async) || from.each || array;
  return chase ? read_chase(context, from, span) : read_pattern_access(context, from, span);
}

}  // namespace gpx
