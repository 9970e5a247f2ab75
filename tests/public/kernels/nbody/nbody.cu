// gpx: --entry all_pairs --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry shared_tiles --grid 2 --block 32 --buffer ok=256B expect ok==1
// gpx: --entry momentum --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry leapfrog_orbit --grid 1 --block 32 --buffer ok=128B --arg steps=400 expect ok==1
// gpx: --entry spring_chain --grid 1 --block 32 --buffer ok=128B --arg steps=50 expect ok==1
// gpx: --entry potential_double --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry cutoff_cells --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry reciprocal_roots --grid 1 --block 128 --buffer ok=512B expect ok==1
// gpx: --entry warp_tiles --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry centre_of_mass --grid 1 --block 128 --buffer ok=512B expect ok==1
// gpx: --entry collisions --grid 1 --block 64 --buffer ok=256B expect ok==1
__device__ float3 body(int i) {
  return make_float3(cospif(i / 32.0f), sinpif(i / 32.0f), 0.01f * i);
}
__device__ float3 pull(float3 a, float3 b) {
  float x = b.x - a.x, y = b.y - a.y, z = b.z - a.z, r = rsqrtf(x * x + y * y + z * z + 0.01f);
  float f = r * r * r;
  return make_float3(x * f, y * f, z * f);
}
__device__ float3 add(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
__device__ bool near(float3 a, float3 b, float most) {
  return fabsf(a.x - b.x) < most && fabsf(a.y - b.y) < most && fabsf(a.z - b.z) < most;
}

extern "C" __global__ void all_pairs(int* ok) {
  __shared__ float3 p[64];
  int t = threadIdx.x;
  p[t] = body(t);
  __syncthreads();
  float3 up = {0, 0, 0}, down = {0, 0, 0};
  for (int i = 0; i < 64; ++i) up = add(up, pull(p[t], p[i]));
  for (int i = 63; i >= 0; --i) down = add(down, pull(p[t], p[i]));
  ok[t] = near(up, down, 1e-2f) && up.x * p[t].x + up.y * p[t].y < 0;
}

extern "C" __global__ void shared_tiles(int* ok) {
  __shared__ float3 tile[32];
  int i = blockIdx.x * 32 + threadIdx.x;
  float3 mine = body(i), sum = {0, 0, 0}, direct = {0, 0, 0};
  for (int first = 0; first < 64; first += 32) {
    tile[threadIdx.x] = body(first + threadIdx.x);
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < 32; ++k) sum = add(sum, pull(mine, tile[k]));
    __syncthreads();
  }
  for (int k = 0; k < 64; ++k) direct = add(direct, pull(mine, body(k)));
  ok[i] = near(sum, direct, 1e-3f);
}

extern "C" __global__ void momentum(int* ok) {
  __shared__ float3 total[64];
  int t = threadIdx.x;
  float3 f = {0, 0, 0};
  for (int i = 0; i < 64; ++i) f = add(f, pull(body(t), body(i)));
  total[t] = f;
  for (int half = 32; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) total[t] = add(total[t], total[t + half]);
  }
  __syncthreads();
  ok[t] = near(total[0], make_float3(0, 0, 0), 0.1f);
}

extern "C" __global__ void leapfrog_orbit(int* ok, int steps) {
  float x = 1, y = 0, u = 0, v = 1, h = 6.2831853f / steps;
  for (int i = 0; i < steps; ++i) {
    float r = rsqrtf(x * x + y * y), f = r * r * r;
    u -= 0.5f * h * x * f, v -= 0.5f * h * y * f;
    x += h * u, y += h * v;
    r = rsqrtf(x * x + y * y), f = r * r * r;
    u -= 0.5f * h * x * f, v -= 0.5f * h * y * f;
  }
  ok[threadIdx.x] = fabsf(x - 1) < 0.01f && fabsf(y) < 0.01f;
}

