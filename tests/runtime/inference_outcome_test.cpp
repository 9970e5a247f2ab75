// barrier, outcomes and register_file on planted launches.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "inference_samples.h"

using namespace gpx;
using namespace gpx::testing;

namespace {

using Role = Column::Role;

Samples barrier_columns() {
  Samples samples;
  samples.columns = {number_column("count", Role::axis),
                     text_column("measure", Role::axis),
                     number_column("repetition", Role::repetition),
                     number_column("block", Role::record),
                     number_column("thread", Role::record),
                     text_column("stamp", Role::record),
                     number_column("latency", Role::observed, Unit::clock),
                     number_column("clock", Role::observed, Unit::clock),
                     number_column("sm", Role::observed),
                     number_column("seen", Role::observed),
                     text_column("outcome", Role::observed)};
  return samples;
}

void add_latency(Samples& samples, const std::string& measure, double count, double clocks) {
  for (double r = 0; r < 3; ++r)
    add_cells(samples, {count, measure, r, kNull, kNull, std::string(), clocks + (r == 1), kNull,
                        kNull, kNull, std::string()});
}

void add_seen(Samples& samples, const std::string& measure, double seen,
              const std::string& outcome = "completed") {
  for (double r = 0; r < 2; ++r)
    add_cells(samples,
              {1.0, measure, r, kNull, kNull, std::string(), kNull, kNull, kNull, seen, outcome});
}

void add_stamp(Samples& samples, const std::string& measure, double r, double thread, int barrier,
               double clock) {
  add_cells(samples, {1.0, measure, r, 0.0, thread, fmt::format("b{}", barrier), kNull, clock, 2.0,
                      kNull, std::string("completed")});
}

Findings barrier(const Samples& samples, const std::vector<std::pair<std::string, Value>>& values,
                 bool counted = false) {
  return Findings(
      statement("barrier",
                counted ? std::vector<std::pair<std::string, std::string>>{{"count", "count"}}
                        : std::vector<std::pair<std::string, std::string>>{},
                values),
      samples);
}

Value word(const std::string& text) {
  return text;
}

}  // namespace

TEST_CASE("a barrier's latency is the slope over barriers in a row") {
  for (const double each : {4.0, 20.0, 37.5}) {
    Samples samples = barrier_columns();
    for (const double count : {8, 16, 32, 48, 64}) {
      add_latency(samples, "one", count, std::floor(60 + each * count));
      add_latency(samples, "full", count, std::floor(90 + 3 * each * count));
    }
    const Findings found = barrier(
        samples,
        {{"latency", word("one")}, {"full", word("full")}, {"warps", Quantity{16, Unit::none}}},
        true);
    CHECK(found.holds("barrier.latency", each));
    CHECK(found.number("barrier.latency") == doctest::Approx(each).epsilon(0.02));
    CHECK(found.number("barrier.latency[warps=16]") == doctest::Approx(3 * each).epsilon(0.02));
  }
}

TEST_CASE("Listing 5: stale values say warp; fresh ones in both arrangements say thread") {
  struct Case {
    double first, second;
    Verdict verdict;
    const char* value;
  };
  for (const Case& one :
       {Case{0, 1, Verdict::measured, "warp"}, Case{1, 0, Verdict::measured, "warp"},
        Case{0, 0, Verdict::measured, "warp"}, Case{1, 1, Verdict::measured, "thread"},
        Case{kNull, 1, Verdict::inconclusive, ""}}) {
    Samples samples = barrier_columns();
    add_seen(samples, "listing5", one.first);
    add_seen(samples, "swapped", one.second);
    const Findings found =
        barrier(samples, {{"halves", word("listing5")}, {"swapped", word("swapped")}});
    CHECK(found["barrier.granularity"].verdict == one.verdict);
    if (one.verdict == Verdict::measured) CHECK(found.text("barrier.granularity") == one.value);
  }
}

