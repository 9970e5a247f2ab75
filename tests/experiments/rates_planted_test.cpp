// The rates of twin_rates.gpx against planted truth: limits of a hopper are changed one by one, and
// what the experiments find follows.
#include <fmt/format.h>

#include "tests/experiments/support.h"
#include "tests/left_out.h"

namespace gpx::test {
namespace {

ExperimentResult rates(const std::string& experiment, const Changes& changes) {
  const std::string text(experiment_source("twin_rates").text());
  const std::size_t begin = text.find("experiment " + experiment + " ");
  REQUIRE(begin != std::string::npos);
  const Source source("rates.gpx", text.substr(0, text.find("\nexperiment ") + 1) +
                                       text.substr(begin, text.find("\n}\n", begin) + 3 - begin));
  RunResult result =
      PlantedDevice("hopper", changes).run(source, {{"l2_blocks", "132"}, {"most_blocks", "1024"}});
  return std::move(result.experiments.front());
}

void check(const ExperimentResult& result, const std::string& name, double planted, double within) {
  CAPTURE(name);
  CHECK(number(get(result, name)) == doctest::Approx(planted).epsilon(within));
}

const std::string kLine = "uncoalesced = { \"1.013 clocks\"",
                  kOther = "coalesced = { \"1.013 clocks\", assumed";

}  // namespace

// Two loads of a warp: 64 lines of a sector, 32 of two, 16 of four.
TEST_CASE("planted clocks of a line and bytes that come back to an SM are told apart") {
  GPX_NEEDS_NVRTC();
  const ExperimentResult shipped = rates("twin_loads", {});
  check(shipped, "rate.lines_cg", 64 * 1.013, 0.04);
  check(shipped, "rate.pairs_ca", 32 * 1.013, 0.06);
  check(shipped, "rate.sectors_cg", 64 * 32 / 121.6, 0.08);
  const ExperimentResult slow = rates(
      "twin_loads",
      {{kLine, "uncoalesced = { \"2 clocks\""}, {kOther, "coalesced = { \"2 clocks\", assumed"}});
  check(slow, "rate.lines_ca", 64 * 2, 0.04);
  check(slow, "rate.sectors_cg", 16 * 2, 0.06);
  const ExperimentResult narrow = rates("twin_loads", {{"returned = { 121.6", "returned = { 32"}});
  for (const char* name : {"rate.lines_cg", "rate.pairs_cg", "rate.sectors_ca"})
    check(narrow, name, 64, 0.06);
}

TEST_CASE("a planted buffer of stores and its rate come back") {
  GPX_NEEDS_NVRTC();
  const ExperimentResult result = rates(
      "twin_stores", {{"queue = { 22", "queue = { 40"},
                      {"interval = { \"1 clock\", assumed = \"docs/results/hopper.md, HO5",
                       "interval = { \"2 clocks\", assumed = \"docs/results/hopper.md, HO5"}});
  // A request takes two clocks, and its line a third, of which only a part is stored.
  check(result, "rate.store_lines", 4 * 32 * 3, 0.04);
  check(result, "rate.store_lines.held", 40 / 4.0, 0.1);
}

TEST_CASE("planted barriers, blocks and launches come back") {
  GPX_NEEDS_NVRTC();
  const ExperimentResult barriers =
      rates("twin_barriers", {{"    latency = \"14 clocks\",\n    per_warp = \"2 clocks\"",
                               "    latency = \"20 clocks\",\n    per_warp = \"3 clocks\""}});
  check(barriers, "rate.row", 20, 0.01);
  check(barriers, "rate.row_of_16_warps", 20 + 15 * 3, 0.01);
  const ExperimentResult blocks =
      rates("twin_blocks", {{"overhead = { \"3.3 us\"", "overhead = { \"9 us\""},
                            {"interval = { \"1.2 clocks\"", "interval = { \"10 clocks\""}});
  check(blocks, "rate.empty", 1024 / 8 * 10 / 1.98e9, 0.02);
  check(blocks, "rate.empty.start", 9.2e-6, 0.02);
  const ExperimentResult starts =
      rates("twin_starts", {{"interval = { \"1.2 clocks\"", "interval = { \"3 clocks\""}});
  check(starts, "rate.starts", 1024 / 8 * 3 / 1.98e9, 0.02);
  // What a block itself takes is no part of the difference.
  const auto wave = [](const std::string& refill) {
    return number(get(rates("twin_waves", {{"interval = { \"1.2 clocks\"",
                                            refill + "interval = { \"0.5 clocks\""}}),
                      "rate.waves"));
  };
  CHECK(wave("refill = \"700 clocks\", ") - wave("") ==
        doctest::Approx(700 / 1.98e9).epsilon(0.02));
}

TEST_CASE("a planted bandwidth of L2's slices comes back from reads and writes") {
  GPX_NEEDS_NVRTC();
  const ExperimentResult result = rates("twin_l2", {{"bandwidth = { 47,", "bandwidth = { 20,"}});
  for (const char* name : {"bandwidth.l2_read", "bandwidth.l2_write", "bandwidth.l2_copy"})
    check(result, name, 80 * 20 * 1.98e9, 0.04);
}

}  // namespace gpx::test
