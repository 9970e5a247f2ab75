#include "runtime/measure/measure.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <thread>

#include "codegen/toolchain/nvrtc_toolchain.h"
#include "runtime/measure/stopping.h"

namespace gpx {
namespace {

using Role = codegen::ResultSlot::Role;

/// A device whose latency is 100 clocks a thread, with hooks for what can go wrong.
class FakeBackend : public Backend {
 public:
  std::function<std::uint64_t(std::uint32_t threads, std::uint32_t repetition)> checksum =
      [](std::uint32_t threads, std::uint32_t) { return threads * 7ull; };
  std::uint64_t fails_after = ~0ull;  // launches
  std::uint64_t most_jobs = ~0ull;    // as if stopped there
  std::uint64_t launches = 0;
  int loads = 0;
  std::function<Outcome(std::uint32_t threads, std::uint32_t repetition)> outcome =
      [](std::uint32_t, std::uint32_t) { return Outcome::completed; };
  std::function<std::uint64_t(const Job&, std::uint32_t repetition)> latency =
      [](const Job& job, std::uint32_t repetition) {
        return job.launch->threads * 100ull + repetition;
      };
  std::vector<std::uint64_t> seeds;

  explicit FakeBackend(bool measured = true) { info_.measured = measured; }
  mutable std::vector<Telemetry> states;  ///< One a look, from the front; then steady.

  Telemetry telemetry() const override {
    if (states.empty()) return {};
    const Telemetry now = states.front();
    if (states.size() > 1) states.erase(states.begin());
    return now;
  }
  const DeviceInfo& info() const override { return info_; }
  const codegen::Toolchain& toolchain() const override { return toolchain_; }
  Result<void> load(const codegen::Program&, std::span<const codegen::Artifact>) override {
    ++loads;
    return {};
  }
  Result<std::vector<JobResult>> run(std::span<const Job> jobs,
                                     const std::atomic<bool>& stop) override {
    std::vector<JobResult> results;
    for (const Job& job : jobs) {
      if (stop || launches >= most_jobs) break;
      if (++launches > fails_after) return fail(Fault::device, "the device fell over");
      seeds.push_back(job.seed);
      JobResult result;
      for (std::uint32_t r = 0; r < job.repetitions; ++r) {
        const std::uint32_t threads = job.launch->threads;
        Repetition repetition{outcome(threads, r), {}, 0.5};
        if (repetition.outcome == Outcome::completed)
          repetition.results = {latency(job, r), checksum(threads, r), launches};
        result.repetitions.push_back(repetition);
      }
      results.push_back(result);
    }
    return results;
  }

 private:
  DeviceInfo info_;
  codegen::NvrtcToolchain toolchain_{{}};
};

struct Rig {
  FakeBackend backend;
  Experiment experiment;
  codegen::Program program;
  std::atomic<bool> stop{false};

