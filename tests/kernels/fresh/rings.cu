// Blocks of a cluster that read and write each other's shared memory.
#include <cooperative_groups.h>

// Squares of 8 x 8 tiles turned: each block of a cluster has a row of tiles and takes a column.
__global__ void __cluster_dims__(8, 1, 1) turn_tiles(float* out, const float* in) {
  namespace cg = cooperative_groups;
  __shared__ float tile[8][32][33];
  cg::cluster_group cluster = cg::this_cluster();
  const int rank = cluster.block_rank(), x = threadIdx.x, y = threadIdx.y;
  const size_t square = (size_t)(blockIdx.x / 8) * 65536;
  for (int k = 0; k < 8; ++k)
    for (int r = y; r < 32; r += 8) tile[k][r][x] = in[square + (rank * 32 + r) * 256 + k * 32 + x];
  cluster.sync();
  for (int k = 0; k < 8; ++k) {
    const int from = (rank + k) % 8;
    const float* there = cluster.map_shared_rank(&tile[0][0][0], from) + rank * 32 * 33;
    for (int r = y; r < 32; r += 8)
      out[square + (rank * 32 + r) * 256 + from * 32 + x] = there[x * 33 + r];
  }
  cluster.sync();
}

// Vectors of a cluster of four summed around a ring: parts pass to the next block and are added.
__global__ void __cluster_dims__(4, 1, 1) sum_around(float* out, const float* in, int rounds) {
  namespace cg = cooperative_groups;
  __shared__ float part[2][1024];
  cg::cluster_group cluster = cg::this_cluster();
  const int rank = cluster.block_rank(), t = threadIdx.x;
  float* next = cluster.map_shared_rank(&part[0][0], (rank + 1) % 4);
  float sum = in[(size_t)blockIdx.x * 1024 + t];
  const float mine = sum;
  for (int k = 0; k < rounds; ++k) {
    next[k % 2 * 1024 + t] = sum;
    cluster.sync();
    sum = part[k % 2][t] + mine;
  }
  cluster.sync();
  out[(size_t)blockIdx.x * 1024 + t] = sum;
}

// A table that four blocks hold together, 32 KB each: words at random from all of them.
__global__ void __cluster_dims__(4, 1, 1) shared_table(float* out, const float* table, int each) {
  namespace cg = cooperative_groups;
  __shared__ float piece[8192];
  cg::cluster_group cluster = cg::this_cluster();
  const int rank = cluster.block_rank();
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) piece[i] = table[rank * 8192 + i];
  const float* whole[4];
  for (int r = 0; r < 4; ++r) whole[r] = cluster.map_shared_rank(piece, r);
  cluster.sync();
  unsigned s = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 99;
  float sum = 0;
  for (int k = 0; k < each; ++k) {
    s = s * 1664525u + 1013904223u;
    const unsigned at = s >> 17;
    sum += whole[at / 8192][at % 8192];
  }
  cluster.sync();
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
