// gpx: --entry look_back --grid 8 --block 64 --buffer state=64B:zero --buffer ok=2KB expect ok==1
// gpx: --entry chained_sums --grid 8 --block 32 --buffer flag=36B:zero --buffer sum=36B:zero --buffer ok=1KB expect ok==1
// gpx: --entry dynamic_tickets --grid 8 --block 32 --buffer ticket=4B:zero --buffer state=64B:zero --buffer ok=1KB expect ok==1
// gpx: --entry last_block --grid 16 --block 32 --buffer part=64B --buffer count=4B:zero --buffer ok=128B expect ok==1
// gpx: --entry publish_maximum --grid 8 --block 32 --buffer state=64B:zero --buffer ok=1KB expect ok==1
// gpx: --entry producer_consumer --grid 2 --block 32 --buffer box=128B --buffer full=4B:zero --buffer ok=256B expect ok==1
// gpx: --entry spin_lock --grid 4 --block 32 --buffer lock=4B:zero --buffer total=4B:zero --buffer done=4B:zero --buffer ok=4B expect ok==1
// gpx: --entry grid_barrier --grid 4 --block 64 --buffer arrived=4B:zero --buffer a=1KB:zero --buffer ok=1KB expect ok==1
// gpx: --entry work_queue --grid 4 --block 32 --buffer next=4B:zero --buffer seen=512B:zero --buffer done=4B:zero --buffer ok=4B expect ok==1
// gpx: --entry ordered_append --grid 4 --block 32 --buffer turn=4B:zero --buffer out=16B --buffer ok=16B expect ok==1
// gpx: --entry release_acquire --grid 2 --block 1 --buffer data=4B --buffer flag=4B:zero --buffer ok=8B expect ok==1
// A word of 64 bits: what it is (0 nothing, 1 the block's sum, 2 the sum so far) and its value.
__device__ unsigned long long pack(unsigned kind, unsigned value) {
  return (unsigned long long)kind << 32 | value;
}
__device__ unsigned before(volatile unsigned long long* state, int block) {
  unsigned sum = 0;
  for (int b = block - 1; b >= 0; --b) {
    unsigned long long s;
    do s = state[b];
    while (s >> 32 == 0);
    sum += (unsigned)s;
    if (s >> 32 == 2) break;
  }
  return sum;
}

extern "C" __global__ void look_back(volatile unsigned long long* state, int* ok) {
  __shared__ unsigned s[64], prefix;
  int t = threadIdx.x, b = blockIdx.x;
  s[t] = b * 64 + t;
  for (int d = 1; d < 64; d *= 2) {
    __syncthreads();
    unsigned v = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += v;
  }
  __syncthreads();
  if (t == 0) {
    state[b] = pack(b == 0 ? 2 : 1, s[63]);
    __threadfence();
    prefix = before(state, b);
    if (b > 0) state[b] = pack(2, prefix + s[63]);
  }
  __syncthreads();
  unsigned i = b * 64 + t;
  ok[i] = prefix + s[t] == i * (i + 1) / 2;
}

extern "C" __global__ void chained_sums(volatile int* flag, volatile int* sum, int* ok) {
  __shared__ int so_far;
  int b = blockIdx.x, t = threadIdx.x;
  if (t == 0) {
    if (b > 0)
      while (flag[b] == 0) {
      }
    __threadfence();
    so_far = b > 0 ? sum[b] : 0;
    sum[b + 1] = so_far + b + 1;
    __threadfence();
    flag[b + 1] = 1;
  }
  __syncthreads();
  ok[b * 32 + t] = so_far == b * (b + 1) / 2;
}

extern "C" __global__ void dynamic_tickets(int* ticket, volatile unsigned long long* state,
                                           int* ok) {
  __shared__ int mine;
  __shared__ unsigned prefix;
  if (threadIdx.x == 0) {
    mine = atomicAdd(ticket, 1);
    state[mine] = pack(1, mine);
    __threadfence();
    prefix = before(state, mine);
    state[mine] = pack(2, prefix + mine);
  }
  __syncthreads();
  ok[mine * 32 + threadIdx.x] = prefix == mine * (mine - 1) / 2;
}

