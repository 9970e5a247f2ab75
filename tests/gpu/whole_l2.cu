// What all of L2 holds, by hand: atomics on all lines of a region, by one SM, by all, or on those lines alone that are
// near to one SM or far from it; then which lines are still there, by the time of a first atomic against a second one.
// Nothing of gpx is used here.
//
// Usage: whole_l2 [SM]
// One line a case: what filled L2, the region, the samples near and far, the share of each that hit, and the bytes that
// these shares make: share times the bytes of that kind in the region.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "measure.h"

namespace {

using u64 = unsigned long long;
constexpr u64 kLine = 128, kPage = 4096;

__device__ __forceinline__ unsigned visit(char* at) {
  unsigned word;
  asm volatile("atom.global.and.b32 %0, [%1], 0;" : "=r"(word) : "l"(at) : "memory");
  return word;
}

__device__ __forceinline__ unsigned timed(char* at) {
  unsigned begin, end;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(begin)::"memory");
  if (visit(at + (begin == 0x5a5a5a5bu ? 4 : 0)) == 0x5a5a5a5bu) asm volatile("trap;");
  asm volatile("mov.u32 %0, %%clock;" : "=r"(end)::"memory");
  return end - begin;
}

// The time of a hit of each line, from one SM: the least of three.
__global__ void classify(int sm, unsigned* claim, char* array, u64 lines, unsigned short* clocks) {
  const bool mine = threadIdx.x == 0 && static_cast<int>(this_sm()) == sm && atomicAdd(claim, 1u) == 0;
  if (!__syncthreads_or(mine)) return;
  if (threadIdx.x % 32 != 0) return;
  for (u64 i = threadIdx.x / 32; i < lines; i += blockDim.x / 32) {
    char* at = array + i * kLine;
    visit(at);
    unsigned least = timed(at);
    least = min(least, timed(at));
    clocks[i] = static_cast<unsigned short>(min(min(least, timed(at)), 65535u));
  }
}

enum Kind { kAll, kNear, kFar };

// Which lines the block visits: all, or those near or far by `clocks` against `limit`. `loads`: by loads.
__global__ void fill(int sm, unsigned* claim, char* array, u64 lines, const unsigned short* clocks, unsigned limit,
                     int kind, int how, unsigned* sink) {
  u64 from = threadIdx.x, step = blockDim.x;
  if (sm >= 0) {
    const bool mine = threadIdx.x == 0 && static_cast<int>(this_sm()) == sm && atomicAdd(claim, 1u) == 0;
    if (!__syncthreads_or(mine)) return;
  } else {
    from += blockIdx.x * u64{blockDim.x};
    step *= gridDim.x;
  }
  unsigned sum = 0;
  for (u64 i = from; i < lines; i += step) {
    if (kind != kAll && (clocks[i] < limit) != (kind == kNear)) continue;
    char* at = array + i * kLine;
    unsigned v = 0;
    if (how == 0) v = visit(at);
    if (how == 1) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
    if (how == 2) asm volatile("st.global.cg.u32 [%0], %1;" ::"l"(at), "r"(0u) : "memory");
    if (how == 3) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(0u) : "memory");
    sum += v;
  }
  if (sum == 0x12345) *sink = sum;
}

// Of sampled lines, the first and the second atomic.
__global__ void sample(int sm, unsigned* claim, char* array, const unsigned* which, int count, unsigned* out) {
  const bool mine = threadIdx.x == 0 && static_cast<int>(this_sm()) == sm && atomicAdd(claim, 1u) == 0;
  if (!__syncthreads_or(mine) || threadIdx.x != 0) return;
  for (int k = 0; k < count; ++k) {
    const u64 line = which[k], other = line ^ (kPage / kLine / 2);
    visit(array + other * kLine);
    char* at = array + line * kLine;
    out[2 * k] = timed(at);
    out[2 * k + 1] = timed(at);
  }
}

struct Bench {
  int sms = 0, sm = 0;
  char* array = nullptr;
  unsigned short* clocks = nullptr;
  unsigned *claim = nullptr, *which = nullptr, *out = nullptr, *sink = nullptr;
  unsigned limit = 0;
  std::vector<unsigned short> host;

  void fresh() { CHECK(cudaMemset(claim, 0, 4)); }
  int grid() const { return 4 * sms; }

