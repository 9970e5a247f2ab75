// The way of a request from an SM to memory and back: L1, MSHR or PRT, L2, DRAM.
//
// MemorySystem is what all SMs share, MemoryPath what each has. A component is passed the clock and
// answers with a clock; none waits. Covered by tests/vgpu/timing_test.cpp.
#pragma once

#include <array>
#include <optional>

#include "runtime/vgpu/timing/cache.h"
#include "runtime/vgpu/timing/coalescer.h"
#include "runtime/vgpu/timing/dram.h"
#include "runtime/vgpu/timing/mshr.h"
#include "runtime/vgpu/timing/noise.h"
#include "runtime/vgpu/timing/prt.h"

namespace gpx::vgpu::timing {

/// L2 and DRAM.
class MemorySystem {
 public:
  explicit MemorySystem(const Description& device);

  /// When the reply to a load request sent at `clk` reaches its SM.
  Clk load(std::uint64_t line, Clk clk);
  /// When a store or an atomic sent at `clk` is done in L2 (and in DRAM, where a line must leave).
  Clk store(std::uint64_t line, Clk clk);
  Clk atomic(std::uint64_t line, unsigned lanes, Clk clk);

  Cache& l2() { return l2_; }
  Dram& dram() { return dram_; }
  Noise& noise() { return noise_; }

 private:
  std::uint64_t l2_line(std::uint64_t line) const { return line >> l2_shift_; }
  Clk fetch(std::uint64_t line, Clk clk, CacheLine*& found);

  Cache l2_;
  Dram dram_;
  Noise noise_;
  unsigned l2_shift_;    // from a line of the coalescer to one of L2
  Clk to_l2_, to_dram_;  // there and back, without what the load/store unit adds
};

/// What a load/store pipeline did with one access.
struct Done {
  Clk pipeline_free = 0;  ///< When the pipeline can start the next access.
  Clk complete = 0;       ///< Load, atomic: registers ready. Store: the memory has it.
};

class MemoryPath {
 public:
  MemoryPath(const Description& device, MemorySystem& system);

  /// L1 is empty and nothing is in flight: so every launch begins.
  void start_launch();

  Done load(const Requests& requests, Clk clk, bool bypass_l1);
  Done store(const Requests& requests, Clk clk);
  Done atomic(const Requests& requests, Clk clk);

 private:
  struct Reply {
    Clk sent = 0;  // when the request left the pipeline
    Clk returned = 0;
  };
  Reply request(std::uint64_t line, unsigned lanes, Clk clk, bool bypass_l1);
  Reply through_mshr(std::uint64_t line, unsigned lanes, Clk clk);
  bool all_in_l1(const Requests& requests, Clk clk);
  CacheLine* in_l1(std::uint64_t line, Clk clk);

  MemorySystem& system_;
  std::optional<Cache> l1_;
  std::optional<Mshr> mshr_;
  std::optional<Prt> prt_;
  Clk to_l1_ = 0;
  double writeback_per_lane_;
  std::array<Clk, exec::kWarpSize + 1> issue_;  // clocks until that many lanes are coalesced
};

}  // namespace gpx::vgpu::timing
