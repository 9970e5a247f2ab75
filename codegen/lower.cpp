// Lowering: a checked experiment becomes kernels, buffers and one launch for each point.
//
// One pass over the sweep evaluates every point and finds the largest grid; buffers, spans and
// kernels follow from that, so that they are the same for every point. Interface:
// codegen/program.h. Covered by tests/codegen/lower_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "codegen/points.h"
#include "codegen/program.h"
#include "codegen/structure.h"
#include "lang/vocabulary.h"

namespace gpx::codegen {
namespace {

using Wide = unsigned __int128;

constexpr std::uint64_t kMaxExtent = 1ull << 48;  // Bytes that any GPU so far can address.
constexpr std::uint64_t kMaxCount = 4096;         // Accesses of one statement and thread.
constexpr std::uint64_t kMaxWarmup = 1'000'000;
constexpr std::uint64_t kSpanUnit = 256;  // Spans and buffers are multiples of it.
// An argument of every kernel that nothing in it ever equals by design, and whose match would only
// store to the sink. Any odd number would do.
constexpr std::uint64_t kNever = 0xa5d6'3c1b'9e27'f48dull;

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// One statement while the sweep is walked.
struct Statement {
  const Access* access;
  PointExpr width, count;
  std::vector<PointExpr> args;
  std::uint32_t line = 0;
  std::uint64_t layer = 0;   // Largest extent of the accesses of one index i, in bytes.
  std::uint64_t extent = 0;  // Largest extent of all; unique and merge add their spans later.
  std::uint64_t max_count = 1;
  bool fixed_pitch = false;  // broadcast: the whole sweep has one B.
};

/// What a statement is at one point.
struct AccessPoint {
  std::uint32_t width = 4, count = 1;
  std::uint64_t a = 0, b = 0;  // The pattern's arguments; b is merge's B and random's seed.
  auto operator<=>(const AccessPoint&) const = default;
};

using Shape = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // (width, count)...

class Lowering {
 public:
  Lowering(const Experiment& experiment, const Measure& measure, const Source& source,
           const Limits& limits)
      : experiment_(experiment),
        measure_(measure),
        source_(source),
        limits_(limits),
        threads_(experiment, measure, measure.threads),
        blocks_(experiment, measure, measure.blocks),
        warmup_(experiment, measure, measure.warmup) {
    if (measure.flush) {
      flush_bytes_.emplace(experiment, measure, measure.flush->bytes);
      if (measure.flush->condition)
        flush_if_.emplace(experiment, measure, *measure.flush->condition);
    }
    for (const gpx::Statement& statement : measure.body) add(std::get<Access>(statement.node));
  }

  Result<Program> run() {
    if (!error_.diagnostics.empty()) return tl::unexpected<Error>(std::move(error_));
    walk();
    if (error_.diagnostics.empty()) buffers();
    if (error_.diagnostics.empty()) kernels();
    if (!error_.diagnostics.empty()) return tl::unexpected<Error>(std::move(error_));
    results();
    program_.repetitions = experiment_.repeat;
    return std::move(program_);
  }

 private:
  // Each place is blamed once, whatever the number of points.
  void blame(Span span, std::string message, std::string hint = {}) {
    if (!blamed_.insert({span.begin, span.end}).second) return;
    error_.fault = Fault::input;
    error_.diagnostics.push_back(
        make_error(Fault::input, source_, span, std::move(message), std::move(hint))
            .diagnostics.front());
  }

  void add(const Access& access) {
    Statement made{
        &access, {experiment_, measure_, access.width}, {experiment_, measure_, access.count}, {}};
    for (const Expr& arg : access.pattern.args) made.args.emplace_back(experiment_, measure_, arg);
    made.line = static_cast<std::uint32_t>(source_.locate(access.span).line);
    made.fixed_pitch = access.pattern.kind == Pattern::Kind::broadcast &&
                       (made.args.empty() || made.args[0].constant());
    statements_.push_back(std::move(made));
    if (access.space != Space::global)
      blame(access.span, fmt::format("accesses to {} memory cannot be timed, only to global memory",
                                     gpx::to_string(access.space)));
    const CacheOp cache = access.cache;
    if (access.kind == Access::Kind::store && cache != CacheOp::unspecified &&
        cache != CacheOp::cg && cache != CacheOp::cs)
      blame(access.span, fmt::format("a store cannot have the cache operator {}, only cg and cs",
                                     gpx::to_string(cache)));
  }

  // ---- values -----------------------------------------------------------------------------

