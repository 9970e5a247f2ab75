// p2p and the peer's atomics on planted samples: what they state must hold, what the samples do not
// decide they must not state.
#include <cmath>
#include <functional>

#include "inference_samples.h"

using namespace gpx;
using namespace gpx::testing;

namespace {

using Role = Column::Role;

/// Latencies of chases; `noise` is what repetitions differ by, as a share.
struct Chases {
  Chases() {
    samples.columns = {number_column("size", Role::axis, Unit::byte),
                       text_column("measure", Role::axis),
                       number_column("repetition", Role::repetition),
                       number_column("latency", Role::observed, Unit::clock)};
  }
  void add(const std::string& measure, double size, double latency, double noise = 0.002) {
    for (const double r : {0.0, 1.0, 2.0})
      add_cells(samples, {size, measure, r, latency * (1 + noise * (r - 1))});
  }
  Findings findings() const { return Findings(statement("p2p", {{"size", "size"}}), samples); }
  Samples samples;
};

/// What grids or blocks take: `seconds` or clocks for n accesses a thread of so many bytes in all.
struct Moves {
  explicit Moves(bool by_time) : timed(by_time) {
    samples.columns = {number_column("width", Role::axis, Unit::byte),
                       number_column("n", Role::axis),
                       text_column("measure", Role::axis),
                       number_column("repetition", Role::repetition),
                       timed ? number_column("time", Role::observed, Unit::second)
                             : number_column("latency", Role::observed, Unit::clock),
                       number_column("bytes", Role::observed, Unit::byte)};
  }
  void add(const std::string& measure, double width, const std::function<double(double)>& takes,
           const std::function<double(double)>& bytes) {
    for (const double n : {8.0, 12.0, 16.0, 20.0, 24.0})
      for (const double r : {0.0, 1.0, 2.0})
        add_cells(samples, {width, n, measure, r, takes(n), bytes(n)});
  }
  Findings findings() const {
    return Findings(statement("p2p", {{"count", "n"}, {"bytes", "bytes"}, {"key", "width"}}),
                    samples);
  }
  bool timed;
  Samples samples;
};

double value_of(const Findings& findings, const std::string& name) {
  return findings.number(name);
}

}  // namespace

TEST_CASE("a chase has its latency by space, operator and bytes, and what the peer's takes more") {
  Chases chases;
  for (const double size : {65536.0, 1048576.0}) {
    chases.add("global_cg", size, 270);
    chases.add("peer_cg", size, 1200);
  }
  chases.add("global_ca", 65536, 40);
  chases.add("peer_ca", 65536, 45);
  const Findings found = chases.findings();
  CHECK(value_of(found, "p2p.latency[space=global,cache=cg,bytes=65536]") == 270);
  CHECK(value_of(found, "p2p.latency[space=peer,cache=cg,bytes=1048576]") == 1200);
  CHECK(value_of(found, "p2p.over_own[cache=cg,bytes=1048576]") == 930);
  CHECK(value_of(found, "p2p.over_own[cache=ca,bytes=65536]") == 5);
  const Finding more = found["p2p.over_own[cache=cg,bytes=65536]"];
  CHECK(more.low.value() <= 930 - 2.4 - 0.54);
  CHECK(more.high.value() >= 930 + 2.4 + 0.54);
}

TEST_CASE("repetitions that differ decide no latency, nor what it is compared with") {
  Chases chases;
  chases.add("global_cg", 65536, 270);
  chases.add("peer_cg", 65536, 1200, 0.2);
  const Findings found = chases.findings();
  CHECK(found.measured("p2p.latency[space=global,cache=cg,bytes=65536]"));
  const Finding noisy = found["p2p.latency[space=peer,cache=cg,bytes=65536]"];
  CHECK(noisy.verdict == Verdict::inconclusive);
  CHECK(noisy.note.find("too noisy: the median of 3 repetitions is from 960.0 to 1440.0 clocks") !=
        std::string::npos);
  CHECK(found["p2p.over_own[cache=cg,bytes=65536]"].verdict == Verdict::inconclusive);
}

