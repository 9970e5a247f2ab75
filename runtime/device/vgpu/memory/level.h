// Level: one cache of a hierarchy with its port, and where its copies are: in each SM, TPC or GPC,
// or one for the GPU. Covered by tests/vgpu/hierarchy_test.cpp.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/device/vgpu/memory/cache.h"

namespace gpx::vgpu::timing {

/// Bytes pass one after another, so many a clock.
class Port {
 public:
  explicit Port(double bytes_per_clock) : of_all_(bytes_per_clock), bytes_per_clock_(of_all_) {}

  void clear() { free_ = 0; }
  /// The part of it that those have who are simulated.
  void start_launch(double share) { bytes_per_clock_ = of_all_ * share; }

  bool has_limit() const { return of_all_ > 0; }

  /// Clocks that a transfer which is ready at `clk` waits for those before it.
  Clk wait(std::uint64_t bytes, Clk clk) {
    if (bytes_per_clock_ == 0) return 0;
    const double start = std::max(free_, static_cast<double>(clk));
    free_ = start + static_cast<double>(bytes) / bytes_per_clock_;
    return whole(start) - clk;
  }

 private:
  double of_all_, bytes_per_clock_;
  double free_ = 0;
};

struct Level {
  Level(const Description::Cache& cache, unsigned sms)
      : tags(cache),
        port(cache.bandwidth),
        to_sm_(cache.bandwidth_per_sm > 0 ? sms : 0, Port(cache.bandwidth_per_sm)) {}

  void clear() {
    tags.invalidate();
    port.clear();
    for (Port& each : to_sm_) each.clear();
  }

  /// Clocks that a transfer to that SM waits for those before it.
  Clk wait_to_sm(unsigned sm, std::uint64_t bytes, Clk clk) {
    return to_sm_.empty() ? 0 : to_sm_[sm].wait(bytes, clk);
  }

  Cache tags;
  Port port;  // of all that use it

 private:
  std::vector<Port> to_sm_;  // of each SM; empty: nothing waits there
};

/// The copies of a level over the GPU.
class Placed {
 public:
  Placed() = default;  // a level that the device lacks
  Placed(const std::optional<Description::Cache>& cache, const Description::Sm& sm) {
    if (!cache) return;
    sm_ = sm;
    scope_ = cache->scope;
    for (unsigned i = 0; i < sm.copies(scope_); ++i)
      levels_.push_back(std::make_unique<Level>(*cache, sm.count));
  }

  explicit operator bool() const { return !levels_.empty(); }
  /// It lies behind the interconnect.
  bool far() const { return scope_ > Description::Scope::tpc; }

  /// The copy that an SM uses; nullptr: the device lacks the level.
  Level* of(unsigned sm) const {
    return levels_.empty() ? nullptr : levels_[sm_.copy_of(scope_, sm)].get();
  }

  /// Nothing is in it.
  void clear() {
    for (const auto& level : levels_) level->clear();
  }
  /// Of the SMs `active` that use it, `simulated` stand for all: numbers of SMs.
  void share(std::span<const unsigned> simulated, std::span<const unsigned> active) {
    for (std::uint32_t i = 0; i < levels_.size() && levels_[i]->port.has_limit(); ++i) {
      const auto users = [&](std::span<const unsigned> sms) {
        const auto count =
            std::ranges::count_if(sms, [&](unsigned sm) { return sm_.copy_of(scope_, sm) == i; });
        return static_cast<double>(std::max<std::ptrdiff_t>(count, 1));
      };
      levels_[i]->port.start_launch(users(simulated) / users(active));
    }
  }
  /// For policies that choose at random.
  void seed(std::uint64_t seed) {
    for (const auto& level : levels_) level->tags.seed(seed += 0x9e3779b97f4a7c15ull);
  }

 private:
  Description::Sm sm_;
  Description::Scope scope_ = Description::Scope::sm;
  std::vector<std::unique_ptr<Level>> levels_;
};

}  // namespace gpx::vgpu::timing
