// gpx: --entry init_array --grid 4 --block 64 --buffer g_data=1KB:zero --buffer factor=4B:index --arg num_iterations=3
#include <cuda_runtime.h>
#include <sys/mman.h>
#include <thread>
#include <mutex>
const char *sEventSyncMethod[] = {"cudaEventDefault", "cudaEventBlockingSync", NULL};
const int sSyncMethod[] = {cudaDeviceScheduleAuto, cudaDeviceScheduleSpin};
std::mutex guard;
__global__ void init_array(int *g_data, int *factor, int num_iterations) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < num_iterations; i++) g_data[idx] += *factor;
}
bool correct_data(int *a, const int n, const int c) { for (int i = 0; i < n; i++) if (a[i] != c) { fprintf(stderr, "%d\n", i); return false; } return true; }
int main(int argc, char **argv) {
  int nstreams = 4; cudaStream_t *streams = (cudaStream_t *)malloc(nstreams * sizeof(cudaStream_t));
  for (int i = 0; i < nstreams; i++) cudaStreamCreate(&streams[i]);
  std::thread worker([&] { std::lock_guard<std::mutex> l(guard); });
  for (int k = 0; k < nstreams; k++) init_array<<<4, 64, 0, streams[k]>>>(nullptr, nullptr, 5);
  worker.join();
  delete[] streams;
}
