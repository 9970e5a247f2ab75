// What DRAM reads and writes for parts of sectors and of lines, by hand: sectors stored to in part,
// single sectors of a line. Times need no tool; bytes are counted by Nsight Compute
// (dram__bytes_read.sum, dram__bytes_write.sum), one launch a line of what is printed. Before each
// counted launch another one reads what L2 can hold. Nothing of gpx is used here.
//
// Usage: sectors    Output: case,MB of the region,bytes touched,nanoseconds (the best of three)
#include <cstdio>
#include <utility>

#include "measure.h"

namespace {

constexpr std::size_t kHuge = std::size_t{1} << 30, kBig = std::size_t{1} << 28,
                      kSmall = std::size_t{1} << 24;

__global__ void sweep_other(const uint4* data, std::size_t count, unsigned* sink) {
  unsigned sum = 0;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < count;
       i += gridDim.x * std::size_t{blockDim.x})
    sum += data[i].x;
  if (sum == 0x12345678) *sink = sum;
}

// Thread i stores `bytes` (1, 4, 16) at i * stride, in `turns` words one after another.
template <class T>
__global__ void store_at(char* data, std::size_t count, std::size_t stride, int turns) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i >= count) return;
  for (int t = 0; t < turns; ++t) reinterpret_cast<T*>(data + i * stride)[t] = T{};
}

__global__ void load_at(const char* data, std::size_t count, std::size_t stride, unsigned* sink) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i >= count) return;
  const unsigned word = *reinterpret_cast<const unsigned*>(data + i * stride);
  if (word == 0x12345678) *sink = word;
}

// A warp loads `words` of each `stride` bytes: whole lines, apart.
__global__ void load_runs(const char* data, std::size_t count, std::size_t stride, unsigned words,
                          unsigned* sink) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i >= count) return;
  const unsigned word = reinterpret_cast<const unsigned*>(data + i / words * stride)[i % words];
  if (word == 0x12345678) *sink = word;
}

__global__ void store_runs(char* data, std::size_t count, std::size_t stride, unsigned words) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i < count) reinterpret_cast<unsigned*>(data + i / words * stride)[i % words] = 1;
}

__device__ __forceinline__ std::size_t anywhere(std::size_t i, std::size_t size) {
  std::size_t z = (i + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return (z ^ z >> 31) % size & ~std::size_t{63};
}

__global__ void load_any(const char* data, std::size_t count, std::size_t size, unsigned* sink) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i >= count) return;
  const unsigned word = *reinterpret_cast<const unsigned*>(data + anywhere(i, size));
  if (word == 0x12345678) *sink = word;
}

__global__ void store_any(char* data, std::size_t count, std::size_t size) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i < count) *reinterpret_cast<unsigned*>(data + anywhere(i, size)) = 1;
}

__global__ void add_at(char* data, std::size_t count, std::size_t stride) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i < count) atomicAdd(reinterpret_cast<unsigned*>(data + i * stride), 1u);
}

char *data, *other;
unsigned* sink;

template <class Launch>
void print(const char* name, std::size_t region, std::size_t stride, std::size_t bytes,
           Launch launch) {
  const std::size_t count = region / stride;
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  float least = 1e9f;
  for (int k = 0; k < 3; ++k) {
    sweep_other<<<1056, 256>>>(reinterpret_cast<const uint4*>(other), kBig / 16, sink);
    CHECK(cudaEventRecord(begin));
    launch(count, static_cast<unsigned>((count + 255) / 256));
    CHECK(cudaEventRecord(end));
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    float time = 0;
    CHECK(cudaEventElapsedTime(&time, begin, end));
    least = std::min(least, time);
  }
  std::printf("%s,%zu,%zu,%.0f\n", name, region >> 20, count * bytes, least * 1e6);
}

}  // namespace

