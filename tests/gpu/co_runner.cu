// A process that uses the GPU beside what is measured: for a part of each period it copies 256 MB
// within the GPU's memory and spins, then it sleeps. It ends by itself.
// usage: co_runner SECONDS PERIOD_MS DUTY     (co_runner 60 20 0.5)
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

using Clock = std::chrono::steady_clock;

namespace {

constexpr size_t kBytes = 256u << 20;
constexpr double kMostSeconds = 300;

__global__ void copy(const uint4* from, uint4* to, size_t count) {
  const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x; i < count; i += step)
    to[i] = from[i];
}

__global__ void spin(long long clocks) {
  const long long begin = clock64();
  while (clock64() - begin < clocks) {
  }
}

double seconds(Clock::time_point since) {
  return std::chrono::duration<double>(Clock::now() - since).count();
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "co_runner: %s\n", cudaGetErrorString(error));
  std::exit(3);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: co_runner SECONDS PERIOD_MS DUTY\n");
    return 2;
  }
  const double whole = std::min(kMostSeconds, std::atof(argv[1]));
  const double period = 1e-3 * std::atof(argv[2]), busy = period * std::atof(argv[3]);
  uint4 *from = nullptr, *to = nullptr;
  check(cudaMalloc(&from, kBytes));
  check(cudaMalloc(&to, kBytes));
  const auto begin = Clock::now();
  long periods = 0;
  for (; seconds(begin) < whole; ++periods) {
    const auto burst = Clock::now();
    do {
      copy<<<1024, 256>>>(from, to, kBytes / sizeof(uint4));
      spin<<<132, 256>>>(100000);
      check(cudaDeviceSynchronize());
    } while (seconds(burst) < busy);
    const double left = period - seconds(burst);
    if (left > 0) std::this_thread::sleep_for(std::chrono::duration<double>(left));
  }
  std::printf("co_runner: %ld periods of %.1f ms, %.1f ms of each\n", periods, 1e3 * period,
              1e3 * busy);
  return 0;
}
