// Forces between all bodies: every lane reads the same one.
extern "C" __global__ void forces(float4* force, const float4* body, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 own = body[i];
  float x = 0, y = 0, z = 0;
  for (int k = 0; k < count; ++k) {
    const float4 other = body[k];
    const float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
    const float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
    const float f = other.w * r * r * r;
    x += f * dx, y += f * dy, z += f * dz;
  }
  force[i] = make_float4(x, y, z, 0);
}
