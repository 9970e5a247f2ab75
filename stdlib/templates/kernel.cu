// out[i] = in[i * stride]: the larger the stride, the fewer lanes share a line.
extern "C" __global__ void gather(float* out, const float* in, int stride, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i * stride];
}
