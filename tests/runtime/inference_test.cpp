// The standard library's inference on devices whose truth is known, on nasty curves, and on an
// H100.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <map>
#include <sstream>

#include "inference_model.h"

using namespace gpx;
using namespace gpx::testing;

namespace {

const AnalysisPaths kPaths{GPX_SOURCE_DIR "/stdlib", ""};

std::vector<Finding> infer(const Samples& samples,
                           const Experiment& experiment = outstanding_experiment()) {
  auto result = analyze(experiment, samples, plain_device(), kPaths);
  if (!result) FAIL(render(result.error()));
  return result->findings;
}

const Finding& named(const std::vector<Finding>& findings, const std::string& name) {
  const Finding* finding = find(findings, name);
  if (!finding) FAIL("no finding " << name);
  return *finding;
}

bool holds(const Finding& finding, double value) {
  return (!finding.low || *finding.low <= value) && (!finding.high || *finding.high >= value);
}

std::string describe(const Planted& d) {
  return fmt::format(
      "{} E={} M={} spare={} L={:.0f} issue={:.2f} P={} spike={:.0f}x{} jitter={:.1f}",
      d.kind == Planted::Kind::mshr  ? "MSHR"
      : d.kind == Planted::Kind::prt ? "PRT"
                                     : "none",
      d.entries, d.merges, d.spare, d.round_trip, d.issue, d.pipelines, d.spike, d.spikes,
      d.jitter);
}

const std::vector<Curve> kFermi = {{1, 1}, {1, 2}, {2, 1}, {4, 2}, {8, 4}, {16, 4}, {32, 4}};
const std::vector<Curve> kKepler = {{1, 1}, {1, 2}, {1, 3}, {2, 2}, {2, 3}};

/// A device drawn from the ranges that real ones could lie in.
Planted drawn(std::mt19937& random) {
  const auto real = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const auto whole = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  Planted device;
  device.kind = whole(0, 1) ? Planted::Kind::mshr : Planted::Kind::prt;
  if (whole(0, 9) == 0) device.kind = Planted::Kind::none;
  const bool mshr = device.kind == Planted::Kind::mshr;
  device.entries =
      static_cast<int>(std::exp(real(std::log(mshr ? 8 : 4), std::log(mshr ? 512 : 256))));
  device.merges = whole(0, 1) ? 1 << whole(0, 5) : whole(1, 32);
  device.spare = whole(0, 3) == 0 ? whole(1, 31) : 0;
  device.round_trip = real(150, 800);
  device.issue = whole(0, 1) ? real(0, 0.3) : real(0, 2);
  device.pipelines = whole(1, 16);
  device.spike = real(0, 0.1) * device.round_trip;
  device.spikes = whole(0, 2);
  device.jitter = real(0, 6);
  device.outliers = whole(0, 1) ? 0.01 : 0;
  return device;
}

enum class Judgement { right, wrong, undecided, not_observed };

Judgement judge(const Planted& device, const std::vector<Finding>& findings) {
  const Finding& kind = named(findings, "outstanding.kind");
  if (kind.verdict == Verdict::inconclusive) return Judgement::undecided;
  if (kind.verdict == Verdict::not_observed) return Judgement::not_observed;
  const bool mshr = device.kind == Planted::Kind::mshr;
  if (device.kind == Planted::Kind::none) return Judgement::wrong;
  bool right = std::get<std::string>(kind.value) == (mshr ? "MSHR" : "PRT") &&
               holds(named(findings, "outstanding.entries"), device.entries);
  const Finding* merge = find(findings, "outstanding.merge");
  if (mshr && merge) right = right && holds(*merge, device.merges);
  return right ? Judgement::right : Judgement::wrong;
}

Samples read_h100() {
  std::ifstream file(GPX_TESTS_DIR "/data/h100_thread_latency.csv");
  REQUIRE(file);
  Samples samples = thread_latency_columns();
  samples.columns[0].name = "config";  // mode, dram and stride, which are one series each
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream cells(line);
    double mode = 0, dram = 0, n = 0, stride = 0, threads = 0, latency = 0;
    cells >> mode >> dram >> n >> stride >> threads >> latency;
    add_row(samples, {mode + 10 * dram + 100 * stride, n, threads, 0, latency});
  }
  return samples;
}

