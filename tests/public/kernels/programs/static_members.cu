// gpx: --entry Kernel --grid 1 --block 32 --buffer q=128B
struct Config { static const int kBlock = 32; static constexpr float kScale = 0.25f; static int instances; Config() { ++instances; } };
int Config::instances = 0;
struct Queue { int *items; int size; __device__ bool push(int v) { int at = atomicAdd(&size, 1); if (at >= Config::kBlock) return false; items[at] = v; return true; } void grow() { cudaMemcpy(items, items, size, cudaMemcpyDefault); } };
__global__ void Kernel(float *q) { __shared__ int store[Config::kBlock]; __shared__ Queue s; if (threadIdx.x == 0) { s.items = store; s.size = 0; } __syncthreads(); s.push(threadIdx.x); __syncthreads(); q[threadIdx.x] = store[threadIdx.x] * Config::kScale; }
int main() { Config c; Queue q; q.grow(); return Config::instances; }
