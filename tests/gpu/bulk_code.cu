// What the code between bulk loads costs, by hand: why tests/gpu/tma.cu, which waits for each copy,
// and experiments/hopper_tma.gpx differ by clocks. No code of gpx.
//
// One thread copies and waits, n times, in straight code or in a loop; the last of three passes
// counts. Clocks of all n: on SM 0 from the first of four places, and the mean of every eighth SM
// and all places. What one more copy takes is the difference of two rows. lines_constant: the bytes
// are known when it is compiled. lines: they are not; the addresses of some 28 copies are in
// uniform registers before the first one, of more each copy moves its own there (R2UR). loop: of
// one copy, from n to 2 n. Output: what,copies,bytes,sm0,mean. Needs compute capability 9.0. Usage:
// bulk_code
#include <utility>

#include "bulk_copy.h"

namespace {

constexpr int kThreads = 32, kPlaces = 4, kEvery = 8, kApart = 1056 << 10;

__device__ __forceinline__ void copy(unsigned to, const unsigned char* from, unsigned bytes,
                                     unsigned barrier, unsigned parity) {
  expect(barrier, bytes);
  load(to, from, bytes, barrier);
  wait_phase(barrier, parity);
}

extern __shared__ __align__(128) unsigned char memory[];

// `known`: of the bytes; 0: they are the argument. `straight`: so many copies without a loop, or 0.
template <unsigned known, int straight>
__global__ void copies(std::uint64_t* out, const unsigned char* data, unsigned told, int sm,
                       int n) {
  if (!chosen(sm, reinterpret_cast<unsigned*>(out + 1))) return;
  const unsigned bytes = known ? known : told, apart = bytes < 256 ? 256 : bytes;
  __shared__ __align__(8) std::uint64_t barrier;
  const unsigned full = at(&barrier), own = at(memory);
  if (threadIdx.x == 0) begin_barrier(full);
  __syncthreads();
  if (!is_elected()) return;
  unsigned parity = 0;
#pragma unroll 1
  for (int pass = 0; pass < 3; ++pass) {
    const long long begin = clock64();
    if constexpr (straight > 0) {
#pragma unroll
      for (int i = 0; i < straight; ++i, parity ^= 1)
        copy(own, data + i * apart, bytes, full, parity);
    } else {
      const unsigned char* from = data;
#pragma unroll 1
      for (int i = 0; i < n; ++i, parity ^= 1, from += apart) copy(own, from, bytes, full, parity);
    }
    out[0] = clock64() - begin;
  }
}

class Bench {
 public:
  Bench()
      : sms_(count_of_sms()),
        out_(device<std::uint64_t>(2)),
        data_(device<unsigned char>(kBytes)) {}

  template <unsigned known, int... straight>
  void lines(const char* what, unsigned bytes, std::integer_sequence<int, straight...> /*of*/) {
    (show(what, straight, bytes,
          [&](int sm, int place) {
            return clocks_of(copies<known, straight>, bytes, sm, place, straight);
          }),
     ...);
  }
  void loop(unsigned bytes, int n) {
    show("loop", n, bytes, [&](int sm, int place) {
      return (clocks_of(copies<0, 0>, bytes, sm, place, 2 * n) -
              clocks_of(copies<0, 0>, bytes, sm, place, n)) /
             n;
    });
  }

 private:
  static constexpr int kBytes = 8 << 20, kTimes = 3;

  template <typename Kernel>
  double clocks_of(Kernel kernel, unsigned bytes, int sm, int place, int n) {
    const auto launch = [&] {
      kernel<<<2 * sms_, kThreads, 32768>>>(out_, data_ + place * kApart, bytes, sm, n);
    };
    return clocks(out_, launch, kTimes);
  }
  template <typename Of>
  void show(const char* what, int n, unsigned bytes, Of of) {
    std::vector<double> all;
    for (int sm = 0; sm < sms_; sm += kEvery)
      for (int place = 1; place <= kPlaces; ++place) all.push_back(of(sm, place));
    std::printf("%s,%d,%u,%.2f,%.2f\n", what, n, bytes, all.front(), mean(all));
  }

  int sms_;
  std::uint64_t* out_;
  unsigned char* data_;
};

}  // namespace

int main() {
  Bench bench;
  const std::integer_sequence<int, 1, 2, 4, 8, 16, 24, 32, 48, 64> counts;
  std::printf("what,copies,bytes,sm0,mean\n");
  bench.lines<16>("lines_constant", 16, counts);
  bench.lines<32768>("lines_constant", 32768, std::integer_sequence<int, 1, 2, 4, 8, 16, 24, 32>{});
  for (unsigned bytes : {16u, 2048u}) bench.lines<0>("lines", bytes, counts);
  for (unsigned bytes : {16u, 2048u, 32768u})
    for (int n : {8, 32}) bench.loop(bytes, n);
  CHECK(cudaDeviceSynchronize());
  return 0;
}
