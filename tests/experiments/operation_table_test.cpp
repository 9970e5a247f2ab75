// The table of operations on devices whose costs are planted: runtime/operation_table.h.
#include "runtime/operation_table.h"

#include "tests/experiments/support.h"
#include "tests/left_out.h"

namespace gpx::test {
namespace {

OperationTable table_of(const std::string& device, const std::vector<std::string>& only) {
  OperationTableOptions options;
  options.device = device;
  options.only = only;
  auto table = measure_operations(source_paths(), options);
  if (!table) FAIL(render(table.error()));
  return std::move(*table);
}

double value(const std::optional<Finding>& finding) {
  REQUIRE(finding.has_value());
  CHECK(finding->verdict == Verdict::measured);
  return std::get<double>(finding->value);
}

TEST_CASE("every row has its planted latency and throughput, or why not") {
  const OperationTable table =
      table_of("gtx780", {"fma.rn.f32", "add.f64", "redux.add.u32", "add.u32"});
  REQUIRE(table.lines.size() == 4);  // In the table's order.
  CHECK(table.lines[0].name == "add.u32");
  CHECK(value(table.lines[0].latency) == doctest::Approx(9).epsilon(0.01));
  CHECK(table.lines[1].name == "fma.rn.f32");
  CHECK(table.lines[1].rounding == "rn");
  CHECK(table.lines[1].sources == "a b c");
  CHECK(table.lines[1].proof == "verified");
  CHECK(value(table.lines[1].latency) == doctest::Approx(9).epsilon(0.01));
  CHECK(value(table.lines[2].latency) == doctest::Approx(10).epsilon(0.01));
  // A warp every four clocks.
  CHECK(value(table.lines[2].throughput) == doctest::Approx(8).epsilon(0.02));
  CHECK(table.lines[3].refused == "needs compute capability 8.0: this device has 3.5");
  CHECK_FALSE(table.lines[3].latency.has_value());
}

TEST_CASE("a row that the device cannot execute loses no other") {
  GPX_NEEDS_NVRTC();
  const PlantedDevice device(
      "gtx780", {{"compute_capability = { \"3.5\"", "compute_capability = { \"9.0\""}});
  const OperationTable table = table_of(
      device.path(), {"redux.add.u32", "shfl.bfly.b32", "mma.m16n8k16.f16", "mma.m8n8k4.f64"});
  REQUIRE(table.lines.size() == 4);
  CHECK(value(table.lines[0].latency) > 0);
  CHECK(value(table.lines[1].latency) > 0);
  for (std::size_t i : {2, 3}) {
    CAPTURE(table.lines[i].refused);
    CHECK(table.lines[i].refused.find("needs the unit tensor") != std::string::npos);
  }
}

TEST_CASE("a word stands for the names that begin with it") {
  const OperationTable table = table_of("gtx780", {"neg"});
  std::vector<std::string> names;
  for (const OperationLine& line : table.lines) names.push_back(line.name);
  CHECK(names == std::vector<std::string>{"neg.s32", "neg.f32", "neg.f64", "neg.f16x2"});
}

TEST_CASE("a word that no row has is an error") {
  OperationTableOptions options;
  options.only = {"fma.rn.f33"};
  const auto table = measure_operations(source_paths(), options);
  REQUIRE_FALSE(table.has_value());
  CHECK(render(table.error()).find("did you mean 'fma.rn.f32'?") != std::string::npos);
}

}  // namespace
}  // namespace gpx::test
