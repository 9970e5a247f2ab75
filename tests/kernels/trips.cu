// A loop whose trips are what the buffer holds: T is the type of its elements.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

struct Pair {
  float a, b;
};
typedef float real;

template <class U>
__device__ float number(U element) {
  return element;
}
__device__ float number(Pair element) {
  return element.a;
}
__device__ float number(__half2 element) {
  return __low2float(element);
}
__device__ float number(__nv_bfloat162 element) {
  return __low2float(element);
}

extern "C" __global__ void trips(float* out, const T* in, float scale) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int count = static_cast<int>(number(in[i]) * scale);
  float v = i;
#pragma unroll 1
  for (int k = 0; k < count; ++k) v = v * 1.5f + 1.0f;
  out[i] = v;
}
