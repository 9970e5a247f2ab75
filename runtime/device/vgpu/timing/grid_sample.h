// GridSample: which blocks of a large grid one SM runs in place of the grid, and what they say
// about its time (docs/vgpu.md, "Samples of a grid").
//
// The SM runs its first wave, clusters of neighbours that lie evenly over the whole grid, and its
// last blocks. Clusters are added until the mean of a block's time is known to kGoodSampleError, or
// a quarter of the grid has been run. Covered by tests/vgpu/grid_sample_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/device/vgpu/clk.h"
#include "runtime/device/vgpu/timing/sample_error.h"

namespace gpx::vgpu::timing {

class GridSample {
 public:
  /// A grid on `sms` SMs, each of which holds `resident` blocks at once.
  GridSample(std::uint64_t blocks, std::uint64_t sms, std::uint64_t resident);

  /// The next block to run, which has had room since `clk`. Blocks are numbered in the order in
  /// which they are taken.
  std::uint64_t take(Clk clk);
  /// No block is left. It may look at what has ended, to see whether more are needed.
  bool empty(Clk clk);
  void ended(std::uint64_t number, Clk clk);

  std::uint64_t blocks_run() const { return runs_.size(); }
  /// The launch's time where the sample took `simulated` clocks.
  Clk time(Clk simulated) const;
  /// Half the 95 % interval of that time over it, as far as blocks differ; infinite where a single
  /// block was run.
  double error(Clk simulated) const;

 private:
  struct Run {
    std::uint64_t block;
    Clk room, end;  // end 0: it runs
  };

  /// So few that the SM runs all that it has.
  bool is_share() const { return clusters_ == 0; }
  bool enough(Clk clk) const;
  std::uint64_t last() const;
  double held(const Run& run, Clk now) const;
  std::vector<SampledBlock> clusters(Clk now) const;
  std::vector<SampledBlock> share() const;
  std::vector<SampledBlock> ends() const;
  std::uint64_t of_share(std::uint64_t round) const;
  std::uint64_t of_cluster(std::uint64_t number) const;

  std::uint64_t blocks_, sms_, resident_;
  std::uint64_t share_;  // rounds: blocks of the SM that has most
  std::uint64_t width_;  // of a cluster
  std::uint64_t clusters_ = 0;
  double held_ = 0, ended_ = 0;  // clocks of all blocks that have ended, and how many did
  std::vector<Run> runs_;
};

}  // namespace gpx::vgpu::timing
