// Lowering of one access statement. Interface: codegen/lower/access.h.
#include "codegen/lower/access.h"

#include <fmt/format.h>

#include <algorithm>

#include "lang/vocabulary.h"

namespace gpx::codegen {
namespace {

using Wide = unsigned __int128;

constexpr std::uint64_t kMaxCount = 4096;  // Accesses of one statement and thread.

/// ceil(2^63 / k): t / k is the high half of 2t times it for all t with t * k <= 2^63.
std::uint64_t reciprocal(std::uint64_t k) {
  constexpr std::uint64_t kOne = std::uint64_t{1} << 63;
  return kOne / k + (kOne % k != 0 ? 1 : 0);
}

}  // namespace

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

AccessLowering::AccessLowering(LowerContext& context, const Access& access)
    : context_(context),
      access_(access),
      width_(context.expr(access.width)),
      count_(context.expr(access.count)) {
  for (const Expr& arg : access.pattern.args) args_.push_back(context.expr(arg));
  fixed_pitch_ =
      access.pattern.kind == Pattern::Kind::broadcast && (args_.empty() || args_[0].constant());
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
  Point made{static_cast<std::uint32_t>(*width), static_cast<std::uint32_t>(*count)};
  if (!arguments(at, made)) return false;
  if (threads > 0) extend(made, threads);
  shape.insert(shape.end(), {*width, *count});
  scalars(made, scalar_values);
  return true;
}

bool AccessLowering::arguments(const SweepCursor& at, Point& made) {
  std::vector<PointExpr>& args = args_;
  const bool merge = access_.pattern.kind == Pattern::Kind::merge;
  const bool random = access_.pattern.kind == Pattern::Kind::random;
  if (access_.pattern.kind == Pattern::Kind::broadcast && args.empty()) {
    made.a = 128;
    return true;
  }
  if (args.size() <= (merge ? 1u : 0u)) {
    context_.blame(access_.span, "the pattern has too few arguments");
    return false;
  }
  const auto number = [&](std::size_t i, const char* what, std::uint64_t low) {
    return context_.whole(args[i], at, what, low, kMaxExtent);
  };
  if (merge) {
    const auto group = number(0, "the number of threads that share an address", 1);
    const auto bytes = number(1, "the distance between addresses", made.width);
    made.a = group.value_or(1);
    made.b = bytes.value_or(0);
    return group && bytes && aligned(args[1], *bytes, made.width);
  }
  const auto bytes =
      number(0, random ? "the random range" : "the distance between addresses", made.width);
  made.a = bytes.value_or(0);
  const auto seed = random && args.size() > 1 ? number(1, "the seed", 0) : 0;
  made.b = seed.value_or(0);
  return bytes && seed && (random || aligned(args[0], *bytes, made.width));
}

bool AccessLowering::aligned(const PointExpr& expr, std::uint64_t bytes, std::uint32_t width) {
  if (bytes % width == 0) return true;
  context_.blame(
      expr.span(),
      fmt::format("addresses {}B apart are not all multiples of the width, {}B", bytes, width));
  return false;
}

void AccessLowering::extend(const Point& point, std::uint64_t threads) {
  const Wide last = threads - 1;
  const Wide width = point.width;
  const Wide more = point.count - 1;
  Wide layer = 0, extent = 0;
  switch (access_.pattern.kind) {
    case Pattern::Kind::unique:
      layer = last * point.a + width;
      break;
    case Pattern::Kind::merge:
      layer = last / point.a * point.b + width;
      if (last * point.a > Wide{1} << 63)
        return context_.blame(
            access_.span,
            fmt::format("merge over {} threads in groups of {} is out of range: their "
                        "product must not exceed 2^63",
                        threads, point.a));
      break;
    case Pattern::Kind::stride:
      extent = last * point.a + (more + 1) * width;
      break;
    case Pattern::Kind::broadcast:
      extent = more * point.a + width;
      break;
    case Pattern::Kind::random:
      extent = point.a;
      break;
  }
  if (layer > kMaxExtent || extent > kMaxExtent || layer * (more + 1) > kMaxExtent) {
    context_.blame(access_.span,
                   "the addresses reach further than 2^48 bytes, more than any GPU can address");
    return;
  }
  layer_ = std::max(layer_, static_cast<std::uint64_t>(layer));
  extent_ = std::max(extent_, static_cast<std::uint64_t>(extent));
  max_count_ = std::max<std::uint64_t>(max_count_, point.count);
}

void AccessLowering::scalars(const Point& point, std::vector<std::uint64_t>& out) const {
  switch (access_.pattern.kind) {
    case Pattern::Kind::unique:
    case Pattern::Kind::stride:
      out.push_back(point.a);
      break;
    case Pattern::Kind::merge:
      out.insert(out.end(), {reciprocal(point.a), point.b});
      break;
    case Pattern::Kind::broadcast:
      if (!fixed_pitch_) out.push_back(point.a);
      break;
    case Pattern::Kind::random:
      out.insert(out.end(), {point.a / point.width, point.b});
      break;
  }
}

std::uint64_t AccessLowering::reach() {
  Wide bytes = extent_;
  if (layer_ > 0) bytes = Wide{max_count_} * span();
  if (bytes <= kMaxExtent) return static_cast<std::uint64_t>(bytes);
  context_.blame(access_.span,
                 "the addresses reach further than 2^48 bytes, more than any GPU can address");
  return 0;
}

std::uint64_t AccessLowering::pitch() const {
  if (access_.pattern.args.empty()) return 128;
  PointExpr expr = context_.expr(access_.pattern.args[0]);
  const Value* value = expr.at(SweepCursor(context_.experiment.sweep));
  return static_cast<std::uint64_t>(std::get<Quantity>(*value).value);
}

AccessShape AccessLowering::shape(std::uint64_t width, std::uint64_t count) const {
  AccessShape made{access_.kind,
                   access_.pattern.kind,
                   access_.cache,
                   static_cast<std::uint32_t>(width),
                   static_cast<std::uint32_t>(count),
                   0,
                   std::nullopt,
                   context_.line(access_.span)};
  if (layer_ > 0) made.span = span();
  if (fixed_pitch_) made.pitch = pitch();
  return made;
}

}  // namespace gpx::codegen
