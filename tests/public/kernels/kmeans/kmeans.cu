// gpx: --entry assign --grid 2 --block 64 --buffer ok=512B expect ok==1
// gpx: --entry update --grid 1 --block 128 --buffer ok=512B expect ok==1
// gpx: --entry whole_loop --grid 1 --block 128 --buffer ok=512B expect ok==1
// gpx: --entry nearest_neighbour --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry k_nearest --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry distances --grid 1 --block 16,16 --buffer ok=1KB expect ok==1
// gpx: --entry mean_shift --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry farthest_first --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry perceptron --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry linear_regression --grid 1 --block 128 --buffer ok=512B expect ok==1
// gpx: --entry decision_tree --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry density --grid 1 --block 96 --buffer ok=384B expect ok==1
#include <math.h>

extern "C" __global__ void assign(int* ok) {
  const float centre[4] = {10, 40, 80, 120};
  int i = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
  for (int k = 1; k < 4; ++k)
    if (fabsf(i - centre[k]) < fabsf(i - centre[best])) best = k;
  ok[i] = best == (i <= 25) * 0 + (i > 25) + (i > 60) + (i > 100);
}

extern "C" __global__ void update(int* ok) {
  __shared__ float sum[4];
  __shared__ int count[4];
  int t = threadIdx.x, k = t / 32;
  if (t < 4) sum[t] = 0, count[t] = 0;
  __syncthreads();
  atomicAdd(&sum[k], (float)t);
  atomicAdd(&count[k], 1);
  __syncthreads();
  ok[t] = sum[k] / count[k] == 32 * k + 15.5f;
}

extern "C" __global__ void whole_loop(int* ok) {
  __shared__ float centre[3], sum[3];
  __shared__ int count[3], moved;
  int t = threadIdx.x;
  float x = (t % 3) * 100 + t / 3;
  if (t < 3) centre[t] = 60 + 10 * t;
  int mine = -1;
  for (int step = 0; step < 20; ++step) {
    __syncthreads();
    if (t < 3) sum[t] = 0, count[t] = 0;
    if (t == 0) moved = 0;
    __syncthreads();
    int best = 0;
    for (int k = 1; k < 3; ++k)
      if (fabsf(x - centre[k]) < fabsf(x - centre[best])) best = k;
    if (best != mine) moved = 1;
    mine = best;
    atomicAdd(&sum[best], x);
    atomicAdd(&count[best], 1);
    __syncthreads();
    if (t < 3 && count[t]) centre[t] = sum[t] / count[t];
    if (!moved) break;
  }
  __syncthreads();
  ok[t] = centre[0] < centre[1] && centre[1] < centre[2] && fabsf(x - centre[mine]) < 80;
}

extern "C" __global__ void nearest_neighbour(int* ok) {
  __shared__ float2 p[64];
  int t = threadIdx.x;
  p[t] = make_float2(t % 8, 3 * (t / 8));
  __syncthreads();
  float best = INFINITY;
  int at = -1;
  for (int i = 0; i < 64; ++i) {
    float x = p[i].x - p[t].x, y = p[i].y - p[t].y, d = x * x + y * y;
    if (i != t && d < best) best = d, at = i;
  }
  ok[t] = best == 1 && abs(at - t) == 1 && at / 8 == t / 8;
}

extern "C" __global__ void k_nearest(int* ok) {
  int t = threadIdx.x, nearest[3] = {-1, -1, -1}, distance[3] = {1000, 1000, 1000};
  for (int i = 0; i < 64; ++i) {
    int d = abs(2 * t - i), v = i;
    for (int k = 0; k < 3; ++k)
      if (d < distance[k]) {
        int e = distance[k], w = nearest[k];
        distance[k] = d, nearest[k] = v;
        d = e, v = w;
      }
  }
  ok[t] = nearest[0] == 2 * t && distance[1] == 1 && distance[2] == (t == 0 ? 2 : 1);
}

