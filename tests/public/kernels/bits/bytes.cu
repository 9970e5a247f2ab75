// gpx: --entry bytes --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void bytes(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned a = T * 2654435761u ^ 0x12345678u, b = (T + 3) * 2246822519u;
  const int s = a, t = b;
  bool good = __byte_perm(a, b, 0x7531) == ((a >> 8 & 255) | (a >> 24) << 8 | (b >> 8 & 255) << 16 | (b >> 24) << 24) &&
              __byte_perm(a, b, 0x4444) == (b & 255) * 0x01010101u;
  ok[T] = good;
}
