// The memory of another GPU of the host, by hand: what experiments/hopper_p2p.gpx is held against.
// No code of gpx.
//
// Device 0 and the first other one whose memory it can access. Latency: one thread follows 64-bit
// addresses, a link in each 128 B of a list in random order, clocks of one pass after another one
// over its loads: by bytes of the list, by ld.ca and ld.cg, in the own memory and in the peer's.
// Each is asked twice, while the peer has rested for a while and just after it has worked.
// Bandwidth: all threads read, write or copy 16 B (4 B) at a time; events around launches of many
// MB. `both`: both GPUs do it to each other at once; the slower one's time, the bytes of one
// direction. Burst: one block of 512 threads, n loads of 16 B each in flight, a second pass over
// the same bytes, clocks until all have come. Atomics: a chain of one thread; then all threads of
// the GPU, on one address and on different lines.
//
// Output, CSV: what,space,detail,bytes,value,unit. Exit 4: fewer than two GPUs, or no access.
// Usage: p2p
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "check.h"

namespace {

constexpr std::uint64_t kLine = 128;
constexpr std::uint64_t kMB = 1 << 20;

template <bool cg>
__global__ void chase(const std::uint64_t* start, int loads, int passes, std::uint64_t* out) {
  std::uint64_t at = reinterpret_cast<std::uint64_t>(start);
  for (int pass = 0; pass < passes; ++pass) {
    const long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < loads; i += 32)
#pragma unroll
      for (int k = 0; k < 32; ++k) {
        if (cg)
          asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)::"memory");
        else
          asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at)::"memory");
      }
    out[1] = at;
    out[0] = clock64() - begin;
  }
}

enum class Way { read, write, copy };

template <Way way, typename Word>
__global__ void __launch_bounds__(512) move(Word* from, Word* to, std::uint64_t words, Word* sink) {
  const std::uint64_t step = std::uint64_t{blockDim.x} * gridDim.x;
  Word sum{};
#pragma unroll 8
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < words;
       i += step) {
    Word value{};
    if (way == Way::write) reinterpret_cast<unsigned*>(&value)[0] = static_cast<unsigned>(i);
    if (way != Way::write) {
      if constexpr (sizeof(Word) == 16)
        asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];"
                     : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                     : "l"(from + i));
      else
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(from + i));
    }
    if (way != Way::read) to[i] = value;
    auto* parts = reinterpret_cast<unsigned*>(&value);
    reinterpret_cast<unsigned*>(&sum)[0] += parts[0];
  }
  if (way == Way::read && reinterpret_cast<unsigned*>(&sum)[0] == 0x1234567u) *sink = sum;
}

template <int n>
__global__ void __launch_bounds__(512) burst(const uint4* from, std::uint64_t* out) {
  long long begin = 0;
  for (int pass = 0; pass < 2; ++pass) {
    uint4 value[n];
    unsigned sum = 0;
    __syncthreads();
    begin = clock64();
#pragma unroll
    for (int i = 0; i < n; ++i)
      asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
                   : "=r"(value[i].x), "=r"(value[i].y), "=r"(value[i].z), "=r"(value[i].w)
                   : "l"(from + i * 512 + threadIdx.x)
                   : "memory");
#pragma unroll
    for (int i = 0; i < n; ++i) sum += value[i].x ^ value[i].y ^ value[i].z ^ value[i].w;
    if (sum == 0x1234567u) out[1] = sum;
    __syncthreads();
    if (threadIdx.x == 0) out[0] = clock64() - begin;
  }
}

__global__ void atomic_chain(unsigned* target, int count, std::uint64_t* out) {
  unsigned value = 1;
  for (int pass = 0; pass < 2; ++pass) {
    const long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < count; i += 16)
#pragma unroll
      for (int k = 0; k < 16; ++k)
        asm volatile("atom.global.add.u32 %0, [%1], %0;" : "+r"(value) : "l"(target) : "memory");
    out[1] = value;
    out[0] = clock64() - begin;
  }
}

// `apart` bytes between the places of neighbouring threads; 0: all on one.
template <bool value>
__global__ void atomics(unsigned char* target, std::uint64_t apart, int count, unsigned* sink) {
  const std::uint64_t thread = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  auto* place = reinterpret_cast<unsigned*>(target + thread * apart);
  unsigned sum = 0;
#pragma unroll 4
  for (int i = 0; i < count; ++i) {
    unsigned old = 0;
    if (value)
      asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(old) : "l"(place) : "memory");
    else
      asm volatile("red.global.add.u32 [%0], 1;" ::"l"(place) : "memory");
    sum += old;
  }
  if (value && sum == 0x1234567u) *sink = sum;
}

// Until so many clocks have passed: wakes a GPU.
__global__ void spin(long long clocks) {
  const long long begin = clock64();
  while (clock64() - begin < clocks) {
  }
}

