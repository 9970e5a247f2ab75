// pipelines and warps on planted devices: what they state must hold, what the samples do not decide
// they must not state.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "inference_samples.h"

using namespace gpx;
using namespace gpx::testing;

namespace {

const std::vector<int> kCounts = {32, 64, 96, 128, 192};
constexpr int kThreads = 512;

struct Noise {
  double jitter = 0;    ///< Standard deviation of a repetition, upwards only.
  double outliers = 0;  ///< Share of repetitions that take 60 clocks longer.
  int grain = 1;        ///< The clock counts in steps of this.
};

struct Operation {
  std::string name;
  double latency = 24;
  double block = 64;  ///< Clocks that an execution of the whole block takes.
};

class Clock {
 public:
  Clock(const Noise& noise, unsigned seed) : noise_(noise), random_(seed) {}
  double read(double exact) {
    double clocks = exact + std::fabs(noise_.jitter * normal_(random_));
    if (share_(random_) < noise_.outliers) clocks += 60;
    return std::floor(clocks / noise_.grain) * noise_.grain;
  }

 private:
  Noise noise_;
  std::mt19937 random_;
  std::normal_distribution<double> normal_{0, 1};
  std::uniform_real_distribution<double> share_{0, 1};
};

Samples operation_columns() {
  using Role = Column::Role;
  Samples samples;
  samples.columns = {text_column("op", Role::axis), number_column("count", Role::axis),
                     text_column("measure", Role::axis),
                     number_column("repetition", Role::repetition),
                     number_column("latency", Role::observed, Unit::clock)};
  return samples;
}

using Clocks = std::function<double(double count)>;

void add_measure(Samples& samples, const std::string& op, const std::string& measure,
                 const Clocks& clocks, Clock& clock, int repetitions = 3) {
  for (const int count : kCounts)
    for (int r = 0; r < repetitions; ++r)
      add_cells(samples, {op, double(count), measure, double(r), clock.read(clocks(count))});
}

Samples run_operations(const std::vector<Operation>& operations, const Noise& noise,
                       unsigned seed = 1) {
  Samples samples = operation_columns();
  Clock clock(noise, seed);
  for (const Operation& one : operations) {
    add_measure(
        samples, one.name, "latency", [&](double n) { return 47 + n * one.latency; }, clock);
    add_measure(
        samples, one.name, "throughput", [&](double n) { return 113 + n * one.block; }, clock);
  }
  return samples;
}

Experiment pipelines(const std::vector<std::pair<std::string, Value>>& more = {}) {
  std::vector<std::pair<std::string, Value>> values = {{"threads", Quantity{kThreads, Unit::none}}};
  values.insert(values.end(), more.begin(), more.end());
  return statement("pipelines", {{"op", "op"}, {"count", "count"}}, values);
}

}  // namespace

TEST_CASE("planted operations: latency, throughput and issue come back, none is wrong") {
  std::mt19937 random(2010);
  const auto real = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  int measured = 0;
  for (unsigned device = 0; device < 300; ++device) {
    const Noise noise{real(0, 3), device % 3 ? 0 : 0.01, 1 << (device % 4)};
    std::vector<Operation> operations;
    for (const char* name : {"add.u32", "div.f64"})
      operations.push_back({name, std::exp(real(std::log(3.0), std::log(1500.0))), 0});
    for (Operation& one : operations) one.block = one.latency * real(1.3, 8);
    const Findings found(pipelines({{"sp", std::string("add.u32")}}),
                         run_operations(operations, noise, device));
    for (const Operation& one : operations) {
      const std::string latency = "op." + one.name + ".latency";
      const std::string throughput = "op." + one.name + ".throughput";
      const double rate = kThreads / one.block;
      CAPTURE(device);
      if (found.measured(latency)) {
        ++measured;
        CHECK_MESSAGE(found.holds(latency, one.latency), latency << " " << one.latency);
        CHECK(found.number(latency) == doctest::Approx(one.latency).epsilon(0.1));
      }
      if (found.measured(throughput)) {
        ++measured;
        CHECK_MESSAGE(found.holds(throughput, rate), throughput << " " << rate);
        CHECK(found.number(throughput) == doctest::Approx(rate).epsilon(0.1));
      }
    }
    if (found.measured("pipe.sp.issue"))
      CHECK(found.holds("pipe.sp.issue", operations[0].block * 32 / kThreads));
  }
  MESSAGE(measured << " of 1200 findings measured");
  CHECK(measured >= 1100);
}

