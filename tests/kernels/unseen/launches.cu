// Shapes of grids and of control flow: few, many, uneven, divergent, deep.

// Nearly all blocks find that there is nothing to do.
__global__ void seldom(float* data, const unsigned* wanted, unsigned every) {
  if (wanted[blockIdx.x] % every != 0) return;
  float v = data[blockIdx.x * blockDim.x + threadIdx.x];
  for (int k = 0; k < 200; ++k) v = fmaf(v, 0.99f, 0.5f);
  data[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

// Fields of a struct that came by value; a grid of three extents and odd blocks.
struct Box {
  int nx, ny, nz;
  float low, high;
  float* data;
};
__global__ void clamp_box(Box box) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= box.nx || y >= box.ny || z >= box.nz) return;
  float* at = &box.data[((size_t)z * box.ny + y) * box.nx + x];
  *at = fminf(fmaxf(*at * 1.01f, box.low), box.high);
}

// A decision tree in the code: five levels of branches by data, other work at each leaf.
template <int DEPTH, int PATH>
__device__ float decide(unsigned h, float v) {
  if constexpr (DEPTH == 0) {
    for (int k = 0; k < 4 + PATH % 7; ++k) v = fmaf(v, 1.0f / (PATH + 2), 0.25f * PATH);
    return v;
  } else {
    return h & 1 ? decide<DEPTH - 1, PATH * 2 + 1>(h >> 1, v + 1)
                 : decide<DEPTH - 1, PATH * 2>(h >> 1, v * 0.5f);
  }
}
__global__ void decisions(float* out, const unsigned* in, int n, int together) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = decide<5, 1>(in[i / together], i);
}

// Functions by pointers: a lane's own or the warp's.
__device__ __noinline__ float grow(float v) {
  return v * 1.1f + sqrtf(fabsf(v));
}
__device__ __noinline__ float shrink(float v) {
  return v * 0.5f - 1.0f;
}
__device__ __noinline__ float wave(float v) {
  return __sinf(v) + v;
}
__device__ __noinline__ float quotient(float v) {
  return v / (1.0f + v * v);
}
typedef float (*Step)(float);
__global__ void by_pointers(float* out, const unsigned* in, int rounds, int of_lane) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const Step step[4] = {grow, shrink, wave, quotient};
  const unsigned h = in[of_lane ? t : t / 32];
  float v = t;
  for (int k = 0; k < rounds; ++k) v = step[h >> (2 * (k % 16)) & 3](v);
  out[t] = v;
}

// As many rounds as a hash says, other for each lane; shuffles after that.
__global__ void uneven_lanes(float* out, const unsigned* in, unsigned mask) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float v = t, w = 1;
  const unsigned rounds = in[t] & mask;
  for (unsigned k = 0; k < rounds; ++k) v = fmaf(v, w, 0.1f), w = fmaf(w, 0.9f, v * 1e-6f);
  __syncwarp();
  for (int step = 16; step > 0; step /= 2) v += __shfl_xor_sync(~0u, v, step);
  out[t] = v;
}

// One block does the work of a grid, in a loop over rows with a barrier each.
__global__ void one_block(float* data, int rows, int columns) {
  __shared__ float top;
  for (int r = 1; r < rows; ++r) {
    if (threadIdx.x == 0) top = data[(size_t)(r - 1) * columns];
    __syncthreads();
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
      data[(size_t)r * columns + c] = 0.5f * (data[(size_t)(r - 1) * columns + c] + top * 0.1f);
    __syncthreads();
  }
}

// Naps between reads of a word: a warp for a block.
__global__ void naps(unsigned* out, const unsigned* in, int times) {
  unsigned sum = 0;
  for (int k = 0; k < times; ++k) {
    sum += in[(blockIdx.x + k) & 1023];
    __nanosleep(500);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Calls of itself, to a depth that each warp has for itself; frames in local memory.
__device__ __noinline__ int ways(int n, int k) {
  if (k == 0 || k == n) return 1;
  return ways(n - 1, k - 1) + ways(n - 1, k);
}
__global__ void choose(int* out, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = ways(n, 1 + t / 32 % 3);
}

// More registers than usual: 100 sums of a thread, all indices known.
__global__ void __launch_bounds__(256) many_sums(float* out, const float* in, int rounds) {
  float s[100];
#pragma unroll
  for (int k = 0; k < 100; ++k) s[k] = in[k * 256 + threadIdx.x];
  for (int r = 0; r < rounds; ++r) {
    const float v = in[r * 256 + threadIdx.x];
#pragma unroll
    for (int k = 0; k < 100; ++k) s[k] = fmaf(s[k], v, s[(k + 7) % 100]);
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 100; ++k) sum += s[k];
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}

// The same with 32 registers: the compiler must put most of them into local memory.
__global__ void __launch_bounds__(1024, 2) few_registers(float* out, const float* in, int rounds) {
  float s[48];
#pragma unroll
  for (int k = 0; k < 48; ++k) s[k] = in[k * 1024 + threadIdx.x];
  for (int r = 0; r < rounds; ++r) {
    const float v = in[r * 1024 + threadIdx.x];
#pragma unroll
    for (int k = 0; k < 48; ++k) s[k] = fmaf(s[k], v, s[(k + 5) % 48]);
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 48; ++k) sum += s[k];
  out[blockIdx.x * 1024 + threadIdx.x] = sum;
}

// Triangular work: block b does b rounds, the longest last or first.
__global__ void rising_work(float* out, int most, int falling) {
  const int rounds =
      falling ? most * (gridDim.x - blockIdx.x) / gridDim.x : most * blockIdx.x / gridDim.x;
  float v = threadIdx.x;
  for (int k = 0; k < rounds; ++k) v = fmaf(v, 0.9f, sqrtf(v));
  out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
