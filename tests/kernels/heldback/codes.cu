// Much code, many registers, calls, cases.
#ifndef COPIES
#define COPIES 40
#endif

// COPIES * 50 different products and sums in a row.
__global__ void straight(float* out, int rounds) {
  float a = threadIdx.x, b = blockIdx.x, c = 1, d = 2;
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int i = 0; i < COPIES; ++i)
#pragma unroll
      for (int j = 0; j < 50; j += 4) {
        a = fmaf(a, 0.5f + 0.001f * i, 1.0f + j);
        b = fmaf(b, 0.4f + 0.001f * i, 2.0f + j);
        c = fmaf(c, 0.3f + 0.001f * i, 3.0f + j);
        d = fmaf(d, 0.2f + 0.001f * i, 4.0f + j);
      }
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
}

// A small machine of 16 instructions; each warp runs a program of its own.
__global__ void interpret(unsigned* out, const unsigned* program, int length) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a = t, b = t * 3 + 1, c = 7;
  const unsigned* mine = program + (size_t)(t / 32) * length;
  for (int k = 0; k < length; ++k) {
    const unsigned word = mine[k];
    switch (word >> 28) {
      case 0:
        a += b;
        break;
      case 1:
        a -= c;
        break;
      case 2:
        a *= b | 1;
        break;
      case 3:
        a ^= word;
        break;
      case 4:
        b = __brev(a);
        break;
      case 5:
        b = __popc(a) + word;
        break;
      case 6:
        c = __clz(b | 1) * a;
        break;
      case 7:
        c = a / (b | 1);
        break;
      case 8:
        a = __funnelshift_l(a, b, c);
        break;
      case 9:
        b = max(a, c);
        break;
      case 10:
        c = min(a, b) + 1;
        break;
      case 11:
        a = __byte_perm(a, b, word);
        break;
      case 12:
        b = (unsigned)sqrtf((float)a);
        break;
      case 13:
        c += __umulhi(a, word);
        break;
      case 14:
        a = b % (c | 1);
        break;
      default:
        b ^= c << 3;
        break;
    }
  }
  out[t] = a ^ b ^ c;
}

// Lanes take different ways at each step.
__global__ void eight_ways(float* out, const unsigned* choice, int rounds) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned way = choice[t];
  float x = 1.0f + t % 7;
  for (int k = 0; k < rounds; ++k) {
    switch (way & 7) {
      case 0:
        x = x * 1.01f + 0.5f;
        break;
      case 1:
        x = sqrtf(x + 1.0f);
        break;
      case 2:
        x = __expf(-x);
        break;
      case 3:
        x = x / (x + 3.0f);
        break;
      case 4:
        x = __sinf(x) + 1.0f;
        break;
      case 5:
        x = fabsf(x - 2.0f);
        break;
      case 6:
        x = fminf(x * x, 100.0f);
        break;
      default:
        x = __logf(x + 2.0f);
        break;
    }
    way = way * 1664525u + 1013904223u;
    way ^= way >> 13;
  }
  out[t] = x;
}

// 96 values that live all the time, in blocks of up to 1024 threads: 64 registers, the rest spills.
__global__ void __launch_bounds__(1024, 1) spill(float* out, const float* in, int rounds, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float v[96];
#pragma unroll
  for (int k = 0; k < 96; ++k) v[k] = in[(t + k * 37) % n];
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int k = 0; k < 96; ++k) v[k] = fmaf(v[k], v[(k + 41) % 96], v[(k + 17) % 96]);
#pragma unroll
    for (int k = 0; k < 96; ++k) v[k] = fminf(v[k], 1.5f);
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 96; ++k) sum += v[k];
  out[t] = sum;
}

// A function that is called, and calls itself.
__device__ __noinline__ float tree(float x, int depth) {
  if (depth == 0) return x * 1.25f;
  const float left = tree(x + 0.5f, depth - 1);
  return left * 0.75f + tree(x - left, depth - 1) * 0.25f;
}

__global__ void call_tree(float* out, int depth) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = tree(t * 0.001f, depth);
}

// Coefficients in constant memory: the same for all lanes, or another for each.
__constant__ float coefficient[4096] = {1.0f, 0.5f, 0.25f};

__global__ void same_coefficient(float* out, int count) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float x = t * 1e-6f, sum = 0;
  for (int k = 0; k < count; ++k) sum = sum * x + coefficient[k];
  out[t] = sum;
}

__global__ void own_coefficient(float* out, int rounds, int spread) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < rounds; ++k) sum += coefficient[(t % spread + k * 5) & 4095];
  out[t] = sum;
}
