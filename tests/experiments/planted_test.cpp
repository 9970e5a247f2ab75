// Planted truth: devices with random limits that the analysis has never seen. What it states must
// be right on every one of them; what it cannot see it must not state.
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <random>

#include "tests/experiments/support.h"
#include "tests/thorough.h"

namespace gpx::test {
namespace {

enum class Limit { mshr, prt, none };

struct Planted {
  Limit limit = Limit::none;
  int entries = 0;
  int merges = 1;
  int loads_per_warp = 0;  // 0: no limit
  int l2_latency = 0;
  int pipelines = 1;
  double clocks_per_lane = 0;
  int jitter = 0;
  double outliers = 0;
};

/// Random devices. Issue is made fast enough for the limit to be reached before the first load
/// returns, except for every eighth device, whose limit may stay out of sight.
Planted plant(unsigned number) {
  std::mt19937 random(number * 7919 + 11);
  auto between = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  Planted device;
  device.limit = static_cast<Limit>(number % 3);
  if (number % 16 == 15) device.limit = Limit::none;
  device.l2_latency = between(180, 700);
  device.pipelines = between(3, 16);
  device.jitter = between(0, 6);
  device.outliers = between(0, 2) * 1e-6;
  const int merges[] = {1, 2, 4, 8, 16, 32};
  double loads = 64;  // warp loads in flight at the limit
  if (device.limit == Limit::mshr) {
    device.entries = between(16, 512);
    device.merges = merges[between(0, 5)];
    loads = device.entries / 32.0 * std::min(device.merges, 8) + 8;
  } else if (device.limit == Limit::prt) {
    device.entries = between(8, 256);
    loads = device.entries;
  }
  const bool visible = number % 8 != 7;
  const double budget = device.l2_latency * (visible ? 0.5 : 3.0) * device.pipelines / loads;
  device.clocks_per_lane = std::min(2.0, budget / 40);
  device.loads_per_warp = between(0, 3) == 0 ? 0 : between(10, 16);
  return device;
}

std::string text_of(const Planted& device) {
  std::string limit;
  if (device.limit == Limit::mshr)
    limit = fmt::format("mshr = {{ entries = {}, merges = {} }},", device.entries, device.merges);
  if (device.limit == Limit::prt) limit = fmt::format("prt = {{ entries = {} }},", device.entries);
  if (device.loads_per_warp > 0)
    limit += fmt::format(" scoreboard = {{ loads_per_warp = {} }},", device.loads_per_warp);
  return fmt::format(R"(return {{
  name = "planted", clock = "1 GHz", compute_capability = "3.5", memory = "4 GB",
  sm = {{ count = 4, warp_slots = 64, block_slots = 16, max_threads_per_block = 1024,
         schedulers = 4, shared = "48 KB" }},
  op = {{
    alu = {{ latency = "8 clocks", interval = "0.25 clocks" }},
    fp64 = {{ latency = "10 clocks", interval = "1 clock" }},
    sfu = {{ latency = "18 clocks", interval = "1 clock" }},
    warp = {{ latency = "20 clocks", interval = "1 clock" }},
    branch = {{ latency = "10 clocks", interval = "1 clock" }},
  }},
  coalescer = {{ line = "128 B" }},
  lsu = {{ pipelines = {}, clocks_per_load = 2, clocks_per_lane = {:.4f}, writeback_per_lane = 0.1 }},
  {}
  l2 = {{ capacity = "4 MB", line = "128 B", ways = 16, latency = "{} clocks" }},
  dram = {{ latency = "{} clocks", departure = "1 clock" }},
  shared = {{ latency = "30 clocks" }}, constant = {{ latency = "30 clocks" }},
  barrier = {{ latency = "12 clocks" }}, clock_register = {{ cost = "8 clocks" }},
  noise = {{ jitter = "{} clocks", outlier_probability = {:.7f}, outlier = "80 clocks" }},
}}
)",
                     device.pipelines, device.clocks_per_lane, limit, device.l2_latency,
                     device.l2_latency + 250, device.jitter, device.outliers);
}

constexpr const char* kExperiment = R"(param every = 4
experiment planted {
  sweep   zip(merge in [1, 1, 1, 2, 4, 8, 2, 1], n in [1, 2, 4, 1, 2, 4, 8, 9]), threads every..1024 step every
  repeat  3 reduce harmonic_mean
  < load merge(merge, 128B) x n >
  analyze outstanding(x = threads, loads = n, merge = merge)
}
)";

