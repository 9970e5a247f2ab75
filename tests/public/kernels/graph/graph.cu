// gpx: --entry bfs_ring --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry bfs_tree --grid 1 --block 127 --buffer ok=508B expect ok==1
// gpx: --entry bfs_frontier --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry bellman_ford --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry floyd_warshall --grid 1 --block 16,16 --buffer ok=1KB expect ok==1
// gpx: --entry label_propagation --grid 1 --block 60 --buffer ok=240B expect ok==1
// gpx: --entry union_find --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry page_rank --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry triangles --grid 1 --block 16 --buffer ok=64B expect ok==1
// gpx: --entry list_ranking --grid 1 --block 128 --buffer p=512B:permutation --buffer ok=512B expect ok==1
// gpx: --entry colouring --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry reachability_bits --grid 1 --block 32 --buffer ok=128B expect ok==1
extern "C" __global__ void bfs_ring(int* ok) {
  __shared__ int level[64];
  __shared__ int changed;
  int t = threadIdx.x;
  level[t] = t == 0 ? 0 : -1;
  for (int depth = 0;; ++depth) {
    __syncthreads();
    if (t == 0) changed = 0;
    __syncthreads();
    if (level[t] == depth)
      for (int d : {1, 63}) {
        int other = (t + d) % 64;
        if (atomicCAS(&level[other], -1, depth + 1) == -1) changed = 1;
      }
    __syncthreads();
    if (!changed) break;
  }
  ok[t] = level[t] == min(t, 64 - t);
}

extern "C" __global__ void bfs_tree(int* ok) {
  __shared__ int parent[127], level[127];
  int t = threadIdx.x;
  parent[t] = (t - 1) / 2;
  level[t] = t == 0 ? 0 : -1;
  for (int depth = 0; depth < 7; ++depth) {
    __syncthreads();
    int up = t > 0 ? level[parent[t]] : -1;
    __syncthreads();
    if (level[t] < 0 && up == depth) level[t] = depth + 1;
  }
  __syncthreads();
  ok[t] = level[t] == 31 - __clz(t + 1);
}

// Grid of 8 x 8 from a corner, with two queues.
extern "C" __global__ void bfs_frontier(int* ok) {
  __shared__ int level[64], queue[2][64], size[2];
  int t = threadIdx.x;
  level[t] = t == 0 ? 0 : -1;
  if (t == 0) queue[0][0] = 0, size[0] = 1, size[1] = 0;
  __syncthreads();
  for (int now = 0; size[now] > 0; now = 1 - now) {
    if (t < size[now]) {
      int v = queue[now][t], x = v % 8, y = v / 8;
      const int dx[4] = {1, -1, 0, 0}, dy[4] = {0, 0, 1, -1};
      for (int k = 0; k < 4; ++k) {
        int u = x + dx[k], w = y + dy[k];
        if (u < 0 || w < 0 || u > 7 || w > 7) continue;
        if (atomicCAS(&level[w * 8 + u], -1, level[v] + 1) == -1)
          queue[1 - now][atomicAdd(&size[1 - now], 1)] = w * 8 + u;
      }
    }
    __syncthreads();
    if (t == 0) size[now] = 0;
    __syncthreads();
  }
  ok[t] = level[t] == t % 8 + t / 8;
}

extern "C" __global__ void bellman_ford(int* ok) {
  __shared__ int distance[32];
  int t = threadIdx.x;
  distance[t] = t == 0 ? 0 : 1 << 20;
  for (int round = 0; round < 32; ++round) {
    __syncthreads();
    int mine = distance[t];
    if (mine < 1 << 20) {
      if (t + 1 < 32) atomicMin(&distance[t + 1], mine + 2);
      if (t + 3 < 32) atomicMin(&distance[t + 3], mine + 5);
    }
  }
  __syncthreads();
  ok[t] = distance[t] == t / 3 * 5 + t % 3 * 2;
}

extern "C" __global__ void floyd_warshall(int* ok) {
  __shared__ int d[16][16];
  int i = threadIdx.y, j = threadIdx.x;
  d[i][j] = i == j ? 0 : (j == (i + 1) % 16 ? 1 : 1000);
  for (int k = 0; k < 16; ++k) {
    __syncthreads();
    int v = min(d[i][j], d[i][k] + d[k][j]);
    __syncthreads();
    d[i][j] = v;
  }
  ok[i * 16 + j] = d[i][j] == (j - i + 16) % 16;
}

