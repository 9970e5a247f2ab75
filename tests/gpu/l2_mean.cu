// The latency of a hit in L2, and of DRAM, as a mean over all SMs and many lines, by hand. Nothing
// of gpx is used here.
//
// One thread follows a list of random lines with ld.global.cg; links are addresses. l2: 512 lines
// of 16 MB that all SMs have read before; each SM goes round once before its 16 rounds count, so
// that its half of L2 has the lines. dram: 2048 lines of 1 GB for each SM, none visited since 512
// MB of other data were read; an SM visits each of them once, behind a round through lines in L2
// that brings in the code. The first TLB does not hold 1 GB: some clocks of that are in it. alone:
// the SMs one after the other. together: all at once, each from another place of the list (l2).
// Each of the three repeats has other lines, so that what lines differ by shows in the grand means.
//
// Output, CSV: level,mode,repeat,sm,clocks,ns,mhz: clocks and nanoseconds (globaltimer) of a load
// and the SM clock that follows. sm = all: the mean over the SMs. Usage: l2_mean
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "measure.h"

namespace {

using u64 = std::uint64_t;

constexpr u64 kLine = 128, kL2Bytes = 16 << 20, kDramBytes = 1 << 30, kJunkBytes = 512 << 20;
constexpr int kL2Lines = 512, kL2Rounds = 16, kDramLines = 2048;
constexpr int kShared = 120 << 10;  // of a block: one an SM

struct Taken {
  u64 clocks, ns, blocks;  // of all loads; blocks that wrote here: 1
};

// Line i of the list has the address of the next one; the last one that of the first.
__global__ void link(char* base, const unsigned* lines, int first, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    *reinterpret_cast<u64*>(base + lines[first + i] * kLine) =
        reinterpret_cast<u64>(base + lines[first + (i + 1) % count] * kLine);
}

__device__ u64 follow(u64 p, int loads) {
#pragma unroll 1
  for (int i = 0; i < loads; i += 16) {
#pragma unroll
    for (int k = 0; k < 16; ++k) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory");
  }
  return p;
}

// `sm` < 0: all SMs. `starts`: for each SM where it begins; `warm` likewise, for the loads before.
__global__ void chase(const u64* warm, const u64* starts, int warm_loads, int loads, int sm,
                      unsigned* claim, Taken* taken) {
  const unsigned here = this_sm();
  if (sm >= 0 && (static_cast<int>(here) != sm || atomicAdd(claim, 1u) > 0)) return;
  const u64 first = starts[here];
  u64 p = warm[here];
  u64 clocks = 0, ns = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    const u64 ns_before = nanoseconds_now(), before = clock_now();
    p = follow(p, pass == 0 ? warm_loads : loads);
    wait_for(p);
    clocks = clock_now() - before;
    ns = nanoseconds_now() - ns_before;
    if (pass == 0) p = first;
  }
  taken[here].clocks = clocks;
  taken[here].ns = ns;
  atomicAdd(reinterpret_cast<unsigned long long*>(&taken[here].blocks), 1ull);
}

std::vector<unsigned> distinct_lines(std::mt19937& random, u64 bytes, std::size_t count) {
  std::vector<bool> used(bytes / kLine);
  std::vector<unsigned> lines;
  while (lines.size() < count) {
    const auto line = static_cast<unsigned>(random() % used.size());
    if (!used[line]) lines.push_back(line);
    used[line] = true;
  }
  return lines;
}

