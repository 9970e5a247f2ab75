// gpx: --entry averages --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void averages(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned a = T * 2654435761u ^ 0x12345678u, b = (T + 3) * 2246822519u;
  const int s = a, t = b;
  bool good = __hadd(s, t) == (int)(((long long)s + t) >> 1) && __rhadd(s, t) == (int)(((long long)s + t + 1) >> 1) &&
              __uhadd(a, b) == (unsigned)(((unsigned long long)a + b) >> 1) && __sad(s, t, 5u) == (unsigned)(s > t ? s - t : t - s) + 5 && __usad(a, b, 1u) == (a > b ? a - b : b - a) + 1;
  ok[T] = good;
}
