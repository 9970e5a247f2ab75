// Opening the driver: what is there, and what is said where nothing is.
#include <doctest/doctest.h>

#include "runtime/device/cuda/driver.h"
#include "tests/runtime/cuda_fake.h"

using namespace gpx::cuda;

TEST_CASE("a driver that is not there is a reason, not an error") {
  const DriverState state = open_driver("libno_such_driver.so.1");
  CHECK(state.driver == nullptr);
  CHECK(state.library == "libno_such_driver.so.1");
  CHECK(state.reason ==
        "no CUDA driver: libno_such_driver.so.1: cannot open shared object file: No such file or "
        "directory");
}

TEST_CASE("a library that is no driver is told apart by the first function that it lacks") {
  const DriverState state = open_driver("libm.so.6");
  CHECK(state.driver == nullptr);
  CHECK(state.reason == "libm.so.6 is no CUDA driver, or too old: it has no cuInit");
}

TEST_CASE("an error reads as its name and the driver's words") {
  const DriverState state = fake::reset();
  CHECK(describe(*state.driver, CUDA_ERROR_OUT_OF_MEMORY) ==
        "CUDA_ERROR_OUT_OF_MEMORY (as the driver puts it)");
}

TEST_CASE("the driver's version reads as CUDA's") {
  CHECK(version_text(13000) == "13.0");
  CHECK(version_text(12080) == "12.8");
}
