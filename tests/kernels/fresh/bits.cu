// Work on single bits.

// Queens on a board of `side`: the first three rows by the thread, the rest by a stack of its own.
__global__ void count_queens(unsigned* total, int side) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned full = (1u << side) - 1;
  const int first[3] = {t % side, t / side % side, t / side / side};
  unsigned down = 0, left = 0, right = 0, found = 0;
  bool valid = t < side * side * side;
  for (int r = 0; r < 3; ++r) {
    const unsigned bit = 1u << (valid ? first[r] : 0);
    valid = valid && !((down | left | right) & bit);
    down |= bit, left = (left | bit) << 1 & full, right = (right | bit) >> 1;
  }
  if (valid) {
    unsigned d[16], l[16], r[16], free[16];
    int level = 0;
    d[0] = down, l[0] = left, r[0] = right, free[0] = full & ~(down | left | right);
    while (level >= 0) {
      if (free[level] == 0) {
        --level;
        continue;
      }
      const unsigned bit = free[level] & -free[level];
      free[level] ^= bit;
      const unsigned nd = d[level] | bit, nl = (l[level] | bit) << 1 & full,
                     nr = (r[level] | bit) >> 1;
      if (nd == full) {
        ++found;
        continue;
      }
      ++level;
      d[level] = nd, l[level] = nl, r[level] = nr, free[level] = full & ~(nd | nl | nr);
    }
  }
  found = __reduce_add_sync(~0u, found);
  if (threadIdx.x % 32 == 0) atomicAdd(total, found);
}

// Matrices of 32 x 32 bits transposed by a warp, with exchanges over five distances.
__global__ void transpose_bits(unsigned* out, const unsigned* in, int rows, int words) {
  const int lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int x = warp % words, y = warp / words * 32;
  if (y >= rows) return;
  unsigned v = in[(size_t)(y + lane) * words + x], mask = 0x0000ffffu;
#pragma unroll
  for (int s = 16; s > 0; s /= 2, mask ^= mask << s) {
    const unsigned other = __shfl_xor_sync(~0u, v, s);
    v = lane & s ? (v & ~mask) | (other >> s & mask) : (v & mask) | (other & mask) << s;
  }
  out[(size_t)(x * 32 + lane) * (rows / 32) + y / 32] = v;
}