TEST_CASE("fresh values in one arrangement, a deadlock, or values that change decide nothing") {
  Samples samples = barrier_columns();
  add_seen(samples, "listing5", 1);
  CHECK(barrier(samples, {{"halves", word("listing5")}})["barrier.granularity"].verdict ==
        Verdict::inconclusive);
  Samples stuck = barrier_columns();
  add_seen(stuck, "listing5", kNull, "deadlock");
  const Findings found = barrier(stuck, {{"halves", word("listing5")}});
  CHECK(found["barrier.granularity"].verdict == Verdict::inconclusive);
  CHECK(found["barrier.granularity"].note.find("deadlock") != std::string::npos);
  Samples changing = barrier_columns();
  add_seen(changing, "listing5", 0);
  add_seen(changing, "listing5", 1);
  CHECK(barrier(changing, {{"halves", word("listing5")}})["barrier.granularity"].verdict ==
        Verdict::inconclusive);
}

namespace {

/// Two launches of Listing 7, in which barrier b lets its threads go at release[b].
Findings released(const std::vector<double>& release) {
  Samples samples = barrier_columns();
  for (const double r : {0, 1})
    for (int thread = 0; thread < 64; ++thread) {
      const auto stamp = [&](int barrier, double late) {
        add_stamp(samples, "listing7", r, thread, barrier,
                  1e6 * r + release[static_cast<std::size_t>(barrier - 1)] + late);
      };
      if (thread < 32) stamp(thread < 16 ? 1 : 2, 4);
      if (thread >= 32) stamp(3, 0), stamp(4, 2);
    }
  return barrier(samples, {{"pairs", word("listing7")}});
}

}  // namespace

TEST_CASE("Listing 7: barriers whose threads go together are one") {
  CHECK(released({9000, 1000, 1008, 9020}).text("barrier.listing7") == "2-3 1-4");
  CHECK(released({1000, 9000, 1008, 9020}).text("barrier.listing7") == "1-3 2-4");
  CHECK(released({1000, 1004, 1008, 9020}).text("barrier.listing7") == "1-2-3 4");
  CHECK(released({1000, 3000, 5000, 7000})["barrier.listing7"].verdict == Verdict::inconclusive);
  CHECK(released({1000, 1004, 1008, 1010})["barrier.listing7"].verdict == Verdict::inconclusive);
}

TEST_CASE("barrier refuses what it cannot judge") {
  Samples samples = barrier_columns();
  add_seen(samples, "listing5", 0);
  const auto refused = [&](const std::vector<std::pair<std::string, Value>>& values) {
    return refusal(statement("barrier", {}, values), samples);
  };
  CHECK(refused({}).find("must name a measure") != std::string::npos);
  CHECK(refused({{"latency", word("listing5")}}).find("count must name an axis") !=
        std::string::npos);
  CHECK(refused({{"halves", word("listing9")}}).find("no measure 'listing9'") != std::string::npos);
  CHECK(refused({{"half", word("listing5")}}).find("no argument 'half'") != std::string::npos);
}

TEST_CASE("an outcome is stated where all launches of the measure ended alike") {
  Samples samples = barrier_columns();
  add_seen(samples, "listing4", kNull, "deadlock");
  add_seen(samples, "listing6", 0);
  add_seen(samples, "flaky", 0);
  add_seen(samples, "flaky", kNull, "deadlock");
  samples.columns[2].numbers.back() = 7;
  const Findings found(statement("outcomes", {},
                                 {{"listing4", word("simt.listing4")},
                                  {"listing6", word("barrier.listing6")},
                                  {"flaky", word("simt.flaky")}}),
                       samples);
  CHECK(found.text("simt.listing4") == "deadlock");
  CHECK(found.text("barrier.listing6") == "completed");
  CHECK(found["simt.flaky"].verdict == Verdict::inconclusive);
  CHECK(refusal(statement("outcomes", {}), samples).find("must name a measure") !=
        std::string::npos);
}

