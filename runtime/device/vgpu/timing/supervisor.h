// Supervisor: ends launches that do not end by themselves.
//
// By a raised stop, by a number of warp instructions, by a clock, and by proof: a warp that comes
// back to where it was with the same registers, while nothing that a warp can see has changed, will
// do so for ever; where that holds for every warp that can run, the launch never ends. It holds
// whatever the order of the warps, so the timing does not matter.
// Covered by tests/vgpu/control_flow_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "runtime/device/vgpu/exec/executor.h"

namespace gpx::vgpu::timing {

class Supervisor {
 public:
  /// Adds all warps that are not at a barrier.
  using Running = std::function<void(std::vector<exec::Warp*>&)>;

  void start_launch(const exec::Executor& executor, Running running,
                    std::uint64_t most_instructions, const std::atomic<bool>* stop);

  /// Counts a warp instruction that is about to be executed. True: look().
  bool due() { return ++count_ >= next_; }
  /// `line`: of the instruction.
  std::optional<exec::Trap> look(int line);

  bool probing() const { return probing_; }
  /// The warp has executed an instruction.
  std::optional<exec::Trap> observe(const exec::Warp& warp, int line);

  std::uint64_t instructions() const { return count_; }

 private:
  /// A warp at a place; its registers when it came there again, because to keep those of warps that
  /// never do would cost more than the rest.
  struct Probe {
    exec::Group group;
    std::vector<exec::Group> others;
    std::uint32_t turn = 0;
    std::vector<exec::Lanes> registers;  // empty: not there again yet
    unsigned mismatches = 0;
    bool done = false;

    bool at_same_place(const exec::Warp& warp) const;
  };
  void begin_probe();
  void end_probe();

  const exec::Executor* executor_ = nullptr;
  Running running_;
  std::uint64_t most_ = 0;
  const std::atomic<bool>* stop_ = nullptr;
  std::uint64_t count_ = 0, next_ = 0;

  bool probing_ = false;
  std::uint64_t probe_at_ = 0;  // the count at which the next probe begins, or this one ends
  std::uint64_t changes_ = 0;   // when it began
  std::vector<exec::Warp*> warps_;
  std::vector<Probe> probes_;
  std::size_t left_ = 0;
};

}  // namespace gpx::vgpu::timing
