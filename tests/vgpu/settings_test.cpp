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

/// What the driver of an H200 does not say: the published numbers.
Description hopper() {
  Description made;
  made.sm.shared_bytes = 228 << 10;
  made.sm.block_slots = 32;
  made.sm.warp_slots = 64;
  made.registers.emplace().per_sm = 65536;
  made.l1 = Description::Cache{.capacity = 256 << 10, .line = 128, .ways = 4};
  for (const unsigned kb : {0, 8, 16, 32, 64, 100, 132, 164, 196, 228})
    made.shared.splits.push_back(kb << 10);
  made.l1_unified = 256 << 10;
  return made;
}

TEST_CASE("the smallest split that holds what is wanted") {
  CHECK(split_for(device(), 0) == (16 << 10));
  CHECK(split_for(device(), 16 << 10) == (16 << 10));
  CHECK(split_for(device(), (16 << 10) + 1) == (48 << 10));
  CHECK(split_for(device(), 64 << 10) == (48 << 10));
}

TEST_CASE("L1 has the rest: its sets stay, its ways grow") {
  const Description made = configured(device(), {0, 16 << 10});
  CHECK(made.sm.shared_bytes == (16 << 10));
  CHECK(made.l1->capacity == (48 << 10));
  CHECK(made.l1->ways == 12);
  CHECK(made.l1->sets() == device().l1->sets());
}

TEST_CASE("l1_splits: of one memory L1 keeps its tags") {
  const Description made = configured(hopper(), {0, 100 << 10});
  CHECK(made.sm.shared_bytes == (100 << 10));
  CHECK(made.l1->capacity == (256 << 10));
  CHECK(made.l1->ways == 4);
}

TEST_CASE("nothing asked for changes nothing") {
  const Description made = configured(device(), {});
  CHECK(made.l1->capacity == (16 << 10));
  CHECK(made.shared.word == 4);
  CHECK(configured(device(), {8, std::nullopt}).shared.word == 8);
}

// Threads, bytes of arrays, registers of a thread, and the KB that an H200's driver chose
// (docs/results/h200/l1_launches.csv; others of kernels of tests/kernels).
TEST_CASE("l1_splits: the split that a driver prefers") {
  struct Row {
    unsigned threads, arrays, registers, kb;
  };
  constexpr Row kRows[] = {
      {32, 0, 16, 32},      {32, 100, 16, 64},     {32, 3000, 16, 132},    {32, 6000, 16, 228},
      {128, 0, 16, 32},     {128, 100, 16, 32},    {128, 1000, 16, 64},    {128, 3000, 16, 132},
      {128, 6000, 16, 132}, {128, 10000, 16, 196}, {128, 256, 56, 32},     {256, 0, 50, 32},
      {256, 1000, 16, 32},  {256, 4096, 30, 100},  {256, 8192, 17, 132},   {256, 44544, 78, 164},
      {512, 0, 16, 16},     {512, 7000, 16, 64},   {512, 16000, 16, 132},  {512, 30000, 22, 132},
      {1024, 0, 16, 8},     {1024, 4096, 16, 16},  {1024, 8192, 22, 32},   {1024, 32000, 16, 100},
      {32, 48000, 16, 196}, {256, 33792, 32, 228}, {128, 131000, 16, 132}, {64, 512, 32, 64}};
  for (const Row& row : kRows) {
    const std::uint64_t shared = (row.arrays + 1024 + 127) / 128 * 128;
    const BlockNeeds block{row.threads, row.arrays, shared,
                           std::uint64_t{(row.registers + 7) / 8 * 8} * row.threads};
    CAPTURE(row.threads);
    CAPTURE(row.arrays);
    CHECK(preferred_split(hopper(), block) == (std::uint64_t{row.kb} << 10));
  }
}

}  // namespace
}  // namespace gpx::vgpu::timing
