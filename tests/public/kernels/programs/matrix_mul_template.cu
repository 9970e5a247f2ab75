// gpx: --entry MatrixMulCUDA<16> --grid 2,2 --block 16,16 --buffer C=4KB:zero --buffer A=4KB:uniform(0,1) --buffer B=4KB:uniform(0,1) --arg wA=32 --arg wB=32
// gpx: --entry matrixMulCUDA32 --grid 1,1 --block 32,32 --buffer C=4KB:zero --buffer A=4KB:uniform(0,1) --buffer B=4KB:uniform(0,1) --arg wA=32 --arg wB=32
#include <stdio.h>
#include <assert.h>
#include <cuda_runtime.h>
#include <cuda_profiler_api.h>
template <int BLOCK_SIZE> __device__ void mul(float *C, float *A, float *B, int wA, int wB) {
  int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
  int aBegin = wA * BLOCK_SIZE * by, aEnd = aBegin + wA - 1;
  float Csub = 0;
  for (int a = aBegin, b = BLOCK_SIZE * bx; a <= aEnd; a += BLOCK_SIZE, b += BLOCK_SIZE * wB) {
    __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
    __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];
    As[ty][tx] = A[a + wA * ty + tx];
    Bs[ty][tx] = B[b + wB * ty + tx];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BLOCK_SIZE; ++k) Csub += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  C[wB * BLOCK_SIZE * by + BLOCK_SIZE * bx + wB * ty + tx] = Csub;
}
template <int BLOCK_SIZE> __global__ void MatrixMulCUDA(float *C, float *A, float *B, int wA, int wB) {
  mul<BLOCK_SIZE>(C, A, B, wA, wB);
}
__global__ void matrixMulCUDA32(float *C, float *A, float *B, int wA, int wB) { mul<32>(C, A, B, wA, wB); }
void ConstantInit(float *data, int size, float val) { for (int i = 0; i < size; ++i) data[i] = val; }
int MatrixMultiply(int argc, char **argv, int block_size, const dim3 &dimsA, const dim3 &dimsB) {
  float *h_A, *d_A; unsigned int mem_size_A = sizeof(float) * dimsA.x * dimsA.y;
  cudaMallocHost(&h_A, mem_size_A);
  cudaStream_t stream; cudaEvent_t start, stop;
  cudaEventCreate(&start); cudaEventCreate(&stop);
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  dim3 threads(block_size, block_size); dim3 grid(dimsB.x / threads.x, dimsA.y / threads.y);
  MatrixMulCUDA<16><<<grid, threads, 0, stream>>>(d_A, d_A, d_A, dimsA.x, dimsB.x);
  cudaProfilerStart(); cudaProfilerStop();
  return 0;
}
int main(int argc, char **argv) { dim3 a(320, 320, 1), b(640, 320, 1); return MatrixMultiply(argc, argv, 32, a, b); }
