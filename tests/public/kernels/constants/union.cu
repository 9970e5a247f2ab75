// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
union Bits { float f; unsigned u; };
__constant__ Bits one = {1.0f};
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
 
  ok[t] = one.u == 0x3f800000u;
  if (!ok[t]) __trap();
}
