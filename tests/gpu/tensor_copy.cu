// Copies of boxes of a tensor (cp.async.bulk.tensor, two and five dimensions), by hand: what the
// experiments hopper_tensor and hopper_tensor_rate are held against. No code of gpx.
//
// The tensor map is a parameter of the kernel (__grid_constant__), encoded by the driver. A row of
// the tensor has the boxes of two blocks, the boxes of a block lie one above the other. One thread,
// which elect.sync names, issues. Latency: copy, wait, copy, wait ...; clocks of 32 copies minus
// those of 16, over 16, in a loop; thread_*: in straight code of one thread, 32 minus 8, of loads
// the mean over all SMs. Rate: several copies, then one wait. Digest: what arrived is compared with
// the tensor word by word. Output: what,bytes,clocks. Needs compute capability 9.0.
// Usage: tensor_copy
#include <cuda.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bulk_copy.h"

template <int sides>
__device__ __forceinline__ void load(unsigned to, const CUtensorMap* map, int last,
                                     unsigned barrier) {
  if constexpr (sides == 2)
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, "
        "{%2, "
        "%3}], [%4];" ::"r"(to),
        "l"(map), "r"(0), "r"(last), "r"(barrier)
        : "memory");
  else
    asm volatile(
        "cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, "
        "{%2, "
        "%2, %2, %2, %3}], [%4];" ::"r"(to),
        "l"(map), "r"(0), "r"(last), "r"(barrier)
        : "memory");
}
__device__ __forceinline__ void store(const CUtensorMap* map, int last, unsigned from) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
      "r"(0), "r"(last), "r"(from)
      : "memory");
}
extern __shared__ __align__(128) unsigned char memory[];

// `height`: what the last coordinate grows by from box to box.
template <int sides, bool is_load>
__global__ void latency(std::uint64_t* out, const __grid_constant__ CUtensorMap map, unsigned bytes,
                        int height, int copies) {
  __shared__ __align__(8) std::uint64_t barrier;
  const unsigned full = at(&barrier), own = at(memory);
  if (threadIdx.x == 0) begin_barrier(full);
  __syncthreads();
  unsigned parity = 0;
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    const bool issues = is_elected();
    const long long begin = clock64();
#pragma unroll 8
    for (int i = 0; i < copies; ++i) {
      if (is_load) {
        if (issues) {
          expect(full, bytes);
          load<sides>(own, &map, i * height, full);
        }
        wait_phase(full, parity);
        parity ^= 1;
      } else {
        if (issues) store(&map, i * height, own);
        wait_group();
      }
    }
    __syncthreads();
    if (threadIdx.x == 0) out[0] = clock64() - begin;
  }
}

// The same by one thread in straight code, of boxes whose bytes and coordinates are known. Of the
// grid the block on SM `sm` goes on.
template <int sides, bool is_load, int kb, int copies>
__global__ void straight(std::uint64_t* out, const __grid_constant__ CUtensorMap map, int sm) {
  if (!chosen(sm, reinterpret_cast<unsigned*>(out + 1))) return;
  constexpr int kHeight = sides == 2 ? 4 * kb : kb / 2;
  __shared__ __align__(8) std::uint64_t barrier;
  const unsigned full = at(&barrier), own = at(memory);
  if (threadIdx.x == 0) begin_barrier(full);
  __syncthreads();
  if (!is_elected()) return;
  unsigned parity = 0;
#pragma unroll 1
  for (int pass = 0; pass < 3; ++pass) {
    const long long begin = clock64();
#pragma unroll
    for (int i = 0; i < copies; ++i) {
      if (is_load) {
        expect(full, 1024 * kb);
        load<sides>(own, &map, i * kHeight, full);
        wait_phase(full, parity);
        parity ^= 1;
      } else {
        store(&map, i * kHeight, own);
        wait_group();
      }
    }
    out[0] = clock64() - begin;
  }
}

