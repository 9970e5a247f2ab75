// What reads of own memory take by the bytes of an access, by hand: 4, 8 and 16 B. Nothing of gpx
// is used here.
//
// All threads read an array once, one access behind the other, `unroll` of them in flight a thread
// (more only by other warps). Blocks of 512 threads, so many for each SM. Before each launch 256 MB
// of other data are read, so that L2 has nothing of the array; the time is that of two events
// around the launch. Eight sizes, so that a line or a curve of time against bytes can be fitted:
// what does not grow with the bytes is the launch and its ends. All words read are summed and
// compared.
//
// Output, CSV: word,blocks,unroll,gigabytes,launch,ms (GB: 2^30 B; blocks: for each SM). Launches 0
// to 4 of each. Status 1: a sum is wrong. Usage: dram_read_words
#include <cstdint>
#include <cstdio>
#include <vector>

#include "measure.h"

namespace {

constexpr std::uint64_t kMost = std::uint64_t{4} << 30, kJunk = 256 << 20;
constexpr int kThreads = 512, kLaunches = 5;

template <int Bytes>
struct Word;
template <>
struct Word<4> {
  __device__ static unsigned load(const char* p) {
    unsigned a;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(a) : "l"(p));
    return a;
  }
};
template <>
struct Word<8> {
  __device__ static unsigned load(const char* p) {
    unsigned a, b;
    asm volatile("ld.global.cg.v2.u32 {%0,%1}, [%2];" : "=r"(a), "=r"(b) : "l"(p));
    return a + b;
  }
};
template <>
struct Word<16> {
  __device__ static unsigned load(const char* p) {
    unsigned a, b, c, d;
    asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "l"(p));
    return a + b + c + d;
  }
};

// The bytes are a multiple of what all threads read in one round.
template <int Bytes, int Unroll>
__global__ void __launch_bounds__(kThreads)
    read(const char* data, std::uint64_t bytes, unsigned* sum) {
  const std::uint64_t apart = std::uint64_t{gridDim.x} * kThreads * Bytes;
  const char* at = data + (blockIdx.x * std::uint64_t{kThreads} + threadIdx.x) * Bytes;
  const char* const end = data + bytes;
  unsigned own = 0;
  for (; at + (Unroll - 1) * apart < end; at += Unroll * apart) {
    unsigned v[Unroll];
#pragma unroll
    for (int k = 0; k < Unroll; ++k) v[k] = Word<Bytes>::load(at + k * apart);
#pragma unroll
    for (int k = 0; k < Unroll; ++k) own += v[k];
  }
  unsigned rest[Unroll];
#pragma unroll
  for (int k = 0; k < Unroll; ++k)
    rest[k] = at + k * apart < end ? Word<Bytes>::load(at + k * apart) : 0;
#pragma unroll
  for (int k = 0; k < Unroll; ++k) own += rest[k];
  for (int lanes = 16; lanes > 0; lanes /= 2) own += __shfl_down_sync(0xffffffff, own, lanes);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, own);
}

class Bench {
 public:
  Bench() : sms_(count_of_sms()) {
    CHECK(cudaMalloc(&data_, kMost));
    CHECK(cudaMemset(data_, 1, kMost));
    junk_ = device<char>(kJunk);
    sum_ = device<unsigned>(2);
    CHECK(cudaEventCreate(&begin_));
    CHECK(cudaEventCreate(&end_));
  }

  template <int Bytes, int Unroll>
  void all() {
    for (const int blocks : {1, 2, 4})
      for (const double size : {0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0}) {
        const auto bytes = static_cast<std::uint64_t>(size * (1 << 30));
        for (int launch = 0; launch < kLaunches; ++launch) {
          read_lines<<<2 * sms_, 1024>>>(junk_, kJunk / 128, sum_ + 1);
          CHECK(cudaMemset(sum_, 0, 4));
          CHECK(cudaEventRecord(begin_));
          read<Bytes, Unroll><<<blocks * sms_, kThreads>>>(data_, bytes, sum_);
          CHECK(cudaEventRecord(end_));
          CHECK(cudaEventSynchronize(end_));
          float ms = 0;
          CHECK(cudaEventElapsedTime(&ms, begin_, end_));
          const unsigned expected = static_cast<unsigned>(bytes / 4 * 0x01010101u);
          if (host_copy(sum_, 1)[0] != expected) ++wrong;
          std::printf("%d,%d,%d,%.2f,%d,%.5f\n", Bytes, blocks, Unroll, size, launch, ms);
        }
      }
  }

  template <int Bytes>
  void word() {
    all<Bytes, 1>();
    all<Bytes, 4>();
    all<Bytes, 8>();
  }

  int wrong = 0;

 private:
  int sms_;
  char *data_ = nullptr, *junk_;
  unsigned* sum_;
  cudaEvent_t begin_, end_;
};

}  // namespace

int main() {
  Bench bench;
  std::printf("word,blocks,unroll,gigabytes,launch,ms\n");
  bench.word<4>();
  bench.word<8>();
  bench.word<16>();
  if (bench.wrong != 0) std::fprintf(stderr, "dram_read_words: %d sums are wrong\n", bench.wrong);
  return bench.wrong != 0;
}