void wake(int device) {
  CHECK(cudaSetDevice(device));
  spin<<<1024, 256>>>(200'000'000);
  CHECK(cudaDeviceSynchronize());
}

struct Gpu {
  int device = 0, sms = 0;
  unsigned char *data = nullptr, *target = nullptr;
  std::uint64_t* out = nullptr;
  cudaStream_t stream = nullptr;
};

constexpr std::uint64_t kBytes = 512 * kMB;

Gpu open(int device) {
  Gpu made;
  made.device = device;
  CHECK(cudaSetDevice(device));
  CHECK(cudaDeviceGetAttribute(&made.sms, cudaDevAttrMultiProcessorCount, device));
  CHECK(cudaMalloc(&made.data, kBytes));
  CHECK(cudaMalloc(&made.target, kBytes));
  CHECK(cudaMalloc(&made.out, 64));
  CHECK(cudaMemset(made.data, 1, kBytes));
  CHECK(cudaMemset(made.target, 1, kBytes));
  CHECK(cudaStreamCreateWithFlags(&made.stream, cudaStreamNonBlocking));
  CHECK(cudaDeviceSynchronize());
  return made;
}

// Addresses of a list of lines in random order, in the memory of `gpu`.
void lay_out(const Gpu& gpu, std::uint64_t bytes) {
  const std::uint64_t lines = bytes / kLine;
  std::vector<std::uint32_t> order(lines);
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin() + 1, order.end(), std::mt19937_64(7));
  std::vector<std::uint64_t> words(bytes / 8);
  const auto base = reinterpret_cast<std::uint64_t>(gpu.data);
  for (std::uint64_t k = 0; k < lines; ++k)
    words[order[k] * (kLine / 8)] = base + order[(k + 1) % lines] * kLine;
  CHECK(cudaSetDevice(gpu.device));
  CHECK(cudaMemcpy(gpu.data, words.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaDeviceSynchronize());
}

template <bool cg>
double latency(const Gpu& own, const Gpu& where, std::uint64_t bytes) {
  CHECK(cudaSetDevice(own.device));
  const int loads = static_cast<int>(bytes / kLine);
  std::vector<double> all;
  for (int i = 0; i < (bytes > 16 * kMB ? 1 : 5); ++i) {
    chase<cg><<<1, 1>>>(reinterpret_cast<std::uint64_t*>(where.data), loads, 2, own.out);
    std::uint64_t taken = 0;
    CHECK(cudaMemcpy(&taken, own.out, 8, cudaMemcpyDeviceToHost));
    all.push_back(static_cast<double>(taken) / loads);
  }
  std::nth_element(all.begin(), all.begin() + all.size() / 2, all.end());
  return all[all.size() / 2];
}

void latencies(const Gpu& own, const Gpu& peer) {
  for (const Gpu* where : {&own, &peer}) {
    const char* space = where == &own ? "global" : "peer";
    // L1 holds 192 KB, and of 256 KB a part.
    std::vector<std::uint64_t> sizes{192 << 10};
    for (std::uint64_t bytes = 16 << 10; bytes <= 128 * kMB; bytes *= 2) sizes.push_back(bytes);
    std::sort(sizes.begin(), sizes.end());
    for (const std::uint64_t bytes : sizes) {
      lay_out(*where, bytes);
      if (bytes <= kMB)
        std::printf("latency,%s,ca,%llu,%.1f,clocks\n", space, (unsigned long long)bytes,
                    latency<false>(own, *where, bytes));
      std::printf("latency,%s,cg,%llu,%.1f,clocks\n", space, (unsigned long long)bytes,
                  latency<true>(own, *where, bytes));
    }
  }
  lay_out(peer, kMB);
  CHECK(cudaSetDevice(own.device));
  std::this_thread::sleep_for(std::chrono::seconds(3));
  wake(own.device);
  std::printf("latency,peer,cg after the peer has rested,%llu,%.1f,clocks\n",
              (unsigned long long)kMB, latency<true>(own, peer, kMB));
  wake(peer.device);
  std::printf("latency,peer,cg after the peer has worked,%llu,%.1f,clocks\n",
              (unsigned long long)kMB, latency<true>(own, peer, kMB));
}

template <int n>
void burst_of(const Gpu& own, const Gpu& where) {
  CHECK(cudaSetDevice(own.device));
  std::vector<std::uint64_t> all;
  for (int i = 0; i < 25; ++i) {
    burst<n><<<1, 512>>>(reinterpret_cast<const uint4*>(where.data), own.out);
    std::uint64_t taken = 0;
    CHECK(cudaMemcpy(&taken, own.out, 8, cudaMemcpyDeviceToHost));
    all.push_back(taken);
  }
  std::nth_element(all.begin(), all.begin() + 12, all.end());
  std::printf("burst,%s,%d loads of 16B,%d,%llu,clocks\n",
              where.device == own.device ? "global" : "peer", n, n * 8192,
              (unsigned long long)all[12]);
}