/// The rows of one value of the first column, which then is a merge factor of 1.
Samples only(const Samples& all, double config) {
  Samples samples = thread_latency_columns();
  for (std::size_t row = 0; row < all.rows(); ++row) {
    if (all.columns[0].numbers[row] != config) continue;
    add_row(samples, {1, all.columns[1].numbers[row], all.columns[2].numbers[row], 0,
                      all.columns[4].numbers[row]});
  }
  return samples;
}

Samples made(const std::vector<Curve>& curves,
             const std::function<double(int threads, const Curve&)>& latency) {
  Samples samples = thread_latency_columns();
  for (const Curve& curve : curves) {
    for (int threads = 2; threads <= 1024; threads += 2) {
      add_row(samples, {double(curve.merge), double(curve.loads), double(threads), 0,
                        latency(threads, curve)});
    }
  }
  return samples;
}

/// No saturation may be claimed anywhere, and nothing that would follow from one.
void check_nothing_invented(const std::vector<Finding>& findings, const std::string& what) {
  CHECK_MESSAGE(named(findings, "outstanding.kind").verdict != Verdict::measured, what);
  CHECK_MESSAGE(named(findings, "outstanding.entries").verdict != Verdict::measured, what);
  for (const Finding& finding : findings) {
    if (finding.name.starts_with("outstanding.saturation")) {
      CHECK_MESSAGE(finding.verdict != Verdict::measured, what << " " << finding.name);
    }
  }
}

}  // namespace

TEST_CASE("planted devices: the kind, the entries and the merge limit come back, none is wrong") {
  std::mt19937 random(20150601);
  std::map<Judgement, int> count;
  for (int i = 0; i < 330; ++i) {
    const Planted device = drawn(random);
    const bool fermi = i % 3 == 0;
    const Samples samples = measure_planted(device, fermi ? kFermi : kKepler, random, i % 2 ? 4 : 2,
                                            fermi ? 768 : 1024);
    const Judgement outcome = judge(device, infer(samples));
    ++count[outcome];
    CHECK_MESSAGE(outcome != Judgement::wrong, describe(device));
    if (device.kind == Planted::Kind::none) {
      CHECK_MESSAGE(outcome == Judgement::not_observed, describe(device));
    }
  }
  MESSAGE(fmt::format("right {}, undecided {}, not observed {}", count[Judgement::right],
                      count[Judgement::undecided], count[Judgement::not_observed]));
  CHECK(count[Judgement::right] >= 200);
}

TEST_CASE("a Fermi-like MSHR is found with its entries and its merging") {
  Planted device{Planted::Kind::mshr, 128, 32, 0, 420, 0.15, 3, 12, 1, 1.5, 0};
  std::mt19937 random(1);
  const auto findings = infer(measure_planted(device, kFermi, random));
  const std::map<std::string, double> values = {{"outstanding.saturation[n=1]", 128},
                                                {"outstanding.saturation[n=2]", 64},
                                                {"outstanding.saturation[merge=2,n=1]", 256},
                                                {"outstanding.saturation[merge=4,n=2]", 256},
                                                {"outstanding.saturation[merge=8,n=4]", 256},
                                                {"outstanding.entries", 128},
                                                {"outstanding.max_requests", 128}};
  for (const auto& [name, value] : values) {
    const Finding& finding = named(findings, name);
    CHECK_MESSAGE(finding.verdict == Verdict::measured, name);
    CHECK_MESSAGE(std::get<double>(finding.value) == value, name);
    CHECK_FALSE(finding.evidence.empty());
  }
  const Finding& saturation = named(findings, "outstanding.saturation[n=1]");
  CHECK(saturation.low == 128.0);
  CHECK(saturation.high == 129.0);
  CHECK(std::get<std::string>(named(findings, "outstanding.kind").value) == "MSHR");
  CHECK(*named(findings, "outstanding.kind").confidence > 0.99);
  CHECK(std::get<double>(named(findings, "outstanding.merge").value) >= 8);
}

