// gpx: --entry lud_diagonal --grid 1 --block 16 --buffer m=1KB:uniform(1,2) --arg matrix_dim=16 --arg offset=0
#include <cuda.h>
#include <stdio.h>
#ifdef RD_WG_SIZE_0_0
#define BLOCK_SIZE RD_WG_SIZE_0_0
#elif defined(RD_WG_SIZE)
#define BLOCK_SIZE RD_WG_SIZE
#else
#define BLOCK_SIZE 16
#endif
__global__ void
lud_diagonal(float *m, int matrix_dim, int offset)
{
  int i, j;
  __shared__ float shadow[BLOCK_SIZE][BLOCK_SIZE];
  int array_offset = offset*matrix_dim+offset;
  for(i=0; i < BLOCK_SIZE; i++){
    shadow[i][threadIdx.x]=m[array_offset+threadIdx.x];
    array_offset += matrix_dim;
  }
  __syncthreads();
  for(i=0; i < BLOCK_SIZE-1; i++) {
    if (threadIdx.x>i){
      for(j=0; j < i; j++)
        shadow[threadIdx.x][i] -= shadow[threadIdx.x][j]*shadow[j][i];
      shadow[threadIdx.x][i] /= shadow[i][i];
    }
    __syncthreads();
  }
  array_offset = offset*matrix_dim+offset;
  for(i=0; i < BLOCK_SIZE; i++){ m[array_offset+threadIdx.x]=shadow[i][threadIdx.x]; array_offset += matrix_dim; }
}
extern "C" void lud_cuda(float *m, int matrix_dim)
{
  int i=0;
  dim3 dimBlock(BLOCK_SIZE, BLOCK_SIZE);
  float *m_debug = (float*)malloc(matrix_dim*matrix_dim*sizeof(float));
  for (i=0; i < matrix_dim-BLOCK_SIZE; i += BLOCK_SIZE) {
      lud_diagonal<<<1, BLOCK_SIZE>>>(m, matrix_dim, i);
  }
  cudaMemcpy(m_debug,m,matrix_dim*matrix_dim*sizeof(float),cudaMemcpyDeviceToHost);
}
