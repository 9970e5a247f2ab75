// Barrier: counts what has arrived of a block. Covered by tests/vgpu/timing_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "runtime/device/vgpu/clk.h"

namespace gpx::vgpu::timing {

/// The sixteen barriers of one block.
class Barriers {
 public:
  static constexpr unsigned kCount = 16;

  void clear() {
    for (State& state : states_) state = {};
    open_ = 0;
  }

  /// Participants of the block arrive: warps or threads, as the execution model counts.
  /// `expected`: how many the barrier waits for; 0: the whole block. `waits`: the warp in `slot`,
  /// or a group of its lanes, goes on after the release. `over`: when these arrivals are counted.
  void arrive(unsigned id, unsigned expected, unsigned arrivals, unsigned slot, bool waits,
              Clk over) {
    State& state = states_[id % kCount];
    open_ += state.arrived == 0;
    state.arrived += arrivals;
    state.expected = expected;
    state.over = std::max(state.over, over);
    if (waits) state.waiting.push_back(slot);
  }

  /// Calls `release(slot, id, n, over)` for each of the n that wait at a barrier that is complete,
  /// now that `live` participants of the block have not exited, and clears it. `over`: when the
  /// last of its arrivals is counted.
  template <typename Release>
  void release_complete(unsigned live, Release&& release) {
    for (unsigned id = 0; id < kCount && open_ != 0; ++id) {
      State& state = states_[id];
      if (state.arrived == 0 || state.arrived < (state.expected ? state.expected : live)) continue;
      const auto count = static_cast<unsigned>(state.waiting.size());
      for (const unsigned slot : state.waiting) release(slot, id, count, state.over);
      --open_;
      state.arrived = state.expected = 0;
      state.over = 0;
      state.waiting.clear();
    }
  }

 private:
  struct State {
    unsigned arrived = 0;
    unsigned expected = 0;  // 0: all that have not exited
    Clk over = 0;
    std::vector<unsigned> waiting;
  };
  std::array<State, kCount> states_;
  unsigned open_ = 0;  // barriers at which something has arrived
};

}  // namespace gpx::vgpu::timing
