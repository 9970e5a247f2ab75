// Round trips of atomics by address, for comparison with what gpx finds: two modes by the side of L2
// that an address lies on. Nothing of gpx is used here.
//
// Usage: atomic_modes    Output: SM, line, clocks of an atomic (least of 15), of a load that hits L2
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "check.h"

namespace {

__global__ void modes(char* base, const std::uint32_t* lines, int count, int sm, unsigned* claim,
                      unsigned* atomics, unsigned* loads) {
  unsigned here;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(here));
  if (static_cast<int>(here) != sm || atomicAdd(claim, 1u) > 0) return;
  for (int i = 0; i < count; ++i) {
    char* at = base + std::uint64_t{lines[i]} * 128;
    unsigned atomic = 1u << 30, load = 1u << 30;
    for (int k = 0; k < 15; ++k) {
      unsigned begin, end, v;
      asm volatile("mov.u32 %0, %%clock;\n atom.global.add.u32 %1, [%2], 1;"
                   : "=&r"(begin), "=r"(v) : "l"(at) : "memory");
      if (v == 0xfffffff0) asm volatile("trap;");  // the second clock waits for the value
      asm volatile("mov.u32 %0, %%clock;" : "=r"(end)::"memory");
      atomic = min(atomic, end - begin);
    }
    for (int k = 0; k < 15; ++k) {
      unsigned begin, end, v;
      at += load == 7 ? 4 : 0;  // the assembler merges loads of one address
      asm volatile("mov.u32 %0, %%clock;\n ld.global.cg.u32 %1, [%2];"
                   : "=&r"(begin), "=r"(v) : "l"(at) : "memory");
      if (v == 0xfffffff0) asm volatile("trap;");
      asm volatile("mov.u32 %0, %%clock;" : "=r"(end)::"memory");
      load = min(load, end - begin);
    }
    atomics[i] = atomic;
    loads[i] = load;
  }
}

}  // namespace

int main() {
  const int count = 1024;
  char* base = nullptr;
  std::uint32_t* lines = nullptr;
  unsigned *claim = nullptr, *atomics = nullptr, *loads = nullptr;
  CHECK(cudaMalloc(&base, 128u << 20));
  CHECK(cudaMemset(base, 0, 128u << 20));
  CHECK(cudaMalloc(&lines, count * 4));
  CHECK(cudaMalloc(&claim, 4));
  CHECK(cudaMallocManaged(&atomics, count * 4));
  CHECK(cudaMallocManaged(&loads, count * 4));
  std::mt19937 random(3);
  std::vector<std::uint32_t> at(count);
  for (auto& one : at) one = random() % (1u << 20);
  CHECK(cudaMemcpy(lines, at.data(), count * 4, cudaMemcpyHostToDevice));
  for (const int sm : {0, 1, 2, 7, 40, 99}) {
    CHECK(cudaMemset(claim, 0, 4));
    modes<<<132 * 8, 1>>>(base, lines, count, sm, claim, atomics, loads);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < count; ++i) std::printf("%d,%u,%u,%u\n", sm, at[i], atomics[i], loads[i]);
  }
  return 0;
}