  void classes(u64 lines) {
    fresh();
    classify<<<grid(), 1024>>>(sm, claim, array, lines, clocks);
    CHECK(cudaDeviceSynchronize());
    host = host_copy(clocks, lines);
    std::vector<unsigned short> sorted = host;
    std::sort(sorted.begin(), sorted.end());
    // The widest gap between the tenth and the ninetieth percentile of a histogram of 8 clocks, by its emptiest bin.
    const unsigned low = sorted[lines / 10], high = sorted[lines * 9 / 10];
    std::vector<u64> bins(65536 / 8);
    for (unsigned short c : host) ++bins[c / 8];
    unsigned best = low / 8;
    for (unsigned b = low / 8; b <= high / 8; ++b)
      if (bins[b] < bins[best]) best = b;
    limit = best * 8 + 4;
    u64 near = 0;
    for (unsigned short c : host) near += c < limit;
    std::printf("# classes: p10 %u p90 %u limit %u near %.4f\n#", low, high, limit, double(near) / lines);
    for (unsigned b = low / 8 - 4; b <= high / 8 + 8; ++b) std::printf(" %u:%llu", b * 8, bins[b]);
    std::printf("\n");
  }

  void row(const char* name, int from, u64 lines, int kind, int how) {
    int count[2] = {0, 0}, hits[2] = {0, 0}, unclear = 0;
    const int each = 400;
    u64 state = 12345 + lines;
    for (int run = 0; run < 16; ++run) {
      fresh();
      fill<<<grid(), 1024>>>(from, claim, array, lines, clocks, limit, kind, how, sink);
      std::vector<unsigned> lines_of(each);
      for (int k = 0; k < each; ++k) {
        u64 line;
        do {
          state = state * 6364136223846793005ull + 1442695040888963407ull;
          line = (state >> 20) % lines;
        } while (kind != kAll && (host[line] < limit) != (kind == kNear));
        lines_of[k] = static_cast<unsigned>(line);
      }
      CHECK(cudaDeviceSynchronize());
      to_device(which, lines_of);
      fresh();
      sample<<<grid(), 32>>>(sm, claim, array, which, each, out);
      CHECK(cudaDeviceSynchronize());
      const std::vector<unsigned> got = host_copy(out, 2 * each);
      for (int k = 0; k < each; ++k) {
        const bool far = host[lines_of[k]] >= limit;
        const int more = static_cast<int>(got[2 * k]) - static_cast<int>(host[lines_of[k]]);
        ++count[far];
        hits[far] += more < 100;
        unclear += more >= 60 && more < 180;
      }
    }
    u64 bytes[2] = {0, 0};
    for (u64 i = 0; i < lines; ++i)
      bytes[host[i] >= limit] += kind == kAll || (host[i] < limit) == (kind == kNear) ? kLine : 0;
    double share[2], held[2];
    for (int c = 0; c < 2; ++c) {
      share[c] = count[c] ? double(hits[c]) / count[c] : 0;
      held[c] = share[c] * bytes[c] / 1048576;
    }
    std::printf("%s,%d,%.1f,%d,%d,%.4f,%.4f,%.2f,%.2f,%.2f,%d\n", name, from, lines * kLine / 1048576., count[0], count[1],
                share[0], share[1], held[0], held[1], held[0] + held[1], unclear);
    std::fflush(stdout);
  }
};

}  // namespace

int main(int argc, char** argv) {
  Bench b;
  b.sm = argc > 1 ? std::atoi(argv[1]) : 0;
  cudaDeviceProp prop{};
  CHECK(cudaGetDeviceProperties(&prop, 0));
  b.sms = prop.multiProcessorCount;
  std::printf("# %s, L2 %.1f MB, persisting at most %.1f MB\n", prop.name, prop.l2CacheSize / 1048576.,
              prop.persistingL2CacheMaxSize / 1048576.);
  const u64 most = 256ull << 20;
  b.array = device<char>(most);
  b.clocks = device<unsigned short>(most / kLine);
  b.claim = device<unsigned>(1);
  b.which = device<unsigned>(4096);
  b.out = device<unsigned>(8192);
  b.sink = device<unsigned>(1);
  b.classes(most / kLine);
  std::printf("fill,by,region_mb,near,far,near_share,far_share,near_mb,far_mb,all_mb,unclear\n");
  const char* names[] = {"atomics", "loads", "stores", "reds"};
  for (int how = 0; how < 4; ++how)
    for (int from : {b.sm, -1, (b.sm + 1) % b.sms, (b.sm + 7) % b.sms})
      for (u64 mb : {132ull, 256ull}) b.row(names[how], from, (mb << 20) / kLine, kAll, how);
  for (int how = 0; how < 4; ++how)
    for (u64 mb : {132ull, 256ull}) {
      b.row((std::string(names[how]) + "_near").c_str(), b.sm, (mb << 20) / kLine, kNear, how);
      b.row((std::string(names[how]) + "_far").c_str(), b.sm, (mb << 20) / kLine, kFar, how);
    }
  for (u64 mb : {24ull, 36ull, 48ull, 56ull, 64ull, 80ull, 100ull}) {
    b.row("atomics", b.sm, (mb << 20) / kLine, kAll, 0);
    b.row("atomics", -1, (mb << 20) / kLine, kAll, 0);
    b.row("loads", b.sm, (mb << 20) / kLine, kAll, 1);
  }
  return 0;
}
