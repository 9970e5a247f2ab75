// bandwidth: grids whose time is planted, with a launch that must not count.
#include <cmath>

#include "inference_samples.h"

using namespace gpx;
using namespace gpx::testing;

namespace {

/// Grids of blocks of 256 threads x 16 loads x 16 bytes; `time` of their bytes.
template <typename Time>
Findings found(int grids, const Time& time, double noise = 0) {
  using Role = Column::Role;
  Samples samples;
  samples.columns = {number_column("blocks", Role::axis),
                     number_column("repetition", Role::repetition),
                     number_column("time", Role::observed, Unit::second),
                     number_column("bytes", Role::observed, Unit::byte)};
  std::mt19937 random(1);
  std::normal_distribution<double> normal(0, noise);
  for (int grid = 1; grid <= grids; ++grid)
    for (double repetition = 0; repetition < 3; ++repetition) {
      const double bytes = 100.0 * grid * 256 * 16 * 16;
      add_cells(samples, {100.0 * grid, repetition, time(bytes) * (1 + normal(random)), bytes});
    }
  return Findings(statement("bandwidth", {{"x", "blocks"}, {"bytes", "bytes"}}, {}), samples,
                  device_of(13));
}

}  // namespace

TEST_CASE("the bandwidth is the slope, whatever a launch takes") {
  const auto linear = [](double bytes) { return 20e-6 + bytes / 300e9; };
  const Findings exact = found(8, linear);
  CHECK(exact.number("memory.bandwidth") == doctest::Approx(300e9));
  const Findings noisy = found(12, linear, 0.002);
  CHECK(noisy.measured("memory.bandwidth"));
  CHECK(noisy.holds("memory.bandwidth", 300e9));
}

TEST_CASE("few grids, noise, and a time that does not grow decide nothing") {
  const auto linear = [](double bytes) { return bytes / 300e9; };
  CHECK(found(3, linear)["memory.bandwidth"].verdict == Verdict::inconclusive);
  CHECK(found(8, linear, 0.3)["memory.bandwidth"].verdict == Verdict::inconclusive);
  CHECK(found(8, [](double) { return 1e-3; })["memory.bandwidth"].verdict == Verdict::inconclusive);
}
