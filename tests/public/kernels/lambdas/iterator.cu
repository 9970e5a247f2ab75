// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
struct Range { int b, e; struct It { int v; __device__ int operator*() const { return v; } __device__ It &operator++() { ++v; return *this; } __device__ bool operator!=(const It &o) const { return v != o.v; } }; __device__ It begin() const { return {b}; } __device__ It end() const { return {e}; } };
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  int s = 0; for (int i : Range{2, 2 + t}) s += i;
  ok[t] = s == 2 * t + t * (t - 1) / 2;
  if (!ok[t]) __trap();
}