extern "C" __global__ void label_propagation(int* ok) {
  __shared__ int label[60], changed;
  int t = threadIdx.x;
  label[t] = t;
  do {
    __syncthreads();
    if (t == 0) changed = 0;
    __syncthreads();
    int other = t / 10 * 10 + (t % 10 + 1) % 10, low = min(label[t], label[other]);
    if (atomicMin(&label[t], low) > low) changed = 1;
    if (atomicMin(&label[other], low) > low) changed = 1;
    __syncthreads();
  } while (changed);
  ok[t] = label[t] == t / 10 * 10;
}

__device__ int find_root(volatile int* parent, int v) {
  while (parent[v] != v) v = parent[v];
  return v;
}
extern "C" __global__ void union_find(int* ok) {
  __shared__ int parent[64];
  int t = threadIdx.x;
  parent[t] = t;
  __syncthreads();
  int a = t, b = (t + 4) % 64;
  while (true) {
    a = find_root(parent, a), b = find_root(parent, b);
    if (a == b) break;
    int high = max(a, b), low = min(a, b);
    if (atomicCAS(&parent[high], high, low) == high) break;
  }
  __syncthreads();
  ok[t] = find_root(parent, t) == t % 4;
}

extern "C" __global__ void page_rank(int* ok) {
  __shared__ float rank[32], next[32];
  int t = threadIdx.x;
  rank[t] = t == 5 ? 1 : 0;
  for (int step = 0; step < 60; ++step) {
    next[t] = 0.15f / 32;
    __syncthreads();
    atomicAdd(&next[(t + 1) % 32], 0.425f * rank[t]);
    atomicAdd(&next[(t + 7) % 32], 0.425f * rank[t]);
    __syncthreads();
    rank[t] = next[t];
    __syncthreads();
  }
  ok[t] = fabsf(rank[t] - 1.0f / 32) < 1e-3f;
}

// A complete graph of 16 vertices has 560 triangles, 105 at each.
extern "C" __global__ void triangles(int* ok) {
  int t = threadIdx.x, count = 0;
  unsigned adjacent = 0xffffu & ~(1u << t);
  for (int u = 0; u < 16; ++u)
    if (adjacent >> u & 1) count += __popc(adjacent & (0xffffu & ~(1u << u)));
  ok[t] = count / 2 == 105;
}

extern "C" __global__ void list_ranking(const int* p, int* ok) {
  __shared__ int next[128], rank[128];
  int t = threadIdx.x;
  next[t] = p[t] == 0 ? t : p[t];
  rank[t] = p[t] == 0 ? 0 : 1;
  for (int step = 0; step < 7; ++step) {
    __syncthreads();
    int r = rank[t] + rank[next[t]], n = next[next[t]];
    __syncthreads();
    rank[t] = r;
    next[t] = n;
  }
  int expected = 0;
  for (int v = t; p[v] != 0; v = p[v]) ++expected;
  ok[t] = rank[t] == expected;
}

extern "C" __global__ void colouring(int* ok) {
  __shared__ int colour[32];
  int t = threadIdx.x;
  colour[t] = -1;
  for (int turn = 0; turn < 32; ++turn) {
    __syncthreads();
    if (turn == t * 11 % 32) {
      unsigned used = 0;
      for (int d : {1, 31, 5, 27}) {
        int c = colour[(t + d) % 32];
        if (c >= 0) used |= 1u << c;
      }
      colour[t] = __ffs(~used) - 1;
    }
  }
  __syncthreads();
  bool proper = colour[t] >= 0 && colour[t] < 5;
  for (int d : {1, 5}) proper = proper && colour[t] != colour[(t + d) % 32];
  ok[t] = proper;
}

extern "C" __global__ void reachability_bits(int* ok) {
  __shared__ unsigned reach[32];
  int t = threadIdx.x;
  reach[t] = 1u << t | (2 * t + 1 < 32 ? 1u << (2 * t + 1) : 0) |
             (2 * t + 2 < 32 ? 1u << (2 * t + 2) : 0);
  for (int step = 0; step < 5; ++step) {
    __syncthreads();
    unsigned all = reach[t];
    for (int v = 0; v < 32; ++v)
      if (reach[t] >> v & 1) all |= reach[v];
    __syncthreads();
    reach[t] = all;
  }
  __syncthreads();
  bool good = true;
  for (int v = 0; v < 32; ++v) {
    int up = v;
    while (up > t) up = (up - 1) / 2;
    good = good && (reach[t] >> v & 1) == (up == t);
  }
  ok[t] = good;
}
