// gpx: --entry add_index --grid 4 --block 128 --buffer a=2KB:index --buffer b=2KB:index(2) --buffer ok=2KB --arg n=512 expect ok==1
// gpx: --entry saxpy --grid 4 --block 128 --buffer x=2KB:index --buffer y=2KB:1 --buffer ok=2KB --arg a=0.5 --arg n=512 expect ok==1
// gpx: --entry grid_stride --grid 2 --block 64 --buffer a=4KB:index(3) --buffer ok=4KB --arg n=1024 expect ok==1
// gpx: --entry float4_scale --grid 2 --block 64 --buffer a=2KB:index --buffer ok=512B --arg s=(2,3,4,5) expect ok==1
// gpx: --entry clamp_bytes --grid 2 --block 128 --buffer a=256B:index --buffer ok=1KB --arg low=16 --arg high=200 expect ok==1
// gpx: --entry integer_division --grid 4 --block 64 --buffer a=1KB:index(7) --buffer ok=1KB --arg d=-3 expect ok==1
// gpx: --entry long_multiply --grid 1 --block 128 --buffer ok=512B --arg m=0x123456789abcdef expect ok==1
// gpx: --entry double_polynomial --grid 2 --block 64 --buffer x=1KB:index --buffer ok=512B expect ok==1
// gpx: --entry select_mode --grid 1 --block 64 --buffer ok=256B --arg mode=CUBE expect ok==1
// gpx: --entry by_struct --grid 1 --block 64 --buffer ok=256B --arg p=struct(i32(5),f32(0.25),u64(18446744073709551615),bool(true)) expect ok==1
// gpx: --entry shorts --grid 2 --block 32 --buffer a=128B:index(500) --buffer ok=256B expect ok==1
// gpx: --entry unsigned_wrap --grid 1 --block 32 --buffer ok=128B --arg a=4294967295 expect ok==1
// gpx: --entry flagged --grid 1 --block 32 --buffer ok=128B --arg on=true --arg c=Z expect ok==1
// gpx: --entry special_values --grid 1 --block 32 --buffer ok=128B --arg i=inf --arg q=nan --arg z=-0 --arg d=-inf expect ok==1
// gpx: --entry three_dimensions --grid 2,3,4 --block 4,2,8 --buffer ok=6KB expect ok==1
extern "C" __global__ void add_index(const int* a, const int* b, int* ok, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) ok[i] = a[i] + b[i] == 3 * i;
}

extern "C" __global__ void saxpy(const float* x, float* y, int* ok, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float before = 1.0f;
  y[i] = a * x[i] + before;
  ok[i] = y[i] == 0.5f * i + 1.0f;
}

extern "C" __global__ void grid_stride(const int* a, int* ok, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    ok[i] = a[i] == 3 * i;
}

extern "C" __global__ void float4_scale(float4* a, int* ok, float4 s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = a[i];
  v.x *= s.x, v.y *= s.y, v.z *= s.z, v.w *= s.w;
  a[i] = v;
  ok[i] = v.x == 8.0f * i && v.y == 3 * (4 * i + 1) && v.z == 4 * (4 * i + 2) &&
          v.w == 5 * (4 * i + 3);
}

extern "C" __global__ void clamp_bytes(unsigned char* a, int* ok, int low, int high) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = a[i];
  a[i] = (unsigned char)min(max(v, low), high);
  ok[i] = a[i] == (i < low ? low : i > high ? high : i);
}

extern "C" __global__ void integer_division(const int* a, int* ok, int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int q = a[i] / d, r = a[i] % d;
  ok[i] = q * d + r == 7 * i && r >= 0 && r < 3;
}

extern "C" __global__ void long_multiply(int* ok, unsigned long long m) {
  int i = threadIdx.x;
  unsigned long long p = m * (unsigned long long)(i + 1), sum = 0;
  for (int k = 0; k <= i; ++k) sum += m;
  ok[i] = p == sum && __umul64hi(m, 1ull << 8) == 0x1;
}

extern "C" __global__ void double_polynomial(const double* x, int* ok) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double v = x[i], p = ((2 * v - 3) * v + 5) * v - 7;
  ok[i] = p == 2.0 * i * i * i - 3.0 * i * i + 5.0 * i - 7.0;
}

enum Power { SQUARE = 2, CUBE };
__global__ void select_mode(int* ok, Power mode) {
  int i = threadIdx.x, v = 0;
  switch (mode) {
    case SQUARE: v = i * i; break;
    case CUBE: v = i * i * i; break;
  }
  ok[i] = v == i * i * i;
}

struct Parts {
  int n;
  float f;
  unsigned long long all;
  bool yes;
};
extern "C" __global__ void by_struct(int* ok, Parts p) {
  ok[threadIdx.x] = p.n == 5 && p.f == 0.25f && p.all == ~0ull && p.yes;
}

extern "C" __global__ void shorts(const short* a, int* ok) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  ok[i] = a[i] == (short)(500 * i);
}

extern "C" __global__ void unsigned_wrap(int* ok, unsigned a) {
  unsigned i = threadIdx.x;
  ok[i] = a + i + 1 == i && a > i;
}

extern "C" __global__ void flagged(int* ok, bool on, char c) { ok[threadIdx.x] = on && c == 'Z'; }

extern "C" __global__ void special_values(int* ok, float i, float q, float z, double d) {
  ok[threadIdx.x] = isinf(i) && i > 0 && isnan(q) && z == 0 && signbit(z) && isinf(d) && d < 0;
}

extern "C" __global__ void three_dimensions(int* ok) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
      z = blockIdx.z * blockDim.z + threadIdx.z;
  int w = gridDim.x * blockDim.x, h = gridDim.y * blockDim.y;
  ok[(z * h + y) * w + x] = w == 8 && h == 6 && gridDim.z * blockDim.z == 32 && z < 32;
}
