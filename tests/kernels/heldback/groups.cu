// Threads that wait for each other: barriers, roles of warps, clusters, copies that run ahead.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

// Half of the warps load, the others compute; two buffers, two named barriers for each.
__global__ void two_roles(float* out, const float* in, int tiles) {
  __shared__ float stage[2][256];
  const int t = threadIdx.x % 256;
  const bool loads = threadIdx.x >= 256;
  const float* mine = in + (size_t)blockIdx.x * tiles * 256;
  float sum = 0;
  for (int k = 0; k < tiles; ++k) {
    const int full = 1 + k % 2, empty = 3 + k % 2;
    if (loads) {
      const float v = mine[k * 256 + t];
      if (k >= 2) asm volatile("bar.sync %0, 512;" ::"r"(empty) : "memory");
      stage[k % 2][t] = v;
      asm volatile("bar.arrive %0, 512;" ::"r"(full) : "memory");
    } else {
      asm volatile("bar.sync %0, 512;" ::"r"(full) : "memory");
      for (int j = 0; j < 16; ++j) sum = fmaf(sum, 0.99f, stage[k % 2][(t + 16 * j) % 256]);
      if (k + 2 < tiles) asm volatile("bar.arrive %0, 512;" ::"r"(empty) : "memory");
    }
  }
  if (!loads) out[blockIdx.x * 256 + t] = sum;
}

// Votes of a block.
__global__ void count_rounds(int* out, int rounds) {
  int active = 0;
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < rounds; ++k) {
    x = x * 1664525u + 1013904223u;
    active += __syncthreads_count(x >> 31);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = active;
}

// A ring of values in shared memory that everybody passes on.
__global__ void pass_on(float* out, int rounds, int step) {
  extern __shared__ float ring[];
  const int n = blockDim.x;
  float v = threadIdx.x;
  for (int k = 0; k < rounds; ++k) {
    ring[threadIdx.x] = v;
    __syncthreads();
    v = ring[(threadIdx.x + step) % n] * 0.5f + 1.0f;
    __syncthreads();
  }
  out[blockIdx.x * n + threadIdx.x] = v;
}

// A histogram that lies in the shared memory of two blocks of a cluster.
__global__ void __cluster_dims__(2, 1, 1)
    count_in_cluster(unsigned* out, const unsigned* in, int n) {
  namespace cg = cooperative_groups;
  __shared__ unsigned bins[512];
  cg::cluster_group cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < 512; i += blockDim.x) bins[i] = 0;
  cluster.sync();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned bin = in[i] & 1023;
    atomicAdd(cluster.map_shared_rank(&bins[bin % 512], bin / 512), 1u);
  }
  cluster.sync();
  for (int i = threadIdx.x; i < 512; i += blockDim.x)
    atomicAdd(&out[cluster.block_rank() * 512 + i], bins[i]);
}

// A sum of rows that arrive by bulk copies, two on their way.
__global__ void sum_bulk(float* out, const float* in, int rows) {
  __shared__ alignas(128) float stage[2][1024];
  __shared__ alignas(8) unsigned long long full[2];
  const unsigned barrier = (unsigned)__cvta_generic_to_shared(full);
  const unsigned target = (unsigned)__cvta_generic_to_shared(stage);
  const float* mine = in + (size_t)blockIdx.x * rows * 1024;
  const auto fetch = [&](int row) {
    const unsigned at = barrier + row % 2 * 8;
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 4096;" ::"r"(at) : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 4096, "
        "[%2];" ::"r"(target + row % 2 * 4096),
        "l"(mine + row * 1024), "r"(at)
        : "memory");
  };
  if (threadIdx.x == 0) {
    for (int k = 0; k < 2; ++k)
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier + k * 8) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    fetch(0);
    if (rows > 1) fetch(1);
  }
  __syncthreads();
  float sum = 0;
  for (int row = 0; row < rows; ++row) {
    const unsigned parity = row / 2 % 2;
    asm volatile(
        "{\n.reg .pred done;\nAGAIN:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra AGAIN;\n}" ::"r"(
            barrier + row % 2 * 8),
        "r"(parity)
        : "memory");
    for (int k = 0; k < 4; ++k) sum += stage[row % 2][threadIdx.x + k * 256];
    __syncthreads();
    if (threadIdx.x == 0 && row + 2 < rows) fetch(row + 2);
  }
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}

// A stencil along z whose planes are copied ahead, three in a ring.
__global__ void planes_ahead(float* out, const float* in, int nx, int ny, int nz) {
  __shared__ float plane[4][8][34];
  const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 8, tx = threadIdx.x, ty = threadIdx.y;
  const size_t layer = (size_t)nx * ny;
  const auto fetch = [&](int z) {
    for (int c = tx; c < 34; c += 32) {
      const int gx = min(max(x0 + c - 1, 0), nx - 1);
      __pipeline_memcpy_async(&plane[z % 4][ty][c], &in[z * layer + (size_t)(y0 + ty) * nx + gx],
                              4);
    }
    __pipeline_commit();
  };
  fetch(0), fetch(1), fetch(2);
  for (int z = 1; z < nz - 1; ++z) {
    __pipeline_wait_prior(0);
    __syncthreads();
    if (z + 2 < nz) fetch(z + 2);
    const int at = z % 4;
    const float v = plane[at][ty][tx] + plane[at][ty][tx + 2] + plane[(z + 3) % 4][ty][tx + 1] +
                    plane[(z + 1) % 4][ty][tx + 1] - 4.0f * plane[at][ty][tx + 1];
    out[z * layer + (size_t)(y0 + ty) * nx + x0 + tx] = v;
  }
}
