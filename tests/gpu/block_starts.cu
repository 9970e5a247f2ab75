// What comes before the first instructions of a block: how long its place on an SM was empty, by
// what the block before it did last; when each of its warps begins; and what reading a special
// register takes of an SM, which is most of what a short block does. Nothing of gpx is used here.
//
// Usage: block_starts
// Output: what,kind,warps,tenth,median,ninetieth. `gap`: clocks from a block's last instruction to
// the first one of the next block in its place, with one warp each. `warp`: clocks from the first
// warp's first instruction to that of warp number `warps`, of blocks of 32, idle SMs. `register`:
// clocks of an SM for each read, by warps that read (median of 5 runs).
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "measure.h"

namespace {

constexpr int kRuns = 5, kReads = 16, kSms = 132, kPlaces = 32;
constexpr unsigned kSpin = 3000;     // a block's earlier accesses are over by then
constexpr unsigned kSpread = 40000;  // blocks end apart, so that no other one starts
constexpr std::uint64_t kMark = 0x1234567890abcdefull;

void print(const char* what, const char* kind, int warps, std::vector<double> all) {
  std::sort(all.begin(), all.end());
  const auto part = [&](double p) { return all[static_cast<std::size_t>(p * (all.size() - 1))]; };
  std::printf("%s,%s,%d,%.2f,%.2f,%.2f\n", what, kind, warps, part(0.1), part(0.5), part(0.9));
}

enum class Last { nothing, load, store, store16, reduction, hot_store };

// A block leaves the clock of its end in shared memory, where the next one in its place finds it.
template <Last kLast>
__global__ void last_access(unsigned* data, unsigned* gaps, unsigned words) {
  __shared__ std::uint64_t left[2];
  const std::uint64_t begin = clock_now();
  unsigned at = blockIdx.x * 32 + threadIdx.x;
  if (threadIdx.x == 0) {
    gaps[blockIdx.x] = left[0] == kMark ? static_cast<unsigned>(begin - left[1]) : 0;
    left[0] = 0;
  }
  const unsigned until = kSpin + mix(blockIdx.x) % kSpread;
  while (clock_now() - begin < until) {
  }
  if (threadIdx.x == 0) *const_cast<volatile std::uint64_t*>(left) = kMark;
  if (kLast == Last::load) {
    unsigned v;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(data + at % words) : "memory");
    wait_for(v);
  }
  if (kLast == Last::hot_store) at %= 1024;
  const int stores = kLast == Last::store16 ? 16 : kLast == Last::store || kLast == Last::hot_store;
  for (int i = 0; i < stores; ++i, at += words / 16)
    asm volatile("st.global.u32 [%0], %1;" ::"l"(data + at % words), "r"(i) : "memory");
  if (kLast == Last::reduction)
    asm volatile("red.global.add.u32 [%0], 1;" ::"l"(data + at % words) : "memory");
  if (threadIdx.x == 0) *const_cast<volatile std::uint64_t*>(left + 1) = clock_now();
}

template <Last kLast>
void gaps(const char* kind, unsigned* data, unsigned* out, unsigned words) {
  const int blocks = kSms * kPlaces * 8;
  last_access<kLast><<<blocks, 32>>>(data, out, words);
  std::vector<unsigned> each(blocks);
  CHECK(cudaMemcpy(each.data(), out, blocks * sizeof *out, cudaMemcpyDeviceToHost));
  std::vector<double> all;
  for (const unsigned gap : each)
    if (gap != 0 && gap < kSpin) all.push_back(gap);  // others: an earlier block was in the place
  print("gap", kind, 1, all);
}

__global__ void starts(unsigned* out) {
  const auto begin = static_cast<unsigned>(clock_now());
  while (static_cast<unsigned>(clock_now()) - begin < kSpin) {
  }
  if (threadIdx.x % 32 == 0) out[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = begin;
}

void warps(unsigned* out) {
  constexpr int kWarps = 32;
  for (int run = 0; run < kRuns; ++run) starts<<<kSms, 32 * kWarps>>>(out);
  std::vector<unsigned> each(kSms * kWarps);
  CHECK(cudaMemcpy(each.data(), out, each.size() * sizeof *out, cudaMemcpyDeviceToHost));
  for (int w = 0; w < kWarps; ++w) {
    std::vector<double> all;
    for (int b = 0; b < kSms; ++b)
      all.push_back(each[b * kWarps + w] -
                    *std::min_element(&each[b * kWarps], &each[b * kWarps] + kWarps));
    print("warp", "start", w, all);
  }
}

template <bool kSm>
__global__ void reads(unsigned* out, int n) {
  unsigned sum = 0;
  __syncthreads();
  const std::uint64_t begin = clock_now();
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    unsigned v[kReads];
#pragma unroll
    for (unsigned& each : v) {
      if (kSm) asm volatile("mov.u32 %0, %%smid;" : "=r"(each));
      if (!kSm) asm volatile("mov.u32 %0, %%warpid;" : "=r"(each));
    }
#pragma unroll
    for (const unsigned each : v) sum ^= each;
  }
  wait_for(sum);
  const auto clocks = static_cast<unsigned>(clock_now() - begin);
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = clocks;
}

template <bool kSm>
void registers(const char* kind, unsigned* out) {
  for (const int warps : {1, 2, 4, 8, 16, 32}) {
    const auto clocks = [&](int n) {
      reads<kSm><<<1, 32 * warps>>>(out, n);
      std::vector<unsigned> each(warps);
      CHECK(cudaMemcpy(each.data(), out, warps * sizeof *out, cudaMemcpyDeviceToHost));
      return static_cast<double>(*std::max_element(each.begin(), each.end()));
    };
    clocks(16);  // the code is there
    std::vector<double> all;
    for (int run = 0; run < kRuns; ++run)
      all.push_back((clocks(64) - clocks(16)) / (48.0 * kReads * warps));
    print("register", kind, warps, all);
  }
}

}  // namespace

int main() {
  auto* const data = device<unsigned>(1 << 26);
  auto* const out = device<unsigned>(1 << 20);
  std::puts("what,kind,warps,tenth,median,ninetieth");
  gaps<Last::nothing>("nothing", data, out, 1 << 20);
  for (const unsigned words : {1u << 20, 1u << 26}) {
    gaps<Last::load>(words >> 26 ? "load_far" : "load", data, out, words);
    gaps<Last::store>(words >> 26 ? "store_far" : "store", data, out, words);
    gaps<Last::store16>(words >> 26 ? "store16_far" : "store16", data, out, words);
    gaps<Last::reduction>(words >> 26 ? "reduction_far" : "reduction", data, out, words);
  }
  gaps<Last::hot_store>("hot_store", data, out, 1 << 20);
  warps(out);
  registers<true>("smid", out);
  registers<false>("warpid", out);
  return 0;
}
