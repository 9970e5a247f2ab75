// Comparisons of boards whose truth is planted.
#include "runtime/fleet/compare.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "made_boards.h"

using namespace gpx;
using namespace gpx::fleet;

namespace {

/// Runs of boards with one experiment, made by hand.
class Made {
 public:
  Made& run(const std::string& serial, std::vector<Finding> findings, const std::string& ir = "") {
    REQUIRE(gathering_.begin({"made", ++number_, {}}, nullptr));
    ExperimentResult result;
    result.experiment.name = "made";
    result.ir = ir;
    result.device.name = "GPU";
    result.device.measured = true;
    result.device.uuid = serial;
    result.device.sm_count = 132;
    result.findings = std::move(findings);
    REQUIRE(gathering_.add(result));
    return *this;
  }
  Fleet take() { return gathering_.take(); }

 private:
  Gathering gathering_;
  std::int64_t number_ = 0;
};

Finding number(const std::string& name, double value, const std::string& unit) {
  Finding finding;
  finding.name = name;
  finding.value = value;
  finding.unit = unit;
  finding.verdict = Verdict::measured;
  return finding;
}

Finding word(const std::string& name, const std::string& value) {
  Finding finding;
  finding.name = name;
  finding.value = value;
  finding.verdict = Verdict::measured;
  return finding;
}

const Judged& judged(const Fleet& fleet, const std::vector<Likeness>& all,
                     const std::string& serial, const std::string& name) {
  for (const Likeness& likeness : all)
    if (fleet.boards[likeness.board].serial == serial)
      for (const Judged& each : likeness.judged)
        if (fleet.findings[each.finding].name == name) return each;
  FAIL("no such finding: " << name);
  static const Judged none;
  return none;
}

}  // namespace

TEST_CASE("a latency that is 3 % longer is slower, a rate that is 3 % higher faster") {
  Made made;
  for (const char* serial : {"a", "b", "c"})
    for (int run = 0; run < 3; ++run) {
      const double factor = serial[0] == 'c' ? 1.03 : 1;
      made.run(serial, {number("tlb.miss.latency", 380 * factor, "clocks"),
                        number("op.x.throughput", 64 * factor, "ops/clock")});
    }
  const Fleet fleet = made.take();
  const auto all = compare(fleet, {});
  const Judged& latency = judged(fleet, all, "c", "tlb.miss.latency");
  CHECK(standing_word(fleet.findings[latency.finding], latency.standing) == "slower");
  CHECK(latency.ratio == doctest::Approx(1.03));
  const Judged& rate = judged(fleet, all, "c", "op.x.throughput");
  CHECK(standing_word(fleet.findings[rate.finding], rate.standing) == "faster");
  CHECK(judged(fleet, all, "a", "tlb.miss.latency").standing == Standing::same);
}

TEST_CASE("what is missing or zero never counts as alike") {
  Made made;
  made.run("a", {number("op.x.throughput", 64, "ops/clock"), word("l1.policy", "LRU")});
  made.run("b", {number("op.x.throughput", 64, "ops/clock"), word("l1.policy", "LRU")});
  made.run("c", {number("op.x.throughput", 0, "ops/clock")});
  const Fleet fleet = made.take();
  const auto all = compare(fleet, {});
  CHECK(judged(fleet, all, "c", "op.x.throughput").standing == Standing::missing);
  CHECK(judged(fleet, all, "c", "op.x.throughput").why == "zero is no measurement");
  CHECK(judged(fleet, all, "c", "l1.policy").standing == Standing::missing);
  CHECK(all[2].stands_out());
  CHECK_FALSE(all[0].stands_out());
}

TEST_CASE("zero on every board is missing on every board") {
  Made made;
  for (const char* serial : {"a", "b"}) made.run(serial, {number("gemm", 0, "TFLOPS")});
  const auto all = compare(made.take(), {});
  CHECK(all[0].stands_out());
  CHECK(all[1].stands_out());
}

