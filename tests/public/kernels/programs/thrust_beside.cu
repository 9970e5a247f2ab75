// gpx: --entry square --grid 1 --block 32 --buffer d=128B:uniform(0,1) --arg n=32
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/functional.h>
__global__ void square(float *d, int n) { if (threadIdx.x < n) d[threadIdx.x] *= d[threadIdx.x]; }
float norm(thrust::device_vector<float> &v) { return std::sqrt(thrust::transform_reduce(v.begin(), v.end(), thrust::square<float>(), 0.f, thrust::plus<float>())); }
int main() { thrust::device_vector<float> v(32, 1.f); square<<<1, 32>>>(thrust::raw_pointer_cast(v.data()), 32); thrust::sort(v.begin(), v.end()); return norm(v); }
