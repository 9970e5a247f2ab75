// gpx: --entry carries --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void carries(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned a = T * 2654435761u ^ 0x12345678u, b = (T + 3) * 2246822519u;
  const int s = a, t = b;
  unsigned low, high;
  asm("{ add.cc.u32 %0, %2, %3; addc.u32 %1, %2, %3; }" : "=r"(low), "=r"(high) : "r"(a), "r"(b));
  unsigned d_low, d_high;
  asm("{ sub.cc.u32 %0, %2, %3; subc.u32 %1, 0, 0; }" : "=r"(d_low), "=r"(d_high) : "r"(a), "r"(b));
  bool good = low == a + b && high == a + b + (a + b < a) && d_low == a - b && d_high == (a < b ? ~0u : 0u);
  ok[T] = good;
}
