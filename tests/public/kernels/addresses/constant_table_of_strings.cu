// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
__constant__ const char *words[3] = {"zero", "one", "two"};
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  const char *s = words[t % 3];
  ok[t] = s[0] == "zot"[t % 3] && s[3 - (t % 3 != 0)] != 0;
  if (!ok[t]) __trap();
}
