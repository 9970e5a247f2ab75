// What the files of kernels begin with: each thread reads two words, and writes 16.
#pragma once

#define K extern "C" __global__ void
#define T                                                                         \
  const unsigned t = threadIdx.x, g = blockIdx.x * blockDim.x + t, a = in[2 * g], \
                 b = in[2 * g + 1];                                               \
  unsigned* const o = out + 16 * g
#define ARGS unsigned *out, const unsigned *in
typedef unsigned long long u64;
