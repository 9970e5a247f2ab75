// A raised flag ends what lasts: these runs would take minutes to hours.
#include "lang/stop.h"

#include <doctest/doctest.h>

#include <chrono>
#include <thread>

#include "runtime/pipeline.h"
#include "tests/left_out.h"

using namespace gpx;

namespace {

const Paths kPaths{GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"};

/// A run that is stopped a moment after it began.
bool stops(const std::string& text, bool whole = false) {
  Session session(kPaths);
  std::atomic<bool> stop{false};
  RunOptions options;
  options.device = "k20";
  options.all_blocks = whole;
  options.stop = &stop;
  std::jthread raises([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    stop = true;
  });
  const auto result = session.run(Source(GPX_TESTS_DIR "/kernels/test.gpx", text), options);
  return stop && (!result || result->interrupted);
}

}  // namespace

TEST_CASE("ctrl_c_deaf: laying out a large array stops") {
  CHECK(
      stops("experiment e { array a : global[1GB] chase(random 4B) observe average "
            "< load a x 1000000 chain > }"));
}

TEST_CASE("ctrl_c_deaf: preparing a sweep of millions of points stops") {
  CHECK(
      stops("experiment e { sweep a 1..1000, b 1..100, c 1..99, threads 32..32 "
            "< load unique(128B) x a > }"));
  CHECK(stops("experiment e { sweep a 1..3000, b 1..3000 threads 32 < load unique(128B) x 1 > }"));
}

TEST_CASE("ctrl_c_deaf: long series of short launches stop") {
  CHECK(
      stops("experiment e { threads 1024 repeat 10000 warmup 10000 < load unique(128B) x 16 > }"));
  CHECK(
      stops("experiment e { threads 256 blocks 20 repeat 10000 warmup 10000 flush 1GB "
            "observe time < load unique(128B) x 16 > }"));
}

TEST_CASE("ctrl_c_deaf: counting all blocks of a grid stops") {
  GPX_NEEDS_NVRTC();
  CHECK(
      stops("experiment e { kernel k from \"dependent.cu\" entry needle(out = buffer(512MB, zero), "
            "every = 1, work = 100000); threads 256; blocks 100000; < run k > }",
            true));
}

TEST_CASE("a scope's flag is that of its thread, and of what is nested in it") {
  std::atomic<bool> outer{true}, inner{false};
  CHECK_FALSE(StopScope::raised());
  {
    const StopScope scope(&outer);
    CHECK(StopScope::raised());
    {
      const StopScope nested(&inner);
      CHECK_FALSE(StopScope::raised());
    }
    CHECK(StopScope::raised());
    std::jthread([] { CHECK_FALSE(StopScope::raised()); });
  }
  CHECK_FALSE(StopScope::raised());
}
