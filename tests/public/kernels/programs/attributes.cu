// gpx: --entry a --grid 1 --block 64 --buffer o=256B
// gpx: --entry b --grid 1 --block 64 --buffer o=256B --arg n=64
__launch_bounds__(64, 4) __global__ void a(int *o) { o[threadIdx.x] = 1; }
template <int N> struct __align__(16) Vec { float v[N]; };
[[gnu::unused]] static int unused_host() { return rand(); }
__attribute__((noinline)) void host_only() { static int once = unused_host(); (void)once; }
__global__ __launch_bounds__(256) void b(Vec<4> *__restrict__ o, [[maybe_unused]] const int n) { if (threadIdx.x < 16) o[threadIdx.x].v[0] = n; }