void bursts(const Gpu& own, const Gpu& peer) {
  for (const Gpu* where : {&own, &peer}) {
    burst_of<2>(own, *where);
    burst_of<4>(own, *where);
    burst_of<6>(own, *where);
    burst_of<8>(own, *where);
    burst_of<12>(own, *where);
  }
}

template <Way way, typename Word>
void launch(const Gpu& own, const Gpu& where, std::uint64_t bytes, int blocks) {
  CHECK(cudaSetDevice(own.device));
  move<way><<<blocks, 512, 0, own.stream>>>(
      reinterpret_cast<Word*>(where.data), reinterpret_cast<Word*>(where.target),
      bytes / sizeof(Word), reinterpret_cast<Word*>(own.out + 2));
}

// Bytes a second; of a copy what is read and what is written.
template <Way way, typename Word>
double rate(const Gpu& own, const Gpu& where, std::uint64_t bytes, int blocks) {
  CHECK(cudaSetDevice(own.device));
  cudaEvent_t start = nullptr, stop = nullptr;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  constexpr int kTimes = 8;
  std::vector<double> all;
  for (int i = 0; i < 5; ++i) {
    launch<way, Word>(own, where, bytes, blocks);
    CHECK(cudaEventRecord(start, own.stream));
    for (int k = 0; k < kTimes; ++k) launch<way, Word>(own, where, bytes, blocks);
    CHECK(cudaEventRecord(stop, own.stream));
    CHECK(cudaEventSynchronize(stop));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    all.push_back((way == Way::copy ? 2.0 : 1.0) * kTimes * static_cast<double>(bytes) /
                  (1e-3 * ms));
  }
  std::nth_element(all.begin(), all.begin() + 2, all.end());
  return all[2];
}

// Both at once: as fast as the slower one; the host's clock over enough launches that their ends
// do not count.
template <Way way>
double both(const Gpu& a, const Gpu& b) {
  constexpr int kTimes = 100;
  double best = 0;
  for (int i = 0; i < 3; ++i) {
    for (const Gpu* gpu : {&a, &b}) {
      CHECK(cudaSetDevice(gpu->device));
      CHECK(cudaDeviceSynchronize());
    }
    const auto begin = std::chrono::steady_clock::now();
    for (int k = 0; k < kTimes; ++k) {
      launch<way, uint4>(a, b, 256 * kMB, 16 * a.sms);
      launch<way, uint4>(b, a, 256 * kMB, 16 * b.sms);
    }
    for (const Gpu* gpu : {&a, &b}) CHECK(cudaStreamSynchronize(gpu->stream));
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    best = std::max(best, kTimes * 256.0 * kMB / seconds);
  }
  return best;
}

void bandwidths(const Gpu& own, const Gpu& peer) {
  constexpr std::uint64_t kMuch = 256 * kMB;
  const int many = 16 * own.sms;
  const auto row = [](const char* what, const char* space, const char* detail, std::uint64_t bytes,
                      double value) {
    std::printf("%s,%s,%s,%llu,%.4g,B/s\n", what, space, detail, (unsigned long long)bytes, value);
  };
  for (const Gpu* where : {&own, &peer}) {
    const char* space = where == &own ? "global" : "peer";
    row("read", space, "16B", kMuch, rate<Way::read, uint4>(own, *where, kMuch, many));
    row("write", space, "16B", kMuch, rate<Way::write, uint4>(own, *where, kMuch, many));
    row("copy", space, "16B", kMuch, rate<Way::copy, uint4>(own, *where, kMuch, many));
    row("read", space, "4B", kMuch, rate<Way::read, unsigned>(own, *where, kMuch, many));
    row("write", space, "4B", kMuch, rate<Way::write, unsigned>(own, *where, kMuch, many));
  }
  for (std::uint64_t bytes = 2 * kMB; bytes <= 512 * kMB; bytes *= 4) {
    row("read", "peer", "16B by size", bytes, rate<Way::read, uint4>(own, peer, bytes, many));
    row("write", "peer", "16B by size", bytes, rate<Way::write, uint4>(own, peer, bytes, many));
  }
  for (int blocks = 1; blocks <= 128; blocks *= 2) {
    char detail[32];
    std::snprintf(detail, sizeof detail, "%d blocks", blocks);
    row("read", "peer", detail, 16 * kMB, rate<Way::read, uint4>(own, peer, 16 * kMB, blocks));
    row("write", "peer", detail, 16 * kMB, rate<Way::write, uint4>(own, peer, 16 * kMB, blocks));
  }
  row("read", "peer", "both GPUs at once: each", kMuch, both<Way::read>(own, peer));
  row("write", "peer", "both GPUs at once: each", kMuch, both<Way::write>(own, peer));
}

