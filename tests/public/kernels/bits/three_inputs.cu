// gpx: --entry three_inputs --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void three_inputs(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned a = T * 2654435761u ^ 0x12345678u, b = (T + 3) * 2246822519u;
  const int s = a, t = b;
  const unsigned c = a ^ b << 3;
  unsigned major, odd;
  asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(major) : "r"(a), "r"(b), "r"(c));
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(odd) : "r"(a), "r"(b), "r"(c));
  bool good = major == ((a & b) | (a & c) | (b & c)) && odd == (a ^ b ^ c);
  ok[T] = good;
}
