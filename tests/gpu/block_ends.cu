// What the last access of a block takes of the whole chip: a store, a sum, or both, to words that
// all blocks share, by how far the two words are apart. Blocks do nothing else, so the chip takes
// as long as the busiest place in L2. Nothing of gpx is used here.
//
// Usage: block_ends
// Output: kernel,apart,blocks,threads,nanoseconds (median of 7). `apart`: bytes from the sum's word
// to the other one.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "measure.h"

namespace {

constexpr int kRuns = 7;

enum class Body { nothing, barrier, sum, store, store_sum, sum_store, either, load_sum };

template <Body kBody>
__global__ void __launch_bounds__(256) body(unsigned long long* result, int apart) {
  if (kBody == Body::barrier) asm volatile("bar.sync 0;" ::: "memory");
  if (threadIdx.x != 0) return;
  auto* const other = reinterpret_cast<unsigned*>(reinterpret_cast<char*>(result) + apart);
  const bool odd = blockIdx.x % 2 != 0;
  if (kBody == Body::load_sum) {
    unsigned v;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(other) : "memory");
    wait_for(v);
  }
  if (kBody == Body::store || kBody == Body::store_sum || (kBody == Body::either && odd))
    asm volatile("st.global.u32 [%0], %1;" ::"l"(other), "r"(1) : "memory");
  if (kBody == Body::sum || kBody == Body::store_sum || kBody == Body::sum_store ||
      kBody == Body::load_sum || (kBody == Body::either && !odd))
    asm volatile("red.global.add.u64 [%0], %1;" ::"l"(result), "l"(1ull) : "memory");
  if (kBody == Body::sum_store)
    asm volatile("st.global.u32 [%0], %1;" ::"l"(other), "r"(1) : "memory");
}

template <Body kBody>
void print(const char* name, unsigned long long* result, const std::vector<int>& aparts) {
  for (const int apart : aparts)
    for (const int blocks : {1, 132, 500, 2000, 6000, 16000})
      for (const int threads : {32, 256})
        std::printf("%s,%d,%d,%d,%.0f\n", name, apart, blocks, threads, nanoseconds_of(kRuns, [&] {
                      body<kBody><<<blocks, threads>>>(result, apart);
                    }));
}

}  // namespace

int main() {
  auto* const result = device<unsigned long long>(1 << 20);
  for (int i = 0; i < 2000; ++i) body<Body::nothing><<<528, 256>>>(result, 0);
  CHECK(cudaDeviceSynchronize());  // the GPU is awake
  std::puts("kernel,apart,blocks,threads,ns");
  const std::vector<int> none = {0}, aparts = {0, 8, 32, 64, 128, 256, 4096};
  print<Body::nothing>("nothing", result, none);
  print<Body::barrier>("barrier", result, none);
  print<Body::sum>("sum", result, none);
  print<Body::store>("store", result, none);
  print<Body::store_sum>("store_sum", result, aparts);
  print<Body::sum_store>("sum_store", result, aparts);
  print<Body::either>("either", result, aparts);
  print<Body::load_sum>("load_sum", result, aparts);
  return 0;
}
