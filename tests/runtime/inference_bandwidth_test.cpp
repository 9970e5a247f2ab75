// level_bandwidth, atomics and the throughput of wgmma on planted slopes: what they state must
// hold, what the samples do not decide they must not state.
#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "inference_samples.h"

using namespace gpx;
using namespace gpx::testing;

namespace {

using Curve = std::function<double(double n)>;

Samples columns() {
  using Role = Column::Role;
  Samples samples;
  samples.columns = {text_column("op", Role::axis),
                     text_column("where", Role::axis),
                     number_column("n", Role::axis),
                     text_column("measure", Role::axis),
                     number_column("repetition", Role::repetition),
                     number_column("latency", Role::observed, Unit::clock),
                     number_column("time", Role::observed, Unit::second),
                     number_column("bytes", Role::observed, Unit::byte)};
  return samples;
}

Samples measured(const std::string& measure, const Curve& latency, const Curve& time,
                 double bytes_of_one) {
  Samples samples = columns();
  samples.columns.erase(samples.columns.begin(), samples.columns.begin() + 2);
  for (const double n : {4.0, 8.0, 12.0, 16.0, 20.0})
    for (const double r : {0.0, 1.0, 2.0})
      add_cells(samples, {n, measure, r, latency(n), time(n), bytes_of_one * n});
  return samples;
}

double none(double) {
  return std::nan("");
}

Finding bandwidth_of(const Samples& samples, const std::string& name) {
  return Findings(statement("level_bandwidth", {{"count", "n"}, {"bytes", "bytes"}}),
                  samples)[name];
}

}  // namespace

TEST_CASE("bytes a clock are the slope's, whatever a launch takes") {
  const Finding found =
      bandwidth_of(measured(
                       "shared", [](double n) { return 200 + 32 * n; }, none, 4096),
                   "bandwidth.shared");
  CHECK(found.verdict == Verdict::measured);
  CHECK(found.unit == "B/clk");
  CHECK(std::get<double>(found.value) == doctest::Approx(128));
}

// 32 clocks a load and 8 an addition, which may or may not run beside other loads.
TEST_CASE("a region that sums what it loads moves at least as many bytes as its time says") {
  Samples samples = measured(
      "l1", [](double n) { return 200 + 38 * n; }, none, 4096);
  for (const double n : {4.0, 8.0, 12.0, 16.0, 20.0})
    add_cells(samples, {n, std::string("sum"), 0.0, 50 + 8 * n, std::nan(""), std::nan("")});
  const Findings findings(
      statement("level_bandwidth", {{"count", "n"}, {"bytes", "bytes"}, {"sum", "sum"}}), samples);
  const Finding found = findings["bandwidth.l1"];
  CHECK(found.verdict == Verdict::measured);
  CHECK(found.low.value() == doctest::Approx(4096.0 / 38).epsilon(0.05));
  CHECK(found.high.value() == doctest::Approx(4096.0 / 30).epsilon(0.05));
}

TEST_CASE("bytes a second are those of the grid") {
  const Finding found =
      bandwidth_of(measured(
                       "read", none, [](double n) { return 5e-6 + 1e-4 * n; }, 3e8),
                   "bandwidth.read");
  CHECK(found.verdict == Verdict::measured);
  CHECK(found.unit == "B/s");
  CHECK(std::get<double>(found.value) == doctest::Approx(3e12));
}

// 128 B a clock of L1, 64 B around it; another one that loads around L1 are as fast as.
TEST_CASE("a level that reads around it are as fast as is not seen") {
  for (const double around : {64.0, 32.0}) {
    Samples samples = measured(
        "l1", [](double n) { return 200 + 32 * n; }, none, 4096);
    for (const double n : {4.0, 8.0, 12.0, 16.0, 20.0})
      add_cells(samples,
                {n, std::string("around_l1"), 0.0, 300 + around * n, std::nan(""), 4096 * n});
    const Findings findings(
        statement("level_bandwidth", {{"count", "n"}, {"bytes", "bytes"}},
                  {{"within", std::string("l1")}, {"above", std::string("around_l1")}}),
        samples);
    CHECK(findings.find("bandwidth.around_l1") == nullptr);
    const Finding& found = findings["bandwidth.l1"];
    CHECK((found.verdict == Verdict::measured) == (around == 64));
    if (around == 64) CHECK(std::get<double>(found.value) == doctest::Approx(128));
    if (around != 64) CHECK(found.note.find("nothing shows that it served") != std::string::npos);
  }
}

