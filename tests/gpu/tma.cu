// Bulk copies between global and shared memory (cp.async.bulk), by hand: what
// experiments/hopper_tma.gpx is held against. No code of gpx.
//
// One thread of a block issues each copy: thread 0, or the one that elect.sync names in warp 0, of
// which the assembler knows that it is one (else it puts a loop over the threads around each copy).
// A load signals an mbarrier, on whose phase all threads wait; a store is a group that thread 0
// waits for. Latency: copy, wait, copy, wait ...; clocks of 64 copies minus those of 32, over 32,
// of sources one behind the other; load_thread, load_warp, store_thread: straight code. Rate:
// several copies, then one wait; what more copies take, of one block and of one for each SM.
// Digest: the sum of what arrived, each word times its odd number. Output: what,bytes,clocks ...
// Needs compute capability 9.0. Usage: tma
#include "bulk_straight.h"

template <bool elects>
__device__ __forceinline__ bool is_issuer() {
  return elects ? is_elected() : threadIdx.x == 0;
}

template <bool is_load, bool elects>
__global__ void latency(std::uint64_t* out, unsigned char* data, unsigned bytes, int copies) {
  __shared__ __align__(8) std::uint64_t barrier;
  const unsigned full = at(&barrier), own = at(memory);
  if (threadIdx.x == 0) begin_barrier(full);
  __syncthreads();
  unsigned parity = 0;
  for (int pass = 0; pass < 2; ++pass) {
    unsigned char* place = data;
    __syncthreads();
    const bool issues = is_issuer<elects>();
    const long long begin = clock64();
#pragma unroll 8
    for (int i = 0; i < copies; ++i) {
      if (is_load) {
        if (issues) {
          expect(full, bytes);
          load(own, place, bytes, full);
        }
        wait_phase(full, parity);
        parity ^= 1;
      } else {
        if (issues) store(place, own, bytes);
        wait_group();
      }
      place += bytes < 256 ? 256 : bytes;
    }
    __syncthreads();
    if (threadIdx.x == 0) out[0] = clock64() - begin;
  }
}

template <bool is_load, bool elects>
__global__ void rate(std::uint64_t* out, unsigned char* data, unsigned bytes, int copies) {
  __shared__ __align__(8) std::uint64_t barrier;
  const unsigned full = at(&barrier), own = at(memory);
  if (threadIdx.x == 0) begin_barrier(full);
  __syncthreads();
  data += static_cast<std::size_t>(blockIdx.x) * bytes * copies;
  unsigned parity = 0;
  long long taken = 0;
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    const bool issues = is_issuer<elects>();
    const long long begin = clock64();
    if (issues) {
      if (is_load) expect(full, bytes * copies);
#pragma unroll 4
      for (int i = 0; i < copies; ++i) {
        if (is_load)
          load(own + i * bytes, data + i * bytes, bytes, full);
        else
          store(data + i * bytes, own + i * bytes, bytes);
      }
      if (!is_load) wait_group();
    }
    if (is_load) {
      wait_phase(full, parity);
      parity ^= 1;
    }
    __syncthreads();
    taken = clock64() - begin;
  }
  if (threadIdx.x == 0)
    atomicMax(reinterpret_cast<unsigned long long*>(out), static_cast<unsigned long long>(taken));
  if (!is_load) return;
  unsigned long long sum = 0;
  const auto* words = reinterpret_cast<const unsigned*>(memory);
  for (unsigned i = threadIdx.x; i < bytes * copies / 4; i += blockDim.x)
    sum += static_cast<unsigned long long>(words[i]) * (2 * i + 1);
  atomicAdd(reinterpret_cast<unsigned long long*>(out) + 1, sum);
}

