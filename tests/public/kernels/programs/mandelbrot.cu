// gpx: --entry Mandelbrot0<float> --grid 2,1 --block 16,4 --buffer dst=512B --arg imageW=32 --arg imageH=4 --arg crunch=20 --arg xOff=-2 --arg yOff=-1 --arg scale=0.1
#include <stdio.h>
// The dimensions of the thread block
#define BLOCKDIM_X 16
#define ABS(n) ((n) < 0 ? -(n) : (n))
template <class T> __device__ inline int CalcMandelbrot(const T xPos, const T yPos, const int crunch) {
  T x = xPos, y = yPos; int i = crunch;
  while (--i && (x * x + y * y < T(4.0))) { T t = x * x - y * y + xPos; y = T(2.0) * x * y + yPos; x = t; }
  return i;
}
__device__ inline int CheckColors(const uchar4 &c0, const uchar4 &c1) { int x = c1.x - c0.x; return ABS(x) > 10; }
template <class T> __global__ void Mandelbrot0(uchar4 *dst, const int imageW, const int imageH, const int crunch, const T xOff, const T yOff, const T scale) {
  const int ix = blockDim.x * blockIdx.x + threadIdx.x, iy = blockDim.y * blockIdx.y + threadIdx.y;
  if (ix >= imageW || iy >= imageH) return;
  int m = CalcMandelbrot<T>(xOff + ix * scale, yOff + iy * scale, crunch);
  uchar4 color; color.x = m; color.y = m * 2; color.z = 3; color.w = 255;
  if (CheckColors(color, make_uchar4(0, 0, 0, 0))) dst[ix + iy * imageW] = color;
}
void RunMandelbrot0(uchar4 *dst, const int w, const int h, const double scale, bool isDouble) {
  dim3 threads(16, 4), grid(w / 16, h / 4);
  if (isDouble) Mandelbrot0<double><<<grid, threads>>>(dst, w, h, 20, -2, -1, scale);
  else Mandelbrot0<float><<<grid, threads>>>(dst, w, h, 20, -2.f, -1.f, (float)scale);
}