TEST_CASE("what L2 may hold is no bandwidth of the memory") {
  const Samples samples = measured(
      "dram_write", none, [](double n) { return 5e-6 + 1e-4 * n; }, 1 << 20);
  for (const double past : {3e6, 5e6}) {  // The first point stores 4 MB.
    const Findings findings(statement("level_bandwidth", {{"count", "n"}, {"bytes", "bytes"}},
                                      {{"past", Quantity{past, Unit::byte}}}),
                            samples);
    const Finding& found = findings["bandwidth.dram_write"];
    CHECK((found.verdict == Verdict::measured) == (past == 3e6));
    if (past == 5e6) CHECK(found.note.find("may stay in L2") != std::string::npos);
  }
}

TEST_CASE("a curve that bends gives no bandwidth") {
  const auto bent = [](double n) { return n < 10 ? 100 + 10 * n : 200 + 40 * (n - 10); };
  CHECK(bandwidth_of(measured("l2", bent, none, 4096), "bandwidth.l2").verdict ==
        Verdict::inconclusive);
  const auto flat = [](double) { return 500.0; };
  CHECK(bandwidth_of(measured("l2", flat, none, 4096), "bandwidth.l2").verdict ==
        Verdict::inconclusive);
}

TEST_CASE("what fills a pipeline first is judged by the later accesses") {
  Samples samples = columns();
  samples.columns.erase(samples.columns.begin(), samples.columns.begin() + 2);
  for (double n = 1; n <= 14; ++n)
    add_cells(samples, {n, std::string("copy"), 0.0, n <= 5 ? 300 + 100 * n : 550 + 50 * n, kNull,
                        4096 * n});
  const Finding found = bandwidth_of(samples, "bandwidth.copy");
  CHECK(found.verdict == Verdict::measured);
  CHECK(std::get<double>(found.value) == doctest::Approx(4096.0 / 50).epsilon(0.02));
  CHECK(found.note.find("the first ones cost more or less") != std::string::npos);
}

// The scatter of one repetition is 40 clocks, that of a median of 25 a fifth of it.
TEST_CASE("a median of many repetitions is known better than one of them") {
  Samples samples = columns();
  samples.columns.erase(samples.columns.begin(), samples.columns.begin() + 2);
  std::mt19937_64 random(7);
  std::normal_distribution<double> scatter(0, 40);
  for (double n = 4; n <= 24; n += 2)
    for (double r = 0; r < 25; ++r)
      add_cells(samples, {n, std::string("copy"), r, std::round(500 + 32 * n + scatter(random)),
                          kNull, 4096 * n});
  const Finding found = bandwidth_of(samples, "bandwidth.copy");
  REQUIRE(found.verdict == Verdict::measured);
  CHECK(found.low.value() < 128);
  CHECK(found.high.value() > 128);
  CHECK(found.high.value() - found.low.value() < 0.1 * 128);
}

// A product takes one clock of 1 GHz; with random data the clock is another one at each point.
TEST_CASE("a clock that moves between points leaves the throughput of products") {
  using Role = Column::Role;
  Samples samples;
  samples.columns = {text_column("op", Role::axis),
                     text_column("contents", Role::axis),
                     number_column("count", Role::axis),
                     number_column("repetition", Role::repetition),
                     number_column("time", Role::observed, Unit::second),
                     number_column("groups", Role::observed)};
  const std::vector<double> slower = {1.0, 1.25, 1.05, 1.3, 1.1, 1.2};
  for (const std::string& contents : {std::string("zeros"), std::string("random")})
    for (std::size_t i = 0; i < slower.size(); ++i) {
      const double count = 64 + 16 * static_cast<double>(i);
      const double clocks = (20 + count) * 1000 * (contents == "random" ? slower[i] : 1);
      for (const double r : {0.0, 1.0, 2.0})
        add_cells(samples, {std::string("wgmma.m64n256k16.f32.f16.ss"), contents, count, r,
                            clocks * 1e-9, 1000.0});
    }
  DeviceInfo device = device_of(132);
  device.clock_hz = 1e9;
  const Findings findings(
      statement("wgmma",
                {{"op", "op"}, {"count", "count"}, {"warpgroups", "groups"}, {"data", "contents"}}),
      samples, device);
  const double operations = 2 * 64 * 256 * 16;  // of a product; a launch has a thousand of them
  const Finding zeros = findings["wgmma.throughput[type=f16,data=zeros]"];
  const Finding random = findings["wgmma.throughput[type=f16,data=random]"];
  CHECK(std::get<double>(zeros.value) == doctest::Approx(operations * 1e9 / 1e12));
  REQUIRE(random.verdict == Verdict::measured);
  CHECK(std::get<double>(random.value) ==
        doctest::Approx(operations * 1e9 / 1e12 / 1.15).epsilon(0.01));
  // The interval is that of the points, also with what their own line says of the launch.
  CHECK(random.low.value() <= operations * 1e9 / 1e12 / 1.3);
  CHECK(random.low.value() >= 0.85 * operations * 1e9 / 1e12 / 1.3);
  CHECK(random.high.value() == doctest::Approx(operations * 1e9 / 1e12).epsilon(0.01));
}

