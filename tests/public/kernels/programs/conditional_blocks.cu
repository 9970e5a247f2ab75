// gpx: --entry step --grid 1 --block 32 --buffer a=128B:uniform(0,1)
#include <stdio.h>
#if defined(_WIN32)
#include <windows.h>
static double now() {
#else
#include <sys/time.h>
static double now() {
  struct timeval tv; gettimeofday(&tv, NULL);
#endif
#ifdef _WIN32
  return 0;
}
#else
  return tv.tv_sec + 1e-6 * tv.tv_usec;
}
#endif
#ifdef __cplusplus
extern "C" {
#endif
__global__ void step(float *a) {
#if __CUDA_ARCH__ >= 300
  a[threadIdx.x] += __shfl_xor_sync(~0u, a[threadIdx.x], 1);
#else
  a[threadIdx.x] += 1;
#endif
}
#ifdef __cplusplus
}
#endif
#ifndef NO_MAIN
int main() {
  double t = now();
#ifdef VERBOSE
  if (t > 3) {
#else
  {
#endif
    step<<<1, 32>>>(NULL);
  }
  printf("%f\n", now() - t);
}
#endif
