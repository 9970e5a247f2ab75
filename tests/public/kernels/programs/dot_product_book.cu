// gpx: --entry dot --grid 4 --block 256 --buffer a=4KB:uniform(0,1) --buffer b=4KB:uniform(0,1) --buffer c=16B
#define imin(a, b) (a < b ? a : b)
const int N = 1024;
const int threadsPerBlock = 256;
const int blocksPerGrid = imin(32, (N + threadsPerBlock - 1) / threadsPerBlock);
static void HandleError(cudaError_t err, const char *file, int line) {
  if (err != cudaSuccess) { printf("%s in %s at line %d\n", cudaGetErrorString(err), file, line); exit(EXIT_FAILURE); }
}
#define HANDLE_ERROR(err) (HandleError(err, __FILE__, __LINE__))
#define HANDLE_NULL(a) { if (a == NULL) { printf("Host memory failed in %s at line %d\n", __FILE__, __LINE__); exit(EXIT_FAILURE); } }
__global__ void dot(float *a, float *b, float *c) {
  __shared__ float cache[threadsPerBlock];
  int tid = threadIdx.x + blockIdx.x * blockDim.x, cacheIndex = threadIdx.x;
  float temp = 0;
  while (tid < N) { temp += a[tid] * b[tid]; tid += blockDim.x * gridDim.x; }
  cache[cacheIndex] = temp;
  __syncthreads();
  int i = blockDim.x / 2;
  while (i != 0) { if (cacheIndex < i) cache[cacheIndex] += cache[cacheIndex + i]; __syncthreads(); i /= 2; }
  if (cacheIndex == 0) c[blockIdx.x] = cache[0];
}
int main(void) {
  float *partial_c = (float *)malloc(blocksPerGrid * sizeof(float)), *dev_a;
  HANDLE_NULL(partial_c); HANDLE_ERROR(cudaMalloc((void **)&dev_a, N * sizeof(float)));
#define sum_squares(x) (x * (x + 1) * (2 * x + 1) / 6)
  dot<<<blocksPerGrid, threadsPerBlock>>>(dev_a, dev_a, dev_a);
  printf("Does GPU value %.6g = %.6g?\n", partial_c[0], 2 * sum_squares((float)(N - 1)));
}
