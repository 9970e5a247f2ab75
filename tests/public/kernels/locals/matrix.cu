// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  float m[3][3], q[3][3]; for (int i = 0; i < 3; ++i) for (int j = 0; j < 3; ++j) m[i][j] = i + j * t; for (int i = 0; i < 3; ++i) for (int j = 0; j < 3; ++j) { q[i][j] = 0; for (int k = 0; k < 3; ++k) q[i][j] += m[i][k] * (k == j); }
  ok[t] = q[t % 3][1] == m[t % 3][1];
  if (!ok[t]) __trap();
}
