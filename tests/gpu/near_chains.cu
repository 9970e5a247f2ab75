// What a warp waits for near its SM, by hand: constants by distinct addresses of its lanes, by
// lines beyond the first level and by uniform loads; barriers that vote; chains through local
// memory and through functions with a branch. Nothing of gpx is used here.
//
// Usage: near_chains    Output: what,pattern,x,warps,sms,clocks of an access, a round or an
// iteration (of all warps of a block together; medians of 5 launches, of block 0)
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "measure.h"

namespace {
constexpr unsigned kBank = 48 << 10;
__constant__ __align__(256) unsigned bank[kBank / 4];

struct Span {
  unsigned long long first, last;
};
__shared__ unsigned long long first_of, last_of;

__device__ void begin_block() {
  if (threadIdx.x == 0) {
    first_of = ~0ull;
    last_of = 0;
  }
  __syncthreads();
}
__device__ void note(Span* span, std::uint64_t start, std::uint64_t end) {
  atomicMin(&first_of, (unsigned long long)start);
  atomicMax(&last_of, (unsigned long long)end);
  __syncthreads();
  if (threadIdx.x == 0) span[blockIdx.x] = {first_of, last_of};
}

// The values of the bank are all 0, which the compiler cannot know: a chain, or not.
template <class T, bool kChain>
__global__ void consts(unsigned lane_step, unsigned lanes, unsigned warp_step, unsigned step,
                       unsigned size, int rounds, Span* span, unsigned* sink, int sms,
                       unsigned block_step) {
  if (static_cast<int>(blockIdx.x) >= sms) return;
  begin_block();
  const char* base = reinterpret_cast<const char*>(bank);
  unsigned at = (threadIdx.x % 32 % lanes) * lane_step + threadIdx.x / 32 * warp_step +
                blockIdx.x * block_step;
  unsigned sum = 0;
  std::uint64_t start = 0;
  for (int pass = 0; pass < 2; ++pass) {
    unsigned a = at;
    __syncthreads();
    start = clock_now();
#pragma unroll 8
    for (int k = 0; k < rounds; ++k) {
      const T v = *reinterpret_cast<const T*>(base + (a & (size - 1)));
      const unsigned w = *reinterpret_cast<const unsigned char*>(&v);
      sum += w;
      a += step + (kChain ? w : 0);
    }
    wait_for(sum);
  }
  note(span, start, clock_now());
  sink[threadIdx.x] = sum;
}

template <class T>
__global__ void vectors(unsigned lane_step, unsigned lanes, unsigned warp_step, unsigned step,
                        unsigned size, int rounds, Span* span, unsigned* sink) {
  begin_block();
  const char* base = reinterpret_cast<const char*>(bank);
  const unsigned at = (threadIdx.x % 32 % lanes) * lane_step + threadIdx.x / 32 * warp_step;
  unsigned sum = 0;
  std::uint64_t start = 0;
  for (int pass = 0; pass < 2; ++pass) {
    unsigned a = at;
    __syncthreads();
    start = clock_now();
#pragma unroll 8
    for (int k = 0; k < rounds; ++k) {
      const T v = *reinterpret_cast<const T*>(base + (a & (size - 1)));
      const unsigned* w = reinterpret_cast<const unsigned*>(&v);
      for (unsigned i = 0; i < sizeof(T) / 4; ++i) sum ^= w[i] + i;
      a += step;
    }
    wait_for(sum);
  }
  note(span, start, clock_now());
  sink[threadIdx.x] = sum;
}

// Words of the bank in a row, the same for all lanes of all warps: uniform loads, as of a sum of
// coefficients.
template <int kWords>
__global__ void uniforms(int rounds, unsigned size, Span* span, unsigned* sink, int sms) {
  if (static_cast<int>(blockIdx.x % 132) >= sms) return;
  begin_block();
  float x = threadIdx.x * 1e-6f, sum = 0;
  const float* base = reinterpret_cast<const float*>(bank);
  std::uint64_t start = 0;
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    start = clock_now();
#pragma unroll 1
    for (unsigned k = 0; k < static_cast<unsigned>(rounds); ++k) {
      const float* at = base + (k * 16 & (size / 4 - 1));
#pragma unroll
      for (int i = 0; i < kWords; ++i) sum = sum * x + at[i];
    }
    wait_for(__float_as_uint(sum));
  }
  note(span, start, clock_now());
  sink[threadIdx.x] = __float_as_uint(sum);
}