TEST_CASE("a mean of repetitions has three standard errors, however far they lie apart") {
  Chases chases;
  for (int r = 0; r < 32; ++r)
    add_cells(chases.samples,
              {65536.0, std::string("peer_ca"), double(r), r < 16 ? 1100.0 : 1160.0});
  Experiment experiment = statement("p2p", {{"size", "size"}});
  experiment.reduce = Reduce::mean;
  const Finding mean =
      Findings(experiment, chases.samples)["p2p.latency[space=peer,cache=ca,bytes=65536]"];
  CHECK(mean.verdict == Verdict::measured);
  CHECK(std::get<double>(mean.value) == 1130);
  // Their standard deviation is 30.48 clocks; they lie 5.3 % apart.
  CHECK(*mean.low == doctest::Approx(1130 - 3 * 30.48 / std::sqrt(32)).epsilon(0.001));
  CHECK(*mean.high == doctest::Approx(1130 + 3 * 30.48 / std::sqrt(32)).epsilon(0.001));
}

TEST_CASE("a median of many repetitions is between ranks, so that an outlier moves nothing") {
  Chases chases;
  for (int r = 0; r < 100; ++r)
    add_cells(chases.samples,
              {65536.0, std::string("peer_ca"), double(r), r == 7 ? 90000.0 : 1000.0 + 0.1 * r});
  const Finding median = chases.findings()["p2p.latency[space=peer,cache=ca,bytes=65536]"];
  CHECK(median.verdict == Verdict::measured);
  CHECK(std::get<double>(median.value) == doctest::Approx(1005.05));
  // Three standard errors of the rank are 15 of 100: ranks 35 and 66.
  CHECK(*median.low == doctest::Approx(1003.5));
  CHECK(*median.high == doctest::Approx(1006.6));
}

TEST_CASE("one repetition says nothing of its error") {
  Chases chases;
  add_cells(chases.samples, {65536.0, std::string("peer_cg"), 0.0, 1200.0});
  CHECK(chases.findings()["p2p.latency[space=peer,cache=cg,bytes=65536]"].verdict ==
        Verdict::inconclusive);
}

TEST_CASE("times that are multiples of a tick have a median between its multiples") {
  const double tick = 32e-9;
  Moves moves(true);
  // A launch takes 2 us and 97 ns more for each access of a thread. It begins anywhere within a
  // tick.
  for (const double n : {8.0, 12.0, 16.0, 20.0, 24.0})
    for (int r = 0; r < 40; ++r) {
      const double takes = 2e-6 + n * 97e-9 + (r % 5 - 2) * 4e-9;
      const double ticks = std::floor(takes / tick + r / 40.0);
      add_cells(moves.samples,
                {16.0, n, std::string("peer_read"), double(r), ticks * tick, 1000 * n});
    }
  const Finding rate = moves.findings()["p2p.bandwidth[space=peer,op=read,width=16]"];
  CHECK(rate.verdict == Verdict::measured);
  // Plain medians give 96 ns, 1 % off.
  CHECK(std::get<double>(rate.value) == doctest::Approx(1000 / 97e-9).epsilon(0.006));
}

TEST_CASE("places count as repetitions where they are named, and are refused else") {
  Samples samples;
  samples.columns = {number_column("at", Role::axis),
                     number_column("n", Role::axis),
                     text_column("measure", Role::axis),
                     number_column("repetition", Role::repetition),
                     number_column("latency", Role::observed, Unit::clock),
                     number_column("bytes", Role::observed, Unit::byte)};
  for (const double at : {1.0, 2.0, 3.0})
    for (const double n : {2.0, 3.0, 4.0, 5.0, 6.0})
      add_cells(samples, {at, n, std::string("global_read"), 0.0, 500 + n * (100 + at), 8192 * n});
  Experiment named = statement("p2p", {{"count", "n"}, {"bytes", "bytes"}, {"at", "at"}});
  named.reduce = Reduce::mean;
  CHECK(value_of(Findings(named, samples), "p2p.bandwidth[space=global,op=read,of=sm]") ==
        doctest::Approx(8192 / 102.0));
  CHECK(refusal(statement("p2p", {{"count", "n"}, {"bytes", "bytes"}}), samples)
            .find("the sweep also varies 'at'") != std::string::npos);
}

