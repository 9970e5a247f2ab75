// reach on curves: plateaus of any width come back wherever they lie between the sizes that are
// asked about, and what only rises is none.
#include <cmath>
#include <functional>

#include "inference_samples.h"
#include "runtime/analysis/probe/chase.h"
#include "runtime/analysis/prober.h"

using namespace gpx;
using namespace gpx::testing;

namespace {

constexpr double kLine = 128, kMB = 1 << 20;

/// What a load of a list of so many MB takes on average.
using Curve = std::function<double(double)>;

class CurveProber final : public Prober {
 public:
  explicit CurveProber(Curve curve) : curve_(std::move(curve)) {}
  Result<std::vector<double>> ask(const ProbeRequest& request) override {
    const auto& chase = dynamic_cast<const ChaseRequest&>(request);
    const double clocks = curve_(static_cast<double>(chase.offsets.size()) * kLine / kMB);
    return std::vector<double>(chase.average ? 1 : chase.accesses(), clocks);
  }
  std::uint64_t most_bytes(Space) const override { return 1ull << 30; }

 private:
  Curve curve_;
};

std::vector<Finding> levels_of(const Curve& curve) {
  CurveProber prober(curve);
  DeviceInfo device = device_of(1);
  device.memory_bytes = 1ull << 30;
  const auto asked = statement("reach", {}, {{"most", Quantity{3 * kMB, Unit::byte}}});
  auto result = analyze(asked, Samples{}, device, {GPX_SOURCE_DIR "/stdlib", ""}, nullptr, &prober);
  if (!result) FAIL(render(result.error()));
  return result->findings;
}

/// The latency of each level that was found.
std::vector<double> latencies_of(const Curve& curve) {
  std::vector<double> all;
  for (const Finding& finding : levels_of(curve))
    if (finding.name.ends_with(".latency") && finding.verdict == Verdict::measured)
      all.push_back(std::get<double>(finding.value));
  return all;
}

/// The share of sets that are overfull, where they overflow about `middle`.
double overfull(double size, double middle) {
  return 0.5 * std::erfc((middle - size) / middle / 0.08 / std::sqrt(2.0));
}

}  // namespace

TEST_CASE("a plateau of a quarter's width comes back wherever it lies between sizes") {
  for (int step = 0; step < 8; ++step) {
    const double shift = std::exp2(step / 32.0);  // sizes are 2^(1/4) apart
    CAPTURE(shift);
    const std::vector<double> found = latencies_of([shift](double size) {
      return 278 + 246 * overfull(size, 0.9 * shift) + 180 * overfull(size, 1.85 * shift);
    });
    REQUIRE(found.size() >= 2);
    CHECK(found[0] == doctest::Approx(278).epsilon(0.002));
    CHECK(found[1] == doctest::Approx(524).epsilon(0.003));
  }
}

TEST_CASE("what rises between two plateaus is none, however slowly it does") {
  for (const double width : {0.1, 0.3, 1.0}) {
    CAPTURE(width);
    const std::vector<double> found = latencies_of(
        [width](double size) { return 280 + 360 / (1 + std::exp(-std::log(size / 0.2) / width)); });
    for (const double latency : found) {
      const bool on_the_way = latency > 280 * 1.03 && latency < 640 * 0.97;
      CHECK_FALSE(on_the_way);
    }
  }
}
