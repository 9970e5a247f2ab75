// gpx: --entry atomic_append --grid 4 --block 64 --buffer out=1KB --buffer count=4B:zero --buffer done=4B:zero --buffer ok=4B expect ok==1
// gpx: --entry by_scan --grid 1 --block 128 --buffer ok=512B expect ok==1
// gpx: --entry by_ballot --grid 2 --block 32 --buffer ok=256B expect ok==1
// gpx: --entry partition --grid 1 --block 96 --buffer ok=384B expect ok==1
// gpx: --entry unique_sorted --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry run_lengths --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry expand --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry warp_appends --grid 1 --block 128 --buffer ok=512B expect ok==1
// gpx: --entry remove_zeros --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry block_of_bits --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry stable_order --grid 1 --block 128 --buffer ok=512B expect ok==1
extern "C" __global__ void atomic_append(int* out, unsigned* count, unsigned* done, int* ok) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  if (i % 3 == 0) out[atomicAdd(count, 1u)] = i;
  __threadfence();
  if (atomicAdd(done, 1u) != n - 1) return;
  unsigned found = *(volatile unsigned*)count;
  unsigned long long sum = 0, expected = 0;
  for (unsigned k = 0; k < found; ++k) sum += ((volatile int*)out)[k];
  for (unsigned k = 0; k < n; k += 3) expected += k;
  *ok = found == (n + 2) / 3 && sum == expected;
}

extern "C" __global__ void by_scan(int* ok) {
  __shared__ int s[128], out[128];
  int t = threadIdx.x, keep = t * 7 % 5 < 2;
  s[t] = keep;
  for (int d = 1; d < 128; d *= 2) {
    __syncthreads();
    int v = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += v;
  }
  __syncthreads();
  if (keep) out[s[t] - 1] = t;
  __syncthreads();
  int total = s[127];
  ok[t] = t >= total || (out[t] * 7 % 5 < 2 && (t == 0 || out[t] > out[t - 1]));
}

extern "C" __global__ void by_ballot(int* ok) {
  __shared__ int out[32];
  int lane = threadIdx.x, value = blockIdx.x * 32 + lane;
  bool keep = value % 4 != 1;
  unsigned mask = __ballot_sync(0xffffffffu, keep);
  if (keep) out[__popc(mask & ((1u << lane) - 1))] = value;
  __syncwarp();
  ok[value] = lane >= __popc(mask) || out[lane] == blockIdx.x * 32 + lane / 3 * 4 +
                                                       (lane % 3 == 0 ? 0 : lane % 3 + 1);
}

extern "C" __global__ void partition(int* ok) {
  __shared__ int s[96], out[96];
  int t = threadIdx.x, value = t * 5 % 96, low = value < 40;
  s[t] = low;
  for (int d = 1; d < 96; d *= 2) {
    __syncthreads();
    int v = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += v;
  }
  __syncthreads();
  out[low ? s[t] - 1 : s[95] + t - s[t]] = value;
  __syncthreads();
  ok[t] = s[95] == 40 && (out[t] < 40) == (t < 40);
}

extern "C" __global__ void unique_sorted(int* ok) {
  __shared__ int s[64], out[64], count;
  int t = threadIdx.x, value = t * t / 16, head = t == 0 || value != (t - 1) * (t - 1) / 16;
  s[t] = head;
  for (int d = 1; d < 64; d *= 2) {
    __syncthreads();
    int v = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += v;
  }
  if (head) out[s[t] - 1] = value;
  if (t == 63) count = s[t];
  __syncthreads();
  ok[t] = t >= count || t == 0 || out[t] > out[t - 1];
}

extern "C" __global__ void run_lengths(int* ok) {
  __shared__ int begin[65], count;
  int t = threadIdx.x;
  bool head = t == 0 || t / 6 != (t - 1) / 6;
  unsigned long long heads = 0;
  for (int i = 0; i < 64; ++i)
    if (i == 0 || i / 6 != (i - 1) / 6) heads |= 1ull << i;
  int index = __popcll(heads & ((t == 63 ? ~0ull : (1ull << (t + 1)) - 1))) - 1;
  if (head) begin[index] = t;
  if (t == 63) count = index + 1, begin[index + 1] = 64;
  __syncthreads();
  ok[t] = count == 11 && begin[index + 1] - begin[index] == (index == 10 ? 4 : 6);
}

// Entry r is written r % 4 times.
extern "C" __global__ void expand(int* ok) {
  __shared__ int offset[43], out[64];
  int t = threadIdx.x;
  if (t == 0) {
    offset[0] = 0;
    for (int r = 0; r < 42; ++r) offset[r + 1] = offset[r] + r % 4;
  }
  __syncthreads();
  int low = 0, high = 42;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (offset[middle] <= t)
      low = middle;
    else
      high = middle;
  }
  out[t] = low;
  __syncthreads();
  ok[t] = t >= offset[42] || (offset[out[t]] <= t && t < offset[out[t] + 1]);
}

extern "C" __global__ void warp_appends(int* ok) {
  __shared__ int out[128], count;
  int t = threadIdx.x, lane = t & 31;
  if (t == 0) count = 0;
  __syncthreads();
  bool keep = t % 2 == 0;
  unsigned mask = __ballot_sync(0xffffffffu, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(&count, __popc(mask));
  base = __shfl_sync(0xffffffffu, base, 0);
  if (keep) out[base + __popc(mask << (31 - lane) << 1)] = t;
  __syncthreads();
  bool found = false;
  for (int i = 0; i < count; ++i) found = found || out[i] == t;
  ok[t] = count == 64 && found == keep;
}

extern "C" __global__ void remove_zeros(int* ok) {
  int t = threadIdx.x, place = 0, nonzero = 0;
  for (int i = 0; i < 64; ++i) {
    int v = i % 3 * (i % 7);
    if (v == 0) continue;
    if (i < t) ++place;
    ++nonzero;
  }
  __shared__ int out[64];
  int mine = t % 3 * (t % 7);
  if (mine) out[place] = mine;
  __syncthreads();
  ok[t] = t >= nonzero || out[t] != 0;
}

extern "C" __global__ void block_of_bits(int* ok) {
  int lane = threadIdx.x;
  unsigned word = 0xa5c3f00fu * (lane + 1), packed = 0, mask = 0x0ff00ff0u, at = 0;
  for (int b = 0; b < 32; ++b)
    if (mask >> b & 1) packed |= (word >> b & 1) << at++;
  unsigned back = 0;
  at = 0;
  for (int b = 0; b < 32; ++b)
    if (mask >> b & 1) back |= (packed >> at++ & 1) << b;
  ok[lane] = back == (word & mask) && packed == ((word >> 4 & 255) | (word >> 20 & 255) << 8);
}

extern "C" __global__ void stable_order(int* ok) {
  __shared__ int key[128], out[128];
  int t = threadIdx.x, rank = 0;
  key[t] = t * 37 % 4;
  __syncthreads();
  for (int i = 0; i < 128; ++i) rank += key[i] < key[t] || (key[i] == key[t] && i < t);
  out[rank] = t;
  __syncthreads();
  ok[t] = t == 0 || key[out[t - 1]] < key[out[t]] ||
          (key[out[t - 1]] == key[out[t]] && out[t - 1] < out[t]);
}
