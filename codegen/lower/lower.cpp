// Lowering: a checked experiment becomes kernels, buffers and one launch for each point.
//
// One pass over the sweep evaluates every point and finds the largest grid; buffers, spans and
// kernels follow from that, so that they are the same for every point. The statements are lowered
// in codegen/lower/body.h. Interface: codegen/ir/program.h. Covered by
// tests/codegen/lower_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "codegen/ir/convention.h"
#include "codegen/ir/program.h"
#include "codegen/ir/shared_layout.h"
#include "codegen/lower/body.h"
#include "codegen/lower/place.h"
#include "codegen/lower/structure.h"
#include "lang/stop.h"
#include "lang/vocabulary.h"

namespace gpx::codegen {
namespace {

/// The structures of a sweep, each once.
class Kernels {
 public:
  /// The kernel of a structure. The innermost axis of a sweep begins again and again: what followed
  /// the last kernel before tends to follow it again.
  std::uint32_t find(Structure&& structure, std::uint32_t threads) {
    std::uint32_t found = size();
    if (found > 0 && all_[last_].structure == structure)
      found = last_;
    else if (found > 0 && all_[all_[last_].next].structure == structure)
      found = all_[last_].next;
    else
      for (std::uint32_t k = 0; k < size() && found == size(); ++k)
        if (all_[k].structure == structure) found = k;
    if (found == size()) all_.push_back({std::move(structure), 0, 0});
    all_[last_].next = found;
    last_ = found;
    all_[found].most_threads = std::max(all_[found].most_threads, threads);
    return found;
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(all_.size()); }
  const Structure& structure(std::uint32_t kernel) const { return all_[kernel].structure; }
  /// The largest block, rounded up, so that sweeps that differ a little share compiled kernels.
  std::uint32_t threads(std::uint32_t kernel) const {
    return threads_for(all_[kernel].most_threads);
  }
  static std::uint32_t threads_for(std::uint32_t most) {
    return std::max(128u, std::bit_ceil(most));
  }

 private:
  struct One {
    Structure structure;
    std::uint32_t most_threads, next;
  };
  std::vector<One> all_;
  std::uint32_t last_ = 0;
};

class Lowering {
 public:
  Lowering(const Experiment& experiment, const Measure& measure, const Source& source,
           const Limits& limits)
      : context_(experiment, measure, source, limits),
        measure_(measure),
        traits_(traits_of(measure.observe)),
        body_(context_, measure.body, numbers_, true),
        place_(context_, numbers_) {}

  Result<Program> run() {
    if (!context_.failed()) walk();
    if (!context_.failed()) buffers();
    if (!context_.failed()) records();
    if (!context_.failed()) kernels();
    if (context_.failed()) return tl::unexpected<Error>(std::move(context_.error));
    results();
    program_.records = records_of(program_.kernels.front());
    program_.repetitions = context_.experiment.repeat;
    program_.until_percent = context_.experiment.until_percent;
    program_.outcomes = measure_.has_outcomes();
    program_.may_hang = body_.may_hang();
    return std::move(program_);
  }

 private:
  bool stopped() {
    if (StopScope::raised() && !context_.failed())
      context_.error = std::move(StopScope::error().value());
    return context_.failed();
  }

  Span body_span() const {
    return measure_.body_span.end > 0 ? measure_.body_span : context_.experiment.span;
  }

  // ---- the walk over the points -----------------------------------------------------------

  // Rehearsals warm a region that one launch times; a whole grid is warmed by `warmup`.
  bool rehearses() {
    if (!traits_.clocked) return false;
    return !context_.of(measure_.rehearse).constant() ||
           context_.whole(measure_.rehearse, rules::rehearse) > 0;
  }

  void walk() {
    const std::uint64_t points = context_.experiment.sweep.points();
    program_.launches.reserve(points);
    frame_.rehearsed = rehearses();
    for (std::uint64_t p = 0; p < points && !stopped(); ++p, context_.at.next()) point();
  }

  void point() {
    Launch launch;
    set_extents(context_, launch);
    set_options(context_, launch);
    set_memories(context_, launch);
    Structure structure{registers_at(context_), {}, {}};
    scalars(launch, structure);
    if (context_.failed()) return;
    launch.kernel = kernels_.find(std::move(structure), launch.threads);
    for (const ArrayLowering* array : arrays()) launch.contents.push_back(array->contents());
    if (!extents(launch)) return;
    if (launch.placed > 0) launch.blocks = place_.grid();
    program_.launches.push_back(std::move(launch));
  }

