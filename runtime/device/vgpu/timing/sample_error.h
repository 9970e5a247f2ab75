// How well a sample of a grid's blocks knows their mean.
// Covered by tests/vgpu/grid_sample_test.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace gpx::vgpu {

/// Sampling goes on until the mean is known this well: half its 95 % interval over it.
constexpr double kGoodSampleError = 0.05;
/// No time of a sample is said to be known better: what blocks that are not run do to the others is
/// not all seen. docs/vgpu.md, "Samples of a grid", says by which kernels it was chosen, and how
/// many others it holds for.
constexpr double kLeastSampleError = 0.08;

/// A grid's last block that takes so many times what the others do is not one of them: the grid
/// waits for it.
constexpr double kLongEnd = 1.5;

/// What was seen of a block, or of a few neighbours.
struct SampledBlock {
  std::uint64_t at = 0;  ///< Its place in the grid.
  double value = 0;
};

/// The standard deviation of a block over the mean, from neighbours in a sample that lies evenly
/// over the grid (successive differences, as of any systematic sample: Wolter 2007, section 8.2):
/// what changes slowly over the grid is met by every part of the sample alike. Infinite for fewer
/// than two.
inline double block_deviation(std::vector<SampledBlock> sample) {
  const auto n = static_cast<double>(sample.size());
  if (n < 2) return std::numeric_limits<double>::infinity();
  std::ranges::sort(sample, {}, &SampledBlock::at);
  double sum = sample.front().value, squares = 0;
  for (std::size_t i = 1; i < sample.size(); ++i) {
    const double step = sample[i].value - sample[i - 1].value;
    sum += sample[i].value;
    squares += step * step;
  }
  return sum > 0 ? std::sqrt(squares / (2 * (n - 1))) / (sum / n) : 0;
}

/// Half the 95 % interval of the mean over the mean: Student's t, within 1 % from five blocks on.
inline double mean_error(std::vector<SampledBlock> sample) {
  const auto n = static_cast<double>(sample.size());
  return n < 2 ? std::numeric_limits<double>::infinity()
               : (1.96 + 2.8 / (n - 1)) * block_deviation(std::move(sample)) / std::sqrt(n);
}

/// A sequence in [0, 1) every beginning of which lies evenly: of places in a grid, in no step with
/// its rows.
inline double even_place(std::uint64_t k, double step = 0.6180339887498949) {
  const double place = 0.5 + static_cast<double>(k) * step;
  return place - std::floor(place);
}

}  // namespace gpx::vgpu
