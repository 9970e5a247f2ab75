// Tlb: the way from an address to its page: translation levels, and the window of page tables that
// are active.
//
// A level's line is what one entry maps. What an access waits depends on how far its translation
// was, and, as the tables of mei2014 show, on whether L2 or DRAM then serves the data. Covered by
// tests/vgpu/hierarchy_test.cpp.
#pragma once

#include <array>
#include <bit>
#include <string>
#include <string_view>

#include "runtime/device/vgpu/events.h"
#include "runtime/device/vgpu/memory/level.h"

namespace gpx::vgpu::timing {

/// The page tables of the GPU that are active: a launch activates those around its first access.
class PageWindow {
 public:
  explicit PageWindow(const Description::PageWindow& window) : bytes_(window.bytes) {}

  void start_launch() { active_ = false; }

  /// False: the page was outside of the window, which now begins with it.
  bool holds(std::uint64_t page_begin) {
    if (bytes_ == 0 || (active_ && page_begin - first_ < bytes_)) return true;
    const bool first_access = !active_;
    active_ = true;
    first_ = page_begin;
    return first_access;
  }

 private:
  std::uint64_t bytes_;
  bool active_ = false;
  std::uint64_t first_ = 0;
};

/// Extra clocks of an access, by what serves its data.
struct Extra {
  Clk l2 = 0, dram = 0;
};

/// What one SM sees of the translation of a space.
class Tlb {
 public:
  using Levels = std::array<Level*, std::tuple_size_v<decltype(Description::Translation::tlb)>>;

  /// `name`: "tlb" or "texture_tlb".
  Tlb(std::string_view name, const Description::Translation& translation,
      const Description::PageWindow& window, const Levels& levels, PageWindow& active)
      : active_(active) {
    for (std::size_t k = 0; k < levels.size(); ++k) {
      if (!levels[k]) continue;
      const Description::Cache& cache = *translation.tlb[k];
      const double dram = cache.miss_dram < 0 ? cache.miss : cache.miss_dram;
      steps_[count_++] = {std::string(name) + "_l" + std::to_string(k + 1),
                          levels[k],
                          static_cast<unsigned>(std::countr_zero(cache.line)),
                          {whole(cache.miss), whole(dram)}};
    }
    outside_ = {whole(window.latency), whole(window.latency)};
  }

  /// An SM asks at `clk`: looks the page up, fills the levels that lack it.
  Extra look_up(std::uint64_t address, Clk clk, unsigned sm, Listener* listener) {
    Extra extra;
    for (unsigned k = 0; k < count_; ++k) {
      const Step& step = steps_[k];
      const std::uint64_t page = address >> step.shift;
      const bool found = step.level->tags.find(page) != nullptr;
      if (listener) [[unlikely]]
        listener->looks_up(clk, sm, step.name, found ? Lookup::hit : Lookup::miss);
      if (found) return extra;
      step.level->tags.insert(page);
      extra = step.miss;
    }
    if (count_ == 0) return extra;
    const unsigned shift = steps_[count_ - 1].shift;
    return active_.holds(address >> shift << shift) ? extra : outside_;
  }

 private:
  struct Step {
    std::string name;
    Level* level = nullptr;
    unsigned shift = 0;  // from an address to a page
    Extra miss;
  };
  std::array<Step, std::tuple_size_v<Levels>> steps_;
  unsigned count_ = 0;
  Extra outside_;
  PageWindow& active_;
};

}  // namespace gpx::vgpu::timing
