// Rows, records and planes of odd widths.

// A rectangle out of a larger picture: rows of `width` words, `pitch` apart on both sides.
__global__ void copy_window(unsigned* out, const unsigned* in, int width, int height, int to_pitch,
                            int from_pitch) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[(size_t)y * to_pitch + x] = in[(size_t)y * from_pitch + x];
}

// Records of 80 bytes in another order, five lanes a record.
__global__ void gather_records(uint4* out, const uint4* in, const unsigned* order, int n,
                               unsigned mask) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 5 * n) return;
  out[i] = in[(size_t)(order[i / 5] & mask) * 5 + i % 5];
}

// Triples of floats scaled by their length, 12 bytes a thread.
__global__ void scale_triples(float3* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float3 v = data[i];
  const float k = rsqrtf(v.x * v.x + v.y * v.y + v.z * v.z + 1e-9f);
  data[i] = make_float3(v.x * k, v.y * k, v.z * k);
}

// Doubles of every `step`-th place, each thread eight of them, far apart.
__global__ void pick_doubles(double* out, const double* in, int n, int step) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  double sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const size_t at = ((size_t)k * threads + i) * step;
    if (at < n) sum += in[at];
  }
  out[i] = sum;
}