template <int sides>
__global__ void rate(std::uint64_t* out, const __grid_constant__ CUtensorMap map, unsigned* arrived,
                     unsigned bytes, int height, int copies) {
  __shared__ __align__(8) std::uint64_t barrier;
  const unsigned full = at(&barrier), own = at(memory);
  if (threadIdx.x == 0) begin_barrier(full);
  __syncthreads();
  unsigned parity = 0;
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    const bool issues = is_elected();
    const long long begin = clock64();
    if (issues) {
      expect(full, bytes * copies);
#pragma unroll 4
      for (int i = 0; i < copies; ++i) load<sides>(own + i * bytes, &map, i * height, full);
    }
    wait_phase(full, parity);
    parity ^= 1;
    __syncthreads();
    if (threadIdx.x == 0) out[0] = clock64() - begin;
  }
  for (unsigned i = threadIdx.x; i < bytes * copies / 4; i += blockDim.x)
    arrived[i] = reinterpret_cast<const unsigned*>(memory)[i];
}

using Encode = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                            const cuuint64_t*, const cuuint32_t*, const cuuint32_t*,
                            CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                            CUtensorMapFloatOOBfill);

struct Tensor {
  std::vector<cuuint64_t> extents;
  std::vector<cuuint32_t> box;
  unsigned bytes() const {
    unsigned all = 4;
    for (cuuint32_t side : box) all *= side;
    return all;
  }
};

Tensor tensor_of(std::vector<cuuint32_t> box, int copies) {
  Tensor made{{box.begin(), box.end()}, box};
  made.extents.front() *= 2;
  made.extents.back() *= static_cast<cuuint64_t>(copies);
  return made;
}

CUtensorMap encode(Encode with, const Tensor& tensor, void* data) {
  std::vector<cuuint64_t> strides;
  cuuint64_t stride = 4;
  for (std::size_t i = 0; i + 1 < tensor.extents.size(); ++i)
    strides.push_back(stride *= tensor.extents[i]);
  const std::vector<cuuint32_t> steps(tensor.box.size(), 1);
  CUtensorMap map{};
  const CUresult result =
      with(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, static_cast<cuuint32_t>(tensor.box.size()), data,
           tensor.extents.data(), strides.data(), tensor.box.data(), steps.data(),
           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
           CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) {
    std::fprintf(stderr, "cuTensorMapEncodeTiled: %d\n", static_cast<int>(result));
    std::exit(1);
  }
  return map;
}

// Clocks of one more box in straight code: of loads the mean over all SMs, of stores those of SM 0.
template <int sides, bool is_load, int kb>
double of_thread(std::uint64_t* out, const CUtensorMap& map) {
  constexpr int kFew = 8, kMore = 32;
  const int sms = count_of_sms();
  const auto taken = [&](auto kernel, int sm) {
    return clocks(
        out, [&] { kernel<<<2 * sms, 32, 1024 * kb>>>(out, map, sm); }, 3);
  };
  std::vector<double> all;
  for (int sm = 0; sm < (is_load ? sms : 1); ++sm)
    all.push_back((taken(straight<sides, is_load, kb, kMore>, sm) -
                   taken(straight<sides, is_load, kb, kFew>, sm)) /
                  (kMore - kFew));
  return mean(all);
}

// Of boxes of so many KB, two-dimensional ones and five-dimensional ones.
template <int kb>
void print_of_thread(std::uint64_t* out, const CUtensorMap& two, const CUtensorMap& five) {
  std::printf("thread_two,%d,%.2f\n", 1024 * kb, of_thread<2, true, kb>(out, two));
  std::printf("thread_five,%d,%.2f\n", 1024 * kb, of_thread<5, true, kb>(out, five));
  std::printf("thread_write,%d,%.2f\n", 1024 * kb, of_thread<2, false, kb>(out, two));
}

// Where word `i` of the boxes lies in the tensor: boxes have all sides but first and last whole.
std::size_t source_of(const Tensor& tensor, std::size_t i) {
  const std::size_t width = tensor.box[0];
  return i / width * tensor.extents[0] + i % width;
}

