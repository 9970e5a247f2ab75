// gpx: --entry bitonic --grid 1 --block 256 --buffer a=1KB:permutation --buffer ok=1KB expect ok==1
// gpx: --entry odd_even --grid 1 --block 64 --buffer a=512B:permutation(3) --buffer ok=256B expect ok==1
// gpx: --entry rank_sort --grid 1 --block 128 --buffer a=512B:permutation(7) --buffer b=512B --buffer ok=512B expect ok==1
// gpx: --entry radix_bits --grid 1 --block 256 --buffer a=1KB:permutation(2) --buffer ok=1KB expect ok==1
// gpx: --entry counting --grid 1 --block 128 --buffer ok=512B expect ok==1
// gpx: --entry insertion_each --grid 1 --block 16 --buffer a=1KB:permutation(4) --buffer ok=64B expect ok==1
// gpx: --entry merge_pairs --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry merge_sort --grid 1 --block 64 --buffer a=256B:permutation(5) --buffer ok=256B expect ok==1
// gpx: --entry warp_bitonic --grid 2 --block 32 --buffer a=256B:permutation(6) --buffer ok=256B expect ok==1
// gpx: --entry key_value --grid 1 --block 64 --buffer a=256B:permutation(8) --buffer ok=256B expect ok==1
// gpx: --entry sample_split --grid 1 --block 128 --buffer a=512B:permutation(9) --buffer ok=512B expect ok==1
// gpx: --entry shell --grid 1 --block 8 --buffer a=1KB:permutation(10) --buffer ok=32B expect ok==1
// gpx: --entry quick_stack --grid 1 --block 4 --buffer a=1KB:permutation(11) --buffer ok=16B expect ok==1
// gpx: --entry heap --grid 1 --block 8 --buffer a=1KB:permutation(12) --buffer ok=32B expect ok==1
extern "C" __global__ void bitonic(const int* a, int* ok) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = a[t];
  for (int size = 2; size <= 256; size *= 2)
    for (int d = size / 2; d > 0; d /= 2) {
      __syncthreads();
      int other = t ^ d;
      if (other > t) {
        bool up = (t & size) == 0;
        if ((s[t] > s[other]) == up) {
          int v = s[t];
          s[t] = s[other];
          s[other] = v;
        }
      }
    }
  __syncthreads();
  ok[t] = s[t] == t;
}

extern "C" __global__ void odd_even(const int* a, int* ok) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = a[t], s[t + 64] = a[t + 64];
  for (int round = 0; round < 128; ++round) {
    __syncthreads();
    int i = 2 * t + (round & 1);
    if (i + 1 < 128 && s[i] > s[i + 1]) {
      int v = s[i];
      s[i] = s[i + 1];
      s[i + 1] = v;
    }
  }
  __syncthreads();
  ok[t] = s[t] == t && s[t + 64] == t + 64;
}

extern "C" __global__ void rank_sort(const int* a, int* b, int* ok) {
  int t = threadIdx.x, mine = a[t], rank = 0;
  for (int i = 0; i < 128; ++i) rank += a[i] < mine;
  b[rank] = mine;
  __syncthreads();
  ok[t] = b[t] == t;
}

extern "C" __global__ void radix_bits(const int* a, int* ok) {
  __shared__ int s[256], before[256];
  int t = threadIdx.x, v = a[t];
  for (int bit = 0; bit < 8; ++bit) {
    int zero = !(v >> bit & 1);
    before[t] = zero;
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
      int add = t >= d ? before[t - d] : 0;
      __syncthreads();
      before[t] += add;
      __syncthreads();
    }
    int zeros = before[255], at = zero ? before[t] - 1 : zeros + t - before[t];
    s[at] = v;
    __syncthreads();
    v = s[t];
    __syncthreads();
  }
  ok[t] = v == t;
}

extern "C" __global__ void counting(int* ok) {
  __shared__ int bins[8], next[8], sorted[128];
  int t = threadIdx.x, key = t * 5 % 8;
  if (t < 8) bins[t] = 0;
  __syncthreads();
  atomicAdd(&bins[key], 1);
  __syncthreads();
  if (t == 0) {
    int sum = 0;
    for (int b = 0; b < 8; ++b) next[b] = sum, sum += bins[b];
  }
  __syncthreads();
  sorted[atomicAdd(&next[key], 1)] = key;
  __syncthreads();
  ok[t] = sorted[t] == t / 16;
}

extern "C" __global__ void insertion_each(const int* a, int* ok) {
  int v[16], t = threadIdx.x;
  for (int i = 0; i < 16; ++i) {
    int key = a[16 * t + i], j = i;
    for (; j > 0 && v[j - 1] > key; --j) v[j] = v[j - 1];
    v[j] = key;
  }
  bool sorted = true;
  int sum = 0, expected = 0;
  for (int i = 0; i < 16; ++i) {
    sorted = sorted && (i == 0 || v[i - 1] < v[i]);
    sum += v[i], expected += a[16 * t + i];
  }
  ok[t] = sorted && sum == expected;
}

// Merge path: each thread finds where its element of the result comes from.
extern "C" __global__ void merge_pairs(int* ok) {
  __shared__ int a[32], b[32];
  int t = threadIdx.x;
  if (t < 32)
    a[t] = 3 * t;
  else
    b[t - 32] = 2 * (t - 32) + 1;
  __syncthreads();
  int low = max(0, t - 32), high = min(t, 32);
  while (low < high) {
    int i = (low + high) / 2;
    if (a[i] <= b[t - 1 - i])
      low = i + 1;
    else
      high = i;
  }
  int i = low, j = t - low;
  int v = j >= 32 || (i < 32 && a[i] <= b[j]) ? a[i] : b[j];
  int smaller = 0, equal = 0;
  for (int k = 0; k < 32; ++k)
    smaller += (a[k] < v) + (b[k] < v), equal += (a[k] == v) + (b[k] == v);
  ok[t] = smaller <= t && t < smaller + equal;
}

