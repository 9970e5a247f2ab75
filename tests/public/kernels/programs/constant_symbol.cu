// gpx: --entry convolutionRows --grid 2,2 --block 16,4 --buffer dst=4KB --buffer src=4KB:uniform(0,1) --arg w=32 --arg h=32
#define KERNEL_RADIUS 3
#define KERNEL_LENGTH (2 * KERNEL_RADIUS + 1)
__constant__ float c_Kernel[KERNEL_LENGTH];
extern "C" void setConvolutionKernel(float *h_Kernel) { cudaMemcpyToSymbol(c_Kernel, h_Kernel, KERNEL_LENGTH * sizeof(float)); }
__global__ void convolutionRows(float *dst, float *src, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float sum = 0;
#pragma unroll
  for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; j++) {
    const int at = min(max(x + j, 0), w - 1);
    sum += c_Kernel[KERNEL_RADIUS - j] * src[y * w + at];
  }
  dst[y * w + x] = sum;
}
extern "C" void convolutionRowsGPU(float *d, float *s, int w, int h) {
  dim3 blocks(w / 16, h / 4), threads(16, 4);
  convolutionRows<<<blocks, threads>>>(d, s, w, h);
}
