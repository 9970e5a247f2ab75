// When products of warpgroups are done: runtime/device/vgpu/timing/warpgroup.h.
#include "runtime/device/vgpu/timing/warpgroup.h"

#include <doctest/doctest.h>

using gpx::vgpu::timing::WarpgroupPipes;

namespace {

TEST_CASE("products of a scheduler follow one another, and a wait ends with the last") {
  WarpgroupPipes pipes(4, 8);
  pipes.start_launch();
  pipes.product(0, 100, 32, 42);
  pipes.product(0, 101, 32, 42);
  pipes.commit(0);
  CHECK(pipes.wait(0, 0, 103) == 174);  // 100 + 2 * 32 + 10
  CHECK(pipes.wait(0, 0, 200) == 200);
}

TEST_CASE("warps of one scheduler share its tensor core, those of others do not") {
  WarpgroupPipes pipes(4, 8);
  pipes.start_launch();
  for (const unsigned slot : {0u, 4u, 1u}) {
    pipes.product(slot, 0, 32, 42);
    pipes.commit(slot);
  }
  CHECK(pipes.wait(0, 0, 1) == 42);
  CHECK(pipes.wait(4, 0, 1) == 74);
  CHECK(pipes.wait(1, 0, 1) == 42);
}

TEST_CASE("a wait for all but one group leaves the last one") {
  WarpgroupPipes pipes(4, 8);
  pipes.start_launch();
  for (int i = 0; i < 2; ++i) pipes.product(0, 0, 32, 42), pipes.commit(0);
  CHECK(pipes.wait(0, 1, 1) == 42);
  CHECK(pipes.wait(0, 0, 43) == 74);
}

}  // namespace