TEST_CASE("a structure that one run finds is ambiguous, and one that runs repeat is different") {
  for (const int runs : {1, 2}) {
    Made made;
    for (const char* serial : {"a", "b", "c"})
      for (int run = 0; run < runs; ++run) {
        std::vector<Finding> findings = {word("l1.policy", serial[0] == 'c' ? "FIFO" : "LRU"),
                                         number("l1.ways", serial[0] == 'c' ? 3 : 4, "")};
        for (int other = 0; other < 40; ++other)  // One run errs among so many.
          findings.push_back(word("word" + std::to_string(other), "LRU"));
        made.run(serial, std::move(findings));
      }
    const Fleet fleet = made.take();
    const auto all = compare(fleet, {});
    const Judged& policy = judged(fleet, all, "c", "l1.policy");
    CHECK(policy.standing == (runs == 1 ? Standing::ambiguous : Standing::structure));
    if (runs == 1) CHECK(policy.why == "2 runs of each board that agree would decide");
    CHECK(judged(fleet, all, "c", "l1.ways").standing == policy.standing);
    CHECK(judged(fleet, all, "a", "l1.policy").standing == Standing::same);
  }
}

TEST_CASE("values that several boards share are no difference") {
  Made made;
  for (int board = 0; board < 8; ++board)
    for (int run = 0; run < 2; ++run)
      made.run("GPU-" + std::to_string(board),
               {word("const.l2.scope", board < 3 ? "12 SMs" : "16 SMs")});
  for (const Likeness& each : compare(made.take(), {})) CHECK_FALSE(each.stands_out());
}

TEST_CASE("a number that scatters more than the margin is ambiguous with its repetitions") {
  Made made;
  for (const double value : {90.0, 94.0})
    made.run("a", {number("op.x.throughput", value, "ops/clock")});
  for (const double value : {91.0, 96.0})
    made.run("b", {number("op.x.throughput", value, "ops/clock")});
  const Fleet fleet = made.take();
  const auto all = compare(fleet, {});
  const Judged& each = judged(fleet, all, "a", "op.x.throughput");
  CHECK(each.standing == Standing::ambiguous);
  CHECK(each.why.find("repetitions of each board would decide") != std::string::npos);
}

TEST_CASE("findings of another text of the experiment are not compared") {
  Made made;
  made.run("a", {number("l1.latency", 32, "clocks")}, "x");
  made.run("b", {number("l1.latency", 32, "clocks")}, "x");
  made.run("c", {number("l1.latency", 40, "clocks")}, "y");
  const Fleet fleet = made.take();
  const auto all = compare(fleet, {});
  CHECK(judged(fleet, all, "c", "l1.latency").standing == Standing::ambiguous);
  CHECK(judged(fleet, all, "c", "l1.latency").why == "measured by another text of the experiment");
}

TEST_CASE("a board with fewer SMs differs for certain") {
  Made made;
  for (const char* serial : {"a", "b", "c"}) made.run(serial, {number("l1.latency", 32, "clocks")});
  Fleet fleet = made.take();
  for (Reading& reading : fleet.boards[2].readings)
    if (fleet.findings[reading.finding].name == "device.sm_count") reading.value = 124;
  const auto all = compare(fleet, {});
  CHECK(judged(fleet, all, "c", "device.sm_count").standing == Standing::structure);
  REQUIRE_FALSE(all[2].causes.empty());
  CHECK(all[2].causes.front().name == "a disabled GPC or TPC (number of SMs)");
}

TEST_CASE("equal made boards give no alarm, planted differences are found with their causes") {
  const test::BoardModel model(GPX_SOURCE_DIR);
  constexpr int kRuns = 3, kPeers = 1;
  constexpr std::uint64_t kSeed = 11;
  MESSAGE("seed " << kSeed);
  CHECK(test::pair_rates(model, test::Plant::nothing, 12, kRuns, kPeers, kSeed).alarms <= 1);
  const test::PairRates found =
      test::pair_rates(model, test::Plant::finding, 12, kRuns, kPeers, kSeed);
  CHECK(found.found >= 10);
  for (const test::Plant plant :
       {test::Plant::sm_clock, test::Plant::memory_clock, test::Plant::walks, test::Plant::sms,
        test::Plant::power_cap, test::Plant::tenant}) {
    const test::PairRates rates = test::pair_rates(model, plant, 2, kRuns, kPeers, kSeed);
    CAPTURE(static_cast<int>(plant));
    CHECK(rates.found == 2);
    CHECK(rates.cause == 2);
  }
}