class Bench {
 public:
  Bench() : sms_(count_of_sms()) {
    l2_ = device<char>(kL2Bytes);
    dram_ = device<char>(kDramBytes);
    junk_ = device<char>(kJunkBytes);
    lines_ = device<unsigned>(static_cast<std::size_t>(sms_) * kDramLines);
    starts_ = device<u64>(sms_);
    warm_ = device<u64>(sms_);
    taken_ = device<Taken>(sms_);
    claim_ = device<unsigned>(2);
    CHECK(cudaFuncSetAttribute(chase, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  }

  // A GPU that has rested has other clocks for some milliseconds.
  void wake() {
    for (int i = 0; i < 1000; ++i)
      read_lines<<<2 * sms_, 1024>>>(junk_, kJunkBytes / kLine, claim_ + 1);
    CHECK(cudaDeviceSynchronize());
  }

  bool l2(int repeat) {
    std::mt19937 random(100 + repeat);
    const auto lines = link_l2(random);
    read_lines<<<2 * sms_, 1024>>>(l2_, kL2Bytes / kLine, claim_ + 1);
    CHECK(cudaDeviceSynchronize());
    to_device(starts_, places(l2_, lines, kL2Lines / sms_ + 1, kL2Lines));
    to_device(warm_, places(l2_, lines, kL2Lines / sms_ + 1, kL2Lines));
    return both("l2", repeat, kL2Lines, kL2Lines * kL2Rounds, false);
  }

  bool dram(int repeat) {
    std::mt19937 random(200 + repeat);
    const auto near = link_l2(random);
    const auto lines =
        distinct_lines(random, kDramBytes, static_cast<std::size_t>(sms_) * kDramLines);
    to_device(lines_, lines);
    link<<<sms_, 1024>>>(dram_, lines_, 0, static_cast<int>(lines.size()));
    CHECK(cudaDeviceSynchronize());
    to_device(starts_, places(dram_, lines, kDramLines, lines.size()));
    to_device(warm_, places(l2_, near, kL2Lines / sms_ + 1, kL2Lines));
    return both("dram", repeat, kL2Lines, kDramLines, true);
  }

 private:
  std::vector<unsigned> link_l2(std::mt19937& random) {
    const auto lines = distinct_lines(random, kL2Bytes, kL2Lines);
    to_device(lines_, lines);
    link<<<1, 1024>>>(l2_, lines_, 0, kL2Lines);
    CHECK(cudaDeviceSynchronize());
    return lines;
  }

  // For each SM an address, so many lines of the list behind that of the SM before.
  std::vector<u64> places(const char* base, const std::vector<unsigned>& lines, std::size_t apart,
                          std::size_t count) const {
    std::vector<u64> out;
    for (int sm = 0; sm < sms_; ++sm)
      out.push_back(reinterpret_cast<u64>(base) + lines[sm * apart % count] * kLine);
    return out;
  }

  void prepare(bool flush) {
    CHECK(cudaMemset(taken_, 0, sms_ * sizeof(Taken)));
    if (flush) read_lines<<<2 * sms_, 1024>>>(junk_, kJunkBytes / kLine, claim_ + 1);
  }

  bool both(const char* level, int repeat, int warm_loads, int loads, bool flush) {
    prepare(flush);
    for (int sm = 0; sm < sms_; ++sm) {
      CHECK(cudaMemset(claim_, 0, 4));
      chase<<<8 * sms_, 1>>>(warm_, starts_, warm_loads, loads, sm, claim_, taken_);
    }
    const bool alone = print(level, "alone", repeat, loads);
    prepare(flush);
    chase<<<sms_, 1, kShared>>>(warm_, starts_, warm_loads, loads, -1, claim_, taken_);
    return print(level, "together", repeat, loads) && alone;
  }

  // Whether each SM had one block.
  bool print(const char* level, const char* mode, int repeat, int loads) {
    CHECK(cudaGetLastError());
    const auto taken = host_copy(taken_, sms_);
    std::vector<double> clocks, ns;
    for (int sm = 0; sm < sms_; ++sm) {
      if (taken[sm].blocks != 1) {
        std::fprintf(stderr, "l2_mean: SM %d had %d blocks\n", sm,
                     static_cast<int>(taken[sm].blocks));
        continue;
      }
      clocks.push_back(static_cast<double>(taken[sm].clocks) / loads);
      ns.push_back(static_cast<double>(taken[sm].ns) / loads);
      std::printf("%s,%s,%d,%d,%.3f,%.3f,%.1f\n", level, mode, repeat, sm, clocks.back(), ns.back(),
                  1e3 * clocks.back() / ns.back());
    }
    std::printf("%s,%s,%d,all,%.3f,%.3f,%.1f\n", level, mode, repeat, mean(clocks), mean(ns),
                1e3 * mean(clocks) / mean(ns));
    return static_cast<int>(clocks.size()) == sms_;
  }

  int sms_;
  char *l2_, *dram_, *junk_;
  unsigned *lines_, *claim_;
  u64 *starts_, *warm_;
  Taken* taken_;
};

}  // namespace

int main() {
  Bench bench;
  bool good = true;
  bench.wake();
  std::printf("level,mode,repeat,sm,clocks,ns,mhz\n");
  for (int repeat = 0; repeat < 3; ++repeat) good = bench.l2(repeat) && good;
  for (int repeat = 0; repeat < 3; ++repeat) good = bench.dram(repeat) && good;
  return good ? 0 : 1;
}
