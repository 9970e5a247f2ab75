// What all SMs read, write or copy at once, past L1: eight accesses of 16 B a thread in each of `rounds` rounds. The
// grid's threads lie 16 B apart, and `step` is the distance of two rounds in words of 16 B: eight times the threads, or 0.
// read_again: with step 0 all rounds read the same bytes, which L2 hands over where they fit into it.
// read_beyond, write_beyond, copy_beyond: each round has the next bytes, of `laps` rounds, over and over: where L2 holds
// less, none is there.
// `out` keeps the loads: nothing is written to it, as no sum of the data is 1.
constexpr int kAccesses = 8;

struct Place {
  long long at;
  int lap;
};

__device__ long long grid_threads() { return static_cast<long long>(gridDim.x) * blockDim.x; }

__device__ Place first_place() {
  return {static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x, 0};
}

__device__ void go_on(Place& place, int step, int laps) {
  place.at += step;
  if (++place.lap < laps) return;
  place.at -= static_cast<long long>(step) * laps;
  place.lap = 0;
}

__device__ void load_eight(uint4 (&v)[kAccesses], const uint4* from) {
#pragma unroll
  for (int i = 0; i < kAccesses; ++i)
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v[i].x), "=r"(v[i].y), "=r"(v[i].z), "=r"(v[i].w)
                 : "l"(from + i * grid_threads()));
}

__device__ void store_eight(const uint4 (&v)[kAccesses], uint4* to) {
#pragma unroll
  for (int i = 0; i < kAccesses; ++i)
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to + i * grid_threads()),
                 "r"(v[i].x), "r"(v[i].y), "r"(v[i].z), "r"(v[i].w)
                 : "memory");
}

__device__ unsigned read_eight(const uint4* from) {
  uint4 v[kAccesses];
  load_eight(v, from);
  unsigned sum = 0;
#pragma unroll
  for (int i = 0; i < kAccesses; ++i) sum |= v[i].x;
  return sum;
}

extern "C" __global__ void read_again(unsigned* out, const uint4* data, int step, int rounds) {
  const uint4* mine = data + first_place().at;
  unsigned sum = 0;
  for (int round = 0; round < rounds; ++round) {
    sum |= read_eight(mine);
    mine += step;
  }
  if (sum == 1) *out = sum;
}

extern "C" __global__ void read_beyond(unsigned* out, const uint4* data, int step, int rounds, int laps) {
  unsigned sum = 0;
  Place place = first_place();
  for (int round = 0; round < rounds; ++round, go_on(place, step, laps)) sum |= read_eight(data + place.at);
  if (sum == 1) *out = sum;
}

extern "C" __global__ void write_beyond(uint4* data, int step, int rounds, int laps) {
  Place place = first_place();
  for (int round = 0; round < rounds; ++round, go_on(place, step, laps)) {
    uint4 v[kAccesses];
#pragma unroll
    for (int i = 0; i < kAccesses; ++i) v[i] = make_uint4(round, i, blockIdx.x, threadIdx.x);
    store_eight(v, data + place.at);
  }
}

extern "C" __global__ void copy_beyond(uint4* to, const uint4* from, int step, int rounds, int laps) {
  Place place = first_place();
  for (int round = 0; round < rounds; ++round, go_on(place, step, laps)) {
    uint4 v[kAccesses];
    load_eight(v, from + place.at);
    store_eight(v, to + place.at);
  }
}
