// Signals from the sky.

// Orbits solved for their angle by Newton's steps in doubles: how many depends on the orbit.
__global__ void orbit_angles(double* out, const double* phase, const double* shape, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double m = 6.283185307179586 * phase[i], e = 0.95 * shape[i];
  double angle = m + e * sin(m);
  for (int k = 0; k < 30; ++k) {
    double s, c;
    sincos(angle, &s, &c);
    const double change = (angle - e * s - m) / (1 - e * c);
    angle -= change;
    if (fabs(change) < 1e-12) break;
  }
  out[i] = angle;
}

// Channels of a receiver added with the delays of a trial: each reads a row at its own shift.
__global__ void add_delayed(float* out, const float* in, const unsigned* delay, int channels,
                            int times, int samples) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, trial = blockIdx.y;
  if (t >= times) return;
  float sum = 0;
#pragma unroll 4
  for (int c = 0; c < channels; ++c) {
    const int shift = delay[c] % 64 * trial;
    sum += in[(size_t)c * samples + min(t + shift, samples - 1)];
  }
  out[(size_t)trial * times + t] = sum;
}

// Power at frequencies of samples at uneven times: a block a frequency, sines of large angles.
__global__ void uneven_power(float* power, const float* time, const float* value, int n) {
  __shared__ float2 part[32];
  const float frequency = 0.01f * (blockIdx.x + 1);
  float re = 0, im = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    float s, c;
    sincosf(6.2831853f * frequency * time[i], &s, &c);
    re = fmaf(value[i], c, re), im = fmaf(value[i], s, im);
  }
  for (int s = 16; s > 0; s /= 2) {
    re += __shfl_xor_sync(~0u, re, s);
    im += __shfl_xor_sync(~0u, im, s);
  }
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = make_float2(re, im);
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int w = 1; w < blockDim.x / 32; ++w) re += part[w].x, im += part[w].y;
  power[blockIdx.x] = (re * re + im * im) / n;
}