  explicit Rig(int points = 100, bool measured = true) : backend(measured) {
    Axis axis;
    axis.name = "threads";
    for (int i = 1; i <= points; ++i) {
      axis.values.push_back(Quantity{double(i), Unit::none});
      codegen::Launch launch;
      launch.threads = static_cast<std::uint32_t>(i);
      program.launches.push_back(launch);
    }
    experiment.sweep.groups = {{axis}};
    program.results = {
        {"latency", 0, Role::sample}, {"checksum", 0, Role::checksum}, {"sink", 0, Role::scratch}};
    program.repetitions = 2;
  }
  Measurement run(const OnPoints& done = {}, const std::optional<MeasuredBefore>& before = {}) {
    std::vector<LoweredMeasure> measures;
    for (const Measure& each : experiment.measures) measures.push_back({&each, program, {}});
    return measure(backend, experiment, measures, 1, stop, done, before);
  }
};

TEST_CASE("samples have one row a repetition, in the order of the sweep") {
  Rig rig;
  const Measurement measured = rig.run();
  REQUIRE(measured.samples.columns.size() == 3);
  REQUIRE(measured.samples.rows() == 200);
  CHECK(measured.samples.find("threads")->numbers[3] == 2);
  CHECK(measured.samples.find("repetition")->numbers[3] == 1);
  CHECK(measured.samples.find("latency")->numbers[3] == 201);
  CHECK(measured.samples.find("latency")->unit == Unit::clock);
  CHECK_FALSE(measured.interrupted);
  CHECK_FALSE(measured.failure.has_value());
}

/// Point `threads` has noise of `threads` clocks about 1000, made of the job's seed.
void plant_noise(Rig& rig) {
  rig.program.repetitions = rig.experiment.repeat = 400;
  rig.program.until_percent = rig.experiment.until_percent = 1;
  rig.backend.latency = [](const Job& job, std::uint32_t r) {
    std::uint64_t state = job.seed + r * 0x9e3779b97f4a7c15ull;  // splitmix64
    state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9ull;
    state = (state ^ (state >> 27)) * 0x94d049bb133111ebull;
    const std::uint64_t spread = 2 * job.launch->threads + 1;
    return 1000 - job.launch->threads + (state ^ (state >> 31)) % spread;
  };
}

std::vector<std::size_t> repetitions_of(const Samples& samples) {
  std::vector<std::size_t> counts;
  for (const double repetition : samples.find("repetition")->numbers) {
    if (repetition == 0) counts.push_back(0);
    CHECK(repetition == static_cast<double>(counts.back()++));
  }
  return counts;
}

TEST_CASE("each point is repeated until its value is known well enough") {
  Rig rig(60);
  plant_noise(rig);
  const Measurement measured = rig.run();
  CHECK(measured.points == 60);
  const std::vector<std::size_t> counts = repetitions_of(measured.samples);
  REQUIRE(counts.size() == 60);
  CHECK(counts[0] == kFirstLook);  // ±0.1 %
  CHECK(counts[4] == kFirstLook);  // ±0.5 %
  CHECK(counts[29] > 20);          // ±3 %: a median needs about 70.
  CHECK(counts[29] < 200);
  CHECK(counts[59] > 100);
  std::sort(rig.backend.seeds.begin(), rig.backend.seeds.end());
  CHECK(std::unique(rig.backend.seeds.begin(), rig.backend.seeds.end()) == rig.backend.seeds.end());
}

TEST_CASE("a point that never settles ends at the cap, one without a value at the first look") {
  Rig rig(2);
  plant_noise(rig);
  rig.program.repetitions = rig.experiment.repeat = 25;
  rig.program.outcomes = true;
  rig.backend.latency = [](const Job&, std::uint32_t r) { return r % 2 ? 100 : 200; };
  rig.backend.outcome = [](std::uint32_t threads, std::uint32_t) {
    return threads == 2 ? Outcome::deadlock : Outcome::completed;
  };
  const Measurement measured = rig.run();
  CHECK(repetitions_of(measured.samples) == std::vector<std::size_t>{25, kFirstLook});
}

TEST_CASE("a run with a target that stopped goes on as if it had not") {
  Rig whole(60), first(60), second(60);
  for (Rig* rig : {&whole, &first, &second}) plant_noise(*rig);
  const Measurement all = whole.run();
  for (const std::uint64_t launches : {5ull, 40ull, 70ull, 130ull}) {
    first.backend.launches = 0;
    first.backend.most_jobs = launches;
    const Measurement part = first.run([&](const PointsMeasured&) { first.stop = true; });
    first.stop = false;
    CAPTURE(launches);
    CHECK(part.points < 60);
    const Measurement rest =
        second.run({}, MeasuredBefore{part.points, part.samples, part.values_digest});
    CHECK(to_csv(rest.samples) == to_csv(all.samples));
    CHECK(rest.values_digest == all.values_digest);
  }
}

TEST_CASE("results of the wrong length are a failure in any round") {
  Rig rig(3);
  plant_noise(rig);
  rig.backend.outcome = [&](std::uint32_t threads, std::uint32_t) {
    return threads == 3 && rig.backend.launches > 3 ? Outcome::launch_failure : Outcome::completed;
  };
  rig.backend.latency = [](const Job&, std::uint32_t r) { return r % 2 ? 100 : 200; };
  const Measurement measured = rig.run();
  REQUIRE(measured.failure.has_value());
  CHECK(measured.failure->diagnostics[0].message.find("point 2") != std::string::npos);
  CHECK(measured.points == 2);
}

Telemetry at_clock(unsigned mhz, unsigned throttled = 0) {
  Telemetry state;
  state.sm_clock_mhz = mhz;
  state.throttled = throttled;
  return state;
}

TEST_CASE("a batch at a clock that changes is measured again") {
  Rig rig(20);                                           // One batch.
  rig.backend.states = {at_clock(345), at_clock(1980)};  // It wakes up.
  const Measurement woken = rig.run();
  CHECK(rig.backend.launches == 40);
  CHECK(woken.samples.rows() == 40);
  CHECK_FALSE(woken.clock_note);
  // One step of the clock is none.
  Rig steady(20);
  steady.backend.states = {at_clock(1980), at_clock(1965)};
  CHECK_FALSE(steady.run().clock_note);
  CHECK(steady.backend.launches == 20);
}

TEST_CASE("what is metered is measured once: its clock is to fall under load") {
  Rig rig(20);
  for (codegen::Launch& each : rig.program.launches) each.metered = 1;
  rig.backend.states = {at_clock(1980), at_clock(1700), at_clock(1980), at_clock(1755)};
  CHECK_FALSE(rig.run().clock_note);
  CHECK(rig.backend.launches == 20);
}

TEST_CASE("points at a clock that does not settle are kept and told") {
  Rig rig(20);
  rig.backend.states = {at_clock(1980), at_clock(1700), at_clock(1980), at_clock(1755),
                        at_clock(1980), at_clock(1800), at_clock(1800)};
  const Measurement measured = rig.run();
  CHECK(rig.backend.launches == 60);
  CHECK(measured.samples.rows() == 40);
  REQUIRE(measured.clock_note);
  CHECK(*measured.clock_note ==
        "the SM clock changed (1800 to 1980 MHz) at 20 of 20 points, in each of 3 tries");
  Rig hot(20);
  hot.backend.states = {at_clock(1500, 1)};
  CHECK(hot.run().clock_note == "the GPU was throttled at 20 of 20 points, in each of 3 tries");
}

TEST_CASE("seconds become a column where time is observed") {
  Rig rig;
  rig.experiment.measures[0].observe = Observe::time;
  const Measurement measured = rig.run();
  REQUIRE(measured.samples.find("time"));
  CHECK(measured.samples.find("time")->numbers[0] == 0.5);
  CHECK(measured.samples.find("time")->unit == Unit::second);
}

TEST_CASE("every point has a seed of its own") {
  Rig rig;
  rig.run();
  std::sort(rig.backend.seeds.begin(), rig.backend.seeds.end());
  CHECK(std::unique(rig.backend.seeds.begin(), rig.backend.seeds.end()) == rig.backend.seeds.end());
}

TEST_CASE("the digest depends on the checksums, not on times or scratch") {
  Rig one, other, different;
  other.backend.launches = 1000;  // changes the scratch slot
  different.backend.checksum = [](std::uint32_t threads, std::uint32_t) { return threads * 8ull; };
  const std::string digest = one.run().values_digest;
  CHECK(other.run().values_digest == digest);
  CHECK(different.run().values_digest != digest);
}

TEST_CASE("two repetitions that read different values are a failure, points before it are kept") {
  Rig rig;
  rig.backend.checksum = [](std::uint32_t threads, std::uint32_t r) {
    return std::uint64_t{threads == 51 ? r : 0};
  };
  const Measurement measured = rig.run();
  REQUIRE(measured.failure.has_value());
  CHECK(measured.failure->diagnostics[0].message.find("point 50") != std::string::npos);
  CHECK(measured.samples.rows() == 100);
}

TEST_CASE("a device that fails keeps the batches before it") {
  Rig rig;
  rig.backend.fails_after = 40;
  const Measurement measured = rig.run();
  REQUIRE(measured.failure.has_value());
  CHECK(measured.failure->fault == Fault::device);
  CHECK(measured.samples.rows() == 64);
  CHECK_FALSE(measured.interrupted);
}

TEST_CASE("points of a virtual device are handed on as soon as those at once are done") {
  Rig rig(100, false);
  std::uint64_t first = 0;
  rig.run([&](const PointsMeasured& points) { first = first == 0 ? points.done : first; });
  CHECK(first >= 1);
  CHECK(first <= std::max(1u, std::thread::hardware_concurrency()));
}

TEST_CASE("a stop keeps the points that are complete and is no failure") {
  Rig rig;
  const Measurement measured = rig.run([&](const PointsMeasured& points) {
    CHECK(points.total == 100);
    rig.stop = true;
  });
  CHECK(measured.interrupted);
  CHECK_FALSE(measured.failure.has_value());
  CHECK(measured.samples.rows() == 64);
}

TEST_CASE("measures are run one after another into one table, with their names as an axis") {
  Rig rig(3);
  rig.experiment.measures.resize(2);
  rig.experiment.measures[0].name = "first";
  rig.experiment.measures[1].name = "second";
  std::vector<std::pair<std::uint64_t, std::uint64_t>> progress;
  const Measurement measured = rig.run(
      [&](const PointsMeasured& points) { progress.emplace_back(points.done, points.total); });
  CHECK(rig.backend.loads == 2);
  CHECK(progress == std::vector<std::pair<std::uint64_t, std::uint64_t>>{{3, 6}, {6, 6}});
  REQUIRE(measured.samples.rows() == 12);
  std::vector<std::string> names;
  for (const Column& column : measured.samples.columns) names.push_back(column.name);
  CHECK(names == std::vector<std::string>{"threads", "measure", "repetition", "latency"});
  CHECK(measured.samples.find("measure")->role == Column::Role::axis);
  CHECK(measured.samples.find("measure")->texts[5] == "first");
  CHECK(measured.samples.find("measure")->texts[6] == "second");
  CHECK(measured.samples.find("threads")->numbers[6] == 1);
  std::sort(rig.backend.seeds.begin(), rig.backend.seeds.end());
  CHECK(std::unique(rig.backend.seeds.begin(), rig.backend.seeds.end()) == rig.backend.seeds.end());
}

TEST_CASE("the digest covers all measures") {
  Rig one(3), two(3);
  two.experiment.measures.resize(2);
  CHECK(one.run().values_digest != two.run().values_digest);
}

TEST_CASE("a device that fails in the second measure keeps the first") {
  Rig rig(3);
  rig.experiment.measures.resize(2);
  rig.backend.fails_after = 4;
  const Measurement measured = rig.run();
  REQUIRE(measured.failure.has_value());
  CHECK(measured.samples.rows() == 6);
}

TEST_CASE("a stop in the first measure never loads the second") {
  Rig rig(3);
  rig.experiment.measures.resize(2);
  const Measurement measured = rig.run([&](const PointsMeasured&) { rig.stop = true; });
  CHECK(measured.interrupted);
  CHECK(rig.backend.loads == 1);
  CHECK(measured.samples.rows() == 6);
}

TEST_CASE("an outcome is a row without numbers, and its checksum is not compared") {
  Rig rig(2);
  rig.program.outcomes = true;
  rig.backend.outcome = [](std::uint32_t threads, std::uint32_t r) {
    if (threads == 2) return Outcome::launch_failure;
    return r == 0 ? Outcome::deadlock : Outcome::completed;
  };
  const Measurement measured = rig.run();
  REQUIRE_FALSE(measured.failure.has_value());
  CHECK(measured.samples.find("outcome")->texts ==
        std::vector<std::string>{"deadlock", "completed", "launch_failure", "launch_failure"});
  CHECK(std::isnan(measured.samples.find("latency")->numbers[0]));
  CHECK(measured.samples.find("latency")->numbers[1] == 101);
}

TEST_CASE("a launch that does not complete is a failure where no outcomes are asked for") {
  Rig rig(2);
  rig.backend.outcome = [](std::uint32_t, std::uint32_t) { return Outcome::deadlock; };
  const Measurement measured = rig.run();
  REQUIRE(measured.failure.has_value());
  CHECK(measured.failure->diagnostics[0].message == "point 0: the launch ended as deadlock");
}

TEST_CASE("a device that returns too few words is not believed") {
  Rig rig(2);
  rig.program.records = {{{"thread", {}}}, {"clock"}};
  for (codegen::Launch& launch : rig.program.launches) launch.record_extents = {4};
  const Measurement measured = rig.run();
  REQUIRE(measured.failure.has_value());
  CHECK(measured.failure->diagnostics[0].message == "point 0: 3 results came back instead of 7");
}

TEST_CASE("what was measured before is not measured again, and nothing shows where it stopped") {
  Rig whole(6), part(6);
  whole.experiment.measures.resize(2);
  whole.experiment.measures[0].name = "first";
  whole.experiment.measures[1].name = "second";
  part.experiment.measures = whole.experiment.measures;
  const Measurement all = whole.run();
  REQUIRE(all.points == 12);
  for (std::uint64_t points = 1; points < 12; ++points) {
    Samples before = all.samples;  // The first points: two repetitions each.
    for (Column& column : before.columns) {
      if (column.is_text) column.texts.resize(2 * points);
      if (!column.is_text) column.numbers.resize(2 * points);
    }
    // The digest so far, as an interrupted run has it.
    std::string digest;
    {
      Rig stopped(6);
      stopped.experiment.measures = whole.experiment.measures;
      stopped.backend.most_jobs = points;
      const Measurement ended = stopped.run([&](const PointsMeasured& at) {
        stopped.stop = at.done >= points;
        digest = at.values_digest;
      });
      REQUIRE(ended.points == points);
    }
    Rig rest(6);
    rest.experiment.measures = whole.experiment.measures;
    const Measurement measured = rest.run({}, MeasuredBefore{points, before, digest});
    REQUIRE_FALSE(measured.failure.has_value());
    CHECK(rest.backend.seeds.size() == 12 - points);
    CHECK(measured.points == 12);
    CHECK(measured.values_digest == all.values_digest);
    CHECK(to_csv(measured.samples) == to_csv(all.samples));
    CHECK_FALSE(measured.interrupted);
  }
}

TEST_CASE("points of something else are refused") {
  Rig rig(3);
  const Measurement all = rig.run();
  Samples other = all.samples;
  other.columns.front().name = "blocks";
  CHECK(rig.run({}, MeasuredBefore{1, other, all.values_digest}).failure.has_value());
  CHECK(rig.run({}, MeasuredBefore{4, all.samples, all.values_digest}).failure.has_value());
  CHECK(rig.run({}, MeasuredBefore{1, all.samples, "no digest"}).failure.has_value());
}

}  // namespace
}  // namespace gpx
