// Words `stride` apart, a lane each, to words side by side.
extern "C" __global__ void apart(float* out, const float* in, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i * stride];
}