extern "C" __global__ void last_block(volatile int* part, unsigned* count, int* ok) {
  __shared__ bool last;
  int t = threadIdx.x, v = t + blockIdx.x;
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  if (t == 0) {
    part[blockIdx.x] = v;
    __threadfence();
    last = atomicAdd(count, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  int sum = t < 16 ? part[t] : 0;
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  ok[t] = sum == 16 * 496 + 32 * 120;
}

extern "C" __global__ void publish_maximum(volatile unsigned long long* state, int* ok) {
  __shared__ unsigned best;
  int b = blockIdx.x;
  if (threadIdx.x == 0) {
    unsigned mine = b * 5 % 8;
    state[b] = pack(1, mine);
    __threadfence();
    best = mine;
    for (int k = 0; k < b; ++k) {
      unsigned long long s;
      do s = state[k];
      while (s >> 32 == 0);
      best = max(best, (unsigned)s);
    }
  }
  __syncthreads();
  unsigned expected = 0;
  for (int k = 0; k <= b; ++k) expected = max(expected, k * 5u % 8);
  ok[b * 32 + threadIdx.x] = best == expected;
}

extern "C" __global__ void producer_consumer(volatile int* box, volatile int* full, int* ok) {
  int t = threadIdx.x;
  if (blockIdx.x == 0) {
    box[t] = t * t;
    __threadfence();
    __syncthreads();
    if (t == 0) *full = 1;
    ok[t] = 1;
  } else {
    if (t == 0)
      while (*full == 0) {
      }
    __syncthreads();
    __threadfence();
    ok[32 + t] = box[t] == t * t;
  }
}

extern "C" __global__ void spin_lock(int* lock, volatile int* total, unsigned* done, int* ok) {
  if (threadIdx.x != 0) return;
  for (int i = 0; i < 10; ++i) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    *total = *total + 1;
    __threadfence();
    atomicExch(lock, 0);
  }
  __threadfence();
  if (atomicAdd(done, 1u) == gridDim.x - 1) *ok = *total == 40;
}

extern "C" __global__ void grid_barrier(unsigned* arrived, volatile int* a, int* ok) {
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  for (int round = 1; round <= 3; ++round) {
    a[i] = round;
    __threadfence();
    __syncthreads();
    if (t == 0) {
      atomicAdd(arrived, 1u);
      while (*(volatile unsigned*)arrived < 2 * (round - 1) * 4 + 4) {
      }
    }
    __syncthreads();
    int other = a[(i + 64) % 256];
    __syncthreads();
    if (t == 0) {
      __threadfence();
      atomicAdd(arrived, 1u);
      while (*(volatile unsigned*)arrived < 2 * round * 4) {
      }
    }
    __syncthreads();
    ok[i] = other == round && (round == 1 || ok[i]);
  }
}

extern "C" __global__ void work_queue(unsigned* next, unsigned* seen, unsigned* done, int* ok) {
  __shared__ unsigned item;
  int t = threadIdx.x;
  while (true) {
    if (t == 0) item = atomicAdd(next, 1u);
    __syncthreads();
    unsigned mine = item;
    __syncthreads();
    if (mine >= 4) break;
    atomicAdd(&seen[mine * 32 + t], mine + 1);
  }
  __threadfence();
  __syncthreads();
  if (t != 0 || atomicAdd(done, 1u) != gridDim.x - 1) return;
  bool good = true;
  for (int i = 0; i < 128; ++i) good = good && ((volatile unsigned*)seen)[i] == i / 32 + 1;
  *ok = good;
}

extern "C" __global__ void ordered_append(volatile int* turn, volatile int* out, int* ok) {
  if (threadIdx.x != 0) return;
  int b = blockIdx.x;
  while (*turn != b) {
  }
  __threadfence();
  out[b] = b > 0 ? out[b - 1] + b : 0;
  __threadfence();
  *turn = b + 1;
  ok[b] = out[b] == b * (b + 1) / 2;
}

extern "C" __global__ void release_acquire(int* data, int* flag, int* ok) {
  if (blockIdx.x == 0) {
    *data = 42;
    asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(flag) : "memory");
    ok[0] = 1;
  } else {
    int seen = 0;
    while (!seen)
      asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    ok[1] = *(volatile int*)data == 42;
  }
}
