// Bulk copies (cp.async.bulk, global to shared memory) in flight together, by hand: whether one
// more copy costs more at first than later. Nothing of gpx is used here.
//
// One warp; the thread that elect.sync names tells an mbarrier how many bytes come, issues n copies
// in straight code and waits for the phase. The clock is read before the first and behind the last
// of these. The copies of a place come from a random line of 16 MB that lie in L2 and go on in
// random steps (whole lines, no line twice), so that they meet many slices. n copies of a place are
// the first n of its 24: what one more copy costs is the difference of two n. Each launch goes four
// times through the same copies; the first time brings lines and code near and does not count. Each
// copy has its own part of shared memory; copies of 16 KB overlap by half. After each launch the
// bytes in shared memory are compared with those in global memory (not those of 16 KB).
//
// Output, CSV: bytes,copies,mean,least,most,error: clocks over 32 places (of each the median of its
// three passes), the standard error of the mean. Needs compute capability 9.0. Usage: bulk_rate
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <utility>
#include <vector>

#include "bulk_copy.h"

namespace {

constexpr int kMost = 24, kPlaces = 32, kPasses = 4;
constexpr unsigned kDataBytes = 16 << 20, kShared = (8 * kMost + 8) << 10;
constexpr int kTries = 2000;  // of a wait: then the copies did not come

struct Place {
  unsigned first, step;  // in bytes
};

struct Taken {
  unsigned clocks[kPasses];
};

__device__ bool came(unsigned barrier, unsigned parity) {
  unsigned done;
  asm volatile(
      "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
      "selp.u32 %0, 1, 0, p;\n}"
      : "=r"(done)
      : "r"(barrier), "r"(parity)
      : "memory");
  return done != 0;
}

extern __shared__ __align__(128) unsigned char memory[];

// `apart`: of the copies in shared memory. `wrong`: words that are not those of global memory, and
// waits that ended without the bytes.
template <int Copies>
__global__ void __launch_bounds__(32) rate(const unsigned char* data, Place place, unsigned bytes,
                                           unsigned apart, Taken* taken, unsigned* wrong) {
  __shared__ __align__(8) std::uint64_t barrier_word;
  const unsigned barrier = at(&barrier_word), own = at(memory);
  if (threadIdx.x == 0) {
    begin_barrier(barrier);
  }
  __syncwarp();
#pragma unroll 1
  for (int pass = 0; pass < kPasses; ++pass) {
    if (elected()) {
      // Each address follows from the one before, and not from a register of its own that is kept.
      const unsigned char* from = data + place.first;
      unsigned to = own;
      const auto before = static_cast<unsigned>(clock_now());
      expect(barrier, Copies * bytes);
#pragma unroll
      for (int i = 0; i < Copies; ++i) {
        load(to, from, bytes, barrier);
        from += place.step;
        to += apart;
        asm volatile("" : "+l"(from), "+r"(to));
      }
      bool done = false;
      for (int k = 0; k < kTries && !done; ++k) done = came(barrier, pass & 1);
      taken->clocks[pass] = static_cast<unsigned>(clock_now()) - before;
      if (!done) atomicAdd(wrong, 1u << 20);
    }
    __syncwarp();
  }
  // All threads see the bytes once they have waited for the phase themselves: it is over.
  bool over = false;
  for (int k = 0; k < kTries && !over; ++k) over = came(barrier, (kPasses - 1) & 1);
  unsigned bad = over ? 0 : 1;
#pragma unroll 1
  for (int i = 0; i < Copies && apart >= bytes; ++i)
#pragma unroll 1
    for (unsigned at = 4 * threadIdx.x; at < bytes; at += 128)
      bad += *reinterpret_cast<const unsigned*>(memory + i * apart + at) !=
             *reinterpret_cast<const unsigned*>(data + place.first + i * place.step + at);
  if (bad != 0) atomicAdd(wrong, bad);
}

__global__ void fill(unsigned* words, unsigned count) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    words[i] = i * 2654435761u;
}

class Bench {
 public:
  Bench() {
    data_ = device<unsigned char>(kDataBytes);
    taken_ = device<Taken>(kPlaces);
    wrong_ = device<unsigned>(2);
    fill<<<264, 1024>>>(reinterpret_cast<unsigned*>(data_), kDataBytes / 4);
    read_lines<<<264, 1024>>>(reinterpret_cast<const char*>(data_), kDataBytes / 128, wrong_ + 1);
    CHECK(cudaDeviceSynchronize());
  }

  void size(unsigned bytes) {
    std::mt19937 random(bytes);
    const unsigned lines = std::max(128u, bytes) / 128, most = kDataBytes / 128 / (kMost + 1);
    const auto below = [&](unsigned limit) { return static_cast<unsigned>(random()) % limit; };
    for (Place& place : places_) {
      const unsigned step = lines + below(most - lines);
      place = {128 * below(kDataBytes / 128 - step * kMost - lines), 128 * step};
    }
    all(bytes, std::make_integer_sequence<int, kMost>());
  }

  unsigned wrong() const { return host_copy(wrong_, 1)[0]; }

 private:
  template <int... I>
  void all(unsigned bytes, std::integer_sequence<int, I...>) {
    (one<I + 1>(bytes), ...);
  }

  template <int Copies>
  void one(unsigned bytes) {
    const unsigned apart = std::min(bytes, 8192u);
    CHECK(cudaFuncSetAttribute(rate<Copies>, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
    for (int i = 0; i < kPlaces; ++i)
      rate<Copies><<<1, 32, kShared>>>(data_, places_[i], bytes, apart, taken_ + i, wrong_);
    CHECK(cudaGetLastError());
    std::vector<double> clocks;
    for (const Taken& taken : host_copy(taken_, kPlaces))
      clocks.push_back(median(std::vector<double>(taken.clocks + 1, taken.clocks + kPasses)));
    const double middle = mean(clocks);
    double square = 0;
    for (const double c : clocks) square += (c - middle) * (c - middle);
    std::printf("%u,%d,%.2f,%.0f,%.0f,%.2f\n", bytes, Copies, middle,
                *std::min_element(clocks.begin(), clocks.end()),
                *std::max_element(clocks.begin(), clocks.end()),
                std::sqrt(square / (kPlaces - 1) / kPlaces));
  }

  unsigned char* data_;
  Taken* taken_;
  unsigned* wrong_;
  Place places_[kPlaces];
};

}  // namespace

int main() {
  Bench bench;
  std::printf("bytes,copies,mean,least,most,error\n");
  for (const unsigned bytes : {16u, 128u, 1024u, 2048u, 4096u, 8192u, 16384u}) bench.size(bytes);
  CHECK(cudaDeviceSynchronize());
  if (bench.wrong() != 0) {
    std::fprintf(stderr, "bulk_rate: %u words did not arrive as they were\n", bench.wrong());
    return 1;
  }
  return 0;
}
