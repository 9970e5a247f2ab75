// LoadStoreUnit: the pipelines that coalesce an SM's global accesses and issue their requests.
//
// A warp access occupies one pipeline; accesses that wait are taken by the age of their warp (its
// slot), then in program order. A load that finds no entry of the PRT keeps its pipeline until it
// has one; of several the first goes on first. Covered by tests/vgpu/timing_test.cpp.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "runtime/device/vgpu/memory/memory_path.h"
#include "runtime/device/vgpu/memory/near_memory.h"
#include "runtime/device/vgpu/timing/async_groups.h"
#include "runtime/device/vgpu/timing/scoreboard.h"

namespace gpx::vgpu::timing {

struct MemoryAccess {
  enum class Kind : std::uint8_t { load, store, atomic };
  Kind kind = Kind::load;
  bool bypass_l1 = false;
  bool local = false;      ///< Of local memory: L1 keeps what is stored.
  std::uint32_t slot = 0;  ///< Warp slot.
  std::uint64_t warp = 0;  ///< Which warp had the slot then: a store may outlive it.
  Clk issued = 0;
  std::uint32_t copy_group = AsyncGroups::kNone;  ///< Of a cp.async.
  Clk token = 0;  ///< What the scoreboard knows the access by until its end is known.
  Scoreboard::Registers written;  ///< None of a store.
  Requests requests;
};

class LoadStoreUnit {
 public:
  /// `line_shift`: from a line of the coalescer to one of L1.
  LoadStoreUnit(const Description::LoadStore& lsu, MemoryPath& path, NearMemory& near,
                unsigned line_shift);

  void start_launch();

  /// The access to fill in and then to enqueue().
  MemoryAccess& make();
  void enqueue();

  bool idle() const { return queue_.empty() && held_.empty(); }
  /// When start() has something to do, not before `clk`.
  Clk next_start(Clk clk) const;
  /// Starts a load that has an entry now, or the oldest waiting access; next_start(clk) must be
  /// `clk`. nullptr: it has to wait. The access is valid until the next make().
  const MemoryAccess* start(Clk clk, Clk& complete);
  /// enqueue(), then start(), where it is idle and next_start(clk) is `clk`.
  const MemoryAccess* start_made(Clk clk, Clk& complete) { return begin(made_, clk, complete); }
  /// True: what is enqueued now would start at `clk`.
  bool is_free(Clk clk) const { return idle() && free_[earliest()] <= clk; }

 private:
  struct Waiting {
    std::uint64_t age;  // slot, then order of arrival
    std::uint32_t access;
    bool operator>(const Waiting& other) const { return age > other.age; }
  };
  /// A load in a pipeline, which may go on at `until`.
  struct Held {
    std::uint32_t access;
    std::size_t pipeline;
    Clk until;
  };
  std::size_t earliest() const;
  const MemoryAccess* begin(std::uint32_t index, Clk clk, Clk& complete);
  const MemoryAccess* run(std::uint32_t index, std::size_t pipeline, Clk clk, Clk& complete);
  Clk with_banks(const MemoryAccess& access, Clk clk);

  MemoryPath& path_;
  NearMemory& near_;
  double banks_line_;  // 0: loads and shared memory have ways of their own
  unsigned line_shift_;
  std::vector<Clk> free_;  // by pipeline; kNever: a load is held in it
  std::deque<Held> held_;
  std::vector<Waiting> queue_;  // min-heap by age
  std::vector<MemoryAccess> pool_;
  std::vector<std::uint32_t> unused_;
  std::uint32_t arrivals_ = 0;
  std::uint32_t made_ = 0;
};

}  // namespace gpx::vgpu::timing
