// gpx: --entry three_point --grid 2 --block 64 --buffer a=512B:index --buffer ok=512B --arg n=128 expect ok==1
// gpx: --entry five_point --grid 2,2 --block 16,8 --buffer a=2KB:index --buffer ok=2KB --arg width=32 --arg height=16 expect ok==1
// gpx: --entry nine_point --grid 1 --block 16,16 --buffer a=1KB:index --buffer ok=1KB --arg width=16 --arg height=16 expect ok==1
// gpx: --entry seven_point --grid 2,2,2 --block 4,4,4 --buffer a=2KB:index --buffer ok=2KB --arg side=8 expect ok==1
// gpx: --entry shared_halo --grid 4 --block 32 --buffer a=512B:index --buffer ok=512B --arg n=128 expect ok==1
// gpx: --entry shared_tile --grid 2,2 --block 8,8 --buffer a=1KB:index --buffer ok=1KB --arg side=16 expect ok==1
// gpx: --entry jacobi_steps --grid 1 --block 64 --buffer ok=256B --arg steps=50 expect ok==1
// gpx: --entry wrap_around --grid 1 --block 96 --buffer ok=384B --arg steps=96 expect ok==1
// gpx: --entry game_of_life --grid 1 --block 16,16 --buffer ok=1KB --arg steps=8 expect ok==1
// gpx: --entry rule_110 --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry wave --grid 1 --block 128 --buffer ok=512B --arg steps=20 expect ok==1
// gpx: --entry radius_4 --grid 1 --block 64 --buffer a=512B:index --buffer ok=256B expect ok==1
// gpx: --entry march_in_z --grid 1 --block 8,8 --buffer a=2KB:index --buffer ok=256B expect ok==1
// gpx: --entry red_black --grid 1 --block 64 --buffer ok=256B --arg sweeps=400 expect ok==1
extern "C" __global__ void three_point(const int* a, int* ok, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int left = i > 0 ? a[i - 1] : a[i], right = i + 1 < n ? a[i + 1] : a[i];
  int second = left - 2 * a[i] + right;
  ok[i] = second == (i == 0) - (i == n - 1);
}

extern "C" __global__ void five_point(const int* a, int* ok, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int i = y * width + x;
  bool inner = x > 0 && y > 0 && x < width - 1 && y < height - 1;
  int v = inner ? a[i - 1] + a[i + 1] + a[i - width] + a[i + width] : 4 * a[i];
  ok[i] = v == 4 * i;
}

extern "C" __global__ void nine_point(const float* a, int* ok, int width, int height) {
  int x = threadIdx.x, y = threadIdx.y;
  float sum = 0;
  int count = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      int u = x + dx, v = y + dy;
      if (u < 0 || v < 0 || u >= width || v >= height) continue;
      sum += a[v * width + u], ++count;
    }
  bool edge_x = x == 0 || x == width - 1, edge_y = y == 0 || y == height - 1;
  bool inner = !edge_x && !edge_y;
  ok[y * width + x] = count == (edge_x ? 2 : 3) * (edge_y ? 2 : 3) &&
                      (!inner || sum == 9.0f * (y * width + x));
}

extern "C" __global__ void seven_point(const int* a, int* ok, int side) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
      z = blockIdx.z * blockDim.z + threadIdx.z;
  int plane = side * side, i = z * plane + y * side + x;
  auto at = [&](int dx, int dy, int dz) {
    int u = min(max(x + dx, 0), side - 1), v = min(max(y + dy, 0), side - 1),
        w = min(max(z + dz, 0), side - 1);
    return a[w * plane + v * side + u];
  };
  int sum = at(1, 0, 0) + at(-1, 0, 0) + at(0, 1, 0) + at(0, -1, 0) + at(0, 0, 1) + at(0, 0, -1);
  int edges = ((x == 0) - (x == side - 1)) + side * ((y == 0) - (y == side - 1)) +
              plane * ((z == 0) - (z == side - 1));
  ok[i] = sum - 6 * a[i] == edges;
}

extern "C" __global__ void shared_halo(const int* a, int* ok, int n) {
  __shared__ int s[34];
  int t = threadIdx.x, i = blockIdx.x * 32 + t;
  s[t + 1] = a[i];
  if (t == 0) s[0] = i > 0 ? a[i - 1] : -1;
  if (t == 31) s[33] = i + 1 < n ? a[i + 1] : n;
  __syncthreads();
  ok[i] = s[t] + s[t + 2] == 2 * i;
}

extern "C" __global__ void shared_tile(const int* a, int* ok, int side) {
  __shared__ int s[10][10];
  int x0 = blockIdx.x * 8 - 1, y0 = blockIdx.y * 8 - 1;
  for (int k = threadIdx.y * 8 + threadIdx.x; k < 100; k += 64) {
    int x = x0 + k % 10, y = y0 + k / 10;
    bool inside = x >= 0 && y >= 0 && x < side && y < side;
    s[k / 10][k % 10] = inside ? a[y * side + x] : 0;
  }
  __syncthreads();
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1, x = x0 + tx, y = y0 + ty;
  int v = s[ty - 1][tx] + s[ty + 1][tx] + s[ty][tx - 1] + s[ty][tx + 1], expected = 0;
  if (y > 0) expected += (y - 1) * side + x;
  if (y + 1 < side) expected += (y + 1) * side + x;
  if (x > 0) expected += y * side + x - 1;
  if (x + 1 < side) expected += y * side + x + 1;
  ok[y * side + x] = v == expected;
}

