#include "runtime/pipeline.h"

#include <doctest/doctest.h>

#include "tests/left_out.h"

namespace gpx {
namespace {

const Paths kPaths{GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"};

RunOptions on(const char* device) {
  RunOptions options;
  options.device = device;
  return options;
}

/// What an observer was told.
struct Told : RunObserver {
  std::vector<std::string> events;
  std::uint64_t done = 0, total = 0;
  void begins(const ExperimentResult& result) override {
    events.push_back("begins");
    CHECK_FALSE(result.artifacts.empty());
    CHECK_FALSE(result.samples.columns.empty());
  }
  void measured(const ExperimentResult&, const PointsMeasured& points) override {
    events.push_back("measured");
    CHECK(points.samples.rows() > points.first_row);
    done = points.done;
    total = points.total;
  }
  void ends(const ExperimentResult& result) override {
    events.push_back("ends");
    CHECK(result.points == done);
  }
};

TEST_CASE("each stage dumps its text once a kernel, in the pipeline's order") {
  Session session(kPaths);
  RunOptions options = on("k20");
  std::vector<std::string> stages;
  options.dump.insert(dump_stages().begin(), dump_stages().end());
  options.on_dump = [&](const std::string& stage, const std::string& text) {
    stages.push_back(stage);
    CHECK_FALSE(text.empty());
  };
  const Source source("line",
                      "experiment e { threads 64; sweep n 1..2; watchdog 1ms; "
                      "< load unique(128B) x n > }");
  REQUIRE(session.run(source, options).has_value());
  CHECK(stages == std::vector<std::string>{"ast", "experiment", "program", "kernel", "kernel",
                                           "cuda", "ptx", "sass", "cuda", "ptx", "sass", "stats",
                                           "trace", "samples", "probes", "findings"});
}

TEST_CASE("nothing runs before the whole file is checked") {
  Session session(kPaths);
  const Source source("two.gpx",
                      "sweep threads 2..4 < load unique(128B) >\n"
                      "sweep threads 2..4 < load uniqe(128B) >\n");
  RunOptions options = on("k20");
  Told told;
  options.observers = {&told};
  const auto result = session.run(source, options);
  REQUIRE(!result.has_value());
  CHECK(result.error().fault == Fault::input);
  CHECK(result.error().diagnostics[0].location->line == 2);
  CHECK(told.events.empty());
}

TEST_CASE("more threads than the device has are refused at their place") {
  Session session(kPaths);
  const auto result = session.run(Source("line", "threads 1025 < load unique(128B) >"), on("k20"));
  REQUIRE(!result.has_value());
  CHECK(result.error().diagnostics[0].location->column == 9);
}

TEST_CASE("when the second experiment cannot run, the first one's results are kept") {
  Session session(kPaths);
  const Source source("two.gpx",
                      "threads 32 < load unique(128B) >\nthreads 1025 < load unique(128B) >\n");
  const auto result = session.run(source, on("k20"));
  REQUIRE(result.has_value());
  REQUIRE(result->experiments.size() == 2);
  CHECK(result->experiments[0].samples.rows() == 1);
  CHECK(result->experiments[1].failure.has_value());
}

TEST_CASE("a broken analysis script loses no sample") {
  Session session(kPaths);
  const Source source(GPX_TESTS_DIR "/runtime/line.gpx",
                      "experiment e {\n  threads 32\n  < load unique(128B) >\n"
                      "  analyze \"missing.lua\"\n}\n");
  const auto result = session.run(source, on("k20"));
  REQUIRE(result.has_value());
  REQUIRE(result->experiments[0].failure.has_value());
  CHECK(result->experiments[0].failure->fault == Fault::input);
  CHECK(result->experiments[0].samples.rows() == 1);
}

TEST_CASE("what stands behind an experiment that fails is named as not run") {
  Session session(kPaths);
  const Source source(GPX_TESTS_DIR "/runtime/line.gpx",
                      "experiment e {\n  threads 32\n  < load unique(128B) >\n"
                      "  analyze \"missing.lua\"\n}\n"
                      "experiment f { < load unique(128B) > }\n"
                      "experiment g { < load unique(128B) > }\n");
  const auto result = session.run(source, on("k20"));
  REQUIRE(result.has_value());
  REQUIRE(result->experiments.size() == 1);
  CHECK(result->experiments[0].warnings.back().ends_with("not run: f, g"));
}

TEST_CASE("after a failed launch the rest of the file runs") {
  GPX_NEEDS_NVRTC();
  Session session(kPaths);
  const Source source(GPX_TESTS_DIR "/kernels/test.gpx",
                      "experiment before { < load unique(128B) > }\n"
                      "experiment outside { kernel s from \"saxpy.cu\" entry saxpy(a = 2, "
                      "x = buffer(1KB, 1), y = buffer(1KB, 1), count = buffer(4B, 1024)); threads "
                      "256; blocks 4; < run s > }\n"
                      "experiment after { < load unique(128B) > }\n");
  const auto result = session.run(source, on("k20"));
  REQUIRE(result.has_value());
  REQUIRE(result->experiments.size() == 3);
  CHECK(result->experiments[0].whole());
  REQUIRE(result->experiments[1].failure.has_value());
  CHECK(result->failure() == &*result->experiments[1].failure);
  CHECK(result->experiments[2].whole());
  CHECK(result->experiments[2].values_digest == result->experiments[0].values_digest);
}

TEST_CASE("a stop set before the run measures nothing and judges nothing") {
  Session session(kPaths);
  RunOptions options = on("k20");
  const std::atomic<bool> stop{true};
  options.stop = &stop;
  const auto result =
      session.run(Source("line", "sweep threads 2..64 < load unique(128B) >"), options);
  REQUIRE(result.has_value());
  CHECK(result->interrupted);
  CHECK(result->experiments[0].samples.rows() == 0);
  CHECK(result->experiments[0].findings.empty());
}

TEST_CASE("one device is opened once a session") {
  Session session(kPaths);
  const auto first = session.open("k20");
  const auto again = session.open("k20");
  REQUIRE(first.has_value());
  CHECK(*first == *again);
}

TEST_CASE("measures are compiled together and give one table, one digest and one progress") {
  Session session(kPaths);
  RunOptions options = on("k20");
  std::vector<std::string> stages;
  options.dump = {"cuda", "samples"};
  options.on_dump = [&](const std::string& stage, const std::string&) { stages.push_back(stage); };
  Told told;
  options.observers = {&told};
  const Source source("two.gpx",
                      "experiment two {\n  sweep count in [8, 16]\n"
                      "  measure latency { threads 1 < add.u32 x count chain > }\n"
                      "  measure loads { threads 64 < load unique(128B) x 2 > }\n}\n");
  const auto result = session.run(source, options);
  REQUIRE_MESSAGE(result.has_value(), (result ? "" : result.error().diagnostics.front().message));
  const ExperimentResult& two = result->experiments[0];
  REQUIRE_FALSE(two.failure.has_value());
  CHECK(told.total == 4);
  CHECK(told.done == 4);
  CHECK(told.events == std::vector<std::string>{"begins", "measured", "measured", "ends"});
  CHECK(two.artifacts.size() == 3);
  CHECK(stages == std::vector<std::string>{"cuda", "cuda", "cuda", "samples"});
  REQUIRE(two.samples.find("measure"));
  CHECK(two.samples.find("measure")->texts ==
        std::vector<std::string>{"latency", "latency", "loads", "loads"});
  CHECK(two.curves.rows() == 4);

  const Source alone("one.gpx",
                     "experiment two {\n  sweep count in [8, 16]\n"
                     "  measure latency { threads 1 < add.u32 x count chain > }\n}\n");
  const auto first = session.run(alone, on("k20"));
  REQUIRE(first.has_value());
  CHECK(first->experiments[0].samples.find("latency")->numbers[1] ==
        two.samples.find("latency")->numbers[1]);
  CHECK(first->experiments[0].values_digest != two.values_digest);
}

TEST_CASE("how launches end is judged without a script") {
  Session session(kPaths);
  const Source source("spin.gpx",
                      "experiment spin {\n  threads 64\n  shared count = 0\n  watchdog 10ms\n"
                      "  < when warp == 0 { sync; count = 1 } else { while count == 0 { } } >\n"
                      "  expect outcome == deadlock\n  expect outcome == completed\n}\n");
  const auto result = session.run(source, on("gtx280"));
  REQUIRE_MESSAGE(result.has_value(), (result ? "" : result.error().diagnostics.front().message));
  const ExperimentResult& spin = result->experiments[0];
  REQUIRE_FALSE(spin.failure.has_value());
  REQUIRE(spin.findings.size() == 1);
  CHECK(spin.findings[0].name == "outcome");
  REQUIRE(spin.expectations.size() == 2);
  CHECK(spin.expectations[0].pass);
  CHECK_FALSE(spin.expectations[1].pass);
  CHECK(spin.expectations[1].reason == "outcome is deadlock");
}

TEST_CASE("each access of a chase is a row, and their average is what a row has without them") {
  Session session(kPaths);
  const std::string text =
      "experiment chase {\n  threads 1\n  array a : global[4KB] chase(stride 128B)\n"
      "  observe each\n  < load a x 32 chain >\n}\n";
  const auto result = session.run(Source("chase.gpx", text), on("gtx280"));
  REQUIRE_MESSAGE(result.has_value(), (result ? "" : result.error().diagnostics.front().message));
  const Samples& samples = result->experiments[0].samples;
  REQUIRE(samples.rows() == 32);
  CHECK(samples.find("access")->numbers[31] == 31);
  CHECK(samples.find("index")->unit == Unit::byte);
  CHECK(samples.find("latency")->numbers[5] > 0);

  std::string averaged = text;
  averaged.replace(averaged.find("each"), 4, "average");
  const auto average = session.run(Source("chase.gpx", averaged), on("gtx280"));
  REQUIRE_MESSAGE(average.has_value(),
                  (average ? "" : average.error().diagnostics.front().message));
  REQUIRE(average->experiments[0].samples.rows() == 1);
  const double clocks = average->experiments[0].samples.find("latency")->numbers[0];
  CHECK(clocks > 20);
  CHECK(clocks < 2000);
}

}  // namespace
}  // namespace gpx