  // A whole number within [low, high], or blame and nothing.
  std::optional<std::uint64_t> whole(PointExpr& expr, const SweepCursor& at, const char* what,
                                     std::uint64_t low, std::uint64_t high) {
    const gpx::Value* value = expr.at(at);
    if (!value) {
      blame(expr.error().span, expr.error().message);
      return std::nullopt;
    }
    const Quantity* quantity = std::get_if<Quantity>(value);
    if (!quantity) {
      blame(expr.span(), fmt::format("{} is {}, not a number", what, gpx::to_string(*value)));
      return std::nullopt;
    }
    const double number = quantity->value;
    const bool fits = number >= static_cast<double>(low) && number <= static_cast<double>(high);
    if (!fits || number != std::floor(number)) {
      const std::string shown = gpx::to_string(*quantity);
      blame(expr.span(), fits ? fmt::format("{} is {}, not a whole number", what, shown)
                              : fmt::format("{} is {}; it must be {}", what, shown,
                                            bounds(low, high, quantity->unit)));
      return std::nullopt;
    }
    return static_cast<std::uint64_t>(number);
  }

  static std::string bounds(std::uint64_t low, std::uint64_t high, Unit unit) {
    const auto show = [&](std::uint64_t n) {
      return gpx::to_string(Quantity{static_cast<double>(n), unit});
    };
    return high >= kMaxExtent ? fmt::format("at least {}", show(low))
                              : fmt::format("from {} to {}", show(low), show(high));
  }

  std::optional<std::uint64_t> limited(PointExpr& expr, const SweepCursor& at, const char* what,
                                       const char* where, std::uint64_t limit) {
    const auto number = whole(expr, at, what, 1, kMaxExtent);
    if (!number || *number <= limit) return number;
    blame(expr.span(), fmt::format("{} {}: the device has {}", *number, where, limit));
    return std::nullopt;
  }

  // ---- the walk over the points -----------------------------------------------------------

  void walk() {
    const std::uint64_t points = experiment_.sweep.points();
    program_.launches.reserve(points);
    SweepCursor cursor(experiment_.sweep);
    for (std::uint64_t p = 0; p < points; ++p, cursor.next()) point(cursor);
  }

  void point(const SweepCursor& at) {
    const auto threads =
        limited(threads_, at, "threads", "threads in a block", limits_.threads_per_block);
    const auto blocks = limited(blocks_, at, "blocks", "blocks", limits_.blocks);
    const auto warmup = whole(warmup_, at, "warmup", 0, kMaxWarmup);
    const auto flush = flush_bytes(at);
    Launch launch;
    launch.scalars.push_back(kNever);
    Shape shape;
    for (Statement& statement : statements_) {
      const auto access = access_point(statement, at);
      if (!access) return;
      if (threads && blocks) extend(statement, *access, *threads * *blocks);
      shape.emplace_back(access->width, access->count);
      scalars(statement, *access, launch.scalars);
    }
    if (!threads || !blocks || !warmup || !error_.diagnostics.empty()) return;
    launch.kernel = kernel_of(shape);
    launch.threads = static_cast<std::uint32_t>(*threads);
    launch.blocks = static_cast<std::uint32_t>(*blocks);
    launch.warmup = static_cast<std::uint32_t>(*warmup);
    launch.flush = flush.has_value();
    launch.flush_bytes = flush.value_or(0);
    most_threads_[launch.kernel] = std::max(most_threads_[launch.kernel], launch.threads);
    program_.launches.push_back(std::move(launch));
  }

  std::optional<std::uint64_t> flush_bytes(const SweepCursor& at) {
    if (!flush_bytes_) return std::nullopt;
    if (flush_if_) {
      const gpx::Value* value = flush_if_->at(at);
      if (!value) blame(flush_if_->error().span, flush_if_->error().message);
      const bool* truth = value ? std::get_if<bool>(value) : nullptr;
      if (value && !truth) blame(flush_if_->span(), "the condition of flush is not true or false");
      if (!truth || !*truth) return std::nullopt;
    }
    return whole(*flush_bytes_, at, "flush", 0, kMaxExtent);
  }

  std::optional<AccessPoint> access_point(Statement& statement, const SweepCursor& at) {
    const auto width = whole(statement.width, at, "width", 1, 16);
    const auto count = whole(statement.count, at, "the number of accesses", 1, kMaxCount);
    if (!width || !count) return std::nullopt;
    if ((*width & (*width - 1)) != 0) {
      blame(statement.width.span(),
            fmt::format("width is {}B; it must be 1, 2, 4, 8 or 16B", *width));
      return std::nullopt;
    }
    AccessPoint made{static_cast<std::uint32_t>(*width), static_cast<std::uint32_t>(*count)};
    return arguments(statement, at, made) ? std::optional(made) : std::nullopt;
  }

