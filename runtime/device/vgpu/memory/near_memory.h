// NearMemory: what an SM's accesses to shared, constant, texture and local memory take. They go
// around the load/store pipelines: their end is known when they are issued. Covered by
// tests/vgpu/hierarchy_test.cpp.
#pragma once

#include <bit>

#include "runtime/device/vgpu/memory/read_path.h"
#include "runtime/device/vgpu/memory/shared_banks.h"
#include "runtime/device/vgpu/memory/uniform_lines.h"

namespace gpx::vgpu::timing {

class NearMemory {
 public:
  /// `path`: the SM's, for textures that are read through L1.
  NearMemory(const Description& device, MemorySystem& system, unsigned sm,
             MemoryPath* path = nullptr);

  /// When the registers of an access that is issued at `clk` are ready.
  /// `latency`: that a device gives for the instruction itself, in place of the memory's.
  /// `partition`: of the SM, whose warp issues it. `returned`: clocks that the partition takes to
  /// write what comes back from shared memory. `of_constant`: what machine code takes to load a
  /// constant that the first level has; 0: as of PTX.
  Clk access(const exec::Effect& effect, Clk clk, std::optional<Clk> latency = std::nullopt,
             unsigned partition = 0, double returned = 0, Clk of_constant = 0);
  /// No access is under way.
  void start_launch() {
    banks_free_ = loads_free_ = constants_free_ = 0;
    std::fill(partition_free_.begin(), partition_free_.end(), 0);
    constant_.start_launch();
    behind_uniform_.start_launch();
    uniform_.clear();
    texture_.start_launch();
  }
  /// When a uniform load of a constant is done that is issued at `clk`: its warp waits for it.
  /// nullopt: it is a load as others.
  std::optional<Clk> uniform(const exec::Effect& effect, Clk clk);
  /// When the banks of shared memory have done all passes.
  Clk banks_free() const { return whole(banks_free_); }
  /// A load of global memory keeps them for so long from `clk` on: when it has them. It waits for
  /// other loads; accesses to shared memory that wait for the banks let it pass.
  Clk take_banks(Clk clk, double clocks) {
    const double there = static_cast<double>(clk), begin = std::max(loads_free_, there);
    loads_free_ = begin + clocks;
    banks_free_ = std::max(banks_free_, there) + clocks;
    return whole(begin);
  }
  /// Clocks that an access to shared memory takes of them.
  double banks_busy(const exec::Effect& effect) const { return passes_of(effect).busy; }
  /// Clocks by which lanes of an atomic that conflict keep them longer than lanes that do not.
  double banks_behind(const exec::Effect& effect) const {
    const SharedBanks::Passes passes = passes_of(effect);
    return passes.busy * passes.further / (passes.further + 1);
  }
  /// What these lanes' words make on their way between SMs: bytes of whole sectors that are loaded,
  /// of stores those of their words, where 16 bytes that are not stored whole count twice; and rows
  /// of the banks.
  struct Sent {
    unsigned bytes = 0, stored = 0, rows = 0;
  };
  static constexpr unsigned kSector = 32;
  Sent sent(const exec::Effect& effect, exec::Mask active) const;

 private:
  Clk shared(const exec::Effect& effect, Clk clk, std::optional<Clk> latency, unsigned partition,
             double returned);
  Clk constant(const exec::Effect& effect, Clk clk, Clk load);
  Clk texture(const exec::Effect& effect, Clk clk);
  void add_uniform(const Description::Constant& constant);

  // Lanes that are counted together are one, by word.
  SharedBanks::Passes passes_of(const exec::Effect& effect) const {
    return banks_.passes_of(effect.active, effect.addresses, effect.bytes,
                            effect.is_atomic && !effect.counts_lanes, effect.compares ? 2 : 1);
  }
  void tell_replays(Clk clk, std::string_view space, unsigned passes) const {
    if (Listener* listener = system_.listener()) [[unlikely]]
      listener->replays(clk, sm_, space, passes);
  }

  MemorySystem& system_;
  unsigned sm_;
  MemoryPath* unified_ = nullptr;  // nullptr: textures have a way of their own
  Clk unified_extra_ = 0;
  double banks_line_;  // clocks that a line of a texture keeps the banks
  SharedBanks banks_;
  double loads_free_ = 0;  // when loads of global memory have done theirs
  double banks_free_ = 0;  // when the banks have done all passes; fractions carry over
  double partition_pass_;
  std::vector<double> partition_free_;  // the same of each partition
  ReadPath constant_, texture_;
  ReadPath behind_uniform_;  // of constants, without the first level
  UniformLines uniform_;
  unsigned uniform_shift_ = 0;  // from an address to one of its lines; 0: there are none
  Clk constant_hit_ = 0;        // latency of the first level
  Clk constant_latency_, local_latency_;
  Clk constant_load_;  // a load of a constant as an instruction
  double clocks_per_address_;
  double constant_pass_;
  double constants_free_ = 0;   // when the words of the accesses before are handed over
  unsigned texture_shift_ = 0;  // from an address to a line of the first level
};

}  // namespace gpx::vgpu::timing
