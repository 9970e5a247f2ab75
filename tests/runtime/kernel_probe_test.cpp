// Hand-written kernels as probes: what they are given, what comes back, and what is refused.
#include <doctest/doctest.h>

#include "runtime/analysis/probe/kernel.h"
#include "runtime/analysis/prober.h"
#include "runtime/device/vgpu/virtual_gpu.h"

namespace gpx {
namespace {

struct Device {
  std::unique_ptr<Backend> backend;
  std::atomic<bool> stop = false;
  std::unique_ptr<Prober> prober;

  Device() {
    auto opened = vgpu::open(GPX_SOURCE_DIR "/stdlib/devices/k20.lua", 1);
    if (!opened) FAIL(render(opened.error()));
    backend = std::move(*opened);
    prober = make_prober(*backend, stop, 1);
  }
};

KernelRequest request_of(std::string body) {
  KernelRequest request;
  request.name = "ask";
  request.file = "ask.cu";
  request.text =
      "typedef unsigned long long u64;\nextern \"C\" __global__ void ask(u64* result, "
      "const unsigned* array, const u64* list, u64 count) {\n" +
      std::move(body) + "\n}\n";
  request.arrays = {1 << 16};
  request.lists = {{5, 7, 11}};
  request.scalars = {3};
  return request;
}

std::string error_of(Device& device, const KernelRequest& request) {
  const auto answer = device.prober->ask(request);
  REQUIRE_FALSE(answer);
  return answer.error().diagnostics.front().message;
}

}  // namespace

TEST_CASE("a probe's kernel gets its array, lists and scalars, and its words come back") {
  Device device;
  KernelRequest request = request_of(
      "u64 sum = 0;\nfor (u64 i = 0; i < count; ++i) sum += list[i];\n"
      "result[0] = sum;\nresult[1] = array[3];\nresult[2] = count;");
  request.results = 3;
  auto answer = device.prober->ask(request);
  if (!answer) FAIL(render(answer.error()));
  CHECK(*answer == std::vector<double>{23, static_cast<double>(codegen::initial_word(3)), 3});
  // Another list in the same program.
  request.lists = {{1, 2, 4}};
  answer = device.prober->ask(request);
  REQUIRE(answer);
  CHECK(answer->front() == 7);
}

TEST_CASE("an array begins at a multiple of its size, whether it is filled or not") {
  Device device;
  for (const bool bare : {false, true}) {
    CAPTURE(bare);
    KernelRequest request = request_of("result[0] = (u64)array;");
    request.arrays = {(1ull << 30) + (100 << 20)};  // 1124 MB: at a multiple of 2 GB
    request.bare = bare;
    const auto answer = device.prober->ask(request);
    if (!answer) FAIL(render(answer.error()));
    CHECK(static_cast<std::uint64_t>(answer->front()) % (2ull << 30) == 0);
  }
}

TEST_CASE("fewer blocks are tried first, until they do not reach the SM that the kernel asks for") {
  const auto on_sm = [](int sm) {
    KernelRequest request = request_of(
        "unsigned here;\nasm volatile(\"mov.u32 %0, %%smid;\" : \"=r\"(here));\n"
        "if (here == " +
        std::to_string(sm) + " && threadIdx.x == 0) result[0] = gridDim.x;");
    request.blocks = 26;
    request.fewer = 1;
    return request;
  };
  Device device;
  CHECK(device.prober->ask(on_sm(0)) == std::vector<double>{1});
  CHECK(device.prober->ask(on_sm(1)) == std::vector<double>{26});
  CHECK(device.prober->ask(on_sm(0)) == std::vector<double>{26});
  CHECK(error_of(device, on_sm(1000)) == "the probe 'ask' did not write word 0");
}

TEST_CASE("what a probe's kernel cannot do is told") {
  Device device;
  CHECK(error_of(device, request_of("if (count == 0) result[0] = 1;")) ==
        "the probe 'ask' did not write word 0");
  KernelRequest large = request_of("result[0] = 1;");
  large.arrays = {1ull << 50};
  CHECK(error_of(device, large).find("of memory: the device has") != std::string::npos);
  KernelRequest wide = request_of("result[0] = 1;");
  wide.threads = 2048;
  CHECK(error_of(device, wide).find("has 2048 threads: a block of the device has 1024") !=
        std::string::npos);
  CHECK(error_of(device, request_of("result[0] = nothing;")).find("nothing") != std::string::npos);
}

}  // namespace gpx
