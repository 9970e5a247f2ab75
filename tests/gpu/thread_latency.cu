// An independent measurement of what `load merge(k, 128B) x n` measures: one block of t threads,
// each thread issues n independent loads of 4 bytes, and the clocks until the last value is there.
// Nothing of gpx is used here. Build: nvcc -arch=sm_90 -O3 thread_latency.cu
//
// Usage: thread_latency [STEP [MAX_THREADS]]      (default 2 1024)
// Output, CSV: tail,op,merge,n,t,own_min,own_hm,span_min,span_hm
//   own   the largest over the threads of (its end clock - its start clock)
//   span  the latest end clock - the earliest start clock
//   min   the smallest of 5 launches after a warm-up; hm: the harmonic mean of the first 3 of them
// Tails, what stands between the loads and the end clock:
//   fold     the values are added up, the barrier before the end clock is guarded by a predicate
//            made from the sum (always true)
//   settled  the same, and every warp has waited 2000 clocks before the first barrier: all warps of
//            the block are resident by then and their instructions fetched
//   lined_up the same as fold behind four more barriers: all warps are resident and fetched, and they
//            leave the last barrier in the order in which it lets them go
//   barrier  only a barrier: the values are used after the clock, as in a naive listing
//   thread   the clock is read under a predicate made from the values; no barrier
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.h"

namespace {

constexpr int kMaxThreads = 1024;
constexpr int kLaunches = 6;  // one warm-up, five counted
constexpr std::uint64_t kLine = 128;
constexpr std::uint64_t kSpan = kMaxThreads * kLine;  // 131072, between two loads of one thread
constexpr std::uint32_t kNever = 0x5bd1e995;  // no fold of the data gives it (checked below)

enum class Tail { fold, settled, lined_up, barrier, thread };
enum class Cache { ca, cg };

/// All 64 bits are read: that takes the same time always, a read of %clock need not.
__device__ __forceinline__ unsigned long long read_clock() {
  unsigned long long c;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(c)::"memory");
  return c;
}

template <Cache C>
__device__ __forceinline__ std::uint32_t load(const char* p) {
  std::uint32_t v;
  if (C == Cache::ca) {
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  } else {
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  }
  return v;
}

// From barrier to barrier in one piece of assembly: nothing can move in or out. What the region
// needs is in registers before the barrier, because a store that never happens needs it. The end
// clock waits for the values because its barrier is guarded by them: a store would do as well, but
// each one takes a clock of the load/store unit that the loads need (1 clock a warp on an H100).
// The guard is true by design: no address (a multiple of 128) equals the odd `never`.
#define FOLD(LOADS, SUM)                                                   \
  asm volatile(                                                            \
      "{.reg .pred q, p; .reg .u32 v0, v1, v2, v3;"                        \
      "setp.eq.u64 q, %3, %4; @q st.global.u64 [%3], %3;"                  \
      "bar.sync 0; mov.u64 %0, %%clock64;" LOADS SUM                       \
      "setp.eq.and.u32 p, %2, %5, q;"                                      \
      "@!p bar.sync 0; mov.u64 %1, %%clock64; @p st.global.u32 [%3], %2;}" \
      : "=&l"(start), "=&l"(end), "=&r"(fold)                              \
      : "l"(p[0]), "l"((unsigned long long)never), "r"(never)              \
      : "memory")

#define LOAD(CA, V, OFFSET) "ld.global." CA ".u32 " V ", [%3+" OFFSET "];"
#define FOLDS(CA)                                                                        \
  if (N == 1) FOLD(LOAD(CA, "v0", "0"), "mov.u32 %2, v0;");                              \
  if (N == 2) FOLD(LOAD(CA, "v0", "0") LOAD(CA, "v1", "131072"), "add.u32 %2, v0, v1;"); \
  if (N == 3)                                                                            \
    FOLD(LOAD(CA, "v0", "0") LOAD(CA, "v1", "131072") LOAD(CA, "v2", "262144"),          \
         "add.u32 %2, v0, v1; add.u32 %2, %2, v2;");                                     \
  if (N == 4)                                                                            \
  FOLD(LOAD(CA, "v0", "0") LOAD(CA, "v1", "131072") LOAD(CA, "v2", "262144")             \
           LOAD(CA, "v3", "393216"),                                                     \
       "add.u32 %2, v0, v1; add.u32 %2, %2, v2; add.u32 %2, %2, v3;")

