// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
struct Filter { __device__ virtual float apply(float x) const { return x; } };
struct Gain : Filter { float g; __device__ Gain(float a) : g(a) {} __device__ float apply(float x) const override { return g * x; } };
struct Clip : Filter { __device__ float apply(float x) const override { return x > 10 ? 10 : x; } };
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  Gain g(2); Clip c; Filter f; const Filter *chain[4] = {&g, &f, &c, &g}; float x = t; for (const Filter *each : chain) x = each->apply(x);
  ok[t] = x == 2 * (2.0f * t > 10 ? 10.0f : 2.0f * t);
  if (!ok[t]) __trap();
}
