// Few blocks, uneven blocks, loops that end early.

// A few blocks read all of an array, each a part of its own.
__global__ void few_readers(float* out, const float4* in, int quads) {
  const int each = quads / gridDim.x;
  const float4* mine = in + (size_t)blockIdx.x * each;
  float a = 0, b = 0;
  for (int i = threadIdx.x; i < each; i += blockDim.x) {
    const float4 v = mine[i];
    a += v.x * v.y, b += v.z * v.w;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = a + b;
}

// Lists followed by one lane of each warp, a little arithmetic at every entry.
__global__ void one_lane_lists(float* out, const unsigned* next, const float* value, int hops,
                               int n) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (threadIdx.x % 32) return;
  unsigned at = warp * 7919 % n;
  float v = 1;
  for (int k = 0; k < hops; ++k) {
    v = fmaf(v, 0.5f, sqrtf(value[at]));
    at = next[at];
  }
  out[warp] = v;
}

// Blocks whose work is a power of a number of their own: a few take far longer than the others.
__global__ void steep_blocks(float* out, const float* in, int most) {
  const unsigned h = (blockIdx.x + 1) * 2654435761u >> 16;
  const float u = h * (1.0f / 65536);
  const int rounds = 1 + (int)(most * u * u * u * u * u * u);
  float v = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int k = 0; k < rounds; ++k) v = __sinf(v) * 1.1f + 0.3f;
  out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

// Each block searches its rows for a word that is small enough and stops at the first it finds.
__global__ void first_small(int* out, const unsigned* in, int rounds, unsigned limit) {
  const size_t base = (size_t)blockIdx.x * rounds * blockDim.x;
  int k = 0;
  for (; k < rounds; ++k)
    if (__syncthreads_or(in[base + k * blockDim.x + threadIdx.x] < limit)) break;
  if (threadIdx.x == 0) out[blockIdx.x] = k;
}
