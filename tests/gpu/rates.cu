// Rates of an SM under load, for comparison with experiments/twin_rates.gpx: what a further warp of loads
// or stores takes, by pattern, barriers in a row and alone, a launch and a further block. Nothing of gpx is
// used here.
//
// Every kernel runs its body twice, so that code and, where it counts, L1 are warm; the second pass is timed
// from the first thread's start to the last one's end.
//
// Usage: rates    Output: what,pattern,warps or blocks,clocks or nanoseconds (median of 15)
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "measure.h"

namespace {

constexpr int kRuns = 15;
constexpr std::uint64_t kSpan = 1 << 20;  // between two accesses of a thread

template <bool Cg>
__device__ unsigned load4(const char* p) {
  unsigned v;
  if (Cg) {
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  } else {
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  }
  return v;
}

template <bool Cg>
__device__ unsigned load16(const char* p) {
  uint4 v;
  if (Cg) {
    asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(p)
                 : "memory");
  } else {
    asm volatile("ld.global.ca.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(p)
                 : "memory");
  }
  return v.x ^ v.y ^ v.z ^ v.w;
}

/// The clocks of a block: its first start to its last end.
struct Span {
  unsigned long long first, last;
};

__device__ void note(Span* span, std::uint64_t start, std::uint64_t end) {
  __shared__ unsigned long long first, last;
  if (threadIdx.x == 0) {
    first = ~0ull;
    last = 0;
  }
  __syncthreads();
  atomicMin(&first, static_cast<unsigned long long>(start));
  atomicMax(&last, static_cast<unsigned long long>(end));
  __syncthreads();
  if (threadIdx.x == 0) *span = {first, last};
}

template <int Loads, bool Cg, bool Wide>
__global__ void loads(const char* data, unsigned stride, Span* span) {
  std::uint64_t start = 0, end = 0;
  for (int pass = 0; pass < 2; ++pass) {
    // The first pass reads other lines: L1 has none of the second.
    const char* from = data + pass * Loads * kSpan + threadIdx.x * stride;
    unsigned v[Loads];
    __syncthreads();
    start = clock_now();
#pragma unroll
    for (int i = 0; i < Loads; ++i) v[i] = Wide ? load16<Cg>(from + i * kSpan) : load4<Cg>(from + i * kSpan);
    unsigned sum = 0;
#pragma unroll
    for (int i = 0; i < Loads; ++i) sum += v[i];
    wait_for(sum);
    end = clock_now();
  }
  note(span, start, end);
}

template <int Stores>
__global__ void stores(char* data, unsigned stride, Span* span) {
  std::uint64_t start = 0, end = 0;
  for (int pass = 0; pass < 2; ++pass) {
    char* to = data + threadIdx.x * stride;
    __syncthreads();
    start = clock_now();
#pragma unroll
    for (int i = 0; i < Stores; ++i)
      asm volatile("st.global.u32 [%0], %1;" ::"l"(to + i * kSpan), "r"(i) : "memory");
    end = clock_now();
  }
  note(span, start, end);
}

template <int Count>
__global__ void barriers(Span* span) {
  std::uint64_t start = 0, end = 0;
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    start = clock_now();
#pragma unroll
    for (int i = 0; i < Count; ++i) asm volatile("bar.sync 0;" ::: "memory");
    end = clock_now();
  }
  note(span, start, end);
}

__global__ void nothing() {}

template <class Launch>
void print_clocks(const char* what, const char* pattern, int count, Span* span, Launch launch) {
  std::vector<double> all;
  for (int run = 0; run < kRuns; ++run) {
    launch();
    Span seen{};
    CHECK(cudaMemcpy(&seen, span, sizeof seen, cudaMemcpyDeviceToHost));
    all.push_back(static_cast<double>(seen.last - seen.first));
  }
  std::printf("%s,%s,%d,%.0f\n", what, pattern, count, median(all));
}

void print_launch(int blocks) {
  std::printf("launch,empty,%d,%.0f\n", blocks,
              nanoseconds_of(kRuns, [&] { nothing<<<blocks, 32>>>(); }));
}

void print_loads(int warps, const char* data, Span* span) {
  const int threads = 32 * warps;
  struct Row {
    const char* name;
    unsigned stride;
  };
  for (const Row& row : {Row{"lines", 128}, Row{"pairs", 64}, Row{"sectors", 32}}) {
    print_clocks("load_cg", row.name, warps, span,
                 [&] { loads<2, true, false><<<1, threads>>>(data, row.stride, span); });
    print_clocks("load_ca", row.name, warps, span,
                 [&] { loads<2, false, false><<<1, threads>>>(data, row.stride, span); });
  }
  print_clocks("load8_cg", "words", warps, span,
               [&] { loads<8, true, false><<<1, threads>>>(data, 4, span); });
  print_clocks("load8_cg", "wide16", warps, span,
               [&] { loads<8, true, true><<<1, threads>>>(data, 16, span); });
  print_clocks("load8_ca", "wide16", warps, span,
               [&] { loads<8, false, true><<<1, threads>>>(data, 16, span); });
}

}  // namespace

int main() {
  char* data = device<char>(32 * kSpan);
  Span* span = device<Span>(1);
  std::printf("what,pattern,count,value\n");
  for (int warps = 4; warps <= 32; warps += 4) print_loads(warps, data, span);
  for (const int warps : {1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 28, 32})
    for (const unsigned stride : {128u, 4u})
      print_clocks("store4", stride == 128 ? "lines" : "words", warps, span,
                   [&] { stores<4><<<1, 32 * warps>>>(data, stride, span); });
  for (const int warps : {1, 16}) {
    print_clocks("barriers_0", "row", warps, span, [&] { barriers<0><<<1, 32 * warps>>>(span); });
    print_clocks("barriers_1", "row", warps, span, [&] { barriers<1><<<1, 32 * warps>>>(span); });
    print_clocks("barriers_2", "row", warps, span, [&] { barriers<2><<<1, 32 * warps>>>(span); });
    print_clocks("barriers_16", "row", warps, span, [&] { barriers<16><<<1, 32 * warps>>>(span); });
  }
  for (int blocks = 1; blocks <= 65536; blocks *= 4) print_launch(blocks);
  return 0;
}
