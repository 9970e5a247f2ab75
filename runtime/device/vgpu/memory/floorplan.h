// Floorplan: what an access takes more because of where its SM is and where its address is served:
// partitions of L2 that are near or far, slices at their distances. Covered by
// tests/vgpu/floorplan_test.cpp.
#pragma once

#include <vector>

#include "runtime/device/vgpu/clk.h"
#include "runtime/device/vgpu/description/description.h"
#include "runtime/device/vgpu/memory/parities.h"

namespace gpx::vgpu::timing {

class Floorplan {
 public:
  explicit Floorplan(const Description& device) : slices_(device.slice_bits) {
    const auto& distances = device.slice_distances;
    flat_ = !device.partitions && distances.empty();
    count_ = distances.empty() ? 1 : distances.front().size();
    for (std::uint32_t sm = 0; sm < device.sm.count; ++sm) {
      const std::uint32_t tpc = device.sm.tpc_of(sm);
      if (device.partitions) add_side(*device.partitions, tpc, device.sm.tpcs());
      for (unsigned side = 0; side < 2; ++side)
        for (std::size_t slice = 0; slice < count_; ++slice)
          clocks_.push_back(
              whole((has_sides() ? device.partitions->extra[2 * side_[sm] + side] : 0) +
                    (distances.empty() ? 0 : distances[tpc][slice])));
    }
    if (!device.partitions) return;
    copies_ = device.partitions->copies;
    keeps_copies_ = device.partitions->keeps_copies;
  }

  /// It makes no difference.
  bool flat() const { return flat_; }

  bool has_sides() const { return !side_.empty(); }
  unsigned side(unsigned sm) const { return side_[sm]; }
  /// What is found in the other partition leaves a copy in the SM's own.
  bool copies() const { return copies_; }
  /// A store from that side changes the copy there with the line.
  bool keeps_copies() const { return keeps_copies_; }

  /// Extra clocks of an access that partition `side` serves.
  Clk extra(unsigned sm, std::uint64_t address, unsigned side) const {
    return clocks_[(2 * sm + side) * count_ + slice(address)];
  }

 private:
  std::size_t slice(std::uint64_t address) const {
    if (count_ == 1) return 0;
    const std::uint64_t number = slices_(address);
    return number < count_ ? number : number % count_;
  }
  void add_side(const Description::Partitions& partitions, std::uint32_t tpc, std::uint32_t tpcs) {
    side_.push_back(!partitions.sides.empty() ? partitions.sides[tpc] : tpc >= (tpcs + 1) / 2);
  }

  Parities slices_;
  std::size_t count_;           // of slices
  std::vector<Clk> clocks_;     // by SM, side of the address, slice
  std::vector<unsigned> side_;  // by SM; empty: one partition
  bool copies_ = false, keeps_copies_ = false;
  bool flat_ = true;
};

}  // namespace gpx::vgpu::timing