enum class Bar { sync, count, any };
template <Bar kWhat>
__global__ void barriers(int rounds, Span* span, unsigned* sink) {
  __shared__ unsigned long long f, l;
  if (threadIdx.x == 0) {
    f = ~0ull;
    l = 0;
  }
  __syncthreads();
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  const std::uint64_t start = clock_now();
  for (int k = 0; k < rounds; ++k) {
    x = x * 1664525u + 1013904223u;
    if (kWhat == Bar::sync) __syncthreads(), sum += x;
    if (kWhat == Bar::count) sum += __syncthreads_count(x >> 31);
    if (kWhat == Bar::any) sum += __syncthreads_or(x >> 31);
  }
  wait_for(sum);
  const std::uint64_t end = clock_now();
  atomicMin(&f, (unsigned long long)start);
  atomicMax(&l, (unsigned long long)end);
  __syncthreads();
  if (threadIdx.x == 0) span[blockIdx.x] = {f, l};
  sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// A chain through local memory: word k has k + step. `dense`: all words were written, else the list
// alone.
template <int kWords>
__global__ void locals(int step, bool dense, Span* span, unsigned* sink, int passes) {
  begin_block();
  unsigned words[kWords];
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_local(words));
  for (int k = 0; k < kWords; k += dense ? 1 : step)
    asm volatile("st.local.u32 [%0], %1;" ::"r"(base + 4 * k), "r"(base + 4 * ((k + step) % kWords))
                 : "memory");
  unsigned at = base;
  std::uint64_t start = 0;
  for (int pass = 0; pass < passes; ++pass) {
    __syncthreads();
    start = clock_now();
    for (int k = 0; k < kWords / step; ++k)
      asm volatile("ld.local.u32 %0, [%1];" : "=r"(at) : "r"(at) : "memory");
    wait_for(at);
  }
  note(span, start, clock_now());
  sink[threadIdx.x] = at;
}
enum class Chain { root, fma_root, divide, reciprocal };
template <Chain kWhat>
__global__ void chains(int rounds, float a, Span* span, unsigned* sink) {
  begin_block();
  float x = threadIdx.x, y = blockIdx.x + a;
  const std::uint64_t start = clock_now();
  for (int k = 0; k < rounds; ++k) {
    if (kWhat == Chain::root) y = sqrtf(y + a);
    if (kWhat == Chain::fma_root) x = fmaf(x, 0.75f, y), y = sqrtf(y + x);
    if (kWhat == Chain::divide) y = a / (y + 1.0f);
    if (kWhat == Chain::reciprocal) y = __frcp_rn(y + a);
  }
  wait_for(__float_as_uint(x + y));
  note(span, start, clock_now());
  sink[threadIdx.x] = __float_as_uint(x + y);
}

Span* span;
unsigned* sink;

template <class Launch>
void print(const char* what, const char* pattern, double x, int warps, int sms, double accesses,
           Launch launch) {
  std::vector<double> all;
  for (int run = 0; run < 5; ++run) {
    launch();
    CHECK(cudaGetLastError());
    Span seen{};
    CHECK(cudaMemcpy(&seen, span, sizeof seen, cudaMemcpyDeviceToHost));
    all.push_back(static_cast<double>(seen.last - seen.first));
  }
  std::printf("%s,%s,%g,%d,%d,%.2f\n", what, pattern, x, warps, sms, median(all) / accesses);
}

template <class T, bool kChain>
void by_lanes(const char* name, unsigned apart) {
  for (int warps : {1, 3, 4, 16})
    for (unsigned lanes : {1u, 2u, 4u, 8u, 16u, 32u})
      print(name, kChain ? "chain" : "free", lanes, warps, 132, 64.0 * warps, [&] {
        consts<T, kChain><<<132, warps * 32>>>(apart, lanes, 0, 0, 1024, 64, span, sink, 132, 0);
      });
}

template <class T>
void by_lanes_vector(const char* name, unsigned apart) {
  for (int warps : {1, 4, 16})
    for (unsigned lanes : {1u, 2u, 4u, 8u, 16u, 32u})
      print(name, "free", lanes, warps, 132, 64.0 * warps,
            [&] { vectors<T><<<132, warps * 32>>>(apart, lanes, 0, 0, 1024, 64, span, sink); });
}

