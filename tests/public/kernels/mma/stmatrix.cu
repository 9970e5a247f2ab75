// gpx: --entry stmatrix --grid 1 --block 32 --buffer ok=128B expect ok==1
extern "C" __global__ void stmatrix(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ alignas(16) unsigned short m[16][8];
  const unsigned low = T * 2 | (T * 2 + 1) << 16, high = (100 + T) | (200 + T) << 16;
  asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"((unsigned)__cvta_generic_to_shared(m[T % 16])), "r"(low), "r"(high) : "memory");
  __syncwarp();
  bool good = m[T / 4][T % 4 * 2] == T * 2 && m[T / 4][T % 4 * 2 + 1] == T * 2 + 1 && m[8 + T / 4][T % 4 * 2] == 100 + T &&
              m[8 + T / 4][T % 4 * 2 + 1] == 200 + T;
  ok[T] = good;
}