extern "C" __global__ void spring_chain(int* ok, int steps) {
  __shared__ float x[34];
  int t = threadIdx.x + 1;
  float v = 0;
  x[t] = t == 16 ? t + 0.5f : t;
  if (t == 1) x[0] = 0, x[33] = 33;
  for (int i = 0; i < steps; ++i) {
    __syncthreads();
    float f = x[t - 1] - 2 * x[t] + x[t + 1];
    v += 0.1f * f;
    __syncthreads();
    x[t] += 0.1f * v;
  }
  __syncthreads();
  ok[t - 1] = x[t] > x[t - 1] && fabsf(x[t] - t) <= 0.51f;
}

extern "C" __global__ void potential_double(int* ok) {
  int t = threadIdx.x;
  double sum = 0, back = 0;
  for (int i = 1; i <= 100; ++i) sum += 1.0 / (i * (i + 1.0));
  for (int i = 100; i >= 1; --i) back += 1.0 / (i * (i + 1.0));
  ok[t] = fabs(sum - (1 - 1.0 / 101)) < 1e-14 && fabs(sum - back) < 1e-14;
}

extern "C" __global__ void cutoff_cells(int* ok) {
  __shared__ int cell[8], member[8][64];
  int t = threadIdx.x;
  if (t < 8) cell[t] = 0;
  __syncthreads();
  float x = (t * 29 % 64) / 8.0f;
  int c = (int)x;
  member[c][atomicAdd(&cell[c], 1)] = t;
  __syncthreads();
  int near = 0, direct = 0;
  for (int d = max(c - 1, 0); d <= min(c + 1, 7); ++d)
    for (int k = 0; k < cell[d]; ++k) {
      float other = (member[d][k] * 29 % 64) / 8.0f;
      near += fabsf(other - x) < 1;
    }
  for (int i = 0; i < 64; ++i) direct += fabsf((i * 29 % 64) / 8.0f - x) < 1;
  ok[t] = near == direct && near >= 8;
}

extern "C" __global__ void reciprocal_roots(int* ok) {
  float v = threadIdx.x + 1, r = rsqrtf(v), s = 1 / sqrtf(v), d = __frsqrt_rn(v);
  ok[threadIdx.x] = fabsf(r - s) <= 4e-7f * s && fabsf(d - s) <= 2e-7f * s &&
                    fabsf(r * r * v - 1) < 1e-6f;
}

extern "C" __global__ void warp_tiles(int* ok) {
  int lane = threadIdx.x;
  float3 mine = body(lane), sum = {0, 0, 0}, direct = {0, 0, 0}, other = mine;
  for (int k = 0; k < 32; ++k) {
    sum = add(sum, pull(mine, other));
    other.x = __shfl_sync(0xffffffffu, other.x, (lane + 1) & 31);
    other.y = __shfl_sync(0xffffffffu, other.y, (lane + 1) & 31);
    other.z = __shfl_sync(0xffffffffu, other.z, (lane + 1) & 31);
  }
  for (int k = 0; k < 32; ++k) direct = add(direct, pull(mine, body(k)));
  ok[lane] = near(sum, direct, 1e-2f);
}

extern "C" __global__ void centre_of_mass(int* ok) {
  __shared__ float4 s[128];
  int t = threadIdx.x;
  float m = t % 2 ? 3 : 1;
  s[t] = make_float4(m * t, m * (127 - t), m, 0);
  for (int half = 64; half > 0; half >>= 1) {
    __syncthreads();
    if (t < half) s[t].x += s[t + half].x, s[t].y += s[t + half].y, s[t].z += s[t + half].z;
  }
  __syncthreads();
  ok[t] = s[0].z == 256 && s[0].x / s[0].z == 63.75f && s[0].y / s[0].z == 63.25f;
}

extern "C" __global__ void collisions(int* ok) {
  __shared__ int hits;
  int t = threadIdx.x;
  if (t == 0) hits = 0;
  __syncthreads();
  int mine = 0;
  for (int i = t + 1; i < 64; ++i) {
    int x = t % 8 - i % 8, y = t / 8 - i / 8;
    mine += x * x + y * y <= 2;
  }
  atomicAdd(&hits, mine);
  __syncthreads();
  ok[t] = hits == 2 * 56 + 2 * 49;
}