TEST_CASE("a limit whose loads take longer to issue than to return shows in no series") {
  // 16 lanes of an entry cost 16 issue slots: the first reply is back before 128 entries are taken.
  Planted device{Planted::Kind::mshr, 128, 32, 0, 420, 0.9, 3, 0, 0, 1.5, 0};
  std::mt19937 random(2);
  const auto findings = infer(measure_planted(device, kFermi, random));
  CHECK(std::get<double>(named(findings, "outstanding.saturation[n=1]").value) == 128);
  CHECK(named(findings, "outstanding.saturation[merge=16,n=4]").verdict == Verdict::not_observed);
  CHECK(named(findings, "outstanding.saturation[merge=32,n=4]").verdict == Verdict::not_observed);
  CHECK(named(findings, "outstanding.slope[merge=32,n=4]").verdict == Verdict::measured);
}

TEST_CASE("a Kepler-like PRT is found from 680 and 454 threads, in both readings") {
  Planted device{Planted::Kind::prt, 42, 1, 18, 400, 0.05, 8, 8, 2, 1.5, 0};
  std::mt19937 random(3);
  const auto findings = infer(measure_planted(device, kKepler, random));
  CHECK(named(findings, "outstanding.saturation[n=1]").verdict == Verdict::not_observed);
  CHECK(std::get<double>(named(findings, "outstanding.saturation[n=2]").value) == 680);
  CHECK(std::get<double>(named(findings, "outstanding.saturation[n=3]").value) == 454);
  CHECK(std::get<std::string>(named(findings, "outstanding.kind").value) == "PRT");
  const Finding& entries = named(findings, "outstanding.entries");
  CHECK(*entries.low == 42);
  CHECK(*entries.high <= 43);
  CHECK(entries.note.find("gives 44 and 45") != std::string::npos);
  const Finding& most = named(findings, "outstanding.max_requests");
  CHECK(std::get<double>(most.value) == 1408);
  CHECK(*most.low == 42 * 32);
  CHECK(*most.high == 1408);
}

TEST_CASE("unique addresses alone do not tell an MSHR from a PRT at a warp's boundary") {
  for (const auto& [kind, entries] :
       {std::pair{Planted::Kind::mshr, 384}, std::pair{Planted::Kind::prt, 12}}) {
    Planted device{kind, entries, 32, 0, 500, 0.05, 8, 0, 0, 1, 0};
    std::mt19937 random(4);
    const auto findings = infer(measure_planted(device, {{1, 1}, {1, 2}, {1, 3}}, random));
    const Finding& verdict = named(findings, "outstanding.kind");
    CHECK(verdict.verdict == Verdict::inconclusive);
    CHECK(verdict.note.find("MSHR") != std::string::npos);
    CHECK(verdict.note.find("PRT") != std::string::npos);
    CHECK(verdict.note.find("share an address") != std::string::npos);
  }
}

TEST_CASE("the paper's own unique series of the K20 fit an MSHR of 1362 entries as well") {
  Planted device{Planted::Kind::prt, 42, 1, 18, 400, 0.05, 8, 8, 2, 1.5, 0};
  std::mt19937 random(5);
  const auto findings = infer(measure_planted(device, {{1, 1}, {1, 2}, {1, 3}}, random));
  CHECK(named(findings, "outstanding.kind").verdict == Verdict::inconclusive);
}

TEST_CASE("one saturated series decides nothing") {
  Planted device{Planted::Kind::mshr, 100, 32, 0, 500, 0.05, 8, 0, 0, 1, 0};
  std::mt19937 random(6);
  const auto findings = infer(measure_planted(device, {{1, 1}}, random));
  CHECK(std::get<double>(named(findings, "outstanding.saturation[n=1]").value) == 100);
  CHECK(named(findings, "outstanding.kind").verdict == Verdict::inconclusive);
}

