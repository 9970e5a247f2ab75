// What a launch finds in L2 and what is in its way there: reads and stores behind sweeps that left
// clean or dirty lines, and loops over more and more memory. Nothing of gpx is used here.
//
// Usage: l2_left    Output: what,before,megabytes,blocks,nanoseconds (of a launch, or of a step of
// a chain; medians of 5)
#include <cstdint>
#include <cstdio>

#include "measure.h"

namespace {

constexpr int kRuns = 5;
constexpr std::uint64_t kMB = 1 << 20;
constexpr std::uint64_t kSwept = 256 * kMB;
char *data = nullptr, *other = nullptr;
unsigned* sink = nullptr;

__global__ void fill(uint4* out, std::uint64_t quads, unsigned value) {
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < quads;
       i += std::uint64_t{gridDim.x} * blockDim.x)
    out[i] = make_uint4(value, value, value, value);
}

// Words in the order of the grid, or each block its own part.
template <class T, bool kParts>
__global__ void read(const T* in, std::uint64_t count, unsigned* out) {
  const std::uint64_t part = count / gridDim.x;
  const std::uint64_t first = kParts ? blockIdx.x * part + threadIdx.x
                                     : blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  const std::uint64_t end = kParts ? (blockIdx.x + 1) * part : count;
  const std::uint64_t step = kParts ? blockDim.x : std::uint64_t{gridDim.x} * blockDim.x;
  unsigned sum = 0;
#pragma unroll 4
  for (std::uint64_t i = first; i < end; i += step) {
    const T v = in[i];
    sum ^= *reinterpret_cast<const unsigned*>(&v);
  }
  if (sum == 0x12345671) *out = sum;
}

// Four words of each thread, anywhere.
template <bool kStore>
__global__ void anywhere(unsigned* at, unsigned words, unsigned* out) {
  const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    unsigned* const word = at + (mix(id * 4 + k) & (words - 1));
    if (kStore)
      *word = id;
    else
      sum ^= *word;
  }
  if (sum == 0x12345671) *out = sum;
}

// One thread, a line of 128 bytes behind the other in an order of its own.
__global__ void chain(const char* in, unsigned steps, unsigned* out, std::uint64_t* clocks) {
  unsigned at = 0;
  const std::uint64_t begin = clock_now();
  for (unsigned k = 0; k < steps; ++k) {
    const unsigned v = *reinterpret_cast<const volatile unsigned*>(in + std::uint64_t{at} * 128);
    at = (k * 40503u + (v >> 31)) & 32767;
  }
  wait_for(at);
  *clocks = clock_now() - begin;
  *out = at;
}

void sweep_reading() {
  read<uint4, false><<<1056, 256>>>(reinterpret_cast<uint4*>(other), kSwept / 16, sink);
}
void sweep_writing() {
  fill<<<1056, 256>>>(reinterpret_cast<uint4*>(other), kSwept / 16, 3);
}

template <class Before, class Launch>
double behind(Before before, Launch launch) {
  std::vector<double> all;
  for (int run = 0; run < kRuns; ++run) {
    before();
    all.push_back(nanoseconds_of(1, launch));
  }
  return median(all);
}

void print(const char* what, const char* before, double megabytes, int blocks, double ns) {
  std::printf("%s,%s,%g,%d,%.0f\n", what, before, megabytes, blocks, ns);
  std::fflush(stdout);
}

template <class Before>
void all_behind(const char* name, Before before) {
  std::uint64_t* clocks = device<std::uint64_t>(1);
  std::vector<double> steps;
  for (int run = 0; run < kRuns; ++run) {
    before();
    chain<<<1, 1>>>(data, 2000, sink, clocks);
    steps.push_back(static_cast<double>(host_copy(clocks, 1)[0]) / 2000);
  }
  print("chain in clocks", name, 4, 1, median(steps));
  for (const std::uint64_t mb : {4, 16, 64})
    for (const int blocks : {132, 528, 2112}) {
      print("read words", name, mb, blocks, behind(before, [&] {
              read<unsigned, false>
                  <<<blocks, 256>>>(reinterpret_cast<unsigned*>(data), mb * kMB / 4, sink);
            }));
      print("read quads", name, mb, blocks, behind(before, [&] {
              read<uint4, false>
                  <<<blocks, 256>>>(reinterpret_cast<uint4*>(data), mb * kMB / 16, sink);
            }));
      print("fill quads", name, mb, blocks, behind(before, [&] {
              fill<<<blocks, 256>>>(reinterpret_cast<uint4*>(data), mb * kMB / 16, 5);
            }));
    }
  for (const int blocks : {528, 4096}) {
    print("words anywhere", name, 256, blocks, behind(before, [&] {
            anywhere<false><<<blocks, 256>>>(reinterpret_cast<unsigned*>(data), 64 << 20, sink);
          }));
    print("stores anywhere", name, 256, blocks, behind(before, [&] {
            anywhere<true><<<blocks, 256>>>(reinterpret_cast<unsigned*>(data), 64 << 20, sink);
          }));
  }
}

void loops() {
  for (const std::uint64_t mb : {8, 16, 24, 28, 32, 36, 40, 43, 48, 52, 56, 60, 64, 72, 96}) {
    const auto read_all = [&] {
      read<uint4, false><<<1056, 256>>>(reinterpret_cast<uint4*>(data), mb * kMB / 16, sink);
    };
    const auto read_parts = [&] {
      read<uint4, true><<<660, 256>>>(reinterpret_cast<uint4*>(data), mb * kMB / 16, sink);
    };
    const auto fill_all = [&] {
      fill<<<1056, 256>>>(reinterpret_cast<uint4*>(data), mb * kMB / 16, 7);
    };
    print("read", "itself", mb, 1056, behind(read_all, read_all));
    print("read parts", "itself", mb, 660, behind(read_parts, read_parts));
    print("fill", "itself", mb, 1056, behind(fill_all, fill_all));
    print("read", "fill", mb, 1056, behind(fill_all, read_all));
    print("fill", "read", mb, 1056, behind(read_all, fill_all));
  }
}

}  // namespace

int main() {
  data = device<char>(256 * kMB);
  other = device<char>(kSwept);
  sink = device<unsigned>(1024);
  std::printf("what,before,megabytes,blocks,nanoseconds\n");
  all_behind("clean", sweep_reading);
  all_behind("dirty", sweep_writing);
  loops();
}
