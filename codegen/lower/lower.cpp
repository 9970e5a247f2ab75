// Lowering: a checked experiment becomes kernels, buffers and one launch for each point.
//
// One pass over the sweep evaluates every point and finds the largest grid; buffers, spans and
// kernels follow from that, so that they are the same for every point. The statements are lowered
// in lower_body.cpp. Interface: codegen/ir/program.h. Covered by tests/codegen/lower_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "codegen/ir/program.h"
#include "codegen/lower/body.h"
#include "codegen/lower/place.h"
#include "codegen/lower/structure.h"
#include "lang/vocabulary.h"

namespace gpx::codegen {
namespace {

constexpr std::uint64_t kMaxRehearsals = 1'000'000;
constexpr std::uint64_t kMaxRecords = 1ull << 26;  // Rows of one launch.
// An argument of every kernel that nothing in it ever equals by design, and whose match would only
// store to the sink. Any odd number would do.
constexpr std::uint64_t kNever = 0xa5d6'3c1b'9e27'f48dull;

using Shape = std::vector<std::uint64_t>;  // The numbers that decide a kernel's code.

class Lowering {
 public:
  Lowering(const Experiment& experiment, const Measure& measure, const Source& source,
           const Limits& limits)
      : context_(experiment, measure, source, limits),
        measure_(measure),
        threads_(context_.expr(measure.threads)),
        blocks_(context_.expr(measure.blocks)),
        warmup_(context_.expr(measure.warmup)),
        rehearse_(context_.expr(measure.rehearse)),
        body_(context_, measure.body, numbers_, true),
        place_(context_, numbers_),
        settings_(context_) {
    if (measure.registers) registers_.emplace(context_.expr(*measure.registers));
    if (measure.watchdog) watchdog_.emplace(context_.expr(*measure.watchdog));
    if (!measure.flush) return;
    flush_bytes_.emplace(context_.expr(measure.flush->bytes));
    if (measure.flush->condition) flush_if_.emplace(context_.expr(*measure.flush->condition));
  }

  Result<Program> run() {
    observable();
    if (!context_.failed()) walk();
    if (!context_.failed()) buffers();
    if (!context_.failed()) records();
    if (!context_.failed()) kernels();
    if (context_.failed()) return tl::unexpected<Error>(std::move(context_.error));
    results();
    program_.repetitions = context_.experiment.repeat;
    program_.outcomes = measure_.has_outcomes();
    program_.may_hang = body_.may_hang();
    return std::move(program_);
  }

 private:
  Span body_span() const {
    return measure_.body_span.end > 0 ? measure_.body_span : context_.experiment.span;
  }

  // What is observed must be there.
  void observable() {
    const Observe observe = measure_.observe;
    if (observe == Observe::each && !body_.is_one_chase())
      context_.blame(body_span(), "`observe each` is of one chase, and of nothing else");
    if (observe == Observe::average && !body_.only_chases())
      context_.blame(body_span(), "`observe average` is of chases, and of nothing else");
    if (observe == Observe::timeline && body_.stamps().empty())
      context_.blame(body_span(), "`observe timeline` without a stamp");
    if (observe == Observe::time && measure_.body.empty())
      context_.blame(body_span(), "`observe time` of nothing");
  }

  // ---- the walk over the points -----------------------------------------------------------

  // Rehearsals warm a region that one launch times; a whole grid is warmed by `warmup`.
  bool rehearses(const SweepCursor& at) {
    if (measure_.observe == Observe::time) return false;
    if (!rehearse_.constant()) return true;
    const auto count = context_.whole(rehearse_, at, "rehearse", 0, kMaxRehearsals);
    return count && *count > 0;
  }

  void walk() {
    const std::uint64_t points = context_.experiment.sweep.points();
    program_.launches.reserve(points);
    SweepCursor cursor(context_.experiment.sweep);
    rehearses_ = rehearses(cursor);
    for (std::uint64_t p = 0; p < points; ++p, cursor.next()) point(cursor);
  }

  void point(const SweepCursor& at) {
    const auto threads = context_.limited(threads_, at, "threads", "threads in a block",
                                          context_.limits.threads_per_block);
    const auto blocks = context_.limited(blocks_, at, "blocks", "blocks", context_.limits.blocks);
    const auto warmup = context_.whole(warmup_, at, "warmup", 0, kMaxWarmup);
    const auto flush = flush_bytes(at);
    Launch launch;
    launch.scalars.push_back(kNever);
    Shape shape;
    if (!prepare(at, launch, shape)) return;
    if (!settings_.point(at, launch) || !place_.point(at, launch)) return;
    const std::uint64_t grid = threads && blocks ? *threads * *blocks : 0;
    if (!body_.point(at, grid, shape, launch.scalars)) return;
    if (!place_.bodies(at, shape, launch.scalars)) return;
    if (!threads || !blocks || !warmup || context_.failed()) return;
    launch.threads = static_cast<std::uint32_t>(*threads);
    launch.blocks = static_cast<std::uint32_t>(*blocks);
    launch.warmup = static_cast<std::uint32_t>(*warmup);
    launch.flush = flush.has_value();
    launch.flush_bytes = flush.value_or(0);
    launch.kernel = kernel_of(shape);
    most_threads_[launch.kernel] = std::max(most_threads_[launch.kernel], launch.threads);
    for (const ArrayLowering* array : arrays()) launch.contents.push_back(array->contents());
    if (!extents(launch)) return;
    if (launch.placed > 0) launch.blocks = place_.grid();
    program_.launches.push_back(std::move(launch));
  }

