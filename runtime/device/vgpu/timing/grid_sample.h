// GridSample: which blocks of a large grid are run in place of the grid, and what they say about
// its time (docs/vgpu.md, "Samples of a grid").
//
// Either one SM runs a sample of what it would get, where SMs share no cache, or all SMs run a
// sample of the grid. They run the first wave, clusters of neighbours that lie evenly over the
// whole grid, and the last blocks. Clusters are added until the mean of a block's time is known to
// 3 %, or a quarter of the grid has been run. Covered by
// tests/vgpu/grid_sample_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/device/vgpu/clk.h"
#include "runtime/device/vgpu/memory/entered.h"
#include "runtime/device/vgpu/timing/sample_error.h"

namespace gpx::vgpu::timing {

class GridSample {
 public:
  /// `blocks` on `sms` SMs, each of which holds `resident` at once; `all`: all SMs run the sample,
  /// else one.
  struct Grid {
    std::uint64_t blocks, sms, resident;
    bool all = false;
    /// Where all do: what the memory takes for a line, and how many the cache before it holds.
    double line_clocks = 0;
    std::uint64_t cached_lines = 0;
    /// What was counted of the grid's blocks, in instructions: the standard deviation of a block
    /// and the largest one, over their mean. Infinite: nothing.
    double deviation = std::numeric_limits<double>::infinity();
    double largest = 1;
    std::uint64_t clusters = 8;  ///< The fewest.
    /// Clusters are not added beyond so many blocks.
    std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  };
  explicit GridSample(const Grid& grid);

  /// The next block to run, which has had room since `clk`. Blocks are numbered in the order in
  /// which they are taken.
  std::uint64_t take(Clk clk);
  /// No block is left. It may look at what has ended, to see whether more are needed.
  bool empty(Clk clk);
  /// A block has ended; its SM's accesses so far are over at `done`.
  void ended(std::uint64_t number, Clk clk, Clk done);

  /// What the blocks before the next one that are left out would have brought into a cache of all
  /// SMs. `entered`: all that has entered it so far. To be called before each take(), where all SMs
  /// run the sample.
  Entered skips(const Entered& entered);

  std::uint64_t blocks_run() const { return runs_.size(); }
  /// The launch's time where the sample took `simulated` clocks.
  Clk time(Clk simulated) const;
  /// Half the 95 % interval of that time over it; infinite where too few blocks were run to say.
  double error(Clk simulated) const;
  /// Half the 95 % interval of the mean time of a block over it; 0 where all of a share were run.
  double cluster_error() const { return is_share() ? 0 : mean_error(clusters(0)); }

 private:
  struct Run {
    std::uint64_t block;
    Clk room, end;   // end 0: it runs
    Clk behind = 0;  // by which accesses end later
  };

  /// So few that all are run.
  bool is_share() const { return clusters_ == 0; }
  bool enough(Clk clk) const;
  std::uint64_t last() const;
  std::uint64_t middle() const { return places_ + clusters_ * width_; }
  double held(const Run& run, Clk now) const;
  std::vector<SampledBlock> clusters(Clk now) const;
  std::vector<SampledBlock> share() const;
  std::vector<SampledBlock> ends() const;
  std::uint64_t of_share(std::uint64_t number) const;
  std::uint64_t of_cluster(std::uint64_t number) const;
  double unsettled() const;
  double of_counts() const;
  double of_largest() const;
  double of_caches() const;
  double of_history() const;
  double trend(Clk now) const;
  double extrapolated(Clk simulated) const;
  double backlog() const;
  double traffic() const;
  double of_traffic(Clk simulated) const;
  double behind(Clk simulated) const;
  double spread_of_ends(const std::vector<SampledBlock>& observed) const;

  Grid grid_;
  std::uint64_t places_;  // blocks that run at once
  std::uint64_t share_;   // blocks of what is simulated: the SM that has most, or the grid
  std::uint64_t width_;   // of a cluster
  std::uint64_t warm_;    // blocks of a cluster that only warm the caches
  std::uint64_t clusters_ = 0;
  double held_ = 0, ended_ = 0;  // clocks of all blocks that have ended, and how many did
  Clk last_end_ = 0;
  std::vector<Run> runs_;
  std::vector<Entered> begun_;  // what had entered the cache when each cluster began, and the last
  Entered mark_;                // what had entered the cache when block...
  std::uint64_t marked_ = 0;    // ...of that number was taken
};

}  // namespace gpx::vgpu::timing
