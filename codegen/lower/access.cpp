// Lowering of one access statement. Interface: codegen/lower/access.h.
#include "codegen/lower/access.h"

#include <fmt/format.h>

#include <algorithm>

#include "lang/vocabulary.h"

namespace gpx::codegen {
namespace {

constexpr std::uint64_t kMaxCount = 4096;  // Accesses of one statement and thread.

}  // namespace

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

AccessLowering::AccessLowering(LowerContext& context, const Access& access)
    : context_(context),
      access_(access),
      row_(*find_pattern(access.pattern.name)),
      code_(pattern_code(access.pattern.name)),
      width_(context.expr(access.width)),
      count_(context.expr(access.count)) {
  for (const Expr& arg : access.pattern.args) args_.push_back(context.expr(arg));
  folded_ = code_.folds && !args_.empty() && args_[0].constant();
  if (access.space != Space::global)
    context.blame(access.span,
                  fmt::format("accesses to {} memory cannot be timed, only to global memory",
                              gpx::to_string(access.space)));
  const CacheOp cache = access.cache;
  if (access.kind == Access::Kind::store && cache != CacheOp::unspecified && cache != CacheOp::cg &&
      cache != CacheOp::cs)
    context.blame(access.span,
                  fmt::format("a store cannot have the cache operator {}, only cg and cs",
                              gpx::to_string(cache)));
}

bool AccessLowering::point(const SweepCursor& at, std::uint64_t threads,
                           std::vector<std::uint64_t>& shape,
                           std::vector<std::uint64_t>& scalar_values) {
  const auto width = context_.whole(width_, at, "width", 1, 16);
  const auto count = context_.whole(count_, at, "the number of accesses", 1, kMaxCount);
  if (!width || !count) return false;
  if ((*width & (*width - 1)) != 0) {
    context_.blame(width_.span(),
                   fmt::format("width is {}B; it must be 1, 2, 4, 8 or 16B", *width));
    return false;
  }
  AccessPoint made{static_cast<std::uint32_t>(*width), static_cast<std::uint32_t>(*count)};
  made.threads = threads;
  if (!arguments(at, made)) return false;
  if (threads > 0) extend(made);
  shape.insert(shape.end(), {*width, *count});
  scalars(made, scalar_values);
  return true;
}

bool AccessLowering::arguments(const SweepCursor& at, AccessPoint& made) {
  if (args_.size() < row_.most()) {
    context_.blame(access_.span, "the pattern has too few arguments");
    return false;
  }
  for (std::size_t i = 0; i < row_.most(); ++i) {
    const PatternArgument& wanted = row_.arguments[i];
    const auto number = context_.whole(args_[i], at, wanted.rule);
    if (!number) return false;
    made.args[i] = *number;
    const std::string fault =
        wanted.aligned ? alignment_fault(static_cast<double>(*number), made.width) : std::string();
    if (fault.empty()) continue;
    context_.blame(args_[i].span(), fault);
    return false;
  }
  return true;
}

void AccessLowering::extend(const AccessPoint& point) {
  if (const std::string fault = code_.fault ? code_.fault(point) : std::string(); !fault.empty())
    return context_.blame(access_.span, fault);
  const Bytes reach = code_.reach(point);
  if (reach * (code_.layered ? point.count : 1) > kMaxExtent) {
    context_.blame(access_.span,
                   "the addresses reach further than 2^48 bytes, more than any GPU can address");
    return;
  }
  reach_ = std::max(reach_, static_cast<std::uint64_t>(reach));
  max_count_ = std::max<std::uint64_t>(max_count_, point.count);
}

void AccessLowering::scalars(const AccessPoint& point, std::vector<std::uint64_t>& out) const {
  if (folded_) return;
  for (const PatternScalar& scalar : code_.scalars) out.push_back(scalar.value(point));
}

std::vector<const char*> AccessLowering::scalar_names() const {
  std::vector<const char*> names;
  if (folded_) return names;
  for (const PatternScalar& scalar : code_.scalars) names.push_back(scalar.name);
  return names;
}

std::uint64_t AccessLowering::reach() {
  const Bytes bytes = code_.layered ? Bytes{max_count_} * span() : Bytes{reach_};
  if (bytes <= kMaxExtent) return static_cast<std::uint64_t>(bytes);
  context_.blame(access_.span,
                 "the addresses reach further than 2^48 bytes, more than any GPU can address");
  return 0;
}

std::uint64_t AccessLowering::only() const {
  PointExpr expr = context_.expr(access_.pattern.args[0]);
  const Value* value = expr.at(SweepCursor(context_.experiment.sweep));
  return static_cast<std::uint64_t>(std::get<Quantity>(*value).value);
}

AccessShape AccessLowering::shape(std::uint64_t width, std::uint64_t count) const {
  AccessShape made{access_.kind,
                   &code_,
                   access_.cache,
                   static_cast<std::uint32_t>(width),
                   static_cast<std::uint32_t>(count),
                   0,
                   std::nullopt,
                   context_.line(access_.span)};
  if (code_.layered) made.span = span();
  if (folded_) made.folded = only();
  return made;
}

}  // namespace gpx::codegen