// Lines that miss the first level: each warp a stretch of its own.
template <class T, bool kChain>
void lines(const char* name, unsigned step, unsigned size) {
  for (int sms : {1, 2, 16, 132})
    for (int warps : {1, 2, 4, 8, 16, 32})
      print(name, kChain ? "chain" : "free", size, warps, sms, 256.0 * warps, [&] {
        consts<T, kChain><<<132, warps * 32>>>(0, 32, size / warps / 64 * 64, step, size, 256, span,
                                               sink, sms, 0);
      });
}
void all_by_lanes() {
  by_lanes<unsigned char, false>("bytes in a row", 1);
  by_lanes<unsigned char, true>("bytes in a row", 1);
  by_lanes<unsigned, false>("words in a row", 4);
  by_lanes<unsigned, true>("words in a row", 4);
  by_lanes<unsigned short, false>("halves in a row", 2);
  by_lanes_vector<uint2>("pairs in a row", 8);
  by_lanes_vector<uint4>("fours in a row", 16);
  by_lanes_vector<uint4>("fours of 64 B", 64);
}

void all_lines() {
  lines<unsigned, false>("lines", 64, 32 << 10);
  lines<unsigned, true>("lines", 64, 32 << 10);
  lines<unsigned, false>("lines", 64, 4 << 10);
  lines<unsigned, false>("half lines", 32, 32 << 10);
  lines<unsigned, false>("lines of 128", 128, 32 << 10);
  lines<unsigned, false>("lines of 256", 256, 32 << 10);
}

void all_uniforms() {
  for (int sms : {1, 132})
    for (int warps : {1, 2, 4, 8, 16, 32})
      for (unsigned size : {64u, 1024u, 2048u, 4096u, 16384u}) {
        print("uniform", "16 words", size, warps, sms, 512.0 * warps,
              [&] { uniforms<16><<<132, 32 * warps>>>(512, size, span, sink, sms); });
        print("uniform", "2 words", size, warps, sms, 512.0 * warps,
              [&] { uniforms<2><<<132, 32 * warps>>>(512, size, span, sink, sms); });
      }
  for (unsigned size : {16384u, 1024u})
    print("uniform", "16 words 64 warps", size, 64, 132, 512.0 * 64,
          [&] { uniforms<16><<<1056, 256>>>(512, size, span, sink, 132); });
}

template <Bar kWhat>
void print_barriers(const char* what, int blocks, int warps) {
  print(what, "blocks", blocks, warps, 132, 200.0 * blocks,
        [&] { barriers<kWhat><<<132 * blocks, 32 * warps>>>(200, span, sink); });
}

void all_barriers() {
  for (int blocks : {1, 2, 4, 8, 16, 32})
    for (int warps : {1, 2, 4, 8, 16, 32}) {
      if (blocks * warps > 64) continue;
      print_barriers<Bar::sync>("barrier sync", blocks, warps);
      print_barriers<Bar::count>("barrier count", blocks, warps);
      print_barriers<Bar::any>("barrier or", blocks, warps);
    }
}

template <int kWords>
void print_locals(int threads, int step, bool dense, int passes) {
  char what[32], pattern[64];
  std::snprintf(what, sizeof what, "local %d", kWords);
  std::snprintf(pattern, sizeof pattern, "step %d dense %d passes %d", step, dense, passes);
  print(what, pattern, threads, (threads + 31) / 32, 1, static_cast<double>(kWords) / step,
        [&] { locals<kWords><<<1, threads>>>(step, dense, span, sink, passes); });
}

void all_locals() {
  for (int threads : {1, 4, 8, 32, 128})
    for (int step : {1, 4})
      for (bool dense : {false, true})
        for (int passes : {1, 3}) {
          print_locals<256>(threads, step, dense, passes);
          print_locals<512>(threads, step, dense, passes);
          print_locals<1024>(threads, step, dense, passes);
          print_locals<1280>(threads, step, dense, passes);
          print_locals<1536>(threads, step, dense, passes);
          print_locals<2048>(threads, step, dense, passes);
        }
}

template <Chain kWhat>
void print_chain(const char* pattern, int warps) {
  print("chain", pattern, 0, warps, 132, 512.0,
        [&] { chains<kWhat><<<132, 32 * warps>>>(512, 2.0f, span, sink); });
}

void all_chains() {
  for (int warps : {1, 4, 16}) {
    print_chain<Chain::root>("root", warps);
    print_chain<Chain::fma_root>("fma root", warps);
    print_chain<Chain::divide>("divide", warps);
    print_chain<Chain::reciprocal>("reciprocal", warps);
  }
}
}  // namespace

int main() {
  std::puts("what,pattern,x,warps,sms,clocks");
  span = device<Span>(1 << 14);
  sink = device<unsigned>(1 << 22);
  all_by_lanes();
  all_lines();
  all_uniforms();
  all_barriers();
  all_locals();
  all_chains();
}
