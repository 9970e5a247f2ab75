// What a load takes of what the same SM, or another one, has just stored: whether L1 and the near
// half of L2 keep it. One thread, a line of 128 B at a time; lines are near or far by what an
// atomic takes. Nothing of gpx is used here.
//
// Usage: store_load    Output: case,lines,mean clocks of near lines,of far lines
#include <algorithm>
#include <cstdio>
#include <vector>

#include "measure.h"

namespace {

constexpr int kLines = 2048, kStride = 32;  // words

enum Case {
  kAtomic,
  kPastL1,
  kThroughL1,
  kStoredPastL1,
  kStoredLaterPastL1,
  kStoredThroughL1,
  kHeldStored,
  kStoredAtOnceThroughL1,
  kByAnother,
};
const char* const kNames[] = {
    "an atomic",
    "a second load past L1",
    "a second load through L1",
    "stored, then loaded past L1",
    "stored, 3000 clocks later loaded past L1",
    "stored, 3000 clocks later loaded through L1",
    "loaded through L1, stored, 3000 clocks later loaded through L1",
    "stored, then loaded through L1",
    "stored by SM %d, then loaded past L1",
};
const int kOthers[] = {1, 2, 4, 6, 8, 16, 32, 64, 100, 131};

__device__ unsigned past_l1(const unsigned* at) {
  unsigned word;
  asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(word) : "l"(at) : "memory");
  return word;
}
__device__ unsigned through_l1(const unsigned* at) {
  unsigned word;
  asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(word) : "l"(at) : "memory");
  return word;
}
__device__ void store(unsigned* at) {
  asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(1) : "memory");
}
__device__ void rest() {
  const auto since = clock_now();
  while (clock_now() < since + 3000) {
  }
}

__global__ void of_line(unsigned* data, int what, int sm, unsigned short* clocks, unsigned* claim) {
  if (!chosen(sm, claim) || threadIdx.x != 0) return;
  for (int k = 0; k < kLines; ++k) {
    unsigned* at = data + k * kStride;
    if (what == kPastL1 || what == kStoredPastL1 || what == kStoredLaterPastL1)
      wait_for(past_l1(at));
    if (what == kThroughL1 || what == kHeldStored) wait_for(through_l1(at));
    if (what >= kStoredPastL1 && what <= kStoredAtOnceThroughL1) store(at);
    if (what >= kStoredLaterPastL1 && what <= kHeldStored) rest();
    const auto begin = clock_now();
    if (what == kAtomic)
      wait_for(atomicAdd(at, 0u));
    else if (what == kThroughL1 || what == kStoredThroughL1 || what == kHeldStored ||
             what == kStoredAtOnceThroughL1)
      wait_for(through_l1(at));
    else
      wait_for(past_l1(at));
    clocks[k] = static_cast<unsigned short>(clock_now() - begin);
  }
}

__global__ void store_all(unsigned* data, int sm, unsigned* claim) {
  if (!chosen(sm, claim) || threadIdx.x != 0) return;
  for (int k = 0; k < kLines; ++k) store(data + k * kStride);
}

}  // namespace

int main() {
  unsigned *data, *claim;
  unsigned short* clocks;
  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  CHECK(cudaMalloc(&data, kLines * kStride * 4));
  CHECK(cudaMalloc(&claim, 4));
  CHECK(cudaMalloc(&clocks, kLines * 2));
  CHECK(cudaMemset(data, 0, kLines * kStride * 4));
  std::vector<unsigned short> atomics(kLines), found(kLines);
  unsigned short limit = 0;
  std::printf("case,lines,near,far\n");
  const auto claimed = [&](auto launch) {
    CHECK(cudaMemset(claim, 0, 4));
    launch();
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
  };
  const int blocks = 8 * device.multiProcessorCount;
  for (int k = 0; k < kByAnother + static_cast<int>(sizeof kOthers / sizeof *kOthers); ++k) {
    const int what = std::min<int>(k, kByAnother), other = kOthers[k - what];
    for (int turn = 0; turn < 3; ++turn) {
      if (what == kByAnother) claimed([&] { store_all<<<blocks, 256>>>(data, other, claim); });
      claimed([&] { of_line<<<blocks, 256>>>(data, what, 0, clocks, claim); });
    }
    CHECK(cudaMemcpy(found.data(), clocks, kLines * 2, cudaMemcpyDeviceToHost));
    if (what == kAtomic) {
      atomics = found;
      std::vector<unsigned short> sorted = found;
      std::sort(sorted.begin(), sorted.end());
      limit = static_cast<unsigned short>((sorted[kLines / 10] + sorted[kLines * 9 / 10]) / 2);
    }
    double sum[2] = {0, 0};
    int count[2] = {0, 0};
    for (int k = 0; k < kLines; ++k)
      sum[atomics[k] > limit] += found[k], ++count[atomics[k] > limit];
    char name[80];
    std::snprintf(name, sizeof name, kNames[what], other);
    std::printf("\"%s\",%d,%.1f,%.1f\n", name, kLines, sum[0] / std::max(count[0], 1),
                sum[1] / std::max(count[1], 1));
  }
  return 0;
}
