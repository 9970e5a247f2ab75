// gpx: --entry hillis_steele --grid 2 --block 128 --buffer ok=1KB expect ok==1
// gpx: --entry blelloch --grid 1 --block 128 --buffer ok=1KB expect ok==1
// gpx: --entry warp_inclusive --grid 2 --block 64 --buffer ok=512B expect ok==1
// gpx: --entry warp_exclusive --grid 1 --block 96 --buffer ok=384B expect ok==1
// gpx: --entry block_of_warps --grid 1 --block 256 --buffer ok=1KB expect ok==1
// gpx: --entry segmented --grid 1 --block 128 --buffer ok=512B expect ok==1
// gpx: --entry running_maximum --grid 1 --block 128 --buffer a=512B:permutation --buffer ok=512B expect ok==1
// gpx: --entry product_scan --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry serial_chunks --grid 1 --block 32 --buffer ok=1KB expect ok==1
// gpx: --entry backward --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry scan_pairs --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry float_scan --grid 1 --block 256 --buffer ok=1KB expect ok==1
extern "C" __global__ void hillis_steele(int* ok) {
  __shared__ int s[2][128];
  int t = threadIdx.x, from = 0;
  s[0][t] = t + 1;
  __syncthreads();
  for (int d = 1; d < 128; d *= 2) {
    s[1 - from][t] = t >= d ? s[from][t] + s[from][t - d] : s[from][t];
    from = 1 - from;
    __syncthreads();
  }
  ok[blockIdx.x * 128 + t] = s[from][t] == (t + 1) * (t + 2) / 2;
}

extern "C" __global__ void blelloch(int* ok) {
  __shared__ int s[256];
  int t = threadIdx.x, offset = 1;
  s[2 * t] = 1, s[2 * t + 1] = 2;
  for (int d = 128; d > 0; d >>= 1, offset *= 2) {
    __syncthreads();
    if (t < d) s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
  }
  if (t == 0) s[255] = 0;
  for (int d = 1; d < 256; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      int left = offset * (2 * t + 1) - 1, right = offset * (2 * t + 2) - 1, v = s[left];
      s[left] = s[right];
      s[right] += v;
    }
  }
  __syncthreads();
  ok[2 * t] = s[2 * t] == 3 * t;
  ok[2 * t + 1] = s[2 * t + 1] == 3 * t + 1;
}

extern "C" __global__ void warp_inclusive(int* ok) {
  int t = threadIdx.x, lane = t & 31, v = lane;
  for (int d = 1; d < 32; d *= 2) {
    int other = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) v += other;
  }
  ok[blockIdx.x * 64 + t] = v == lane * (lane + 1) / 2;
}

extern "C" __global__ void warp_exclusive(int* ok) {
  int t = threadIdx.x, lane = t & 31, v = 2;
  for (int d = 1; d < 32; d <<= 1) {
    int other = __shfl_up_sync(0xffffffffu, v, d);
    v += lane >= d ? other : 0;
  }
  int before = __shfl_up_sync(0xffffffffu, v, 1);
  ok[t] = (lane == 0 ? 0 : before) == 2 * lane;
}

__device__ int scan_warp(int v) {
  int lane = threadIdx.x & 31;
  for (int d = 1; d < 32; d *= 2) {
    int other = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) v += other;
  }
  return v;
}
extern "C" __global__ void block_of_warps(int* ok) {
  __shared__ int sums[8];
  int t = threadIdx.x, warp = t >> 5, v = scan_warp(t % 5);
  if ((t & 31) == 31) sums[warp] = v;
  __syncthreads();
  if (warp == 0) {
    int s = scan_warp((t & 31) < 8 ? sums[t & 7] : 0);
    if (t < 8) sums[t] = s;
  }
  __syncthreads();
  if (warp > 0) v += sums[warp - 1];
  int expected = 0;
  for (int i = 0; i <= t; ++i) expected += i % 5;
  ok[t] = v == expected;
}

extern "C" __global__ void segmented(int* ok) {
  __shared__ int value[128];
  __shared__ bool begins[128];
  int t = threadIdx.x;
  value[t] = 1;
  begins[t] = t % 10 == 0;
  __syncthreads();
  for (int d = 1; d < 128; d *= 2) {
    int v = value[t];
    bool b = begins[t];
    if (t >= d && !b) {
      v += value[t - d];
      b = begins[t - d];
    }
    __syncthreads();
    value[t] = v, begins[t] = b;
    __syncthreads();
  }
  ok[t] = value[t] == t % 10 + 1;
}

extern "C" __global__ void running_maximum(const int* a, int* ok) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = a[t];
  __syncthreads();
  for (int d = 1; d < 128; d *= 2) {
    int v = t >= d ? max(s[t], s[t - d]) : s[t];
    __syncthreads();
    s[t] = v;
    __syncthreads();
  }
  int best = a[0];
  for (int i = 1; i <= t; ++i) best = max(best, a[i]);
  ok[t] = s[t] == best;
}

extern "C" __global__ void product_scan(int* ok) {
  int lane = threadIdx.x;
  unsigned v = 3;
  for (int d = 1; d < 32; d *= 2) {
    unsigned other = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) v *= other;
  }
  unsigned expected = 1;
  for (int i = 0; i <= lane; ++i) expected *= 3;
  ok[lane] = v == expected;
}

extern "C" __global__ void serial_chunks(int* ok) {
  int t = threadIdx.x, mine[8], sum = 0;
  for (int i = 0; i < 8; ++i) mine[i] = sum += 8 * t + i;
  int all = sum;
  for (int d = 1; d < 32; d *= 2) {
    int other = __shfl_up_sync(0xffffffffu, all, d);
    if (t >= d) all += other;
  }
  for (int i = 0; i < 8; ++i) {
    int at = 8 * t + i;
    ok[at] = all - sum + mine[i] == at * (at + 1) / 2;
  }
}

extern "C" __global__ void backward(int* ok) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  for (int d = 1; d < 64; d *= 2) {
    int v = s[t] + (t + d < 64 ? s[t + d] : 0);
    __syncthreads();
    s[t] = v;
    __syncthreads();
  }
  ok[t] = s[t] == 2016 - t * (t - 1) / 2;
}

// x -> a x + b, one after the other.
extern "C" __global__ void scan_pairs(int* ok) {
  __shared__ unsigned a[64], b[64];
  unsigned t = threadIdx.x;
  a[t] = 2, b[t] = t;
  __syncthreads();
  for (unsigned d = 1; d < 64; d *= 2) {
    unsigned na = a[t], nb = b[t];
    if (t >= d) nb += na * b[t - d], na *= a[t - d];
    __syncthreads();
    a[t] = na, b[t] = nb;
    __syncthreads();
  }
  unsigned x = 0;
  for (unsigned i = 0; i <= t; ++i) x = 2 * x + i;
  ok[t] = b[t] == x;
}

extern "C" __global__ void float_scan(int* ok) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = 0.25f * t;
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    float v = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += v;
    __syncthreads();
  }
  ok[t] = s[t] == 0.125f * t * (t + 1);
}
