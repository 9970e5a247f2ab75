// The constant caches of an SM by hand. Nothing of gpx is used here.
//
// list: one thread follows a random cycle of words of a bank of 64 KB, one every `stride` bytes;
// each word has the address of the next, so that a load is one LDC whose address is the value of
// the one before. 4096 loads count, behind as many. Plateaus of clocks against footprint are the
// levels; lists of few words with a stride of many lines show ways and sets. first touch: an L1
// emptied of a line A by 8 KB of other lines; A is loaded, then a load of A + distance is timed: a
// hit is of the same line. halves: SM 0 and another one follow lists of their own in the two halves
// of the bank at the same time (0: SM 0 alone): where they share a level, it holds half as much for
// each. shared: SM 0 goes through 16 KB, then another SM for the first time: clocks of a load
// there, with SM 0's walk before it and without. policy: 3000 random visits to k lines of one set
// of L1 (512 B apart), each timed, behind a homing sequence; a visit that takes longer than the
// middle between both modes is a miss; which share of the visits each model of 4 ways says, from
// the best of the states before.
//
// Output, CSV: what,key,footprint,lines,value.
//   list,STRIDE,BYTES,WORDS,clocks of a load         first touch,0,DISTANCE,,clocks (median of 32
//   A) halves,SM,BYTES OF EACH,WORDS,clocks of SM 0     shared|alone,SM,16384,256,clocks of a load
//   policy MODEL,512,,LINES,percent                  policy misses|majority|limit, likewise
// Usage: constant
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "measure.h"
#include "policies.h"

namespace {

using u32 = unsigned;
using u64 = std::uint64_t;

constexpr u32 kBank = 64 << 10, kSetStride = 512, kWays = 4;
constexpr int kLoads = 4096, kRandom = 3000, kMostVisits = 4096, kShared = 120 << 10;
constexpr long long kPatience = 4000000;  // clocks that a block waits for another one

__constant__ u32 bank[kBank / 4];

// A load of the bank at that byte: LDC, whose address is in a register.
__device__ __forceinline__ u32 load(u32 byte) {
  return *reinterpret_cast<const u32*>(reinterpret_cast<const char*>(bank) + byte);
}

__device__ u32 follow(u32 at, int loads) {
#pragma unroll 1
  for (int i = 0; i < loads; i += 32) {
#pragma unroll
    for (int k = 0; k < 32; ++k) at = load(at);
  }
  return at;
}

// Clocks of `loads` loads, behind `warm` others.
__device__ u64 timed_walk(u32 first, int warm, int loads) {
  u32 at = follow(first, warm);
  wait_for(at);
  const u64 begin = clock_now();
  at = follow(at, loads);
  wait_for(at);
  return clock_now() - begin;
}

__global__ void list(u32 first, int warm, int loads, int sm, unsigned* claim, u64* clocks) {
  if (!chosen(sm, claim)) return;
  // Not known to be the same of all threads: else the assembler may take loads of uniform
  // registers.
  *clocks = timed_walk(first + threadIdx.x * 4, warm, loads);
}

// One load by itself.
__device__ u32 timed(u32 byte) {
  const auto begin = static_cast<u32>(clock_now());
  u32 value;
  asm volatile("{\n.reg .u64 a;\ncvt.u64.u32 a, %1;\nadd.u64 a, a, %2;\nld.const.u32 %0, [a];\n}"
               : "=r"(value)
               : "r"(byte), "l"(__cvta_generic_to_constant(bank))
               : "memory");
  wait_for(value);
  return static_cast<u32>(clock_now()) - begin;
}

// Of 32 lines in the upper half; the lower half pushes them out. clocks[0] has the distance: a
// parameter would be loaded where it is used, and is a constant itself.
__global__ void first_touch(int sm, unsigned* claim, u32* clocks) {
  __shared__ u32 took[32];
  if (!chosen(sm, claim)) return;
  if (threadIdx.x != 0) return;
  const u32 distance = *static_cast<volatile u32*>(clocks);
  u32 sum = 0;
#pragma unroll 1
  for (u32 i = 0; i < 64; ++i) {
    const u32 a = kBank / 2 + 256 + i % 32 * 960;  // a multiple of 64
    const u32 near = a + distance;
    wait_for(near);
#pragma unroll 1
    for (u32 byte = 0; byte < 8192; byte += 32) sum += timed(byte);
    sum += timed(a);
    took[i % 32] = timed(near);
  }
  for (u32 i = 0; i < 32; ++i) clocks[i] = took[i] + (sum == 12345 ? 1 : 0);
}

// Waits for a number in memory, so long at most.
__device__ bool waited(volatile unsigned* flag, unsigned number) {
  const long long begin = clock64();
  while (*flag < number)
    if (clock64() - begin > kPatience) return false;
  return true;
}

// One block an SM at a time; two of all work. `together`: both at once, on lists of their own, and
// SM 0's clocks count. Else SM 0 walks (unless `skip`), then the other one, whose clocks count.
// late: one that waited in vain.
__global__ void pair(int other, bool together, bool skip, u32 first0, u32 first1, int loads,
                     unsigned* flags, u64* clocks, unsigned* late) {
  const int here = static_cast<int>(this_sm());
  if (here != 0 && here != other) return;
  if (atomicAdd(flags + (here == 0 ? 2 : 3), 1u) != 0) return;
  if (here == 0) {
    if (!together) {
      if (!skip) {
        const u32 at = follow(first0 + threadIdx.x * 4, loads);
        wait_for(at);
      }
      __threadfence();
      atomicAdd(flags, 1u);
      return;
    }
    if (other > 0) {
      atomicAdd(flags, 1u);
      if (!waited(flags, 2)) atomicAdd(late, 1u);
    }
    *clocks = timed_walk(first0 + threadIdx.x * 4, loads, loads);
    return;
  }
  if (together) {
    atomicAdd(flags, 1u);
    if (!waited(flags, 2)) atomicAdd(late, 1u);
    // Twice as long as the one whose clocks count, and half as much.
    const u64 taken = timed_walk(first1 + threadIdx.x * 4, loads, 2 * loads);
    if (taken == 12345) *clocks = taken;
    return;
  }
  if (!waited(flags, 1)) atomicAdd(late, 1u);
  *clocks = timed_walk(first1 + threadIdx.x * 4, 0, loads);
}

__global__ void visit(const u32* order, int count, int sm, unsigned* claim, std::uint16_t* clocks) {
  __shared__ u32 at[kMostVisits];
  __shared__ std::uint16_t took[kMostVisits];
  if (!chosen(sm, claim)) return;
  if (threadIdx.x != 0) return;
  for (int i = 0; i < count; ++i) at[i] = order[i];
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    const u32 next = at[i];
    wait_for(next);
    took[i] = static_cast<std::uint16_t>(min(timed(next), 65535u));
  }
  for (int i = 0; i < count; ++i) clocks[i] = took[i];
}

