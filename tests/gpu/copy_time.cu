// The seconds of a copy kernel, 8 bytes a thread, with its data in L2 and after 76 MB from the host
// went through it; and what the way of timing adds.
// Nothing of gpx is used here. Build: nvcc -arch=sm_90 -O3 copy_time.cu
// Output, CSV: way,state,size,us_min,us_hm   (size: bytes read and written; 5 repetitions)
// Ways, all with an event before and after the kernel:
//   plain     no more than that
//   held      the stream is held by a host function until all is queued
//   held_set  held, and a memset of 4 KB before the first event, so that the event is not taken by
//             the copy engine
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "check.h"

namespace {

constexpr int kRepetitions = 5, kThreads = 256;
constexpr std::size_t kFlushBytes = 76u << 20;
enum class Way { plain, held, held_set };

__global__ void copy(const std::uint64_t* from, std::uint64_t* to) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  std::uint64_t v;
  asm volatile("ld.global.u64 %0, [%1];" : "=l"(v) : "l"(from + i) : "memory");
  asm volatile("st.global.u64 [%0], %1;" ::"l"(to + i), "l"(v) : "memory");
}

struct Rig {
  std::uint64_t *from = nullptr, *to = nullptr;
  char *flush_target = nullptr, *flush_source = nullptr, *scratch = nullptr;
  cudaStream_t stream{};
  cudaEvent_t start[kRepetitions]{}, stop[kRepetitions]{};
  std::atomic<bool> go{false};
};

void hold(void* rig) {
  while (!static_cast<Rig*>(rig)->go) std::this_thread::yield();
}

void measure(Rig& r, Way way, bool flushed, std::size_t size) {
  const auto blocks = static_cast<unsigned>(size / 2 / 8 / kThreads);
  copy<<<blocks, kThreads, 0, r.stream>>>(r.from, r.to);
  CHECK(cudaStreamSynchronize(r.stream));
  r.go = way == Way::plain;
  if (way != Way::plain) CHECK(cudaLaunchHostFunc(r.stream, hold, &r));
  for (int i = 0; i < kRepetitions; ++i) {
    if (flushed) {
      CHECK(cudaMemcpyAsync(r.flush_target, r.flush_source, kFlushBytes, cudaMemcpyHostToDevice,
                            r.stream));
    }
    if (way == Way::held_set) CHECK(cudaMemsetAsync(r.scratch, 0, 4096, r.stream));
    CHECK(cudaEventRecord(r.start[i], r.stream));
    copy<<<blocks, kThreads, 0, r.stream>>>(r.from, r.to);
    CHECK(cudaEventRecord(r.stop[i], r.stream));
  }
  r.go = true;
  CHECK(cudaStreamSynchronize(r.stream));
  double least = 1e30, inverse = 0;
  for (int i = 0; i < kRepetitions; ++i) {
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, r.start[i], r.stop[i]));
    least = std::min(least, ms * 1e3);
    inverse += 1 / (ms * 1e3);
  }
  const char* name = way == Way::plain ? "plain" : way == Way::held ? "held" : "held_set";
  std::printf("%s,%s,%zu,%.3f,%.3f\n", name, flushed ? "flushed" : "warm", size, least,
              kRepetitions / inverse);
}

}  // namespace

int main() {
  Rig r;
  constexpr std::size_t kMost = 128u << 20;
  CHECK(cudaMalloc(&r.from, kMost / 2));
  CHECK(cudaMalloc(&r.to, kMost / 2));
  CHECK(cudaMemset(r.from, 1, kMost / 2));
  CHECK(cudaMalloc(&r.flush_target, kFlushBytes));
  CHECK(cudaMallocHost(&r.flush_source, kFlushBytes));
  CHECK(cudaMalloc(&r.scratch, 4096));
  CHECK(cudaStreamCreateWithFlags(&r.stream, cudaStreamNonBlocking));
  for (int i = 0; i < kRepetitions; ++i) {
    CHECK(cudaEventCreate(&r.start[i]));
    CHECK(cudaEventCreate(&r.stop[i]));
  }
  for (int i = 0; i < 2000; ++i) copy<<<1024, kThreads, 0, r.stream>>>(r.from, r.to);
  CHECK(cudaStreamSynchronize(r.stream));
  std::printf("way,state,size,us_min,us_hm\n");
  for (const Way way : {Way::plain, Way::held, Way::held_set}) {
    for (const bool flushed : {false, true}) {
      for (std::size_t size = 64u << 10; size <= kMost; size *= 2) measure(r, way, flushed, size);
    }
  }
  return 0;
}