int main() {
  CHECK(cudaMalloc(&data, kHuge));
  CHECK(cudaMalloc(&other, kBig));
  CHECK(cudaMalloc(&sink, 4));
  CHECK(cudaMemset(data, 0, kHuge));
  CHECK(cudaMemset(other, 0, kBig));
  std::printf("case,MB,touched,nanoseconds\n");
  for (const std::size_t region : {kBig, kSmall}) {
    print("store_4_of_32", region, 32, 4,
          [](auto n, unsigned b) { store_at<unsigned><<<b, 256>>>(data, n, 32, 1); });
    print("store_16_of_32", region, 32, 16,
          [](auto n, unsigned b) { store_at<uint4><<<b, 256>>>(data, n, 32, 1); });
    print("store_28_of_32", region, 32, 28,
          [](auto n, unsigned b) { store_at<unsigned><<<b, 256>>>(data, n, 32, 7); });
    print("store_32_of_32", region, 32, 32,
          [](auto n, unsigned b) { store_at<unsigned><<<b, 256>>>(data, n, 32, 8); });
    print("store_32_wide", region, 32, 32,
          [](auto n, unsigned b) { store_at<uint4><<<b, 256>>>(data, n, 32, 2); });
    print("store_lines", region, 4, 4,
          [](auto n, unsigned b) { store_at<unsigned><<<b, 256>>>(data, n, 4, 1); });
    print("store_1_of_128", region, 128, 1,
          [](auto n, unsigned b) { store_at<char><<<b, 256>>>(data, n, 128, 1); });
    print("store_4_of_64", region, 64, 4,
          [](auto n, unsigned b) { store_at<unsigned><<<b, 256>>>(data, n, 64, 1); });
    print("store_4_of_128", region, 128, 4,
          [](auto n, unsigned b) { store_at<unsigned><<<b, 256>>>(data, n, 128, 1); });
    print("store_32_of_128", region, 128, 32,
          [](auto n, unsigned b) { store_at<uint4><<<b, 256>>>(data, n, 128, 2); });
    print("store_64_of_128", region, 128, 64,
          [](auto n, unsigned b) { store_at<uint4><<<b, 256>>>(data, n, 128, 4); });
    print("load_4_of_32", region, 32, 4,
          [](auto n, unsigned b) { load_at<<<b, 256>>>(data, n, 32, sink); });
    print("load_4_of_64", region, 64, 4,
          [](auto n, unsigned b) { load_at<<<b, 256>>>(data, n, 64, sink); });
    print("load_4_of_128", region, 128, 4,
          [](auto n, unsigned b) { load_at<<<b, 256>>>(data, n, 128, sink); });
    print("load_4_of_256", region, 256, 4,
          [](auto n, unsigned b) { load_at<<<b, 256>>>(data, n, 256, sink); });
    print("load_lines", region, 4, 4,
          [](auto n, unsigned b) { load_at<<<b, 256>>>(data, n, 4, sink); });
    print("add_4_of_32", region, 32, 4,
          [](auto n, unsigned b) { add_at<<<b, 256>>>(data, n, 32); });
    print("add_4_of_128", region, 128, 4,
          [](auto n, unsigned b) { add_at<<<b, 256>>>(data, n, 128); });
  }
  for (const std::size_t stride : {256, 512, 1024, 2048, 4096}) {
    char name[64];
    std::snprintf(name, sizeof name, "load_4_of_%zu", stride);
    print(name, kHuge, stride, 4,
          [&](auto n, unsigned b) { load_at<<<b, 256>>>(data, n, stride, sink); });
    std::snprintf(name, sizeof name, "store_4_of_%zu", stride);
    print(name, kHuge, stride, 4,
          [&](auto n, unsigned b) { store_at<unsigned><<<b, 256>>>(data, n, stride, 1); });
  }
  for (const auto& [words, stride] :
       {std::pair{16u, 128u}, {32u, 256u}, {32u, 512u}, {64u, 512u}, {128u, 1024u}}) {
    char name[64];
    std::snprintf(name, sizeof name, "load_%u_of_%u", words * 4, stride);
    print(name, kBig, stride / words, 4,
          [&](auto n, unsigned b) { load_runs<<<b, 256>>>(data, n, stride, words, sink); });
    std::snprintf(name, sizeof name, "store_%u_of_%u", words * 4, stride);
    print(name, kBig, stride / words, 4,
          [&](auto n, unsigned b) { store_runs<<<b, 256>>>(data, n, stride, words); });
  }
  for (const std::size_t size : {std::size_t{96} << 20, kBig, kHuge}) {
    print("load_any", size, size >> 20, 4,
          [&](auto, unsigned) { load_any<<<8192, 256>>>(data, 1 << 21, size, sink); });
    print("store_any", size, size >> 20, 4,
          [&](auto, unsigned) { store_any<<<8192, 256>>>(data, 1 << 21, size); });
  }
  return 0;
}