  // Adds all scalars, in the order in which the kernels have them.
  void scalars(Launch& launch, Structure& structure) {
    numbers_.chases = 0;
    context_.scalars.add("never", kNeverWord);
    if (frame_.rehearsed)
      context_.scalars.add("rehearse", context_.whole(measure_.rehearse, rules::rehearse));
    place_.point(launch);
    structure.body = body_.point({std::uint64_t{launch.threads} * launch.blocks, launch.threads});
    structure.beside = place_.bodies();
    copied_ = std::max(copied_, copied_bytes(structure.body, Kernels::threads_for(launch.threads)));
    launch.scalars = context_.scalars.take();
    for (const AccessLowering& access : body_.accesses())
      if (access.access().is_tensor()) launch.tensors.push_back(access.tensor());
  }

  bool extents(Launch& launch) {
    if (traits_.has_key(Extent::accesses) && (launch.blocks != 1 || launch.threads != 1)) {
      context_.blame(context_.of(launch.threads != 1 ? measure_.threads : measure_.blocks).span(),
                     fmt::format("`observe {}` is of one thread, not of {}", traits_.name,
                                 std::uint64_t{launch.blocks} * launch.threads));
      return false;
    }
    for (const ObservedKey& key : traits_.keys)
      launch.record_extents.push_back(extent(key.extent, launch));
    if (launch.record_rows() <= kMostRecords) return true;
    context_.blame(body_span(), fmt::format("{} rows of one launch: at most {} are kept",
                                            launch.record_rows(), kMostRecords));
    return false;
  }

  std::uint64_t extent(Extent extent, const Launch& launch) const {
    switch (extent) {
      case Extent::blocks: return launch.blocks;
      case Extent::threads: return launch.threads;
      case Extent::warps:
        return (launch.threads + context_.limits.warp_size - 1) / context_.limits.warp_size;
      case Extent::stamps: return body_.stamps().size();
      case Extent::statements: return measure_.body.size();
      case Extent::accesses: return body_.chase_accesses();
    }
    return 0;
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
    for (AccessLowering& access : body_.accesses())
      for (const auto& [words, form] : access.forms()) {
        const std::uint64_t bytes = access.reach(form);
        const Access::Kind kind = form.words.kind;
        const auto reach = [&](bool written) {
          std::uint64_t& most = reached_[memory_of(form.words.space, written)];
          most = std::max(most, bytes);
        };
        if (kind == Access::Kind::load || kind == Access::Kind::copy) reach(false);
        if (kind != Access::Kind::load) reach(true);
      }
    std::uint64_t offset = 0;  // The largest of the sweep.
    for (const Launch& launch : program_.launches) offset = std::max(offset, launch.offset);
    for (const auto& [space, place] : {std::pair(Space::global, Buffer::Place::global),
                                       std::pair(Space::peer, Buffer::Place::peer)})
      for (const bool written : {false, true}) {
        const char* name = memory_of(space, written);
        const std::uint64_t bytes = reached_[name];
        if (bytes > 0)
          program_.buffers.push_back({name, round_up(offset + bytes, kSpanUnit), written, place});
      }
    for (const ArrayLowering* array : arrays()) add_array(*array);
    tensors();
    fit_memory();
  }

  // Into the device's memory and its peer's.
  void fit_memory() {
    std::uint64_t own = 0, far = 0;
    for (const Buffer& buffer : program_.buffers)
      (buffer.place == Buffer::Place::peer ? far : own) += buffer.bytes;
    const auto fit = [&](std::uint64_t total, std::uint64_t most, const char* whose) {
      if (most > 0 && total > most)
        context_.blame(body_span(), fmt::format("the accesses need {} bytes of memory: the {} has "
                                                "{}",
                                                total, whose, most));
    };
    fit(own, context_.limits.memory_bytes, "device");
    fit(far, context_.limits.peer_bytes, "peer");
  }

  void tensors() {
    std::size_t next = 0;
    for (const AccessLowering& access : body_.accesses()) {
      if (!access.access().is_tensor()) continue;
      const char* of = access.access().kind == Access::Kind::store ? "target" : "data";
      const auto buffer = std::ranges::find(program_.buffers, of, &Buffer::name);
      for (Launch& launch : program_.launches)
        launch.tensors[next].buffer = static_cast<std::uint32_t>(buffer - program_.buffers.begin());
      ++next;
    }
    for (const AccessLowering& access : body_.accesses())
      if (access.access().is_tensor())
        program_.buffers.push_back({.name = tensor_name(access.number()),
                                    .bytes = TensorMap::kBytes,
                                    .place = Buffer::Place::tensor_map});
  }

  void add_array(const ArrayLowering& array) {
    Buffer buffer{array.buffer(), round_up(array.most_bytes(), 8)};
    if (array.array().space == Space::constant) buffer.place = Buffer::Place::constant;
    if (array.array().space == Space::texture) buffer.place = Buffer::Place::texture;
    if (array.array().space == Space::peer) buffer.place = Buffer::Place::peer;
    buffer.has_contents = true;
    program_.buffers.push_back(std::move(buffer));
  }

