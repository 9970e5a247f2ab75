// The map of L2, by hand: what experiments/hopper_l2_map.gpx is held against. No code of gpx.
//
// One thread of each SM in turn takes the time of loads and atomics of lines all over 32 MB: of
// loads the second to fourth, of atomics four, the least of each. SMs whose atomics differ, less
// their means, by less than some clocks (root of the mean square) are joined. Which SMs are of one
// GPC, clusters tell: the blocks of one run there. Output, CSV: what,key,value. With `matrix`, all
// latencies: sm,offset,load,atomic. Needs compute capability 9.0.
// Usage: l2_map [matrix]
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "check.h"

namespace {

constexpr unsigned kLines = 512, kPasses = 4;
constexpr std::size_t kBytes = 32 << 20, kLine = 128;

__device__ unsigned sm_of_block() {
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm;
}

__device__ unsigned clock_now() {
  unsigned now;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(now)::"memory");
  return now;
}

/// The value is waited for: a branch depends on it.
__device__ void wait_for(unsigned value) {
  if (value == 0x7fffffff) asm volatile("trap;");
}

__global__ void visit(unsigned* buffer, const unsigned* words, unsigned sm, unsigned* loads,
                      unsigned* atomics, unsigned* two) {
  if (sm_of_block() != sm || threadIdx.x != 0 || atomicExch(buffer, 1) == 1) return;
  for (unsigned i = 0; i < kLines; ++i) loads[i] = atomics[i] = ~0u;
  for (unsigned pass = 0; pass <= kPasses; ++pass)
    for (unsigned i = 0; i < kLines; ++i) {
      unsigned value;
      const unsigned begin = clock_now();
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(buffer + words[i]) : "memory");
      wait_for(value);
      const unsigned taken = clock_now() - begin;
      if (pass > 0) loads[i] = min(loads[i], taken);
    }
  for (unsigned pass = 0; pass < kPasses; ++pass)
    for (unsigned i = 0; i < kLines; ++i) {
      unsigned value;
      const unsigned begin = clock_now();
      asm volatile("atom.global.or.b32 %0, [%1], 0;"
                   : "=r"(value)
                   : "l"(buffer + words[i])
                   : "memory");
      wait_for(value);
      atomics[i] = min(atomics[i], clock_now() - begin);
    }
  // Two of them, the second waits for the first: what they take less than twice one is overhead.
  for (unsigned pass = 0; pass < kPasses; ++pass) {
    unsigned value;
    const unsigned begin = clock_now();
    asm volatile("atom.global.or.b32 %0, [%1], 0;\natom.global.or.b32 %0, [%1], %0;"
                 : "=&r"(value)
                 : "l"(buffer + words[0])
                 : "memory");
    wait_for(value);
    const unsigned taken = clock_now() - begin;
    if (pass == 0 || taken < *two) *two = taken;
  }
}

__global__ void places(unsigned* sms) {
  if (threadIdx.x == 0) sms[blockIdx.x] = sm_of_block();
}

using Groups = std::vector<std::vector<unsigned>>;

/// Numbers that `same` joins.
Groups joined(unsigned count, const std::function<bool(unsigned, unsigned)>& same) {
  std::vector<unsigned> root(count);
  std::iota(root.begin(), root.end(), 0u);
  for (unsigned a = 0; a < count; ++a)
    for (unsigned b = 0; b < a; ++b)
      if (root[a] != root[b] && same(a, b))
        std::replace(root.begin(), root.end(), unsigned{root[a]}, unsigned{root[b]});
  Groups groups;
  for (unsigned r = 0; r < count; ++r) {
    std::vector<unsigned> members;
    for (unsigned s = 0; s < count; ++s)
      if (root[s] == r) members.push_back(s);
    if (!members.empty()) groups.push_back(members);
  }
  return groups;
}

void print(const char* what, const std::string& key, const Groups& groups) {
  std::printf("%s,%s,%zu:", what, key.c_str(), groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::printf("%s", g ? ";" : "");
    for (unsigned sm : groups[g]) std::printf(" %u", sm);
  }
  std::printf("\n");
}