class Bench {
 public:
  Bench() : sms_(count_of_sms()) {
    claim_ = device<unsigned>(4);
    clocks_ = device<u64>(1);
    few_ = device<u32>(32);
    order_ = device<u32>(kMostVisits);
    wide_ = device<std::uint16_t>(kMostVisits);
    CHECK(cudaFuncSetAttribute(pair, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  }

  void lists() {
    std::vector<u32> sizes;
    for (u32 bytes = 256; bytes < 4096; bytes += 256) sizes.push_back(bytes);
    for (u32 bytes = 4096; bytes <= kBank; bytes += 2048) sizes.push_back(bytes);
    for (const u32 stride : {32u, 64u, 256u})
      for (const u32 bytes : sizes)
        if (bytes >= 2 * stride) list_of(stride, bytes);
    for (const u32 stride : {128u, 512u, 1024u, 2048u, 4096u})
      for (u32 words = 2; words <= 24 && words * stride <= kBank; ++words)
        list_of(stride, words * stride);
  }

  void touches() {
    for (int distance = -128; distance <= 256; distance += 16) {
      CHECK(cudaMemset(claim_, 0, 4));
      to_device(few_, std::vector<u32>{static_cast<u32>(distance)});
      first_touch<<<8 * sms_, 32>>>(0, claim_, few_);
      CHECK(cudaGetLastError());
      std::printf("first touch,0,%d,,%u\n", distance, median(host_copy(few_, 32)));
    }
  }

  void halves() {
    for (u32 bytes = 4096; bytes <= kBank / 2; bytes += 4096) {
      const u32 words = bytes / 64;
      image_.assign(kBank / 4, 0);
      const u32 first = cycle(0, 64, words), second = cycle(kBank / 2, 64, words);
      CHECK(cudaMemcpyToSymbol(bank, image_.data(), kBank));
      for (const int other : {0, 1, 2, 16, 66})
        std::printf("halves,%d,%u,%u,%.3f\n", other, bytes, words,
                    two(other, true, false, first, second, 4 * kLoads));
    }
  }

  void sharing() {
    constexpr u32 kBytes = 16384;
    for (int other = 1; other < sms_; ++other)
      for (const bool skip : {false, true}) {
        // Another image each time, so that no level has the old one.
        image_.assign(kBank / 4, 0);
        const u32 first = cycle(0, 64, kBytes / 64);
        CHECK(cudaMemcpyToSymbol(bank, image_.data(), kBank));
        std::printf("%s,%d,%u,%u,%.3f\n", skip ? "alone" : "shared", other, kBytes, kBytes / 64,
                    two(other, false, skip, first, first, static_cast<int>(kBytes / 64)));
      }
  }

  void policy() {
    for (const int k : {5, 6, 8}) {
      std::vector<int> visits = homing_visits(3 * kWays, 3);
      const std::size_t homing = visits.size();
      for (int i = 0; i < kRandom; ++i) visits.push_back(static_cast<int>(random_() % k));
      std::vector<u32> at;
      for (const int line : visits) at.push_back(kBank / 4 + static_cast<u32>(line) * kSetStride);
      to_device(order_, at);
      CHECK(cudaMemset(claim_, 0, 4));
      visit<<<8 * sms_, 32>>>(order_, static_cast<int>(at.size()), 0, claim_, wide_);
      CHECK(cudaGetLastError());
      judge(k, visits, homing, host_copy(wide_, at.size()));
    }
  }

  bool in_time() const { return late_ == 0; }

 private:
  // A random cycle over `words` words from that byte on; its first address.
  u32 cycle(u32 from, u32 stride, u32 words) {
    std::vector<u32> order(words);
    for (u32 i = 0; i < words; ++i) order[i] = from + i * stride;
    std::shuffle(order.begin(), order.end(), random_);
    for (u32 i = 0; i < words; ++i) image_[order[i] / 4] = order[(i + 1) % words];
    return order[0];
  }

  void list_of(u32 stride, u32 bytes) {
    image_.assign(kBank / 4, 0);
    const u32 first = cycle(0, stride, bytes / stride);
    CHECK(cudaMemcpyToSymbol(bank, image_.data(), kBank));
    CHECK(cudaMemset(claim_, 0, 4));
    list<<<8 * sms_, 1>>>(first, kLoads, kLoads, 0, claim_, clocks_);
    CHECK(cudaGetLastError());
    std::printf("list,%u,%u,%u,%.3f\n", stride, bytes, bytes / stride,
                static_cast<double>(host_copy(clocks_, 1)[0]) / kLoads);
  }

  double two(int other, bool together, bool skip, u32 first0, u32 first1, int loads) {
    CHECK(cudaMemset(claim_, 0, 16));
    CHECK(cudaMemset(clocks_, 0, 8));
    pair<<<4 * sms_, 1, kShared>>>(other, together, skip, first0, first1, loads, claim_, clocks_,
                                   claim_ + 1);
    CHECK(cudaGetLastError());
    late_ += host_copy(claim_, 2)[1];
    return static_cast<double>(host_copy(clocks_, 1)[0]) / loads;
  }

  void judge(int k, const std::vector<int>& visits, std::size_t homing,
             const std::vector<std::uint16_t>& clocks) {
    std::vector<std::uint16_t> sorted(clocks.begin() + static_cast<long>(homing), clocks.end());
    std::sort(sorted.begin(), sorted.end());
    const double limit =
        (sorted[sorted.size() / 50] + sorted[sorted.size() - sorted.size() / 50]) / 2.0;
    std::vector<bool> hits;
    int missed = 0;
    for (const std::uint16_t c : clocks) {
      hits.push_back(c <= limit);
      missed += hits.size() > homing && c > limit;
    }
    const double misses = 100.0 * missed / kRandom;
    const auto print = [&](const char* what, double value) {
      std::printf("policy %s,%u,,%d,%.4g\n", what, kSetStride, k, value);
    };
    print("limit", limit);
    print("misses", misses);
    print("majority", std::max(misses, 100 - misses));
    for (const PolicyRow& row : policies())
      print(row.name, said(row, kWays, visits, hits, homing, false).most);
  }

  int sms_;
  unsigned* claim_;
  u64* clocks_;
  u32 *few_, *order_;
  std::uint16_t* wide_;
  std::vector<u32> image_;
  std::mt19937 random_{5};
  unsigned late_ = 0;
};

}  // namespace

int main() {
  Bench bench;
  std::printf("what,key,footprint,lines,value\n");
  bench.lists();
  bench.touches();
  bench.halves();
  bench.sharing();
  bench.policy();
  CHECK(cudaDeviceSynchronize());
  if (!bench.in_time()) std::fprintf(stderr, "constant: a block waited in vain for another one\n");
  return bench.in_time() ? 0 : 1;
}