extern "C" __global__ void distances(int* ok) {
  __shared__ float a[16][4];
  int x = threadIdx.x, y = threadIdx.y;
  if (x < 4) a[y][x] = y * (x + 1);
  __syncthreads();
  float direct = 0, dot = 0, aa = 0, bb = 0;
  for (int k = 0; k < 4; ++k) {
    float d = a[y][k] - a[x][k];
    direct += d * d;
    dot += a[y][k] * a[x][k], aa += a[y][k] * a[y][k], bb += a[x][k] * a[x][k];
  }
  ok[y * 16 + x] = direct == aa + bb - 2 * dot && direct == 30 * (x - y) * (x - y);
}

extern "C" __global__ void mean_shift(int* ok) {
  float x = threadIdx.x < 32 ? threadIdx.x % 8 : 100 + threadIdx.x % 8;
  for (int step = 0; step < 10; ++step) {
    float sum = 0, weight = 0;
    for (int i = 0; i < 64; ++i) {
      float v = i < 32 ? i % 8 : 100 + i % 8, w = expf(-(v - x) * (v - x) / 50);
      sum += w * v, weight += w;
    }
    x = sum / weight;
  }
  ok[threadIdx.x] = fabsf(x - (threadIdx.x < 32 ? 3.5f : 103.5f)) < 0.05f;
}

extern "C" __global__ void farthest_first(int* ok) {
  __shared__ unsigned best;
  int t = threadIdx.x, distance = abs(t - 0), chosen[4] = {0};
  for (int k = 1; k < 4; ++k) {
    if (t == 0) best = 0;
    __syncthreads();
    atomicMax(&best, (unsigned)distance << 8 | (unsigned)t);
    __syncthreads();
    chosen[k] = best & 255;
    distance = min(distance, abs(t - chosen[k]));
    __syncthreads();
  }
  ok[t] = chosen[1] == 63 && (chosen[2] == 31 || chosen[2] == 32) && distance <= 16;
}

extern "C" __global__ void perceptron(int* ok) {
  float w0 = 0, w1 = 0, b = 0;
  for (int round = 0; round < 100; ++round)
    for (int i = 0; i < 4; ++i) {
      float x = i & 1, y = i >> 1;
      int wanted = i == 3 ? 1 : -1, got = w0 * x + w1 * y + b > 0 ? 1 : -1;
      if (got != wanted) w0 += wanted * x, w1 += wanted * y, b += wanted;
    }
  int i = threadIdx.x & 3;
  ok[threadIdx.x] = (w0 * (i & 1) + w1 * (i >> 1) + b > 0) == (i == 3);
}

extern "C" __global__ void linear_regression(int* ok) {
  __shared__ double s[4];
  int t = threadIdx.x;
  if (t < 4) s[t] = 0;
  __syncthreads();
  double x = t, y = 3 * x - 7;
  atomicAdd(&s[0], x);
  atomicAdd(&s[1], y);
  atomicAdd(&s[2], x * y);
  atomicAdd(&s[3], x * x);
  __syncthreads();
  double slope = (128 * s[2] - s[0] * s[1]) / (128 * s[3] - s[0] * s[0]);
  ok[t] = fabs(slope - 3) < 1e-12 && fabs((s[1] - slope * s[0]) / 128 + 7) < 1e-9;
}

struct Node {
  short feature, left, right;
  float at;
};
extern "C" __global__ void decision_tree(int* ok) {
  const Node tree[7] = {{0, 1, 2, 32}, {1, 3, 4, 2},  {1, 5, 6, 6}, {-1, 0, 0, 10},
                        {-1, 0, 0, 20}, {-1, 0, 0, 30}, {-1, 0, 0, 40}};
  float x[2] = {(float)threadIdx.x, (float)(threadIdx.x % 8)};
  int at = 0;
  while (tree[at].feature >= 0)
    at = x[tree[at].feature] < tree[at].at ? tree[at].left : tree[at].right;
  float expected = x[0] < 32 ? (x[1] < 2 ? 10 : 20) : (x[1] < 6 ? 30 : 40);
  ok[threadIdx.x] = tree[at].at == expected;
}

extern "C" __global__ void density(int* ok) {
  int t = threadIdx.x, place = t + 10 * (t / 32), neighbours = 0;
  for (int i = 0; i < 96; ++i) neighbours += abs(i + 10 * (i / 32) - place) <= 3;
  int edge = min(t % 32, 31 - t % 32);
  ok[t] = neighbours == 4 + min(edge, 3);
}
