// Whether the clock of L2 stays with the clock of the SMs, by hand. No code of gpx.
//
// Every 60 ms one thread follows addresses: 2,048 lines in random order past L1, in the own L2 and,
// where there is one, in that of the first peer; and 64 words in L1, whose clocks an SM's clock
// alone decides. By clock64 and by %globaltimer. In between the GPU rests, or works (all SMs, a
// loop of fma), or its peer works. If L2 had the SM's clock, no clocks of a load could move with
// time. Output, CSV: seconds,phase,what,clocks,ns,mhz (of the SM by both clocks). Bounded: 12 s.
// Usage: clock_domains
#include <chrono>
#include <numeric>
#include <random>
#include <thread>

#include "measure.h"

namespace {

constexpr std::uint64_t kLine = 128;

struct Taken {
  std::uint64_t clocks, ns, at;
};

template <bool cg>
__global__ void chase(std::uint64_t start, int loads, Taken* out) {
  std::uint64_t at = start;
  for (int pass = 0; pass < 2; ++pass) {
    const std::uint64_t ns = nanoseconds_now(), begin = clock_now();
#pragma unroll 1
    for (int i = 0; i < loads; i += 32)
#pragma unroll
      for (int k = 0; k < 32; ++k) {
        if (cg)
          asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)::"memory");
        else
          asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at)::"memory");
      }
    wait_for(at);
    out->clocks = clock_now() - begin;
    out->ns = nanoseconds_now() - ns;
    out->at = at;
  }
}

__global__ void work(float* sink, long long clocks) {
  float a = threadIdx.x, b = 1.5f, c = 0.25f;
  const std::uint64_t begin = clock_now();
  while (clock_now() - begin < static_cast<std::uint64_t>(clocks))
#pragma unroll
    for (int i = 0; i < 64; ++i) {
      asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(a) : "f"(b), "f"(c));
      asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(c) : "f"(b), "f"(a));
    }
  if (a + c == 0.125f) *sink = a;
}

// Lines `apart` bytes from each other, in random order, on a GPU.
std::uint64_t lay_out(int gpu, int count, std::uint64_t apart) {
  CHECK(cudaSetDevice(gpu));
  auto* const data = device<std::uint64_t>(count * apart / 8);
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin() + 1, order.end(), std::mt19937_64(3));
  std::vector<std::uint64_t> words(count * apart / 8);
  const auto base = reinterpret_cast<std::uint64_t>(data);
  for (int k = 0; k < count; ++k)
    words[order[k] * (apart / 8)] = base + order[(k + 1) % count] * apart;
  to_device(data, words);
  return base;
}

int find_peer() {
  int count = 0;
  CHECK(cudaGetDeviceCount(&count));
  for (int other = 1; other < count; ++other) {
    int access = 0;
    CHECK(cudaDeviceCanAccessPeer(&access, 0, other));
    if (access != 0) return other;
  }
  return -1;
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

int main() {
  constexpr int kLoads = 2048;
  constexpr long long kWork = 80'000'000;  // clocks, 40 ms
  const int peer = find_peer();
  const std::uint64_t near = lay_out(0, 64, 8), own = lay_out(0, kLoads, kLine);
  const std::uint64_t far = peer < 0 ? 0 : lay_out(peer, kLoads, kLine);
  float* sinks[2] = {};
  for (const int gpu : {0, peer}) {
    if (gpu < 0) continue;
    CHECK(cudaSetDevice(gpu));
    sinks[gpu != 0] = device<float>(1);
  }
  CHECK(cudaSetDevice(0));
  if (peer >= 0) CHECK(cudaDeviceEnablePeerAccess(peer, 0));
  auto* const taken = device<Taken>(1);
  std::printf("seconds,phase,what,clocks,ns,mhz\n");
  const double start = now();
  const auto sample = [&](const char* phase, const char* what, auto kernel, std::uint64_t at) {
    kernel<<<1, 1>>>(at, kLoads, taken);
    CHECK(cudaGetLastError());
    const Taken t = host_copy(taken, 1)[0];
    std::printf("%.3f,%s,%s,%.4f,%.4f,%.1f\n", now() - start, phase, what,
                double(t.clocks) / kLoads, double(t.ns) / kLoads,
                1e3 * double(t.clocks) / double(t.ns));
  };
  const char* const phases[] = {"rests", "works", "rests", "peer works", "rests"};
  for (int phase = 0; phase < 5; ++phase) {
    const bool works = phase == 1, peer_works = phase == 3;
    if (peer_works && peer < 0) continue;
    const double until = now() + (works || peer_works ? 3 : 2);
    while (now() < until) {
      if (works) work<<<count_of_sms(), 1024>>>(sinks[0], kWork);
      if (peer_works) {
        CHECK(cudaSetDevice(peer));
        work<<<count_of_sms(), 1024>>>(sinks[1], kWork);
        CHECK(cudaSetDevice(0));
      }
      if (!works && !peer_works) std::this_thread::sleep_for(std::chrono::milliseconds(40));
      sample(phases[phase], "l1", chase<false>, near);
      sample(phases[phase], "l2", chase<true>, own);
      if (peer >= 0) sample(phases[phase], "peer", chase<true>, far);
    }
  }
  return 0;
}
