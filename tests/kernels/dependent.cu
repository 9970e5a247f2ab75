// Grids whose blocks depend on each other, and grids in which a few blocks do nearly all the work.

// Every block counts itself; the last one does all the rest.
__global__ void last_block(int *count, float *out, int rounds) {
  __shared__ bool last;
  if (threadIdx.x == 0) last = atomicAdd(count, 1) == gridDim.x - 1;
  __syncthreads();
  out[blockIdx.x * 32 + threadIdx.x] = threadIdx.x;
  if (last)
    for (int i = 0; i < rounds; ++i) out[threadIdx.x] = out[threadIdx.x] * 0.5f + i;
}

// Each block waits for the one before it, as a scan in one pass does.
__global__ void chain(volatile int *done) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x > 0)
    while (done[blockIdx.x - 1] == 0) {
    }
  __threadfence();
  done[blockIdx.x] = 1;
}

// The first block waits for the second.
__global__ void poll(volatile int *flag) {
  if (blockIdx.x == 1)
    *flag = 1;
  else if (blockIdx.x == 0 && threadIdx.x == 0)
    while (*flag == 0) {
    }
}

// One block in `every` has work.
__global__ void needle(float *out, int every, int work) {
  float sum = threadIdx.x;
  if (blockIdx.x % every == every / 2)
    for (int i = 0; i < work; ++i) sum = sum * 1.5f + 1;
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void empty() {}
