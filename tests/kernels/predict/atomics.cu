// Atomics on few and on many addresses.
__global__ void count_few(unsigned* out, int words, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < rounds; ++k) atomicAdd(&out[(i + k) % words], 1u);
}

__global__ void add_floats(float* out, const unsigned* where, int mask, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&out[where[i] & mask], 1.0f);
}

__global__ void maximum_of_rows(int* out, const int* in, int rows, int columns) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns) return;
  for (int r = blockIdx.y; r < rows; r += gridDim.y) atomicMax(&out[r], in[r * columns + c]);
}
