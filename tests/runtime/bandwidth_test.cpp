// bandwidth: grids whose time is planted, with a launch that must not count.
#include <cmath>

#include "inference_samples.h"

using namespace gpx;
using namespace gpx::testing;

namespace {

/// A measure and its bytes a second; 200 MB of grid for each 100 blocks.
using Rates = std::vector<std::pair<std::string, double>>;

/// Grids of each measure; `clocks` is an axis that nobody names, of as many values.
Samples several(const Rates& rates, int clocks = 1) {
  using Role = Column::Role;
  Samples samples;
  samples.columns = {number_column("blocks", Role::axis),
                     number_column("clocks", Role::axis),
                     text_column("measure", Role::axis),
                     number_column("repetition", Role::repetition),
                     number_column("time", Role::observed, Unit::second),
                     number_column("bytes", Role::observed, Unit::byte)};
  for (const auto& [measure, rate] : rates)
    for (double grid = 1; grid <= 8; ++grid)
      for (int c = 0; c < clocks; ++c)
        add_cells(samples, {100 * grid, double(c), measure, 0.0, 1e-5 + 2e8 * grid / rate * (1 + c),
                            2e8 * grid});
  return samples;
}

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

TEST_CASE("each of several measures has its bandwidth, or the one that is named") {
  const Samples samples = several({{"read", 300e9}, {"write", 200e9}});
  const auto of = [&](const std::vector<std::pair<std::string, Value>>& values) {
    return Findings(statement("bandwidth", {{"x", "blocks"}, {"bytes", "bytes"}}, values), samples,
                    device_of(13));
  };
  const Findings both = of({});
  CHECK(both.number("memory.bandwidth[measure=read]") == doctest::Approx(300e9));
  CHECK(both.number("memory.bandwidth[measure=write]") == doctest::Approx(200e9));
  CHECK(of({{"measure", std::string("write")}}).number("memory.bandwidth") ==
        doctest::Approx(200e9));
  CHECK(refusal(statement("bandwidth", {{"x", "blocks"}, {"bytes", "bytes"}},
                          {{"measure", std::string("copy")}}),
                samples)
            .find("there is no measure 'copy'; there are: read, write") != std::string::npos);
}

TEST_CASE("an axis that bandwidth is not told of is refused, one value of it is not") {
  const Experiment plain = statement("bandwidth", {{"x", "blocks"}, {"bytes", "bytes"}});
  CHECK(refusal(plain, several({{"read", 300e9}}, 2))
            .find("the sweep also varies 'clocks': bandwidth takes blocks") != std::string::npos);
  CHECK(Findings(plain, several({{"read", 300e9}}), device_of(13)).number("memory.bandwidth") ==
        doctest::Approx(300e9));
}
