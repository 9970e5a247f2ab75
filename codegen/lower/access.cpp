// Lowering of one access statement. Interface: codegen/lower/access.h.
#include "codegen/lower/access.h"

#include <fmt/format.h>

#include <algorithm>

#include "lang/vocabulary.h"

namespace gpx::codegen {
namespace {

constexpr const char* kTooFar =
    "the addresses reach further than 2^48 bytes, more than any GPU can address";

}  // namespace

AccessLowering::AccessLowering(LowerContext& context, const Access& access, std::size_t number)
    : context_(context),
      access_(access),
      row_(*find_pattern(access.pattern.name)),
      code_(pattern_code(access.pattern.name)),
      number_(number) {
  GPX_ASSERT(access.space == Space::global);
  GPX_ASSERT(access.pattern.args.size() == row_.most());
  const CacheOp cache = access.cache;
  if (access.kind == Access::Kind::store && cache != CacheOp::unspecified && cache != CacheOp::cg &&
      cache != CacheOp::cs)
    context.blame(access.span,
                  fmt::format("a store cannot have the cache operator {}, only cg and cs",
                              gpx::to_string(cache)));
}

bool AccessLowering::folds() const {
  return code_.folds && context_.of(access_.pattern.args[0]).constant();
}

AccessShape AccessLowering::point(std::uint64_t threads, bool numbered) {
  const AccessPoint point = numbers(threads);
  if (!context_.failed()) extend(point);
  if (!folds())
    for (const PatternScalar& scalar : code_.scalars) {
      if (numbered)
        context_.scalars.add(scalar.name, number_, scalar.value(point));
      else
        context_.scalars.add(scalar.name, scalar.value(point));
    }
  return {&access_, number_, point.width, point.count};
}

AccessPoint AccessLowering::numbers(std::uint64_t threads) {
  AccessPoint made;
  made.threads = threads;
  made.count = static_cast<std::uint32_t>(context_.whole(access_.count, rules::count));
  made.width = static_cast<std::uint32_t>(context_.whole(access_.width, rules::width));
  if (const std::string fault = width_fault(made.width); !fault.empty())
    context_.blame(context_.of(access_.width).span(), fault);
  for (std::size_t i = 0; i < row_.most(); ++i) {
    const PatternArgument& wanted = row_.arguments[i];
    const Expr& expr = access_.pattern.args[i];
    made.args[i] = context_.whole(expr, wanted.rule);
    if (!wanted.aligned || made.args[i] % made.width == 0) continue;
    context_.blame(context_.of(expr).span(),
                   alignment_fault(static_cast<double>(made.args[i]), made.width));
  }
  return made;
}

void AccessLowering::extend(const AccessPoint& point) {
  if (const std::string fault = code_.fault ? code_.fault(point) : std::string(); !fault.empty())
    return context_.blame(access_.span, fault);
  const Bytes reach = code_.reach(point);
  if (reach * (code_.layered ? point.count : 1) > kMaxExtent)
    return context_.blame(access_.span, kTooFar);
  reach_ = std::max(reach_, static_cast<std::uint64_t>(reach));
  max_count_ = std::max<std::uint64_t>(max_count_, point.count);
}

Span AccessLowering::count_span() const {
  const Span span = context_.of(access_.count).span();
  return span.end > span.begin ? span : access_.span;
}

std::uint64_t AccessLowering::reach() {
  const Bytes bytes = code_.layered ? Bytes{max_count_} * span() : Bytes{reach_};
  if (bytes <= kMaxExtent) return static_cast<std::uint64_t>(bytes);
  context_.blame(access_.span, kTooFar);
  return 0;
}

AccessSpread AccessLowering::spread() {
  AccessSpread made;
  if (code_.layered) made.span = span();
  if (folds()) made.folded = context_.whole(access_.pattern.args[0], row_.arguments[0].rule);
  return made;
}

}  // namespace gpx::codegen
