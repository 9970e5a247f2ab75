// Arithmetic of floating point in registers.
template <typename T>
__device__ T horner(T x, int degree) {
  T sum = 1;
  for (int k = 0; k < degree; ++k) sum = sum * x + T(0.5);
  return sum;
}

__global__ void polynomial_single(float* out, const float* in, int degree) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = horner(in[i], degree);
}

__global__ void polynomial_double(double* out, const double* in, int degree) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = horner(in[i], degree);
}

// Four independent chains a thread.
__global__ void polynomial_four(float* out, const float* in, int degree) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = in[i];
  float a = 1, b = 2, c = 3, d = 4;
  for (int k = 0; k < degree; ++k) {
    a = a * x + 0.5f;
    b = b * x + 0.25f;
    c = c * x + 0.125f;
    d = d * x + 0.0625f;
  }
  out[i] = a + b + c + d;
}

__global__ void black_scholes(float* call, float* put, const float* price, const float* strike,
                              const float* years, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float s = price[i], x = strike[i], t = years[i], root = sqrtf(t);
  const float d1 = (logf(s / x) + (0.02f + 0.5f * 0.3f * 0.3f) * t) / (0.3f * root);
  const float d2 = d1 - 0.3f * root;
  const float n1 = normcdff(d1), n2 = normcdff(d2), discount = expf(-0.02f * t);
  call[i] = s * n1 - x * discount * n2;
  put[i] = x * discount * (1 - n2) - s * (1 - n1);
}