  // Registers decide the code; rehearsals and the watchdog do not.
  bool prepare(const SweepCursor& at, Launch& launch, Shape& shape) {
    if (registers_) {
      const auto registers = context_.whole(*registers_, at, "registers", 1, kMostRegisters);
      if (!registers) return false;
      shape.push_back(*registers);
    }
    if (rehearses_) {
      const auto count = context_.whole(rehearse_, at, "rehearse", 0, kMaxRehearsals);
      if (!count) return false;
      launch.scalars.push_back(*count);
    }
    return !watchdog_ || watch(at, launch);
  }

  bool watch(const SweepCursor& at, Launch& launch) {
    const Value* value = context_.value(*watchdog_, at);
    if (!value) return false;
    const Quantity* seconds = std::get_if<Quantity>(value);
    if (!seconds || !(seconds->value > 0)) {
      context_.blame(watchdog_->span(), fmt::format("watchdog is {}; it must be a time above 0",
                                                    gpx::to_string(*value)));
      return false;
    }
    launch.watchdog = seconds->value;
    return true;
  }

  bool extents(Launch& launch) {
    if (measure_.observe == Observe::timeline)
      launch.record_extents = {launch.blocks, launch.threads, body_.stamps().size()};
    if (measure_.observe == Observe::each) {
      if (launch.blocks != 1 || launch.threads != 1) {
        context_.blame(launch.threads != 1 ? threads_.span() : blocks_.span(),
                       fmt::format("`observe each` is of one thread, not of {}",
                                   std::uint64_t{launch.blocks} * launch.threads));
        return false;
      }
      launch.record_extents = {body_.chase_accesses()};
    }
    if (launch.record_rows() <= kMaxRecords) return true;
    context_.blame(body_span(), fmt::format("{} rows of one launch: at most {} are kept",
                                            launch.record_rows(), kMaxRecords));
    return false;
  }

  std::optional<std::uint64_t> flush_bytes(const SweepCursor& at) {
    if (!flush_bytes_) return std::nullopt;
    if (flush_if_) {
      const Value* value = context_.value(*flush_if_, at);
      const bool* truth = value ? std::get_if<bool>(value) : nullptr;
      if (value && !truth)
        context_.blame(flush_if_->span(), "the condition of flush is not true or false");
      if (!truth || !*truth) return std::nullopt;
    }
    return context_.whole(*flush_bytes_, at, "flush", 0, kMaxExtent);
  }

  std::uint32_t kernel_of(const Shape& shape) {
    if (shape == last_shape_ && !kernel_index_.empty()) return last_kernel_;
    const auto next = static_cast<std::uint32_t>(kernel_index_.size());
    const auto [it, is_new] = kernel_index_.try_emplace(shape, next);
    if (is_new) most_threads_.push_back(0);
    last_shape_ = shape;
    last_kernel_ = it->second;
    return last_kernel_;
  }

  // Each once, those of the measure's own body first.
  std::vector<const ArrayLowering*> arrays() const {
    std::vector<const ArrayLowering*> all;
    for (const ArrayLowering& array : body_.arrays()) all.push_back(&array);
    place_.add_arrays(all);
    return all;
  }

  // ---- what follows from the whole sweep --------------------------------------------------

  void buffers() {
    std::uint64_t data = 0, target = 0, total = 0;
    for (AccessLowering& access : body_.accesses()) {
      const std::uint64_t bytes = access.reach();
      if (access.access().kind != Access::Kind::store) data = std::max(data, bytes);
      if (access.access().kind != Access::Kind::load) target = std::max(target, bytes);
    }
    if (data > 0) program_.buffers.push_back({"data", round_up(data, kSpanUnit)});
    if (target > 0) program_.buffers.push_back({"target", round_up(target, kSpanUnit), true});
    for (const ArrayLowering* array : arrays()) add_array(*array);
    for (const Buffer& buffer : program_.buffers) total += buffer.bytes;
    if (context_.limits.memory_bytes > 0 && total > context_.limits.memory_bytes)
      context_.blame(body_span(),
                     fmt::format("the accesses need {} bytes of memory: the device has {}", total,
                                 context_.limits.memory_bytes));
  }

  void add_array(const ArrayLowering& array) {
    Buffer buffer{array.buffer(), round_up(array.most_bytes(), 8)};
    if (array.array().space == Space::constant) buffer.place = Buffer::Place::constant;
    if (array.array().space == Space::texture) buffer.place = Buffer::Place::texture;
    buffer.has_contents = true;
    program_.buffers.push_back(std::move(buffer));
  }