template <Tail T, Cache C, int N>
__global__ void __launch_bounds__(kMaxThreads)
    measure(const char* data, std::uint32_t merge_log2, std::uint32_t never, std::uint32_t* sink,
            uint2* clocks) {
  const std::uint64_t offset = static_cast<std::uint64_t>(threadIdx.x >> merge_log2) * kLine;
  const char* p[N];
  std::uint32_t v[N];
#pragma unroll
  for (int i = 0; i < N; ++i) p[i] = data + i * kSpan + offset;
  unsigned long long start = 0, end = 0;
  std::uint32_t fold = 0;
  if (T == Tail::settled) {
    const unsigned long long from = read_clock();
    while (read_clock() - from < 2000) {
    }
    __syncwarp();
  }
  if (T == Tail::lined_up) {
#pragma unroll
    for (int i = 0; i < 4; ++i) __syncthreads();
  }
  if (T == Tail::fold || T == Tail::settled || T == Tail::lined_up) {
    if (C == Cache::ca) {
      FOLDS("ca");
    } else {
      FOLDS("cg");
    }
  } else {
    // The addresses are ready before the start clock: a branch that is never taken needs them.
    // (They are multiples of 128, kNever is odd.)
    std::uint64_t sum = 0;
#pragma unroll
    for (int i = 0; i < N; ++i) sum ^= reinterpret_cast<std::uint64_t>(p[i]);
    if (sum == never) *sink = 1;
    __syncthreads();
    start = read_clock();
#pragma unroll
    for (int i = 0; i < N; ++i) v[i] = load<C>(p[i]);
    if (T == Tail::barrier) {
      asm volatile("bar.sync 0;" ::: "memory");
      end = read_clock();
    }
    fold = v[0];
#pragma unroll
    for (int i = 1; i < N; ++i) fold ^= v[i];
    if (T == Tail::thread) {
      // A predicated read: it cannot be issued before the predicate, and so all values, are known.
      asm volatile(
          "{\n\t.reg .pred p;\n\t"
          "setp.ne.u32 p, %1, %2;\n\t"
          "@p mov.u64 %0, %%clock64;\n\t}"
          : "+l"(end)
          : "r"(fold), "r"(never)
          : "memory");
    }
    if (T == Tail::barrier && fold == never) *sink = fold;
  }
  clocks[threadIdx.x] =
      make_uint2(static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(end));
}

struct Buffers {
  char* data = nullptr;
  std::uint32_t* sink = nullptr;
  uint2* clocks = nullptr;  // kLaunches groups of kMaxThreads
  std::vector<uint2> host;
};

struct Reading {
  double own = 0, span = 0;
};

Reading read_launch(const uint2* clocks, int threads) {
  Reading out;
  const std::uint32_t origin = clocks[0].x;
  std::int32_t first = 0, last = 0;
  for (int t = 0; t < threads; ++t) {
    // Differences of a 32-bit clock are right across its wrap-around.
    const double own = static_cast<std::uint32_t>(clocks[t].y - clocks[t].x);
    if (own > out.own) out.own = own;
    const auto s = static_cast<std::int32_t>(clocks[t].x - origin);
    const auto e = static_cast<std::int32_t>(clocks[t].y - origin);
    if (t == 0 || s < first) first = s;
    if (t == 0 || e > last) last = e;
  }
  out.span = last - first;
  return out;
}

