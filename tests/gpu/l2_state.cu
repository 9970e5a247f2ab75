// What L2 holds behind a memset, stores or loads of twice its size, and how much of it is dirty:
// times of passes over memory behind them, and behind the same pass. Under ncu, which counts the
// bytes of DRAM, each pass runs once. Nothing of gpx is used here.
//
// Usage: l2_state; ncu --metrics dram__bytes_read.sum,dram__bytes_write.sum --cache-control none
//   --clock-control none l2_state once
// Output: before,wait_us,access,width,stride,mb,us,clocks: what came before, microseconds since;
// each thread of 660 blocks loads or stores `width` bytes each `stride`; megabytes from first to
// last; microseconds with the launch, mean clocks of a block (median of 5 runs).
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "measure.h"

namespace {

constexpr unsigned kBlocks = 660, kThreads = 256;
constexpr std::size_t kBytes = 256u << 20;

struct Pass {
  bool stores;
  int width, stride;
};

template <typename T, bool kStores>
__global__ void __launch_bounds__(kThreads)
    pass(char* data, std::uint64_t stride, int count, int* sink, std::uint64_t* clocks) {
  const std::uint64_t all = std::uint64_t{gridDim.x} * blockDim.x;
  const std::uint64_t begin = clock_now(),
                      thread = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  int sum = 0;
#pragma unroll 4
  for (int i = 0; i < count; ++i) {
    T* const at = reinterpret_cast<T*>(data + (i * all + thread) * stride);
    if constexpr (kStores) {
      T value{};
      reinterpret_cast<int&>(value) = i;
      *at = value;
    } else {
      const T value = __ldcg(at);
      for (unsigned k = 0; k < sizeof(T) / 4; ++k) sum += reinterpret_cast<const int*>(&value)[k];
    }
  }
  if (sum == 12345) *sink = sum;
  if (threadIdx.x == 0) clocks[blockIdx.x] = clock_now() - begin;
}

__global__ void wait(std::uint64_t nanoseconds) {
  const std::uint64_t end = nanoseconds_now() + nanoseconds;
  while (nanoseconds_now() < end) {
  }
}

struct Buffers {
  char *data = nullptr, *other = nullptr;
  int* sink = nullptr;
  std::uint64_t* clocks = nullptr;
};

void launch(const Buffers& b, const Pass& p, char* data, unsigned blocks, int count) {
  const auto kernel = p.width == 16 ? (p.stores ? pass<int4, true> : pass<int4, false>)
                                    : (p.stores ? pass<int, true> : pass<int, false>);
  kernel<<<blocks, kThreads>>>(data, p.stride, count, b.sink, b.clocks);
}

void prepare(const Buffers& b, const char* before, int microseconds) {
  constexpr unsigned kMany = 1980;  // blocks that pass over 130 MB
  if (before[0] == 'm') CHECK(cudaMemsetAsync(b.other, 1, 120u << 20));
  if (before[0] == 's') launch(b, {true, 16, 16}, b.other, kMany, 16);
  if (before[0] == 'l') launch(b, {false, 16, 16}, b.other, kMany, 16);
  if (microseconds > 0) wait<<<1, 1>>>(microseconds * 1000);
}

void measure(const Buffers& b, const char* before, int microseconds, const Pass& p, int count,
             int runs) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  const int warm = before[0] == 'i' ? 2 : 0;
  std::vector<double> us, clocks;
  for (int run = 0; run < runs + warm; ++run) {
    prepare(b, before, microseconds);
    CHECK(cudaEventRecord(begin));
    launch(b, p, b.data, kBlocks, count);
    CHECK(cudaEventRecord(end));
    CHECK(cudaDeviceSynchronize());
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    std::vector<std::uint64_t> each(kBlocks);
    CHECK(cudaMemcpy(each.data(), b.clocks, kBlocks * 8, cudaMemcpyDeviceToHost));
    if (run < warm) continue;
    us.push_back(ms * 1000);
    double sum = 0;
    for (const std::uint64_t c : each) sum += static_cast<double>(c);
    clocks.push_back(sum / kBlocks);
  }
  std::sort(us.begin(), us.end());
  std::sort(clocks.begin(), clocks.end());
  std::printf("%s,%d,%s,%d,%d,%.2f,%.3f,%.0f\n", before, microseconds, p.stores ? "store" : "load",
              p.width, p.stride, kBlocks * double{kThreads} * count * p.stride / 1e6,
              us[us.size() / 2], clocks[clocks.size() / 2]);
}

}  // namespace

int main(int argc, char**) {
  const int runs = argc > 1 ? 1 : 5;
  Buffers b;
  CHECK(cudaMalloc(&b.data, kBytes));
  CHECK(cudaMalloc(&b.other, kBytes));
  CHECK(cudaMalloc(&b.sink, 4));
  CHECK(cudaMalloc(&b.clocks, 8 * 65536));
  CHECK(cudaMemset(b.data, 0, kBytes));
  std::puts("before,wait_us,access,width,stride,mb,us,clocks");
  for (const char* before : {"memset", "stores", "loads"})
    for (const int us : {0, 20, 200}) {
      for (const int count : {2, 4, 8, 16, 24})
        measure(b, before, us, {false, 16, 16}, count, runs);
      if (us > 0) continue;
      for (const int count : {1, 3}) measure(b, before, us, {false, 4, 64}, count, runs);
      for (const int count : {1, 3}) measure(b, before, us, {false, 4, 128}, count, runs);
      measure(b, before, us, {false, 4, 32}, 3, runs);
      for (const int count : {4, 16}) measure(b, before, us, {true, 16, 16}, count, runs);
      measure(b, before, us, {true, 4, 128}, 2, runs);
    }
  for (const Pass& p :
       {Pass{false, 16, 16}, Pass{false, 4, 64}, Pass{false, 4, 128}, Pass{false, 4, 32},
        Pass{true, 16, 16}, Pass{true, 4, 128}, Pass{true, 4, 32}, Pass{true, 4, 64}}) {
    int last = 0;
    for (const double mb : {10., 20., 25., 30., 35., 40., 45., 50., 55., 60., 80., 110.}) {
      const int count = static_cast<int>(mb * 1e6 / (kBlocks * double{kThreads} * p.stride) + 0.5);
      if (count > last) measure(b, "itself", 0, p, count, runs);
      last = count;
    }
  }
}
