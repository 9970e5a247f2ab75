// Interface: grid_sample.h. Covered by tests/vgpu/grid_sample_test.cpp.
#include "runtime/device/vgpu/timing/grid_sample.h"

#include <algorithm>
#include <cmath>

namespace gpx::vgpu::timing {
namespace {

constexpr std::uint64_t kFewestClusters = 8;
constexpr std::uint64_t kLeastPart = 4;  // At most one block of so many is run.
constexpr std::uint64_t kFewestEnds = 4;
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

GridSample::GridSample(std::uint64_t blocks, std::uint64_t sms, std::uint64_t resident)
    : blocks_(blocks),
      sms_(sms),
      resident_(std::max<std::uint64_t>(resident, 1)),
      share_((blocks + sms - 1) / sms),
      width_(std::max<std::uint64_t>(resident_ / 2, 1)) {
  clusters_ = kFewestClusters;
  if (share_ <= resident_ + clusters_ * width_ + last()) clusters_ = 0;
}

// Whole waves are left out: equal blocks end in waves.
std::uint64_t GridSample::last() const {
  const std::uint64_t ragged = clusters_ * width_ % resident_;
  return resident_ + share_ % resident_ + (resident_ - ragged) % resident_;
}

// The SM of most blocks gets one of each round; which of them, changes from round to round: a
// grid's columns may differ.
std::uint64_t GridSample::of_share(std::uint64_t round) const {
  const std::uint64_t first = round * sms_, count = std::min(sms_, blocks_ - first);
  return round == 0 ? 0 : first + scaled(even_place(round), count);
}

// Neighbours on one SM: a round apart, so that they share pages and lines as they would.
std::uint64_t GridSample::of_cluster(std::uint64_t number) const {
  const std::uint64_t cluster = number / width_, rounds = blocks_ / sms_;
  const std::uint64_t round = scaled(even_place(cluster), rounds - width_ + 1) + number % width_;
  return round * sms_ + scaled(even_place(cluster, kAcross), sms_);
}

std::uint64_t GridSample::take(Clk clk) {
  const std::uint64_t n = runs_.size(), middle = resident_ + clusters_ * width_;
  std::uint64_t block = 0;
  if (is_share() || n < resident_)
    block = of_share(n);
  else if (n < middle)
    block = of_cluster(n - resident_);
  else
    block = of_share(share_ - last() + n - middle);
  runs_.push_back({block, clk, 0});
  return block;
}

bool GridSample::empty(Clk clk) {
  if (is_share()) return runs_.size() == share_;
  while (runs_.size() == resident_ + clusters_ * width_ && !enough(clk)) clusters_ *= 2;
  return runs_.size() == resident_ + clusters_ * width_ + last();
}

void GridSample::ended(std::uint64_t number, Clk clk) {
  runs_[number].end = clk;
  held_ += static_cast<double>(clk - runs_[number].room);
  ++ended_;
}

bool GridSample::enough(Clk clk) const {
  if (2 * clusters_ * width_ > blocks_ / kLeastPart) return true;
  return mean_error(clusters(clk)) <= kGoodSampleError;
}

// How long a block holds its place. One that still runs takes as long as the others on the mean, or
// longer if it already has.
double GridSample::held(const Run& run, Clk now) const {
  if (run.end != 0) return static_cast<double>(run.end - run.room);
  return std::max(static_cast<double>(now - run.room), held_ / std::max(1.0, ended_));
}

// Neighbours are alike: a cluster is one observation.
std::vector<SampledBlock> GridSample::clusters(Clk now) const {
  std::vector<SampledBlock> all;
  for (std::uint64_t c = 0; c < clusters_; ++c) {
    const Run* first = &runs_[resident_ + c * width_];
    SampledBlock cluster{first->block, 0};
    for (const Run* run = first; run != first + width_; ++run) cluster.value += held(*run, now);
    all.push_back(cluster);
  }
  return all;
}

// The last blocks that ran on a full SM.
std::vector<SampledBlock> GridSample::ends() const {
  const std::uint64_t ragged = share_ > resident_ ? share_ % resident_ : 0;
  const std::uint64_t end = runs_.size() - ragged;
  std::vector<SampledBlock> last;
  for (std::uint64_t i = end - std::min(end, std::max(resident_, kFewestEnds)); i < end; ++i)
    last.push_back({runs_[i].block, held(runs_[i], 0)});
  return last;
}

// Little's law: the SM is full, so that blocks end as far apart as each holds its place for, over
// the places.
Clk GridSample::time(Clk simulated) const {
  if (is_share()) return simulated;
  const double places = static_cast<double>(resident_ * width_);
  const double missing = static_cast<double>(share_) - static_cast<double>(runs_.size());
  const double time = static_cast<double>(simulated) + missing * mean(clusters(0)) / places;
  return static_cast<Clk>(std::llround(std::max(time, 1.0)));
}

// SMs end apart where blocks differ: by their standard deviation, or by a whole block of the last
// ones where these are short.
double GridSample::error(Clk simulated) const {
  const std::vector<SampledBlock> all = is_share() ? share() : clusters(0);
  const double middle = mean(all), count = static_cast<double>(all.size());
  const double of_each = is_share() ? 1 : static_cast<double>(width_);  // a cluster has the sum
  double squares = 0;
  for (const SampledBlock& each : all) squares += std::pow(each.value - middle, 2);
  const double apart =
      count > 1 ? std::min(std::sqrt(squares / (count - 1)) / of_each, mean(ends())) : 0;
  return mean_error(all) + apart / static_cast<double>(std::max<Clk>(time(simulated), 1));
}

// All that ran on a full SM.
std::vector<SampledBlock> GridSample::share() const {
  const std::uint64_t ragged = share_ > resident_ ? share_ % resident_ : 0;
  std::vector<SampledBlock> all;
  for (std::uint64_t i = 0; i + ragged < runs_.size(); ++i)
    all.push_back({runs_[i].block, held(runs_[i], 0)});
  return all;
}

}  // namespace gpx::vgpu::timing
