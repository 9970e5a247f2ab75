// gpx: --entry shared_tree --grid 4 --block 256 --buffer a=4KB:index --buffer ok=4KB expect ok==1
// gpx: --entry warp_shuffle --grid 2 --block 128 --buffer a=1KB:index --buffer ok=1KB expect ok==1
// gpx: --entry atomic_total --grid 4 --block 128 --buffer a=2KB:index --buffer total=8B:zero --buffer count=4B:zero --buffer ok=4B expect ok==1
// gpx: --entry maximum --grid 2 --block 256 --buffer a=2KB:index(-3) --buffer ok=2KB expect ok==1
// gpx: --entry minimum_place --grid 1 --block 256 --buffer a=1KB:permutation --buffer ok=1KB expect ok==1
// gpx: --entry two_steps --grid 8 --block 64 --buffer a=2KB:index --buffer part=32B:zero --buffer done=4B:zero --buffer ok=4B expect ok==1
// gpx: --entry double_sum --grid 1 --block 128 --buffer a=1KB:index --buffer ok=512B expect ok==1
// gpx: --entry and_or_xor --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry votes --grid 1 --block 96 --buffer ok=384B expect ok==1
// gpx: --entry strided_rows --grid 8 --block 64 --buffer a=8KB:index --buffer ok=2KB --arg columns=256 expect ok==1
// gpx: --entry columns --grid 2 --block 64 --buffer a=16KB:index --buffer ok=512B --arg rows=32 expect ok==1
// gpx: --entry mean_variance --grid 1 --block 256 --buffer a=1KB:index --buffer ok=1KB expect ok==1
// gpx: --entry reduce_instance<128> --grid 2 --block 128 --buffer a=1KB:index --buffer ok=1KB expect ok==1
// gpx: --entry redux --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void shared_tree(const int* a, int* ok) {
  __shared__ int s[256];
  int t = threadIdx.x, first = blockIdx.x * 256;
  s[t] = a[first + t];
  __syncthreads();
  for (int half = 128; half > 0; half >>= 1) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  ok[first + t] = s[0] == 256 * first + 255 * 128;
}

extern "C" __global__ void warp_shuffle(const int* a, int* ok) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = a[i];
  for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
  ok[i] = v == 32 * (i & ~31) + 496;
}

extern "C" __global__ void atomic_total(const int* a, unsigned long long* total, unsigned* count,
                                        int* ok) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  atomicAdd(total, (unsigned long long)a[i]);
  __threadfence();
  if (atomicAdd(count, 1u) == n - 1) *ok = atomicAdd(total, 0ull) == n * (n - 1ull) / 2;
}

extern "C" __global__ void maximum(const int* a, int* ok) {
  __shared__ int best;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) best = -2147483647 - 1;
  __syncthreads();
  atomicMax(&best, a[i]);
  __syncthreads();
  ok[i] = best == -3 * (int)(blockIdx.x * blockDim.x);
}

extern "C" __global__ void minimum_place(const int* a, int* ok) {
  __shared__ int value[256], place[256];
  int t = threadIdx.x;
  value[t] = a[t], place[t] = t;
  __syncthreads();
  for (int half = 128; half > 0; half >>= 1) {
    if (t < half && value[t + half] < value[t]) {
      value[t] = value[t + half];
      place[t] = place[t + half];
    }
    __syncthreads();
  }
  ok[t] = value[0] == 0 && a[place[0]] == 0;
}

extern "C" __global__ void two_steps(const int* a, int* part, unsigned* done, int* ok) {
  __shared__ int s[64];
  __shared__ bool last;
  int t = threadIdx.x;
  s[t] = a[blockIdx.x * 64 + t];
  __syncthreads();
  for (int half = 32; half > 0; half >>= 1) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) {
    part[blockIdx.x] = s[0];
    __threadfence();
    last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || t != 0) return;
  int sum = 0;
  for (int b = 0; b < gridDim.x; ++b) sum += ((volatile int*)part)[b];
  int n = gridDim.x * 64;
  *ok = sum == n * (n - 1) / 2;
}

extern "C" __global__ void double_sum(const double* a, int* ok) {
  __shared__ double s[128];
  int t = threadIdx.x;
  s[t] = a[t] * a[t];
  __syncthreads();
  for (int d = 1; d < 128; d *= 2) {
    if (t % (2 * d) == 0) s[t] += s[t + d];
    __syncthreads();
  }
  ok[t] = s[0] == 127.0 * 128.0 * 255.0 / 6.0;
}

extern "C" __global__ void and_or_xor(int* ok) {
  __shared__ unsigned all, any, odd;
  int t = threadIdx.x;
  if (t == 0) all = 0xffffffffu, any = 0, odd = 0;
  __syncthreads();
  atomicAnd(&all, ~(1u << (t & 7)));
  atomicOr(&any, 1u << (t & 15));
  atomicXor(&odd, (unsigned)t);
  __syncthreads();
  ok[t] = all == 0xffffff00u && any == 0xffffu && odd == 0;
}

extern "C" __global__ void votes(int* ok) {
  int t = threadIdx.x;
  unsigned even = __ballot_sync(0xffffffffu, t % 2 == 0);
  bool all = __all_sync(0xffffffffu, t < 96), any = __any_sync(0xffffffffu, (t & 31) == 31);
  int count = __syncthreads_count(t % 3 == 0);
  ok[t] = even == 0x55555555u && all && any && count == 32;
}

extern "C" __global__ void strided_rows(const int* a, int* ok, int columns) {
  __shared__ int s[2];
  int row = blockIdx.x, sum = 0;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += a[row * columns + c];
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if ((threadIdx.x & 31) == 0) s[threadIdx.x >> 5] = sum;
  __syncthreads();
  ok[row * 64 + threadIdx.x] =
      s[0] + s[1] == columns * row * columns + columns * (columns - 1) / 2;
}

extern "C" __global__ void columns(const int* a, int* ok, int rows) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, width = gridDim.x * blockDim.x, sum = 0;
  for (int r = 0; r < rows; ++r) sum += a[r * width + c];
  ok[c] = sum == rows * c + width * rows * (rows - 1) / 2;
}

extern "C" __global__ void mean_variance(const float* a, int* ok) {
  __shared__ float sum[256], square[256];
  int t = threadIdx.x;
  sum[t] = a[t], square[t] = a[t] * a[t];
  __syncthreads();
  for (int half = 128; half > 0; half >>= 1) {
    if (t < half) sum[t] += sum[t + half], square[t] += square[t + half];
    __syncthreads();
  }
  float mean = sum[0] / 256, variance = square[0] / 256 - mean * mean;
  ok[t] = mean == 127.5f && fabsf(variance - 5461.25f) < 1;
}

template <int Size>
__global__ void reduce_instance(const int* a, int* ok) {
  __shared__ int s[Size];
  int t = threadIdx.x, first = blockIdx.x * Size;
  s[t] = a[first + t];
  __syncthreads();
#pragma unroll
  for (int half = Size / 2; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  ok[first + t] = s[0] == Size * first + Size * (Size - 1) / 2;
}
template __global__ void reduce_instance<128>(const int*, int*);

extern "C" __global__ void redux(int* ok) {
  int t = threadIdx.x;
  unsigned sum = __reduce_add_sync(0xffffffffu, (unsigned)(t & 31));
  unsigned top = __reduce_max_sync(0xffffffffu, (unsigned)t);
  unsigned either = __reduce_or_sync(0xffffffffu, 1u << (t & 7));
  ok[t] = sum == 496 && top == (unsigned)(t | 31) && either == 255;
}
