// All pairs of bodies.
__global__ void forces_global(float4* force, const float4* body, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 me = body[i];
  float fx = 0, fy = 0, fz = 0;
  for (int j = 0; j < n; ++j) {
    const float4 other = body[j];
    const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
    const float near = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
    const float s = other.w * near * near * near;
    fx += s * dx, fy += s * dy, fz += s * dz;
  }
  force[i] = make_float4(fx, fy, fz, 0);
}

__global__ void forces_shared(float4* force, const float4* body, int n) {
  __shared__ float4 tile[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 me = body[i];
  float fx = 0, fy = 0, fz = 0;
  for (int from = 0; from < n; from += 256) {
    tile[threadIdx.x] = body[from + threadIdx.x];
    __syncthreads();
#pragma unroll 4
    for (int j = 0; j < 256; ++j) {
      const float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
      const float near = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      const float s = tile[j].w * near * near * near;
      fx += s * dx, fy += s * dy, fz += s * dz;
    }
    __syncthreads();
  }
  force[i] = make_float4(fx, fy, fz, 0);
}
