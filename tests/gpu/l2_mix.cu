// What L2 takes of loads and stores at once, of words side by side or at random in 8 MB each, and
// what lines take that leave it with a part stored. Nothing of gpx is used here.
//
// Usage: l2_mix
// Output: what,width,loads,stores,count,ns. `side by side`, `random`, `random loads`, `random
// stores`: nanoseconds in which each of 512 threads of `count` blocks loads and stores so many
// times `width` bytes once more (difference of 64 and 192 rounds, medians of 5). `parts, in rows`,
// `parts, apart`: nanoseconds, with its launch, of a grid that stores the first `width` bytes of
// each of `count` lines of memory, one after another or 7,919 lines apart (median of 5).
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "measure.h"

namespace {

constexpr unsigned kThreads = 512, kRuns = 5;
constexpr std::uint64_t kHeld = 8u << 20, kBytes = 256u << 20;

struct Buffers {
  char *from = nullptr, *to = nullptr;
  int* sink = nullptr;
  std::uint64_t* spans = nullptr;
};

// Which element is next: one after another over the grid, or any.
template <bool kRandom>
struct Places {
  std::uint32_t at, state, mask;
  __device__ Places(std::uint32_t thread, std::uint32_t salt, std::uint32_t elements)
      : at(thread), state(thread * 2654435761u + salt), mask(elements - 1) {}
  __device__ std::uint32_t next() {
    if (kRandom) {
      state = state * 1664525u + 1013904223u;
      return (state >> 9) & mask;
    }
    const std::uint32_t now = at & mask;
    at += gridDim.x * blockDim.x;
    return now;
  }
};

template <typename T, int kLoads, int kStores, bool kRandomLoads, bool kRandomStores>
__global__ void __launch_bounds__(kThreads)
    both(const T* from, T* to, int rounds, int* sink, std::uint64_t* spans) {
  const std::uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x, elements = kHeld / sizeof(T);
  Places<kRandomLoads> loads(thread, 1, elements);
  Places<kRandomStores> stores(thread, 7, elements);
  int sum = 0;
  const std::uint64_t begin = nanoseconds_now();
  for (int round = 0; round < rounds; ++round) {
    T values[kLoads > 0 ? kLoads : 1];
#pragma unroll
    for (int i = 0; i < kLoads; ++i) values[i] = __ldcg(from + loads.next());
#pragma unroll
    for (int i = 0; i < kStores; ++i) {
      T value{};
      reinterpret_cast<int&>(value) = round;
      to[stores.next()] = value;
    }
#pragma unroll
    for (int i = 0; i < kLoads; ++i)
      for (unsigned k = 0; k < sizeof(T) / 4; ++k) sum ^= reinterpret_cast<int*>(&values[i])[k];
  }
  if (sum == 12345) *sink = sum;
  if (threadIdx.x == 0) {
    spans[2 * blockIdx.x] = begin;
    spans[2 * blockIdx.x + 1] = nanoseconds_now();
  }
}

template <typename T, int kLoads, int kStores, bool kRandomLoads, bool kRandomStores>
double span(const Buffers& b, unsigned blocks, int rounds) {
  std::vector<double> all;
  for (unsigned run = 0; run < kRuns; ++run) {
    both<T, kLoads, kStores, kRandomLoads, kRandomStores><<<blocks, kThreads>>>(
        reinterpret_cast<const T*>(b.from), reinterpret_cast<T*>(b.to), rounds, b.sink, b.spans);
    CHECK(cudaDeviceSynchronize());
    std::vector<std::uint64_t> spans(2 * blocks);
    CHECK(cudaMemcpy(spans.data(), b.spans, 16 * blocks, cudaMemcpyDeviceToHost));
    std::uint64_t first = UINT64_MAX, last = 0;
    for (unsigned i = 0; i < blocks; ++i) {
      first = std::min(first, spans[2 * i]);
      last = std::max(last, spans[2 * i + 1]);
    }
    all.push_back(static_cast<double>(last - first));
  }
  std::sort(all.begin(), all.end());
  return all[kRuns / 2];
}

template <typename T, bool kRandomLoads, bool kRandomStores, int kLoads, int kStores>
void print(const Buffers& b, unsigned blocks = 528) {
  const auto of = [&](int rounds) {
    return span<T, kLoads, kStores, kRandomLoads, kRandomStores>(b, blocks, rounds);
  };
  const char* const what = kRandomLoads ? (kRandomStores ? "random" : "random loads")
                                        : (kRandomStores ? "random stores" : "side by side");
  std::printf("%s,%zu,%d,%d,%u,%.2f\n", what, sizeof(T), kLoads, kStores, blocks,
              (of(192) - of(64)) / 128);
}

template <typename T, bool kRandomLoads = false, bool kRandomStores = false>
void print_mixes(const Buffers& b) {
  print<T, kRandomLoads, kRandomStores, 1, 0>(b);
  print<T, kRandomLoads, kRandomStores, 0, 1>(b);
  print<T, kRandomLoads, kRandomStores, 1, 1>(b);
  print<T, kRandomLoads, kRandomStores, 2, 1>(b);
  print<T, kRandomLoads, kRandomStores, 4, 1>(b);
  print<T, kRandomLoads, kRandomStores, 1, 2>(b);
  print<T, kRandomLoads, kRandomStores, 1, 4>(b);
  print<T, kRandomLoads, kRandomStores, 1, 1>(b, 264);
}

__global__ void __launch_bounds__(256)
    parts(char* to, std::uint64_t lines, std::uint64_t step, unsigned width) {
  const unsigned each = width <= 16 ? 1 : width / 16;
  const std::uint64_t thread = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  if (thread / each >= lines) return;
  char* const at = to + thread / each * step % lines * 128 + thread % each * 16;
  if (width < 16)
    *reinterpret_cast<int*>(at) = 1;
  else
    *reinterpret_cast<int4*>(at) = make_int4(1, 1, 1, 1);
}

void print_parts(const Buffers& b, std::uint64_t lines, std::uint64_t step, unsigned width) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  const auto threads = lines * std::max(width / 16, 1u);
  std::vector<double> all;
  for (unsigned run = 0; run <= kRuns; ++run) {
    CHECK(cudaEventRecord(begin));
    parts<<<static_cast<unsigned>((threads + 255) / 256), 256>>>(b.to, lines, step, width);
    CHECK(cudaEventRecord(end));
    CHECK(cudaDeviceSynchronize());
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    if (run > 0) all.push_back(ms * 1e6);
  }
  std::sort(all.begin(), all.end());
  std::printf("\"parts, %s\",%u,0,1,%llu,%.0f\n", step == 1 ? "in rows" : "apart", width,
              static_cast<unsigned long long>(lines), all[kRuns / 2]);
}

}  // namespace

int main() {
  Buffers b;
  CHECK(cudaMalloc(&b.from, kBytes));
  CHECK(cudaMalloc(&b.to, kBytes));
  CHECK(cudaMalloc(&b.sink, 4));
  CHECK(cudaMalloc(&b.spans, 16 * 65536));
  CHECK(cudaMemset(b.from, 0, kBytes));
  CHECK(cudaMemset(b.to, 0, kBytes));
  std::puts("what,width,loads,stores,count,ns");
  print_mixes<int>(b);
  print_mixes<int2>(b);
  print_mixes<int4>(b);
  print_mixes<int, true, true>(b);
  print_mixes<int, true, false>(b);
  print_mixes<int, false, true>(b);
  for (const std::uint64_t lines : {337920, 506880, 844800, 1689600})
    for (const std::uint64_t step : {1, 7919})
      for (const unsigned width : {4, 16, 32, 64, 128}) print_parts(b, lines, step, width);
}
