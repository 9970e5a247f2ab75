// The MWP/CWP model on its devices: catalogue rows HK1 to HK5 and HK8, and planted machines.
#include <fmt/format.h>

#include <random>

#include "tests/experiments/support.h"
#include "tests/left_out.h"
#include "tests/thorough.h"

namespace gpx::test {
namespace {

/// One experiment of a file, on the virtual device that it names, or on another.
ExperimentResult run_one(const std::string& file, const std::string& name,
                         const std::string& device = "") {
  const Source whole = experiment_source(file);
  const std::string text(whole.text());
  const std::size_t from = text.find("experiment " + name + " ");
  REQUIRE(from != std::string::npos);
  const std::size_t to = text.find("\n}\n", from);
  const Source source(whole.name(), text.substr(from, to + 3 - from));
  auto checked = parse(source).and_then([&](const Ast& ast) { return check(ast, source); });
  REQUIRE(checked.has_value());
  RunOptions options;
  options.device = device.empty() ? checked->front().device : device;
  Session session(source_paths());
  RunResult result = run(session, source, options);
  REQUIRE(result.experiments.size() == 1);
  for (const ExpectationResult& each : result.experiments[0].expectations)
    if (each.applies) CHECK_MESSAGE(each.pass, name << ": " << each.text << ": " << each.reason);
  return std::move(result.experiments[0]);
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  REQUIRE_MESSAGE(at != std::string::npos, what);
  return text.replace(at, what.size(), with);
}

unsigned from_environment(const char* name, unsigned otherwise) {
  const char* text = std::getenv(name);
  return text ? static_cast<unsigned>(std::atoi(text)) : otherwise;
}

}  // namespace

TEST_CASE("HK1: the worked example, 50728.2 cycles and 50738 as the paper rounds") {
  const ExperimentResult result = run_one("hk_example", "hk_example");
  CHECK(number(get(result, "model.cycles")) == doctest::Approx(50728.1875));
  CHECK(number(get(result, "model.cycles[rounding=printed]")) == 50738);
}

TEST_CASE("HK2 and HK3: Table 6 within 5 %, the error of the micro-benchmarks within 5.4 %" *
          doctest::test_suite(kSamples)) {
  GPX_NEEDS_NVRTC();
  struct Row {
    const char* device;
    double mem_ld, uncoal;
  };
  const Row rows[] = {
      {"fx5600", 420, 10}, {"gtx280", 450, 40}, {"8800gtx", 420, 10}, {"8800gt", 420, 10}};
  for (const Row& row : sampled(rows, 2)) {
    CAPTURE(row.device);
    const ExperimentResult result = run_one("hk_micro", std::string("hk_micro_") + row.device);
    CHECK(number(get(result, "model.mem_ld")) == doctest::Approx(row.mem_ld).epsilon(0.05));
    CHECK(number(get(result, "model.departure_uncoal")) ==
          doctest::Approx(row.uncoal).epsilon(0.05));
    CHECK(number(get(result, "model.departure_coal")) == doctest::Approx(4).epsilon(0.05));
    CHECK(number(get(result, "model.error.micro")) <= 0.054);
  }
}

TEST_CASE("HK2: machines with random parameters, of which the fit knows nothing" *
          doctest::test_suite(kSamples)) {
  GPX_NEEDS_NVRTC();
  std::ifstream file(GPX_SOURCE_DIR "/stdlib/devices/fx5600.lua");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  struct Corner {
    int mem_ld, uncoal, coal;
    const char* rule;
  };
  // The ends of the ranges, two and two, of which the suite takes one; GPX_HK_MACHINES=50 runs
  // fifty random ones beside them, GPX_HK_SEED other ones.
  const Corner corners[] = {{200, 80, 3, "\"cc1.3\""}, {900, 4, 16, "\"cc1.0\""}};
  const unsigned machines = from_environment("GPX_HK_MACHINES", sample_size(0u, 1u));
  const unsigned seed = from_environment("GPX_HK_SEED", 5);
  for (unsigned i = 0; i < machines + sampled(corners, 1).size(); ++i) {
    std::mt19937 random(i * 7919 + seed);
    const auto between = [&](int low, int high) {
      return std::uniform_int_distribution<int>(low, high)(random);
    };
    Corner made_of{between(200, 900), between(4, 80), between(3, 16),
                   between(0, 1) ? "\"cc1.0\"" : "\"cc1.3\""};
    if (i < std::size(corners)) made_of = corners[i];
    const auto [mem_ld, uncoal, coal, rule] = made_of;
    CAPTURE(i);
    CAPTURE(mem_ld);
    CAPTURE(uncoal);
    CAPTURE(coal);
    std::string made = replaced(text, "name = \"fx5600\"", "name = \"made\"");
    made = replaced(made, "\"420 clocks\"", fmt::format("\"{} clocks\"", mem_ld));
    made = replaced(made, "coalesced = { \"4 clocks\"",
                    fmt::format("coalesced = {{ \"{} clocks\"", coal));
    made = replaced(made, "uncoalesced = { \"10 clocks\"",
                    fmt::format("uncoalesced = {{ \"{} clocks\"", uncoal));
    made = replaced(made, "\"cc1.0\"", rule);
    const PlantedDevice device(made);
    const ExperimentResult result = run_one("hk_micro", "hk_micro_fx5600", device.path());
    CHECK(number(get(result, "model.mem_ld")) == doctest::Approx(mem_ld).epsilon(0.05));
    CHECK(number(get(result, "model.departure_uncoal")) == doctest::Approx(uncoal).epsilon(0.05));
    CHECK(number(get(result, "model.departure_coal")) == doctest::Approx(coal).epsilon(0.05));
  }
}

TEST_CASE("HK2: a delay that is the memory's bandwidth is not stated") {
  GPX_NEEDS_NVRTC();
  // A line in 6.4 clocks for all SMs together: 4 clocks of one SM's cannot be seen.
  const PlantedDevice device("fx5600", {{"bandwidth = { 76.8 / 1.35", "bandwidth = { 20"}});
  const ExperimentResult result = run_one("hk_micro", "hk_micro_fx5600", device.path());
  const Finding& coal = get(result, "model.departure_coal");
  CHECK(coal.verdict == Verdict::inconclusive);
  CHECK(coal.note.find("bandwidth") != std::string::npos);
  CHECK(number(get(result, "model.departure_uncoal")) == doctest::Approx(10).epsilon(0.05));
}

TEST_CASE("HK4: barriers cost what other blocks do not hide, not what Equation (26) says") {
  const ExperimentResult result = run_one("hk_synch", "hk_synch_fx5600");
  // Eight blocks of one warp, whose barriers stop nobody.
  CHECK(std::abs(number(get(result, "model.synch.measured[tile=4,resident=8]"))) < 0.01);
  CHECK(number(get(result, "model.synch.predicted[tile=4,resident=8]")) > 2);
  // One block of eight warps: nothing else goes on meanwhile.
  CHECK(number(get(result, "model.synch.measured[tile=16,resident=1]")) > 0.1);
  CHECK(number(get(result, "model.error.synch[barriers=without]")) <
        number(get(result, "model.error.synch[barriers=with]")) / 2);
}

TEST_CASE("HK4: six kernels, measured against predicted" * doctest::test_suite(kSamples)) {
  const char* const devices[] = {"fx5600", "gtx280"};
  for (const char* device : sampled(devices, 1)) {
    CAPTURE(device);
    const ExperimentResult result = run_one("hk_kernels", std::string("hk_kernels_") + device);
    CHECK(number(get(result, "model.error.kernels")) <= 0.133);
  }
}

TEST_CASE("HK5: SVM's versions differ by far more than their occupancy says") {
  const ExperimentResult result = run_one("hk_svm", "hk_svm");
  CHECK(number(get(result, "svm.speedup[version=constant]")) ==
        doctest::Approx(1.79).epsilon(0.15));
  CHECK(number(get(result, "svm.speedup[version=optimized]")) ==
        doctest::Approx(24.36).epsilon(0.15));
}

TEST_CASE("HK8: timelines of the seven cases take what Equations (1), (3) and (4) say") {
  for (const char* name : {"hk_cases_2", "hk_cases_8"}) {
    const ExperimentResult result = run_one("hk_cases", name);
    for (const Finding& finding : result.findings) {
      if (!finding.name.starts_with("model.case[")) continue;
      const std::string predicted = "model.case.predicted" + finding.name.substr(10);
      CHECK(number(finding) == doctest::Approx(number(get(result, predicted))).epsilon(0.01));
    }
  }
}

TEST_CASE("HK8: the timelines of Figs. 5 to 8, a line for each warp") {
  const ExperimentResult two = run_one("hk_cases", "hk_timeline_2");
  // Where MWP is 2 the third warp's load waits for the first one's.
  const auto drawn = [&](const ExperimentResult& result, std::size_t line) {
    REQUIRE(result.printed.size() > line);
    return result.printed[line];
  };
  CHECK(drawn(two, 1).starts_with("warp 0 |CCCCCMMMM"));
  CHECK(drawn(two, 3).starts_with("warp 2 |..........CCCCC....."));
  CHECK(two.printed.size() == 9 + 5 + 2 + 3);
  const ExperimentResult eight = run_one("hk_cases", "hk_timeline_8");
  // Where it is 8 no load waits.
  for (std::size_t warp = 0; warp < 8; ++warp)
    CHECK(drawn(eight, 1 + warp).find("CM") != std::string::npos);
}

}  // namespace gpx::test