template <Tail T, Cache C, int N>
void measure_point(Buffers& b, std::uint32_t merge, int threads) {
  for (int i = 0; i < kLaunches; ++i) {
    measure<T, C, N>
        <<<1, threads>>>(b.data, merge == 2 ? 1 : 0, kNever, b.sink, b.clocks + i * kMaxThreads);
  }
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(b.host.data(), b.clocks, b.host.size() * sizeof(uint2), cudaMemcpyDeviceToHost));
  Reading least{1e30, 1e30}, inverse;
  for (int i = 1; i < kLaunches; ++i) {
    const Reading r = read_launch(b.host.data() + i * kMaxThreads, threads);
    if (r.own < least.own) least.own = r.own;
    if (r.span < least.span) least.span = r.span;
    if (i <= 3) {
      inverse.own += 1 / r.own;
      inverse.span += 1 / r.span;
    }
  }
  constexpr const char* kTails[] = {"fold", "settled", "lined_up", "barrier", "thread"};
  const char* tail = kTails[static_cast<int>(T)];
  std::printf("%s,%s,%u,%d,%d,%.0f,%.3f,%.0f,%.3f\n", tail, C == Cache::ca ? "ca" : "cg", merge, N,
              threads, least.own, 3 / inverse.own, least.span, 3 / inverse.span);
}

template <Tail T, Cache C, int N>
void sweep(Buffers& b, std::uint32_t merge, int step, int most) {
  for (int threads = step; threads <= most; threads += step) {
    measure_point<T, C, N>(b, merge, threads);
  }
}

template <Tail T, Cache C>
void all_loads(Buffers& b, int step, int most) {
  for (const std::uint32_t merge : {1u, 2u}) {
    sweep<T, C, 1>(b, merge, step, most);
    sweep<T, C, 2>(b, merge, step, most);
    sweep<T, C, 3>(b, merge, step, most);
    sweep<T, C, 4>(b, merge, step, most);
  }
}

/// Keeps the GPU busy for a while: its clocks rise only under load.
void wake_up(Buffers& b) {
  for (int i = 0; i < 20000; ++i) {
    measure<Tail::fold, Cache::ca, 1><<<1, 256>>>(b.data, 0, kNever, b.sink, b.clocks);
  }
  CHECK(cudaDeviceSynchronize());
}

}  // namespace

int main(int argc, char** argv) {
  const int step = argc > 1 ? std::atoi(argv[1]) : 2;
  const int most = argc > 2 ? std::atoi(argv[2]) : kMaxThreads;
  if (step < 1 || most < step || most > kMaxThreads) {
    std::fprintf(stderr, "usage: thread_latency [STEP [MAX_THREADS]]\n");
    return 2;
  }
  Buffers b;
  const std::uint64_t bytes = 4 * kSpan;
  b.host.resize(kLaunches * kMaxThreads);
  CHECK(cudaMalloc(&b.data, bytes));
  CHECK(cudaMalloc(&b.sink, 4));
  CHECK(cudaMalloc(&b.clocks, b.host.size() * sizeof(uint2)));
  // Small words: no xor of four of them reaches kNever.
  std::vector<std::uint32_t> words(bytes / 4);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<std::uint32_t>(i) & 0xffff;
  CHECK(cudaMemcpy(b.data, words.data(), bytes, cudaMemcpyHostToDevice));
  wake_up(b);
  std::printf("tail,op,merge,n,t,own_min,own_hm,span_min,span_hm\n");
  all_loads<Tail::fold, Cache::ca>(b, step, most);
  all_loads<Tail::fold, Cache::cg>(b, step, most);
  all_loads<Tail::settled, Cache::ca>(b, step, most);
  all_loads<Tail::settled, Cache::cg>(b, step, most);
  all_loads<Tail::lined_up, Cache::ca>(b, step, most);
  all_loads<Tail::lined_up, Cache::cg>(b, step, most);
  all_loads<Tail::barrier, Cache::ca>(b, step, most);
  all_loads<Tail::barrier, Cache::cg>(b, step, most);
  all_loads<Tail::thread, Cache::ca>(b, step, most);
  all_loads<Tail::thread, Cache::cg>(b, step, most);
  return 0;
}
