// gpx: --entry grey --grid 1 --block 16,16 --buffer ok=1KB expect ok==1
// gpx: --entry box_blur --grid 1 --block 16,16 --buffer ok=1KB expect ok==1
// gpx: --entry sobel --grid 1 --block 16,16 --buffer ok=1KB expect ok==1
// gpx: --entry median --grid 1 --block 16,16 --buffer ok=1KB expect ok==1
// gpx: --entry dilate --grid 1 --block 16,16 --buffer ok=1KB expect ok==1
// gpx: --entry bilinear --grid 1 --block 16,16 --buffer ok=1KB expect ok==1
// gpx: --entry rotate_quarter --grid 1 --block 16,16 --buffer ok=1KB expect ok==1
// gpx: --entry threshold --grid 1 --block 256 --buffer a=256B:index --buffer ok=1KB expect ok==1
// gpx: --entry integral --grid 1 --block 16,16 --buffer ok=1KB expect ok==1
// gpx: --entry yuv --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry mandelbrot --grid 2,2 --block 8,8 --buffer ok=1KB expect ok==1
// gpx: --entry connected --grid 1 --block 16,16 --buffer ok=1KB expect ok==1
// gpx: --entry gamma --grid 1 --block 256 --buffer ok=1KB expect ok==1
extern "C" __global__ void grey(int* ok) {
  int x = threadIdx.x, y = threadIdx.y;
  uchar4 p = make_uchar4(16 * x, 16 * y, 128, 255);
  int v = (77 * p.x + 150 * p.y + 29 * p.z) >> 8;
  float f = 0.299f * p.x + 0.587f * p.y + 0.114f * p.z;
  ok[y * 16 + x] = fabsf(v - f) < 2;
}

extern "C" __global__ void box_blur(int* ok) {
  __shared__ int s[18][18];
  int x = threadIdx.x + 1, y = threadIdx.y + 1;
  for (int k = threadIdx.y * 16 + threadIdx.x; k < 324; k += 256)
    s[k / 18][k % 18] = 9 * (k / 18) + 18 * (k % 18);
  __syncthreads();
  int sum = 0;
  for (int j = -1; j <= 1; ++j)
    for (int i = -1; i <= 1; ++i) sum += s[y + j][x + i];
  ok[threadIdx.y * 16 + threadIdx.x] = sum / 9 == s[y][x];
}

extern "C" __global__ void sobel(int* ok) {
  auto at = [](int x, int y) { return 3 * x + 5 * y; };
  int x = threadIdx.x, y = threadIdx.y;
  int gx = at(x + 1, y - 1) + 2 * at(x + 1, y) + at(x + 1, y + 1) - at(x - 1, y - 1) -
           2 * at(x - 1, y) - at(x - 1, y + 1);
  int gy = at(x - 1, y + 1) + 2 * at(x, y + 1) + at(x + 1, y + 1) - at(x - 1, y - 1) -
           2 * at(x, y - 1) - at(x + 1, y - 1);
  ok[y * 16 + x] = gx == 24 && gy == 40 && hypotf(gx, gy) > 46;
}

__device__ void order(int& a, int& b) {
  int low = min(a, b);
  b = max(a, b);
  a = low;
}
extern "C" __global__ void median(int* ok) {
  int v[9], x = threadIdx.x, y = threadIdx.y;
  for (int k = 0; k < 9; ++k) v[k] = (x * 7 + y * 13 + k * k * 31) % 101;
  int w[9];
  for (int k = 0; k < 9; ++k) w[k] = v[k];
  for (int i = 0; i < 9; ++i)
    for (int k = i & 1; k + 1 < 9; k += 2) order(w[k], w[k + 1]);
  int below = 0, equal = 0;
  for (int k = 0; k < 9; ++k) below += v[k] < w[4], equal += v[k] == w[4];
  ok[y * 16 + x] = below <= 4 && below + equal > 4;
}

