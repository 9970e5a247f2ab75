// Rates of what stays near an SM, and of reductions in L2: indexed constants by distinct words of a
// warp, local memory by distinct words of a lane, atomics on shared memory by lanes of one address,
// reductions of all SMs by type and by the distance of two addresses. Nothing of gpx is used here.
//
// Usage: near_rates    Output: what,pattern,x,warps,clocks of an access of a warp (median of 7), or
// ns of a lane
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "measure.h"

namespace {

constexpr int kRuns = 7, kAccesses = 64;

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
  if (threadIdx.x == 0) span[blockIdx.x] = {first, last};
}

__constant__ unsigned table[8192];

// Lane l reads word (l % distinct) * apart + 7 * k of the first `words`.
__global__ void constants(int distinct, int apart, int words, int of_warp, Span* span,
                          unsigned* sink) {
  const int from = threadIdx.x % 32 % distinct * apart + threadIdx.x / 32 * of_warp;
  unsigned sum = 0;
  std::uint64_t start = 0;
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    start = clock_now();
#pragma unroll 8
    for (int k = 0; k < kAccesses; ++k) sum += table[(from + 7 * k) & (words - 1)];
    wait_for(sum);
  }
  note(span, start, clock_now());
  sink[threadIdx.x] = sum;
}

enum class Local { load, store, update };

// Lane l accesses word l % distinct, and the next ones of 32.
template <Local kWhat>
__global__ void locals(int distinct, int step, Span* span, unsigned* sink) {
  unsigned words[32];
  for (int k = 0; k < 32; ++k) words[(k + distinct) & 31] = k;
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_local(words));
  unsigned at = threadIdx.x % 32 % distinct, sum = 0;
  std::uint64_t start = 0;
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    start = clock_now();
#pragma unroll 8
    for (int k = 0; k < kAccesses; ++k) {
      unsigned v = k;
      const unsigned address = base + 4 * ((at + k * step) & 31);
      if (kWhat != Local::store)
        asm volatile("ld.local.u32 %0, [%1];" : "=r"(v) : "r"(address) : "memory");
      if (kWhat != Local::load)
        asm volatile("st.local.u32 [%0], %1;" ::"r"(address), "r"(v + 1) : "memory");
      if (kWhat == Local::load) sum += v;
    }
    wait_for(sum);
  }
  note(span, start, clock_now());
  for (int k = 0; k < 32; ++k) sum += words[k];
  sink[threadIdx.x] = sum;
}

// Lane l: word (l % distinct) * apart; counted: by 1, which the assembler counts by lanes.
template <bool kCounted>
__global__ void shared_atomics(int distinct, int apart, unsigned one, Span* span, unsigned* sink) {
  __shared__ unsigned words[1024];
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) words[k] = 0;
  const int at = threadIdx.x % 32 % distinct * apart;
  std::uint64_t start = 0;
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    start = clock_now();
#pragma unroll 8
    for (int k = 0; k < kAccesses; ++k) {
      if (kCounted)
        atomicAdd(&words[(at + k) & 1023], 1u);
      else
        atomicAdd(&words[(at + k) & 1023], one + threadIdx.x);
    }
    wait_for(words[at]);
  }
  note(span, start, clock_now());
  sink[threadIdx.x] = words[at];
}

template <class Launch>
void print_clocks(const char* what, const char* pattern, int x, int warps, Span* span,
                  Launch launch) {
  std::vector<double> all;
  for (int run = 0; run < kRuns; ++run) {
    launch();
    Span seen{};
    CHECK(cudaMemcpy(&seen, span, sizeof seen, cudaMemcpyDeviceToHost));
    all.push_back(static_cast<double>(seen.last - seen.first));
  }
  std::nth_element(all.begin(), all.begin() + kRuns / 2, all.end());
  std::printf("%s,%s,%d,%d,%.2f\n", what, pattern, x, warps, all[kRuns / 2] / (kAccesses * warps));
}

// What a reduction of lane l of warp w in round k goes to: a multiple of T.
struct Pattern {
  unsigned lanes;     // of a warp that take part
  unsigned distinct;  // words of a warp, in a row
  unsigned places;    // that warps take in turn...
  unsigned apart;     // ...so many bytes apart
  unsigned random;    // bytes, a power of two: anywhere in them; 0: as above
};

template <class T>
__global__ void reductions(char* data, Pattern p, int rounds, T one) {
  const unsigned lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (lane >= p.lanes) return;
  unsigned hash = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u;
  for (int k = 0; k < rounds; ++k) {
    hash = hash * 1664525u + 1013904223u;
    const unsigned at = p.random != 0
                            ? (hash >> 8) % (p.random / sizeof(T)) * sizeof(T)
                            : lane % p.distinct * sizeof(T) + (warp + k) % p.places * p.apart;
    T* const to = reinterpret_cast<T*>(data + at);
    // Opaque, so that lanes of one address are not summed before.
    if constexpr (sizeof(T) == 8)
      asm volatile("red.global.add.u64 [%0], %1;" ::"l"(to), "l"(one) : "memory");
    else if constexpr (std::is_same_v<T, float>)
      asm volatile("red.global.add.f32 [%0], %1;" ::"l"(to), "f"(one) : "memory");
    else
      asm volatile("red.global.add.u32 [%0], %1;" ::"l"(to), "r"(one) : "memory");
  }
}

