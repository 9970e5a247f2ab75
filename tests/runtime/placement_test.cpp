// Blocks that did not meet observed nothing.
#include "runtime/measure/placement.h"

#include <doctest/doctest.h>

#include "runtime/device/limits.h"

namespace gpx {
namespace {

TEST_CASE("all blocks that have a place must have met") {
  codegen::Program program;
  program.results = {{"latency"}, {"met"}};
  codegen::Launch launch;
  launch.placed = 2;
  CHECK(check_placed(program, launch, {Outcome::completed, {100, 2}, 0}));
  CHECK_FALSE(check_placed(program, launch, {Outcome::completed, {100, 1}, 0}));
  // One of them gave up waiting.
  CHECK_FALSE(check_placed(program, launch, {Outcome::completed, {100, (1ull << 32) + 2}, 0}));
  launch.placed = 0;
  CHECK(check_placed(program, launch, {Outcome::completed, {100, 0}, 0}));
}

TEST_CASE("a driver that reports no shared memory of a block leaves the least that there is") {
  DeviceInfo device;
  CHECK(limits_of(device).shared_per_block == 48 << 10);
  device.shared_per_block = 16 << 10;
  device.sm_major = 1;
  CHECK(limits_of(device).shared_per_block == (16 << 10) - 16 - 256);  // Arguments lie there, too.
  device.sm_major = 2;
  device.bank_widths = {4, 8};
  CHECK(limits_of(device).shared_per_block == 16 << 10);
  CHECK(limits_of(device).bank_widths.size() == 2);
}

}  // namespace
}  // namespace gpx
