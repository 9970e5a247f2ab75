// Blocks of a grid, executed plainly: warps in turns, no notion of time.
//
// This is the definition that the timing layer's values are compared with. Covered by
// tests/vgpu/exec_control_test.cpp.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "runtime/device/vgpu/exec/executor.h"

namespace gpx::vgpu::exec {

struct RunReport {
  std::uint64_t warp_instructions = 0;
};

struct RunLimits {
  std::uint64_t warp_instructions = 1ull << 36;  ///< More is a trap: an endless loop.
  std::uint32_t turn = 64;  ///< Instructions of a warp before the next one has its turn.
  /// Blocks that the device holds at once: so many may wait for each other.
  std::uint64_t resident = 1024;
  const std::atomic<bool>* stop = nullptr;  ///< Set: a trap, "stopped".
};

/// Sees each instruction of each warp after it was executed.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_step(const Warp& warp, const ptx::Instruction& instruction,
                       const Effect& effect) = 0;
};

/// Runs blocks of a grid; the report and the limits go on from one call to the next.
class BlockRunner {
 public:
  /// The executor must outlive it; `observer` may be nullptr.
  BlockRunner(Executor& executor, const RunLimits& limits, Observer* observer = nullptr);
  ~BlockRunner();
  /// One block, with the others of its cluster, which are not observed. Traps: what the executor
  /// traps on, a deadlock, and the limits.
  tl::expected<void, Trap> block(const std::array<std::uint32_t, 3>& index);
  /// Every block, in order. One that does not end is joined by the next ones, as many as are
  /// resident: it may wait for them.
  tl::expected<void, Trap> grid();
  const RunReport& report() const;

 private:
  class Runner;
  std::unique_ptr<Runner> runner_;
};

/// BlockRunner::grid(). %clock counts warp instructions.
tl::expected<RunReport, Trap> run(Executor& executor, const RunLimits& limits = {});

}  // namespace gpx::vgpu::exec
