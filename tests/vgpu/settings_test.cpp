// What a program sets of an SM: another split is another L1, another mode other conflicts.
#include <doctest/doctest.h>

#include "runtime/device/vgpu/description/sm_settings.h"

namespace gpx::vgpu::timing {
namespace {

Description device() {
  Description made;
  made.sm.shared_bytes = 48 << 10;
  made.l1 = Description::Cache{.capacity = 16 << 10, .line = 128, .ways = 4};
  made.shared.splits = {16 << 10, 48 << 10};
  made.shared.width = 8;
  return made;
}

TEST_CASE("the smallest split that holds what is wanted, and what blocks need") {
  const auto shared = [](std::uint64_t wanted, std::uint64_t needs) {
    return configured(device(), {0, wanted}, needs).sm.shared_bytes >> 10;
  };
  CHECK(shared(0, 0) == 16);
  CHECK(shared(16 << 10, 0) == 16);
  CHECK(shared((16 << 10) + 1, 0) == 48);
  CHECK(shared(0, 20 << 10) == 48);
  CHECK(shared(64 << 10, 0) == 48);
}

TEST_CASE("L1 has the rest: its sets stay, its ways grow") {
  const Description made = configured(device(), {0, 0}, 0);
  CHECK(made.l1->capacity == 48 << 10);
  CHECK(made.l1->ways == 12);
  CHECK(made.l1->sets() == device().l1->sets());
}

TEST_CASE("nothing asked for changes nothing") {
  const Description made = configured(device(), {}, 0);
  CHECK(made.l1->capacity == 16 << 10);
  CHECK(made.shared.word == 4);
  CHECK(configured(device(), {8, std::nullopt}, 0).shared.word == 8);
}

}  // namespace
}  // namespace gpx::vgpu::timing