namespace {

struct RegisterFile {
  int registers = 16384, threads = 64, each = 4, most = 128;
  bool fits(int block, int of_thread) const {
    const auto up = [](int value, int multiple) {
      return (value + multiple - 1) / multiple * multiple;
    };
    return of_thread <= most && up(block, threads) * up(of_thread, each) <= registers;
  }
};

Samples launch_blocks(const RegisterFile& file, int last_threads, int step, int last_registers) {
  Samples samples;
  samples.columns = {number_column("registers", Role::axis), number_column("threads", Role::axis),
                     number_column("repetition", Role::repetition),
                     text_column("outcome", Role::observed)};
  for (int registers = 16; registers <= last_registers; registers += 4)
    for (int threads = step; threads <= last_threads; threads += step)
      add_cells(samples,
                {double(registers), double(threads), 0.0,
                 std::string(file.fits(threads, registers) ? "completed" : "launch_failure")});
  return samples;
}

Experiment register_file(double at = 88) {
  return statement("register_file", {{"x", "registers"}, {"threads", "threads"}},
                   {{"at", Quantity{at, Unit::none}}});
}

}  // namespace

TEST_CASE("Fig. 9: 16384 registers, blocks in steps of 64 threads, 128 threads of 88") {
  const Findings found(register_file(), launch_blocks({}, 512, 32, 128));
  CHECK(found.number("regfile.registers") == 16384);
  CHECK(*found["regfile.registers"].high < 16384 + 320);
  CHECK(found.number("regfile.thread_quantum") == 64);
  CHECK(found.number("regfile.max_threads[registers=88]") == 128);
}

TEST_CASE("planted register files: the size lies in the interval, a multiple is never wrong") {
  int measured = 0, files = 0;
  for (const int size : {8192, 16384, 32768, 65536})
    for (const int threads : {32, 64, 96, 128})
      for (const int each : {1, 2, 4, 8}) {
        const RegisterFile file{size, threads, each, 255};
        const Findings found(register_file(), launch_blocks(file, 1024, 32, 252));
        CAPTURE(size);
        CAPTURE(threads);
        CAPTURE(each);
        ++files;
        if (found.measured("regfile.registers")) CHECK(found.holds("regfile.registers", size));
        if (found.measured("regfile.thread_quantum")) {
          ++measured;
          CHECK(found.number("regfile.thread_quantum") == threads);
        }
        if (found.measured("regfile.register_quantum"))
          CHECK(found.number("regfile.register_quantum") == each);
      }
  MESSAGE(measured << " of " << files << " thread quanta measured");
  CHECK(measured >= 32);
}

TEST_CASE("blocks that all launch, that fail now and then, or by no rule say nothing of a file") {
  const Findings all(register_file(), launch_blocks({1 << 20, 32, 1, 255}, 512, 32, 128));
  CHECK(all["regfile.registers"].verdict == Verdict::not_observed);
  Samples flaky = launch_blocks({}, 512, 32, 128);
  for (std::size_t row = flaky.rows(); row-- > 0;) {
    add_cells(flaky, {flaky.columns[0].numbers[row], flaky.columns[1].numbers[row], 1.0,
                      row == 100 ? std::string("launch_failure") : flaky.columns[3].texts[row]});
  }
  CHECK(Findings(register_file(), flaky)["regfile.registers"].verdict == Verdict::inconclusive);
  Samples odd = launch_blocks({}, 512, 32, 128);
  for (std::size_t row = 0; row < odd.rows(); ++row)
    if (odd.columns[0].numbers[row] == 32 && odd.columns[1].numbers[row] >= 96)
      odd.columns[3].texts[row] = "launch_failure";
  CHECK(Findings(register_file(), odd)["regfile.registers"].verdict == Verdict::inconclusive);
  CHECK(refusal(register_file(89), odd).find("does not have 89 registers") != std::string::npos);
}