extern "C" __global__ void merge_sort(const int* a, int* ok) {
  __shared__ int s[2][64];
  int t = threadIdx.x, from = 0;
  s[0][t] = a[t];
  for (int width = 1; width < 64; width *= 2) {
    __syncthreads();
    int begin = t / (2 * width) * 2 * width, inside = t - begin, v = s[from][t];
    bool left = inside < width;
    int other = begin + (left ? width : 0), at = left ? inside : inside - width;
    for (int k = 0; k < width; ++k) at += s[from][other + k] < v;
    s[1 - from][begin + at] = v;
    from = 1 - from;
  }
  __syncthreads();
  ok[t] = s[from][t] == t;
}

extern "C" __global__ void warp_bitonic(const int* a, int* ok) {
  int lane = threadIdx.x, i = blockIdx.x * 32 + lane, v = a[i];
  for (int size = 2; size <= 32; size *= 2)
    for (int d = size / 2; d > 0; d /= 2) {
      int other = __shfl_xor_sync(0xffffffffu, v, d);
      bool up = (lane & size) == 0, lower = (lane & d) == 0;
      v = (lower == up) ? min(v, other) : max(v, other);
    }
  int rank = 0;
  for (int k = 0; k < 32; ++k) rank += a[blockIdx.x * 32 + k] < v;
  ok[i] = rank == lane;
}

extern "C" __global__ void key_value(const int* a, int* ok) {
  __shared__ unsigned long long s[64];
  int t = threadIdx.x;
  s[t] = (unsigned long long)a[t] << 32 | t;
  for (int size = 2; size <= 64; size *= 2)
    for (int d = size / 2; d > 0; d /= 2) {
      __syncthreads();
      int other = t ^ d;
      if (other > t && (s[t] > s[other]) == ((t & size) == 0)) {
        unsigned long long v = s[t];
        s[t] = s[other];
        s[other] = v;
      }
    }
  __syncthreads();
  ok[t] = (int)(s[t] >> 32) == t && a[(unsigned)s[t]] == t;
}

extern "C" __global__ void sample_split(const int* a, int* ok) {
  __shared__ int bucket[128], count[4];
  int t = threadIdx.x, v = a[t], b = (v >= 32) + (v >= 64) + (v >= 96);
  if (t < 4) count[t] = 0;
  __syncthreads();
  bucket[b * 32 + atomicAdd(&count[b], 1)] = v;
  __syncthreads();
  int mine = bucket[t], rank = 0;
  for (int k = 0; k < 32; ++k) rank += bucket[(t & ~31) + k] < mine;
  ok[t] = (t & ~31) + rank == mine;
}

extern "C" __global__ void shell(int* a, int* ok) {
  int* mine = a + 32 * threadIdx.x;
  for (int gap = 16; gap > 0; gap /= 2)
    for (int i = gap; i < 32; ++i) {
      int v = mine[i], j = i;
      for (; j >= gap && mine[j - gap] > v; j -= gap) mine[j] = mine[j - gap];
      mine[j] = v;
    }
  bool sorted = true;
  for (int i = 1; i < 32; ++i) sorted = sorted && mine[i - 1] < mine[i];
  ok[threadIdx.x] = sorted;
}

extern "C" __global__ void quick_stack(int* a, int* ok) {
  int* v = a + 64 * threadIdx.x;
  int stack[32], top = 0;
  stack[top++] = 0, stack[top++] = 63;
  while (top > 0) {
    int high = stack[--top], low = stack[--top];
    if (low >= high) continue;
    int pivot = v[(low + high) / 2], i = low - 1, j = high + 1;
    while (true) {
      do ++i;
      while (v[i] < pivot);
      do --j;
      while (v[j] > pivot);
      if (i >= j) break;
      int swap = v[i];
      v[i] = v[j];
      v[j] = swap;
    }
    bool left = j - low < high - j - 1;
    stack[top++] = left ? j + 1 : low, stack[top++] = left ? high : j;
    stack[top++] = left ? low : j + 1, stack[top++] = left ? j : high;
  }
  bool sorted = true;
  for (int i = 1; i < 64; ++i) sorted = sorted && v[i - 1] < v[i];
  ok[threadIdx.x] = sorted;
}

__device__ void sift(int* v, int root, int count) {
  while (2 * root + 1 < count) {
    int child = 2 * root + 1;
    if (child + 1 < count && v[child + 1] > v[child]) ++child;
    if (v[root] >= v[child]) return;
    int swap = v[root];
    v[root] = v[child];
    v[child] = swap;
    root = child;
  }
}
extern "C" __global__ void heap(int* a, int* ok) {
  int* v = a + 32 * threadIdx.x;
  for (int i = 15; i >= 0; --i) sift(v, i, 32);
  for (int n = 31; n > 0; --n) {
    int swap = v[0];
    v[0] = v[n];
    v[n] = swap;
    sift(v, 0, n);
  }
  bool sorted = true;
  for (int i = 1; i < 32; ++i) sorted = sorted && v[i - 1] < v[i];
  ok[threadIdx.x] = sorted;
}
