// gpx: --entry multiplied_and_shifted --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void multiplied_and_shifted(int *ok) {
  const int t = threadIdx.x;
  bool right = true;
  const unsigned __int128 a = (unsigned __int128)(t + 1) << 70, b = a * 3 / (t + 1);
  right &= (unsigned long long)(b >> 70) == 3 && (unsigned long long)b == 0;
  right &= (__int128)-5 * (t + 1) >> 64 == -1 && (unsigned long long)((__int128)-5 * (t + 1)) == 0ull - 5ull * (t + 1);
  ok[t] = right;
  if (!right) __trap();
}
