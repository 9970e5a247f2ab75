// Copies under way while others are used.
#include <cuda_pipeline.h>

// Each thread brings its own quads, four on their way, and waits for nobody else.
__global__ void own_ring(float* out, const float4* a, const float4* b, int each) {
  __shared__ float4 ring[2][4][128];
  const int t = threadIdx.x;
  const size_t base = (size_t)blockIdx.x * each * 128 + t;
  const auto fetch = [&](int k) {
    if (k < each) {
      __pipeline_memcpy_async(&ring[0][k % 4][t], &a[base + k * 128], 16);
      __pipeline_memcpy_async(&ring[1][k % 4][t], &b[base + k * 128], 16);
    }
    __pipeline_commit();
  };
  for (int k = 0; k < 3; ++k) fetch(k);
  float sum = 0;
  for (int k = 0; k < each; ++k) {
    fetch(k + 3);
    __pipeline_wait_prior(3);
    const float4 u = ring[0][k % 4][t], v = ring[1][k % 4][t];
    sum += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
  }
  out[blockIdx.x * 128 + t] = sum;
}

// Rows of a picture pass through shared memory, one ahead: a mean of five rows and five columns.
__global__ void rows_ahead(float* out, const float* in, int width, int rows) {
  __shared__ float line[8][264];
  const int t = threadIdx.x, x0 = blockIdx.x * 256;
  const int first = blockIdx.y * rows;
  const auto fetch = [&](int r) {
    if (r < rows + 4)
      for (int i = t; i < 264; i += 256)
        __pipeline_memcpy_async(&line[r % 8][i], &in[(size_t)(first + r) * width + x0 + i], 4);
    __pipeline_commit();
  };
  for (int r = 0; r < 5; ++r) fetch(r);
  for (int r = 0; r < rows; ++r) {
    fetch(r + 5);
    __pipeline_wait_prior(1);
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 5; ++k)
#pragma unroll
      for (int j = 0; j < 5; ++j) sum += line[(r + k) % 8][t + j];
    out[(size_t)(first + r) * (width - 8) + x0 + t] = 0.04f * sum;
    __syncthreads();
  }
}

__device__ inline unsigned place_of(const void* p) {
  return (unsigned)__cvta_generic_to_shared(p);
}

// Two halves of shared memory filled in bulk by one thread, in turn, and summed by all.
__global__ void __launch_bounds__(256) bulk_halves(float* out, const float* in, int pieces) {
  __shared__ __align__(128) float half[2][4096];
  __shared__ __align__(8) unsigned long long full[2];
  const int t = threadIdx.x;
  const auto fetch = [&](int p) {
    const unsigned barrier = place_of(&full[p % 2]);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 16384;" ::"r"(barrier)
                 : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 16384, "
        "[%2];" ::"r"(place_of(half[p % 2])),
        "l"(in + ((size_t)blockIdx.x * pieces + p) * 4096), "r"(barrier)
        : "memory");
  };
  if (t == 0) {
    for (int k = 0; k < 2; ++k)
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place_of(&full[k])) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    fetch(0);
    if (pieces > 1) fetch(1);
  }
  __syncthreads();
  float sum = 0;
  for (int p = 0; p < pieces; ++p) {
    asm volatile(
        "{\n.reg .pred done;\nAGAIN:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra AGAIN;\n}" ::"r"(
            place_of(&full[p % 2])),
        "r"(p / 2 & 1)
        : "memory");
    for (int i = t; i < 4096; i += 256) sum += half[p % 2][i];
    __syncthreads();
    if (t == 0 && p + 2 < pieces) fetch(p + 2);
  }
  out[blockIdx.x * 256 + t] = sum;
}
