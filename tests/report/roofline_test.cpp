#include "runtime/report/roofline.h"

#include <doctest/doctest.h>

#include "made_results.h"
#include "runtime/report/svg.h"

using namespace gpx;
using namespace gpx::report;

namespace {

Finding rate(const std::string& name, double value, const std::string& unit) {
  Finding finding;
  finding.name = name;
  finding.value = value;
  finding.low = 0.9 * value;
  finding.high = 1.1 * value;
  finding.unit = unit;
  finding.verdict = Verdict::measured;
  return finding;
}

/// 10 SMs at 1 GHz.
report::Run run_with(std::vector<Finding> findings, const std::string& device = "one") {
  ExperimentResult result = made::kepler();
  result.device.name = device;
  result.device.sm_count = 10;
  result.device.clock_hz = 1e9;
  result.findings = std::move(findings);
  report::Run run;
  run.name = "run";
  run.document.result = made::run_of(std::move(result));
  return run;
}

std::vector<report::Run> planted() {
  return {run_with({rate("bandwidth.l1", 100, "B/clk"), rate("bandwidth.dram_read", 2e11, "B/s")}),
          run_with({rate("op.fma.rn.f32.throughput", 64, "ops/clock"),
                    rate("op.add.f32.throughput", 64, "ops/clock"),
                    rate("op.fma.rn.f16x2.throughput", 64, "ops/clock"),
                    rate("op.add.f64.throughput", 2, "ops/clock"),
                    rate("op.add.u32.throughput", 99, "ops/clock")})};
}

}  // namespace

TEST_CASE("roofs_of_a_device: rates of an SM are the GPU's, and an fma is two operations") {
  const std::vector<Roofline> all = rooflines_of(planted());
  REQUIRE(all.size() == 1);
  REQUIRE(all[0].memory.size() == 2);
  CHECK(all[0].memory[0].name == "DRAM, read");
  CHECK(all[0].memory[0].value == 2e11);
  CHECK(all[0].memory[1].value == doctest::Approx(100 * 10 * 1e9));
  CHECK(all[0].memory[1].low == doctest::Approx(90 * 10 * 1e9));
  REQUIRE(all[0].compute.size() == 3);  // Integers are no type of it.
  CHECK(all[0].compute[0].name == "FP64");
  CHECK(all[0].compute[0].value == doctest::Approx(2 * 10 * 1e9));
  CHECK(all[0].compute[1].finding == "op.fma.rn.f32.throughput");
  CHECK(all[0].compute[1].value == doctest::Approx(2 * 64 * 10 * 1e9));
  CHECK(all[0].compute[2].value == doctest::Approx(4 * 64 * 10 * 1e9));
  const std::string text = roofline_text(all, {false, true, 160});
  CHECK(text.find("1.28 TFLOP/s") != std::string::npos);
  CHECK(text.find("  FP32             6.4         1.28\n") != std::string::npos);  // 1.28e12 / 2e11
  const std::string plot = roofline_plot(all, {false, true, 160});
  CHECK(plot.find("  sloped lines from the left: L1; ") != std::string::npos);
  CHECK(plot.find("  level lines from below: FP64; FP32; ") != std::string::npos);
}

TEST_CASE("roofs_of_a_characterization: peaks of the whole GPU are roofs as they are") {
  const std::vector<Roofline> all = rooflines_of({run_with(
      {rate("bandwidth.dram_read", 2e11, "B/s"), rate("peak.f32", 5e12, "FLOP/s"),
       rate("peak.mma.tf32", 4e13, "FLOP/s"), rate("op.fma.rn.f32.throughput", 64, "ops/clock")})});
  REQUIRE(all.size() == 1);
  REQUIRE(all[0].compute.size() == 2);
  CHECK(all[0].compute[0].name == "FP32");
  CHECK(all[0].compute[0].value == 5e12);
  CHECK(all[0].compute[0].finding == "peak.f32");
  CHECK(all[0].compute[1].name == "mma TF32");
}

TEST_CASE("no_roofline: one kind of rate is none, nor is a rate that was not measured") {
  std::vector<report::Run> runs = planted();
  CHECK(rooflines_of({runs[0]}).empty());
  CHECK(rooflines_of({runs[1]}).empty());
  CHECK(rooflines_of({runs[0], run_with({rate("op.add.f32.throughput", 64, "ops/clock")}, "two")})
            .empty());
  for (Finding& finding : runs[0].document.result.experiments[0].findings)
    finding.verdict = Verdict::inconclusive;
  CHECK(rooflines_of(runs).empty());
  runs = planted();
  for (report::Run& run : runs) run.document.result.experiments[0].device.clock_hz = 0;
  CHECK(rooflines_of(runs).empty());  // The operations of a clock are none of a second.
}

TEST_CASE("roofline_picture: a memory's line meets the peak where its bytes suffice") {
  const Picture picture = roofline_picture(rooflines_of(planted()));
  const std::vector<Curve>& curves = picture.figure.panels.at(0).curves;
  REQUIRE(curves.size() == 5);
  const Curve& dram = curves[0];
  REQUIRE(dram.x.size() == 3);
  CHECK(dram.y[0] == doctest::Approx(2e11 * dram.x[0]));
  CHECK(dram.x[1] == doctest::Approx(2.56e12 / 2e11));
  CHECK(dram.y.back() == doctest::Approx(2.56e12));
  CHECK(picture.note == "one (virtual): a model, not a measurement");
  CHECK(to_svg(picture).find("arithmetic intensity (FLOP/B)") != std::string::npos);
}

TEST_CASE("missing_roofs: a roof without a rate is a row with its reason") {
  Finding l2 = rate("bandwidth.l2", 0, "B/s"), half = rate("peak.f16", 0, "FLOP/s");
  l2.verdict = Verdict::inconclusive;
  l2.note = "nothing shows that L2 served the data";
  half.verdict = Verdict::not_observed;
  half.note = "no such operation";
  std::vector<report::Run> runs = planted();
  runs.push_back(run_with({l2, half}));
  const std::vector<Roofline> all = rooflines_of(runs);
  REQUIRE(all.size() == 1);
  std::vector<std::string> missing;
  for (const MissingRoof& one : all[0].missing) missing.push_back(one.name + ' ' + one.verdict);
  CHECK(missing == std::vector<std::string>{"L2 inconclusive", "shared memory not measured",
                                            "BF16 no such operations"});
  const std::string text = roofline_text(all, {false, true, 160});
  CHECK(text.find("nothing shows that L2 served the data") != std::string::npos);
  CHECK(text.find("they need compute capability 8.0; the device has 3.") != std::string::npos);
  CHECK(roofline_picture(all).figure.panels[0].curves.size() == 5);  // Nothing is drawn of them.
  for (report::Run& run : runs) run.document.result.experiments[0].device.sm_major = 9;
  CHECK(rooflines_of(runs)[0].missing.back().verdict == "not measured");
  CHECK(rooflines_of(runs)[0].missing.back().why == "gpx characterize --only pipelines");
}
