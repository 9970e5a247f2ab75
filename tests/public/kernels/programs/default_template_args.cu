// gpx: --entry fill<int> --grid 1 --block 32 --buffer p=128B --arg v=3
// gpx: --entry fill<float,2,false> --grid 1 --block 32 --buffer p=256B --arg v=3
template <typename T = float, int N = 1, bool Add = true> __global__ void fill(T *p, T v) {
#pragma unroll
  for (int i = 0; i < N; ++i) p[threadIdx.x * N + i] = Add ? p[threadIdx.x * N + i] + v : v;
}
template <typename... Args> void log(const char *format, Args... args) { printf(format, args...); }
template <template <typename> class C, typename T> T first(const C<T> &c) { return *c.begin(); }
int main() { fill<<<1, 32>>>((float *)0, 1.f); log("%d %s\n", 3, "x"); }
