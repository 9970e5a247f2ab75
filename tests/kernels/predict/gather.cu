// Reads and writes at addresses from memory.
__global__ void gather_words(float* out, const float* in, const int* where, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[where[i]];
}

__global__ void scatter_words(float* out, const float* in, const int* where, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[where[i]] = in[i];
}

// A word of a table of `mask + 1` words, for each of several rounds of a hash.
__global__ void look_up(unsigned* out, const unsigned* table, unsigned mask, int rounds) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned value = i * 2654435761u, sum = 0;
  for (int k = 0; k < rounds; ++k) {
    value = value * 1664525u + 1013904223u;
    sum += table[value >> 7 & mask];
  }
  out[i] = sum;
}

// Chases: every thread follows a list of its own.
__global__ void follow_lists(int* out, const int* next, int steps, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int at = (int)(i * 2654435761u % (unsigned)n);
  for (int k = 0; k < steps; ++k) at = next[at];
  out[i] = at;
}

// Binary search in a sorted array.
__global__ void search_sorted(int* out, const int* sorted, const unsigned* wanted, int n, int m) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const int value = (int)(wanted[i] % (unsigned)n);
  int low = 0, high = n;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (sorted[middle] < value)
      low = middle + 1;
    else
      high = middle;
  }
  out[i] = low;
}
