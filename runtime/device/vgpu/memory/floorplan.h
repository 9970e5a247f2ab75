// Floorplan: what an access takes more because of where its SM is and where its address is served:
// partitions of L2 that are near or far, slices at their distances. Covered by
// tests/vgpu/floorplan_test.cpp.
#pragma once

#include <array>
#include <vector>

#include "runtime/device/vgpu/clk.h"
#include "runtime/device/vgpu/description/description.h"
#include "runtime/device/vgpu/memory/parities.h"

namespace gpx::vgpu::timing {

class Floorplan {
 public:
  explicit Floorplan(const Description& device)
      : slices_(device.slice_bits), distances_(device.slice_distances) {
    for (std::uint32_t sm = 0; sm < device.sm.count; ++sm) tpc_.push_back(device.sm.tpc_of(sm));
    flat_ = !device.partitions && distances_.empty();
    if (!device.partitions) return;
    const Description::Partitions& partitions = *device.partitions;
    copies_ = partitions.copies;
    keeps_copies_ = partitions.keeps_copies;
    for (const std::uint32_t tpc : tpc_)
      side_.push_back(!partitions.sides.empty() ? partitions.sides[tpc]
                                                : tpc >= (device.sm.tpcs() + 1) / 2);
    for (std::size_t i = 0; i < extra_.size(); ++i) extra_[i] = partitions.extra[i];
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
    double clocks = has_sides() ? extra_[2 * side_[sm] + side] : 0;
    if (!distances_.empty()) clocks += distances_[tpc_[sm]][slice(address)];
    return whole(clocks);
  }

  std::size_t slice(std::uint64_t address) const {
    return slices_(address) % distances_.front().size();
  }

 private:
  Parities slices_;
  std::vector<std::vector<double>> distances_;  // by TPC and slice
  std::vector<std::uint32_t> tpc_;              // by SM
  std::vector<unsigned> side_;                  // by SM; empty: one partition
  std::array<double, 4> extra_{};
  bool copies_ = false, keeps_copies_ = false;
  bool flat_ = true;
};

}  // namespace gpx::vgpu::timing