/// SMs that blocks of one cluster ran on, over several sizes.
Groups gpcs(unsigned sms, unsigned* device) {
  std::vector<std::vector<bool>> together(sms, std::vector<bool>(sms, false));
  CHECK(cudaFuncSetAttribute(places, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  CHECK(cudaFuncSetAttribute(places, cudaFuncAttributeMaxDynamicSharedMemorySize, 150 << 10));
  for (unsigned size : {2u, 4u, 6u, 8u, 10u, 12u, 14u, 16u}) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = size;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config{};
    config.blockDim = dim3(32);
    config.dynamicSmemBytes = 150 << 10;  // One block an SM.
    config.attrs = &attribute;
    config.numAttrs = 1;
    config.gridDim = dim3(size * (1024 / size));
    CHECK(cudaLaunchKernelEx(&config, places, device));
    std::vector<unsigned> found(config.gridDim.x);
    CHECK(cudaMemcpy(found.data(), device, 4 * found.size(), cudaMemcpyDeviceToHost));
    for (unsigned first = 0; first < found.size(); first += size)
      for (unsigned i = 0; i < size; ++i) together[found[first]][found[first + i]] = true;
  }
  return joined(sms, [&](unsigned a, unsigned b) { return together[a][b] || together[b][a]; });
}

double rms(const unsigned* a, const unsigned* b) {
  double mean = 0, square = 0;
  for (unsigned i = 0; i < kLines; ++i) mean += (double(a[i]) - double(b[i])) / kLines;
  for (unsigned i = 0; i < kLines; ++i)
    square += std::pow(double(a[i]) - double(b[i]) - mean, 2) / kLines;
  return std::sqrt(square);
}

void summarize(const char* what, std::vector<unsigned> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double part) {
    return values[static_cast<std::size_t>(part * (values.size() - 1))];
  };
  std::printf("%s,least 5%% median 95%% most,%u %u %u %u %u\n", what, at(0), at(0.05), at(0.5),
              at(0.95), at(1));
}

}  // namespace

int main(int argc, char** argv) {
  int count = 0;
  CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
  const auto sms = static_cast<unsigned>(count);
  unsigned *buffer = nullptr, *words = nullptr, *loads = nullptr, *atomics = nullptr,
           *two = nullptr;
  CHECK(cudaMalloc(&buffer, kBytes));
  CHECK(cudaMalloc(&words, 4 * kLines));
  CHECK(cudaMalloc(&loads, 4 * kLines));
  CHECK(cudaMalloc(&atomics, 4 * kLines));
  CHECK(cudaMalloc(&two, 4));
  std::vector<unsigned> where(kLines);
  unsigned seed = 12345;
  for (unsigned& word : where) {
    seed = seed * 1664525u + 1013904223u;
    word = kLine / 4 * (1 + (seed >> 8) % (kBytes / kLine - 1));
  }
  CHECK(cudaMemset(buffer, 0, kBytes));
  CHECK(cudaMemcpy(words, where.data(), 4 * kLines, cudaMemcpyHostToDevice));
  std::vector<unsigned> load(sms * kLines), atomic(sms * kLines);
  std::vector<double> overhead;
  for (unsigned sm = 0; sm < sms; ++sm) {
    CHECK(cudaMemset(buffer, 0, 4));
    visit<<<4 * sms, 32>>>(buffer, words, sm, loads, atomics, two);
    unsigned chained = 0;
    CHECK(cudaMemcpy(&chained, two, 4, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&load[sm * kLines], loads, 4 * kLines, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&atomic[sm * kLines], atomics, 4 * kLines, cudaMemcpyDeviceToHost));
    overhead.push_back(2.0 * atomic[sm * kLines] - chained);
  }
  if (argc > 1 && std::string_view(argv[1]) == "matrix") {
    std::printf("sm,offset,load,atomic\n");
    for (unsigned i = 0; i < sms * kLines; ++i)
      std::printf("%u,%u,%u,%u\n", i / kLines, 4 * where[i % kLines], load[i], atomic[i]);
    return 0;
  }
  std::printf("what,key,value\n");
  summarize("load", load);
  std::nth_element(overhead.begin(), overhead.begin() + sms / 2, overhead.end());
  std::printf("overhead,clocks of each that are no access's,%.0f\n", overhead[sms / 2]);
  const auto [least, most] = std::minmax_element(atomic.begin(), atomic.end());
  const unsigned limit = (*least + *most) / 2;
  std::vector<unsigned> near, far;
  for (unsigned value : atomic) (value < limit ? near : far).push_back(value);
  summarize("atomic near", near);
  summarize("atomic far", far);
  for (double apart : {100.0, 12.0, 3.3})
    print("groups", "less than " + std::to_string(apart).substr(0, 5) + " clocks apart",
          joined(sms, [&](unsigned a, unsigned b) {
            return rms(&atomic[a * kLines], &atomic[b * kLines]) < apart;
          }));
  unsigned* found = nullptr;
  CHECK(cudaMalloc(&found, 4096 * 4));
  print("gpcs", "by clusters", gpcs(sms, found));
  return 0;
}
