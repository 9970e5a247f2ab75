// What it takes when several SMs read the same lines past L1 at about the same time, by hand:
// whether requests of SMs meet on the way to L2 and go on as one, which SMs, and for how long one
// waits for others. Times need no tool; how many sectors come to L2 is counted by Nsight Compute
// (lts__t_sectors_srcunit_tex_op_read.sum), one launch a line of what is printed. Nothing of gpx is
// used here.
//
// Usage: same_lines pairs|late|rate
//   pairs  SM 0 and one other read 256 KB, together: launch k is SM k
//   late   SMs 0 and 1, SM 1 so many clocks later
//   rate   all SMs: the same lines together, apart by a part of the region, or lines of their own
#include <cstdio>
#include <cstring>
#include <vector>

#include "measure.h"

namespace {

constexpr int kThreads = 512;

__device__ __forceinline__ unsigned past_l1(const unsigned* at) {
  unsigned word;
  asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(word) : "l"(at) : "memory");
  return word;
}

// One block an SM. SMs `first` and `second` (or all, -1) meet, wait `late` clocks each turn of
// `second`, and read `words` of their part, `begin` words apart, `rounds` times.
__global__ void __launch_bounds__(kThreads)
    read(const unsigned* in, unsigned words, int first, int second, int late, unsigned apart,
         unsigned own, int rounds, unsigned* meet, int members, long long* clocks, unsigned* sink) {
  extern __shared__ unsigned whole_sm[];
  const int sm = static_cast<int>(this_sm());
  if (first >= 0 && sm != first && sm != second) return;
  if (threadIdx.x == 0) {
    atomicAdd(meet, 1u);
    while (*reinterpret_cast<volatile unsigned*>(meet) < static_cast<unsigned>(members)) {
    }
    const auto since = clock_now();
    while (clock_now() < since + (sm == second ? 2000 + late : 2000)) {
    }
  }
  __syncthreads();
  const unsigned* mine = in + static_cast<std::size_t>(sm) * own;
  const unsigned shift = static_cast<unsigned>(sm) * apart;
  unsigned sum = 0;
  const auto begin = clock_now();
  for (int r = 0; r < rounds; ++r)
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < words; i += kThreads)
      sum += past_l1(mine + (i + shift) % words);
  wait_for(sum);
  __syncthreads();
  const auto end = clock_now();
  if (threadIdx.x == 0) clocks[sm] = static_cast<long long>(end - begin);
  if (sum == 0x12345678) *sink = whole_sm[0];
}

struct Run {
  int sms;
  unsigned *in, *meet, *sink;
  long long* clocks;

  void operator()(const char* name, int value, unsigned words, int first, int second, int late,
                  unsigned apart, unsigned own, int rounds) const {
    const int members = first < 0 ? sms : first == second ? 1 : 2;
    CHECK(cudaMemset(meet, 0, 4));
    CHECK(cudaMemset(clocks, 0, sms * sizeof *clocks));
    read<<<sms, kThreads, 200 << 10>>>(in, words, first, second, late, apart, own, rounds, meet,
                                       members, clocks, sink);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::vector<long long> all(sms);
    CHECK(cudaMemcpy(all.data(), clocks, sms * sizeof(long long), cudaMemcpyDeviceToHost));
    long long most = 0, sum = 0;
    for (const long long clock : all) most = std::max(most, clock), sum += clock;
    std::printf("%s,%d,%u,%lld,%lld\n", name, value, words * 4u, most, sum / members);
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: same_lines pairs|late|rate\n"), 2;
  Run run{};
  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  run.sms = device.multiProcessorCount;
  CHECK(cudaFuncSetAttribute(read, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
  CHECK(cudaMalloc(&run.in, 64 << 20));
  CHECK(cudaMemset(run.in, 0, 64 << 20));
  CHECK(cudaMalloc(&run.meet, 4));
  CHECK(cudaMalloc(&run.sink, 4));
  CHECK(cudaMalloc(&run.clocks, run.sms * sizeof(long long)));
  std::printf("case,value,bytes,clocks,mean\n");
  constexpr unsigned kRegion = 64 << 10;  // words
  if (!std::strcmp(argv[1], "pairs"))
    for (int sm = 0; sm < run.sms; ++sm) run("pair", sm, kRegion, 0, sm, 0, 0, 0, 1);
  if (!std::strcmp(argv[1], "late"))
    for (int other : {1, 2, 16})
      for (int late : {0, 25, 50, 100, 150, 200, 300, 400, 600, 1000, 3000})
        run(other == 1   ? "late_1"
            : other == 2 ? "late_2"
                         : "late_16",
            late, kRegion, 0, other, late, 0, 0, 1);
  if (!std::strcmp(argv[1], "rate"))
    for (int twice = 0; twice < 2; ++twice)
      for (unsigned words : {1u << 10, 4u << 10, 16u << 10, 64u << 10, 100u << 10}) {
        const int rounds = static_cast<int>((1u << 20) / words);
        run("together", 0, words, -1, -1, 0, 0, 0, rounds);
        run("apart", 0, words, -1, -1, 0, words / run.sms / 32 * 32, 0, rounds);
        run("own", 0, words, -1, -1, 0, 0, words, rounds);
      }
  return 0;
}
