// How a GPU that has rested begins: its SM clock, and what an L2 hit and a load of memory take, in
// the first milliseconds after so many seconds with nothing to do. Tells how long gpx may leave a
// GPU alone before it must be woken (runtime/device/cuda/cuda_backend.cpp). No code of gpx.
//
// One thread chases 64-bit links, 1,000 loads a launch, launch after launch for 60 ms; each launch
// gives SM clocks and nanoseconds of %globaltimer. Usage: idle_clock    Output, CSV: rest in s, ms
// since the first launch, SM clock in MHz, L2, memory (clocks)
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "check.h"

namespace {

constexpr int kLoads = 1000;
constexpr std::uint64_t kLine = 128, kNear = 4 << 20, kFar = 256 << 20;

struct Seen {
  unsigned long long clocks, ns, at;
};

__global__ void chase(const char* array, std::uint64_t from, Seen* out) {
  unsigned long long begin, end, begin_ns, end_ns, at = from;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin_ns)::"memory");
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(begin)::"memory");
#pragma unroll 1
  for (int i = 0; i < kLoads; ++i)
    asm volatile("{.reg .u64 p;\n add.u64 p, %1, %0;\n ld.global.cg.u64 %0, [p];}"
                 : "+l"(at)
                 : "l"(array)
                 : "memory");
  if (at == 1) asm volatile("trap;");
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(end)::"memory");
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(end_ns)::"memory");
  *out = {end - begin, end_ns - begin_ns, at};
}

char* links(std::uint64_t bytes) {
  std::vector<std::uint64_t> order(bytes / kLine);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin() + 1, order.end(), std::mt19937_64(7));
  std::vector<std::uint64_t> words(bytes / 8);
  for (std::size_t i = 0; i < order.size(); ++i)
    words[order[i] * kLine / 8] = order[(i + 1) % order.size()] * kLine;
  char* array = nullptr;
  CHECK(cudaMalloc(&array, bytes));
  CHECK(cudaMemcpy(array, words.data(), bytes, cudaMemcpyHostToDevice));
  return array;
}

}  // namespace

int main() {
  using Clock = std::chrono::steady_clock;
  char *near = links(kNear), *far = links(kFar);
  Seen* seen = nullptr;
  CHECK(cudaMallocManaged(&seen, 2 * sizeof(Seen)));
  std::uint64_t at_near = 0, at_far = 0;
  std::printf("rest_s,ms,mhz,l2,memory\n");
  for (const double rest : {0.0, 0.02, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0}) {
    std::this_thread::sleep_for(std::chrono::duration<double>(rest));
    const auto start = Clock::now();
    double next = 0;
    for (int i = 0;; ++i) {
      const double ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
      chase<<<1, 1>>>(near, at_near, seen);
      chase<<<1, 1>>>(far, at_far, seen + 1);
      CHECK(cudaDeviceSynchronize());
      at_near = seen[0].at, at_far = seen[1].at;
      if (ms >= next)
        std::printf("%.2f,%.2f,%.0f,%.1f,%.1f\n", rest, ms, 1e3 * seen[1].clocks / seen[1].ns,
                    double(seen[0].clocks) / kLoads, double(seen[1].clocks) / kLoads);
      if (ms >= next) next = next < 2 ? next + 0.5 : 2 * next;
      if (ms > 60) break;
    }
  }
}
