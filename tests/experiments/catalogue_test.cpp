// Every catalogue row that has an experiment, on the device that the papers used, through the same
// door as a user's run.
#include "tests/experiments/support.h"
#include "tests/left_out.h"
#include "tests/thorough.h"

namespace gpx::test {
namespace {

/// The experiments of a file on their own virtual devices.
RunResult run_file(const std::string& name) {
  Session session(source_paths());
  RunResult all;
  const Source source = read_source(GPX_SOURCE_DIR "/experiments/" + name);
  RunOptions options;
  // "auto" prefers a real GPU; these are claims about the virtual devices.
  auto checked = parse(source).and_then([&](const Ast& ast) { return check(ast, source); });
  REQUIRE(checked.has_value());
  options.device = checked->front().device;
  for (const Experiment& experiment : *checked) REQUIRE(!experiment.device.empty());
  const std::string text(source.text());
  const auto begin_of = [&](const Experiment& one) {
    return text.find("experiment " + one.name + " ");
  };
  for (const Experiment& experiment : *checked) {
    options.device = experiment.device;
    const std::size_t begin = begin_of(experiment), end = text.find("\n}\n", begin) + 3;
    RunResult result = run(session,
                           Source(source.name(), text.substr(0, begin_of(checked->front())) +
                                                     text.substr(begin, end - begin)),
                           options);
    REQUIRE(result.experiments.size() == 1);
    all.experiments.push_back(std::move(result.experiments[0]));
  }
  REQUIRE(all.experiments.size() == checked->size());
  return all;
}

void check_expectations(const RunResult& result) {
  for (const ExperimentResult& experiment : result.experiments)
    for (const ExpectationResult& expectation : experiment.expectations) {
      CHECK(expectation.applies);
      CHECK_MESSAGE(expectation.pass, experiment.experiment.name << ": " << expectation.text << ": "
                                                                 << expectation.reason);
    }
}

/// Every number of the paper within 3 %, every word and truth value as it is.
void check_paper(const ExperimentResult& result) {
  REQUIRE_FALSE(result.experiment.papers.empty());
  for (const PaperValue& paper : result.experiment.papers) {
    const Finding& finding = get(result, paper.finding);
    CAPTURE(finding.name);
    if (const auto* quantity = std::get_if<Quantity>(&paper.value)) {
      CHECK(number(finding) == doctest::Approx(quantity->value).epsilon(0.03));
    } else if (const auto* word = std::get_if<std::string>(&paper.value)) {
      CHECK(text(finding) == *word);
    } else {
      CHECK(std::get<bool>(finding.value) == std::get<bool>(paper.value));
    }
  }
}

/// Runs an experiment of the GT200: all its expectations hold and all the paper's numbers come
/// back.
ExperimentResult run_gt200(const std::string& name) {
  RunResult result = run_file(name + ".gpx");
  REQUIRE(result.experiments.size() == 1);
  check_expectations(result);
  check_paper(result.experiments[0]);
  return std::move(result.experiments[0]);
}

TEST_CASE("LA8 and LA9: the virtual K20 has a PRT of 42 to 43 warp loads") {
  const RunResult result = run_file("kepler_prt.gpx");
  check_expectations(result);
  const ExperimentResult& kepler = result.experiments.at(0);
  CHECK(kepler.samples.rows() == 5 * 512 * 3);
  CHECK(get(kepler, "outstanding.saturation[n=1]").verdict == Verdict::not_observed);
  CHECK(number(get(kepler, "outstanding.saturation[n=2]")) == 680);
  CHECK(number(get(kepler, "outstanding.saturation[n=3]")) == 454);
  CHECK(text(get(kepler, "outstanding.kind")) == "PRT");
  const Finding& entries = get(kepler, "outstanding.entries");
  CHECK(*entries.low >= 42);
  CHECK(*entries.high <= 45);
  CHECK(entries.paper.has_value());
  CHECK(number(get(kepler, "outstanding.max_requests")) == 1408);
  REQUIRE(kepler.claims.size() == 1);
  CHECK_FALSE(kepler.claims[0].supported);
  CHECK(kepler.artifacts.size() == 3);  // one kernel for each n
}

TEST_CASE("LA1 to LA7: the virtual M2070 has 128 MSHRs that merge 8 threads") {
  const RunResult result = run_file("fermi_mshr.gpx");
  check_expectations(result);
  const ExperimentResult& fermi = result.experiments.at(0);
  CHECK(number(get(fermi, "outstanding.saturation[n=1]")) == 128);
  CHECK(number(get(fermi, "outstanding.saturation[n=2]")) == 64);
  CHECK(number(get(fermi, "outstanding.saturation[merge=2,n=1]")) == 256);
  CHECK(number(get(fermi, "outstanding.saturation[merge=4,n=2]")) == 256);
  CHECK(number(get(fermi, "outstanding.saturation[merge=8,n=4]")) == 256);
  CHECK(get(fermi, "outstanding.saturation[merge=16,n=4]").verdict == Verdict::not_observed);
  CHECK(text(get(fermi, "outstanding.kind")) == "MSHR");
  CHECK(number(get(fermi, "outstanding.entries")) == 128);
  CHECK(number(get(fermi, "outstanding.merge")) >= 8);
  CHECK(number(get(fermi, "outstanding.max_requests")) == 128);
}

TEST_CASE("LA10: four loads a Fermi warp, three a Kepler warp") {
  const RunResult result = run_file("scoreboard_limit.gpx");
  check_expectations(result);
  REQUIRE(result.experiments.size() == 2);
  CHECK(number(get(result.experiments[0], "scoreboard.loads_per_warp")) == 4);
  CHECK(number(get(result.experiments[1], "scoreboard.loads_per_warp")) == 3);
}

TEST_CASE("LA11: L2 holds 768 KB on the M2070 and 1536 KB on the K20") {
  const RunResult result = run_file("l2_capacity.gpx");
  check_expectations(result);
  REQUIRE(result.experiments.size() == 2);
  CHECK(number(get(result.experiments[0], "l2.capacity")) ==
        doctest::Approx(768 * 1024).epsilon(0.1));
  CHECK(number(get(result.experiments[1], "l2.capacity")) ==
        doctest::Approx(1536 * 1024).epsilon(0.1));
}

TEST_CASE("WO1: a clock read takes 28 clocks, and the three SMs of a TPC share the clock") {
  const ExperimentResult result = run_gt200("gt200_clock");
  CHECK(text(get(result, "clock.domain")) == "TPC");
  CHECK(number(get(result, "clock.sms_per_domain")) == 3);
}

TEST_CASE("WO2: Table II, latency, throughput and issue rate of SP, SFU and DPU") {
  const ExperimentResult result = run_gt200("gt200_pipelines");
  CHECK(result.experiment.papers.size() == 9);
}

TEST_CASE("WO3: Table III, every row") {
  const ExperimentResult result = run_gt200("gt200_arithmetic");
  CHECK(result.experiment.papers.size() == 2 * 35);
  for (const ClaimResult& claim : result.claims) CHECK_MESSAGE(claim.supported, claim.sentence);
}

TEST_CASE("WO3: Table IV, every row") {
  const ExperimentResult result = run_gt200("gt200_intrinsics");
  CHECK(result.experiment.papers.size() == 2 * 24);
}

TEST_CASE("WO4: eight warps fill the SPs, six and seven do not") {
  const ExperimentResult result = run_gt200("gt200_warps");
  CHECK(number(get(result, "pipe.sp.warps_to_saturate")) == 8);
  REQUIRE(result.claims.size() == 1);
  CHECK_FALSE(result.claims[0].supported);  // six warps are not enough
}

TEST_CASE("WO5 and WO6: paths run one after another, the taken one first, whatever the lane") {
  const ExperimentResult result = run_gt200("gt200_divergence");
  CHECK(text(get(result, "divergence.order")) == "31..0");
  CHECK(text(get(result, "divergence.order[measure=decreasing]")) == "0..31");
}

TEST_CASE("WO7, WO9, WO10 and WO11: Listings 4 to 7") {
  const ExperimentResult result = run_gt200("gt200_listings");
  CHECK(text(get(result, "simt.listing4")) == "deadlock");
  CHECK(text(get(result, "barrier.granularity")) == "warp");
  CHECK(text(get(result, "barrier.listing6")) == "deadlock");
  CHECK(text(get(result, "barrier.listing7")) == "2-3 1-4");
}

TEST_CASE("WO8: a barrier of one warp takes 20 clocks") {
  const ExperimentResult result = run_gt200("gt200_barrier");
  CHECK(get(result, "barrier.latency[warps=16]").verdict == Verdict::measured);
}

TEST_CASE("WO12: 16384 registers, blocks in steps of 64 threads") {
  const ExperimentResult result = run_gt200("gt200_registers");
  CHECK(number(get(result, "regfile.registers")) == 16384);
  CHECK(number(get(result, "regfile.thread_quantum")) == 64);
  CHECK(number(get(result, "regfile.max_threads[registers=88]")) == 128);
}

TEST_CASE("the same seed gives the same samples, another seed others") {
  const Source source("line",
                      "sweep threads 2..256 step 2 device k20 repeat 2 < load unique(128B) x2 >");
  RunOptions options;
  options.device = "k20";
  Session one(source_paths()), two(source_paths());
  const auto first = run(one, source, options).experiments.at(0);
  const auto again = run(two, source, options).experiments.at(0);
  options.seed = 2;
  const auto other = run(two, source, options).experiments.at(0);
  CHECK(to_csv(first.samples) == to_csv(again.samples));
  CHECK(to_csv(first.samples) != to_csv(other.samples));
  CHECK(first.values_digest == other.values_digest);
}

TEST_CASE("WO19: the L3 constant cache hands over 9.75 B a clock, 1.2 to an SM") {
  run_gt200("gt200_constant_bandwidth");
}

TEST_CASE("WO20 and WO21: who shares the constant caches") {
  run_gt200("gt200_constant_sharing");
}

TEST_CASE("WO23: a warp fetches 64 B of code at once") {
  run_gt200("gt200_instruction_fetch");
}

TEST_CASE("WO22: the instruction caches, the first of them seen beside others alone") {
  GPX_NEEDS_NVRTC();
  run_gt200("gt200_instruction_cache");
}

TEST_CASE("WO13, WO14, WO16, WO17, WO24: latencies of shared and global memory, TLBs of the GT200" *
          doctest::test_suite(kSamples)) {
  const ExperimentResult result = run_gt200("gt200_latency");
  CHECK(number(get(result, "global.latency.spread")) == doctest::Approx(7).epsilon(0.1));
  run_gt200("gt200_texture_tlb");
  if (thorough()) run_gt200("gt200_tlb");
}

// In the suite all but the longest: planted TLBs come back in memory_planted_test.cpp.
TEST_CASE("ME1, ME2, ME5, ME7, ME8: banks, the window of page tables, TLBs of Fermi and Kepler" *
          doctest::test_suite(kSamples)) {
  const char* const files[] = {"shared_banks.gpx", "kepler_banks.gpx", "page_window.gpx",
                               "kepler_tlb.gpx", "fermi_tlb.gpx"};
  for (const char* file : sampled(files, 3)) {
    CAPTURE(file);
    const RunResult result = run_file(file);
    check_expectations(result);
    for (const ExperimentResult& experiment : result.experiments) {
      check_paper(experiment);
      if (!find(experiment, "tlb.l2.set_sizes")) continue;
      CHECK(std::get<std::vector<double>>(get(experiment, "tlb.l2.set_sizes").value) ==
            std::vector<double>{17, 8, 8, 8, 8, 8, 8});
    }
  }
}

TEST_CASE("ME4: six patterns of access, with and without L1") {
  const RunResult result = run_file("global_patterns.gpx");
  check_expectations(result);
  REQUIRE(result.experiments.size() == 3);
  for (const ExperimentResult& experiment : result.experiments) check_paper(experiment);
  CHECK(number(get(result.experiments[2], "global.pattern[6]")) ==
        doctest::Approx(1000).epsilon(0.005));
}

// In the suite all but the longest: the planted L2 of eviction_test.cpp comes back there.
TEST_CASE("WO15, WO18, WO25, ME3, ME6, ME9, ME10: caches are inferred from chases alone" *
          doctest::test_suite(kSamples)) {
  std::map<std::string, ExperimentResult> results;
  const char* const files[] = {"fig4_cache.gpx", "gt200_texture.gpx", "gt200_constant.gpx",
                               "fermi_l1.gpx",   "texture_l1.gpx",    "l2_cache.gpx"};
  for (const char* file : sampled(files, 5)) {
    CAPTURE(file);
    RunResult result = run_file(file);
    check_expectations(result);
    for (ExperimentResult& experiment : result.experiments) {
      check_paper(experiment);
      results.emplace(experiment.experiment.name, std::move(experiment));
    }
  }
  for (const char* name : {"texture_l1_gtx560ti", "texture_l1_gtx780"})
    CHECK(std::get<std::vector<double>>(get(results.at(name), "tex.l1.set_bits").value) ==
          std::vector<double>{7, 8});
  const auto shares =
      std::get<std::vector<double>>(get(results.at("fermi_l1"), "l1.way_probability").value);
  REQUIRE(shares.size() == 4);
  CHECK(shares[0] == doctest::Approx(0.5).epsilon(0.06));
  for (std::size_t way = 1; way < 4; ++way)
    CHECK(shares[way] == doctest::Approx(1.0 / 6).epsilon(0.12));
}

}  // namespace
}  // namespace gpx::test
