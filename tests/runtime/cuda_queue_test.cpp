// The queue's bound, its gate, and the watchdog's setting.
#include <doctest/doctest.h>

#include <cstdlib>
#include <thread>

#include "runtime/device/cuda/queue.h"
#include "tests/runtime/cuda_fake.h"

using namespace gpx;
using cuda::fake::gpu;

namespace {

struct Rig {
  Rig() : state(cuda::fake::reset()) {
    auto opened = cuda::Context::open(*state.driver, 40, 0);
    REQUIRE(opened.has_value());
    context = std::move(*opened);
    gpu().kernels = {{"k", 0}};
    cuda::CUmodule module{};
    state.driver->module_get_function(&grid.function, module, "k");
  }
  cuda::DriverState state;
  std::unique_ptr<cuda::Context> context;
  cuda::Grid grid;
};

}  // namespace

TEST_CASE("the queue starts with one launch and doubles up to its limit") {
  Rig rig;
  cuda::QueueLimits limits;
  limits.launches = 4;
  cuda::Queue queue(*rig.context, limits);
  REQUIRE(queue.begin(false).has_value());
  for (const int expected : {1, 2, 4, 4}) {
    for (int i = 0; i < expected; ++i) {
      CHECK(!queue.full());
      REQUIRE(queue.launch(rig.grid, nullptr).has_value());
    }
    CHECK(queue.full());
    REQUIRE(queue.drain().has_value());
  }
  CHECK(gpu().waits == 4);
}

TEST_CASE("launches that take long make the queue shorter again") {
  Rig rig;
  cuda::QueueLimits limits;
  cuda::Queue queue(*rig.context, limits);
  REQUIRE(queue.begin(false).has_value());
  for (int i = 0; i < 2; ++i) {  // the bound is 4 afterwards
    REQUIRE(queue.launch(rig.grid, nullptr).has_value());
    REQUIRE(queue.drain().has_value());
  }
  gpu().execute = [](const cuda::fake::Launched&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(550));
  };
  REQUIRE(queue.launch(rig.grid, nullptr).has_value());
  REQUIRE(queue.drain().has_value());
  REQUIRE(queue.launch(rig.grid, nullptr).has_value());
  CHECK(!queue.full());
  gpu().execute = [](const cuda::fake::Launched&) {};
  REQUIRE(queue.launch(rig.grid, nullptr).has_value());
  CHECK(queue.full());
}

TEST_CASE("a closed gate holds its waiter until it is opened") {
  cuda::Gate gate;
  gate.close();
  std::atomic<bool> passed = false;
  std::thread waiter([&] {
    cuda::Gate::wait(&gate);
    passed = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(!passed);
  gate.open();
  waiter.join();
  CHECK(passed);
  CHECK(!gate.gave_up());
}

TEST_CASE("a stream that went on before all was queued gives an error, not a time") {
  Rig rig;
  cuda::Queue queue(*rig.context, {});
  REQUIRE(queue.begin(true).has_value());
  double seconds = -1;
  REQUIRE(queue.launch(rig.grid, &seconds).has_value());
  rig.state.driver->stream_query(rig.context->stream());  // runs the hold while it is closed
  const auto drained = queue.drain();
  REQUIRE(!drained.has_value());
  CHECK(drained.error().diagnostics[0].message ==
        "the launches could not be queued before they ran");
  CHECK(seconds == -1);
}

TEST_CASE("no more launches are timed at once than events were made for") {
  Rig rig;
  cuda::QueueLimits limits;
  limits.held = 2;
  cuda::Queue queue(*rig.context, limits);
  REQUIRE(queue.begin(true).has_value());
  double seconds = 0;
  REQUIRE(queue.launch(rig.grid, &seconds).has_value());
  REQUIRE(queue.launch(rig.grid, &seconds).has_value());
  CHECK(!queue.launch(rig.grid, &seconds).has_value());
  REQUIRE(queue.drain().has_value());
  CHECK(queue.launch(rig.grid, &seconds).has_value());
}

TEST_CASE("GPX_WATCHDOG sets the watchdog where it is a positive number") {
  const struct {
    const char* text;
    double seconds;
  } rows[] = {{"2.5", 2.5}, {"120", 120}, {"", 30}, {"soon", 30},
              {"5s", 30},   {"-1", 30},   {"0", 30}};
  for (const auto& row : rows) {
    CAPTURE(row.text);
    setenv("GPX_WATCHDOG", row.text, 1);
    CHECK(cuda::limits_from_environment().watchdog_s == row.seconds);
  }
  unsetenv("GPX_WATCHDOG");
  CHECK(cuda::limits_from_environment().watchdog_s == 30);
}
