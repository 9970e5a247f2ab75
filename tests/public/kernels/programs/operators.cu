// gpx: --entry integrate --grid 1 --block 64 --buffer pos=1KB:uniform(0,1) --buffer vel=1KB:uniform(0,1) --arg dt=0.01
#include <cuda_runtime.h>
#include <math.h>
#include <ostream>
inline __host__ __device__ float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
inline __host__ __device__ float4 operator*(float4 a, float s) { return make_float4(a.x * s, a.y * s, a.z * s, a.w * s); }
inline __host__ __device__ void operator+=(float4 &a, float4 b) { a = a + b; }
inline __host__ __device__ float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
std::ostream &operator<<(std::ostream &os, const float4 &v) { return os << v.x << ' ' << v.y; }
__global__ void integrate(float4 *pos, float4 *vel, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = vel[i];
  if (dot(v, v) > 1.0f) v = v * rsqrtf(dot(v, v));
  pos[i] += v * dt;
}
int main() { integrate<<<1, 64>>>(nullptr, nullptr, 0.01f); }
