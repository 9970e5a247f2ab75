// Data unpacked and packed.

// Symbols of a prefix code: a window of 12 bits is looked up in shared memory, one to twelve are
// used; each thread has words of its own, contiguous.
__global__ void decode_prefix(unsigned char* out, const unsigned* in, const unsigned* table,
                              int threads, int symbols, int words) {
  __shared__ unsigned short entry[4096];
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) entry[i] = table[i];
  __syncthreads();
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= threads) return;
  const unsigned* mine = in + (size_t)t * words;
  unsigned long long window = (unsigned long long)mine[1] << 32 | mine[0];
  int held = 64, next = 2;
  for (int k = 0; k < symbols; ++k) {
    const unsigned e = entry[window & 4095], used = 1 + (e >> 8) % 12;
    out[(size_t)k * threads + t] = e;
    window >>= used, held -= used;
    if (held < 32) window |= (unsigned long long)mine[next++] << held, held += 32;
  }
}

// Bytes of words of four collected by their place: four planes for each block of 4096 words.
__global__ void bytes_by_plane(unsigned* out, const uint4* in) {
  const size_t base = (size_t)blockIdx.x * 4096;
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) {
    const uint4 v = in[base / 4 + i];
    const unsigned low0 = __byte_perm(v.x, v.y, 0x5140), low1 = __byte_perm(v.z, v.w, 0x5140);
    const unsigned high0 = __byte_perm(v.x, v.y, 0x7362), high1 = __byte_perm(v.z, v.w, 0x7362);
    out[base + i] = __byte_perm(low0, low1, 0x5410);
    out[base + 1024 + i] = __byte_perm(low0, low1, 0x7632);
    out[base + 2048 + i] = __byte_perm(high0, high1, 0x5410);
    out[base + 3072 + i] = __byte_perm(high0, high1, 0x7632);
  }
}

// Runs written out: each thread searches the run of its place, then reads the run's value.
__global__ void expand_runs(float* out, const unsigned* end, const float* value, int n, int runs) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int low = 0, high = runs - 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (end[middle] > i)
      high = middle;
    else
      low = middle + 1;
  }
  out[i] = value[low];
}
