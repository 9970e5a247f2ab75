// gpx: --entry axpy --grid 1 --block 32 --buffer values=128B:uniform(0,1) --arg factor=2 --arg count=32
__global__ void axpy(float *, float, int);
__global__ void axpy(float *v, float f, int n);
void run(float *p) { axpy<<<1, 32>>>(p, 2.f, 32); }
__device__ float twice(float);
__global__ void axpy(float *values, float factor, int count) { if (threadIdx.x < count) values[threadIdx.x] = twice(values[threadIdx.x]) * factor; }
__device__ float twice(float x) { return 2 * x; }
