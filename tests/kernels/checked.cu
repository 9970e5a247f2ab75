// Kernels whose results are compared: right, wrong in one place, in place.
#include <cuda_fp16.h>

extern "C" __global__ void scale(float* out, const float* in, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = by * in[i];
}

extern "C" __global__ void only_first(float* out, const float* in, float by, int n) {
  if (blockIdx.x == 0 && threadIdx.x == 0) out[0] = by * in[0];
}

extern "C" __global__ void nearly(float* out, const float* in, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = by * in[i] * (i == 100 ? 1.001f : 1.0f);
}

extern "C" __global__ void increment(int* values) {
  ++values[blockIdx.x * blockDim.x + threadIdx.x];
}

struct Inner {
  double d;
  short s;
};
struct Outer {
  char c;
  Inner inner;
  float4 v;
  int* p;
};
enum Mode { slow, fast = 7 };

__global__ void take(unsigned long long* o, __half h, bool b, unsigned long long m, Mode mode,
                     float f, float4 v, Outer s, const int* none) {
  o[0] = (unsigned long long)(__half2float(h) * 1000);
  o[1] = b;
  o[2] = m;
  o[3] = mode;
  o[4] = __float_as_uint(f);
  o[5] = (unsigned long long)(v.x + 10 * v.y + 100 * v.z + 1000 * v.w);
  o[6] = s.c + (unsigned long long)s.inner.d + s.inner.s + (unsigned long long)s.v.w + s.p[3];
  o[7] = none == nullptr;
}

extern "C" __global__ void place(int* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
      z = blockIdx.z * blockDim.z + threadIdx.z;
  int w = gridDim.x * blockDim.x, h = gridDim.y * blockDim.y, i = (z * h + y) * w + x;
  out[i] = i;
}
