// gpx: --entry global_atomics --grid 4 --block 64 --buffer bins=64B:zero --buffer done=4B:zero --buffer ok=64B expect ok==1
// gpx: --entry shared_bins --grid 1 --block 256 --buffer a=4KB:index --buffer ok=1KB expect ok==1
// gpx: --entry private_bins --grid 1 --block 32 --buffer a=2KB:index(5) --buffer ok=128B expect ok==1
// gpx: --entry bytes --grid 1 --block 256 --buffer a=8KB:index --buffer ok=1KB expect ok==1
// gpx: --entry warp_aggregated --grid 1 --block 128 --buffer ok=512B expect ok==1
// gpx: --entry two_dimensional --grid 1 --block 16,16 --buffer ok=1KB expect ok==1
// gpx: --entry weighted --grid 1 --block 128 --buffer ok=512B expect ok==1
// gpx: --entry cumulative --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry equal_width --grid 1 --block 128 --buffer x=512B:index --buffer ok=512B --arg width=12.8 expect ok==1
// gpx: --entry packed_counts --grid 1 --block 128 --buffer ok=512B expect ok==1
// gpx: --entry most_frequent --grid 1 --block 96 --buffer ok=384B expect ok==1
// gpx: --entry long_counters --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void global_atomics(unsigned* bins, unsigned* done, int* ok) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&bins[i % 16], 1u);
  __threadfence();
  __syncthreads();
  __shared__ bool last;
  if (threadIdx.x == 0) last = atomicAdd(done, 1u) == gridDim.x - 1;
  __syncthreads();
  if (last && threadIdx.x < 16) ok[threadIdx.x] = atomicAdd(&bins[threadIdx.x], 0u) == 16;
}

extern "C" __global__ void shared_bins(const int* a, int* ok) {
  __shared__ int bins[10];
  int t = threadIdx.x;
  if (t < 10) bins[t] = 0;
  __syncthreads();
  for (int i = t; i < 1024; i += 256) atomicAdd(&bins[a[i] % 10], 1);
  __syncthreads();
  ok[t] = bins[t % 10] == (t % 10 < 4 ? 103 : 102);
}

extern "C" __global__ void private_bins(const int* a, int* ok) {
  int bins[4] = {0, 0, 0, 0}, t = threadIdx.x;
  for (int i = 0; i < 16; ++i) ++bins[a[t * 16 + i] & 3];
  ok[t] = bins[0] == 4 && bins[1] == 4 && bins[2] == 4 && bins[3] == 4;
}

extern "C" __global__ void bytes(const unsigned char* a, int* ok) {
  __shared__ unsigned bins[256];
  int t = threadIdx.x;
  bins[t] = 0;
  __syncthreads();
  const uchar4* four = (const uchar4*)a;
  for (int i = t; i < 2048; i += 256) {
    uchar4 v = four[i];
    atomicAdd(&bins[v.x], 1u);
    atomicAdd(&bins[v.y], 1u);
    atomicAdd(&bins[v.z], 1u);
    atomicAdd(&bins[v.w], 1u);
  }
  __syncthreads();
  ok[t] = bins[t] == 32;
}

extern "C" __global__ void warp_aggregated(int* ok) {
  __shared__ int bins[4];
  int t = threadIdx.x, lane = t & 31, bin = t & 3;
  if (t < 4) bins[t] = 0;
  __syncthreads();
  for (int b = 0; b < 4; ++b) {
    unsigned same = __ballot_sync(0xffffffffu, bin == b);
    if (lane == __ffs(same) - 1) atomicAdd(&bins[b], __popc(same));
  }
  __syncthreads();
  ok[t] = bins[bin] == 32;
}

extern "C" __global__ void two_dimensional(int* ok) {
  __shared__ int bins[4][4];
  int x = threadIdx.x, y = threadIdx.y;
  if (x < 4 && y < 4) bins[y][x] = 0;
  __syncthreads();
  atomicAdd(&bins[y / 4][x / 4], x + y);
  __syncthreads();
  int bx = x / 4, by = y / 4;
  ok[y * 16 + x] = bins[by][bx] == 16 * (4 * bx + 4 * by) + 2 * 24;
}

extern "C" __global__ void weighted(int* ok) {
  __shared__ float bins[8];
  int t = threadIdx.x;
  if (t < 8) bins[t] = 0;
  __syncthreads();
  atomicAdd(&bins[t & 7], 0.5f * (t >> 3));
  __syncthreads();
  ok[t] = bins[t & 7] == 60.0f;
}

extern "C" __global__ void cumulative(int* ok) {
  __shared__ int bins[8];
  int t = threadIdx.x;
  if (t < 8) bins[t] = 0;
  __syncthreads();
  int bin = 31 - __clz(t + 1);
  atomicAdd(&bins[bin], 1);
  __syncthreads();
  if (t == 0)
    for (int b = 1; b < 8; ++b) bins[b] += bins[b - 1];
  __syncthreads();
  ok[t] = bins[bin] == min(64, (2 << bin) - 1);
}

extern "C" __global__ void equal_width(const float* x, int* ok, float width) {
  __shared__ int bins[10];
  int t = threadIdx.x;
  if (t < 10) bins[t] = 0;
  __syncthreads();
  int bin = min(9, (int)(x[t] / width));
  atomicAdd(&bins[bin], 1);
  __syncthreads();
  int expected = 0;
  for (int i = 0; i < 128; ++i) expected += min(9, (int)((float)i / width)) == bin;
  ok[t] = bins[bin] == expected;
}

// Four counters of 8 bits in a word.
extern "C" __global__ void packed_counts(int* ok) {
  __shared__ unsigned packed;
  int t = threadIdx.x;
  if (t == 0) packed = 0;
  __syncthreads();
  atomicAdd(&packed, 1u << (8 * (t & 3)));
  __syncthreads();
  ok[t] = packed == 0x20202020u;
}

extern "C" __global__ void most_frequent(int* ok) {
  __shared__ int bins[16], best;
  int t = threadIdx.x;
  if (t < 16) bins[t] = 0;
  if (t == 16) best = 0;
  __syncthreads();
  atomicAdd(&bins[t * t % 16], 1);
  __syncthreads();
  if (t < 16) atomicMax(&best, bins[t] << 8 | t);
  __syncthreads();
  int counts[16] = {}, expected = 0;
  for (int i = 0; i < 96; ++i) ++counts[i * i % 16];
  for (int b = 0; b < 16; ++b) expected = max(expected, counts[b] << 8 | b);
  ok[t] = best == expected;
}

extern "C" __global__ void long_counters(int* ok) {
  __shared__ unsigned long long bins[2];
  int t = threadIdx.x;
  if (t < 2) bins[t] = 1ull << 40;
  __syncthreads();
  atomicAdd(&bins[t & 1], 1ull << 35);
  __syncthreads();
  ok[t] = bins[t & 1] == (1ull << 40) + (1ull << 40);
}
