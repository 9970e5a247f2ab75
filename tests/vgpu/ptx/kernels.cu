// Kernels that tests/vgpu/exec_kernels_test.cpp runs on the interpreter and compares with C++.
// kernels.ptx is `nvcc -ptx -arch=compute_75 kernels.cu` of CUDA 13.0.
#include <cuda_fp16.h>
#include <cuda_bf16.h>

extern "C" {

__global__ void matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float ta[16][16], tb[16][16];
  int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
  float sum = 0;
  for (int t = 0; t < n; t += 16) {
    ta[y][x] = row < n && t + x < n ? a[row * n + t + x] : 0.0f;
    tb[y][x] = col < n && t + y < n ? b[(t + y) * n + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += ta[y][k] * tb[k][x];
    __syncthreads();
  }
  if (row < n && col < n) c[row * n + col] = sum;
}

__global__ void reduce(const unsigned* in, unsigned long long* out, int n) {
  __shared__ unsigned long long partial[32];
  unsigned long long sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0;
    for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (threadIdx.x == 0) atomicAdd(out, sum);
  }
}

__global__ void histogram(const unsigned char* in, unsigned* out, int n) {
  __shared__ unsigned bins[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) bins[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&bins[in[i]], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&out[i], bins[i]);
}

__global__ void scan(const int* in, int* out, int n) {
  extern __shared__ int buffer[];
  int t = threadIdx.x;
  buffer[t] = t < n ? in[t] : 0;
  __syncthreads();
  for (int d = 1; d < blockDim.x; d <<= 1) {
    int v = t >= d ? buffer[t - d] : 0;
    __syncthreads();
    buffer[t] += v;
    __syncthreads();
  }
  if (t < n) out[t] = buffer[t];
}

__global__ void bitonic(int* data, int n) {
  extern __shared__ int keys[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) keys[i] = data[i];
  for (int k = 2; k <= n; k <<= 1) {
    for (int j = k >> 1; j > 0; j >>= 1) {
      __syncthreads();
      for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int l = i ^ j;
        if (l > i) {
          bool up = (i & k) == 0;
          if ((keys[i] > keys[l]) == up) {
            int t = keys[i];
            keys[i] = keys[l];
            keys[l] = t;
          }
        }
      }
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = keys[i];
}

struct Pair {
  int a;
  double b;
  unsigned char c[5];
};
__device__ __noinline__ unsigned fibonacci(unsigned n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__device__ __noinline__ Pair mix(Pair p, int k) {
  Pair q = p;
  q.a = p.a * k + p.c[k % 5];
  q.b = p.b / (k + 1);
  q.c[k % 5] = (unsigned char)(q.a >> 3);
  return q;
}
__global__ void calls(unsigned* out, double* d, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned r = i & 1 ? fibonacci(i % 12) : 7u;
  Pair p = {i, i * 0.5, {1, 2, 3, 4, 5}};
  for (int k = 0; k < i % 4; ++k) p = mix(p, k + i);
  out[i] = r * 1000003u + p.a + p.c[i % 5];
  d[i] = p.b;
}

__global__ void switches(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = in[i], r = 0;
  for (int k = 0; k < (v & 15); ++k) {
    switch ((v + k) % 11) {
      case 0: r += v; break;
      case 1: r ^= k * 77; break;
      case 2: r -= 3; if (r < 0) continue; r *= 2; break;
      case 3: r = r * 31 + 1; break;
      case 4: r |= 0x10; break;
      case 5: r &= ~0x4; break;
      case 6: if (k > 9) goto done; r += 9; break;
      case 7: r = -r; break;
      case 8: r <<= 1; break;
      case 9: r >>= 2; break;
      default: r += k; break;
    }
    while (r > 1000 && (r & 3)) r -= v & 7 ? v & 7 : 1;
  }
done:
  out[i] = r;
}

__global__ void halves(const __half* a, const __half* b, __half* out, __half2* out2, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __half x = a[i], y = b[i];
  __half s = __hadd(x, y), p = __hmul(x, y), f = __hfma(x, y, s), d = __hsub(p, x);
  out[i * 4 + 0] = s;
  out[i * 4 + 1] = p;
  out[i * 4 + 2] = f;
  out[i * 4 + 3] = __hlt(x, y) ? d : __hneg(d);
  __half2 v = __halves2half2(x, y);
  out2[i] = __hfma2(v, __hadd2(v, v), __float2half2_rn(0.25f));
}

__global__ void division(const long long* a, const long long* b, long long* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i * 4 + 0] = a[i] / b[i];
  out[i * 4 + 1] = a[i] % b[i];
  out[i * 4 + 2] = (long long)((unsigned long long)a[i] / (unsigned long long)b[i]);
  out[i * 4 + 3] = (int)a[i] / 7 + (int)a[i] % 13 + (int)((unsigned)a[i] / 1000000007u);
}

__global__ void doubles(const double* a, const double* b, double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i * 5 + 0] = sqrt(a[i]);
  out[i * 5 + 1] = a[i] / b[i];
  out[i * 5 + 2] = fma(a[i], b[i], 1.0);
  out[i * 5 + 3] = floor(a[i]) + trunc(b[i]) + rint(a[i] * 0.5);
  out[i * 5 + 4] = (double)(long long)(a[i] * 1e3) + (double)(float)b[i];
}