  // Each access takes a latency and an index; where the sweep's longest chase does not fit into
  // shared memory, all of the sweep is streamed, so that its points can be compared.
  void records() {
    std::uint64_t used = 4 * measure_.shared.size();
    for (const ArrayLowering& array : body_.arrays())
      if (array.array().space == Space::shared) used += round_up(array.most_bytes(), 8);
    if (measure_.observe == Observe::each) {
      const std::uint64_t row = 4 + body_.arrays().front().contents().width;
      const std::uint64_t rows = body_.most_chase_accesses() * row;
      each_ = EachRecords{used + rows > context_.limits.shared_per_block, 1};
      if (!each_->streamed)
        each_->capacity = static_cast<std::uint32_t>(body_.most_chase_accesses());
      used += each_->streamed ? row : rows;
      program_.records = {{{"access", {}}}, {"latency", "index"}};
    }
    if (measure_.observe == Observe::timeline)
      program_.records = {{{"block", {}}, {"thread", {}}, {"stamp", body_.stamps()}},
                          {"clock", "sm"}};
    if (used > context_.limits.shared_per_block)
      context_.blame(body_span(), fmt::format("{} bytes of shared memory: a block has {}", used,
                                              context_.limits.shared_per_block));
  }

  void kernels() {
    program_.kernels.resize(kernel_index_.size());
    for (const auto& [shape, index] : kernel_index_) {
      const Structure structure = structure_of(shape, most_threads_[index]);
      Kernel kernel = build_kernel(structure);
      if (!fits(kernel, structure)) return;
      if (auto verified = verify(kernel); !verified) {
        context_.error = std::move(verified.error());
        return;
      }
      program_.kernels[index] = std::move(kernel);
    }
  }

  // Values that do not fit into registers would be spilled to memory between the clock reads.
  bool fits(const Kernel& kernel, const Structure& structure) {
    if (kernel.exact_registers > 0) return true;
    const std::uint32_t need = register_need(kernel);
    const std::uint32_t budget = register_budget(kernel.threads);
    if (need <= budget) return true;
    Span span = body_span();
    std::string what = "the body";
    std::uint32_t most = 0;
    for (std::size_t i = 0; i < structure.body.size() && only_accesses(kernel); ++i) {
      const AccessShape& access = structure.body[i].access;
      if (access.count <= most) continue;
      most = access.count;
      const AccessLowering& blamed = body_.accesses()[i];
      span = blamed.count_span().end > blamed.count_span().begin ? blamed.count_span()
                                                                 : blamed.access().span;
      what = fmt::format("{} accesses of {}B", most, access.width);
    }
    context_.blame(span,
                   fmt::format("{} need{} {} registers a thread: a block of {} threads leaves each "
                               "thread {}",
                               what, most > 0 ? "" : "s", need, kernel.threads, budget),
                   "fewer accesses, narrower ones, or fewer threads in a block");
    return false;
  }

  Structure structure_of(const Shape& shape, std::uint32_t threads) const {
    Structure made;
    made.observe = measure_.observe;
    // Rounded, so that sweeps that differ a little share compiled kernels.
    for (made.threads = 128; made.threads < threads;) made.threads *= 2;
    for (const Buffer& buffer : program_.buffers)
      if (buffer.place != Buffer::Place::constant) made.buffers.push_back(buffer.name);
    if (rehearses_) made.scalars.emplace_back("rehearse");
    place_.scalar_names(made.scalars);
    body_.scalar_names(made.scalars);
    place_.body_scalar_names(made.scalars);
    made.each = each_;
    if (registers_) made.registers = static_cast<std::uint32_t>(shape.front());
    const std::uint64_t* next = shape.data() + (registers_ ? 1 : 0);
    body_.structure(next, made);
    place_.structure(next, made);
    return made;
  }

  void results() {
    if (measure_.observe == Observe::latency || measure_.observe == Observe::average)
      program_.results.push_back({"latency", 0, ResultSlot::Role::sample});
    program_.results.push_back({"checksum", 0, ResultSlot::Role::checksum});
    program_.results.push_back({"sink", 0, ResultSlot::Role::scratch});
    place_.results(program_.results);
    for (const std::string& column : body_.keeps())
      program_.results.push_back({column, kNotKept, ResultSlot::Role::sample});
  }

  LowerContext context_;
  const Measure& measure_;
  PointExpr threads_, blocks_, warmup_, rehearse_;
  std::optional<PointExpr> flush_bytes_, flush_if_, registers_, watchdog_;
  Numbering numbers_;
  BodyLowering body_;
  PlaceLowering place_;
  SettingsLowering settings_;
  bool rehearses_ = false;
  std::optional<EachRecords> each_;
  std::map<Shape, std::uint32_t> kernel_index_;
  std::vector<std::uint32_t> most_threads_;
  Shape last_shape_;
  std::uint32_t last_kernel_ = 0;
  Program program_;
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
