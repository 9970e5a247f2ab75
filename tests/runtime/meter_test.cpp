// Energy by a counter that advances in steps: a board whose watts are planted.
#include "runtime/device/cuda/meter.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <deque>

using namespace gpx;
using namespace gpx::cuda;

namespace {

/// Time passes only where something is waited for or read.
struct Board {
  double step = 0.1;  ///< Seconds between two steps of the counter.
  double idle = 90, busy_watts = 500;
  double launch = 1e-3;
  double read = 50e-6;  ///< Seconds that reading the counter or the clock takes.
  bool counts = true, fails = false;

  double now = 0, until = 0, joules = 0, shown = 7;
  double next_step = 0.05;
  unsigned launches = 0;
  std::deque<double> batches;  ///< Their ends.
  bool stopped = false;

  void pass(double seconds) {
    for (const double end = now + seconds; now < end;) {
      const double to = std::min({end, next_step, now < until ? until : end});
      joules += (to - now) * (now < until ? busy_watts : idle);
      now = to;
      if (now < next_step) continue;
      if (counts) shown = joules;
      next_step += step;
    }
  }
  MeterPorts ports() {
    return {.now = [this] { return now; },
            .rest = [this](double s) { pass(std::max(s, 20e-6)); },
            .joules = [this]() -> std::optional<double> { return pass(read), shown; },
            .clock = [this]() -> std::optional<double> {
              pass(read);
              return now < until ? 1.7e9 : 345e6;
            },
            .start = [this](std::uint32_t count) -> Result<void> {
              if (fails) return fail(Fault::device, "no launch");
              launches += count;
              until = std::max(until, now) + count * launch;
              batches.push_back(until);
              return {};
            },
            .ahead = [this]() -> Result<std::uint32_t> {
              pass(5e-6);
              while (!batches.empty() && batches.front() <= now) batches.pop_front();
              return static_cast<std::uint32_t>(batches.size());
            },
            .stop = [this] { return stopped; }};
  }
};

}  // namespace

TEST_CASE("idle power and the energy of a launch, however far apart the steps are") {
  for (const double step : {0.001, 0.02, 0.1, 0.5}) {
    CAPTURE(step);
    Board board;
    board.step = step;
    const MeterPorts ports = board.ports();
    const auto idle = idle_watts(ports);
    REQUIRE(idle);
    CHECK(*idle == doctest::Approx(90).epsilon(0.01));
    const auto metered = meter(ports, 1);
    REQUIRE(metered);
    CHECK(metered->seconds == doctest::Approx(1e-3).epsilon(0.02));
    CHECK(metered->joules == doctest::Approx(0.5).epsilon(0.03));
    CHECK(metered->clock_hz == doctest::Approx(1.7e9));
  }
}

TEST_CASE("short launches are queued together, long ones one by one") {
  Board board;
  board.launch = 20e-6;
  CHECK(meter(board.ports(), 1)->joules == doctest::Approx(500 * 20e-6).epsilon(0.05));
  Board slow;
  slow.launch = 0.4;
  const auto metered = meter(slow.ports(), 1);
  CHECK(metered->joules == doctest::Approx(200).epsilon(0.03));
  CHECK(slow.launches < 10);
}

// On an H200 a batch was waited for before the next one began: the GPU rested while NVML was read,
// and 305 W were stated of a load that takes 520.
TEST_CASE("the GPU does not wait while the counter is read") {
  for (const double launch : {20e-6, 1e-3, 15e-3}) {
    CAPTURE(launch);
    Board board;
    board.launch = launch;
    board.read = 2e-3;
    const auto metered = meter(board.ports(), 1);
    REQUIRE(metered);
    CHECK(metered->joules / metered->seconds == doctest::Approx(500).epsilon(0.005));
    CHECK(metered->seconds == doctest::Approx(launch).epsilon(0.01));
  }
}

TEST_CASE("a counter that stands still, a launch that fails and a stop are errors") {
  Board still;
  still.counts = false;
  CHECK_FALSE(idle_watts(still.ports()));
  CHECK_FALSE(meter(still.ports(), 1));
  CHECK(still.now < 60);
  Board failing;
  failing.fails = true;
  CHECK_FALSE(meter(failing.ports(), 1));
  Board stopped;
  stopped.stopped = true;
  CHECK_FALSE(idle_watts(stopped.ports()));
  CHECK_FALSE(meter(stopped.ports(), 1));
}
