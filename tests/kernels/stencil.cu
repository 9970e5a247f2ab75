// A heat step over an image, two-dimensional blocks, borders left out.
__global__ void heat(float* __restrict__ out, const float* __restrict__ in, int width, int height,
                     float rate) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  const int at = y * width + x;
  const float sum = in[at - 1] + in[at + 1] + in[at - width] + in[at + width];
  out[at] = in[at] + rate * (sum - 4 * in[at]);
}