TEST_CASE("a link's bytes a second are the slope's, whatever a launch takes") {
  Moves moves(true);
  const auto bytes = [](double n) { return 2e6 * n; };
  moves.add(
      "peer_read", 4, [](double n) { return 1e-5 + n * 1e-5; }, bytes);  // 2 MB in 10 µs
  moves.add(
      "peer_read", 16, [](double n) { return 1e-5 + n * 5e-6; }, bytes);
  moves.add(
      "peer_copy", 16, [](double n) { return 1e-5 + n * 2.5e-6; }, bytes);
  const Findings found = moves.findings();
  CHECK(value_of(found, "p2p.bandwidth[space=peer,op=read,width=4]") == doctest::Approx(2e11));
  CHECK(value_of(found, "p2p.bandwidth[space=peer,op=read,width=16]") == doctest::Approx(4e11));
  CHECK(value_of(found, "p2p.bandwidth[space=peer,op=copy,width=16]") == doctest::Approx(8e11));
  CHECK(found["p2p.bandwidth[space=peer,op=read,width=4]"].unit == "B/s");
}

TEST_CASE("a block's bytes have clocks") {
  Moves moves(false);
  moves.add(
      "peer_read", 16, [](double n) { return 1200 + n * 512; }, [](double n) { return 8192 * n; });
  const Findings found = moves.findings();
  const std::string name = "p2p.bandwidth[space=peer,op=read,width=16,of=sm]";
  CHECK(value_of(found, name) == doctest::Approx(16));
  CHECK(found[name].unit == "B/clk");
}

TEST_CASE("times that do not grow, bend, or count other bytes decide no bandwidth") {
  const auto bytes = [](double n) { return 2e6 * n; };
  const auto verdict = [&](const std::function<double(double)>& takes,
                           const std::function<double(double)>& of) {
    Moves moves(true);
    moves.add("peer_write", 16, takes, of);
    return moves.findings()["p2p.bandwidth[space=peer,op=write,width=16]"].verdict;
  };
  const auto line = [](double n) { return 1e-5 + n * 1e-5; };
  CHECK(verdict(line, bytes) == Verdict::measured);
  CHECK(verdict([](double) { return 2e-5; }, bytes) == Verdict::inconclusive);
  CHECK(verdict([](double n) { return n < 15 ? n * 1e-5 : 1.5e-4 + (n - 15) * 5e-5; }, bytes) ==
        Verdict::inconclusive);
  CHECK(verdict(line, [](double n) { return n < 15 ? 2e6 * n : 3e6 * n; }) ==
        Verdict::inconclusive);
}

TEST_CASE("measures must name a space and what is done there") {
  Chases chases;
  chases.add("peer", 65536, 1200);
  CHECK(refusal(statement("p2p", {{"size", "size"}}), chases.samples)
            .find("'peer' must be named by a space") != std::string::npos);
}

TEST_CASE("atomics of the peer have its names, and those of a grid a rate in seconds") {
  Samples samples;
  samples.columns = {text_column("op", Role::axis),
                     text_column("where", Role::axis),
                     number_column("n", Role::axis),
                     text_column("measure", Role::axis),
                     number_column("repetition", Role::repetition),
                     number_column("time", Role::observed, Unit::second)};
  for (const std::string& where : {std::string("global"), std::string("peer")})
    for (const double n : {8.0, 16.0, 24.0, 32.0})
      for (const double r : {0.0, 1.0, 2.0})
        add_cells(samples, {std::string("red.add.u32"), where, n, std::string("same"), r,
                            1e-5 + n * (where == "peer" ? 4e-6 : 1e-6)});
  const Findings found(
      statement("atomics", {{"op", "op"}, {"space", "where"}, {"count", "n"}},
                {{"threads", Quantity{4000, Unit::none}}, {"of", std::string("p2p.atomic")}}),
      samples);
  const std::string name = "p2p.atomic.throughput[op=red.add.u32,space=peer,at=same]";
  CHECK(value_of(found, name) == doctest::Approx(1e9));
  CHECK(found[name].unit == "ops/s");
  CHECK(value_of(found, "p2p.atomic.throughput[op=red.add.u32,space=global,at=same]") ==
        doctest::Approx(4e9));
}
