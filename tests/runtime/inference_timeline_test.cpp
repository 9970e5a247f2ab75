// clock and divergence on planted timelines: shared clocks, serialized paths, and devices without.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "inference_samples.h"

using namespace gpx;
using namespace gpx::testing;

namespace {

constexpr std::uint64_t kTurn = std::uint64_t{1} << 32;

Samples timeline_columns(bool with_grid) {
  using Role = Column::Role;
  Samples samples;
  if (with_grid) samples.columns.push_back(number_column("grid", Role::axis));
  samples.columns.push_back(text_column("measure", Role::axis));
  samples.columns.push_back(number_column("repetition", Role::repetition));
  samples.columns.push_back(number_column("block", Role::record));
  samples.columns.push_back(number_column("thread", Role::record));
  samples.columns.push_back(text_column("stamp", Role::record));
  samples.columns.push_back(number_column("clock", Role::observed, Unit::clock));
  samples.columns.push_back(number_column("sm", Role::observed));
  return samples;
}

struct Stamp {
  std::string label;
  double clock = 0;
};

void add_thread(Samples& samples, std::vector<Cell> launch, double block, double thread, double sm,
                const std::vector<Stamp>& stamps) {
  for (const Stamp& stamp : stamps) {
    std::vector<Cell> row = launch;
    const double clock = static_cast<double>(static_cast<std::uint64_t>(stamp.clock) % kTurn);
    row.insert(row.end(), {block, thread, stamp.label, clock, sm});
    add_cells(samples, row);
  }
}

struct Gpu {
  int sms = 30;
  int sms_per_clock = 3;  ///< That share a clock; `sms`: all of them.
  double read = 28;       ///< Clocks of a read.
  int reads = 9;
  double grain = 2;
  double skew = 200;  ///< The last block starts so long after the first.
  double jitter = 2;
  bool scattered = false;  ///< SMs of a domain do not have neighbouring numbers.
};

/// Reads in a row by one thread, and launches of 10 and of `sms` blocks of 6000 clocks.
Samples run_clock(const Gpu& gpu, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> share(0, 1);
  std::normal_distribution<double> normal(0, 1);
  const auto step = [&](double clock) { return std::floor(clock / gpu.grain) * gpu.grain; };
  const int clocks = (gpu.sms + gpu.sms_per_clock - 1) / gpu.sms_per_clock;
  std::vector<double> offset;
  for (int i = 0; i < clocks; ++i) offset.push_back(share(random) * static_cast<double>(kTurn));
  const auto domain = [&](int sm) { return gpu.scattered ? sm % clocks : sm / gpu.sms_per_clock; };
  Samples samples = timeline_columns(true);
  double now = 1e6;
  for (const int grid : {10, gpu.sms}) {
    for (int r = 0; r < 3; ++r, now += 1e5) {
      double at = now + offset[0];
      std::vector<Stamp> stamps;
      for (int i = 0; i < gpu.reads;
           ++i, at += gpu.read + std::fabs(gpu.jitter * normal(random)) / 20)
        stamps.push_back({fmt::format("{}", i), step(at)});
      add_thread(samples, {double(grid), std::string("reads"), double(r)}, 0, 0, 0, stamps);
      for (int block = 0; block < grid; ++block) {
        const int sm = block * 11 % gpu.sms;
        const double start = now + offset[domain(sm)] + gpu.skew * share(random);
        add_thread(samples, {double(grid), std::string("launches"), double(r)}, block, 0, sm,
                   {{"begin", step(start)}, {"end", step(start + 6000 + 20 * share(random))}});
      }
    }
  }
  return samples;
}

}  // namespace

TEST_CASE("Fig. 5: three SMs share a clock that counts by two; a read takes 28") {
  const Findings found(statement("clock", {}), run_clock({}, 1), device_of(30));
  CHECK(found.text("clock.domain") == "TPC");
  CHECK(found.number("clock.sms_per_domain") == 3);
  CHECK(found.number("clock.overhead") == doctest::Approx(28).epsilon(0.02));
  CHECK(found.holds("clock.overhead", 28));
  CHECK(found.number("clock.granularity") == 2);
}