extern "C" __global__ void dilate(int* ok) {
  __shared__ bool s[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  s[y][x] = x == 5 && y == 9;
  __syncthreads();
  for (int round = 0; round < 2; ++round) {
    bool any = false;
    for (int j = max(y - 1, 0); j <= min(y + 1, 15); ++j)
      for (int i = max(x - 1, 0); i <= min(x + 1, 15); ++i) any = any || s[j][i];
    __syncthreads();
    s[y][x] = any;
    __syncthreads();
  }
  ok[y * 16 + x] = s[y][x] == (abs(x - 5) <= 2 && abs(y - 9) <= 2);
}

extern "C" __global__ void bilinear(int* ok) {
  __shared__ float s[9][9];
  int t = threadIdx.y * 16 + threadIdx.x;
  if (t < 81) s[t / 9][t % 9] = 2 * (t % 9) - 3 * (t / 9);
  __syncthreads();
  float u = threadIdx.x / 2.0f, v = threadIdx.y / 2.0f;
  int x = (int)u, y = (int)v;
  float fx = u - x, fy = v - y;
  float top = s[y][x] * (1 - fx) + s[y][x + 1] * fx;
  float bottom = s[y + 1][x] * (1 - fx) + s[y + 1][x + 1] * fx;
  ok[t] = top * (1 - fy) + bottom * fy == 2 * u - 3 * v;
}

extern "C" __global__ void rotate_quarter(int* ok) {
  __shared__ uchar2 s[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  s[x][15 - y] = make_uchar2(x, y);
  __syncthreads();
  uchar2 p = s[y][x];
  ok[y * 16 + x] = p.x == y && p.y == 15 - x;
}

extern "C" __global__ void threshold(unsigned char* a, int* ok) {
  int t = threadIdx.x;
  a[t] = a[t] > 127 ? 255 : 0;
  ok[t] = a[t] == (t > 127 ? 255 : 0) && __syncthreads_count(a[t] == 255) == 128;
}

extern "C" __global__ void integral(int* ok) {
  __shared__ int s[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  s[y][x] = 1;
  for (int d = 1; d < 16; d *= 2) {
    __syncthreads();
    int v = x >= d ? s[y][x - d] : 0;
    __syncthreads();
    s[y][x] += v;
  }
  for (int d = 1; d < 16; d *= 2) {
    __syncthreads();
    int v = y >= d ? s[y - d][x] : 0;
    __syncthreads();
    s[y][x] += v;
  }
  __syncthreads();
  ok[y * 16 + x] = s[y][x] == (x + 1) * (y + 1);
}

extern "C" __global__ void yuv(int* ok) {
  float r = threadIdx.x / 63.0f, g = 1 - r, b = 0.5f;
  float y = 0.299f * r + 0.587f * g + 0.114f * b, u = 0.492f * (b - y), v = 0.877f * (r - y);
  float r2 = y + v / 0.877f, b2 = y + u / 0.492f, g2 = (y - 0.299f * r2 - 0.114f * b2) / 0.587f;
  ok[threadIdx.x] = fabsf(r - r2) < 1e-5f && fabsf(g - g2) < 1e-5f && fabsf(b - b2) < 1e-5f;
}

extern "C" __global__ void mandelbrot(int* ok) {
  int px = blockIdx.x * 8 + threadIdx.x, py = blockIdx.y * 8 + threadIdx.y;
  float x = -2 + px * 0.1875f, y = -1.5f + py * 0.1875f, u = 0, v = 0;
  int steps = 0;
  while (steps < 64 && u * u + v * v <= 4) {
    float w = u * u - v * v + x;
    v = 2 * u * v + y;
    u = w;
    ++steps;
  }
  bool far = x * x + y * y > 4;
  float q = (x - 0.25f) * (x - 0.25f) + y * y;
  bool inside = q * (q + (x - 0.25f)) < 0.24f * y * y;
  ok[py * 16 + px] = (!far || steps <= 2) && (!inside || steps == 64);
}

extern "C" __global__ void connected(int* ok) {
  __shared__ int label[16][16], changed;
  int x = threadIdx.x, y = threadIdx.y;
  bool wall = x == 8;
  label[y][x] = wall ? -1 : y * 16 + x;
  do {
    __syncthreads();
    if (x == 0 && y == 0) changed = 0;
    __syncthreads();
    int best = label[y][x];
    if (!wall) {
      if (x > 0 && label[y][x - 1] >= 0) best = min(best, label[y][x - 1]);
      if (x < 15 && label[y][x + 1] >= 0) best = min(best, label[y][x + 1]);
      if (y > 0 && label[y - 1][x] >= 0) best = min(best, label[y - 1][x]);
      if (y < 15 && label[y + 1][x] >= 0) best = min(best, label[y + 1][x]);
    }
    __syncthreads();
    if (best != label[y][x]) label[y][x] = best, changed = 1;
    __syncthreads();
  } while (changed);
  ok[y * 16 + x] = label[y][x] == (wall ? -1 : x < 8 ? 0 : 9);
}

extern "C" __global__ void gamma(int* ok) {
  float v = threadIdx.x / 255.0f, g = powf(v, 1 / 2.2f), back = powf(g, 2.2f);
  ok[threadIdx.x] = fabsf(back - v) < 1e-5f && g >= v;
}