// Heat between 0 and 1 on a rod of 3 inner points tends to a line.
extern "C" __global__ void jacobi_steps(int* ok, int steps) {
  float a[5] = {0, 0, 0, 0, 1};
  for (int s = 0; s < steps; ++s) {
    float before = a[0];
    for (int i = 1; i < 4; ++i) {
      float here = a[i];
      a[i] = 0.5f * (before + a[i + 1]);
      before = here;
    }
  }
  ok[threadIdx.x] = fabsf(a[1] - 0.25f) < 1e-4f && fabsf(a[2] - 0.5f) < 1e-4f &&
                    fabsf(a[3] - 0.75f) < 1e-4f;
}

extern "C" __global__ void wrap_around(int* ok, int steps) {
  __shared__ int s[96];
  int t = threadIdx.x;
  s[t] = t * t;
  for (int i = 0; i < steps; ++i) {
    __syncthreads();
    int v = s[(t + 95) % 96];
    __syncthreads();
    s[t] = v;
  }
  ok[t] = s[t] == t * t;
}

// A glider moves by (1, 1) in 4 steps, on a torus.
extern "C" __global__ void game_of_life(int* ok, int steps) {
  __shared__ unsigned char s[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  auto glider = [](int u, int v) {
    return (v == 0 && u == 1) || (v == 1 && u == 2) || (v == 2 && u <= 2);
  };
  s[y][x] = glider(x, y);
  for (int i = 0; i < steps; ++i) {
    __syncthreads();
    int n = 0;
    for (int dy = 15; dy <= 17; ++dy)
      for (int dx = 15; dx <= 17; ++dx) n += s[(y + dy) % 16][(x + dx) % 16];
    int self = s[y][x];
    n -= self;
    __syncthreads();
    s[y][x] = n == 3 || (self && n == 2);
  }
  int moved = steps / 4;
  ok[y * 16 + x] = s[y][x] == glider((x + 16 - moved) % 16, (y + 16 - moved) % 16);
}

extern "C" __global__ void rule_110(int* ok) {
  int t = threadIdx.x;
  unsigned long long word = 1, next = 0;
  for (int step = 0; step < 20; ++step, word = next) {
    next = 0;
    for (int i = 0; i < 64; ++i) {
      unsigned around = (unsigned)(word << 1 >> i & 1) | (unsigned)(word >> i & 1) << 1 |
                        (unsigned)((i == 63 ? 0 : word >> (i + 1)) & 1) << 2;
      around = (around & 1) | (around & 2) | (around & 4);
      next |= (unsigned long long)(110 >> around & 1) << i;
    }
  }
  __shared__ unsigned long long s;
  if (t == 0) s = word;
  __syncthreads();
  ok[t] = s == word && __popcll(word) > 1;
}

extern "C" __global__ void wave(int* ok, int steps) {
  __shared__ float now[128], before[128];
  int t = threadIdx.x;
  now[t] = before[t] = t == 64 ? 1.0f : 0.0f;
  if (t == 64) before[t] = 0.0f;
  float energy = 0;
  for (int s = 0; s < steps; ++s) {
    __syncthreads();
    float left = t > 0 ? now[t - 1] : 0, right = t < 127 ? now[t + 1] : 0;
    float next = left + right - before[t];
    __syncthreads();
    before[t] = now[t];
    now[t] = next;
  }
  __syncthreads();
  int distance = abs(t - 64);
  ok[t] = energy == 0 && now[t] == (distance <= steps && (distance + steps) % 2 == 0 ? 1.0f : 0.0f);
}

extern "C" __global__ void radius_4(const int* a, int* ok) {
  __shared__ int s[72];
  int t = threadIdx.x;
  s[t] = a[t];
  if (t < 8) s[64 + t] = a[64 + t];
  __syncthreads();
  int sum = 0;
#pragma unroll
  for (int d = 0; d <= 8; ++d) sum += s[t + d];
  ok[t] = sum == 9 * (t + 4);
}

extern "C" __global__ void march_in_z(const int* a, int* ok) {
  int i = threadIdx.y * 8 + threadIdx.x, below = a[i], here = a[i + 64];
  bool good = true;
  for (int z = 1; z < 7; ++z) {
    int above = a[i + 64 * (z + 1)];
    good = good && above + below == 2 * here && here == i + 64 * z;
    below = here;
    here = above;
  }
  ok[i] = good;
}

extern "C" __global__ void red_black(int* ok, int sweeps) {
  __shared__ float s[10];
  int t = threadIdx.x;
  if (t < 10) s[t] = t == 9 ? 9.0f : 0.0f;
  for (int i = 0; i < sweeps; ++i)
    for (int colour = 0; colour < 2; ++colour) {
      __syncthreads();
      if (t > 0 && t < 9 && t % 2 == colour) s[t] = 0.5f * (s[t - 1] + s[t + 1]);
    }
  __syncthreads();
  ok[t] = fabsf(s[t % 10] - t % 10) < 1e-3f;
}
