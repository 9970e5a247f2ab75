// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
__device__ int weight(char c) { switch (c) { case 'a': case 'e': case 'i': case 'o': case 'u': return 2; case ' ': return 0; case 'z': return 26; default: return 1; } }
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  const char s[] = "a lazy ox"; int w = 0; for (int i = 0; s[i]; ++i) w += weight(s[i]);
  ok[t] = w == 2 + 0 + 1 + 2 + 26 + 1 + 0 + 2 + 1;
  if (!ok[t]) __trap();
}