TEST_CASE("reads of two clocks, whose stamps are all even or all odd, tell a read") {
  Gpu gpu;
  gpu.read = 2, gpu.reads = 13, gpu.grain = 1, gpu.jitter = 0;
  for (unsigned seed = 0; seed < 8; ++seed) {
    const Findings found(statement("clock", {}), run_clock(gpu, seed), device_of(30));
    CHECK(found.measured("clock.overhead"));
    CHECK(found.holds("clock.overhead", 2));
  }
}

TEST_CASE("planted clocks: the scope is never stated wrongly") {
  int measured = 0;
  for (unsigned device = 0; device < 120; ++device) {
    Gpu gpu;
    gpu.sms = 6 * (2 + static_cast<int>(device % 7));
    const int shared[] = {1, 2, 3, 6, gpu.sms};
    gpu.sms_per_clock = shared[device % 5];
    gpu.scattered = device % 3 == 0;
    gpu.grain = 1 << (device % 3);
    gpu.read = 10 + device % 40;
    gpu.skew = 10 * (device % 100);
    const Findings found(statement("clock", {}), run_clock(gpu, device),
                         device_of(static_cast<std::uint32_t>(gpu.sms)));
    CAPTURE(device);
    if (found.measured("clock.overhead")) CHECK(found.holds("clock.overhead", gpu.read));
    if (found.measured("clock.granularity")) CHECK(found.number("clock.granularity") == gpu.grain);
    if (!found.measured("clock.domain")) continue;
    ++measured;
    const std::string truth = gpu.sms_per_clock == 1         ? "SM"
                              : gpu.sms_per_clock == gpu.sms ? "GPU"
                              : gpu.sms_per_clock <= 3       ? "TPC"
                                                             : "GPC";
    CHECK(found.text("clock.domain") == truth);
    CHECK(found.number("clock.sms_per_domain") == gpu.sms_per_clock);
  }
  MESSAGE(measured << " of 120 scopes measured");
  CHECK(measured >= 100);
}

TEST_CASE("SMs without a block leave the scope open, and few stamps the granularity") {
  const Findings partial(statement("clock", {}), run_clock({}, 1), device_of(132));
  CHECK(partial["clock.domain"].verdict == Verdict::inconclusive);
  CHECK(partial["clock.sms_per_domain"].verdict == Verdict::inconclusive);
  Samples few = timeline_columns(false);
  add_thread(few, {std::string("reads"), 0.0}, 0, 0, 0, {{"0", 100}, {"1", 128}, {"2", 156}});
  const Findings found(statement("clock", {}), few);
  CHECK(found["clock.overhead"].verdict == Verdict::inconclusive);
  CHECK(found["clock.granularity"].verdict == Verdict::inconclusive);
  CHECK(found.find("clock.domain") == nullptr);
  CHECK(refusal(statement("clock", {}, {{"reads", std::string("none")}}), few)
            .find("no measure 'none'") != std::string::npos);
  CHECK(refusal(statement("clock", {}, {{"read", std::string("reads")}}), few)
            .find("no argument 'read'") != std::string::npos);
}

TEST_CASE("start stamps neither together nor far apart decide nothing") {
  Samples samples = timeline_columns(false);
  for (int sm = 0; sm < 4; ++sm)
    add_thread(samples, {std::string("launches"), 0.0}, sm, 0, sm,
               {{"begin", 1000.0 + 20000 * sm}, {"end", 7000.0 + 20000 * sm}});
  const Findings found(statement("clock", {}), samples, device_of(4));
  CHECK(found["clock.domain"].verdict == Verdict::inconclusive);
}

TEST_CASE("clocks less than ten blocks apart are told by launches that agree") {
  // Four SMs a clock, two clocks 7300 apart, blocks of 1264, starts of one clock within 90.
  const auto planted = [](int launches, double pause) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> share(0, 1);
    Samples samples = timeline_columns(false);
    for (int r = 0; r < launches; ++r) {
      const double late = pause * share(random);
      for (int sm = 0; sm < 16; ++sm) {
        const double start = 1e6 * r + (sm < 8 ? 0 : 7300 - late) + 90 * share(random);
        add_thread(samples, {std::string("launches"), double(r)}, sm, 0, sm,
                   {{"begin", start}, {"end", start + 1264}});
      }
    }
    return Findings(statement("clock", {}), samples, device_of(16));
  };
  const Findings found = planted(3, 0);
  CHECK(found.text("clock.domain") == "GPC");
  CHECK(found.number("clock.sms_per_domain") == 8);
  CHECK(planted(2, 0)["clock.domain"].verdict == Verdict::inconclusive);     // too few launches
  CHECK(planted(6, 7300)["clock.domain"].verdict == Verdict::inconclusive);  // a delay varies
}

