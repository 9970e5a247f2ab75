// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
__constant__ float weights[3] = {0.25f, 0.5f, 0.25f};
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  __shared__ float s[34]; s[t + 1] = t; if (t == 0) s[0] = s[33] = 0; __syncthreads(); float r = 0; for (int i = 0; i < 3; ++i) r += weights[i] * s[t + i];
  ok[t] = t == 31 || r == (t == 0 ? 0.25f : (float)t);
  if (!ok[t]) __trap();
}
