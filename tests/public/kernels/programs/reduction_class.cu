// gpx: --entry reduce --grid 8 --block 128 --buffer in=16KB:uniform(0,1) --buffer out=1KB:zero --arg n=4096
#include <cuda_runtime.h>
#include <chrono>
#include <string>
#include <memory>
#include <stdexcept>
class Timer {
 public:
  Timer() : start_(std::chrono::high_resolution_clock::now()) {}
  double seconds() const { return std::chrono::duration<double>(std::chrono::high_resolution_clock::now() - start_).count(); }
 private:
  std::chrono::time_point<std::chrono::high_resolution_clock> start_;
};
template <typename T> class DeviceBuffer {
 public:
  explicit DeviceBuffer(size_t n) : n_(n) { if (cudaMalloc(&p_, n * sizeof(T)) != cudaSuccess) throw std::runtime_error("alloc"); }
  ~DeviceBuffer() { cudaFree(p_); }
  T *get() { return p_; }
  __host__ __device__ size_t size() const { return n_; }
 private:
  T *p_; size_t n_;
};
__global__ void reduce(const float *__restrict__ in, float *out, int n) {
  extern __shared__ float unused[];
  __shared__ float s[128];
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += in[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = 64; k > 0; k >>= 1) { if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k]; __syncthreads(); }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
int main() {
  Timer t; DeviceBuffer<float> in(1 << 20), out(256);
  reduce<<<256, 128>>>(in.get(), out.get(), 1 << 20);
  printf("%f\n", t.seconds());
}