TEST_CASE("Table II from three operations: latency, throughput and issue of each pipe") {
  const Samples samples = run_operations(
      {{"add.u32", 24, 64}, {"rsqrt.approx.f32", 28, 256}, {"add.f64", 48, 512}}, {2, 0, 2});
  const Findings found(pipelines({{"sp", std::string("add.u32")},
                                  {"sfu", std::string("rsqrt.approx.f32")},
                                  {"dpu", std::string("add.f64")}}),
                       samples);
  const auto near = [](double value) { return doctest::Approx(value).epsilon(0.01); };
  CHECK(found.number("pipe.sp.latency") == near(24));
  CHECK(found.number("pipe.sp.throughput") == near(8));
  CHECK(found.number("pipe.sp.issue") == near(4));
  CHECK(found.number("pipe.sfu.latency") == near(28));
  CHECK(found.number("pipe.sfu.throughput") == near(2));
  CHECK(found.number("pipe.dpu.issue") == near(32));
  CHECK(found["pipe.sp.latency"].unit == "clocks");
  CHECK(found["op.add.u32.latency"].evidence.size() == 1);
}

TEST_CASE("an operation whose samples are no line has no latency") {
  struct Case {
    const char* what;
    Clocks clocks;
  };
  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(100, 9000);
  const std::vector<Case> cases = {
      {"a constant: the operation is gone", [](double) { return 60.0; }},
      {"twice as slow beyond 96", [](double n) { return 24 * n + 24 * std::max(0.0, n - 96); }},
      {"misses from 128 on", [](double n) { return 24 * n + (n >= 128 ? 12 * n : 0); }},
      {"a parabola", [](double n) { return n * n; }},
      {"falling", [](double n) { return 9000 - 24 * n; }},
      {"anything", [&](double) { return any(random); }}};
  for (const Case& one : cases) {
    Samples samples = operation_columns();
    Clock clock({1, 0, 1}, 5);
    add_measure(samples, "add.u32", "latency", one.clocks, clock);
    add_measure(samples, "add.u32", "throughput", one.clocks, clock);
    const Findings found(pipelines(), samples);
    CHECK_MESSAGE(found["op.add.u32.latency"].verdict == Verdict::inconclusive, one.what);
    CHECK_MESSAGE(found["op.add.u32.throughput"].verdict == Verdict::inconclusive, one.what);
    CHECK_FALSE(found["op.add.u32.latency"].note.empty());
  }
}

TEST_CASE("a block whose warps only wait for themselves gives no throughput") {
  const Samples samples = run_operations({{"add.u32", 24, 24}}, {});
  const Findings found(pipelines(), samples);
  CHECK(found.number("op.add.u32.latency") == 24);
  CHECK(found["op.add.u32.throughput"].verdict == Verdict::inconclusive);
  // With four independent streams the same block takes four times the chain's share.
  const Findings streams(pipelines({{"streams", Quantity{4, Unit::none}}}), samples);
  CHECK(streams.number("op.add.u32.throughput") == doctest::Approx(512.0 / 24));
}

TEST_CASE("operands gives the latency through each source") {
  using Role = Column::Role;
  Samples samples;
  samples.columns = {text_column("op", Role::axis), text_column("operand", Role::axis),
                     number_column("count", Role::axis),
                     number_column("repetition", Role::repetition),
                     number_column("latency", Role::observed, Unit::clock)};
  Clock clock({}, 1);
  const std::pair<const char*, double> planted[] = {{"a", 4.53}, {"b", 4.53}, {"c", 6}};
  for (const auto& [operand, clocks] : planted)
    for (const int count : kCounts)
      add_cells(samples, {std::string("fma.rn.f32"), std::string(operand), double(count), 0.0,
                          clock.read(29 + clocks * count)});
  const Experiment experiment =
      statement("operands", {{"op", "op"}, {"operand", "operand"}, {"count", "count"}});
  const Findings found(experiment, samples);
  CHECK(found.number("op.fma.rn.f32.latency[operand=a]") == doctest::Approx(4.53).epsilon(0.01));
  CHECK(found.number("op.fma.rn.f32.latency[operand=c]") == 6);
  CHECK(refusal(statement("operands", {{"op", "op"}, {"count", "count"}}), samples)
            .find("operand must name an axis") != std::string::npos);
  CHECK(refusal(statement("operands",
                          {{"op", "op"}, {"operand", "operand"}, {"count", "count"}, {"x", "op"}}),
                samples)
            .find("no argument 'x'") != std::string::npos);
}