// Clocks of one more copy, from 8 to 32 of them: of stores those of SM 0, of loads the mean over
// all SMs and four places, as their distances to L2 differ by 9 %.
template <unsigned bytes>
void print_straight(std::uint64_t* out, unsigned char* data) {
  constexpr int kFew = 8, kMore = 32;
  const int sms = count_of_sms();
  const auto of = [&](auto few, auto more, int sm, int place) {
    unsigned char* const from = data + place * 1056 * 1024;
    const auto taken = [&](auto kernel) {
      return clocks(
          out, [&] { kernel<<<2 * sms, 32, bytes>>>(out, from, sm); }, 3);
    };
    return (taken(more) - taken(few)) / (kMore - kFew);
  };
  std::vector<double> by_thread, by_warp;
  for (int sm = 0; sm < sms; ++sm)
    for (int place = 1; place <= 4; ++place) {
      by_thread.push_back(
          of(straight<true, false, bytes, kFew>, straight<true, false, bytes, kMore>, sm, place));
      by_warp.push_back(
          of(straight<true, true, bytes, kFew>, straight<true, true, bytes, kMore>, sm, place));
    }
  std::printf("load_thread,1,%u,%.2f\n", bytes, mean(by_thread));
  std::printf("load_warp,32,%u,%.2f\n", bytes, mean(by_warp));
  std::printf("store_thread,1,%u,%.2f\n", bytes,
              of(straight<false, false, bytes, kFew>, straight<false, false, bytes, kMore>, 0, 1));
}

int main() {
  std::uint64_t* out = nullptr;
  unsigned char* data = nullptr;
  constexpr int kBytes = 64 << 20, kShared = 200 << 10;
  CHECK(cudaMalloc(&out, 16));
  CHECK(cudaMalloc(&data, kBytes));
  std::vector<unsigned> words(kBytes / 4);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<unsigned>(i) * 2654435761u;
  CHECK(cudaMemcpy(data, words.data(), kBytes, cudaMemcpyHostToDevice));
  const auto big = [](auto kernel) {
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
    return kernel;
  };
  const auto print = [&](const char* what, auto kernel, int threads, unsigned bytes) {
    constexpr int kFew = 32;
    const double few =
        clocks(out, [&] { kernel<<<1, threads, kShared>>>(out, data, bytes, kFew); });
    const double more =
        clocks(out, [&] { kernel<<<1, threads, kShared>>>(out, data, bytes, 2 * kFew); });
    std::printf("%s,%d,%u,%.2f\n", what, threads, bytes, (more - few) / kFew);
  };
  for (int threads : {1, 32})
    for (unsigned bytes : {16u, 128u, 1024u, 2048u, 4096u, 8192u, 16384u, 32768u})
      print("load", big(latency<true, false>), threads, bytes);
  for (unsigned bytes : {16u, 128u, 1024u, 2048u, 4096u, 8192u, 16384u, 32768u}) {
    print("load_elected", big(latency<true, true>), 1, bytes);
    print("load_elected", big(latency<true, true>), 32, bytes);
    print("store_elected", big(latency<false, true>), 32, bytes);
  }
  for (unsigned bytes : {16u, 64u, 256u, 1024u, 4096u, 16384u, 32768u})
    print("store", big(latency<false, false>), 1, bytes);
  print_straight<16>(out, data), print_straight<128>(out, data), print_straight<1024>(out, data);
  print_straight<2048>(out, data), print_straight<4096>(out, data);
  print_straight<8192>(out, data), print_straight<16384>(out, data);
  print_straight<32768>(out, data);
  for (int blocks : {1, 132})
    for (unsigned bytes : {256u, 1024u, 2048u, 4096u, 8192u}) {
      const int few = static_cast<int>(16384 / bytes), more = 2 * few, most = 3 * few;
      const auto loads = big(rate<true, true>), stores = big(rate<false, true>);
      const auto taken = [&](auto kernel, int copies) {
        return clocks(out, [&] { kernel<<<blocks, 128, kShared>>>(out, data, bytes, copies); });
      };
      const double a = taken(loads, few), b = taken(loads, more), c = taken(loads, most);
      std::uint64_t digest = 0;
      CHECK(cudaMemcpy(&digest, out + 1, 8, cudaMemcpyDeviceToHost));
      const double d = taken(stores, few), e = taken(stores, more), f = taken(stores, most);
      std::printf("rate_load,%d,%u,%.2f,%.2f,%.0f,%016llx\n", blocks, bytes, 16384 / (b - a),
                  16384 / (c - b), c, static_cast<unsigned long long>(digest));
      std::printf("rate_store,%d,%u,%.2f,%.2f,%.0f\n", blocks, bytes, 16384 / (e - d),
                  16384 / (f - e), f);
    }
  CHECK(cudaDeviceSynchronize());
  return 0;
}
