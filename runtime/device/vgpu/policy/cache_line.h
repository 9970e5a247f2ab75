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
  static constexpr unsigned kParts = 4;  ///< Quarters of a line, which are dirty apart.
  static constexpr std::uint64_t kInvalid = UINT64_MAX >> 20;

  CacheLine() = default;
  /// With all its sectors.
  explicit CacheLine(std::uint64_t number) : tag_(number << 20 | kSectors << 12 | kSectors << 4) {}

  bool is(std::uint64_t number) const { return tag_ >> 20 == number; }
  bool valid() const { return !is(kInvalid); }
  std::uint64_t number() const { return tag_ >> 20; }

  /// Which parts are dirty, a bit for each.
  unsigned dirty_parts() const { return static_cast<unsigned>(tag_ & kAllParts); }
  bool dirty() const { return dirty_parts() != 0; }
  void set_dirty(unsigned parts = kAllParts) { tag_ |= parts & kAllParts; }

  /// When a load that finds it here may use it.
  Clk arrived : 48 = 0;

  bool has(unsigned sector) const { return tag_ >> 4 >> sector & 1; }
  /// When a load may use that sector, which it has.
  Clk arrival(unsigned sector) const { return (tag_ >> 12 >> sector & 1) != 0 ? arrived : 0; }
  /// It was made for one sector, which arrives at `at`.
  void fetch_first(unsigned sector, Clk at) {
    tag_ &= ~(kSectors << 4 | kSectors << 12);
    tag_ |= std::uint64_t{1} << (sector + 4) | std::uint64_t{1} << (sector + 12);
    arrived = at;
  }
  /// One more sector is asked for at `clk` and arrives at `at`.
  void fetch_more(unsigned sector, Clk clk, Clk at) {
    if (arrived <= clk) tag_ &= ~(kSectors << 12);  // nothing else is on its way
    tag_ |= std::uint64_t{1} << (sector + 4) | std::uint64_t{1} << (sector + 12);
    arrived = std::max<Clk>(arrived, at);
  }
  /// A load may use that sector, which it has, from `at` on.
  void answer(unsigned sector, Clk at) {
    tag_ |= std::uint64_t{1} << (sector + 12);
    arrived = std::max<Clk>(arrived, at);
  }

  static constexpr unsigned kWhole = 8;
  /// Eighths of a part that are not here, where only stores have brought it: 0, it is whole.
  unsigned lacks(unsigned part) const { return lacking_ >> 4 * part & 15; }
  /// Of these parts, so many eighths each: at most kWhole.
  void set_lacking(unsigned parts, unsigned eighths) {
    for (unsigned part = 0; part < kParts; ++part)
      if (parts >> part & 1) lacking_ = (lacking_ & ~(15u << 4 * part)) | eighths << 4 * part;
  }
  /// Which parts lack something, a bit for each.
  unsigned lacking_parts() const {
    unsigned parts = 0;
    for (unsigned part = 0; lacking_ != 0 && part < kParts; ++part)
      parts |= (lacks(part) != 0 ? 1u : 0u) << part;
    return parts;
  }

 private:
  static constexpr std::uint64_t kSectors = 0xff;
  static constexpr unsigned kAllParts = (1u << kParts) - 1;

  unsigned lacking_ : 16 = 0;  // by part
  // From the top: number (address / line size), sectors that arrive at `arrived`, sectors that are
  // here or on their way, dirty parts.
  std::uint64_t tag_ = kInvalid << 20;
};

struct CacheSet {
  std::uint64_t index;
  CacheLine* lines;
  unsigned ways;
};

}  // namespace gpx::vgpu::timing
