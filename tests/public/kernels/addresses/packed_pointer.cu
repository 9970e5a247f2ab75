// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
#pragma pack(push, 1)
struct Packed { char c; int *p; };
#pragma pack(pop)
__device__ int a = 17, b = 19;
__device__ Packed packed[2] = {{1, &a}, {2, &b}};
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
 
  ok[t] = *packed[t & 1].p == 17 + 2 * (t & 1) && packed[t & 1].c == 1 + (t & 1);
  if (!ok[t]) __trap();
}
