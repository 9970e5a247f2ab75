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
#include <string>
#include <vector>

#include "runtime/device/vgpu/exec/executor.h"

namespace gpx::vgpu::exec {

class Supervisor {
 public:
  /// Adds all warps that are not at a barrier.
  using Running = std::function<void(std::vector<Warp*>&)>;

  /// More instructions of warps than `count` are a trap that says `what`, after the number.
  struct Most {
    std::uint64_t count = ~std::uint64_t{0} - 1;
    std::string what;
  };
  void start_launch(const Executor& executor, Running running, Most most,
                    const std::atomic<bool>* stop);

  /// Counts a warp instruction that is about to be executed. True: look().
  bool due() { return ++count_ >= next_; }
  /// `line`: of the instruction.
  std::optional<Trap> look(int line);

  /// A warp begins that no exit has made room for: others may wait for it.
  void joined() {
    if (probing_) end_probe();
  }

  bool probing() const { return probing_; }
  /// The warp has executed an instruction.
  std::optional<Trap> observe(const Warp& warp, int line);

  std::uint64_t instructions() const { return count_; }

 private:
  /// A warp at a place; its registers when it came there again, because to keep those of warps that
  /// never do would cost more than the rest.
  struct Probe {
    Group group;
    std::vector<Group> others;
    std::uint32_t turn = 0;
    std::vector<Lanes> registers;  // empty: not there again yet
    unsigned mismatches = 0;
    bool done = false;

    bool at_same_place(const Warp& warp) const;
  };
  void begin_probe();
  void end_probe();

  const Executor* executor_ = nullptr;
  Running running_;
  Most most_;
  const std::atomic<bool>* stop_ = nullptr;
  std::uint64_t count_ = 0, next_ = 0;

  bool probing_ = false;
  std::uint64_t probe_at_ = 0;  // the count at which the next probe begins, or this one ends
  std::uint64_t changes_ = 0;   // when it began
  std::vector<Warp*> warps_;
  std::vector<Probe> probes_;
  std::size_t left_ = 0;
};

}  // namespace gpx::vgpu::exec
