// Black-Scholes prices of European options (Hong and Kim 2009, Table 5): five numbers of each option
// read and two prices written, each option's together, so that no access is coalesced.
// Covered by tests/vgpu/kernels_test.cpp.

namespace {

// The cumulative normal distribution (Abramowitz and Stegun, 26.2.17).
__device__ __forceinline__ float normal(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  const float p =
      k * (0.319381530f +
           k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const float tail = 0.39894228f * expf(-0.5f * d * d) * p;
  return d > 0 ? 1.0f - tail : tail;
}

}  // namespace

// options: price, strike, years, rate, volatility; prices: call, put.
extern "C" __global__ void blackscholes(float* prices, const float* options, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float price = options[5 * i], strike = options[5 * i + 1], years = options[5 * i + 2];
  const float rate = options[5 * i + 3], volatility = options[5 * i + 4];
  const float root = volatility * sqrtf(years);
  const float d1 =
      (logf(price / strike) + (rate + 0.5f * volatility * volatility) * years) / root;
  const float d2 = d1 - root;
  const float n1 = normal(d1), n2 = normal(d2);
  const float discounted = strike * expf(-rate * years);
  prices[2 * i] = price * n1 - discounted * n2;
  prices[2 * i + 1] = discounted * (1.0f - n2) - price * (1.0f - n1);
}
