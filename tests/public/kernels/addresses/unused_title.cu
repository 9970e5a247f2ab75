// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
const char *title = "never used on the device";
struct Config { const char *key; int value; };
Config config[] = {{"a", 1}, {"b", 2}};
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
 
  ok[t] = t >= 0;
  if (!ok[t]) __trap();
}