TEST_CASE("operands refuses the rows of several measures, and takes those of the one it is told") {
  using Role = Column::Role;
  Samples samples;
  samples.columns = {text_column("operand", Role::axis), number_column("count", Role::axis),
                     text_column("measure", Role::axis),
                     number_column("repetition", Role::repetition),
                     number_column("latency", Role::observed, Unit::clock)};
  for (const auto& [measure, clocks] : {std::pair{"f", 4.0}, std::pair{"d", 16.0}})
    for (const int count : kCounts)
      add_cells(samples,
                {std::string("a"), double(count), std::string(measure), 0.0, 29 + clocks * count});
  const auto of = [](const std::vector<std::pair<std::string, Value>>& more) {
    std::vector<std::pair<std::string, Value>> values = {{"op", std::string("add.f32")}};
    values.insert(values.end(), more.begin(), more.end());
    return statement("operands", {{"operand", "operand"}, {"count", "count"}}, values);
  };
  CHECK(refusal(of({}), samples).find("of several measures: f, d; name one: operands(") !=
        std::string::npos);
  const Findings found(of({{"measure", std::string("d")}}), samples);
  CHECK(found.number("op.add.f32.latency[operand=a]") == 16);
}

// Copies of 4 KB on an H200 cost more at first than at last: what they share fills up.
TEST_CASE("an interval that holds the slopes of both halves is no confidence interval") {
  using Role = Column::Role;
  const auto copies = [](double later) {
    Samples samples;
    samples.columns = {number_column("n", Role::axis),
                       number_column("repetition", Role::repetition),
                       number_column("latency", Role::observed, Unit::clock)};
    for (int n = 4; n <= 32; n += 4)
      for (int r = 0; r < 3; ++r)
        add_cells(samples, {double(n), double(r),
                            100 + 40.0 * std::min(n, 16) + later * std::max(0, n - 16)});
    return Findings(statement("copies", {{"count", "n"}}), samples);
  };
  const Findings bent = copies(33);
  const Finding& wide = bent["copy.latency"];
  CHECK(bent.holds("copy.latency", 40));
  CHECK(bent.holds("copy.latency", 33));
  CHECK_FALSE(wide.confidence);
  CHECK(wide.note.find("at first and 33.000 at last") != std::string::npos);
  CHECK(wide.steps.size() == 3);
  const Finding straight = copies(40)["copy.latency"];
  CHECK(straight.confidence == 0.99);
  CHECK(straight.note.find("at first") == std::string::npos);
}

TEST_CASE("pipelines refuses arguments and samples that it cannot judge") {
  const Samples samples = run_operations({{"add.u32", 24, 64}}, {});
  const auto refused = [&](const Experiment& experiment, const std::string& what) {
    CHECK(refusal(experiment, samples).find(what) != std::string::npos);
  };
  refused(statement("pipelines", {{"op", "op"}}), "count must name an axis");
  refused(statement("pipelines", {{"op", "op"}, {"count", "count"}}), "argument threads");
  refused(pipelines({{"sp", std::string("add.f99")}}), "sp must name a measured operation");
  Samples other = samples;
  other.columns[2].texts.assign(other.rows(), "else");
  CHECK(refusal(pipelines(), other).find("no measure 'throughput'") != std::string::npos);
  Samples few = operation_columns();
  for (const double n : {32.0, 64.0, 96.0})
    for (const char* measure : {"latency", "throughput"})
      add_cells(few, {std::string("add.u32"), n, std::string(measure), 0.0, 24 * n});
  CHECK(Findings(pipelines(), few)["op.add.u32.latency"].verdict == Verdict::inconclusive);
}

namespace {

/// A pipe whose chain takes `latency` and that takes a warp every `issue` clocks; `excess(warps)`
/// is what a scheduler adds.
Samples run_warps(double latency, double issue, int last, const Noise& noise,
                  const std::function<double(int)>& excess) {
  using Role = Column::Role;
  Samples samples;
  samples.columns = {number_column("warps", Role::axis), number_column("count", Role::axis),
                     number_column("repetition", Role::repetition),
                     number_column("latency", Role::observed, Unit::clock)};
  Clock clock(noise, 9);
  for (int warps = 1; warps <= last; ++warps)
    for (const int count : kCounts)
      for (int r = 0; r < 3; ++r) {
        const double each = std::max(latency, issue * warps) + excess(warps);
        add_cells(samples,
                  {double(warps), double(count), double(r), clock.read(40 + each * count)});
      }
  return samples;
}

Experiment warps() {
  return statement("warps", {{"x", "warps"}, {"count", "count"}}, {{"pipe", std::string("sp")}});
}

double no_excess(int) {
  return 0;
}

}  // namespace

