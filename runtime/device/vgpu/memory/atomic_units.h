// AtomicUnits: what does atomics in L2. A unit has the lines of a run that agree in some address
// bits; runs lie on units anywhere. It takes one request after another, whoever sent it. Lanes of a
// request that share an address take a turn each; lanes of different addresses share one, which is
// shorter. A sum of floating point is done after the unit's turn: the next one on its sector waits
// for it. A store to a line that the unit has done atomics on takes it a turn, too: by hand
// (docs/results/h200/block_ends.csv) as long where every block stores and adds as where each does
// one of both. Sums of doubles, and compare-and-swap, which brings two words, take two of the
// shorter turns. Covered by tests/vgpu/sm_rates_test.cpp.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "runtime/device/vgpu/clk.h"
#include "runtime/device/vgpu/description/description.h"

namespace gpx::vgpu::timing {

class AtomicUnits {
 public:
  /// Lanes of a request for a sector, the most of them that share an address, whether they add
  /// floating point, and whether lanes of different addresses take two turns (by hand:
  /// docs/results/h200/scattered.csv, "add double" and "compare and swap" against "add 64").
  struct Lanes {
    unsigned all = 1, same = 1;
    bool real = false, twice = false;
  };

  /// `count`: units, where the device tells them. Requests of `bytes` each, 2^`line_shift` a line.
  AtomicUnits(const Description::Atomics& atomics, std::size_t count, std::uint64_t bytes,
              unsigned line_shift = 0)
      : atomics_(atomics),
        units_(atomics.unit_bits.empty() ? kSectors : count, 0),
        sectors_(kSectors),
        line_shift_(line_shift),
        added_to_(atomics.after_store > 0 ? kSectors : 0, kNone) {
    const auto below = static_cast<unsigned>(std::countr_zero(bytes));
    for (const std::uint32_t bit : atomics.unit_bits)
      bits_.push_back(bit < below ? 0 : bit - below);
    if (!bits_.empty()) run_ = bits_.back() + 1;
    start_launch(1);
  }

  void clear() {
    std::fill(units_.begin(), units_.end(), 0);
    std::fill(sectors_.begin(), sectors_.end(), Sector{});
    std::fill(added_to_.begin(), added_to_.end(), kNone);
  }
  /// `share`: 1 over how many times the requests that are seen here load them.
  void start_launch(double share) {
    address_ = atomics_.address / share;
    turn_ = atomics_.turn > 0 ? atomics_.turn / share : address_;
    real_ = std::max(atomics_.real, atomics_.address) / share;
    after_store_ = atomics_.after_store / share;
  }
  /// A request is stored to at `clk`.
  void store(std::uint64_t request, Clk clk) {
    if (added_to_.empty() || added_to(request) != request >> line_shift_) return;
    double& unit = units_[unit_of(request)];
    unit = std::max(unit, static_cast<double>(clk)) + after_store_;
  }

  /// Clocks by which the last lane of a request that is there at `clk` is later than the only lane
  /// of one alone.
  Clk wait(std::uint64_t line, Clk clk, const Lanes& lanes) {
    double& unit = units_[unit_of(line)];
    // A sector that another one has taken the place of was done long ago, or nearly so.
    Sector& sector = sectors_[mixed(line) % kSectors];
    if (sector.number != line) sector = {line, 0};
    if (!added_to_.empty()) added_to(line) = line >> line_shift_;
    const double begin = std::max({unit, sector.free, static_cast<double>(clk)}),
                 shared = lanes.twice ? 2 * turn_ : turn_,
                 turn = lanes.all > lanes.same ? shared : address_,
                 each = lanes.real ? std::max(real_, turn) : turn;
    unit = begin + turn * lanes.same;
    sector.free = begin + each * lanes.same;
    return whole(begin + each * (lanes.same - 1)) - clk;
  }

 private:
  static constexpr std::size_t kSectors = 4096;
  static constexpr std::uint64_t kNone = UINT64_MAX;
  static constexpr unsigned kMixedBits = 24;
  static std::uint64_t mixed(std::uint64_t number) {
    return number * 0x9e3779b97f4a7c15ull >> (64 - kMixedBits);
  }

  std::uint64_t& added_to(std::uint64_t request) {
    return added_to_[mixed(request >> line_shift_) % kSectors];
  }

  std::size_t unit_of(std::uint64_t line) const {
    if (bits_.empty()) return mixed(line) % kSectors;
    const std::uint64_t run = mixed(line >> run_);
    std::uint64_t number = run;
    for (auto bit = bits_.rbegin(); bit != bits_.rend(); ++bit)
      number = number << 1 | (line >> *bit & 1);
    number ^= run >> (kMixedBits - bits_.size());  // which of a run's units is first
    return number % units_.size();
  }

  Description::Atomics atomics_;
  std::vector<unsigned> bits_;  // of a request's number
  unsigned run_ = 0;            // bits of it within a run
  double turn_ = 0, address_ = 0, real_ = 0, after_store_ = 0;
  /// When it is free; fractions carry over.
  struct Sector {
    std::uint64_t number = kNone;
    double free = 0;
  };
  std::vector<double> units_;  // when they are free; fractions carry over
  std::vector<Sector> sectors_;
  unsigned line_shift_;                  // from a request to its line
  std::vector<std::uint64_t> added_to_;  // lines of atomics, as many as are remembered
};

}  // namespace gpx::vgpu::timing
