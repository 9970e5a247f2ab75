// SharedBanks: how many passes a warp's access to shared memory takes.
//
// Successive words lie in successive banks; a bank serves one row at a time, to all lanes that want
// some of it. Lanes are served in groups (a half-warp where there are 16 banks). Covered by
// tests/vgpu/hierarchy_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <bit>

#include "runtime/device/vgpu/clk.h"
#include "runtime/device/vgpu/description/description.h"
#include "runtime/device/vgpu/exec/executor.h"

namespace gpx::vgpu::timing {

class SharedBanks {
 public:
  explicit SharedBanks(const Description::Shared& shared) : shared_(shared) {}

  /// Clocks of an access without conflicts.
  double latency() const { return shared_.latency; }

  struct Passes {
    unsigned further = 0;  ///< After the first one of each group.
    unsigned count = 1;    ///< Passes of all groups.
    unsigned first = 1;    ///< Of them, those that the latency of the access has.
    double busy = 0;       ///< Clocks that all keep the banks.
    double later = 0;      ///< Clocks by which the last lane has its value later.
    double merged = 1;     ///< Groups of lanes that are served, over those that wide words make.
  };
  /// `operands`: words that a lane of an atomic brings; each takes as long.
  Passes passes_of(exec::Mask active, const exec::Lanes* addresses, unsigned bytes, bool atomic,
                   unsigned operands = 1) const {
    Passes all;
    if (shared_.banks == 0 || active == 0 || !addresses) return all;
    const bool by_lane = atomic && shared_.atomic > 0;
    const double each = by_lane ? shared_.atomic : shared_.busy >= 0 ? shared_.busy : shared_.pass;
    const unsigned lanes = atomic ? shared_.lanes : lanes_of_group(active, *addresses, bytes, all);
    unsigned groups = 0;
    all.first = by_lane && shared_.conflicts ? operands : 1;
    for (unsigned lane = 0; lane < exec::kWarpSize; lane += lanes) {
      const exec::Mask group = active & static_cast<exec::Mask>(((1ull << lanes) - 1) << lane);
      if (group == 0) continue;
      const unsigned count = !shared_.conflicts ? 1
                             : by_lane          ? operands * lanes_in_bank(group, *addresses)
                                                : passes(group, *addresses, bytes);
      all.further += count - 1;
      ++groups;
      all.busy += each * count;
    }
    all.count = all.further + groups;
    all.later = all.further * (by_lane ? shared_.atomic : shared_.pass);
    return all;
  }

  /// Bytes of a row: a word of each bank.
  unsigned row() const { return static_cast<unsigned>(shared_.banks * shared_.word); }

  /// The most lanes whose first word lies in one bank: atomics on one word are done one by one.
  unsigned lanes_in_bank(exec::Mask active, const exec::Lanes& addresses) const {
    std::array<std::uint8_t, kMostBanks> lanes{};
    unsigned most = 1;
    for (; active != 0; active &= active - 1) {
      const std::uint64_t address = addresses[static_cast<unsigned>(std::countr_zero(active))];
      most = std::max<unsigned>(most, ++lanes[address / shared_.word % shared_.banks]);
    }
    return most;
  }

  /// The most rows that the lanes want of one bank.
  unsigned passes(exec::Mask active, const exec::Lanes& addresses, unsigned bytes) const {
    const bool one_lane = (active & (active - 1)) == 0;
    if (one_lane && bytes + shared_.word <= shared_.word * shared_.banks)
      return 1;  // each word has a bank of its own
    if (in_one_row(active, addresses, bytes)) return 1;
    // Of each bank the rows wanted so far, as a list through `next`.
    constexpr unsigned kMostRows = exec::kWarpSize * 16;
    std::array<std::uint64_t, kMostRows> row;
    std::array<std::uint16_t, kMostRows> next;
    std::array<std::uint16_t, kMostBanks> head{};  // index + 1
    std::array<std::uint16_t, kMostBanks> rows{};
    unsigned count = 0, most = 1;
    for (; active != 0; active &= active - 1) {
      const std::uint64_t begin = addresses[static_cast<unsigned>(std::countr_zero(active))];
      const std::uint64_t last = (begin + std::max(1u, bytes) - 1) / shared_.word;
      for (std::uint64_t word = begin / shared_.word; word <= last && count < kMostRows; ++word) {
        const std::uint64_t bank = word % shared_.banks;
        const std::uint64_t wanted = word * shared_.word / (shared_.banks * shared_.width);
        std::uint16_t at = head[bank];
        while (at != 0 && row[at - 1u] != wanted) at = next[at - 1u];
        if (at != 0) continue;
        row[count] = wanted;
        next[count] = head[bank];
        head[bank] = static_cast<std::uint16_t>(++count);
        most = std::max<unsigned>(most, ++rows[bank]);
      }
    }
    return most;
  }

 private:
  /// Lanes that are served together. Of pairs that share their words two groups are one: a load of
  /// one word of 16 B by all lanes takes half of what one of 32 words does
  /// (docs/results/h200/shared_pipe.csv: 2.15 and 4.2 clocks).
  unsigned lanes_of_group(exec::Mask active, const exec::Lanes& addresses, unsigned bytes,
                          Passes& all) const {
    if (shared_.group == 0 || bytes * shared_.lanes <= shared_.group) return shared_.lanes;
    const auto lanes = std::max<unsigned>(static_cast<unsigned>(shared_.group / bytes), 1);
    if (!shares_words(active, addresses, 1) && !shares_words(active, addresses, 2)) return lanes;
    all.merged = 0.5;
    return 2 * lanes;
  }

  /// Each lane wants the word of the lane whose number differs in that bit.
  static bool shares_words(exec::Mask active, const exec::Lanes& addresses, unsigned bit) {
    for (unsigned lane = 0; lane < exec::kWarpSize; ++lane) {
      const exec::Mask both = exec::Mask{1} << lane | exec::Mask{1} << (lane ^ bit);
      if ((active & both) == both && addresses[lane] != addresses[lane ^ bit]) return false;
    }
    return true;
  }

  bool in_one_row(exec::Mask active, const exec::Lanes& addresses, unsigned bytes) const {
    const std::uint64_t row = shared_.banks * shared_.width;
    // Words lie where multiples of their size do: none begins in one row and ends in the next.
    if (std::has_single_bit(row) && std::has_single_bit(bytes) && bytes <= row)
      return exec::differing_bits(active, addresses) < row;
    std::uint64_t lowest = UINT64_MAX, highest = 0;
    for (; active != 0; active &= active - 1) {
      const std::uint64_t address = addresses[static_cast<unsigned>(std::countr_zero(active))];
      lowest = std::min(lowest, address);
      highest = std::max(highest, address);
    }
    return lowest / row == (highest + std::max(1u, bytes) - 1) / row;
  }

  Description::Shared shared_;
};

}  // namespace gpx::vgpu::timing
