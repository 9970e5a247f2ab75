// The functional interpreter: what each PTX instruction means, without any notion of time.
//
// `Executor::step` executes one instruction of one warp and tells the caller what it did, as an
// Effect. The timing layer decides when to call it; a caller that just round-robins over the warps
// (exec/run.h) gets the same values. Covered by tests/vgpu/exec_test.cpp.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/vgpu/exec/memory.h"
#include "runtime/vgpu/ptx/module.h"

namespace gpx::vgpu::exec {

inline constexpr unsigned kWarpSize = 32;
using Mask = std::uint32_t;
using Lanes = std::array<std::uint64_t, kWarpSize>;

/// What an instruction did outside its warp's registers.
struct Effect {
  Mask active = 0;  ///< Lanes that executed it (guard applied).
  /// A memory access: space != none. Addresses are those of the accessing lanes.
  ptx::Space space = ptx::Space::none;
  bool is_load = false;   ///< ld, atom, tex
  bool is_store = false;  ///< st, red, atom
  bool is_atomic = false;
  std::uint8_t bytes = 0;             ///< A lane's access.
  const Lanes* addresses = nullptr;   ///< Valid until the next step; lanes of `active` only.
  bool barrier = false;               ///< The warp arrived at a barrier...
  std::uint32_t barrier_id = 0;
  std::uint32_t barrier_threads = 0;  ///< ...for that many threads; 0: the whole block.
  bool diverged = false;              ///< A branch split the warp.
  bool exited = false;                ///< No lane of the warp is left.
};

/// A run-time failure: an access out of bounds, a misaligned address, trap.
struct Trap {
  std::string message;
  int line = 0;  ///< Of the PTX text.
};

/// What special registers read; the timing layer keeps it up to date before each step.
struct Env {
  std::uint64_t clock = 0;        ///< SM clocks.
  std::uint64_t nanoseconds = 0;  ///< %globaltimer.
  std::uint32_t sm = 0, sm_count = 1;
};

struct Grid {
  std::array<std::uint32_t, 3> blocks{1, 1, 1};
  std::array<std::uint32_t, 3> threads{1, 1, 1};  ///< A block.
  std::uint32_t dynamic_shared_bytes = 0;
};

/// One entry of the reconvergence stack.
struct Path {
  std::int32_t pc = 0;
  std::int32_t reconvergence = -1;  ///< -1: none, runs to the exit.
  Mask mask = 0;
};

struct Block;

struct Warp {
  Block* block = nullptr;
  std::uint32_t id = 0;            ///< Within the block.
  Mask launched = 0;               ///< Lanes that exist.
  std::vector<Path> stack;         ///< Back is what executes. Empty: exited.
  std::vector<Lanes> registers;
  bool at_barrier = false;         ///< Set by step, cleared by whoever releases the barrier.

  bool exited() const { return stack.empty(); }
  std::int32_t pc() const { return stack.back().pc; }
  Mask active() const { return stack.back().mask; }
};

struct Block {
  std::array<std::uint32_t, 3> index{0, 0, 0};
  std::vector<Warp> warps;
  std::vector<std::uint8_t> shared;
  std::vector<std::uint8_t> local;  ///< Threads' local memories, one after another.
};

/// Executes one entry function over one grid. Not thread-safe: one for each simulated launch.
class Executor {
 public:
  /// `parameters` is the param block, laid out by Function::parameters.
  Executor(const ptx::Module& module, const ptx::Function& entry, const Grid& grid,
           std::span<const std::uint8_t> parameters, GlobalMemory& memory);
  ~Executor();

  /// Makes `block` the block `index` of the grid at its first instruction. Reuses its storage.
  void start(Block& block, const std::array<std::uint32_t, 3>& index) const;

  /// The instruction that `step` would execute. The warp must not have exited.
  const ptx::Instruction& next(const Warp& warp) const;

  tl::expected<Effect, Trap> step(Warp& warp, const Env& env);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gpx::vgpu::exec
