// gpx: --entry multiply --grid 1 --block 32 --buffer a=256B:uniform(0,1) --buffer b=256B:uniform(0,1) --arg n=32 --arg scale=0.5
#include <cuComplex.h>
#include <complex>
typedef float2 Complex;
static __device__ __host__ inline Complex ComplexScale(Complex a, float s) { Complex c; c.x = s * a.x; c.y = s * a.y; return c; }
static __device__ __host__ inline Complex ComplexMul(Complex a, Complex b) { Complex c; c.x = a.x * b.x - a.y * b.y; c.y = a.x * b.y + a.y * b.x; return c; }
__global__ void multiply(Complex *a, const Complex *b, int n, float scale) {
  const int numThreads = blockDim.x * gridDim.x, threadID = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = threadID; i < n; i += numThreads) { a[i] = ComplexScale(ComplexMul(a[i], b[i]), scale); cuFloatComplex c = cuCmulf(a[i], b[i]); a[i].x += c.x; }
}
std::complex<double> reference(std::complex<double> a) { return a * a; }
int PadData(const Complex *signal, Complex **padded, int n) { *padded = (Complex *)malloc(sizeof(Complex) * n); memcpy(*padded, signal, n); return n; }
