// gpx: --entry k_add_float --grid 1 --block 32 --buffer a=128B --buffer b=128B --arg n=32
// gpx: --entry k_add_int --grid 1 --block 32 --buffer a=128B --buffer b=128B --arg n=32
#define KERNEL extern "C" __global__ void __launch_bounds__(128)
#define PARAMS(T) T *__restrict__ a, const T *__restrict__ b, const int n
#define DEFINE_ADD(T) KERNEL k_add_##T(PARAMS(T)) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] += b[i]; }
DEFINE_ADD(float)
DEFINE_ADD(int)
#define LAUNCH(T) void launch_##T(T *a, T *b, int n) { k_add_##T<<<(n + 127) / 128, 128>>>(a, b, n); }
LAUNCH(float)
LAUNCH(int)