template <class T>
void print_reductions(const char* name, char* data, const Pattern& p) {
  const int blocks = 264, threads = 256;
  cudaEvent_t before, after;
  CHECK(cudaEventCreate(&before));
  CHECK(cudaEventCreate(&after));
  const auto time = [&](int rounds) {
    std::vector<double> all;
    for (int run = 0; run < kRuns; ++run) {
      CHECK(cudaEventRecord(before));
      reductions<T><<<blocks, threads>>>(data, p, rounds, T(1));
      CHECK(cudaEventRecord(after));
      CHECK(cudaEventSynchronize(after));
      float ms = 0;
      CHECK(cudaEventElapsedTime(&ms, before, after));
      all.push_back(ms * 1e6);
    }
    std::nth_element(all.begin(), all.begin() + kRuns / 2, all.end());
    return all[kRuns / 2];
  };
  const double accesses = 8.0 * blocks * threads / 32;
  std::printf("red,%s lanes %u distinct %u places %u apart %u random %u,%u,%d,%.4f\n", name,
              p.lanes, p.distinct, p.places, p.apart, p.random, p.apart, blocks * threads / 32,
              (time(16) - time(8)) / accesses);
}

}  // namespace

int main() {
  unsigned* const sink = device<unsigned>(1024);
  Span* const span = device<Span>(1024);
  char* const data = device<char>(64 << 20);
  const int all_sms = 132;
  for (const int warps : {1, 4, 8, 16, 32}) {
    for (const int distinct : {1, 2, 4, 8, 16, 32}) {
      print_clocks("constant", "in a row 1 KB", distinct, warps, span,
                   [&] { constants<<<all_sms, warps * 32>>>(distinct, 1, 256, 0, span, sink); });
      if (distinct <= 8)
        print_clocks("constant", "64 B apart 1 KB", distinct, warps, span,
                     [&] { constants<<<all_sms, warps * 32>>>(distinct, 16, 256, 0, span, sink); });
    }
    for (const int words : {512, 1024, 2048, 8192})
      print_clocks("constant", "one word, of each warp its own, words", words, warps, span, [&] {
        constants<<<all_sms, warps * 32>>>(1, 1, words, words / 32, span, sink);
      });
    for (const int words : {512, 1024, 2048, 8192})
      print_clocks("constant", "one word, the same of all warps, words", words, warps, span,
                   [&] { constants<<<all_sms, warps * 32>>>(1, 1, words, 0, span, sink); });
  }
  for (const int warps : {1, 4, 16, 32})
    for (const int distinct : {1, 2, 4, 8, 16, 32}) {
      print_clocks("local", "load", distinct, warps, span,
                   [&] { locals<Local::load><<<all_sms, warps * 32>>>(distinct, 1, span, sink); });
      print_clocks("local", "store", distinct, warps, span,
                   [&] { locals<Local::store><<<all_sms, warps * 32>>>(distinct, 1, span, sink); });
      print_clocks("local", "update", distinct, warps, span, [&] {
        locals<Local::update><<<all_sms, warps * 32>>>(distinct, 1, span, sink);
      });
      print_clocks("local", "store of one SM", distinct, warps, span,
                   [&] { locals<Local::store><<<1, warps * 32>>>(distinct, 1, span, sink); });
      print_clocks("local", "update of one SM", distinct, warps, span,
                   [&] { locals<Local::update><<<1, warps * 32>>>(distinct, 1, span, sink); });
      print_clocks("local", "update same word", distinct, warps, span, [&] {
        locals<Local::update><<<all_sms, warps * 32>>>(distinct, 0, span, sink);
      });
    }
  for (const int warps : {1, 4, 16, 32})
    for (const int distinct : {1, 2, 4, 8, 16, 32})
      for (const int apart : {1, 32}) {
        print_clocks(
            "shared counted", apart == 1 ? "banks" : "one bank", distinct, warps, span,
            [&] { shared_atomics<true><<<all_sms, warps * 32>>>(distinct, apart, 1, span, sink); });
        print_clocks("shared added", apart == 1 ? "banks" : "one bank", distinct, warps, span, [&] {
          shared_atomics<false><<<all_sms, warps * 32>>>(distinct, apart, 1, span, sink);
        });
      }
  const auto of_all = [&](const Pattern& p) {
    print_reductions<unsigned>("u32", data, p);
    print_reductions<unsigned long long>("u64", data, p);
    print_reductions<float>("f32", data, p);
  };
  of_all({1, 1, 1, 0, 0});
  of_all({32, 1, 1, 0, 0});
  of_all({32, 8, 1, 0, 0});
  of_all({32, 32, 1, 0, 0});
  for (const unsigned apart : {4u, 32u, 64u, 128u, 256u, 512u, 1024u, 2048u, 4096u, 8192u, 65536u})
    print_reductions<unsigned>("u32", data, {1, 1, 2, apart, 0});
  for (const unsigned places : {4u, 8u, 16u, 32u, 64u, 128u})
    for (const unsigned apart : {128u, 512u, 4096u})
      print_reductions<unsigned>("u32", data, {1, 1, places, apart, 0});
  for (const unsigned lanes : {8u, 32u})
    for (const unsigned places : {2u, 4u, 8u, 32u})
      for (const unsigned apart : {128u, 512u})
        print_reductions<unsigned>("u32", data, {lanes, lanes, places, apart, 0});
  for (const unsigned random : {256u, 512u, 1024u, 4096u, 16384u, 65536u, 1u << 20})
    of_all({32, 1, 1, 0, random});
  return 0;
}
