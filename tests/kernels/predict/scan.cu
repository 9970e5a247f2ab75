// Prefix sums within blocks.
__global__ void scan_steps(float* out, const float* in, int n) {
  __shared__ float part[2][512];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  int from = 0;
  part[0][t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int d = 1; d < blockDim.x; d *= 2) {
    part[1 - from][t] = part[from][t] + (t >= d ? part[from][t - d] : 0);
    from = 1 - from;
    __syncthreads();
  }
  if (i < n) out[i] = part[from][t];
}

// Up and down a tree, two elements a thread (Blelloch): strides that conflict.
__global__ void scan_tree(int* out, const int* in, int n) {
  extern __shared__ int part[];
  const int t = threadIdx.x, size = 2 * blockDim.x, base = blockIdx.x * size;
  part[2 * t] = in[base + 2 * t];
  part[2 * t + 1] = in[base + 2 * t + 1];
  int step = 1;
  for (int d = size / 2; d > 0; d /= 2, step *= 2) {
    __syncthreads();
    if (t < d) part[step * (2 * t + 2) - 1] += part[step * (2 * t + 1) - 1];
  }
  if (t == 0) part[size - 1] = 0;
  for (int d = 1; d < size; d *= 2) {
    step /= 2;
    __syncthreads();
    if (t < d) {
      const int a = step * (2 * t + 1) - 1, b = step * (2 * t + 2) - 1, left = part[a];
      part[a] = part[b];
      part[b] += left;
    }
  }
  __syncthreads();
  out[base + 2 * t] = part[2 * t];
  out[base + 2 * t + 1] = part[2 * t + 1];
}

__global__ void scan_warps(int* out, const int* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  int value = i < n ? in[i] : 0;
  for (int d = 1; d < 32; d *= 2) {
    const int left = __shfl_up_sync(0xffffffffu, value, d);
    if (lane >= d) value += left;
  }
  if (i < n) out[i] = value;
}