TEST_CASE("the rate of products needs no data, and tells shapes apart") {
  using Role = Column::Role;
  Samples samples;
  samples.columns = {text_column("op", Role::axis), number_column("count", Role::axis),
                     number_column("repetition", Role::repetition),
                     number_column("latency", Role::observed, Unit::clock),
                     number_column("groups", Role::observed)};
  for (const double n : {8.0, 64.0, 256.0})
    for (const char* operands : {"ss", "rs"})
      for (const double count : {8.0, 16.0, 24.0, 32.0})
        add_cells(samples, {fmt::format("wgmma.m64n{}k16.f32.f16.{}", n, operands), count, 0.0,
                            100 + count * n * 2, 2.0});
  const Findings findings(
      statement("wgmma", {{"op", "op"}, {"count", "count"}, {"warpgroups", "groups"}}), samples);
  for (const int n : {8, 64, 256})
    for (const char* operands : {"ss", "rs"}) {
      const std::string name = fmt::format("wgmma.rate[n={},operands={},type=f16]", n, operands);
      CAPTURE(name);
      REQUIRE(findings.measured(name));
      CHECK(std::get<double>(findings[name].value) == doctest::Approx(2 * 64 * 16 * 2 / 2.0));
    }
}

TEST_CASE("atomics have the latency of their chain and the throughput of each measure") {
  Samples samples = columns();
  for (const std::string& measure :
       {std::string("latency"), std::string("same"), std::string("line")})
    for (const double n : {4.0, 8.0, 12.0, 16.0, 20.0})
      for (const double r : {0.0, 1.0, 2.0}) {
        const double clocks = measure == "latency" ? 60 * n : measure == "same" ? 1024 * n : 64 * n;
        add_cells(samples, {std::string("atom.add.u32"), std::string("shared"), n, measure, r,
                            40 + clocks, std::nan(""), std::nan("")});
      }
  const Findings findings(statement("atomics", {{"op", "op"}, {"space", "where"}, {"count", "n"}},
                                    {{"threads", Quantity{1024, Unit::none}}}),
                          samples);
  const auto value = [&](const std::string& name) {
    REQUIRE(findings.measured(name));
    return std::get<double>(findings[name].value);
  };
  CHECK(value("atomic.latency[op=atom.add.u32,space=shared]") == doctest::Approx(60));
  CHECK(value("atomic.throughput[op=atom.add.u32,space=shared,at=same]") == doctest::Approx(1));
  CHECK(value("atomic.throughput[op=atom.add.u32,space=shared,at=line]") == doctest::Approx(16));
}

TEST_CASE("atomics at several places have the mean over them, if the axis is named") {
  using Role = Column::Role;
  Samples samples;
  samples.columns = {text_column("op", Role::axis),
                     text_column("where", Role::axis),
                     number_column("at", Role::axis),
                     number_column("n", Role::axis),
                     text_column("measure", Role::axis),
                     number_column("repetition", Role::repetition),
                     number_column("latency", Role::observed, Unit::clock)};
  for (const double at : {1.0, 2.0, 3.0, 4.0})
    for (const double n : {4.0, 8.0, 12.0, 16.0})
      for (const double r : {0.0, 1.0})
        add_cells(samples, {std::string("atom.add.u32"), std::string("global"), at, n,
                            std::string("latency"), r, 40 + (500 + at) * n});
  Experiment averaged =
      statement("atomics", {{"op", "op"}, {"space", "where"}, {"count", "n"}, {"at", "at"}},
                {{"threads", Quantity{1, Unit::none}}});
  averaged.reduce = Reduce::mean;
  const Findings found(averaged, samples);
  CHECK(found.number("atomic.latency[op=atom.add.u32,space=global]") == doctest::Approx(502.5));
  CHECK(refusal(statement("atomics", {{"op", "op"}, {"space", "where"}, {"count", "n"}},
                          {{"threads", Quantity{1, Unit::none}}}),
                samples)
            .find("the sweep also varies 'at'") != std::string::npos);
}