// Milliseconds of a launch of so many atomics a thread.
constexpr int kAtomicThreads = 256;
template <bool value>
double atomic_time(const Gpu& own, const Gpu& where, std::uint64_t apart, int count) {
  cudaEvent_t start = nullptr, stop = nullptr;
  CHECK(cudaSetDevice(own.device));
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  std::vector<double> all;
  for (int i = 0; i < 5; ++i) {
    CHECK(cudaEventRecord(start, own.stream));
    atomics<value><<<2 * own.sms, kAtomicThreads, 0, own.stream>>>(
        where.target, apart, count, reinterpret_cast<unsigned*>(own.out + 2));
    CHECK(cudaEventRecord(stop, own.stream));
    CHECK(cudaEventSynchronize(stop));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    all.push_back(ms);
  }
  std::nth_element(all.begin(), all.begin() + 2, all.end());
  return all[2];
}

// Atomics a second, of a launch and of what 512 more a thread take.
template <bool value>
void atomic_rates(const Gpu& own, const Gpu& where, const char* space, std::uint64_t apart) {
  const double threads = 2.0 * own.sms * kAtomicThreads;
  const double few = atomic_time<value>(own, where, apart, 256);
  const double more = atomic_time<value>(own, where, apart, 768);
  const char* op = value ? "atom" : "red";
  const auto bytes = static_cast<unsigned long long>(apart);
  std::printf("atomic,%s,%s.add.u32 all threads,%llu,%.4g,ops/s\n", space, op, bytes,
              256 * threads / (1e-3 * few));
  std::printf("atomic,%s,%s.add.u32 all threads without the launch,%llu,%.4g,ops/s\n", space, op,
              bytes, 512 * threads / (1e-3 * (more - few)));
}

void all_atomics(const Gpu& own, const Gpu& peer) {
  for (const Gpu* where : {&own, &peer}) {
    const char* space = where == &own ? "global" : "peer";
    CHECK(cudaSetDevice(own.device));
    std::vector<double> all;
    for (int i = 0; i < 11; ++i) {
      constexpr int kCount = 1024;
      atomic_chain<<<1, 1>>>(reinterpret_cast<unsigned*>(where->target), kCount, own.out);
      std::uint64_t taken = 0;
      CHECK(cudaMemcpy(&taken, own.out, 8, cudaMemcpyDeviceToHost));
      all.push_back(static_cast<double>(taken) / kCount);
    }
    std::nth_element(all.begin(), all.begin() + 5, all.end());
    std::printf("atomic,%s,atom.add.u32 chain,4,%.1f,clocks\n", space, all[5]);
    for (const std::uint64_t apart : {0, 4, 128}) {
      atomic_rates<true>(own, *where, space, apart);
      atomic_rates<false>(own, *where, space, apart);
    }
  }
}

int find_peer() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) count = 0;
  for (int other = 1; other < count; ++other) {
    int access = 0, back = 0;
    CHECK(cudaDeviceCanAccessPeer(&access, 0, other));
    CHECK(cudaDeviceCanAccessPeer(&back, other, 0));
    if (access != 0 && back != 0) return other;
  }
  std::fprintf(stderr,
               count < 2 ? "p2p needs two GPUs, this machine shows %d\n"
                         : "none of the %d GPUs can access the memory of the first\n",
               count);
  std::exit(4);
}

void describe(int peer) {
  for (const int device : {0, peer}) {
    cudaDeviceProp properties{};
    CHECK(cudaGetDeviceProperties(&properties, device));
    std::printf("device,%d,%s,%d,,SMs\n", device, properties.name, properties.multiProcessorCount);
  }
  int rank = 0, atomics = 0;
  CHECK(cudaDeviceGetP2PAttribute(&rank, cudaDevP2PAttrPerformanceRank, 0, peer));
  CHECK(cudaDeviceGetP2PAttribute(&atomics, cudaDevP2PAttrNativeAtomicSupported, 0, peer));
  std::printf("link,peer,performance rank,,%d,\nlink,peer,native atomics,,%d,\n", rank, atomics);
}

}  // namespace

int main() {
  const int other = find_peer();
  std::printf("what,space,detail,bytes,value,unit\n");
  describe(other);
  const Gpu own = open(0), peer = open(other);
  CHECK(cudaSetDevice(0));
  CHECK(cudaDeviceEnablePeerAccess(other, 0));
  CHECK(cudaSetDevice(other));
  CHECK(cudaDeviceEnablePeerAccess(0, 0));
  wake(other);
  wake(0);
  latencies(own, peer);
  bursts(own, peer);
  bandwidths(own, peer);
  all_atomics(own, peer);
  return 0;
}
