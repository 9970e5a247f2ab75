// Asynchronous copies: what an access with `async` can be, and that each is waited for.
// Interface: check_context.h; covered by the goldens (async.gpx, bad-async.gpx).
#include <fmt/format.h>

#include <cmath>

#include "lang/check_context.h"
#include "lang/extremes.h"
#include "lang/statements.h"

namespace gpx {
namespace {

/// What a copy by each thread cannot be at some point: its width, and its cache operator.
std::string async_fault(double width, CacheOp cache) {
  if (width != 4 && width != 8 && width != 16)
    return fmt::format("an asynchronous copy has 4B, 8B or 16B, this has {}",
                       to_string(Quantity{width, Unit::byte}));
  if (cache == CacheOp::cg && width != 16)
    return "an asynchronous copy with the cache operator cg has 16B";
  if (cache == CacheOp::unspecified || cache == CacheOp::ca || cache == CacheOp::cg) return {};
  return fmt::format("an asynchronous copy cannot have the cache operator {}, only ca and cg",
                     to_string(cache));
}

/// The hardware takes rows of 16 bytes and a multiple, and of one wait no more than an mbarrier
/// counts.
bool check_box(CheckContext& context, const ast::Access& from, const Access& access) {
  constexpr double kUnit = 16, kMost = (1 << 20) - 1;
  const Experiment& e = context.experiment;
  std::vector<const Expr*> read = {&access.width};
  for (const Expr& side : access.pattern.args) read.push_back(&side);
  bool good = true;
  for_each_point(e.sweep, read, [&](const std::vector<Value>& point) {
    const Scope scope = e.scope(point);
    const double width = number_at(access.width, scope);
    const double row = width * number_at(access.pattern.args[0], scope);
    double bytes = width;
    for (const Expr& side : access.pattern.args) bytes *= number_at(side, scope);
    const auto text = [](double number) { return to_string(Quantity{number, Unit::byte}); };
    std::string fault;
    if (width > 8)
      fault = fmt::format("an element of a tensor has at most 8B, this has {}", text(width));
    else if (std::fmod(row, kUnit) != 0)
      fault = fmt::format("a row of the box has {}: it must be a multiple of 16B", text(row));
    else if (bytes > kMost)
      fault = fmt::format("a box of {}: a copy has at most {}", text(bytes), text(kMost));
    if (fault.empty()) return true;
    context.problems.add(from.pattern.span, fault);
    return good = false;
  });
  return good;
}

bool check_bulk_bytes(CheckContext& context, const ast::Access& from, const Access& access) {
  constexpr std::uint64_t kUnit = 16;
  const Experiment& e = context.experiment;
  const Expr& bytes = access.pattern.args[0];
  bool good = true;
  for_each_point(e.sweep, {&bytes}, [&](const std::vector<Value>& point) {
    const double number = number_at(bytes, e.scope(point));
    if (static_cast<std::uint64_t>(number) % kUnit == 0) return true;
    context.problems.add(from.args[0].span, fmt::format("{} is no multiple of 16B",
                                                        to_string(Quantity{number, Unit::byte})));
    return good = false;
  });
  return good;
}

bool is_of_copies(const Statement& one) {
  const auto* access = std::get_if<Access>(&one.node);
  return std::holds_alternative<Wait>(one.node) || (access && access->async);
}

}  // namespace

bool check_async(CheckContext& context, const ast::Access& from, const Access& access) {
  const auto wrong = [&](Span span, std::string message, std::string hint = {}) {
    context.problems.add(span, std::move(message), std::move(hint));
    return false;
  };
  for (const auto& [axis, word] :
       {std::pair(&access.by.kind, &from.kind), std::pair(&access.by.pattern, &from.pattern)})
    if (!axis->empty())
      return wrong(word->span, "what an asynchronous copy does is written, no axis",
                   "write one measure for each");
  if (from.space && (!access.by.space.empty() || access.space != Space::global))
    return wrong(from.space->span, "an asynchronous copy is between global and shared memory",
                 "remove the space");
  if (from.rank) return wrong(from.rank->span, "an asynchronous copy is of the block's own memory");
  const bool bulk = access.is_bulk();
  if (access.kind != Access::Kind::load && !(bulk && access.kind == Access::Kind::store))
    return wrong(
        from.kind.span,
        bulk ? "a bulk copy is a load or a store" : "an asynchronous copy by each thread is a load",
        bulk ? "" : "async store bulk(4KB) copies from shared to global memory");
  if (bulk && !access.is_tensor() && from.width)
    return wrong(from.width->span, "a bulk copy has the width of its bytes");
  if (bulk && from.cache) return wrong(from.cache->span, "a bulk copy has no cache operator");
  if (access.is_tensor()) return check_box(context, from, access);
  if (bulk) return check_bulk_bytes(context, from, access);
  const Experiment& e = context.experiment;
  const Expr cache = Expr::name_of(access.by.cache);
  bool good = true;
  for_each_point(e.sweep, {&access.width, &cache}, [&](const std::vector<Value>& point) {
    const Scope scope = e.scope(point);
    const CacheOp now = access.by.any() ? resolved(access, scope).cache : access.cache;
    const std::string fault = async_fault(number_at(access.width, scope), now);
    if (fault.empty()) return true;
    context.problems.add(from.width ? from.width->span : from.pattern.span, fault);
    return good = false;
  });
  return good;
}

void check_waits(CheckContext& context, const std::vector<Statement>& body) {
  std::vector<const Statement*> pending;
  for (const Statement& one : body) {
    if (!is_of_copies(one)) {
      bool inside = false;
      for_each_statement({one}, [&](const Statement& inner) {
        if (inside || !is_of_copies(inner)) return;
        inside = true;
        context.problems.add(inner.span,
                             "asynchronous copies cannot be inside when, while or diverge");
      });
    } else if (const auto* access = std::get_if<Access>(&one.node)) {
      if (!access->chained) pending.push_back(&one);
    } else {
      if (pending.empty())
        context.problems.add(one.span, "no asynchronous copy precedes this 'wait'",
                             "'chain' waits for each copy by itself");
      pending.clear();
    }
  }
  for (const Statement* one : pending)
    context.problems.add(one->span, "nothing waits for this copy: its time would not be seen",
                         "write 'wait' behind it, or 'chain' to wait for each copy by itself");
}

}  // namespace gpx
