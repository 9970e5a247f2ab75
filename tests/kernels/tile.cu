// A matrix product by tiles in shared memory: two loads of it for each multiplication.
extern "C" __global__ void mm(int n, const float* a, const float* b, float* c) {
  __shared__ float sa[16][16], sb[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  int col = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
  float s = 0;
  for (int t = 0; t < n; t += 16) {
    sa[y][x] = a[row * n + t + x];
    sb[y][x] = b[(t + y) * n + col];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) s += sa[y][k] * sb[k][x];
    __syncthreads();
  }
  c[row * n + col] = s;
}
