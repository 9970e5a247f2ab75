// Warps with roles, clusters, bulk copies.
#include <cooperative_groups.h>

__device__ inline unsigned in_shared(const void* p) {
  return (unsigned)__cvta_generic_to_shared(p);
}

__device__ inline void await(unsigned barrier, unsigned parity) {
  asm volatile(
      "{\n.reg .pred done;\nAGAIN:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra AGAIN;\n}" ::"r"(
          barrier),
      "r"(parity)
      : "memory");
}

__device__ inline void arrive(unsigned barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

__device__ inline void start_barrier(unsigned barrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}

__device__ inline void bulk_in(unsigned target, const void* from, unsigned bytes,
                               unsigned barrier) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(target),
      "l"(from), "r"(bytes), "r"(barrier)
      : "memory");
}

// One warp fetches pieces of 8 KB by bulk copies, eight compute, one writes back in bulk.
#ifndef SLOTS
#define SLOTS 4
#endif
__global__ void __launch_bounds__(320)
    three_roles(float* out, const float* in, int pieces, int work) {
  extern __shared__ __align__(128) float slot[];
  __shared__ __align__(8) unsigned long long full[SLOTS], done[SLOTS], empty[SLOTS];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0)
    for (int s = 0; s < SLOTS; ++s)
      start_barrier(in_shared(&full[s]), 1), start_barrier(in_shared(&done[s]), 256),
          start_barrier(in_shared(&empty[s]), 1);
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  __syncthreads();
  for (int k = 0, p = blockIdx.x; p < pieces; ++k, p += gridDim.x) {
    const int s = k % SLOTS;
    const unsigned parity = k / SLOTS & 1;
    if (warp == 8 && lane == 0) {
      if (k >= SLOTS) await(in_shared(&empty[s]), parity ^ 1);
      bulk_in(in_shared(slot + s * 2048), in + (size_t)p * 2048, 8192, in_shared(&full[s]));
    } else if (warp < 8) {
      await(in_shared(&full[s]), parity);
      for (int j = 0; j < 8; ++j) {
        float v = slot[s * 2048 + j * 256 + threadIdx.x];
        for (int w = 0; w < work; ++w) v = fmaf(v, 0.999f, 0.001f);
        slot[s * 2048 + j * 256 + threadIdx.x] = v;
      }
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      arrive(in_shared(&done[s]));
    } else if (warp == 9 && lane == 0) {
      await(in_shared(&done[s]), parity);
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 8192;" ::"l"(
                       out + (size_t)p * 2048),
                   "r"(in_shared(slot + s * 2048))
                   : "memory");
      asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;" ::: "memory");
      arrive(in_shared(&empty[s]));
    }
  }
  if (warp == 9 && lane == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// Sums of a block's part added to memory by one bulk reduction of 4 KB.
__global__ void bulk_add(float* out, const float* in, int rows) {
  __shared__ __align__(128) float part[1024];
  for (int c = threadIdx.x; c < 1024; c += blockDim.x) {
    float sum = 0;
    for (int r = 0; r < rows; ++r) sum += in[((size_t)blockIdx.x * rows + r) * 1024 + c];
    part[c] = sum;
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile(
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], 4096;" ::"l"(out),
        "r"(in_shared(part))
        : "memory");
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
  }
}

// A mean of a row that a cluster holds in its blocks' shared memory; then written normalized.
__global__ void __cluster_dims__(4, 1, 1) row_of_cluster(float* out, const float* in, int quads) {
  namespace cg = cooperative_groups;
  extern __shared__ __align__(16) float4 piece[];
  __shared__ float part[32], total;
  cg::cluster_group cluster = cg::this_cluster();
  const size_t base = (size_t)blockIdx.x * quads;
  float sum = 0;
  for (int i = threadIdx.x; i < quads; i += blockDim.x) {
    const float4 v = ((const float4*)in)[base + i];
    piece[i] = v;
    sum += v.x + v.y + v.z + v.w;
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < blockDim.x / 32; ++w) sum += part[w];
    total = sum;
  }
  cluster.sync();
  float all = 0;
  for (int r = 0; r < 4; ++r) all += *cluster.map_shared_rank(&total, r);
  all /= 16.0f * quads;
  for (int i = threadIdx.x; i < quads; i += blockDim.x) {
    const float4 v = piece[i];
    ((float4*)out)[base + i] = make_float4(v.x - all, v.y - all, v.z - all, v.w - all);
  }
  cluster.sync();
}

