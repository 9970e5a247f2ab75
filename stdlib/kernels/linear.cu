// Linear: the mean of a pixel and its eight neighbours (Hong and Kim 2009, Table 5): 27 bytes read
// and three written for each pixel; what lies outside of the image repeats its edge.
// Covered by tests/vgpu/kernels_test.cpp.

extern "C" __global__ void linear_filter(unsigned char* out, const unsigned char* in, int width,
                                         int height, int first) {
  const int i = first + (int)(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = i / width, x = i - y * width;
  if (y >= height) return;
  const int left = x > 0 ? -3 : 0, right = x < width - 1 ? 3 : 0;
  const int up = y > 0 ? -3 * width : 0, down = y < height - 1 ? 3 * width : 0;
  const int rows[3] = {up, 0, down}, columns[3] = {left, 0, right};
  for (int channel = 0; channel < 3; ++channel) {
    const unsigned char* at = in + 3 * i + channel;
    float sum = 0.5f;  // of whole numbers: the quotient is never near the next one
#pragma unroll
    for (int row = 0; row < 3; ++row)
#pragma unroll
      for (int column = 0; column < 3; ++column) sum += at[rows[row] + columns[column]];
    out[3 * i + channel] = (unsigned char)(sum * (1.0f / 9));
  }
}
