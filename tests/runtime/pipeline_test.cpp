#include "runtime/pipeline.h"

#include <doctest/doctest.h>

namespace gpx {
namespace {

const Paths kPaths{GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"};

RunOptions on(const char* device) {
  RunOptions options;
  options.device = device;
  return options;
}

TEST_CASE("each stage dumps its text once a kernel, in the pipeline's order") {
  Session session(kPaths);
  RunOptions options = on("k20");
  std::vector<std::string> stages;
  options.dump.insert(dump_stages().begin(), dump_stages().end());
  options.on_dump = [&](const std::string& stage, const std::string& text) {
    stages.push_back(stage);
    CHECK_FALSE(text.empty());
  };
  const Source source("line", "sweep n 1..2, threads 32..64 step 32 < load unique(128B) x n >");
  REQUIRE(session.run(source, options).has_value());
  CHECK(stages == std::vector<std::string>{"ast", "experiment", "kernel", "kernel", "cuda", "ptx",
                                           "sass", "cuda", "ptx", "sass", "samples"});
}

TEST_CASE("nothing runs before the whole file is checked") {
  Session session(kPaths);
  const Source source("two.gpx",
                      "sweep threads 2..4 < load unique(128B) >\n"
                      "sweep threads 2..4 < load uniqe(128B) >\n");
  RunOptions options = on("k20");
  bool measured = false;
  options.on_progress = [&](const Progress&) { measured = true; };
  const auto result = session.run(source, options);
  REQUIRE(!result.has_value());
  CHECK(result.error().fault == Fault::input);
  CHECK(result.error().diagnostics[0].location->line == 2);
  CHECK_FALSE(measured);
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

}  // namespace
}  // namespace gpx
