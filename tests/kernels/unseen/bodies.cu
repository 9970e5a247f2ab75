// Particles, rays and the places where they meet.

// Forces by lists of neighbours: 64 for each particle, positions gathered as quads.
__global__ void listed_forces(float4* force, const float4* position, const unsigned* list, int n,
                              int neighbours, unsigned mask) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 p = position[i];
  float fx = 0, fy = 0, fz = 0;
  for (int k = 0; k < neighbours; ++k) {
    const float4 q = __ldg(&position[(list[(size_t)k * n + i] + i) & mask]);
    const float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
    const float r2 = dx * dx + dy * dy + dz * dz + 0.01f;
    if (r2 < 0.3f) {
      const float inverse = __frcp_rn(r2), six = inverse * inverse * inverse;
      const float f = six * (six - 0.5f) * inverse;
      fx += f * dx, fy += f * dy, fz += f * dz;
    }
  }
  force[i] = make_float4(fx, fy, fz, 0);
}

// Density over cells: a block for a cell of 64, the 27 cells around it one after the other.
__global__ void cell_density(float* density, const float4* particle, int cells) {
  __shared__ float4 other[64];
  const int t = threadIdx.x, x = blockIdx.x, y = blockIdx.y, z = blockIdx.z;
  const float4 p = particle[(((size_t)z * cells + y) * cells + x) * 64 + t];
  float sum = 0;
  for (int k = 0; k < 27; ++k) {
    const int cx = (x + k % 3 + cells - 1) % cells, cy = (y + k / 3 % 3 + cells - 1) % cells;
    const int cz = (z + k / 9 + cells - 1) % cells;
    __syncthreads();
    other[t] = particle[(((size_t)cz * cells + cy) * cells + cx) * 64 + t];
    __syncthreads();
    for (int j = 0; j < 64; ++j) {
      const float4 q = other[j];
      const float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
      const float w = 0.25f - (dx * dx + dy * dy + dz * dz);
      if (w > 0) sum += q.w * w * w * w;
    }
  }
  density[(((size_t)z * cells + y) * cells + x) * 64 + t] = sum;
}

// Attraction in doubles, everybody with everybody, through the cache.
__global__ void double_attraction(double* out, const double4* body, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const double x = body[i].x, y = body[i].y, z = body[i].z;
  double ax = 0, ay = 0, az = 0;
  for (int j = 0; j < n; ++j) {
    const double dx = body[j].x - x, dy = body[j].y - y, dz = body[j].z - z;
    const double inverse = rsqrt(dx * dx + dy * dy + dz * dz + 1e-3);
    const double f = body[j].w * inverse * inverse * inverse;
    ax += f * dx, ay += f * dy, az += f * dz;
  }
  out[i] = ax + ay + az;
}

// Particles take fields from eight corners of their cell and move; three components of a field.
__global__ void gather_fields(float4* place, float4* speed, const float4* field, int n, int side) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 p = place[i], v = speed[i];
  const float x = p.x * (side - 1), y = p.y * (side - 1), z = p.z * (side - 1);
  const int cx = min((int)x, side - 2), cy = min((int)y, side - 2), cz = min((int)z, side - 2);
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const float4 f = field[((size_t)(cz + k / 4) * side + cy + k / 2 % 2) * side + cx + k % 2];
    const float w = (k % 2 ? x - cx : 1 - x + cx) * (k / 2 % 2 ? y - cy : 1 - y + cy) *
                    (k / 4 ? z - cz : 1 - z + cz);
    v.x = fmaf(w * 1e-3f, f.x, v.x), v.y = fmaf(w * 1e-3f, f.y, v.y),
    v.z = fmaf(w * 1e-3f, f.z, v.z);
  }
  speed[i] = v;
  place[i] = make_float4(__saturatef(p.x + v.x * 1e-6f), __saturatef(p.y + v.y * 1e-6f),
                         __saturatef(p.z + v.z * 1e-6f), p.w);
}

__constant__ float4 sphere[256] = {{0.1f, 0.2f, 3.0f, 0.5f}, {-0.3f, 0.1f, 2.0f, 0.25f}};

// Rays against spheres in constant memory, all lanes at the same one.
__global__ void hit_spheres(float* depth, int width, int height, int spheres) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float u = (x + 0.5f) / width - 0.5f, v = (y + 0.5f) / height - 0.5f,
              w = rsqrtf(u * u + v * v + 1);
  float nearest = 1e10f;
  for (int s = 0; s < spheres; ++s) {
    const float4 q = sphere[s];
    const float b = (u * q.x + v * q.y + q.z) * w;
    const float d = b * b - (q.x * q.x + q.y * q.y + q.z * q.z - q.w * q.w);
    if (d > 0) {
      const float t = b - sqrtf(d);
      if (t > 0) nearest = fminf(nearest, t);
    }
  }
  depth[y * width + x] = nearest;
}

// Rays march through distances of a fractal of folds: as many steps as each needs.
__global__ void march(unsigned char* steps, int width, int height, int most) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float u = 2.0f * x / width - 1, v = 2.0f * y / height - 1,
              n = rsqrtf(u * u + v * v + 2.25f);
  float t = 0;
  int k = 0;
  for (; k < most; ++k) {
    float px = u * n * t, py = v * n * t, pz = 1.5f * n * t - 4, scale = 1;
    for (int fold = 0; fold < 6; ++fold) {
      px = fabsf(px) - 0.6f, py = fabsf(py) - 0.6f, pz = fabsf(pz) - 0.6f;
      const float r = fmaxf(0.7f, 1.0f / fmaxf(px * px + py * py + pz * pz, 1e-3f));
      px *= r, py *= r, pz *= r, scale *= r;
    }
    const float d = (sqrtf(px * px + py * py + pz * pz) - 0.3f) / scale;
    t += fmaxf(d, 1e-3f);
    if (d < 1e-3f || t > 8) break;
  }
  steps[y * width + x] = k;
}

// A tree of boxes walked with a stack of one's own: levels of a heap, boxes made from its numbers.
__global__ void walk_boxes(unsigned* out, const float4* box, int rays, int levels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rays) return;
  const unsigned h = i * 2654435761u;
  const float x = (h & 0xffff) / 65536.0f, y = (h >> 16) / 65536.0f;
  int stack[24], top = 0;
  unsigned found = 0;
  stack[top++] = 1;
  while (top > 0) {
    const int node = stack[--top];
    const float4 b = box[node];
    const float size = exp2f(-0.5f * (31 - __clz(node)));
    if (fabsf(b.x - x) > size * 0.7f || fabsf(b.y - y) > size * 0.7f) continue;
    if (node >> levels) {
      found += node;
      continue;
    }
    if (top < 22) {
      stack[top++] = 2 * node;
      stack[top++] = 2 * node + 1;
    }
  }
  out[i] = found;
}

// Pairs of boxes that touch, of a sorted sweep: each looks at the next 48, finds go to a list.
__global__ void touching_pairs(uint2* pair, unsigned* found, const float4* box, int n,
                               unsigned capacity) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 a = box[i];
  for (int k = 1; k <= 48 && i + k < n; ++k) {
    const float4 b = box[i + k];
    if (fabsf(a.x - b.x) < 0.1f && fabsf(a.y - b.y) < 0.1f && fabsf(a.z - b.z) < 0.5f) {
      const unsigned at = atomicAdd(found, 1u) % capacity;
      pair[at] = make_uint2(i, i + k);
    }
  }
}
