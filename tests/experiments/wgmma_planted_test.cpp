// What hopper_wgmma.gpx finds of planted tensor cores: the hopper's rows are changed, and latency,
// completion and throughput follow.
#include <fmt/format.h>

#include "tests/experiments/support.h"
#include "tests/left_out.h"

namespace gpx::test {
namespace {

constexpr const char* kText = R"(
experiment latency {
  sweep   op in [wgmma.m64n8k16.f32.f16.ss, wgmma.m64n8k16.f32.f16.rs, wgmma.m64n64k16.f32.f16.rs,
          wgmma.m64n64k16.f32.f16.rs.wait, wgmma.sp.m64n64k32.f32.f16.ss], count in [4, 6, 8, 12]
  threads 128
  < op x count chain >
  analyze wgmma(op = op, count = count)
}
experiment throughput {
  sweep   op in [wgmma.m64n64k16.f32.f16.ss, wgmma.m64n64k32.s32.s8.ss], contents in [zeros, random],
          count in [8, 12, 16, 24]
  threads 256
  blocks  2
  observe time
  < op x count chain data contents >
  derive  groups = blocks * threads / 128
  analyze wgmma(op = op, count = count, warpgroups = groups, data = contents)
}
)";

}  // namespace

TEST_CASE("planted tensor cores of warpgroups come back") {
  GPX_NEEDS_NVRTC();
  const PlantedDevice device("hopper", {{"column = \"0.5 clocks\"", "column = \"0.75 clocks\""},
                                        {"least = \"13 clocks\"", "least = \"17 clocks\""},
                                        {"shared_bandwidth = 128", "shared_bandwidth = 64"},
                                        {"latency = \"34 clocks\"", "latency = \"50 clocks\""}});
  const RunResult result = device.run(Source("wgmma.gpx", kText));
  const auto value = [&](std::size_t experiment, const char* name) {
    return number(get(result.experiments.at(experiment), name));
  };
  const auto near = [](double planted) { return doctest::Approx(planted).epsilon(0.02); };
  CHECK(value(0, "wgmma.latency[n=8,operands=ss]") == near(36));  // (64 + 8) * 32 B / 64
  CHECK(value(0, "wgmma.latency[n=8,operands=rs]") == near(17));
  CHECK(value(0, "wgmma.latency[n=64,operands=rs]") == near(48));
  CHECK(value(0, "wgmma.completion[n=64,operands=rs]") == near(98).epsilon(0.05));
  CHECK(value(0, "wgmma.sparse.latency[n=64,operands=ss]") == near(98));  // And two more.
  // The latencies of one product share larger divisors than the clock's step, which is 1.
  for (const char* name : {"wgmma.latency[n=8,operands=ss]", "wgmma.latency[n=64,operands=rs]"}) {
    const Finding& found = get(result.experiments.at(0), name);
    REQUIRE(found.low.has_value());
    CHECK(*found.high - *found.low < 0.02 * std::get<double>(found.value));
  }
  // Two SMs of 1.98 GHz, each with a product in 64 clocks.
  const double f16 = 2.0 * 64 * 64 * 16 * 2 / 64 * 1.98e9 / 1e12;
  CHECK(value(1, "wgmma.throughput[type=f16,data=zeros]") == near(f16));
  CHECK(value(1, "wgmma.throughput[type=f16,data=random]") == near(f16));
  CHECK(value(1, "wgmma.throughput[type=s8,data=random]") == near(2 * f16));
}

}  // namespace gpx::test
