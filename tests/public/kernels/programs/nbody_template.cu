// gpx: --entry integrateBodies<float> --grid 2 --block 32 --buffer newPos=1KB --buffer oldPos=1KB:uniform(0,1) --buffer vel=1KB:uniform(0,1) --arg deviceOffset=0 --arg deviceNumBodies=64 --arg deltaTime=0.1 --arg damping=0.9 --arg numTiles=2
#include <stdlib.h>
#include <GL/glew.h>
__constant__ float softeningSquared;
template <class T> struct SharedMemory {
  __device__ inline operator T *() { extern __shared__ int __smem[]; return (T *)__smem; }
  __device__ inline operator const T *() const { extern __shared__ int __smem[]; return (T *)__smem; }
};
template <typename T> struct vec3 { typedef float Type; };
template <> struct vec3<float> { typedef float3 Type; };
template <> struct vec3<double> { typedef double3 Type; };
template <typename T> struct vec4 { typedef float Type; };
template <> struct vec4<float> { typedef float4 Type; };
template <> struct vec4<double> { typedef double4 Type; };
template <typename T> __device__ T rsqrt_T(T x) { return rsqrt(x); }
template <> __device__ float rsqrt_T<float>(float x) { return rsqrtf(x); }
template <typename T> __device__ typename vec3<T>::Type interaction(typename vec3<T>::Type ai, typename vec4<T>::Type bi, typename vec4<T>::Type bj) {
  typename vec3<T>::Type r; r.x = bj.x - bi.x; r.y = bj.y - bi.y; r.z = bj.z - bi.z;
  T inv = rsqrt_T<T>(r.x * r.x + r.y * r.y + r.z * r.z + T(0.1)); T s = bj.w * inv * inv * inv;
  ai.x += r.x * s; ai.y += r.y * s; ai.z += r.z * s; return ai;
}
template <typename T> __global__ void integrateBodies(typename vec4<T>::Type *__restrict__ newPos, typename vec4<T>::Type *__restrict__ oldPos, typename vec4<T>::Type *vel, unsigned int deviceOffset, unsigned int deviceNumBodies, float deltaTime, float damping, int numTiles) {
  int index = blockIdx.x * blockDim.x + threadIdx.x; if (index >= deviceNumBodies) return;
  __shared__ typename vec4<T>::Type sh[32];
  typename vec4<T>::Type p = oldPos[deviceOffset + index]; typename vec3<T>::Type acc = {0.0f, 0.0f, 0.0f};
  for (int tile = 0; tile < numTiles; tile++) {
    sh[threadIdx.x] = oldPos[tile * blockDim.x + threadIdx.x]; __syncthreads();
    for (unsigned c = 0; c < blockDim.x; c++) acc = interaction<T>(acc, p, sh[c]);
    __syncthreads();
  }
  p.x += acc.x * deltaTime * damping; newPos[deviceOffset + index] = p; vel[deviceOffset + index].w = p.w;
}
template <typename T> void integrateNbodySystem(DeviceData<T> *deviceData, cudaGraphicsResource **pgres, unsigned int currentRead, float deltaTime) {
  for (int dev = 0; dev < 2; dev++) integrateBodies<T><<<2, 32>>>((typename vec4<T>::Type *)deviceData[dev].dPos[0], 0, 0, 0, 64, deltaTime, 1.f, 2);
}
template void integrateNbodySystem<float>(DeviceData<float> *, cudaGraphicsResource **, unsigned int, float);
