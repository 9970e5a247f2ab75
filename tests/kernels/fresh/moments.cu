// Sums in which the order or the kind of numbers matters.
#include <cooperative_groups.h>

// Mean and spread of rows by updates that divide; partial results joined over the block.
__global__ void spread_by_updates(float2* out, const float* in, int columns) {
  __shared__ float3 part[32];
  const float* mine = in + (size_t)blockIdx.x * columns;
  float count = 0, mean = 0, m2 = 0;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) {
    const float v = mine[c], d = v - mean;
    count += 1;
    mean += d / count;
    m2 += d * (v - mean);
  }
  const auto join = [&](float n, float a, float b) {
    const float all = count + n, d = a - mean;
    if (all > 0) mean += d * n / all, m2 += b + d * d * count * n / all;
    count = all;
  };
  for (int s = 16; s > 0; s /= 2) {
    const float n = __shfl_down_sync(~0u, count, s), a = __shfl_down_sync(~0u, mean, s),
                b = __shfl_down_sync(~0u, m2, s);
    join(n, a, b);
  }
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = make_float3(count, mean, m2);
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int w = 1; w < blockDim.x / 32; ++w) join(part[w].x, part[w].y, part[w].z);
  out[blockIdx.x] = make_float2(mean, m2 / count);
}

// The place of the largest of rows of 256: tiles of 16 lanes, value and place exchanged.
__global__ void largest_places(int* out, const float* in, int rows) {
  namespace cg = cooperative_groups;
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 16;
  if (row >= rows) return;
  float best = -1e30f;
  int place = 0;
  for (int c = tile.thread_rank(); c < 256; c += 16) {
    const float v = in[(size_t)row * 256 + c];
    if (v > best) best = v, place = c;
  }
  for (int s = 8; s > 0; s /= 2) {
    const float v = tile.shfl_down(best, s);
    const int p = tile.shfl_down(place, s);
    if (v > best) best = v, place = p;
  }
  if (tile.thread_rank() == 0) out[row] = place;
}
