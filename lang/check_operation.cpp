// Operations and the text of `ptx` statements: their names, counts, streams and sources.
// Interface: check_context.h; covered by tests/lang/check_test.cpp and the goldens.
#include <fmt/format.h>

#include <algorithm>

#include "lang/atomics.h"
#include "lang/check_context.h"
#include "lang/extremes.h"
#include "lang/lists.h"
#include "lang/operations.h"
#include "lang/vocabulary.h"

namespace gpx {
namespace {

std::vector<std::string> operation_words() {
  std::vector<std::string> words;
  for (const OperationName& row : operation_names()) words.emplace_back(row.name);
  return words;
}

/// "fma.f32" means fma.rn.f32: rounded to nearest, or an operation that begins and ends alike;
/// "fma" any that begins so. Else the nearest name.
std::string suggest_operation(const std::string& word, std::vector<std::string> known) {
  const std::size_t head = std::min(word.find('.'), word.size());
  const std::string tail = word.substr(std::min(word.rfind('.'), word.size()));
  const std::string nearest_rounding = word.substr(0, head) + ".rn" + tail;
  if (is_operation(nearest_rounding)) return fmt::format("did you mean '{}'?", nearest_rounding);
  std::vector<std::string> alike;
  for (const OperationName& row : operation_names()) {
    const std::string_view name = row.name;
    if (name.starts_with(word.substr(0, head) + ".") && name.ends_with(tail))
      alike.emplace_back(name);
  }
  if (alike.size() == 1) return fmt::format("did you mean '{}'?", alike.front());
  if (alike.empty()) return suggest(word, known);
  constexpr std::size_t kMost = 6;
  const std::size_t more = alike.size() - std::min(alike.size(), kMost);
  alike.resize(alike.size() - more);
  return fmt::format("there are {}{}", fmt::join(alike, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

/// Every value of the axis must be an operation.
bool check_swept_operations(CheckContext& context, const ast::Ident& name, const Axis& axis) {
  if (!std::holds_alternative<std::string>(axis.values[0])) {
    context.problems.add(
        name.span, fmt::format("'{}' is {}: an operation is a word such as add.u32", name.text,
                               phrase(type_of(axis.values[0]))));
    return false;
  }
  Override* setting = context.overrides.find(name.text);
  const ast::Axis* written = setting ? &setting->value : written_axis(context, name.text);
  Problems& problems = setting ? setting->problems : context.problems;
  bool good = true;
  for (std::size_t i = 0; i < axis.values.size(); ++i) {
    const auto& word = std::get<std::string>(axis.values[i]);
    if (is_operation(word)) continue;
    const bool placed = written && i < written->list.size();
    problems.add(placed ? written->list[i].span : axis.span,
                 fmt::format("unknown operation '{}'", word),
                 suggest_operation(word, operation_words()));
    good = false;
  }
  return good;
}

bool check_operation_parameter(CheckContext& context, const ast::Ident& name, const Value& value) {
  const auto* word = std::get_if<std::string>(&value);
  if (word && is_operation(*word)) return true;
  context.problems.add(
      name.span,
      word ? fmt::format("unknown operation '{}', the value of '{}'", *word, name.text)
           : fmt::format("'{}' is {}: an operation is a word such as add.u32", name.text,
                         phrase(type_of(value))),
      word ? suggest_operation(*word, operation_words()) : std::string());
  return false;
}

/// The operation's own name, or that of an axis or a parameter.
std::optional<Expr> read_operation(CheckContext& context, const ast::Ident& name) {
  Expr expr = Expr::name_of(name.text);
  expr.span = name.span;
  if (context.names.is_poisoned(name.text)) return std::nullopt;
  if (const Axis* axis = context.names.axis(name.text)) {
    context.names.use(axis->name);
    if (!check_swept_operations(context, name, *axis)) return std::nullopt;
    return expr;
  }
  if (const Value* value = context.names.parameter(name.text)) {
    if (!check_operation_parameter(context, name, *value)) return std::nullopt;
    return expr;
  }
  if (is_operation(name.text)) {
    expr.kind = Expr::Kind::word;
    return expr;
  }
  if (context.block.names_broken && name.text.find('.') == std::string::npos) return std::nullopt;
  if (find_atomic(name.text)) {
    context.problems.add(name.span, fmt::format("'{}' needs a pattern: where it lies", name.text),
                         fmt::format("such as {} same x16", name.text));
    return std::nullopt;
  }
  std::vector<std::string> known = operation_words();
  for (TermKind kind : {TermKind::access, TermKind::control})
    for (std::string& word : names_of(kind)) known.push_back(std::move(word));
  for (std::string& axis : context.names.axis_names()) known.push_back(std::move(axis));
  std::string hint = suggest_operation(name.text, known);
  for (const UserKernel& kernel : context.experiment.kernels)
    if (kernel.name == name.text) hint = fmt::format("a kernel is run: < run {} >", name.text);
  if (hint.empty()) hint = "gpx help operation lists the operations, such as add.u32";
  context.problems.add(name.span, fmt::format("unknown operation '{}'", name.text), hint);
  return std::nullopt;
}

/// An operation's executions are dealt out to its streams.
bool check_streams(CheckContext& context, const ast::Operate& from, const Operate& operate) {
  const Experiment& e = context.experiment;
  const std::vector<const Expr*> exprs = {&operate.count, &operate.streams};
  bool good = true;
  for_each_point(e.sweep, exprs, [&](const std::vector<Value>& point) {
    const Scope scope = e.scope(point);
    const double count = number_at(operate.count, scope);
    const double streams = number_at(operate.streams, scope);
    const std::string fault = streams_fault(count, streams, where(e.sweep, exprs, point));
    if (fault.empty()) return true;
    context.problems.add(
        from.count ? from.count->span : from.operation.span, fault,
        from.streams ? "" : "4 streams unless given: write 'chain' or 'streams 1'");
    return good = false;
  });
  return good;
}

/// "": it is no word.
std::string word_at(const Expr& expr, const Scope& scope) {
  const auto value = evaluate(expr, scope);
  const auto* word = value ? std::get_if<std::string>(&*value) : nullptr;
  return word ? *word : std::string();
}

/// The word itself, or the name of an axis or a parameter.
Expr read_word(CheckContext& context, const ast::Ident& name) {
  Expr expr = Expr::name_of(name.text);
  expr.span = name.span;
  if (const Axis* axis = context.names.axis(name.text)) context.names.use(axis->name);
  if (!context.names.axis(name.text) && !context.names.parameter(name.text))
    expr.kind = Expr::Kind::word;
  return expr;
}

std::string sources_hint(std::string_view operation) {
  const std::string letters = joined(chain_sources(operation), ", ", [](const ChainSource& each) {
    return fmt::format("'{}'", each.letter);
  });
  if (letters.empty()) return fmt::format("write 'chain': {} has one way", operation);
  return fmt::format("a chain of {} runs through {}", operation, letters);
}

/// At every point the operation has the source; of a `ptx` statement only codegen knows.
bool check_source(CheckContext& context, const Operate& operate) {
  const Expr &operation = operate.operation, &source = *operate.source;
  const bool is_ptx = operate.is_ptx;
  const auto is_letter = [](const std::string& word) {
    return word.size() == 1 && word[0] >= 'a' && word[0] <= 'z';
  };
  const Experiment& e = context.experiment;
  const std::vector<const Expr*> exprs = {&operation, &source};
  bool good = true;
  for_each_point(e.sweep, exprs, [&](const std::vector<Value>& point) {
    const Scope scope = e.scope(point);
    const std::string name = word_at(operation, scope), letter = word_at(source, scope);
    if (find_chain_source(name, letter) || (is_ptx && is_letter(letter))) return true;
    context.problems.add(
        source.span,
        fmt::format("no chain of {} runs through a source '{}'{}", name,
                    letter.empty() ? source.text : letter, where(e.sweep, exprs, point)),
        is_ptx ? "a source of a ptx statement is a letter, such as a for %a" : sources_hint(name));
    return good = false;
  });
  return good;
}

/// At every point an operation that takes data has zeros or random numbers.
bool check_data(CheckContext& context, const Operate& operate) {
  const Expr &operation = operate.operation, &data = *operate.data;
  const Experiment& e = context.experiment;
  const std::vector<const Expr*> exprs = {&operation, &data};
  bool good = true;
  for_each_point(e.sweep, exprs, [&](const std::vector<Value>& point) {
    const Scope scope = e.scope(point);
    const std::string name = word_at(operation, scope), word = word_at(data, scope);
    const std::string place = where(e.sweep, exprs, point);
    const bool is_data = find_operand_data(word).has_value();
    if (is_data && takes_data(name)) return true;
    context.problems.add(
        data.span,
        is_data ? fmt::format("{} takes no data{}", name, place)
                : fmt::format("unknown data '{}'{}", word.empty() ? data.text : word, place),
        is_data ? "matrix products do: mma and wgmma" : "data is zeros or random");
    return good = false;
  });
  return good;
}

/// What the text of a `ptx` statement says, codegen checks: the tables of PTX are there.
std::optional<Expr> read_ptx(const ast::Ident& text) {
  Expr expr;
  expr.kind = Expr::Kind::word;
  expr.text = text.text;
  expr.span = text.span;
  return expr;
}

/// Whether any value of the name is a barrier of the cluster.
bool waits_for_cluster(const CheckContext& context, const std::string& name) {
  const auto waits = [](std::string_view word) { return word.starts_with("barrier.cluster"); };
  const auto is_word = [&](const Value& value) {
    const auto* word = std::get_if<std::string>(&value);
    return word && waits(*word);
  };
  if (const Axis* axis = context.names.axis(name))
    return std::ranges::any_of(axis->values, is_word);
  const Value* value = context.names.parameter(name);
  return value ? is_word(*value) : waits(name);
}

}  // namespace

std::optional<Operate> read_operate(CheckContext& context, const ast::Operate& from) {
  Operate operate;
  auto operation = from.is_ptx ? read_ptx(from.operation) : read_operation(context, from.operation);
  std::optional<Expr> count = operate.count, streams = operate.streams;
  if (from.count) count = checked_number(context, *from.count, rules::executions);
  if (from.streams) streams = checked_number(context, *from.streams, rules::streams);
  if (from.chain || (!from.count && !from.streams)) streams = Expr::number(1);
  if (!operation || !count || !streams) return std::nullopt;
  if (!from.is_ptx && waits_for_cluster(context, from.operation.text) &&
      !check_cluster_use(context, from.operation.span))
    return std::nullopt;
  operate = {std::move(*operation), std::move(*count), std::move(*streams)};
  operate.is_ptx = from.is_ptx;
  if (!check_streams(context, from, operate)) return std::nullopt;
  for (const auto* word : {&from.source, &from.data})
    if (*word && context.names.is_poisoned((*word)->text)) return std::nullopt;
  if (from.source) operate.source = read_word(context, *from.source);
  if (from.data) operate.data = read_word(context, *from.data);
  if (operate.source && !check_source(context, operate)) return std::nullopt;
  if (operate.data && !check_data(context, operate)) return std::nullopt;
  return operate;
}

}  // namespace gpx