int main() {
  Encode with = nullptr;
  cudaDriverEntryPointQueryResult found{};
  CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", reinterpret_cast<void**>(&with),
                                         12000, cudaEnableDefault, &found));
  if (!with) return std::fprintf(stderr, "no cuTensorMapEncodeTiled\n"), 1;
  constexpr int kMost = 32, kShared = 160 << 10;
  std::vector<unsigned> words(8 << 20);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<unsigned>(i) * 2654435761u;
  unsigned *data = nullptr, *arrived = nullptr;
  std::uint64_t* out = nullptr;
  CHECK(cudaMalloc(&data, words.size() * 4));
  CHECK(cudaMalloc(&arrived, kShared));
  CHECK(cudaMalloc(&out, 16));
  CHECK(cudaMemcpy(data, words.data(), words.size() * 4, cudaMemcpyHostToDevice));
  const auto dynamic = [](auto kernel) {
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  };
  dynamic(latency<2, true>), dynamic(latency<2, false>), dynamic(latency<5, true>);
  dynamic(rate<2>), dynamic(rate<5>);
  std::printf("what,bytes,clocks\n");
  int status = 0;
  for (const cuuint32_t kb : {2u, 8u, 32u}) {
    const std::vector<cuuint32_t> boxes[] = {{64, 4 * kb}, {64, 2, 2, 2, kb / 2}};
    for (const auto& box : boxes) {
      const Tensor tensor = tensor_of(box, kMost);
      const CUtensorMap map = encode(with, tensor, data);
      const int height = static_cast<int>(box.back());
      const auto taken = [&](auto kernel, int copies) {
        return clocks(
            out, [&] { kernel<<<1, 32, kShared>>>(out, map, tensor.bytes(), height, copies); });
      };
      const bool flat = box.size() == 2;
      const auto kernel = flat ? latency<2, true> : latency<5, true>;
      std::printf("latency_%s,%u,%.2f\n", flat ? "two" : "five", tensor.bytes(),
                  (taken(kernel, 32) - taken(kernel, 16)) / 16);
      if (kb > 4) continue;
      const auto clocked = [&](int copies) {
        return clocks(out, [&] {
          (flat ? rate<2> : rate<5>)<<<1, 128, kShared>>>(out, map, arrived, tensor.bytes(), height,
                                                          copies);
        });
      };
      const double few = clocked(4), many = clocked(20);
      std::printf("clocks_in_flight_%s,%u,%.2f\n", flat ? "two" : "five", tensor.bytes(),
                  (many - few) / 16);
      std::vector<unsigned> back(20 * tensor.bytes() / 4);
      CHECK(cudaMemcpy(back.data(), arrived, back.size() * 4, cudaMemcpyDeviceToHost));
      for (std::size_t i = 0; i < back.size(); ++i)
        if (back[i] != words[source_of(tensor, i)]) {
          std::printf("word %zu of %s is wrong\n", i, flat ? "two" : "five");
          status = 1;
          break;
        }
    }
  }
  for (const cuuint32_t kb : {2u, 8u, 32u}) {
    const Tensor tensor = tensor_of({64, 4 * kb}, kMost);
    const CUtensorMap map = encode(with, tensor, data);
    const auto taken = [&](int copies) {
      return clocks(out, [&] {
        latency<2, false>
            <<<1, 32, kShared>>>(out, map, tensor.bytes(), static_cast<int>(4 * kb), copies);
      });
    };
    std::printf("latency_write,%u,%.2f\n", tensor.bytes(), (taken(32) - taken(16)) / 16);
  }
  const auto boxes_of = [&](std::vector<cuuint32_t> box) {
    return encode(with, tensor_of(std::move(box), kMost), data);
  };
  print_of_thread<2>(out, boxes_of({64, 8}), boxes_of({64, 2, 2, 2, 1}));
  print_of_thread<8>(out, boxes_of({64, 32}), boxes_of({64, 2, 2, 2, 4}));
  print_of_thread<32>(out, boxes_of({64, 128}), boxes_of({64, 2, 2, 2, 16}));
  return status;
}
