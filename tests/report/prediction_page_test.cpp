// The page of a prediction: made from planted numbers, and of a launch that was simulated.
#include <doctest/doctest.h>

#include "runtime/report/html/roofline.h"
#include "runtime/report/prediction.h"

using namespace gpx;

namespace {

Prediction planted() {
  Prediction p;
  p.entry = "k<float>";
  p.file = "a & b.cu";
  p.source = "// 1\n__global__ void k(float* o) {\n  o[0] = 1 < 2;\n}\n";
  p.device.name = "h200";
  p.device.clock_hz = 1e9;
  p.launch.blocks = 3, p.launch.threads = 64;
  p.seconds = 4e-6;
  p.bound = "stores that wait for room on their way to L2, 60 % of the time";
  Simulation s;
  s.device = "h200";
  s.machine_code = true;
  s.clocks = 3000, s.overhead = 1000;
  s.stack = {{"launch", 1000}, {"stores", 2400}, {"issue", 600}};
  s.code = {{"/*0000*/ STG.E [R2.64], R5", 3, 0.75, {{"stores", 0.75}}},
            {"/*0010*/ EXIT", 4, 0.25, {{"issue", 0.25}}}};
  s.counters = {
      {"smsp__inst_executed.sum", 6000}, {"lts__t_bytes.sum", 3000}, {"dram__bytes.sum", 0}};
  s.roofs = {4e9, 8e9, 2e9};
  p.simulation = s;
  p.changes = {{"all accesses coalesced", 2e-6}};
  return p;
}

bool has(const std::string& page, const std::string& text) {
  return page.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("the page of a prediction has its stack beside source and machine code") {
  const std::string page = report::prediction_html(planted());
  CHECK(has(page, "<title>k&lt;float&gt; on h200</title>"));
  CHECK(has(page, "<span class=\"badge virtual\">virtual</span>"));
  CHECK(has(page, "stores that wait for room"));
  CHECK(has(page, "<th>stores</th><td>2400</td><td>60.0 %</td>"));
  // Line 3 leads to its first instruction, and back.
  CHECK(has(page, "<a href=\"#code-3\">3</a>"));
  CHECK(has(page, "<tr id=\"code-3\"><td><a href=\"#line-3\">3</a>"));
  CHECK(has(page, "<code>  o[0] = 1 &lt; 2;</code><span class=\"waits\">stores 100 %</span>"));
  CHECK(has(page, "<th>all accesses coalesced</th><td>2 µs</td><td>-50.0 %</td>"));
  CHECK(has(page, "<code>lts__t_bytes.sum</code></th><td>3000</td>"));
  // 6000 instructions in 3 us of at most 4e9 a second; 1e9 B/s of 8e9.
  CHECK(has(page, "<th>instructions of warps</th>"));
  CHECK(has(page, "<td>50 %</td>"));
  CHECK_FALSE(has(page, "<th>DRAM</th>"));  // it hands nothing over
  CHECK_FALSE(has(page, "<script"));
  CHECK_FALSE(has(page, "1 < 2"));
}

TEST_CASE("a roofline puts a kernel at its instructions for each byte") {
  const report::html::InstructionRoofline one{4e9, 1e9, {{"L2", 8e9, 2.0}, {"DRAM", 2e9, 5.0}}};
  const std::string drawn = report::html::to_html(one);
  CHECK(has(drawn, "<path class=\"roof r1\""));
  CHECK(has(drawn, "<th>DRAM</th><td>200 MB/s</td><td>2 GB/s</td><td>10 %</td>"));
  CHECK(has(drawn, "<th>L2</th><td>500 MB/s</td><td>8 GB/s</td><td>6 %</td>"));
  CHECK_FALSE(has(report::html::to_html({4e9, 0, {}}), "<svg"));
}
