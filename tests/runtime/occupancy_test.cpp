// Occupancy: tables of what NVIDIA's occupancy calculator and hong2009's Table 2 say.
#include "runtime/measure/occupancy.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace gpx;

namespace {

DeviceInfo device(int capability) {
  DeviceInfo info;
  info.sm_major = capability / 10;
  info.sm_minor = capability % 10;
  switch (capability) {
    case 10:
      info.max_threads_per_block = 512, info.max_threads_per_sm = 768;
      info.max_blocks_per_sm = 8, info.registers_per_sm = 8192, info.shared_per_sm = 16384;
      break;
    case 13:
      info.max_threads_per_block = 512, info.max_threads_per_sm = 1024;
      info.max_blocks_per_sm = 8, info.registers_per_sm = 16384, info.shared_per_sm = 16384;
      break;
    case 35:
      info.max_threads_per_block = 1024, info.max_threads_per_sm = 2048;
      info.max_blocks_per_sm = 16, info.registers_per_sm = 65536, info.shared_per_sm = 49152;
      break;
    default:
      info.max_threads_per_block = 1024, info.max_threads_per_sm = 2048;
      info.max_blocks_per_sm = 32, info.registers_per_sm = 65536, info.shared_per_sm = 233472;
      info.reserved_shared_per_block = 1024;
  }
  return info;
}

/// "5 blocks, 20 warps: registers"
std::string of(int capability, const BlockNeeds& needs) {
  const Occupancy o = occupancy_of(device(capability), needs);
  return fmt::format("{} blocks, {} warps: {}", o.blocks, o.warps, fmt::join(o.limiters, ", "));
}

}  // namespace

TEST_CASE("blocks, warps and what limits them, by device") {
  CHECK(of(10, {128, 10, 0}) == "6 blocks, 24 warps: registers, warps");
  CHECK(of(10, {256, 10, 0}) == "3 blocks, 24 warps: registers, warps");
  CHECK(of(10, {256, 11, 0}) == "2 blocks, 16 warps: registers");
  CHECK(of(10, {64, 10, 0}) == "8 blocks, 16 warps: blocks");
  CHECK(of(10, {512, 17, 0}) == "0 blocks, 0 warps: registers");
  CHECK(of(13, {192, 20, 0}) == "4 blocks, 24 warps: registers");
  CHECK(of(13, {64, 10, 4000}) == "4 blocks, 8 warps: shared memory");
  CHECK(of(35, {256, 32, 0}) == "8 blocks, 64 warps: registers, warps");
  CHECK(of(35, {256, 33, 0}) == "6 blocks, 48 warps: registers");
  CHECK(of(35, {96, 40, 0}) == "16 blocks, 48 warps: registers, blocks");
  CHECK(of(90, {1024, 32, 0}) == "2 blocks, 64 warps: registers, warps");
  CHECK(of(90, {128, 32, 100000}) == "2 blocks, 8 warps: shared memory");
  CHECK(of(90, {32, 16, 0}) == "32 blocks, 32 warps: blocks");
}

TEST_CASE("what the system takes of shared memory: 1 KB a block, or its arguments and 16 bytes") {
  const auto blocks = [](int capability, std::uint64_t kilobytes, std::uint64_t arguments = 8) {
    return occupancy_of(device(capability), {128, 8, kilobytes << 10, arguments}).blocks;
  };
  CHECK(blocks(90, 16) == 13);
  CHECK(blocks(90, 32) == 6);
  CHECK(blocks(90, 113) == 2);
  CHECK(blocks(90, 114) == 1);
  CHECK(blocks(90, 227) == 1);
  CHECK(blocks(90, 228) == 0);
  CHECK(blocks(13, 4) == 3);
  CHECK(blocks(13, 8) == 1);
  CHECK(blocks(35, 24) == 2);
  CHECK(occupancy_of(device(13), {128, 8, 8192 - 512, 496}).blocks == 2);
  CHECK(occupancy_of(device(13), {128, 8, 8192 - 512, 497}).blocks == 1);
}

TEST_CASE("the example of hong2009's Table 2: 5 blocks of 128 threads, 20 warps") {
  // "instead of 8 maximum blocks due to high resource usage": 12 registers a thread on its SM.
  const Occupancy o = occupancy_of(device(10), {128, 12, 0});
  CHECK(o.blocks == 5);
  CHECK(o.warps == 20);
  CHECK(o.limiters == std::vector<std::string>{"registers"});
  CHECK(o.registers_per_block == 1536);
}

TEST_CASE("what a driver does not report limits nothing") {
  DeviceInfo info = device(35);
  info.registers_per_sm = info.shared_per_sm = 0;
  info.max_blocks_per_sm = 0;
  CHECK(occupancy_of(info, {32, 255, 40000}).blocks == 64);
  CHECK(occupancy_of(device(35), {32, 0, 0}).blocks == 16);
}
