// gpx: --entry iota --grid 1 --block 32 --buffer p=128B --arg n=32
template <typename F> __global__ void generic(int n, F f) { for (int i = threadIdx.x; i < n; i += blockDim.x) f(i); }
template <typename F> void parallel_for(int n, F f) { generic<<<1, 32>>>(n, f); cudaDeviceSynchronize(); }
__global__ void iota(int *p, int n) { if (threadIdx.x < n) p[threadIdx.x] = threadIdx.x; }
int main() { int *p; cudaMallocManaged(&p, 128); parallel_for(32, [=] __device__(int i) { p[i] = i; }); iota<<<1, 32>>>(p, 32); }
