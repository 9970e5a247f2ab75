// Gates between layers, and states carried along a sequence.
#include <cuda_fp16.h>

__device__ inline float sigmoid(float v) {
  return __fdividef(1.0f, 1.0f + __expf(-v));
}

// Rows of tokens in the order of their experts: 16 bytes a thread, rows apart.
__global__ void gather_tokens(uint4* out, const uint4* in, const unsigned* order, int quads,
                              unsigned mask) {
  const size_t from = (size_t)(order[blockIdx.x] & mask) * quads;
  for (int i = threadIdx.x; i < quads; i += blockDim.x)
    out[(size_t)blockIdx.x * quads + i] = in[from + i];
}

// Cells of a long short-term memory: four gates of each, the state in place.
__global__ void memory_cells(float* hidden, float* state, const float* gate, int units, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float* mine = gate + (size_t)(i / units) * 4 * units + i % units;
  const float in = sigmoid(mine[0]), forget = sigmoid(mine[units]), add = tanhf(mine[2 * units]),
              show = sigmoid(mine[3 * units]);
  const float c = forget * state[i] + in * add;
  state[i] = c;
  hidden[i] = show * tanhf(c);
}

// A selective scan: a channel a thread, sixteen states in registers, one token after the other.
__global__ void scan_states(float* out, const float* in, const float* rate, const float* b,
                            const float* c, int channels, int steps) {
  const int ch = blockIdx.x * blockDim.x + threadIdx.x, batch = blockIdx.y;
  if (ch >= channels) return;
  float h[16] = {}, decay[16];
#pragma unroll
  for (int k = 0; k < 16; ++k) decay[k] = -(k + 1) * (0.5f + rate[ch]);
  for (int s = 0; s < steps; ++s) {
    const size_t row = (size_t)batch * steps + s;
    const float x = in[row * channels + ch], step = 0.01f + 0.05f * x;
    float y = 0;
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      h[k] = h[k] * __expf(step * decay[k]) + step * b[row * 16 + k] * x;
      y = fmaf(h[k], c[row * 16 + k], y);
    }
    out[row * channels + ch] = y;
  }
}
