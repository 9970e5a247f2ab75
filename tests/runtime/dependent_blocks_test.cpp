// Grids that no sample stands for: a virtual GPU runs all their blocks, or refuses.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "runtime/pipeline.h"
#include "tests/left_out.h"

using namespace gpx;

namespace {

const Paths kPaths{GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"};

Result<RunResult> run(const std::string& text, const std::string& device, bool whole) {
  Session session(kPaths);
  RunOptions options;
  options.device = device;
  options.all_blocks = whole;
  return session.run(Source(GPX_TESTS_DIR "/kernels/test.gpx", text), options);
}

Samples samples_of(const std::string& text, const std::string& device, bool whole = false) {
  auto result = run(text, device, whole);
  if (!result) FAIL(render(result.error()));
  if (const Error* failure = result->failure()) FAIL(render(*failure));
  return result->experiments.front().samples;
}

double value(const Samples& samples, const std::string& column) {
  const Column* found = samples.find(column);
  REQUIRE_MESSAGE(found, column);
  return found->numbers.at(0);
}

std::string last_block(unsigned blocks, unsigned rounds) {
  return fmt::format(
      "experiment e {{ kernel k from \"dependent.cu\" entry last_block(count = buffer(4B, zero), "
      "out = buffer(128B * {0}), rounds = {1}); threads 32; blocks {0}; warmup 0; < run k > }}",
      blocks, rounds);
}

std::string waiting(const char* kernel, unsigned blocks) {
  return fmt::format(
      "experiment e {{ warmup 0; watchdog 50ms; kernel k from \"dependent.cu\" entry "
      "{}({} = buffer(64KB, zero)); threads 64; blocks {}; < run k > }}",
      kernel, kernel == std::string_view("poll") ? "flag" : "done", blocks);
}

}  // namespace

TEST_CASE("last_block_of_a_sample: a grid that ends by its last block is run whole") {
  GPX_NEEDS_NVRTC();
  const Samples plain = samples_of(last_block(6000, 4000), "k20"),
                whole = samples_of(last_block(6000, 4000), "k20", true);
  CHECK(value(plain, "time") == value(whole, "time"));
  CHECK(value(plain, "blocks_run") == 6000);
  CHECK(value(plain, "sample_error") == 0);
  CHECK(value(plain, "comp_insts") == value(whole, "comp_insts"));
  CHECK(value(plain, "blocks_counted") == 6000);
  CHECK(value(plain, "count_error") == 0);
}

TEST_CASE("a grid whose blocks depend on each other and are too many is refused at a line") {
  GPX_NEEDS_NVRTC();
  const auto result = run(last_block(20'000, 40'000'000), "k20", false);
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().fault == Fault::input);
  const std::string text = render(result.error());
  CAPTURE(text);
  CHECK(text.find("dependent.cu:6:") != std::string::npos);
  CHECK(text.find("--whole") != std::string::npos);
}

TEST_CASE("sampled_false_deadlock: live grids whose blocks wait for others complete") {
  GPX_NEEDS_NVRTC();
  for (const char* kernel : {"chain", "poll"})
    for (const char* device : {"gtx280", "k20"})
      for (const bool whole : {false, true}) {
        CAPTURE(kernel);
        CAPTURE(device);
        CAPTURE(whole);
        const Samples samples = samples_of(waiting(kernel, 64), device, whole);
        CHECK(samples.find("outcome")->texts.at(0) == "completed");
      }
}

TEST_CASE("few heavy blocks among many: a time within its error, or none") {
  GPX_NEEDS_NVRTC();
  const std::string text =
      "experiment e { kernel k from \"dependent.cu\" entry needle(out = buffer(4MB, zero), every = "
      "100, work = 6000); threads 64; blocks 4000; warmup 0; < run k > }";
  for (const char* device : {"gtx280", "k20"}) {
    CAPTURE(device);
    const Samples whole = samples_of(text, device, true);
    const auto some = run(text, device, false);
    if (!some || some->failure()) continue;  // refused
    const Samples& samples = some->experiments.front().samples;
    const double off = value(samples, "time") / value(whole, "time") - 1;
    CHECK(std::abs(off) <= value(samples, "sample_error") + 1e-9);
    const double counts = value(samples, "comp_insts") / value(whole, "comp_insts") - 1;
    CHECK(std::abs(counts) <= value(samples, "count_error") + 1e-9);
  }
}
