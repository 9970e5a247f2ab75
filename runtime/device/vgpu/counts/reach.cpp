// Interface: reach.h. Covered by tests/runtime/sequence_test.cpp.
#include "runtime/device/vgpu/counts/reach.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <optional>
#include <unordered_map>

#include "runtime/device/vgpu/counts/counted_launch.h"
#include "runtime/device/vgpu/exec/run.h"

namespace gpx::vgpu {
namespace {

constexpr std::uint64_t kParts = 4;

/// What is done to a line, by quarters.
struct OfLine {
  std::array<std::uint8_t, kParts>
      stored{};             ///< Bytes, each as often as it is stored to; 255: more.
  std::uint8_t loaded = 0;  ///< A bit for each quarter.

  void store(std::uint64_t part, unsigned bytes) {
    stored[part] = static_cast<std::uint8_t>(std::min(stored[part] + bytes, 255u));
  }
  void add(const OfLine& other) {
    for (std::uint64_t k = 0; k < kParts; ++k) store(k, other.stored[k]);
    loaded |= other.loaded;
  }
  std::ptrdiff_t parts() const { return std::ranges::count_if(stored, std::identity()); }
  unsigned lacking(std::uint64_t bytes) const {
    unsigned count = 0;
    for (std::uint64_t k = 0; k < kParts; ++k)
      count += stored[k] > 0 && stored[k] < bytes && (loaded >> k & 1) == 0 ? 1 : 0;
    return count;
  }
};

/// Lines that a block accesses.
class LineAccesses final : public exec::Observer {
 public:
  explicit LineAccesses(std::uint64_t bytes) : bytes_(bytes) {}

  void on_step(const exec::Warp&, const ptx::Instruction&, const exec::Effect& effect) override {
    unknown_ |= effect.ranges != nullptr;
    if (effect.active == 0 || effect.space != ptx::Space::global) return;
    for (exec::Mask rest = effect.active; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      const std::uint64_t part = (*effect.addresses)[lane] / (bytes_ / kParts);
      OfLine& line = lines_[part / kParts];
      if (effect.is_store || effect.is_atomic) line.store(part % kParts, effect.bytes);
      if (!effect.is_store || effect.is_atomic)
        line.loaded = static_cast<std::uint8_t>(line.loaded | 1u << part % kParts);
    }
  }
  bool unknown() const { return unknown_; }
  std::unordered_map<std::uint64_t, OfLine> take() { return std::exchange(lines_, {}); }

 private:
  std::uint64_t bytes_;  // of a line
  std::unordered_map<std::uint64_t, OfLine> lines_;
  bool unknown_ = false;
};

/// Lines of a buffer: those of all blocks together, and the sums over blocks.
struct OfBuffer {
  std::uint64_t first = ~std::uint64_t{0}, last = 0;
  double loaded = 0, written = 0;
  std::unordered_map<std::uint64_t, OfLine> all;
};

class ReachRun {
 public:
  ReachRun(const KernelCounter::Impl& kernel, const codegen::Launch& launch,
           const ReachOptions& options)
      : launch_(launch),
        options_(options),
        counted_(kernel.module, *kernel.entry, launch),
        accesses_(options.line),
        buffers_(launch.fills.size()) {
    counted_.executor().leave_values_out(kernel.touched(launch).both() != 0);
    exec::RunLimits limits;
    limits.stop = options.stop;
    runner_.emplace(counted_.executor(), limits, &accesses_);
  }

  std::vector<Reach> reach() {
    if (!blocks() || accesses_.unknown()) return {};
    std::vector<Reach> made;
    for (std::size_t b = 0; b < buffers_.size(); ++b)
      if (!buffers_[b].all.empty()) made.push_back(of_buffer(b));
    return made;
  }

 private:
  /// The first and the last block, then those between, at ever smaller distances.
  bool blocks() {
    const std::uint64_t count = launch_.all_blocks();
    if (!block(0) || (count > 1 && !block(count - 1))) return false;
    std::uint64_t size = std::bit_ceil(std::max<std::uint64_t>(count - 1, 1));
    for (std::uint64_t step = size / 2; step > 0; step /= 2)
      for (std::uint64_t at = step; at < count - 1; at += 2 * step) {
        if (runner_->report().warp_instructions > options_.instructions) return true;
        if (!block(at)) return false;
      }
    return true;
  }

  bool block(std::uint64_t number) {
    const std::uint64_t x = launch_.blocks, y = launch_.blocks_down;
    const auto extent = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
    if (!runner_->block({extent(number % x), extent(number / x % y), extent(number / x / y)}))
      return false;
    ++executed_;
    for (const auto& [line, of] : accesses_.take())
      if (const auto buffer = buffer_of(line)) add(buffers_[*buffer], line, of);
    return true;
  }

  static void add(OfBuffer& to, std::uint64_t line, const OfLine& of) {
    to.first = std::min(to.first, line), to.last = std::max(to.last, line);
    ++to.loaded, to.written += of.parts() != 0 ? 1 : 0;
    to.all[line].add(of);
  }

  std::optional<std::size_t> buffer_of(std::uint64_t line) const {
    for (std::size_t b = 0; b < launch_.fills.size(); ++b) {
      const std::uint64_t at = counted_.addresses()[b];
      const std::uint64_t first = at / options_.line,
                          end = (at + launch_.fills[b].bytes + options_.line - 1) / options_.line;
      if (line >= first && line < end) return b;
    }
    return std::nullopt;
  }

  Reach of_buffer(std::size_t b) const {
    const OfBuffer& of = buffers_[b];
    const auto range = static_cast<double>(of.last - of.first + 1),
               seen = static_cast<double>(of.all.size());
    double stored = 0, parts = 0, lacking = 0;
    for (const auto& [line, to] : of.all) {
      stored += to.parts() != 0 ? 1 : 0, parts += static_cast<double>(to.parts());
      lacking += to.lacking(options_.line / kParts);
    }
    const double scale = static_cast<double>(launch_.all_blocks()) / executed_;
    const bool whole = executed_ == static_cast<double>(launch_.all_blocks());
    const std::uint64_t base = counted_.addresses()[b] / options_.line;
    Reach made{b, (of.first - base) * options_.line, (of.last + 1 - base) * options_.line, seen,
               stored};
    if (stored > 0) made.parts = parts / stored, made.lacking = lacking / stored;
    if (whole) return made;
    made.lines = std::clamp(of.loaded * scale, seen, range);
    made.written = std::clamp(of.written * scale, stored, made.lines);
    return made;
  }

  const codegen::Launch& launch_;
  const ReachOptions& options_;
  CountedLaunch counted_;
  LineAccesses accesses_;
  std::optional<exec::BlockRunner> runner_;
  std::vector<OfBuffer> buffers_;
  double executed_ = 0;
};

}  // namespace

std::vector<Reach> reach_of(const KernelCounter& kernel, const codegen::Launch& launch,
                            const ReachOptions& options) {
  if (misfit(*kernel.impl().entry, launch) || launch.all_blocks() == 0) return {};
  return ReachRun(kernel.impl(), launch, options).reach();
}

}  // namespace gpx::vgpu
