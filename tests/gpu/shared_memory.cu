// Shared memory by hand: latency, bandwidth by width, banks, atomics. Nothing of gpx is used here.
//
// chase: one thread, each load gives the address of the next. read, write: 1024 threads of one
// block, words of 4, 8 and 16 B one behind the other; each round begins at another word, or the
// assembler takes the loads out of the loop. ways: 32 lanes of which n at a time meet in a bank,
// each word with its own address, as a chain of one warp (latency) and as reads of 32 warps (clocks
// of an access of a warp, all of the SM's). stride: the same chain with lanes so many words apart.
// atomic: a chain in which each takes its address from what the one before gave (address) or adds
// what it gave (value; all are zero); 32 warps on one address, on words 8 B apart, on a line of 128
// B for each thread. An atomic addition of 64 bits is a loop of compare-and-swap: its rates depend
// on how often the loop goes round. All values are slopes between a shorter and a longer run, of
// each the least of the repetitions.
//
// Output, CSV: what,key,value,unit. Usage: shared_memory
#include <cstdint>
#include <cstdio>
#include <string>

#include "measure.h"

namespace {

using u32 = unsigned;
using u64 = unsigned long long;

constexpr int kRepetitions = 7, kThreads = 1024, kUnroll = 8;
constexpr u32 kShared = kThreads * 16 * kUnroll + 1024;

extern __shared__ __align__(1024) unsigned char memory[];

__device__ u32 own_memory() {
  return static_cast<u32>(__cvta_generic_to_shared(memory));
}

// The time of a block: from a barrier to a barrier.
__device__ u64 begin_together() {
  __syncthreads();
  return clock_now();
}
__device__ void end_together(u64 begin, u64* clocks) {
  __syncthreads();
  const u64 end = clock_now();
  if (threadIdx.x == 0) *clocks = end - begin;
}

// Lane l's word, l * stride words behind the first, has its own address; lanes of the `ways`
// pattern are given as a stride of 32 words for each group and 1 within it.
__global__ void lanes(u32 stride, u32 group, int loads, u64* clocks, u32* sink) {
  const u32 lane = threadIdx.x % 32;
  u32 at = own_memory() + 4 * (group == 0 ? lane * stride : lane % group + lane / group * 32);
  asm volatile("st.shared.u32 [%0], %0;" ::"r"(at) : "memory");
  __syncthreads();
  for (int pass = 0; pass < 2; ++pass) {
    const u64 begin = clock_now();
#pragma unroll 1
    for (int i = 0; i < loads; i += 32) {
#pragma unroll
      for (int k = 0; k < 32; ++k) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory");
    }
    wait_for(at);
    const u64 end = clock_now();
    if (threadIdx.x == 0) *clocks = end - begin;
  }
  if (at == 12345) *sink = at;
}

__global__ void chase(int loads, u64* clocks, u32* sink) {
  const u32 base = own_memory();
  for (u32 i = 0; i < 256; ++i)
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(base + 4 * i), "r"(base + 4 * ((i + 77) % 256))
                 : "memory");
  u32 at = base;
  for (int pass = 0; pass < 2; ++pass) {
    const u64 begin = clock_now();
#pragma unroll 1
    for (int i = 0; i < loads; i += 32) {
#pragma unroll
      for (int k = 0; k < 32; ++k) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory");
    }
    wait_for(at);
    *clocks = clock_now() - begin;
  }
  if (at == 12345) *sink = at;
}

template <int Bytes>
__device__ u32 load(u32 at) {
  u32 a, b = 0, c = 0, d = 0;
  if (Bytes == 4) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(a) : "r"(at) : "memory");
  if (Bytes == 8)
    asm volatile("ld.shared.v2.u32 {%0,%1}, [%2];" : "=r"(a), "=r"(b) : "r"(at) : "memory");
  if (Bytes == 16)
    asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(at)
                 : "memory");
  return a ^ b ^ c ^ d;
}

template <int Bytes>
__device__ void store(u32 at, u32 v) {
  if (Bytes == 4) asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(v) : "memory");
  if (Bytes == 8) asm volatile("st.shared.v2.u32 [%0], {%1,%1};" ::"r"(at), "r"(v) : "memory");
  if (Bytes == 16)
    asm volatile("st.shared.v4.u32 [%0], {%1,%1,%1,%1};" ::"r"(at), "r"(v) : "memory");
}

// Eight accesses of each thread a round; a round begins a word further than the one before it,
// eight rounds long, then at the first again. `group` as above (reads of 4 B only), else all lanes
// apart.
template <int Bytes, bool Writes>
__global__ void __launch_bounds__(kThreads) move(u32 group, int rounds, u64* clocks, u32* sink) {
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const u32 place =
      group == 0 ? Bytes * threadIdx.x : 4 * (lane % group + lane / group * 32) + (warp % 4) * 128;
  const u32 base = own_memory() + place;
  for (u32 i = threadIdx.x; i < kShared / 4; i += kThreads) reinterpret_cast<u32*>(memory)[i] = i;
  u32 sum = 0, shift = 0;
  const u64 begin = begin_together();
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int k = 0; k < kUnroll; ++k) {
      const u32 at = base + shift + k * Bytes * kThreads;
      if (Writes)
        store<Bytes>(at, round);
      else
        sum ^= load<Bytes>(at);
    }
    shift = (shift + Bytes) % (8 * Bytes);
  }
  if (sum == 0x12345678) *sink = sum;
  end_together(begin, clocks);
}