  bool arguments(Statement& statement, const SweepCursor& at, AccessPoint& made) {
    std::vector<PointExpr>& args = statement.args;
    const bool merge = statement.access->pattern.kind == Pattern::Kind::merge;
    const bool random = statement.access->pattern.kind == Pattern::Kind::random;
    if (statement.access->pattern.kind == Pattern::Kind::broadcast && args.empty()) {
      made.a = 128;
      return true;
    }
    if (args.size() <= (merge ? 1u : 0u)) {
      blame(statement.access->span, "the pattern has too few arguments");
      return false;
    }
    const auto number = [&](std::size_t i, const char* what, std::uint64_t low) {
      return whole(args[i], at, what, low, kMaxExtent);
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

  bool aligned(const PointExpr& expr, std::uint64_t bytes, std::uint32_t width) {
    if (bytes % width == 0) return true;
    blame(expr.span(),
          fmt::format("addresses {}B apart are not all multiples of the width, {}B", bytes, width));
    return false;
  }

  void extend(Statement& statement, const AccessPoint& access, std::uint64_t threads) {
    const Wide last = threads - 1;
    const Wide width = access.width;
    const Wide more = access.count - 1;
    Wide layer = 0, extent = 0;
    switch (statement.access->pattern.kind) {
      case Pattern::Kind::unique:
        layer = last * access.a + width;
        break;
      case Pattern::Kind::merge:
        layer = last / access.a * access.b + width;
        if (last * access.a > Wide{1} << 63)
          return blame(statement.access->span,
                       fmt::format("merge over {} threads in groups of {} is out of range: their "
                                   "product must not exceed 2^63",
                                   threads, access.a));
        break;
      case Pattern::Kind::stride:
        extent = last * access.a + (more + 1) * width;
        break;
      case Pattern::Kind::broadcast:
        extent = more * access.a + width;
        break;
      case Pattern::Kind::random:
        extent = access.a;
        break;
    }
    if (layer > kMaxExtent || extent > kMaxExtent || layer * (more + 1) > kMaxExtent) {
      blame(statement.access->span,
            "the addresses reach further than 2^48 bytes, more than any GPU can address");
      return;
    }
    statement.layer = std::max(statement.layer, static_cast<std::uint64_t>(layer));
    statement.extent = std::max(statement.extent, static_cast<std::uint64_t>(extent));
    statement.max_count = std::max<std::uint64_t>(statement.max_count, access.count);
  }

  /// ceil(2^63 / k): t / k is the high half of 2t times it for all t with t * k <= 2^63.
  static std::uint64_t reciprocal(std::uint64_t k) {
    constexpr std::uint64_t kOne = std::uint64_t{1} << 63;
    return kOne / k + (kOne % k != 0 ? 1 : 0);
  }

  static void scalars(const Statement& statement, const AccessPoint& access,
                      std::vector<std::uint64_t>& out) {
    switch (statement.access->pattern.kind) {
      case Pattern::Kind::unique:
      case Pattern::Kind::stride:
        out.push_back(access.a);
        break;
      case Pattern::Kind::merge:
        out.insert(out.end(), {reciprocal(access.a), access.b});
        break;
      case Pattern::Kind::broadcast:
        if (!statement.fixed_pitch) out.push_back(access.a);
        break;
      case Pattern::Kind::random:
        out.insert(out.end(), {access.a / access.width, access.b});
        break;
    }
  }

  std::uint32_t kernel_of(const Shape& shape) {
    if (shape == last_shape_) return last_kernel_;
    const auto next = static_cast<std::uint32_t>(kernel_index_.size());
    const auto [it, is_new] = kernel_index_.try_emplace(shape, next);
    if (is_new) most_threads_.push_back(0);
    last_shape_ = shape;
    last_kernel_ = it->second;
    return last_kernel_;
  }

  // ---- what follows from the whole sweep --------------------------------------------------

  static std::uint64_t span_of(const Statement& statement) {
    return round_up(statement.layer, kSpanUnit);
  }

  void buffers() {
    Wide data = 0, target = 0;
    for (Statement& statement : statements_) {
      Wide bytes = statement.extent;
      if (statement.layer > 0) bytes = Wide{statement.max_count} * span_of(statement);
      if (bytes > kMaxExtent)
        return blame(statement.access->span,
                     "the addresses reach further than 2^48 bytes, more than any GPU can address");
      if (statement.access->kind != Access::Kind::store) data = std::max(data, bytes);
      if (statement.access->kind != Access::Kind::load) target = std::max(target, bytes);
    }
    const auto add_buffer = [&](const char* name, Wide bytes, bool written) {
      if (bytes > 0)
        program_.buffers.push_back(
            {name, round_up(static_cast<std::uint64_t>(bytes), kSpanUnit), written});
    };
    add_buffer("data", data, false);
    add_buffer("target", target, true);
    std::uint64_t total = 0;
    for (const Buffer& buffer : program_.buffers) total += buffer.bytes;
    if (limits_.memory_bytes > 0 && total > limits_.memory_bytes)
      blame(measure_.body_span.end > 0 ? measure_.body_span : experiment_.span,
            fmt::format("the accesses need {} bytes of memory: the device has {}", total,
                        limits_.memory_bytes));
  }

  void kernels() {
    program_.kernels.resize(kernel_index_.size());
    for (const auto& [shape, index] : kernel_index_) {
      const Structure structure = structure_of(shape, most_threads_[index]);
      Kernel kernel = build_kernel(structure);
      if (!fits(kernel, shape)) return;
      if (auto verified = verify(kernel); !verified) {
        error_ = std::move(verified.error());
        return;
      }
      program_.kernels[index] = std::move(kernel);
    }
  }

  // Values that do not fit into registers would be spilled to memory between the clock reads.
  bool fits(const Kernel& kernel, const Shape& shape) {
    const std::uint32_t need = register_need(kernel);
    const std::uint32_t budget = register_budget(kernel.threads);
    if (need <= budget) return true;
    std::size_t most = 0;
    for (std::size_t i = 0; i < shape.size(); ++i)
      if (shape[i].second > shape[most].second) most = i;
    const Statement& statement = statements_[most];
    const Span count = statement.count.span();
    blame(count.end > count.begin ? count : statement.access->span,
          fmt::format("{} accesses of {}B need {} registers a thread: a block of {} threads leaves "
                      "each thread {}",
                      shape[most].second, shape[most].first, need, kernel.threads, budget),
          "fewer accesses, narrower ones, or fewer threads in a block");
    return false;
  }

  Structure structure_of(const Shape& shape, std::uint32_t threads) const {
    Structure made;
    made.observe = measure_.observe;
    // Rounded, so that sweeps that differ a little share compiled kernels.
    for (made.threads = 128; made.threads < threads;) made.threads *= 2;
    for (const Buffer& buffer : program_.buffers) made.buffers.push_back(buffer.name);
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const Statement& statement = statements_[i];
      const Access& access = *statement.access;
      AccessShape part{access.kind,    access.pattern.kind, access.cache,
                       shape[i].first, shape[i].second,     0,
                       std::nullopt,   statement.line};
      if (statement.layer > 0) part.span = span_of(statement);
      if (statement.fixed_pitch) part.pitch = fixed_pitch(statement);
      made.accesses.push_back(part);
    }
    return made;
  }

  std::uint64_t fixed_pitch(const Statement& statement) const {
    if (statement.access->pattern.args.empty()) return 128;
    PointExpr expr(experiment_, measure_, statement.access->pattern.args[0]);
    const gpx::Value* value = expr.at(SweepCursor(experiment_.sweep));
    return static_cast<std::uint64_t>(std::get<Quantity>(*value).value);
  }

  void results() {
    if (measure_.observe == Observe::latency)
      program_.results.push_back({"latency", 0, ResultSlot::Role::sample});
    program_.results.push_back({"checksum", 0, ResultSlot::Role::checksum});
    program_.results.push_back({"sink", 0, ResultSlot::Role::scratch});
  }

  const Experiment& experiment_;
  const Measure& measure_;
  const Source& source_;
  const Limits& limits_;
  PointExpr threads_, blocks_, warmup_;
  std::optional<PointExpr> flush_bytes_, flush_if_;
  std::vector<Statement> statements_;
  std::map<Shape, std::uint32_t> kernel_index_;
  std::vector<std::uint32_t> most_threads_;
  Shape last_shape_;
  std::uint32_t last_kernel_ = 0;
  std::set<std::pair<std::uint32_t, std::uint32_t>> blamed_;
  Program program_;
  Error error_;
};

}  // namespace

std::uint64_t Launch::record_rows() const {
  std::uint64_t rows = record_extents.empty() ? 0 : 1;
  for (std::uint64_t extent : record_extents) rows *= extent;
  return rows;
}

Result<Program> lower(const Experiment& experiment, const Measure& measure, const Source& source,
                      const Limits& limits) {
  return Lowering(experiment, measure, source, limits).run();
}

}  // namespace gpx::codegen
