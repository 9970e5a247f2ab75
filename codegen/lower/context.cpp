// Values, arguments and errors of lowering. Interface: codegen/lower/context.h.
#include "codegen/lower/context.h"

#include <fmt/format.h>

#include <algorithm>

#include "lang/lists.h"

namespace gpx::codegen {

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

void Scalars::add(std::string_view name, std::uint64_t value) {
  if (!named_) names_.emplace_back(name);
  GPX_ASSERT(values_.size() < names_.size());
  GPX_ASSERT(names_[values_.size()] == name);
  values_.push_back(value);
}

void Scalars::add(std::string_view name, std::size_t number, std::uint64_t value) {
  if (!named_) names_.push_back(fmt::format("{}{}", name, number));
  GPX_ASSERT(values_.size() < names_.size());
  GPX_ASSERT(names_[values_.size()] == fmt::format("{}{}", name, number));
  values_.push_back(value);
}

std::vector<std::uint64_t> Scalars::take() {
  GPX_ASSERT(values_.size() == names_.size());
  named_ = true;
  std::vector<std::uint64_t> taken;
  taken.reserve(names_.size());
  std::swap(taken, values_);
  return taken;
}

void LowerContext::blame(Span span, std::string message, std::string hint) {
  if (!blamed_.insert({span.begin, span.end}).second) return;
  error.fault = Fault::input;
  error.diagnostics.push_back(
      make_error(Fault::input, source, span, std::move(message), std::move(hint))
          .diagnostics.front());
}

void LowerContext::need_peer(Span span) {
  if (limits.peer_bytes == 0)
    blame(span, "this device has no peer, whose memory this would access",
          "it takes two GPUs of one host that can access each other's memory");
}

PointExpr& LowerContext::memo(const Expr& expr) {
  const auto known = values_.find(&expr);
  if (known != values_.end()) return known->second;
  return values_.emplace(&expr, PointExpr(experiment, measure, expr)).first->second;
}

const Value* LowerContext::value(const Expr& expr) {
  PointExpr& one = memo(expr);
  const Value* found = one.at(at);
  if (!found) blame(one.error().span, one.error().message);
  return found;
}

double LowerContext::number(const Expr& expr, const NumberRule& rule) {
  const Value* found = value(expr);
  if (!found) return rule.low;
  const Quantity* quantity = std::get_if<Quantity>(found);
  if (quantity && rule.admits(quantity->value)) return quantity->value;
  blame(of(expr).span(), fmt::format("{} is {}: it must be {}", rule.what, gpx::to_string(*found),
                                     rule.limits(quantity ? quantity->value : rule.low)));
  return rule.low;
}

std::uint64_t LowerContext::whole(const Expr& expr, const NumberRule& rule) {
  return static_cast<std::uint64_t>(number(expr, rule));
}

// Of an axis other values, of a parameter another one.
std::string LowerContext::setting_hint(const Expr& expr, std::uint64_t most) const {
  if (expr.kind != Expr::Kind::name) return {};
  const auto axes = experiment.sweep.axes();
  if (contains(axes, expr.text, &Axis::name))
    return fmt::format("with --set '{}=[32, {}]' the axis has other values", expr.text, most);
  return fmt::format("with --set {}={} it is another value", expr.text, most);
}

std::uint32_t LowerContext::limited(const Expr& expr, const NumberRule& rule, const char* where,
                                    std::uint64_t limit) {
  const std::uint64_t number = whole(expr, rule);
  if (number <= limit) return static_cast<std::uint32_t>(number);
  blame(of(expr).span(), fmt::format("{} {}: the device has {}", number, where, limit),
        setting_hint(expr, limit));
  return static_cast<std::uint32_t>(limit);
}

bool LowerContext::holds(const std::optional<Expr>& condition) {
  if (!condition) return true;
  const Value* found = value(*condition);
  const bool* truth = found ? std::get_if<bool>(found) : nullptr;
  GPX_ASSERT(truth || !found);  // The checker knows the types.
  return truth && *truth;
}

namespace {

std::uint32_t cluster_at(LowerContext& context, const Launch& launch) {
  const Expr& expr = *context.measure.cluster;
  const auto cluster = static_cast<std::uint32_t>(context.whole(expr, rules::cluster));
  if (cluster > context.limits.blocks_per_cluster)
    context.blame(
        context.of(expr).span(),
        context.limits.blocks_per_cluster == 0
            ? "a cluster needs compute capability 9.0: this device has no clusters of blocks"
            : fmt::format("a cluster of {} blocks: the device has at most {}", cluster,
                          context.limits.blocks_per_cluster),
        "a virtual device has them by its section 'cluster'");
  if (launch.blocks % cluster != 0)
    context.blame(context.of(expr).span(),
                  fmt::format("{} blocks are not whole clusters of {}", launch.blocks, cluster),
                  "'blocks' is a multiple of 'cluster' at every point");
  return cluster;
}

}  // namespace

void set_extents(LowerContext& context, Launch& launch) {
  const Limits& limits = context.limits;
  launch.threads = context.limited(context.measure.threads, rules::threads, "threads in a block",
                                   limits.threads_per_block);
  launch.blocks = context.limited(context.measure.blocks, rules::blocks, "blocks", limits.blocks);
  if (context.measure.cluster) launch.cluster = cluster_at(context, launch);
  launch.warmup = static_cast<std::uint32_t>(context.whole(context.measure.warmup, rules::warmup));
}

void set_options(LowerContext& context, Launch& launch) {
  const Measure& measure = context.measure;
  if (measure.watchdog) launch.watchdog = context.number(*measure.watchdog, rules::watchdog);
  launch.flush = measure.flush && context.holds(measure.flush->condition);
  if (launch.flush) launch.flush_bytes = context.whole(measure.flush->bytes, rules::flush);
  launch.offset = context.whole(measure.offset, rules::offset);
  if (measure.observe != Observe::energy) return;
  constexpr double kMetered = 1;  // Seconds: a counter may advance in steps of a tenth.
  launch.metered = kMetered;
  if (!context.limits.energy)
    context.blame(measure.span, "this device does not report its energy",
                  "a virtual GPU has no model of power; a real one needs NVML's counter of energy");
}

std::uint32_t registers_at(LowerContext& context) {
  const auto& registers = context.measure.registers;
  return registers ? static_cast<std::uint32_t>(context.whole(*registers, rules::registers)) : 0;
}

}  // namespace gpx::codegen
