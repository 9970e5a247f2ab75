// A whole grid, executed plainly: blocks one after another, warps in turns, no notion of time.
//
// This is the definition that the timing layer's values are compared with. Covered by
// tests/vgpu/exec_control_test.cpp.
#pragma once

#include <array>
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
};

/// Sees each instruction of each warp after it was executed.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_step(const ptx::Instruction& instruction, const Effect& effect) = 0;
};

/// Runs single blocks of a grid; the report and the limits go on from one to the next.
class BlockRunner {
 public:
  /// The executor must outlive it; `observer` may be nullptr.
  BlockRunner(Executor& executor, const RunLimits& limits, Observer* observer = nullptr);
  ~BlockRunner();
  tl::expected<void, Trap> block(const std::array<std::uint32_t, 3>& index);
  const RunReport& report() const;

 private:
  class Runner;
  std::unique_ptr<Runner> runner_;
};

/// Runs every block. %clock counts warp instructions. Traps: what the executor traps on, a deadlock
/// at a barrier, and the limit.
tl::expected<RunReport, Trap> run(Executor& executor, const Grid& grid,
                                  const RunLimits& limits = {});

}  // namespace gpx::vgpu::exec
