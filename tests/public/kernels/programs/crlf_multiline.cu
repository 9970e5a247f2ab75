// gpx: --entry saxpy --grid 2 --block 128 --buffer x=1KB:uniform(0,1) --buffer y=1KB:uniform(0,1) --arg n=256 --arg a=2
#include <stdio.h>
#define SAXPY(i) \
  do { \
    y[i] = a * x[i] + y[i]; \
  } while (0)
__global__ void saxpy(int n, float a, float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) SAXPY(i);
}
int main(void) {
  saxpy<<<1, 1>>>(1, 2.0f, NULL, NULL);
  printf("done \
now\n");
}
