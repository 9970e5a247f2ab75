// gpx: --entry transposeNaive --grid 2,2 --block 16,16 --buffer odata=4KB --buffer idata=4KB:uniform(0,1) --arg width=32 --arg height=32
// gpx: --entry transposeCoalesced --grid 2,2 --block 16,16 --buffer odata=4KB --buffer idata=4KB:uniform(0,1) --arg width=32 --arg height=32
#include <cuda_runtime.h>
const char *sSDKsample = "Transpose";
#define TILE_DIM 16
#define FLOOR(a, b) (a - (a % b))
int MATRIX_SIZE_X = 1024, MUL_FACTOR = TILE_DIM;
__global__ void transposeNaive(float *odata, float *idata, int width, int height) {
  int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
  odata[x * height + y] = idata[y * width + x];
}
__global__ void transposeCoalesced(float *odata, float *idata, int width, int height) {
  __shared__ float tile[TILE_DIM][TILE_DIM + 1];
  int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = idata[y * width + x];
  __syncthreads();
  x = blockIdx.y * TILE_DIM + threadIdx.x; y = blockIdx.x * TILE_DIM + threadIdx.y;
  odata[y * height + x] = tile[threadIdx.x][threadIdx.y];
}
void getParams(int argc, char **argv, cudaDeviceProp &deviceProp, int &size_x, int max_tile_dim) { if (checkCmdLineFlag(argc, (const char **)argv, "dimX")) { size_x = getCmdLineArgumentInt(argc, (const char **)argv, "dimX"); if (size_x > max_tile_dim) exit(EXIT_FAILURE); } }
int main(int argc, char **argv) {
  void (*kernel)(float *, float *, int, int); const char *kernelName;
  for (int k = 0; k < 2; k++) { switch (k) { case 0: kernel = &transposeNaive; kernelName = "naive"; break; default: kernel = &transposeCoalesced; } 
    kernel<<<dim3(2, 2), dim3(16, 16)>>>(0, 0, 32, 32); }
}