TEST_CASE("what is not a saturation is never reported as one") {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 1);
  const double trip = 400;
  const auto jitter = [&](double sd) { return sd * noise(random); };
  struct Nasty {
    const char* what;
    std::function<double(int, const Curve&)> latency;
  };
  const std::vector<Nasty> nasty = {
      {"noise", [&](int, const Curve&) { return trip + std::fabs(jitter(20)); }},
      {"strong noise",
       [&](int t, const Curve&) { return trip + 0.2 * t + std::fabs(jitter(100)); }},
      {"serialization of 30 % at each turn of 4 warps",
       [&](int t, const Curve& c) {
         return trip + 0.29 * trip * ((t * c.loads - 1) / 128) + jitter(2);
       }},
      {"one spike after 96 threads",
       [&](int t, const Curve&) { return trip + (t > 96 ? 0.25 * trip : 0) + jitter(2); }},
      {"a steep slope",
       [&](int t, const Curve& c) { return trip + 8.0 * t * c.loads / c.merge + jitter(5); }},
      {"a slope that bends",
       [&](int t, const Curve&) { return trip + (t > 300 ? 6.0 * (t - 300) : 0) + jitter(3); }},
      {"a page table miss: 20 % more beyond 24 KB, in all series",
       [&](int t, const Curve& c) {
         return trip * (t * c.loads / c.merge * 128 > 24576 ? 1.2 : 1.0) + 0.3 * t + jitter(3);
       }},
      {"a sawtooth that falls back",
       [&](int t, const Curve&) { return trip + 0.6 * trip * (1 - (t % 64) / 64.0) + jitter(2); }},
      {"a sawtooth that climbs",
       [&](int t, const Curve&) { return trip + 0.6 * trip * (t % 64) / 64.0 + jitter(2); }},
      {"outliers of three round trips",
       [&](int t, const Curve&) {
         return trip + 0.2 * t + (random() % 40 == 0 ? 3 * trip : 0) + jitter(2);
       }},
      {"a plateau that ends: other work on the device",
       [&](int t, const Curve&) { return trip * (t > 400 && t < 600 ? 2 : 1) + jitter(2); }},
      {"a ramp over 40 threads",
       [&](int t, const Curve&) {
         return trip * (1 + std::clamp((t - 400) / 40.0, 0.0, 1.0)) + jitter(2);
       }},
      {"a constant", [&](int, const Curve&) { return trip; }}};
  for (const Nasty& one : nasty) {
    check_nothing_invented(infer(made(kKepler, one.latency)), one.what);
  }
}

TEST_CASE("steps at places that neither hypothesis predicts are no verdict") {
  const std::map<int, int> place = {{1, 300}, {2, 290}, {3, 310}};
  const auto findings = infer(made({{1, 1}, {1, 2}, {1, 3}}, [&](int t, const Curve& c) {
    return t > place.at(c.loads) ? 820.0 : 400.0;
  }));
  CHECK(named(findings, "outstanding.kind").verdict == Verdict::inconclusive);
  CHECK(std::get<double>(named(findings, "outstanding.saturation[n=2]").value) == 290);
}

TEST_CASE("a step of half a round trip is left open") {
  const auto findings = infer(made(
      {{1, 1}, {1, 2}}, [](int t, const Curve& c) { return t * c.loads > 200 ? 600.0 : 400.0; }));
  CHECK(named(findings, "outstanding.saturation[n=1]").verdict == Verdict::inconclusive);
  CHECK(named(findings, "outstanding.kind").verdict == Verdict::inconclusive);
}

