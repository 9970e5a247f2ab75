// gpx: --entry plain --grid 2,2 --block 8,8 --buffer a=1KB:index --buffer b=1KB --buffer ok=1KB --arg n=16 expect ok==1
// gpx: --entry padded_tile --grid 2,2 --block 16,16 --buffer a=4KB:index --buffer b=4KB --buffer ok=4KB --arg n=32 expect ok==1
// gpx: --entry tall_tile --grid 2,2 --block 32,8 --buffer a=16KB:index --buffer b=16KB --buffer ok=16KB --arg n=64 expect ok==1
// gpx: --entry in_place --grid 1 --block 16,16 --buffer a=1KB:index --buffer ok=1KB expect ok==1
// gpx: --entry swizzled --grid 1 --block 32,32 --buffer a=4KB:index --buffer ok=4KB expect ok==1
// gpx: --entry by_shuffles --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry double_rows --grid 1 --block 16,16 --buffer a=2KB:index --buffer ok=1KB expect ok==1
// gpx: --entry rectangle --grid 3,2 --block 8,8 --buffer a=1536B:index --buffer b=1536B --buffer ok=1536B --arg width=24 --arg height=16 expect ok==1
// gpx: --entry bytes_of_words --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry planes --grid 1,1,4 --block 8,8 --buffer a=1KB:index --buffer b=1KB --buffer ok=1KB expect ok==1
// gpx: --entry bits --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry soa_of_aos --grid 1 --block 64 --buffer numbers=768B:index --buffer b=768B --buffer ok=256B expect ok==1
extern "C" __global__ void plain(const int* a, int* b, int* ok, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  b[x * n + y] = a[y * n + x];
  ok[x * n + y] = b[x * n + y] == y * n + x;
}

extern "C" __global__ void padded_tile(const float* a, float* b, int* ok, int n) {
  __shared__ float tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = a[y * n + x];
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x, y = blockIdx.x * 16 + threadIdx.y;
  b[y * n + x] = tile[threadIdx.x][threadIdx.y];
  ok[y * n + x] = b[y * n + x] == (float)(x * n + y);
}

extern "C" __global__ void tall_tile(const int* a, int* b, int* ok, int n) {
  __shared__ int tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = a[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) {
    b[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
    ok[(y + j) * n + x] = b[(y + j) * n + x] == x * n + y + j;
  }
}

extern "C" __global__ void in_place(int* a, int* ok) {
  int x = threadIdx.x, y = threadIdx.y;
  int low = a[y * 16 + x], high = a[x * 16 + y];
  __syncthreads();
  if (x < y) {
    a[y * 16 + x] = high;
    a[x * 16 + y] = low;
  }
  __syncthreads();
  ok[y * 16 + x] = a[y * 16 + x] == x * 16 + y;
}

extern "C" __global__ void swizzled(const int* a, int* ok) {
  __shared__ int tile[32][32];
  int x = threadIdx.x, y = threadIdx.y;
  tile[y][x ^ y] = a[y * 32 + x];
  __syncthreads();
  ok[y * 32 + x] = tile[x][y ^ x] == x * 32 + y;
}

// A 4 x 4 matrix in each group of four lanes, a row a lane.
extern "C" __global__ void by_shuffles(int* ok) {
  int lane = threadIdx.x, q = lane & 3, row[4], out[4];
  for (int i = 0; i < 4; ++i) row[i] = lane * 4 + i;
  for (int i = 0; i < 4; ++i) {
    int from = (q + i) & 3, v = 0;
    for (int k = 0; k < 4; ++k) {
      int w = __shfl_sync(0xffffffffu, row[k], (lane & ~3) + from);
      if (k == q) v = w;
    }
    out[from] = v;
  }
  bool good = true;
  for (int i = 0; i < 4; ++i) good = good && out[i] == ((lane & ~3) + i) * 4 + q;
  ok[lane] = good;
}

extern "C" __global__ void double_rows(const double* a, int* ok) {
  __shared__ double tile[16][17];
  int x = threadIdx.x, y = threadIdx.y;
  tile[x][y] = a[y * 16 + x];
  __syncthreads();
  ok[y * 16 + x] = tile[y][x] == x * 16 + y;
}

extern "C" __global__ void rectangle(const int* a, int* b, int* ok, int width, int height) {
  __shared__ int tile[8][9];
  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = a[y * width + x];
  __syncthreads();
  int u = blockIdx.y * 8 + threadIdx.x, v = blockIdx.x * 8 + threadIdx.y;
  b[v * height + u] = tile[threadIdx.x][threadIdx.y];
  ok[v * height + u] = b[v * height + u] == u * width + v;
}

extern "C" __global__ void bytes_of_words(int* ok) {
  unsigned lane = threadIdx.x, v = 0x03020100u + 0x10101010u * (lane & 3), w = v * 3;
  unsigned low = __byte_perm(v, w, 0x5140), high = __byte_perm(v, w, 0x7362);
  unsigned expect_low = (v & 255) | (w & 255) << 8 | (v >> 8 & 255) << 16 | (w >> 8 & 255) << 24;
  unsigned expect_high = (v >> 16 & 255) | (w >> 16 & 255) << 8 | v >> 24 << 16 | w >> 24 << 24;
  ok[lane] = low == expect_low && high == expect_high;
}

extern "C" __global__ void planes(const int* a, int* b, int* ok) {
  int x = threadIdx.x, y = threadIdx.y, z = blockIdx.z;
  int from = z * 64 + y * 8 + x, to = (x * 8 + y) * 4 + z;
  b[to] = a[from];
  ok[to] = b[to] == from;
}

extern "C" __global__ void bits(int* ok) {
  unsigned lane = threadIdx.x, row = lane * 0x9e3779b9u, column = 0;
  for (int i = 0; i < 32; ++i) {
    unsigned word = __ballot_sync(0xffffffffu, row >> i & 1);
    if (i == lane) column = word;
  }
  bool good = true;
  for (unsigned i = 0; i < 32; ++i)
    good = good && (column >> i & 1) == ((i * 0x9e3779b9u) >> lane & 1);
  ok[lane] = good;
}

struct Point {
  float x, y, z;
};
extern "C" __global__ void soa_of_aos(const float* numbers, float* b, int* ok) {
  const Point* a = (const Point*)numbers;
  int t = threadIdx.x;
  Point p = a[t];
  b[t] = p.x, b[64 + t] = p.y, b[128 + t] = p.z;
  __syncthreads();
  ok[t] = b[t] == 3 * t && b[64 + t] == 3 * t + 1 && b[128 + t] == 3 * t + 2;
}
