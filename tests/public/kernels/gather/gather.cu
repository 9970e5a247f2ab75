// gpx: --entry gather_permutation --grid 4 --block 64 --buffer p=1KB:permutation --buffer a=1KB:index --buffer ok=1KB expect ok==1
// gpx: --entry scatter_permutation --grid 1 --block 256 --buffer p=1KB:permutation(2) --buffer b=1KB --buffer ok=1KB expect ok==1
// gpx: --entry pointer_chase --grid 1 --block 32 --buffer p=512B:permutation(3) --buffer ok=128B expect ok==1
// gpx: --entry gather_rows --grid 8 --block 32 --buffer a=4KB:index --buffer ok=1KB expect ok==1
// gpx: --entry scatter_add --grid 4 --block 32 --buffer b=64B:zero --buffer done=4B:zero --buffer ok=64B expect ok==1
// gpx: --entry masked_scatter --grid 1 --block 64 --buffer b=256B:-1 --buffer ok=256B expect ok==1
// gpx: --entry two_levels --grid 1 --block 64 --buffer p=256B:permutation(4) --buffer ok=256B expect ok==1
// gpx: --entry inverse_permutation --grid 1 --block 128 --buffer p=512B:permutation(5) --buffer q=512B --buffer ok=512B expect ok==1
// gpx: --entry embedding --grid 4 --block 8,8 --buffer table=2KB:index --buffer ok=1KB expect ok==1
// gpx: --entry reverse_copy --grid 2 --block 64 --buffer a=512B:index --buffer b=512B --buffer ok=512B expect ok==1
// gpx: --entry interleave --grid 1 --block 64 --buffer a=512B:index --buffer b=512B --buffer ok=256B expect ok==1
// gpx: --entry wide_bytes --grid 1 --block 32 --buffer a=128B:index --buffer ok=128B expect ok==1
extern "C" __global__ void gather_permutation(const int* p, const int* a, int* ok) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  ok[i] = a[p[i]] == p[i] && p[i] >= 0 && p[i] < 256;
}

extern "C" __global__ void scatter_permutation(const int* p, int* b, int* ok) {
  int t = threadIdx.x;
  b[p[t]] = t;
  __syncthreads();
  ok[t] = p[b[t]] == t;
}

extern "C" __global__ void pointer_chase(const int* p, int* ok) {
  int at = threadIdx.x, steps = 0;
  do at = p[at], ++steps;
  while (at != threadIdx.x && steps < 1000);
  ok[threadIdx.x] = steps == 128;
}

extern "C" __global__ void gather_rows(const float4* a, int* ok) {
  int row = (blockIdx.x * 5 + 3) % 8, i = row * 32 + threadIdx.x;
  float4 v = __ldg(a + i);
  ok[blockIdx.x * 32 + threadIdx.x] = v.x == 4 * i && v.w == 4 * i + 3;
}

extern "C" __global__ void scatter_add(int* b, unsigned* done, int* ok) {
  __shared__ bool last;
  int i = blockIdx.x * 32 + threadIdx.x;
  atomicAdd(&b[i * 7 % 16], i);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(done, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last || threadIdx.x >= 16) return;
  int expected = 0;
  for (int k = 0; k < 128; ++k) expected += k * 7 % 16 == threadIdx.x ? k : 0;
  ok[threadIdx.x] = atomicAdd(&b[threadIdx.x], 0) == expected;
}

extern "C" __global__ void masked_scatter(int* b, int* ok) {
  int t = threadIdx.x;
  if (t % 3 == 1) b[t ^ 1] = t;
  __syncthreads();
  int from = t ^ 1;
  ok[t] = b[t] == (from % 3 == 1 ? from : -1);
}

extern "C" __global__ void two_levels(const unsigned* p, int* ok) {
  unsigned t = threadIdx.x, once = p[t], twice = p[p[t]];
  ok[t] = twice == p[once] && twice != t && once != t;
}

extern "C" __global__ void inverse_permutation(const int* p, int* q, int* ok) {
  int t = threadIdx.x;
  q[p[t]] = t;
  __syncthreads();
  ok[t] = q[p[t]] == t && p[q[t]] == t;
}

extern "C" __global__ void embedding(const float* table, int* ok) {
  int word = (blockIdx.x * 8 + threadIdx.y) * 11 % 32, i = threadIdx.x;
  float v = table[word * 16 + i] + table[word * 16 + 8 + i];
  ok[(blockIdx.x * 8 + threadIdx.y) * 8 + i] = v == 32 * word + 2 * i + 8;
}

extern "C" __global__ void reverse_copy(const int* a, int* b, int* ok) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  b[n - 1 - i] = a[i];
  ok[n - 1 - i] = b[n - 1 - i] == i;
}

extern "C" __global__ void interleave(const int* a, int2* b, int* ok) {
  int t = threadIdx.x;
  b[t] = make_int2(a[t], a[t + 64]);
  __syncthreads();
  const int* flat = (const int*)b;
  ok[t] = flat[t] == (t % 2 ? 64 : 0) + t / 2;
}

extern "C" __global__ void wide_bytes(const unsigned char* a, int* ok) {
  int t = threadIdx.x;
  uchar4 v = ((const uchar4*)a)[t];
  unsigned word = ((const unsigned*)a)[t];
  ok[t] = v.x == 4 * t && v.w == 4 * t + 3 && word >> 24 == v.w && (word & 255) == v.x;
}