__global__ void functions(const float* a, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = a[i];
  out[i * 8 + 0] = sinf(x);
  out[i * 8 + 1] = expf(x);
  out[i * 8 + 2] = logf(fabsf(x) + 1);
  out[i * 8 + 3] = sqrtf(fabsf(x));
  out[i * 8 + 4] = x / 3.0f;
  out[i * 8 + 5] = powf(fabsf(x) + 0.5f, 1.5f);
  out[i * 8 + 6] = tanhf(x);
  out[i * 8 + 7] = __sinf(x) + __expf(x * 0.1f) + rsqrtf(fabsf(x) + 1) + __fdividef(x, 3.0f);
}

__device__ __constant__ int weights[8] = {1, -2, 3, -4, 5, -6, 7, -8};
__device__ int counter = 5;
__device__ unsigned table[64];
__global__ void globals(int* out) {
  int local[16];
  for (int k = 0; k < 16; ++k) local[k] = weights[k & 7] * (k + (int)threadIdx.x);
  int sum = 0;
  for (int k = 0; k < 16; ++k) sum += local[(k * 7 + threadIdx.x) & 15] * (k + 1);
  int old = atomicAdd(&counter, 1);
  atomicMax(&table[threadIdx.x & 63], (unsigned)sum & 0xffff);
  out[threadIdx.x] = sum;
  out[64 + threadIdx.x] = old;
}

__device__ __noinline__ void bump(int* p) { *p += 1; }
__global__ void pointers(int* out, int n) {
  __shared__ int s[64];
  int l[4] = {n, n + 1, n + 2, n + 3};
  int t = threadIdx.x;
  s[t] = t * 2;
  __syncthreads();
  int* p = t % 3 == 0 ? &s[t] : t % 3 == 1 ? &l[t & 3] : &out[t];
  bump(p);
  __syncthreads();
  out[64 + t] = s[t] + l[t & 3];
}

__global__ void votes(const int* in, unsigned* out) {
  int t = threadIdx.x, v = in[t];
  unsigned* o = out + t * 10;
  o[0] = __ballot_sync(0xffffffffu, v & 1);
  o[1] = __any_sync(0xffffffffu, v > 90) * 2 + __all_sync(0xffffffffu, v < 90);
  o[2] = __match_any_sync(0xffffffffu, v % 5);
  int pred;
  o[3] = __match_all_sync(0xffffffffu, v / 1000, &pred);
  o[4] = pred;
  o[5] = __activemask();
  o[6] = __shfl_up_sync(0xffffffffu, v, 3, 8);
  o[7] = __shfl_sync(0xffffffffu, v, v & 31, 16);
  o[8] = __popc(v) + __clz(v) * 100 + __ffs(v) * 10000 + __brev(v);
  o[9] = __syncthreads_count(v & 1) + 1000 * __syncthreads_and(v < 100) + 2000 * __syncthreads_or(v > 98);
  if (v & 1) o[5] ^= __ballot_sync(__activemask(), v & 2);
}

__global__ void stencil(const int4* in, int4* out, unsigned char* bytes, short* shorts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int4 v = in[i];
  v.x = __dp4a(v.x, v.y, v.z);
  v.y = __byte_perm(v.y, v.z, 0x6240);
  v.z = __funnelshift_l(v.z, v.w, v.x);
  v.w = (int)__umulhi(v.w, v.x) + __mulhi(v.y, v.z);
  out[i] = v;
  bytes[i] = (unsigned char)(bytes[i] * 3 + v.x);
  shorts[i] = (short)(shorts[i] / 3 - v.y);
}

__constant__ unsigned links[64];

__global__ void __maxnreg__(88) chases(cudaTextureObject_t texture, unsigned* out) {
  unsigned t = threadIdx.x, i = t, j = t;
  for (int k = 0; k < 5; ++k) i = tex1Dfetch<unsigned>(texture, (int)i);
  for (int k = 0; k < 5; ++k) j = links[j];
  out[2 * t] = i;
  out[2 * t + 1] = j + (unsigned)tex1Dfetch<int>(texture, (int)t);
}

// Warp by warp, in the order of their numbers, through a shared word; then narrow products.
__global__ void __launch_bounds__(128, 2) relay(unsigned* out) {
  __shared__ volatile unsigned turn, count;
  if (threadIdx.x == 0) turn = count = 0;
  asm volatile("barrier.sync 0;" ::: "memory");
  unsigned warp = threadIdx.x / 32;
  while (turn != warp) {
  }
  if (threadIdx.x % 32 == 0) count = count + 1 + warp;
  __syncwarp();
  if (threadIdx.x % 32 == 0) turn = warp + 1;
  asm volatile("barrier.sync 0;" ::: "memory");
  unsigned t = threadIdx.x + 1, d;
  asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 64;\n @p mul24.lo.u32 %0, %1, %2;\n"
               "@!p mad24.lo.u32 %0, %1, %2, 9;}" : "=r"(d) : "r"(t), "r"(0x1000003u));
  out[threadIdx.x] = count * 1000 + d + __usad(t, 70, 1) + (unsigned)__ffs((int)t);
}

}  // extern "C"
