// Profile: where the clocks of a launch's warps go, by reason and by line of the PTX, and what its
// SMs ask of the memory. Covered by tests/vgpu/profile_test.cpp.
//
// A warp that waits for a register waits for the access that ends when it goes on; where none does,
// for arithmetic. What an access takes beyond the shortest of its kind that was seen is the queue
// before what serves it; in shared memory bank conflicts have their part of that.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/device/vgpu/events.h"

namespace gpx::vgpu {

/// Where a clock of a warp went.
enum class Went : std::uint8_t {
  issue,       ///< it issued
  slot,        ///< waited for its scheduler or unit
  arithmetic,  ///< for a result of the SM's own pipelines
  l1,          ///< for L1, which had it
  l1_queue,    ///< the same, behind other accesses of the SM
  l2,          ///< for L2, near or far
  l2_queue,    ///< behind other accesses on the way to L2 and back
  dram,        ///< for DRAM
  dram_queue,  ///< behind other accesses of DRAM: its bandwidth
  atomics,     ///< for an atomic's result
  shared,      ///< for shared memory
  conflicts,   ///< the same, because lanes meet in a bank
  constant,    ///< for constant memory, textures, local memory
  stores,      ///< to hand on a store
  barrier,
  branch,
  fetch,  ///< for the instruction
  fence,
};
inline constexpr std::array<std::string_view, 18> kWentNames = {
    "issue",    "issue slot", "arithmetic", "L1",      "L1 queue",      "L2",
    "L2 queue", "DRAM",       "DRAM queue", "atomics", "shared memory", "bank conflicts",
    "constant", "stores",     "barrier",    "branch",  "instruction",   "fence"};
using Clocks = std::array<double, kWentNames.size()>;

class Profile final : public timing::Listener {
 public:
  using Clk = timing::Clk;

  bool takes_any_order() const override { return true; }
  void launch_starts(Clk clk, unsigned sms) override;
  void launch_ends(Clk clk) override { end_ = clk; }
  void block_starts(Clk clk, unsigned sm, std::uint64_t block) override;
  void block_ends(Clk clk, unsigned sm, std::uint64_t block) override;
  void warp_ends(Clk clk, unsigned sm, unsigned slot) override;
  void at_line(unsigned sm, unsigned slot, int line) override { warp(sm, slot).line = line; }
  void issues(Clk clk, unsigned sm, unsigned slot, std::string_view unit,
              std::string_view instruction) override;
  void stalls(Clk from, Clk to, unsigned sm, unsigned slot, timing::Stall reason) override;
  void access_begins(unsigned sm) override;
  void access_ends(Clk issued, Clk complete, unsigned sm, unsigned slot,
                   timing::AccessKind kind) override;
  void looks_up(Clk clk, unsigned sm, std::string_view level, timing::Lookup outcome) override;
  void transfers(Clk clk, unsigned sm, bool write, double bytes) override;
  void crosses(Clk, unsigned, unsigned requests) override { counts_.l2_crossings += requests; }
  void replays(Clk clk, unsigned sm, std::string_view space, unsigned passes) override;

  /// By line of the PTX; line 0: where it is not known.
  const std::vector<Clocks>& lines() const { return lines_; }
  Clocks total() const;

  struct Counts {
    double instructions = 0;                        ///< Of warps.
    double l1_hits = 0, l1_misses = 0;              ///< Sectors that loads ask for.
    double l2_hits = 0, l2_misses = 0;              ///< Sectors that come to L2, also of stores.
    double l2_turns = 0;                            ///< Of atomics on one address, after the first.
    double l2_crossings = 0;                        ///< Sectors, between the partitions of L2.
    double dram_read = 0, dram_written = 0;         ///< Bytes.
    double shared_accesses = 0, shared_passes = 0;  ///< Passes beyond the first.
  };
  const Counts& counts() const { return counts_; }
  const std::map<std::string, double, std::less<>>& units() const { return units_; }
  /// Clocks that blocks held their places, of all together; and of the launch.
  double resident() const { return resident_; }
  double clocks() const { return static_cast<double>(end_ - begin_); }

 private:
  struct Ended {
    Clk issued = 0, complete = -1;
    Went where = Went::arithmetic;
    double conflicts = 0;  // the part of its queue that bank conflicts are
  };
  struct Warp {
    int line = 0;
    bool stored = false;
    std::uint32_t waits = 0;  // for what, by bit
    Clocks pending{};
    std::array<Ended, 8> ended;  // the last accesses
    unsigned next = 0;
  };
  Warp& warp(unsigned sm, unsigned slot) {
    const bool known = sm < warps_.size() && slot < warps_[sm].size();
    return known ? warps_[sm][slot] : new_warp(sm, slot);
  }
  Warp& new_warp(unsigned sm, unsigned slot);
  void wait(Warp& warp, Went where, double clocks);
  void wait_for_register(Warp& warp, Clk from, Clk to);
  void settle(Warp& warp, bool issued);

  std::vector<std::vector<Warp>> warps_;  // by SM and slot
  std::vector<Clocks> lines_;
  std::vector<Went> reached_;  // by SM: the lowest level of the access under way
  std::map<std::pair<unsigned, std::uint64_t>, Clk> began_;
  std::array<Clk, kWentNames.size()> shortest_{};  // by level: of an access; 0: none was seen
  Counts counts_;
  std::map<std::string, double, std::less<>> units_;
  const char* unit_ = nullptr;  // the last one's name, and its count
  double* of_unit_ = nullptr;
  double resident_ = 0;
  Clk begin_ = 0, end_ = 0;
};

}  // namespace gpx::vgpu
