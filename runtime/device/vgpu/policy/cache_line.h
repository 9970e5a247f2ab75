// CacheLine: a line that a cache holds; CacheSet: the lines of one set, as a policy sees them.
// Covered by tests/vgpu/cache_test.cpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "runtime/device/vgpu/clk.h"

namespace gpx::vgpu::timing {

/// 16 bytes, because the host's own caches hold the modelled one.
class CacheLine {
 public:
  static constexpr std::uint64_t kInvalid = UINT64_MAX >> 17;

  CacheLine() = default;
  /// With all its sectors.
  explicit CacheLine(std::uint64_t number) : tag_(number << 17 | kSectors << 9 | kSectors << 1) {}

  bool is(std::uint64_t number) const { return tag_ >> 17 == number; }
  bool valid() const { return !is(kInvalid); }
  bool dirty() const { return tag_ & 1; }
  void set_dirty() { tag_ |= 1; }

  /// When a load that finds it here may use it.
  Clk arrived = 0;

  bool has(unsigned sector) const { return tag_ >> 1 >> sector & 1; }
  /// That are here or on their way.
  unsigned sectors() const { return static_cast<unsigned>(std::popcount(tag_ >> 1 & kSectors)); }
  /// When a load may use that sector, which it has.
  Clk arrival(unsigned sector) const { return (tag_ >> 9 >> sector & 1) != 0 ? arrived : 0; }
  /// It was made for one sector, which arrives at `at`.
  void fetch_first(unsigned sector, Clk at) {
    tag_ &= ~(kSectors << 1 | kSectors << 9);
    tag_ |= std::uint64_t{1} << (sector + 1) | std::uint64_t{1} << (sector + 9);
    arrived = at;
  }
  /// One more sector is asked for at `clk` and arrives at `at`.
  void fetch_more(unsigned sector, Clk clk, Clk at) {
    if (arrived <= clk) tag_ &= ~(kSectors << 9);  // nothing else is on its way
    tag_ |= std::uint64_t{1} << (sector + 1) | std::uint64_t{1} << (sector + 9);
    arrived = std::max(arrived, at);
  }
  /// A load may use that sector, which it has, from `at` on.
  void answer(unsigned sector, Clk at) {
    tag_ |= std::uint64_t{1} << (sector + 9);
    arrived = std::max(arrived, at);
  }

 private:
  static constexpr std::uint64_t kSectors = 0xff;
  // From the top: number (address / line size), sectors that arrive at `arrived`, sectors that are
  // here or on their way, the dirty bit.
  std::uint64_t tag_ = kInvalid << 17;
};

struct CacheSet {
  std::uint64_t index;
  CacheLine* lines;
  unsigned ways;
};

}  // namespace gpx::vgpu::timing