struct Outcome {
  bool recovered = false;
  std::string wrong;  ///< A confident statement that is not true; empty if there is none.
};

bool inside(const Finding& finding, double value) {
  return (!finding.low || *finding.low <= value) && (!finding.high || value <= *finding.high);
}

Outcome judge(const Planted& device, const ExperimentResult& result) {
  Outcome outcome;
  const Finding& kind = get(result, "outstanding.kind");
  if (kind.verdict != Verdict::measured) {
    outcome.recovered = device.limit == Limit::none && kind.verdict == Verdict::not_observed;
    return outcome;
  }
  const std::string truth = device.limit == Limit::mshr  ? "MSHR"
                            : device.limit == Limit::prt ? "PRT"
                                                         : "none";
  if (text(kind) != truth) outcome.wrong = "kind is " + truth + ", stated " + text(kind);
  const Finding& entries = get(result, "outstanding.entries");
  const bool measured = entries.verdict == Verdict::measured;
  if (outcome.wrong.empty() && measured && !inside(entries, device.entries))
    outcome.wrong = fmt::format("{} entries, stated {}..{}", device.entries, *entries.low,
                                entries.high.value_or(INFINITY));
  const Finding* merge = find(result, "outstanding.merge");
  if (outcome.wrong.empty() && merge && merge->verdict == Verdict::measured &&
      *merge->low > device.merges)
    outcome.wrong = fmt::format("merges {}, stated at least {}", device.merges, *merge->low);
  outcome.recovered = outcome.wrong.empty() && measured;
  return outcome;
}

/// Measures planted devices with one experiment, from files of a folder that goes away.
class Planter {
 public:
  Planter()
      : folder_(std::filesystem::temp_directory_path() / fmt::format("gpx-planted-{}", getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~Planter() { std::filesystem::remove_all(folder_); }

  ExperimentResult measure(const Planted& device, unsigned number, const char* step = "4") {
    const std::string path = (folder_ / fmt::format("planted{}.lua", number)).string();
    std::ofstream(path) << text_of(device);
    RunOptions options;
    options.device = path;
    options.seed = number;
    options.settings = {{"every", step}};
    RunResult result = run(session_, source_, options);
    return std::move(result.experiments.at(0));
  }

 private:
  std::filesystem::path folder_;
  Session session_ = Session(source_paths());
  Source source_ = Source("planted.gpx", kExperiment);
};

TEST_CASE("random limits are recovered, and nothing is stated that is not so" *
          doctest::test_suite(kSamples)) {
  const unsigned kDevices = sample_size(9u, 84u);
  const unsigned kRecovered = sample_size(6u, 66u);
  Planter planter;
  unsigned recovered = 0;
  for (unsigned number = 0; number < kDevices; ++number) {
    const Planted device = plant(number);
    const ExperimentResult result = planter.measure(device, number);
    const Outcome outcome = judge(device, result);
    recovered += outcome.recovered;
    CHECK_MESSAGE(outcome.wrong.empty(), "device " << number << ": " << outcome.wrong << "\n"
                                                   << text_of(device));
    const Finding& kind = get(result, "outstanding.kind");
    if (!outcome.recovered)
      MESSAGE("device " << number << " not recovered: "
                        << (device.limit == Limit::mshr  ? "MSHR "
                            : device.limit == Limit::prt ? "PRT "
                                                         : "none ")
                        << device.entries << " merges " << device.merges << ", "
                        << to_string(kind.verdict) << ": " << kind.note);
  }
  MESSAGE(recovered << " of " << kDevices << " planted devices recovered");
  CHECK(recovered >= kRecovered);
}

// Later steps of the staircase are all that is left of it: 480 entries, where there are 30.
TEST_CASE("a sweep that is too coarse for the limit states nothing wrong") {
  Planter planter;
  const Planted devices[] = {{Limit::mshr, 30, 2, 0, 584, 13, 2.0, 0, 0},
                             {Limit::mshr, 30, 8, 16, 672, 7, 2.0, 3, 0},
                             {Limit::mshr, 20, 16, 0, 244, 7, 1.64, 2, 0},
                             {Limit::prt, 9, 1, 0, 400, 12, 0.3, 2, 0}};
  for (const char* step : {"8", "16", "32"})
    for (const Planted& device : devices) {
      const Outcome outcome = judge(device, planter.measure(device, 1, step));
      CHECK_MESSAGE(outcome.wrong.empty(), "step " << step << ": " << outcome.wrong);
    }
}

}  // namespace
}  // namespace gpx::test
