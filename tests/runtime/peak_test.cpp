// Rates that exceed the bandwidth of the memory.
#include "runtime/measure/peak.h"

#include <doctest/doctest.h>

#include "runtime/pipeline.h"

using namespace gpx;

namespace {

const Paths kPaths{GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"};

/// The warnings of a run that say "faster than the memory".
std::vector<std::string> warned(const std::string& device, const std::string& text) {
  Session session(kPaths);
  RunOptions options;
  options.device = device;
  const auto run = session.run(Source("peak.gpx", text), options);
  if (!run) FAIL(render(run.error()));
  std::vector<std::string> found;
  for (const std::string& warning : run->experiments.front().warnings)
    if (warning.find("faster than the memory") != std::string::npos) found.push_back(warning);
  return found;
}

}  // namespace

TEST_CASE("a rate above the bandwidth of the memory is one warning with its place") {
  const auto all =
      warned("gtx560ti",
             "sweep blocks in [8, 16] threads 256 observe time measure write { < store "
             "unique(16B) width 16B x4 > } measure both { < copy unique(16B) width 16B "
             "x4 > } derive rate = bytes / time");
  REQUIRE(all.size() == 1);
  CHECK(all.front().find("at blocks=") != std::string::npos);
  CHECK(all.front().find(" is faster than the memory of gtx560ti (128.") != std::string::npos);
}

TEST_CASE("the rate of the warning is that of the table: of what repetitions are reduced to") {
  const auto rate = [&](const char* reduce) {
    const auto all =
        warned("gtx560ti", std::string("sweep blocks in [16] repeat 5 reduce ") + reduce +
                               " threads 256 observe time < copy unique(16B) width "
                               "16B x4 > derive rate = bytes / time");
    REQUIRE(all.size() == 1);
    CHECK(all.front().ends_with(", at 1 of 1 points"));
    return std::stod(all.front());
  };
  // Slower times are lower rates.
  CHECK(rate("max") < rate("median"));
  CHECK(rate("median") < rate("min"));
}

TEST_CASE("a rate that is derived of a kernel from a file is judged, too") {
  const std::string text = "experiment e { sweep n in [65536] kernel k from \"" GPX_TESTS_DIR
                           "/kernels/fma.cu\" entry chain(a = 1.0, out = buffer(4B * n, zero)) "
                           "threads 256 blocks n / 256 < run k > derive rate = FACTOR * n / time }";
  const auto with = [&](const char* factor) {
    std::string each = text;
    return warned("k20", each.replace(each.find("FACTOR"), 6, factor));
  };
  CHECK(with("0.001B").empty());
  const auto all = with("1000B");
  REQUIRE(all.size() == 1);
  CHECK(all.front().starts_with("rate: "));
  CHECK(all.front().find(" is faster than the memory of k20 (208") != std::string::npos);
  CHECK(all.front().find("`flush`") != std::string::npos);
  CHECK(with("1000").empty());  // no bytes
}

TEST_CASE("what memory delivers after a flush, and what shared memory does, is no warning") {
  CHECK(warned("k20",
               "sweep blocks in [26, 52] threads 256 flush observe time < load unique(16B) width "
               "16B x8 > derive rate = bytes / time")
            .empty());
  CHECK(warned("k20",
               "blocks 26 threads 256 observe time < load shared stride(4B) x64 > derive rate = "
               "bytes / time")
            .empty());
}

TEST_CASE("copy_of_peak: what a copy reaches is a share of the reported peak") {
  const auto share = [](const std::string& text) {
    Session session(kPaths);
    RunOptions options;
    options.device = "k20";
    const auto run = session.run(Source("peak.gpx", text), options);
    if (!run) FAIL(render(run.error()));
    const ExperimentResult& result = run->experiments.front();
    return share_of_peak(result.experiment, result.curves, result.device).value_or("none");
  };
  const std::string copy = share(
      "sweep blocks in [26, 52] threads 256 flush observe time < copy unique(16B) width 16B x8 > "
      "derive rate = bytes / time");
  CHECK(copy.starts_with("rate reaches "));
  CHECK(copy.find(" at blocks=") != std::string::npos);
  CHECK(copy.ends_with(" % of the memory's reported peak, 208.2 GB/s"));
  CHECK(share("blocks 26 threads 256 observe time < load shared stride(4B) x64 > derive rate = "
              "bytes / time") == "none");
  CHECK(share("threads 256 < load unique(16B) width 16B x8 >") == "none");  // No time.
}