TEST_CASE("an H100 saturates nowhere: the slope is what is measured") {
  const Samples all = read_h100();
  // ld.global.cg and ld.global.ca, 128 B apart, in L2; 4096 B apart; and from DRAM.
  for (const double config : {12800.0, 12801.0, 409600.0, 12810.0}) {
    const Samples samples = only(all, config);
    REQUIRE(samples.rows() >= 512);
    const auto findings = infer(samples);
    check_nothing_invented(findings, fmt::format("configuration {}", config));
    CHECK(named(findings, "outstanding.kind").verdict == Verdict::not_observed);
    for (const Finding& finding : findings) {
      if (finding.name.starts_with("outstanding.saturation")) {
        CHECK_MESSAGE(finding.verdict == Verdict::not_observed, finding.name);
      }
      if (!finding.name.starts_with("outstanding.slope")) continue;
      // One request a clock from L2; the DRAM series is flatter at first, then steeper.
      const double slope = std::get<double>(finding.value);
      CHECK_MESSAGE((config == 12810 ? slope > 0.5 && slope < 1.5 : slope > 0.97 && slope < 1.06),
                    finding.name << " " << slope);
      CHECK(*finding.low <= slope);
      CHECK(*finding.high >= slope);
    }
  }
}

namespace {

Experiment scoreboard_experiment() {
  Experiment experiment;
  experiment.reduce = Reduce::harmonic_mean;
  Analyze statement;
  statement.method = "scoreboard";
  statement.args = {{"x", true, std::string("n")}};
  experiment.analyses = {statement};
  return experiment;
}

Samples one_warp(int last, const std::function<double(int)>& latency) {
  Samples samples = thread_latency_columns();
  samples.columns.erase(samples.columns.begin(), samples.columns.begin() + 1);
  samples.columns.erase(samples.columns.begin() + 1);
  for (int n = 1; n <= last; ++n) add_row(samples, {double(n), 0, latency(n)});
  return samples;
}

}  // namespace

TEST_CASE("a sawtooth of a cold instruction cache on an H100 is no saturation") {
  std::ifstream file(GPX_TESTS_DIR "/data/h100_sawtooth.csv");
  REQUIRE(file);
  Samples samples = thread_latency_columns();
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream cells(line);
    double merge = 0, n = 0, threads = 0, latency = 0;
    cells >> merge >> n >> threads >> latency;
    add_row(samples, {merge, n, threads, 0, latency});
  }
  const std::vector<Finding> findings = infer(samples);
  for (const Finding& finding : findings) {
    CAPTURE(finding.name);
    CAPTURE(finding.note);
    if (finding.name.starts_with("outstanding.slope")) continue;
    CHECK(finding.verdict != Verdict::measured);
  }
}

TEST_CASE("the scoreboard's limit is the load after which the latency jumps") {
  for (const int limit : {2, 3, 4, 5, 6}) {
    const auto findings =
        infer(one_warp(12, [&](int n) { return 400.0 * (1 + (n - 1) / limit) + 4 * n; }),
              scoreboard_experiment());
    const Finding& loads = named(findings, "scoreboard.loads_per_warp");
    REQUIRE(loads.verdict == Verdict::measured);
    CHECK(std::get<double>(loads.value) == limit);
    CHECK(loads.high == double(limit));
  }
}

TEST_CASE("no limit, an outlier, a half jump or a jump that does not repeat is not a limit") {
  const auto verdict = [](const std::function<double(int)>& latency) {
    return named(infer(one_warp(12, latency), scoreboard_experiment()), "scoreboard.loads_per_warp")
        .verdict;
  };
  CHECK(verdict([](int n) { return 330.0 + 9 * n; }) == Verdict::not_observed);
  CHECK(verdict([](int n) { return n == 5 ? 900.0 : 330.0 + 9 * n; }) == Verdict::not_observed);
  CHECK(verdict([](int n) { return 400.0 + (n > 4 ? 150 : 0); }) == Verdict::inconclusive);
  CHECK(verdict([](int n) { return 400.0 + (n > 4 ? 400 : 0); }) == Verdict::inconclusive);
}

