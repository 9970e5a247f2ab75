// Particles that wander.

__device__ inline float next_float(unsigned& s) {
  s ^= s << 13, s ^= s >> 17, s ^= s << 5;
  return (s >> 8) * (1.0f / 16777216);
}

// Neutrons collide until they are absorbed, escape or have had 200 collisions: a table of cross
// sections is searched by halves after each.
__global__ void neutrons(float* out, const float* energy, const float2* section, int n, int entries,
                         float absorb) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  unsigned s = t * 2654435761u + 12345;
  float e = 1, depth = 0, weight = 0;
  for (int k = 0; k < 200; ++k) {
    int low = 0, high = entries - 1;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (energy[middle] < e)
        low = middle + 1;
      else
        high = middle;
    }
    const float2 c = section[low];
    depth -= __logf(next_float(s) + 1e-7f) / (1 + c.x) * (2 * next_float(s) - 1);
    if (depth < -20 || depth > 20) break;
    weight += c.y;
    if (next_float(s) < absorb) break;
    e *= 0.5f + 0.5f * next_float(s);
  }
  out[t] = weight;
}

// Walkers on a periodic map of obstacles: a byte read a step, its place depends on the last.
__global__ void walkers(unsigned* out, const unsigned char* map, int bits, int steps, int wall) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned mask = (1u << bits) - 1;
  unsigned s = t * 2654435761u + 1, x = s >> 7 & mask, y = s >> 19 & mask;
  for (int k = 0; k < steps; ++k) {
    s = s * 1664525u + 1013904223u;
    const unsigned d = s >> 30;
    const unsigned u = (x + (d == 0) - (d == 1)) & mask, v = (y + (d == 2) - (d == 3)) & mask;
    if (map[(size_t)v << bits | u] >= wall) x = u, y = v;
  }
  out[t] = y << 16 | x;
}

// Particles in electric and magnetic fields of their cells: six arrays read and written.
__global__ void push_charges(float* x, float* y, float* z, float* vx, float* vy, float* vz,
                             const float4* field, int n, int side) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float px = x[i], py = y[i], pz = z[i], ux = vx[i], uy = vy[i], uz = vz[i];
  const int cell =
      (min((int)(pz * side), side - 1) * side + min((int)(py * side), side - 1)) * side +
      min((int)(px * side), side - 1);
  const float4 e = field[2 * cell], b = field[2 * cell + 1];
  ux += 0.01f * e.x, uy += 0.01f * e.y, uz += 0.01f * e.z;
  const float wx = ux + 0.05f * (uy * b.z - uz * b.y), wy = uy + 0.05f * (uz * b.x - ux * b.z),
              wz = uz + 0.05f * (ux * b.y - uy * b.x);
  const float s = 0.1f / (1 + 0.0025f * (b.x * b.x + b.y * b.y + b.z * b.z));
  ux += s * (wy * b.z - wz * b.y) + 0.01f * e.x;
  uy += s * (wz * b.x - wx * b.z) + 0.01f * e.y;
  uz += s * (wx * b.y - wy * b.x) + 0.01f * e.z;
  const float k = rsqrtf(1 + ux * ux + uy * uy + uz * uz) * 1e-4f;
  px += ux * k, py += uy * k, pz += uz * k;
  x[i] = px - floorf(px), y[i] = py - floorf(py), z[i] = pz - floorf(pz);
  vx[i] = ux * 0.9f, vy[i] = uy * 0.9f, vz[i] = uz * 0.9f;
}