template <typename T>
__device__ T atomic_add(u32 at, T value);
template <>
__device__ u32 atomic_add(u32 at, u32 value) {
  u32 old;
  asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(old) : "r"(at), "r"(value) : "memory");
  return old;
}
template <>
__device__ u64 atomic_add(u32 at, u64 value) {
  u64 old;
  asm volatile("atom.shared.add.u64 %0, [%1], %2;" : "=l"(old) : "r"(at), "l"(value) : "memory");
  return old;
}

// One thread. By address: the word has its own address, and nothing is added to it.
template <typename T, bool ByAddress>
__global__ void atomic_chain(int count, T zero, u64* clocks, u32* sink) {
  // Of thread 0. Of an address that all threads have the compiler makes one addition of a warp.
  u32 at = own_memory() + threadIdx.x * 8;
  *reinterpret_cast<T*>(memory) = ByAddress ? at : 0;
  T value = zero;
  for (int pass = 0; pass < 2; ++pass) {
    const u64 begin = clock_now();
#pragma unroll 1
    for (int i = 0; i < count; i += 8) {
#pragma unroll
      for (int k = 0; k < 8; ++k) {
        if (ByAddress)
          at = static_cast<u32>(atomic_add<T>(at, zero));
        else
          value = atomic_add<T>(at, value);
      }
    }
    wait_for(static_cast<u32>(value) + at);
    *clocks = clock_now() - begin;
  }
  if (at + value == 12345) *sink = at;
}

template <typename T>
__global__ void __launch_bounds__(kThreads) atomics(u32 apart, int count, u64* clocks, u32* sink) {
  const u32 at = own_memory() + threadIdx.x * apart;
  for (u32 i = threadIdx.x; i < kShared / 4; i += kThreads) reinterpret_cast<u32*>(memory)[i] = 0;
  T sum = 0;
  const u64 begin = begin_together();
#pragma unroll 1
  for (int i = 0; i < count; ++i) sum ^= atomic_add<T>(at, static_cast<T>(threadIdx.x + i));
  if (sum == 0x12345678) *sink = 1;
  end_together(begin, clocks);
}

u64* clocks;
u32* sink;

template <typename Launch>
double least(Launch launch) {
  double best = 1e18;
  for (int i = 0; i < kRepetitions; ++i) {
    launch();
    CHECK(cudaGetLastError());
    best = std::min(best, static_cast<double>(host_copy(clocks, 1)[0]));
  }
  return best;
}

// What one more of `launch(count)` takes.
template <typename Launch>
double slope(int few, int many, Launch launch) {
  const double brief = least([&] { launch(few); });
  return (least([&] { launch(many); }) - brief) / (many - few);
}

void print(const char* what, const std::string& key, double value, const char* unit) {
  std::printf("%s,%s,%.4f,%s\n", what, key.c_str(), value, unit);
}

template <typename Kernel>
Kernel big(Kernel kernel) {
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  return kernel;
}

template <int Bytes, bool Writes>
void bandwidth() {
  const auto kernel = big(move<Bytes, Writes>);
  const double clocks_of_round = slope(
      256, 1024, [&](int rounds) { kernel<<<1, kThreads, kShared>>>(0, rounds, clocks, sink); });
  print(Writes ? "write" : "read", std::to_string(Bytes) + " B",
        static_cast<double>(Bytes) * kThreads * kUnroll / clocks_of_round, "B/clk");
}

template <typename T>
void atomic_rates(const char* type) {
  const auto chain = [&](const char* by, auto kernel) {
    print("atomic chain", std::string(type) + " " + by,
          slope(128, 512, [&](int count) { kernel<<<1, 1, kShared>>>(count, T{0}, clocks, sink); }),
          "clocks");
  };
  chain("address", big(atomic_chain<T, true>));
  chain("value", big(atomic_chain<T, false>));
  const auto kernel = big(atomics<T>);
  const auto rate = [&](const char* where, u32 apart, int few, int many) {
    const double taken = slope(few, many, [&](int count) {
      kernel<<<1, kThreads, kShared>>>(apart, count, clocks, sink);
    });
    print("atomic rate", std::string(type) + " " + where, kThreads / taken, "/clk");
  };
  rate("one address", 0, sizeof(T) == 4 ? 16 : 2, sizeof(T) == 4 ? 64 : 6);
  rate("words 8 B apart", 8, 64, 256);
  rate("lines 128 B apart", 128, 16, 64);
}

}  // namespace

int main() {
  clocks = device<u64>(1);
  sink = device<u32>(1);
  std::printf("what,key,value,unit\n");
  print("chase", "one thread",
        slope(1024, 4096, [](int loads) { chase<<<1, 1, 8192>>>(loads, clocks, sink); }), "clocks");
  bandwidth<4, false>();
  bandwidth<8, false>();
  bandwidth<16, false>();
  bandwidth<4, true>();
  bandwidth<8, true>();
  bandwidth<16, true>();
  const auto chain = [](u32 stride, u32 group) {
    return slope(512, 2048,
                 [&](int loads) { lanes<<<1, 32, 8192>>>(stride, group, loads, clocks, sink); });
  };
  const auto read = big(move<4, false>);
  for (const u32 n : {1u, 2u, 4u, 8u, 16u, 32u}) {
    const std::string key = std::to_string(n) + " ways";
    print("ways latency", key, chain(0, 32 / n), "clocks");
    const double round = slope(
        32, 128, [&](int rounds) { read<<<1, kThreads, kShared>>>(32 / n, rounds, clocks, sink); });
    print("ways rate", key, round / (kUnroll * kThreads / 32.0), "clocks of an access");
  }
  for (u32 stride = 1; stride <= 40; ++stride)
    print("stride latency", std::to_string(stride) + " words", chain(stride, 0), "clocks");
  atomic_rates<u32>("u32");
  atomic_rates<u64>("u64");
  CHECK(cudaDeviceSynchronize());
  return 0;
}
