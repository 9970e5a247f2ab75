// gpx: --entry longest_common --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry knapsack --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry wavefront --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry coin_change --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry matrix_chain --grid 1 --block 16 --buffer ok=64B expect ok==1
// gpx: --entry pascal --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry smith_waterman --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry viterbi --grid 1 --block 8 --buffer ok=32B expect ok==1
// gpx: --entry paths_in_grid --grid 1 --block 8,8 --buffer ok=256B expect ok==1
// gpx: --entry subset_sums --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry queens --grid 1 --block 6 --buffer ok=24B expect ok==1
// gpx: --entry ackermann --grid 1 --block 8 --buffer ok=32B expect ok==1
extern "C" __global__ void longest_common(int* ok) {
  const char a[] = "AGGTABXZ", b[] = "GXTXAYBZ";
  int row[9] = {0};
  for (int i = 0; i < 8; ++i) {
    int corner = 0;
    for (int j = 1; j <= 8; ++j) {
      int above = row[j];
      row[j] = a[i] == b[j - 1] ? corner + 1 : max(row[j], row[j - 1]);
      corner = above;
    }
  }
  ok[threadIdx.x] = row[8] == 5;
}

extern "C" __global__ void knapsack(int* ok) {
  __shared__ int best[64];
  const int weight[4] = {5, 4, 6, 3}, value[4] = {10, 40, 30, 50};
  int w = threadIdx.x;
  best[w] = 0;
  for (int i = 0; i < 4; ++i) {
    __syncthreads();
    int taken = w >= weight[i] ? best[w - weight[i]] + value[i] : 0, v = max(best[w], taken);
    __syncthreads();
    best[w] = v;
  }
  __syncthreads();
  ok[w] = best[10] == 90 && best[63] == 130 && best[2] == 0;
}

// Anti-diagonals of a table of minima.
extern "C" __global__ void wavefront(int* ok) {
  __shared__ int d[33][33];
  int t = threadIdx.x;
  d[0][t] = t, d[t][0] = t;
  if (t == 0) d[0][32] = d[32][0] = 32;
  for (int wave = 2; wave <= 64; ++wave) {
    __syncthreads();
    int i = t + 1, j = wave - i;
    if (j >= 1 && j <= 32) d[i][j] = min(min(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + (i != j));
  }
  __syncthreads();
  bool good = true;
  for (int j = 1; j <= 32; ++j) good = good && d[t + 1][j] == abs(t + 1 - j);
  ok[t] = good;
}

extern "C" __global__ void coin_change(int* ok) {
  int t = threadIdx.x, ways[64] = {1};
  for (int coin : {1, 2, 5})
    for (int v = coin; v <= t; ++v) ways[v] += ways[v - coin];
  int expected = 0;
  for (int fives = 0; 5 * fives <= t; ++fives) expected += (t - 5 * fives) / 2 + 1;
  ok[t] = ways[t] == expected;
}

extern "C" __global__ void matrix_chain(int* ok) {
  const int p[5] = {40, 20, 30, 10, 30};
  int cost[4][4] = {};
  for (int length = 2; length <= 4; ++length)
    for (int i = 0; i + length <= 4; ++i) {
      int j = i + length - 1;
      cost[i][j] = 1 << 30;
      for (int k = i; k < j; ++k)
        cost[i][j] = min(cost[i][j], cost[i][k] + cost[k + 1][j] + p[i] * p[k + 1] * p[j + 1]);
    }
  ok[threadIdx.x] = cost[0][3] == 26000;
}

extern "C" __global__ void pascal(int* ok) {
  __shared__ unsigned row[32];
  int t = threadIdx.x;
  row[t] = t == 0;
  for (int n = 0; n < 20; ++n) {
    __syncthreads();
    unsigned v = row[t] + (t > 0 ? row[t - 1] : 0);
    __syncthreads();
    row[t] = v;
  }
  __syncthreads();
  unsigned long long direct = 1;
  for (int k = 0; k < t && t <= 20; ++k) direct = direct * (20 - k) / (k + 1);
  ok[t] = row[t] == (t <= 20 ? direct : 0);
}

extern "C" __global__ void smith_waterman(int* ok) {
  const char a[] = "TGTTACGG", b[] = "GGTTGACTA";
  int row[10] = {0}, best = 0;
  for (int i = 0; i < 8; ++i) {
    int corner = 0;
    for (int j = 1; j <= 9; ++j) {
      int above = row[j], match = corner + (a[i] == b[j - 1] ? 3 : -3);
      row[j] = max(max(0, match), max(row[j], row[j - 1]) - 2);
      best = max(best, row[j]);
      corner = above;
    }
  }
  ok[threadIdx.x] = best == 13;
}

extern "C" __global__ void viterbi(int* ok) {
  __shared__ float score[8];
  int s = threadIdx.x;
  score[s] = s == 0 ? 0 : -100;
  for (int step = 0; step < 20; ++step) {
    __syncthreads();
    float best = -1000;
    for (int from = 0; from < 8; ++from)
      best = fmaxf(best, score[from] + (s == (from + 1) % 8 ? 1.0f : -1.0f));
    __syncthreads();
    score[s] = best;
  }
  __syncthreads();
  ok[s] = score[20 % 8] == 20 && score[s] <= 20;
}

extern "C" __global__ void paths_in_grid(int* ok) {
  __shared__ int n[8][8];
  int x = threadIdx.x, y = threadIdx.y;
  n[y][x] = 1;
  for (int wave = 2; wave <= 14; ++wave) {
    __syncthreads();
    if (x > 0 && y > 0 && x + y == wave) n[y][x] = n[y - 1][x] + n[y][x - 1];
  }
  __syncthreads();
  long long direct = 1;
  for (int k = 0; k < x; ++k) direct = direct * (x + y - k) / (k + 1);
  ok[y * 8 + x] = n[y][x] == direct;
}

extern "C" __global__ void subset_sums(int* ok) {
  unsigned long long reach = 1;
  for (int v : {3, 7, 12, 20}) reach |= reach << v;
  bool direct = false;
  for (int mask = 0; mask < 16; ++mask) {
    int sum = (mask & 1) * 3 + (mask >> 1 & 1) * 7 + (mask >> 2 & 1) * 12 + (mask >> 3 & 1) * 20;
    direct = direct || sum == threadIdx.x;
  }
  ok[threadIdx.x] = (reach >> threadIdx.x & 1) == direct;
}

__device__ int place_queens(int n, unsigned columns, unsigned left, unsigned right) {
  unsigned all = (1u << n) - 1;
  if (columns == all) return 1;
  int count = 0;
  for (unsigned free = all & ~(columns | left | right); free; free &= free - 1) {
    unsigned bit = free & -free;
    count += place_queens(n, columns | bit, (left | bit) << 1, (right | bit) >> 1);
  }
  return count;
}
extern "C" __global__ void queens(int* ok) {
  const int expected[6] = {1, 0, 0, 2, 10, 4};
  ok[threadIdx.x] = place_queens(threadIdx.x + 1, 0, 0, 0) == expected[threadIdx.x];
}

__device__ int ackermann_of(int m, int n) {
  if (m == 0) return n + 1;
  return ackermann_of(m - 1, n == 0 ? 1 : ackermann_of(m, n - 1));
}
extern "C" __global__ void ackermann(int* ok) {
  int n = threadIdx.x % 4;
  ok[threadIdx.x] = ackermann_of(2, n) == 2 * n + 3;
}
