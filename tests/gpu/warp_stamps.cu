// When each warp of a block has issued some accesses, and when all warps have: a clock before them,
// one behind them, and one behind a barrier. It tells what a store keeps its warp for, and what
// holds the warps behind it. Nothing of gpx is used here.
//
// Usage: warp_stamps
// Output: access,apart,n,warps,warp,first,issued,ended (clocks since the first warp's first one;
// the last of three launches)
#include <cstdint>
#include <cstdio>
#include <vector>

#include "measure.h"

namespace {

constexpr int kMostWarps = 32;

enum class Access {
  store4,
  store8,
  store16,
  load_shared4,
  load_shared8,
  load_shared16,
  store_shared4,
  store_shared8,
  store_shared16,
  add_shared,
  copy4,
  copy16
};

__device__ unsigned shared_address(const void* at) {
  return static_cast<unsigned>(__cvta_generic_to_shared(at));
}

template <Access kAccess>
__device__ unsigned access(char* global, unsigned shared, unsigned value) {
  unsigned a = value, b = value, c = value, d = value;
  if (kAccess == Access::store4)
    asm volatile("st.global.u32 [%0], %1;" ::"l"(global), "r"(a) : "memory");
  if (kAccess == Access::store8)
    asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(global), "r"(a), "r"(b) : "memory");
  if (kAccess == Access::store16)
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(global), "r"(a), "r"(b), "r"(c),
                 "r"(d)
                 : "memory");
  if (kAccess == Access::store_shared4)
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(shared), "r"(a) : "memory");
  if (kAccess == Access::store_shared8)
    asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(shared), "r"(a), "r"(b) : "memory");
  if (kAccess == Access::store_shared16)
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(shared), "r"(a), "r"(b), "r"(c),
                 "r"(d)
                 : "memory");
  if (kAccess == Access::load_shared4)
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(a) : "r"(shared) : "memory");
  if (kAccess == Access::load_shared8)
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(shared) : "memory");
  if (kAccess == Access::load_shared16)
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(shared)
                 : "memory");
  if (kAccess == Access::add_shared)
    asm volatile("atom.shared.add.u32 %0, [%1], %2;"
                 : "=r"(a)
                 : "r"(shared), "r"(value)
                 : "memory");
  if (kAccess == Access::copy4)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared), "l"(global) : "memory");
  if (kAccess == Access::copy16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(global) : "memory");
  return a + b + c + d;
}

template <Access kAccess, int kCount>
__global__ void stamps(char* data, int apart, std::uint64_t* out, unsigned* sink) {
  extern __shared__ char shared[];
  const unsigned at = shared_address(shared);
  char* const mine = data + threadIdx.x * apart;
  const unsigned bytes = blockDim.x * apart;
  unsigned sum = 0;
  __syncthreads();
  const std::uint64_t first = clock_now();
#pragma unroll
  for (int i = 0; i < kCount; ++i)
    sum += access<kAccess>(mine + std::uint64_t{bytes} * i,
                           at + (threadIdx.x % 32 * apart + i * 16) % 32768, threadIdx.x);
  const std::uint64_t issued = clock_now();
  if (sum == 0x12345) *sink = sum;
  asm volatile("cp.async.wait_all;" ::: "memory");
  asm volatile("bar.sync 0;" ::: "memory");
  const std::uint64_t ended = clock_now();
  if (threadIdx.x % 32 != 0) return;
  std::uint64_t* const row = out + threadIdx.x / 32 * 3;
  row[0] = first;
  row[1] = issued;
  row[2] = ended;
}

template <Access kAccess, int kCount>
void print(const char* name, char* data, std::uint64_t* out, unsigned* sink,
           const std::vector<int>& aparts) {
  const auto kernel = stamps<kAccess, kCount>;
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 40960));
  for (const int apart : aparts)
    for (const int warps : {1, 2, 4, 6, 8, 10, 12, 16, 20, 24, 28, 32}) {
      for (int run = 0; run < 3; ++run) kernel<<<1, warps * 32, 40960>>>(data, apart, out, sink);
      CHECK(cudaDeviceSynchronize());
      const auto rows = host_copy(out, 3 * kMostWarps);
      std::uint64_t begin = rows[0];
      for (int warp = 0; warp < warps; ++warp) begin = std::min(begin, rows[3 * warp]);
      for (int warp = 0; warp < warps; ++warp)
        std::printf("%s,%d,%d,%d,%d,%lld,%lld,%lld\n", name, apart, kCount, warps, warp,
                    static_cast<long long>(rows[3 * warp] - begin),
                    static_cast<long long>(rows[3 * warp + 1] - begin),
                    static_cast<long long>(rows[3 * warp + 2] - begin));
    }
}

template <Access kAccess>
void print_all(const char* name, char* data, std::uint64_t* out, unsigned* sink,
               const std::vector<int>& aparts) {
  print<kAccess, 1>(name, data, out, sink, aparts);
  print<kAccess, 2>(name, data, out, sink, aparts);
  print<kAccess, 4>(name, data, out, sink, aparts);
  print<kAccess, 8>(name, data, out, sink, aparts);
}

}  // namespace

int main() {
  char* const data = device<char>(64 << 20);
  auto* const out = device<std::uint64_t>(3 * kMostWarps);
  auto* const sink = device<unsigned>(1);
  std::puts("access,apart,n,warps,warp,first,issued,ended");
  print_all<Access::store4>("store4", data, out, sink, {4, 16, 32, 64, 128});
  print_all<Access::store8>("store8", data, out, sink, {8, 128});
  print_all<Access::store16>("store16", data, out, sink, {16, 128});
  print_all<Access::load_shared4>("load_shared4", data, out, sink, {4, 8, 128});
  print_all<Access::load_shared8>("load_shared8", data, out, sink, {8, 16});
  print_all<Access::load_shared16>("load_shared16", data, out, sink, {16, 32});
  print_all<Access::store_shared4>("store_shared4", data, out, sink, {4, 8, 128});
  print_all<Access::store_shared8>("store_shared8", data, out, sink, {8, 16});
  print_all<Access::store_shared16>("store_shared16", data, out, sink, {16, 32});
  print_all<Access::add_shared>("add_shared", data, out, sink, {4, 8, 128});
  print_all<Access::copy4>("copy4", data, out, sink, {4, 128});
  print_all<Access::copy16>("copy16", data, out, sink, {16});
  return 0;
}
