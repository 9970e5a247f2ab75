// gpx: --entry sum --grid 2 --block 64 --buffer out=8B:zero --buffer in=512B:uniform(0,1)
#include <cooperative_groups.h>
#include <stdio.h>
namespace cg = cooperative_groups;
__inline__ __device__ float warpReduceSum(float v) { for (int o = warpSize / 2; o > 0; o /= 2) v += __shfl_down_sync(0xffffffff, v, o); return v; }
__global__ void sum(float *out, const float *in) {
  cg::thread_block cta = cg::this_thread_block();
  float v = warpReduceSum(in[blockIdx.x * blockDim.x + threadIdx.x]);
  __shared__ float s[32];
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  cg::sync(cta);
  if (threadIdx.x == 0) out[blockIdx.x] = s[0] + s[1];
}
int main() { float *a, *b; cudaMallocManaged(&a, 8); cudaMallocManaged(&b, 512); sum<<<2, 64>>>(a, b); printf("%f\n", a[0]); }