TEST_CASE("Fig. 6: the latency is flat below six warps, and eight fill the pipe") {
  const Samples samples = run_warps(24, 4, 16, {1, 0, 2}, [](int warps) {
    return warps == 6 ? 4.0 : warps == 7 ? 3.0 : 0.0;
  });
  const Findings found(warps(), samples);
  CHECK(found.number("pipe.sp.warps_to_saturate") == 8);
  CHECK(found.number("pipe.sp.warps_flat") == 5);
  CHECK(found.number("pipe.sp.latency") == doctest::Approx(24).epsilon(0.01));
  CHECK(found.number("pipe.sp.throughput") == doctest::Approx(8).epsilon(0.01));
  CHECK(found.number("pipe.sp.throughput[warps=6]") < 7.5);
  CHECK(found.number("pipe.sp.throughput[warps=7]") < 7.5);
  CHECK(found.number("pipe.sp.latency[warps=3]") == doctest::Approx(24).epsilon(0.01));
}

TEST_CASE("planted pipes: the number of warps that fills them comes back") {
  std::mt19937 random(6);
  for (int device = 0; device < 60; ++device) {
    const double issue = 1 + device % 5;
    const int fills = std::uniform_int_distribution<int>(2, 11)(random);
    const Samples samples = run_warps(issue * fills, issue, 16, {1, 0, 1}, no_excess);
    const Findings found(warps(), samples);
    CAPTURE(device);
    if (!found.measured("pipe.sp.warps_to_saturate")) continue;
    CHECK(found.number("pipe.sp.warps_to_saturate") == fills);
    CHECK(found.holds("pipe.sp.warps_to_saturate", fills));
    CHECK(found.number("pipe.sp.warps_flat") == fills);
  }
}

TEST_CASE("a pipe that the sweep does not fill has no such number") {
  const Findings found(warps(), run_warps(24, 1, 16, {1, 0, 2}, no_excess));
  CHECK(found["pipe.sp.warps_to_saturate"].verdict == Verdict::not_observed);
  CHECK(found.number("pipe.sp.warps_flat") == 16);
  CHECK_FALSE(found["pipe.sp.warps_flat"].high.has_value());
}

TEST_CASE("warps gives nothing where one number of warps has no line, and refuses other axes") {
  Samples samples = run_warps(24, 4, 16, {1, 0, 2}, no_excess);
  CHECK(refusal(statement("warps", {{"x", "warps"}}), samples).find("count must name an axis") !=
        std::string::npos);
  CHECK(refusal(statement("warps", {{"x", "warps"}, {"count", "count"}, {"by", "count"}}), samples)
            .find("no argument 'by'") != std::string::npos);
  for (std::size_t row = 0; row < samples.rows(); ++row)
    if (samples.columns[0].numbers[row] == 9) samples.columns[3].numbers[row] = 500;
  const Findings found(warps(), samples);
  CHECK(found["pipe.sp.latency[warps=9]"].verdict == Verdict::inconclusive);
  CHECK(found["pipe.sp.warps_to_saturate"].verdict == Verdict::inconclusive);
  CHECK(found.number("pipe.sp.latency[warps=8]") == doctest::Approx(32).epsilon(0.01));
}

TEST_CASE("peak_flops: executions of one SM are operations a second of all, by type") {
  DeviceInfo device = device_of(10);
  device.clock_hz = 1e9;
  const Samples samples = run_operations({{"fma.rn.f32", 4, 8},
                                          {"fma.f16x2", 4, 4},
                                          {"mma.m16n8k16.f32.f16", 32, 16},
                                          {"add.u32", 4, 8}},
                                         {});
  const Experiment peaks = statement("peak_flops", {{"op", "op"}, {"count", "count"}},
                                     {{"threads", Quantity{kThreads, Unit::none}}});
  const Findings found(peaks, samples, device);
  CHECK(found.number("peak.f32") == doctest::Approx(2 * 64 * 10e9));
  CHECK(found.number("peak.f16") == doctest::Approx(4 * 128 * 10e9));
  CHECK(found.number("peak.mma.f16") == doctest::Approx(128 * 32 * 10e9));
  CHECK(found["peak.f32"].unit == "FLOP/s");
  CHECK(found.holds("peak.f32", 2 * 64 * 10e9));
  CHECK(found.find("peak.u32") == nullptr);
  device.clock_hz = 0;  // Not reported: no rate a second.
  CHECK_FALSE(Findings(peaks, samples, device).measured("peak.f32"));
}
