// Triangles and points on a screen.

// Tiles of 16 x 16 pixels: each thread tests its pixel against all triangles, nearest wins.
__global__ void fill_tiles(unsigned* colour, const float4* corners, const float4* depths,
                           int triangles, int width) {
  const int px = blockIdx.x * 16 + threadIdx.x, py = blockIdx.y * 16 + threadIdx.y;
  const float x = px + 0.5f, y = py + 0.5f;
  float nearest = 1e30f;
  unsigned found = 0;
  for (int i = 0; i < triangles; ++i) {
    const float4 p = corners[2 * i], q = corners[2 * i + 1], d = depths[i];
    const float e0 = (p.z - p.x) * (y - p.y) - (p.w - p.y) * (x - p.x);
    const float e1 = (q.x - p.z) * (y - p.w) - (q.y - p.w) * (x - p.z);
    const float e2 = (p.x - q.x) * (y - q.y) - (p.y - q.y) * (x - q.x);
    const bool in = (e0 >= 0 && e1 >= 0 && e2 >= 0) || (e0 <= 0 && e1 <= 0 && e2 <= 0);
    if (!in) continue;
    const float z = (e1 * d.x + e2 * d.y + e0 * d.z) / (e0 + e1 + e2 + 1e-20f);
    if (z < nearest) nearest = z, found = i + 1;
  }
  colour[py * width + px] = found * 2654435761u;
}

// Points thrown onto a screen: depth and colour in one word of 64 bits, the least is kept.
__global__ void splat_points(unsigned long long* screen, const float4* point, int n, int width,
                             int height) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 p = point[i];
  const int x = min((int)(p.x * width), width - 1), y = min((int)(p.y * height), height - 1);
  atomicMin(&screen[y * width + x], (unsigned long long)__float_as_uint(p.z) << 32 | i);
}
