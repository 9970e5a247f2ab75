// Interface: grid_sample.h. Covered by tests/vgpu/grid_sample_test.cpp.
#include "runtime/device/vgpu/timing/grid_sample.h"

#include <algorithm>
#include <cmath>

namespace gpx::vgpu::timing {
namespace {

constexpr std::uint64_t kLeastPart = 4;  // At most one block of so many is run.
constexpr std::uint64_t kFewestEnds = 4;
constexpr std::uint64_t kFewestBlocks = 8;  // Of fewer nothing is known.
constexpr double kGoodClusters = 0.03;      // Of their mean: with the least error, not refused.
constexpr double kAcross = 0.41421356237309515;

std::uint64_t scaled(double place, std::uint64_t extent) {
  return std::min(static_cast<std::uint64_t>(place * static_cast<double>(extent)), extent - 1);
}

double mean(const std::vector<SampledBlock>& sample) {
  double sum = 0;
  for (const SampledBlock& each : sample) sum += each.value;
  return sample.empty() ? 0 : sum / static_cast<double>(sample.size());
}

}  // namespace

GridSample::GridSample(const Grid& grid)
    : grid_(grid),
      places_(std::max<std::uint64_t>(grid.resident, 1) * (grid.all ? grid.sms : 1)),
      share_(grid.all ? grid.blocks : (grid.blocks + grid.sms - 1) / grid.sms),
      width_(grid.all ? 2 * places_ : std::max<std::uint64_t>(places_ / 2, 1)),
      warm_(grid.all ? width_ / 2 : 0) {
  clusters_ = grid.clusters;
  if (share_ <= middle() + last()) clusters_ = 0;
}

// Whole waves are left out: equal blocks end in waves.
std::uint64_t GridSample::last() const {
  const std::uint64_t ragged = clusters_ * width_ % places_;
  return places_ + share_ % places_ + (places_ - ragged) % places_;
}

// The SM of most blocks gets one of each round; which of them, changes from round to round: a
// grid's columns may differ.
std::uint64_t GridSample::of_share(std::uint64_t number) const {
  if (grid_.all || number == 0) return number;
  const std::uint64_t first = number * grid_.sms, count = std::min(grid_.sms, grid_.blocks - first);
  return first + scaled(even_place(number), count);
}

// Neighbours on one SM are a round apart, so that they share pages and lines as they would.
std::uint64_t GridSample::of_cluster(std::uint64_t number) const {
  const std::uint64_t cluster = number / width_,
                      rounds = grid_.all ? share_ : grid_.blocks / grid_.sms;
  const std::uint64_t round = scaled(even_place(cluster), rounds - width_ + 1) + number % width_;
  return grid_.all ? round : round * grid_.sms + scaled(even_place(cluster, kAcross), grid_.sms);
}

std::uint64_t GridSample::take(Clk clk) {
  const std::uint64_t n = runs_.size();
  std::uint64_t block = 0;
  if (is_share() || n < places_)
    block = of_share(n);
  else if (n < middle())
    block = of_cluster(n - places_);
  else
    block = of_share(share_ - last() + n - middle());
  runs_.push_back({block, clk, 0});
  return block;
}

bool GridSample::empty(Clk clk) {
  if (is_share()) return runs_.size() == share_;
  while (runs_.size() == middle() && !enough(clk)) clusters_ *= 2;
  return runs_.size() == middle() + last();
}

void GridSample::ended(std::uint64_t number, Clk clk, Clk done) {
  runs_[number].end = clk;
  runs_[number].behind = done - clk;
  held_ += static_cast<double>(clk - runs_[number].room);
  ++ended_;
  last_end_ = std::max(last_end_, clk);
}

bool GridSample::enough(Clk clk) const {
  const std::uint64_t more = 2 * clusters_ * width_;
  if (more > grid_.blocks / kLeastPart || more > grid_.most) return true;
  return mean_error(clusters(clk)) <= kGoodClusters && trend(clk) <= kGoodClusters;
}

// Blocks that are left out may bring in lines that no other needs, or only those that are there:
// every other cluster has the one or the other before it, and the truth lies between them.
// As many lines for each as blocks brought in whose neighbours had run: the second half of what
// was run in a row.
Entered GridSample::skips(const Entered& entered) {
  const std::uint64_t n = runs_.size();
  if (is_share() || n > middle()) return {};
  if (n >= places_ && (n - places_) % width_ == 0) begun_.push_back(entered);
  const std::uint64_t at = n < places_ ? n : (n - places_) % width_;
  if (at == (n < places_ ? places_ : width_) / 2) mark_ = entered, marked_ = n;
  if (n < places_ || at != 0 || (n - places_) / width_ % 2 != 0) return {};
  const double blocks = static_cast<double>(share_ - places_ - clusters_ * width_ - last()) /
                        static_cast<double>(clusters_ + 1);
  const double each = blocks / static_cast<double>(n - marked_);
  return {static_cast<std::uint64_t>(each * static_cast<double>(entered.lines - mark_.lines)),
          static_cast<std::uint64_t>(each * static_cast<double>(entered.dirty - mark_.dirty))};
}

// How long a block holds its place. One that still runs takes as long as the others on the mean, or
// longer if it already has.
double GridSample::held(const Run& run, Clk now) const {
  if (run.end != 0) return static_cast<double>(run.end - run.room);
  return std::max(static_cast<double>(now - run.room), held_ / std::max(1.0, ended_));
}

// Neighbours are alike: a cluster is one observation, of a block on the mean.
std::vector<SampledBlock> GridSample::clusters(Clk now) const {
  std::vector<SampledBlock> all;
  for (std::uint64_t c = 0; c < clusters_; ++c) {
    const Run* first = &runs_[places_ + c * width_];
    SampledBlock cluster{first->block, 0};
    for (const Run* run = first + warm_; run != first + width_; ++run)
      cluster.value += held(*run, now);
    cluster.value /= static_cast<double>(width_ - warm_);
    all.push_back(cluster);
  }
  return all;
}

// The last blocks that ran beside as many others as there is room for.
std::vector<SampledBlock> GridSample::ends() const {
  const std::uint64_t ragged = share_ > places_ ? share_ % places_ : 0;
  const std::uint64_t end = runs_.size() - ragged;
  std::vector<SampledBlock> last;
  for (std::uint64_t i = end - std::min(end, std::max(places_, kFewestEnds)); i < end; ++i)
    last.push_back({runs_[i].block, held(runs_[i], 0)});
  return last;
}

// Little's law: all places are taken, so that blocks end as far apart as each holds its place for,
// over the places. What blocks took longer that only warmed the caches, the grid does not take.
double GridSample::extrapolated(Clk simulated) const {
  const double each = mean(clusters(0));
  double more = (static_cast<double>(share_) - static_cast<double>(runs_.size())) * each;
  for (std::uint64_t i = places_; i < middle(); ++i)
    if ((i - places_) % width_ < warm_) more += each - held(runs_[i], 0);
  const double left = static_cast<double>(share_) - static_cast<double>(runs_.size()),
               late = backlog() * std::max(left, 0.0);
  return std::max(static_cast<double>(simulated) + more / static_cast<double>(places_) + late, 1.0);
}

// By how much the memory falls behind with each block that stores or adds and does not wait: from
// the third quarter of the clusters' blocks to the last one. What it has fallen behind so far, the
// simulated clocks contain.
double GridSample::backlog() const {
  const std::uint64_t quarter = clusters_ * width_ / 4, third = places_ + 2 * quarter;
  double more = 0;
  for (std::uint64_t i = 0; i < quarter; ++i)
    more += static_cast<double>(runs_[third + quarter + i].behind) -
            static_cast<double>(runs_[third + i].behind);
  const auto n = static_cast<double>(std::max<std::uint64_t>(quarter, 1));
  return std::max(more / (n * n), 0.0);
}

// What the memory reads for the blocks, and what they leave that it has to take: less than that the
// grid cannot take, however its blocks follow each other. After other lines a cluster finds none of
// its own, after none those of the cluster before: the fewer lines count. At the end the cache may
// hold some that have not left.
double GridSample::traffic() const {
  if (!grid_.all || begun_.size() <= clusters_) return 0;
  double read[2] = {0, 0}, stored[2] = {0, 0};
  for (std::uint64_t c = 0; c < clusters_; ++c) {
    read[c % 2] += static_cast<double>(begun_[c + 1].fetched - begun_[c].fetched);
    stored[c % 2] += static_cast<double>(begun_[c + 1].dirty - begun_[c].dirty);
  }
  const double parts = 2 * static_cast<double>(share_) / static_cast<double>(clusters_ * width_);
  const double left =
      std::min(stored[0], stored[1]) * parts - static_cast<double>(grid_.cached_lines);
  return grid_.line_clocks * (std::min(read[0], read[1]) * parts + std::max(left, 0.0));
}

Clk GridSample::time(Clk simulated) const {
  if (is_share()) return simulated;
  return static_cast<Clk>(std::llround(std::max(extrapolated(simulated), traffic())));
}

// SMs end apart where blocks differ: by their standard deviation, or by a whole block of the last
// ones where these are short. Where all SMs have run, they have shown how far.
double GridSample::spread_of_ends(const std::vector<SampledBlock>& observed) const {
  const double middle = mean(observed), count = static_cast<double>(observed.size());
  if (grid_.all || count < 2) return 0;
  double squares = 0;
  for (const SampledBlock& each : observed) squares += std::pow(each.value - middle, 2);
  return std::min(std::sqrt(squares / (count - 1)), mean(ends()));
}

double GridSample::error(Clk simulated) const {
  if (runs_.size() == grid_.blocks) return 0;
  const std::vector<SampledBlock> all = is_share() ? share() : clusters(0);
  if (runs_.size() < kFewestBlocks) return std::numeric_limits<double>::infinity();
  const double apart = spread_of_ends(all) / static_cast<double>(std::max<Clk>(time(simulated), 1));
  return kLeastSampleError + std::max(mean_error(all), of_counts()) + of_largest() + apart +
         unsettled() + of_caches() + of_history() + behind(simulated) + of_traffic(simulated);
}

// The interval of the mean of so many blocks that differ as those that were counted do: of rare
// long blocks the sample may have none.
double GridSample::of_counts() const {
  if (!std::isfinite(grid_.deviation)) return 0;
  return 2 * grid_.deviation / std::sqrt(static_cast<double>(runs_.size()));
}

// The grid does not end before its largest block has: by how much that is larger than what was run.
double GridSample::of_largest() const {
  double longest = 0;
  for (const Run& run : runs_) longest = std::max(longest, held(run, 0));
  const double seen = longest * ended_ / std::max(held_, 1.0);
  return std::max(grid_.largest - seen, 0.0) * static_cast<double>(places_) /
         static_cast<double>(share_);
}

// What blocks take falls short of what the memory takes for them: it has not kept up with the
// sample.
double GridSample::of_traffic(Clk simulated) const {
  return is_share() ? 0 : std::max(traffic() / extrapolated(simulated) - 1, 0.0);
}

// By how much clusters take longer, or shorter, with each one that has run, from the least squares
// of a line: beyond twice its standard error, as far as to the middle of the grid, over their mean.
// What takes so long to settle goes on where no blocks are run.
double GridSample::trend(Clk now) const {
  if (!grid_.all || is_share() || clusters_ < 3) return 0;
  const std::vector<SampledBlock> all = clusters(now);
  const auto n = static_cast<double>(clusters_);
  const double middle = mean(all);
  double product = 0, squares = 0, rest = 0;
  for (std::uint64_t c = 0; c < clusters_; ++c) {
    const double at = static_cast<double>(c) - (n - 1) / 2;
    product += at * all[c].value, squares += at * at;
  }
  const double slope = product / squares;
  for (std::uint64_t c = 0; c < clusters_; ++c)
    rest += std::pow(all[c].value - middle - slope * (static_cast<double>(c) - (n - 1) / 2), 2);
  const double sure = std::abs(slope) - 2 * std::sqrt(rest / (n - 2) / squares);
  const double clusters_of_grid = static_cast<double>(share_) / static_cast<double>(width_);
  return std::max(sure, 0.0) * (clusters_of_grid - n) / 2 / std::max(middle, 1.0);
}

// By how much clusters of the later half take longer, or shorter, than those before: both lie
// evenly over the grid, but a cache may take longer to fill than the sample runs.
double GridSample::of_history() const {
  if (!grid_.all || is_share()) return 0;
  const std::vector<SampledBlock> all = clusters(0);
  double sums[2] = {0, 0};
  for (std::uint64_t c = 0; c < clusters_; ++c) sums[2 * c / clusters_] += all[c].value;
  return std::max(2 * std::abs(sums[0] - sums[1]) / std::max(sums[0] + sums[1], 1.0), trend(0));
}

// Half of what clusters after other lines take longer than those after none.
double GridSample::of_caches() const {
  if (!grid_.all || is_share()) return 0;
  const std::vector<SampledBlock> all = clusters(0);
  double sums[2] = {0, 0};
  for (std::uint64_t c = 0; c < clusters_; ++c) sums[c % 2] += all[c].value;
  return std::abs(sums[0] - sums[1]) / std::max(sums[0] + sums[1], 1.0);
}

// Blocks end before their stores: what the memory is behind when the last one has ended it may be
// behind again after each such part of the grid.
double GridSample::behind(Clk simulated) const {
  const auto late = static_cast<double>(simulated - (last_end_ - runs_.front().room));
  const auto run = static_cast<double>(runs_.size()), others = static_cast<double>(share_) - run;
  const double unsteady = std::abs(late / run - backlog()) * others;
  return unsteady / static_cast<double>(std::max<Clk>(time(simulated), 1));
}

// How much longer, or shorter, blocks take at the end of what is measured of a cluster than before:
// what the caches hold, or how blocks overlap, has not settled.
double GridSample::unsettled() const {
  if (!grid_.all || is_share()) return 0;
  double first = 0, second = 0;
  const std::uint64_t half = (width_ - warm_) / 2;
  for (std::uint64_t c = 0; c < clusters_; ++c) {
    const Run* run = &runs_[places_ + c * width_ + warm_];
    for (std::uint64_t i = 0; i < half; ++i) {
      first += held(run[i], 0);
      second += held(run[half + i], 0);
    }
  }
  return std::abs(first - second) / std::max(first + second, 1.0) * 2;
}

// All that ran on a full SM.
std::vector<SampledBlock> GridSample::share() const {
  const std::uint64_t ragged = share_ > places_ ? share_ % places_ : 0;
  std::vector<SampledBlock> all;
  for (std::uint64_t i = 0; i + ragged < runs_.size(); ++i)
    all.push_back({runs_[i].block, held(runs_[i], 0)});
  return all;
}

}  // namespace gpx::vgpu::timing