// Halos between the blocks of a cluster of eight: a rod of cells, `steps` steps without memory.
__global__ void __cluster_dims__(8, 1, 1) rod_of_cluster(float* out, const float* in, int steps) {
  namespace cg = cooperative_groups;
  __shared__ float cell[2][514];
  cg::cluster_group cluster = cg::this_cluster();
  const int t = threadIdx.x, rank = cluster.block_rank();
  const size_t at = (size_t)blockIdx.x * 512 + t;
  cell[0][t + 1] = in[at];
  if (t == 0) cell[0][0] = cell[1][0] = cell[0][513] = cell[1][513] = 0;
  float* left = cluster.map_shared_rank(&cell[0][0], (rank + 7) % 8);
  float* right = cluster.map_shared_rank(&cell[0][0], (rank + 1) % 8);
  cluster.sync();
  for (int s = 0; s < steps; ++s) {
    const float* now = cell[s % 2];
    const float l = t > 0 ? now[t] : left[s % 2 * 514 + 512],
                r = t < 511 ? now[t + 2] : right[s % 2 * 514 + 1];
    cell[1 - s % 2][t + 1] = 0.25f * (l + r) + 0.5f * now[t + 1];
    cluster.sync();
  }
  out[at] = cell[steps % 2][t + 1];
}

// A tile comes once for two blocks of a cluster: each writes half of it to both.
__global__ void __cluster_dims__(2, 1, 1) shared_tiles(float* out, const float* in, int tiles) {
  namespace cg = cooperative_groups;
  __shared__ float tile[2][512];
  cg::cluster_group cluster = cg::this_cluster();
  const int t = threadIdx.x, rank = cluster.block_rank();
  float* other = cluster.map_shared_rank(&tile[0][0], 1 - rank);
  const float* mine = in + (size_t)(blockIdx.x / 2) * tiles * 512;
  float sum = 0;
  for (int k = 0; k < tiles; ++k) {
    const float v = mine[k * 512 + rank * 256 + t];
    tile[k % 2][rank * 256 + t] = v;
    other[k % 2 * 512 + rank * 256 + t] = v;
    cluster.sync();
    for (int j = 0; j < 32; ++j)
      sum = fmaf(tile[k % 2][(t * 3 + j * 17) % 512], 0.01f * (rank + 1), sum);
  }
  cluster.sync();
  out[blockIdx.x * 256 + t] = sum;
}

// Blocks read a table of 16 KB that one bulk copy brings; then random places of it.
__global__ void bulk_table(float* out, const float* table, int each) {
  __shared__ __align__(128) float local[4096];
  __shared__ __align__(8) unsigned long long full;
  if (threadIdx.x == 0) start_barrier(in_shared(&full), 1);
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) bulk_in(in_shared(local), table, 16384, in_shared(&full));
  await(in_shared(&full), 0);
  unsigned s = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u;
  float sum = 0;
  for (int k = 0; k < each; ++k) {
    s = s * 1664525u + 1013904223u;
    sum += local[s >> 20];
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Groups of 64 threads wait at barriers of their own, with other amounts of work.
__global__ void named_groups(float* out, int rounds) {
  __shared__ float pass[512];
  const int group = threadIdx.x / 64, t = threadIdx.x % 64;
  float v = threadIdx.x;
  for (int k = 0; k < rounds; ++k) {
    for (int w = 0; w < 4 * (group + 1); ++w) v = fmaf(v, 0.99f, 1.0f);
    pass[threadIdx.x] = v;
    asm volatile("bar.sync %0, 64;" ::"r"(group + 1) : "memory");
    v += pass[group * 64 + (t + 1) % 64];
    asm volatile("bar.sync %0, 64;" ::"r"(group + 1) : "memory");
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
