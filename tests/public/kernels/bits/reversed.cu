// gpx: --entry reversed --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void reversed(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned a = T * 2654435761u ^ 0x12345678u, b = (T + 3) * 2246822519u;
  const int s = a, t = b;
  unsigned r = 0;
  for (int i = 0; i < 32; ++i) r |= (a >> i & 1) << (31 - i);
  bool good = __brev(a) == r && __brevll(a) == (unsigned long long)r << 32;
  ok[T] = good;
}
