// What 6,144 launches of a thread-latency sweep cost, by how their results come back: one copy
// after each launch, or all launches queued and one copy at the end. Nothing of gpx is used here.
// Build: nvcc -arch=sm_90 -O3 launch_overhead.cu Output, CSV: way,launches,seconds,us_a_launch
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "check.h"

namespace {

constexpr int kLaunches = 6144;

__global__ void measure(const std::uint32_t* data, unsigned long long* result) {
  __syncthreads();
  std::uint32_t start, end, value;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(start)::"memory");
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(data + threadIdx.x * 32) : "memory");
  asm volatile(
      "{\n\t.reg .pred p;\n\t"
      "setp.ne.u32 p, %1, 1;\n\t"
      "@p mov.u32 %0, %%clock;\n\t}"
      : "=r"(end)
      : "r"(value)
      : "memory");
  atomicMax(result, static_cast<unsigned long long>(end - start));
}

int threads_of(int launch) {
  return 2 + launch % 512 * 2;
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void report(const char* way, double seconds) {
  std::printf("%s,%d,%.6f,%.3f\n", way, kLaunches, seconds, seconds / kLaunches * 1e6);
}

}  // namespace

int main() {
  std::uint32_t* data = nullptr;
  unsigned long long *results = nullptr, *host = nullptr;
  CHECK(cudaMalloc(&data, 1024 * 128));
  CHECK(cudaMemset(data, 0, 1024 * 128));
  CHECK(cudaMalloc(&results, kLaunches * sizeof *results));
  CHECK(cudaMemset(results, 0, kLaunches * sizeof *results));
  CHECK(cudaMallocHost(&host, kLaunches * sizeof *host));
  for (int i = 0; i < 2000; ++i) measure<<<1, 1024>>>(data, results);  // wakes the GPU
  CHECK(cudaDeviceSynchronize());

  std::printf("way,launches,seconds,us_a_launch\n");
  double start = now();
  for (int i = 0; i < kLaunches; ++i) {
    measure<<<1, threads_of(i)>>>(data, results + i);
    CHECK(cudaMemcpy(host + i, results + i, sizeof *host, cudaMemcpyDeviceToHost));
  }
  report("copy_after_each", now() - start);

  start = now();
  for (int i = 0; i < kLaunches; ++i) measure<<<1, threads_of(i)>>>(data, results + i);
  CHECK(cudaMemcpy(host, results, kLaunches * sizeof *host, cudaMemcpyDeviceToHost));
  report("one_copy", now() - start);

  start = now();
  for (int i = 0; i < kLaunches; ++i) {
    measure<<<1, threads_of(i)>>>(data, results + i);
    if (i % 256 == 255) CHECK(cudaDeviceSynchronize());
  }
  CHECK(cudaMemcpy(host, results, kLaunches * sizeof *host, cudaMemcpyDeviceToHost));
  report("one_copy_sync_256", now() - start);
  return 0;
}
