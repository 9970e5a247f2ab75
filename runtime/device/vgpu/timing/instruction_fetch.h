// InstructionFetch: when a warp has the instruction that it wants to issue.
//
// A warp holds the block of code (fetch bytes) that it fetched last; another block comes through
// the instruction caches, and asks for the code some way ahead. Covered by
// tests/vgpu/hierarchy_test.cpp.
#pragma once

#include <bit>

#include "runtime/device/vgpu/memory/read_path.h"

namespace gpx::vgpu::timing {

class InstructionFetch {
 public:
  InstructionFetch(const Description::Instruction& instruction, MemorySystem& system, unsigned sm,
                   unsigned warp_slots)
      : bytes_(instruction.bytes),
        shift_(static_cast<unsigned>(std::countr_zero(instruction.fetch))),
        prefetch_(instruction.prefetch),
        path_("instruction", system, sm, instruction, instruction.fetch),
        held_(warp_slots, kNothing) {
    for (std::size_t k = 0; k < instruction.level.size(); ++k)
      if (instruction.level[k]) path_.add(system.instruction(k), *instruction.level[k]);
  }

  void start_launch() { path_.start_launch(); }
  void start_warp(unsigned slot) { held_[slot] = kNothing; }

  /// So many instructions have been executed before.
  void hold(std::uint64_t instructions) {
    for (std::uint64_t at = 0; at < instructions * bytes_; at += std::uint64_t{1} << shift_)
      path_.hold(kCode + at);
  }
  /// When the warp has the instruction of that number, if it wants it at `clk`. `clk`: it has it.
  Clk fetch(unsigned slot, std::uint64_t instruction, Clk clk) {
    const std::uint64_t address = kCode + instruction * bytes_;
    const std::uint64_t block = address >> shift_;
    if (block == held_[slot]) return clk;
    held_[slot] = block;
    const Clk ready = path_.read(address, clk);
    if (prefetch_ != 0) path_.read(address + prefetch_, clk);
    return ready;
  }
  /// fetch() would change nothing that is beyond the SM's TPC.
  bool is_near(unsigned slot, std::uint64_t instruction) const {
    const std::uint64_t address = kCode + instruction * bytes_;
    return address >> shift_ == held_[slot] ||
           (path_.is_near(address) && (prefetch_ == 0 || path_.is_near(address + prefetch_)));
  }

 private:
  static constexpr std::uint64_t kNothing = UINT64_MAX;
  // Code has addresses of its own, which meet no buffer's and no constant's in a cache.
  static constexpr std::uint64_t kCode = 1ull << 42;

  std::uint64_t bytes_;
  unsigned shift_;
  std::uint64_t prefetch_;
  ReadPath path_;
  std::vector<std::uint64_t> held_;  // by warp slot: its block of code
};

}  // namespace gpx::vgpu::timing