namespace {

/// When the path of the test at place `i` of the chain runs, in lengths of a path.
using Place = std::function<double(int lane, int i)>;

/// Two warps whose lanes take 32 paths; each path runs 300 clocks.
void add_divergence(Samples& samples, const std::string& measure, bool increasing,
                    const Place& place, double seed) {
  std::mt19937_64 random(static_cast<std::uint64_t>(seed) + 7);
  std::uniform_int_distribution<int> noise(0, 2);
  for (int r = 0; r < 2; ++r) {
    // The clock runs over in the middle of the first launch.
    const double base = r == 0 ? static_cast<double>(kTurn) - 3000 : 5000.0;
    for (int thread = 0; thread < 64; ++thread) {
      const int lane = thread % 32, warp = thread / 32;
      const double from = base + 150 * warp + 320 * place(lane, increasing ? lane : 31 - lane);
      add_thread(samples, {measure, double(r)}, 0, thread, 4,
                 {{"begin", from + noise(random)}, {"end", from + 300 + noise(random)}});
    }
  }
}

Findings divergence(const Place& place, double seed = 0) {
  Samples samples = timeline_columns(false);
  add_divergence(samples, "increasing", true, place, seed);
  add_divergence(samples, "decreasing", false, place, seed);
  return Findings(statement("divergence", {}, {{"decreasing", std::string("decreasing")}}),
                  samples);
}

}  // namespace

TEST_CASE("Figs. 7 and 8: paths run in turn, the last test's first, whatever the lane") {
  const Findings found = divergence([](int, int i) { return 31.0 - i; });
  CHECK(found.truth("divergence.serialized"));
  CHECK(found.truth("divergence.warps_overlap"));
  CHECK(found.text("divergence.order") == "31..0");
  CHECK(found.text("divergence.order[measure=decreasing]") == "0..31");
  CHECK(found.truth("divergence.stack"));
  CHECK(found.text("divergence.first") == "taken");
}

TEST_CASE("a device that falls through first, one that goes by lane, and one that does neither") {
  const Findings through = divergence([](int, int i) { return double(i); });
  CHECK(through.text("divergence.order") == "0..31");
  CHECK(through.truth("divergence.stack"));
  CHECK(through.text("divergence.first") == "fall-through");
  const Findings by_lane = divergence([](int lane, int) { return double(lane); });
  CHECK_FALSE(by_lane.truth("divergence.stack"));
  CHECK(by_lane.find("divergence.first") == nullptr);
  const Findings shuffled = divergence([](int, int i) { return double(i * 13 % 32); });
  CHECK(shuffled.text("divergence.order") == "mixed");
  CHECK(shuffled["divergence.stack"].verdict == Verdict::inconclusive);
}

TEST_CASE("paths that run side by side are not serialized, and have no order") {
  Samples samples = timeline_columns(false);
  for (int thread = 0; thread < 32; ++thread)
    add_thread(samples, {std::string("increasing"), 0.0}, 0, thread, 0,
               {{"begin", 500}, {"end", 800}});
  const Findings found(statement("divergence", {}), samples);
  CHECK_FALSE(found.truth("divergence.serialized"));
  CHECK(found["divergence.order"].verdict == Verdict::not_observed);
  CHECK(found.find("divergence.stack") == nullptr);
}

TEST_CASE("paths of which some overlap are neither") {
  const Findings found = divergence([](int, int i) { return i < 16 ? 0.7 * i : double(i); });
  CHECK(found["divergence.serialized"].verdict == Verdict::inconclusive);
}

TEST_CASE("divergence needs a timeline of two stamps") {
  Samples samples = timeline_columns(false);
  add_thread(samples, {std::string("increasing"), 0.0}, 0, 0, 0, {{"a", 1}, {"b", 2}, {"c", 3}});
  CHECK(refusal(statement("divergence", {}), samples).find("start and the end") !=
        std::string::npos);
  samples.columns.erase(samples.columns.begin() + 4);
  CHECK(refusal(statement("divergence", {}), samples).find("observe timeline") !=
        std::string::npos);
}
