// Columns of a database.

// A sum over rows that pass three tests, of four columns.
__global__ void revenue_where(double* total, const uint4* day, const float4* discount,
                              const float4* quantity, const float4* price, int quads) {
  double sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
    const uint4 d = day[i];
    const float4 r = discount[i], q = quantity[i], p = price[i];
    float part = 0;
    if (d.x < 0x40000000u && r.x > 0.3f && q.x < 0.5f) part += r.x * p.x;
    if (d.y < 0x40000000u && r.y > 0.3f && q.y < 0.5f) part += r.y * p.y;
    if (d.z < 0x40000000u && r.z > 0.3f && q.z < 0.5f) part += r.z * p.z;
    if (d.w < 0x40000000u && r.w > 0.3f && q.w < 0.5f) part += r.w * p.w;
    sum += part;
  }
  for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(~0u, sum, s);
  if (threadIdx.x % 32 == 0) atomicAdd(total, sum);
}

// Codes of BITS bits, packed without gaps, each replaced by an entry of a dictionary.
#ifndef BITS
#define BITS 11
#endif
__global__ void unpack_codes(float* out, const unsigned* packed, const float* dictionary, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned long long bit = (unsigned long long)i * BITS;
    const size_t word = bit / 32;
    const unsigned code = __funnelshift_r(packed[word], packed[word + 1], bit % 32);
    out[i] = dictionary[code & ((1u << BITS) - 1)];
  }
}

// Keys looked up in chains of entries: up to eight, some end earlier.
__global__ void probe_chains(unsigned* out, const unsigned* key, const unsigned* head,
                             const uint2* entry, int n, unsigned mask) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned k = key[i];
  unsigned at = head[k * 2654435761u & mask] & mask, sum = 0;
  for (int hop = 0; hop < 8; ++hop) {
    const uint2 e = entry[at];
    if (e.x == k) sum += 1000;
    ++sum;
    if ((e.y & 3) == 0) break;
    at = e.y >> 2 & mask;
  }
  out[i] = sum;
}
