// gpx: --entry csr_scalar --grid 2 --block 32 --buffer ok=256B expect ok==1
// gpx: --entry csr_vector --grid 4 --block 32 --buffer ok=512B expect ok==1
// gpx: --entry ellpack --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry coordinate --grid 1 --block 64 --buffer y=256B:0 --buffer ok=256B expect ok==1
// gpx: --entry diagonals --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry blocked --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry symmetric --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry transpose_times --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry row_pointers --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry merge_path --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry power_iteration --grid 1 --block 32 --buffer ok=128B expect ok==1
// Row r of these matrices has r % 5 entries: columns (r + 3 k) % n, values r + k.
__device__ int row_length(int r) { return r % 5; }
__device__ int first_of(int r) { return r / 5 * 10 + (r % 5) * (r % 5 - 1) / 2; }
__device__ float expected_row(int r, int n) {
  float sum = 0;
  for (int k = 0; k < row_length(r); ++k) sum += (float)(r + k) * ((r + 3 * k) % n + 1);
  return sum;
}

__device__ int columns_of[1024];
__device__ float values_of[1024];
extern "C" __global__ void csr_scalar(int* ok) {
  int r = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  for (int k = 0; k < row_length(r); ++k) {
    columns_of[first_of(r) + k] = (r + 3 * k) % n;
    values_of[first_of(r) + k] = r + k;
  }
  float sum = 0;
  for (int i = first_of(r); i < first_of(r + 1); ++i) sum += values_of[i] * (columns_of[i] + 1);
  ok[r] = sum == expected_row(r, n);
}

extern "C" __global__ void csr_vector(int* ok) {
  int lane = threadIdx.x;
  for (int r = blockIdx.x * 32; r < blockIdx.x * 32 + 32; ++r) {
    float v = lane < row_length(r) ? (float)(r + lane) * ((r + 3 * lane) % 128 + 1) : 0;
    for (int d = 4; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
    if (lane == 0) ok[r] = v == expected_row(r, 128);
  }
}

extern "C" __global__ void ellpack(int* ok) {
  __shared__ int column[4][64];
  __shared__ float value[4][64];
  int r = threadIdx.x;
  for (int k = 0; k < 4; ++k) {
    column[k][r] = k < row_length(r) ? (r + 3 * k) % 64 : -1;
    value[k][r] = r + k;
  }
  float sum = 0;
  for (int k = 0; k < 4; ++k)
    if (column[k][r] >= 0) sum += value[k][r] * (column[k][r] + 1);
  ok[r] = sum == expected_row(r, 64);
}

extern "C" __global__ void coordinate(float* y, int* ok) {
  int t = threadIdx.x;
  for (int i = t; i < first_of(64); i += 64) {
    int r = 0;
    while (first_of(r + 1) <= i) ++r;
    int k = i - first_of(r);
    atomicAdd(&y[r], (float)(r + k) * ((r + 3 * k) % 64 + 1));
  }
  __syncthreads();
  ok[t] = y[t] == expected_row(t, 64);
}

extern "C" __global__ void diagonals(int* ok) {
  const int offset[3] = {-2, 0, 5};
  const float value[3] = {1, -3, 2};
  int r = threadIdx.x;
  float sum = 0, expected = -3.0f * r;
  for (int d = 0; d < 3; ++d) {
    int c = r + offset[d];
    if (c >= 0 && c < 64) sum += value[d] * c;
  }
  if (r >= 2) expected += r - 2;
  if (r + 5 < 64) expected += 2 * (r + 5);
  ok[r] = sum == expected;
}

extern "C" __global__ void blocked(int* ok) {
  __shared__ float x[32];
  int t = threadIdx.x, block = t / 4, i = t % 4;
  x[t] = t;
  __syncthreads();
  float sum = 0, expected = 0;
  for (int j = 0; j < 4; ++j) sum += (i + 1) * x[(block ^ 1) * 4 + j];
  for (int j = 0; j < 4; ++j) expected += (i + 1) * ((block ^ 1) * 4 + j);
  ok[t] = sum == expected;
}

extern "C" __global__ void symmetric(int* ok) {
  __shared__ float y[32];
  int t = threadIdx.x;
  y[t] = 2.0f * t;
  __syncthreads();
  if (t + 1 < 32) {
    atomicAdd(&y[t], -1.0f * (t + 1));
    atomicAdd(&y[t + 1], -1.0f * t);
  }
  __syncthreads();
  ok[t] = y[t] == (t == 31 ? 32.0f : t == 0 ? -1.0f : 0.0f);
}

extern "C" __global__ void transpose_times(int* ok) {
  __shared__ int y[32];
  int r = threadIdx.x;
  y[r] = 0;
  __syncthreads();
  for (int k = 0; k < row_length(r); ++k) atomicAdd(&y[(r + 3 * k) % 32], r + k);
  __syncthreads();
  int expected = 0;
  for (int q = 0; q < 32; ++q)
    for (int k = 0; k < row_length(q); ++k)
      if ((q + 3 * k) % 32 == r) expected += q + k;
  ok[r] = y[r] == expected;
}

extern "C" __global__ void row_pointers(int* ok) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = row_length(t);
  for (int d = 1; d < 64; d *= 2) {
    __syncthreads();
    int v = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += v;
  }
  __syncthreads();
  ok[t] = s[t] == first_of(t + 1);
}

// Each thread takes as many rows and entries together as the others.
extern "C" __global__ void merge_path(int* ok) {
  __shared__ float y[64];
  int t = threadIdx.x, total = 64 + first_of(64), each = (total + 31) / 32;
  y[t] = y[t + 32] = 0;
  __syncthreads();
  int diagonal = min(t * each, total), end = min(diagonal + each, total);
  int low = max(0, diagonal - first_of(64)), high = min(diagonal, 64);
  while (low < high) {
    int r = (low + high) / 2;
    if (first_of(r + 1) <= diagonal - 1 - r)
      low = r + 1;
    else
      high = r;
  }
  int r = low, i = diagonal - low;
  float sum = 0;
  for (; diagonal < end; ++diagonal) {
    if (r < 64 && i >= first_of(r + 1)) {
      atomicAdd(&y[r++], sum);
      sum = 0;
    } else {
      int k = i++ - first_of(r);
      sum += (float)(r + k) * ((r + 3 * k) % 64 + 1);
    }
  }
  if (r < 64) atomicAdd(&y[r], sum);
  __syncthreads();
  ok[t] = y[t] == expected_row(t, 64) && y[t + 32] == expected_row(t + 32, 64);
}

extern "C" __global__ void power_iteration(int* ok) {
  __shared__ float x[32];
  int t = threadIdx.x;
  x[t] = t == 0;
  for (int step = 0; step < 200; ++step) {
    __syncthreads();
    float v = 0.5f * x[t] + 0.25f * (x[(t + 1) % 32] + x[(t + 31) % 32]);
    __syncthreads();
    x[t] = v;
  }
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 32; ++i) sum += x[i];
  ok[t] = fabsf(sum - 1) < 1e-4f && fabsf(x[t] - 1.0f / 32) < 2e-2f;
}
