// What a driver reports becomes a DeviceInfo; what it does not have becomes a reason.
#include <doctest/doctest.h>

#include "runtime/device/cuda/device.h"
#include "tests/runtime/cuda_fake.h"

using namespace gpx;

TEST_CASE("a device is described as its driver reports it") {
  const cuda::DriverState state = cuda::fake::reset();
  const auto device = cuda::query_device(state, 0);
  REQUIRE(device.has_value());
  const DeviceInfo& info = device->info;
  CHECK(info.kind == "cuda");
  CHECK(info.measured);
  CHECK(info.architecture == "sm_90");
  CHECK(info.code == "SASS");
  CHECK(info.name == "Fake H100");
  CHECK(info.sm_major == 9);
  CHECK(info.sm_minor == 0);
  CHECK(info.sm_count == 132);
  CHECK(info.warp_size == 32);
  CHECK(info.max_threads_per_block == 1024);
  CHECK(info.max_threads_per_sm == 2048);
  CHECK(info.memory_bytes == 1u << 30);
  CHECK(info.clock_hz == 1.98e9);
  CHECK(info.uuid == "GPU-f0f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfeff");
  CHECK(info.driver.rfind("13.0", 0) == 0);
  CHECK(info.l2_bytes == 4096);
  CHECK(info.memory_clock_hz == 2.619e9);
  CHECK(info.memory_bus_bits == 5120);
  CHECK(info.memory_bandwidth == 2 * 2.619e9 * 640);
  CHECK(info.shared_per_block_optin == 232448);
  CHECK(info.cooperative_launch);
  CHECK_FALSE(info.cluster_launch);  // the driver does not know the attribute
  CHECK(device->ordinal == 40);
}

TEST_CASE("the peer is the first other GPU whose memory can be accessed") {
  const cuda::DriverState state = cuda::fake::reset();
  cuda::fake::gpu().count = 4;
  const auto peer_of = [&](int index) {
    const auto device = cuda::query_device(state, index);
    REQUIRE(device.has_value());
    CHECK(device->peer.has_value() == !device->info.peer.empty());
    CHECK(device->info.peer_memory_bytes == (device->peer ? 1u << 30 : 0));
    CHECK(device->info.peer_uuid.empty() == !device->peer.has_value());
    CHECK(device->info.peer_uuid != device->info.uuid);
    return device->peer ? device->peer->index : -1;
  };
  CHECK(peer_of(0) == -1);
  cuda::fake::gpu().access = {{40, 42}, {40, 43}, {42, 40}, {43, 43}};
  CHECK(peer_of(0) == 2);
  CHECK(peer_of(1) == -1);
  CHECK(peer_of(2) == 0);
  CHECK(peer_of(3) == -1);  // itself is no other
  const auto with = cuda::query_device(state, 0);
  CHECK(with->info.peer == "cuda:2 Fake H100");
  CHECK(with->info.peer_native_atomics);
  CHECK(with->peer->ordinal == 42);
  cuda::fake::gpu().peer_atomics = false;
  CHECK_FALSE(cuda::query_device(state, 0)->info.peer_native_atomics);
}

TEST_CASE("no driver and no GPU are counts of zero with a reason") {
  std::string reason;
  CHECK(cuda::device_count({nullptr, "x", 0, "no CUDA driver: x"}, &reason) == 0);
  CHECK(reason == "no CUDA driver: x");

  const cuda::DriverState state = cuda::fake::reset();
  CHECK(cuda::device_count(state, &reason) == 1);
  CHECK(reason.empty());
  cuda::fake::gpu().count = 0;
  CHECK(cuda::device_count(state, &reason) == 0);
  CHECK(reason == "the CUDA driver sees no GPU");
}

TEST_CASE("an index that no GPU has is refused with those that there are") {
  const cuda::DriverState state = cuda::fake::reset();
  cuda::fake::gpu().count = 4;
  for (const int index : {-1, 4}) {
    const auto device = cuda::query_device(state, index);
    REQUIRE(!device.has_value());
    CHECK(device.error().diagnostics[0].hint == "this machine has cuda:0 to cuda:3");
  }
}
