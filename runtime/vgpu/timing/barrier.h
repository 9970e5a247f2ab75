// Barrier: counts the warps of a block that have arrived. Covered by tests/vgpu/timing_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "runtime/vgpu/exec/executor.h"

namespace gpx::vgpu::timing {

/// The sixteen barriers of one block.
class Barriers {
 public:
  static constexpr unsigned kCount = 16;

  void clear() {
    for (State& state : states_) state = {};
  }

  /// A warp of the block arrives. `threads`: how many the barrier waits for, counted in whole
  /// warps; 0: the whole block. `waits`: the warp stops here.
  void arrive(unsigned id, std::uint32_t threads, unsigned warp, bool waits) {
    State& state = states_[id % kCount];
    ++state.arrived;
    state.expected = (threads + exec::kWarpSize - 1) / exec::kWarpSize;
    if (waits) state.waiting.push_back(warp);
  }

  /// Calls `release(warp)` for each waiting warp of a barrier that is complete, now that `live`
  /// warps of the block have not exited, and clears it.
  template <typename Release>
  void release_complete(unsigned live, Release&& release) {
    for (State& state : states_) {
      if (state.arrived == 0 || state.arrived < (state.expected ? state.expected : live)) continue;
      for (const unsigned warp : state.waiting) release(warp);
      state.arrived = state.expected = 0;
      state.waiting.clear();
    }
  }

  unsigned waiting() const {
    std::size_t count = 0;
    for (const State& state : states_) count += state.waiting.size();
    return static_cast<unsigned>(count);
  }

 private:
  struct State {
    unsigned arrived = 0;
    unsigned expected = 0;  // warps; 0: all that have not exited
    std::vector<unsigned> waiting;
  };
  std::array<State, kCount> states_;
};

}  // namespace gpx::vgpu::timing
