// Prices and yields.

// A tree of prices for the option of a block: two rows in shared memory, a barrier a step.
__global__ void price_tree(float* out, const float* strike, int steps) {
  extern __shared__ float row[];
  float *now = row, *next = row + steps + 1;
  const float k = 80.0f + 40.0f * strike[blockIdx.x];
  for (int i = threadIdx.x; i <= steps; i += blockDim.x)
    now[i] = fmaxf(0.0f, 100.0f * __expf(0.01f * (2 * i - steps)) - k);
  for (int n = steps; n > 0; --n) {
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
      next[i] = 0.9999f * (0.501f * now[i + 1] + 0.499f * now[i]);
    float* other = now;
    now = next, next = other;
  }
  if (threadIdx.x == 0) out[blockIdx.x] = now[0];
}

// Paths that end early where a price falls below the barrier.
__global__ void knock_out(float* out, int steps, float barrier) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long s = (t + 1) * 0x9E3779B97F4A7C15ull;
  float price = 1;
  int i = 0;
  for (; i < steps; ++i) {
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    const float u = ((float)(unsigned)(s >> 32) + 1.0f) * 2.3283064e-10f;
    const float v = (float)(unsigned)s * 2.3283064e-10f;
    price *= __expf(0.02f * sqrtf(-2.0f * __logf(u)) * __cosf(6.2831853f * v) - 0.0002f);
    if (price < barrier) break;
  }
  out[t] = i < steps ? 0.0f : price;
}

// Yields of bonds with 4 to 60 coupons, by Newton's steps in doubles.
__global__ void bond_yields(double* yield, const double* price, const unsigned* coupons, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double worth = 70 + 60 * price[i];
  const int count = 4 + coupons[i] % 57;
  double y = 0.03;
  for (int step = 0; step < 12; ++step) {
    const double d = 1 / (1 + y);
    double sum = 0, slope = 0, f = 1;
    for (int k = 1; k <= count; ++k) f *= d, sum += 2.5 * f, slope -= 2.5 * k * f * d;
    const double change = (sum + 100 * f - worth) / (slope - 100 * count * f * d);
    y -= change;
    if (fabs(change) < 1e-10) break;
  }
  yield[i] = y;
}