namespace {

Experiment l2_experiment() {
  Experiment experiment;
  experiment.reduce = Reduce::harmonic_mean;
  Analyze statement;
  statement.method = "l2_capacity";
  statement.args = {{"x", true, std::string("size")}, {"by", true, std::string("state")}};
  experiment.analyses = {statement};
  return experiment;
}

/// Copies of 64 KB to `last` KB; `gain(size)` is what data in L2 save, in seconds.
Samples copies(int last_kb, double noise, const std::function<double(double)>& gain) {
  Samples samples;
  samples.columns = {{"state", Unit::none, Column::Role::axis, true, {}, {}},
                     {"size", Unit::byte, Column::Role::axis, false, {}, {}},
                     {"repetition", Unit::none, Column::Role::repetition, false, {}, {}},
                     {"time", Unit::second, Column::Role::observed, false, {}, {}}};
  std::mt19937 random(11);
  std::normal_distribution<double> error(0, 1);
  for (const bool warm : {true, false}) {
    for (int kb = 64; kb <= last_kb; kb += 64) {
      for (int repetition = 0; repetition < 3; ++repetition) {
        const double size = kb * 1024.0;
        const double time = 3e-6 + size / 60e9 - (warm ? gain(size) : 0);
        samples.columns[0].texts.push_back(warm ? "warm" : "flushed");
        samples.columns[1].numbers.push_back(size);
        samples.columns[2].numbers.push_back(repetition);
        samples.columns[3].numbers.push_back(time * (1 + noise * error(random)));
      }
    }
  }
  return samples;
}

}  // namespace

TEST_CASE("the L2 capacity is where the gap stops growing, whatever comes after") {
  const double per_byte = 1 / 150e9;
  for (const double capacity : {512 * 1024.0, 768 * 1024.0, 1000 * 1024.0}) {
    const std::vector<std::function<double(double)>> after = {
        [&](double size) { return per_byte * std::min(size, capacity); },
        [&](double size) { return size <= capacity ? per_byte * size : 0; },
        [&](double size) {
          return per_byte * std::max(0.0, size <= capacity ? size : 3 * capacity - 2 * size);
        }};
    for (const auto& gain : after) {
      for (const double noise : {0.0, 0.005}) {
        const auto findings = infer(copies(1536, noise, gain), l2_experiment());
        const Finding& found = named(findings, "l2.capacity");
        REQUIRE(found.verdict == Verdict::measured);
        CHECK(*found.low <= capacity);
        CHECK(*found.high >= capacity - 64 * 1024);
        CHECK(std::fabs(std::get<double>(found.value) - capacity) <= 96 * 1024.0);
        CHECK(found.unit == "B");
      }
    }
  }
}

TEST_CASE("copies far smaller than an H100's L2 show no capacity") {
  std::ifstream file(GPX_TESTS_DIR "/data/h100_small_copies.csv");
  REQUIRE(file);
  Samples samples = copies(0, 0, [](double) { return 0.0; });
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream cells(line);
    double flushed = 0, size = 0, repetition = 0, time = 0;
    cells >> flushed >> size >> repetition >> time;
    samples.columns[0].texts.push_back(flushed > 0 ? "flushed" : "warm");
    samples.columns[1].numbers.push_back(size);
    samples.columns[2].numbers.push_back(repetition);
    samples.columns[3].numbers.push_back(time);
  }
  REQUIRE(samples.rows() == 144);
  const auto findings = infer(samples, l2_experiment());
  CHECK(named(findings, "l2.capacity").verdict == Verdict::not_observed);
}

TEST_CASE("no gap, or a gap that grows to the end, is no capacity") {
  for (const double noise : {0.0, 0.01}) {
    const auto none = infer(copies(1536, noise, [](double) { return 0.0; }), l2_experiment());
    CHECK(named(none, "l2.capacity").verdict == Verdict::not_observed);
    const auto grows =
        infer(copies(1536, noise, [](double size) { return size / 150e9; }), l2_experiment());
    CHECK(named(grows, "l2.capacity").verdict == Verdict::not_observed);
  }
}
