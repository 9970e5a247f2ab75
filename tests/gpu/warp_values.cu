// What a warp waits for where that depends on what its lanes or its neighbours hold: matches by
// distinct values, and uniform loads of constants by blocks that are at different lines. Nothing of
// gpx is used here.
//
// Usage: warp_values    Output: what,pattern,x,warps,sms,picoseconds of a further round of all
// warps of an SM (from the medians of 5 launches with few and with many rounds)
#include <cstdint>
#include <cstdio>

#include "measure.h"

namespace {
constexpr int kRuns = 5;
constexpr int kFew = 256, kMany = 1280;
constexpr unsigned kAll = 0xffffffffu;
__constant__ __align__(256) float bank[12 << 10];
unsigned* sink = nullptr;

template <class Launch>
void print(const char* what, const char* pattern, unsigned x, int warps, int sms, double over,
           Launch launch) {
  launch(kFew);
  launch(kMany);
  const double few = nanoseconds_of(kRuns, [&] { launch(kFew); }),
               many = nanoseconds_of(kRuns, [&] { launch(kMany); });
  std::printf("%s,%s,%u,%d,%d,%.1f\n", what, pattern, x, warps, sms,
              1000 * (many - few) / (kMany - kFew) / over);
  std::fflush(stdout);
}

enum class Match { any32, any64, all32, random };

// A chain: a match's result goes into the next one's value. Lanes have `distinct` values, in turn
// or (`blocks`) in runs.
template <Match kWhat>
__global__ void matches(unsigned distinct, bool runs, int rounds, unsigned* out) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned own = runs ? lane / (32 / distinct) : lane % distinct;
  unsigned value = own * 0x9e3779b9u, zero = distinct == 77;
  for (int k = 0; k < rounds; ++k) {
    unsigned peers;
    int same = 0;
    if (kWhat == Match::any64)
      peers = __match_any_sync(kAll, static_cast<unsigned long long>(value) << 7 | own);
    else if (kWhat == Match::all32)
      peers = __match_all_sync(kAll, value, &same);
    else if (kWhat == Match::random)
      peers = __match_any_sync(
          kAll, (value = value * 1664525u + 1013904223u + lane) >> 16 & (distinct - 1));
    else
      peers = __match_any_sync(kAll, value);
    value += peers & zero;
  }
  if (value == 0x12345671) out[threadIdx.x] = value;
}

template <Match kWhat>
void print_matches(const char* what, bool runs) {
  for (const unsigned distinct : {1u, 2u, 4u, 8u, 16u, 32u})
    for (const int warps : {1, 4, 8, 32})
      print(what, runs ? "runs" : "turns", distinct, warps, 132, 1,
            [&](int rounds) { matches<kWhat><<<132, 32 * warps>>>(distinct, runs, rounds, sink); });
}

// Sixteen words of a line of 64 bytes in each round. The blocks of an SM begin `apart` lines from
// each other and go on by `step` lines each round.
__global__ void uniforms(int apart, int step, int sms, int rounds, unsigned* out) {
  if (sms == 1 && this_sm() != 0) return;
  const float x = threadIdx.x * 1e-6f;
  float sum = 0;
  int at = static_cast<int>(blockIdx.x) / 132 * apart * 16;
#pragma unroll 1
  for (int k = 0; k < rounds; ++k, at += step * 16) {
    const float* line = bank + (at & 4095);
#pragma unroll
    for (int i = 0; i < 16; ++i) sum = sum * x + line[i];
  }
  if (sum == 3.25f) out[threadIdx.x] = 1;
}

void print_uniforms(int sms, int warps, int blocks) {
  struct Walk {
    const char* name;
    int apart, step;
  };
  for (const Walk walk :
       {Walk{"a line each", 1, 0}, Walk{"walk apart", 24, 1}, Walk{"walk together", 0, 1}})
    print("uniform", walk.name, blocks, blocks * warps, sms, 1, [&](int rounds) {
      uniforms<<<132 * blocks, 32 * warps>>>(walk.apart, walk.step, sms, rounds, sink);
    });
}

void all_uniforms() {
  for (const int sms : {1, 132})
    for (const int warps : {1, 2, 8})
      for (const int blocks : {1, 2, 3, 4, 6, 8, 16, 32})
        if (blocks * warps <= 64) print_uniforms(sms, warps, blocks);
}

}  // namespace

int main() {
  sink = device<unsigned>(4096);
  std::printf("what,pattern,x,warps,sms,picoseconds\n");
  print_matches<Match::any32>("match any", false);
  print_matches<Match::any32>("match any", true);
  print_matches<Match::any64>("match any 64", false);
  print_matches<Match::all32>("match all", false);
  print_matches<Match::random>("match any of random", false);
  all_uniforms();
}
