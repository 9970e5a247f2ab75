// gpx: --entry rotate --grid 1 --block 32 --buffer out=128B --arg theta=0.5
#include <cuda_runtime.h>
#include <helper_functions.h>
#include <helper_cuda.h>
extern cudaTextureObject_t tex;
const char *imageFilename = "teapot512.pgm";
__global__ void rotate(float *out, float theta) { out[threadIdx.x] = threadIdx.x * cosf(theta) - sinf(theta); }
void makeTexture(int w, int h, float *data) {
  cudaChannelFormatDesc desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  cudaArray *array; checkCudaErrors(cudaMallocArray(&array, &desc, w, h));
  cudaResourceDesc res; memset(&res, 0, sizeof(res)); res.resType = cudaResourceTypeArray; res.res.array.array = array;
  cudaTextureDesc td = {}; td.addressMode[0] = cudaAddressModeWrap; checkCudaErrors(cudaCreateTextureObject(&tex, &res, &td, NULL));
}
