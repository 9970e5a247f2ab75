// gpx: --entry counts --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void counts(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned a = T * 2654435761u ^ 0x12345678u, b = (T + 3) * 2246822519u;
  const int s = a, t = b;
  int ones = 0, leading = 0;
  for (int i = 0; i < 32; ++i) ones += a >> i & 1;
  while (leading < 32 && !(a >> (31 - leading) & 1)) ++leading;
  bool good = __popc(a) == ones && __clz(a) == leading && __ffs(a) == (a ? __popc((a & -a) - 1) + 1 : 0) && __clzll(a) == leading + 32 &&
              __popcll((unsigned long long)a << 20 | 1) == ones + 1;
  ok[T] = good;
}
