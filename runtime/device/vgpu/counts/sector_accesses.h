// SectorAccesses: which sectors of memory a block accesses, how, and when in its course; and counts
// of such times. Covered by tests/runtime/footprint_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/device/vgpu/counts/number_table.h"
#include "runtime/device/vgpu/exec/run.h"

namespace gpx::vgpu {

/// What a block does to a sector.
struct OfSector {
  double first = 0;             ///< Where in its warp's course it is accessed first, from 0 to 1.
  bool loaded = false;          ///< By loads or atomics...
  bool copied = false;          ///< ...by loads.
  std::uint32_t stored = 0;     ///< Bytes, each as often as it is stored to.
  std::vector<double> again{};  ///< Where it is accessed once more, if that is asked for.
};
/// By number.
using Sectors = NumberTable<OfSector>;

/// The sectors that blocks access, until they are taken.
class SectorAccesses final : public exec::Observer {
 public:
  explicit SectorAccesses(std::uint64_t bytes) : bytes_(bytes) {}

  void on_step(const exec::Warp& warp, const ptx::Instruction&,
               const exec::Effect& effect) override {
    if (effect.retried) return;
    if (&warp != last_warp_) last_warp_ = &warp, last_steps_ = &steps_[&warp];
    const double step = ++*last_steps_;
    longest_ = std::max(longest_, step);
    unknown_ |= effect.ranges != nullptr;
    if (effect.active == 0 || effect.space != ptx::Space::global) return;
    std::uint64_t last = ~std::uint64_t{0};
    OfSector* of = nullptr;
    for (exec::Mask rest = effect.active; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      const std::uint64_t sector = (*effect.addresses)[lane] / bytes_;
      if (sector != last) of = &access(sector, step);
      last = sector;
      of->loaded |= !effect.is_store || effect.is_atomic;
      of->copied |= !effect.is_store && !effect.is_atomic;
      if (effect.is_store || effect.is_atomic) of->stored += effect.bytes;
    }
  }
  bool unknown() const { return unknown_; }
  /// From now on it is kept when sectors are accessed once more, or no longer.
  void keep_all(bool all) { all_ = all; }
  Sectors take() {
    for (auto& [sector, of] : seen_.entries()) {
      of.first /= longest_;
      for (double& each : of.again) each /= longest_;
    }
    steps_.clear();
    last_warp_ = nullptr;
    longest_ = 0;
    return std::exchange(seen_, {});
  }

 private:
  static constexpr double kApart = 16;  // steps, between accesses that are two
  static constexpr std::size_t kMostKept = 64;

  OfSector& access(std::uint64_t sector, double step) {
    const auto [found, is_new] = seen_.find_or_add(sector, OfSector{step});
    OfSector& of = *found;
    if (is_new || !all_) return of;
    const double last = of.again.empty() ? of.first : of.again.back();
    if (step - last < kApart)
      return of;
    else if (of.again.size() < kMostKept)
      of.again.push_back(step);
    else
      of.again.back() = step;
    return of;
  }

  std::uint64_t bytes_;  // of a sector
  bool all_ = false;
  Sectors seen_;
  std::unordered_map<const exec::Warp*, double> steps_;  // that each has executed
  const exec::Warp* last_warp_ = nullptr;                // warps take turns of many steps
  double* last_steps_ = nullptr;
  double longest_ = 0;
  bool unknown_ = false;
};

/// Counts of times from 0 to 1, in bins of which each ends a quarter of an octave later.
class Times {
 public:
  void add(double time, double count = 1) { bins_[bin(time)] += count; }
  /// Those up to that time: of the bin that it lies in, the part below it.
  double until(double time) const {
    double sum = 0;
    const unsigned last = bin(time);
    for (unsigned i = 0; i < last; ++i) sum += bins_[i];
    const double low = last == 0 ? 0 : std::exp2((last - kBins) / kOfOctave);
    const double high = std::exp2((last + 1 - kBins) / kOfOctave);
    return sum + bins_[last] * std::clamp((time - low) / (high - low), 0.0, 1.0);
  }

 private:
  static constexpr double kOfOctave = 4, kBins = 80;
  static unsigned bin(double time) {
    const double at = kBins + std::log2(std::max(time, 1e-9)) * kOfOctave;
    return static_cast<unsigned>(std::clamp(at, 0.0, kBins - 1));
  }
  std::array<double, static_cast<std::size_t>(kBins)> bins_{};
};

}  // namespace gpx::vgpu
