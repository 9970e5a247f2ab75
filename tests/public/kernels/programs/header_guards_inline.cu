// gpx: --entry update --grid 1 --block 32 --buffer cells=128B:hash --arg w=8 --arg h=4
#ifndef LIFE_H
#define LIFE_H
#pragma once
#include <string.h>
#include <time.h>
#ifdef __CUDACC__
#define HD __host__ __device__
#else
#define HD
#endif
struct Grid { int w, h; HD int at(int x, int y) const { return ((y + h) % h) * w + (x + w) % w; } void print() const { for (int y = 0; y < h; ++y) printf("%d\n", at(0, y)); } static Grid load(const char *path); };
#endif
Grid Grid::load(const char *path) { FILE *f = fopen(path, "r"); Grid g; if (fscanf(f, "%d %d", &g.w, &g.h) != 2) abort(); return g; }
__global__ void update(unsigned *cells, int w, int h) {
  Grid g{w, h}; int x = threadIdx.x % w, y = threadIdx.x / w, n = 0;
  for (int i = -1; i <= 1; ++i) for (int j = -1; j <= 1; ++j) if (i || j) n += cells[g.at(x + i, y + j)] & 1;
  __syncthreads();
  cells[threadIdx.x] = n == 3 || (n == 2 && cells[threadIdx.x] & 1);
}
int main() { srand(time(NULL)); clock_t t = clock(); Grid::load("x").print(); return CLOCKS_PER_SEC < t; }