  // Each access takes a latency and an index; where the sweep's longest chase does not fit into
  // shared memory, all of the sweep is streamed, so that its points can be compared.
  void records() {
    std::uint64_t used = 4 * measure_.shared.size();
    for (const auto& [name, bytes] :
         {std::pair(kSharedData, reached_[kSharedData]),
          std::pair(kSharedTarget, reached_[kSharedTarget]), std::pair(kCopied, copied_)}) {
      if (bytes == 0) continue;
      frame_.memories.push_back({name, round_up(bytes, kSpanUnit)});
      used += frame_.memories.back().bytes;
    }
    constexpr std::uint64_t kBarrier = 16;  // Of bulk loads.
    if (std::ranges::any_of(body_.accesses(),
                            [](const auto& one) { return one.access().is_bulk(); }))
      used += kBarrier;
    for (const ArrayLowering& array : body_.arrays())
      if (array.array().space == Space::shared) used += round_up(array.most_bytes(), 8);
    if (traits_.has_key(Extent::accesses)) {
      const std::uint64_t row = 4 + body_.arrays().front().contents().width;
      const std::uint64_t rows = body_.most_chase_accesses() * row;
      // Records take no more than static memory: what L1 holds would differ with their number.
      frame_.each = EachRecords{
          used + rows > std::min(context_.limits.shared_per_block, kStaticSharedBytes), 1};
      if (!frame_.each->streamed)
        frame_.each->capacity = static_cast<std::uint32_t>(body_.most_chase_accesses());
      used += frame_.each->streamed ? row : rows;
    }
    // A block with others beside it has static memory alone.
    const std::uint64_t most = measure_.companions.empty()
                                   ? context_.limits.shared_per_block
                                   : std::min(context_.limits.shared_per_block, kStaticSharedBytes);
    if (used > most)
      context_.blame(body_span(),
                     fmt::format("{} bytes of shared memory: a block has {}", used, most));
  }

  void kernels() {
    frame();
    for (std::uint32_t k = 0; k < kernels_.size() && !stopped(); ++k) {
      const Structure& structure = kernels_.structure(k);
      Kernel kernel = build_kernel(structure, frame_, kernels_.threads(k));
      if (!fits(kernel, structure)) return;
      if (auto verified = verify(kernel); !verified) {
        context_.error = std::move(verified.error());
        return;
      }
      program_.kernels.push_back(std::move(kernel));
    }
    for (Launch& launch : program_.launches)
      if (launch.kernel < program_.kernels.size())
        launch.shared_bytes = SharedLayout(program_.kernels[launch.kernel]).dynamic_bytes;
  }

  // What the kernels have in common, after the walk.
  void frame() {
    frame_.observe = measure_.observe;
    frame_.clustered = measure_.cluster.has_value();
    for (const Buffer& buffer : program_.buffers)
      if (buffer.place != Buffer::Place::constant) frame_.buffers.push_back(buffer.name);
    frame_.scalars = context_.scalars.names();
    body_.frame(frame_);
    place_.frame(frame_);
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
      const auto& access = std::get<AccessShape>(structure.body[i].node);
      if (access.count <= most) continue;
      most = access.count;
      span = body_.accesses()[access.number].count_span();
      what = fmt::format("{} accesses of {}B", most, access.width);
    }
    context_.blame(span,
                   fmt::format("{} need{} {} registers a thread: a block of {} threads leaves each "
                               "thread {}",
                               what, most > 0 ? "" : "s", need, kernel.threads, budget),
                   "fewer accesses, narrower ones, or fewer threads in a block");
    return false;
  }

  void results() {
    for (std::size_t i = 0; i < traits_.result_slots(); ++i)
      program_.results.push_back({traits_.columns[i].name, 0, ResultSlot::Role::sample});
    program_.results.push_back({"checksum", 0, ResultSlot::Role::checksum});
    program_.results.push_back({"sink", 0, ResultSlot::Role::scratch});
    place_.results(program_.results);
    for (const std::string& column : body_.keeps())
      program_.results.push_back({column, kNotKept, ResultSlot::Role::sample});
  }

  LowerContext context_;
  const Measure& measure_;
  const ObserveTraits& traits_;
  Numbering numbers_;
  BodyLowering body_;
  PlaceLowering place_;
  Kernels kernels_;
  std::map<std::string_view, std::uint64_t> reached_;  // Bytes that patterns reach, by memory_of().
  std::uint64_t copied_ = 0;                           // The most that copies take.
  Frame frame_;
  Program program_;
};

}  // namespace

std::uint64_t TensorMap::stride(std::size_t side) const {
  std::uint64_t bytes = element;
  for (std::size_t i = 0; i < side; ++i) bytes *= extents[i];
  return bytes;
}

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
