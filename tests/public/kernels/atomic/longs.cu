// gpx: --entry longs --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda/atomic>

extern "C" __global__ void longs(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ long long value[7];
  if (T < 7) value[T] = T == 2 ? 127 : 0;
  __syncthreads();
  using Ref = cuda::atomic_ref<long long, cuda::thread_scope_system>;
  Ref(value[0]).fetch_add(1);
  Ref(value[1]).fetch_max((long long)T);
  Ref(value[2]).fetch_min((long long)T);
  Ref(value[3]).fetch_or((long long)(1 << (T % 6)));
  Ref(value[4]).fetch_xor((long long)1, cuda::memory_order_relaxed);
  for (long long old = Ref(value[5]).load(); !Ref(value[5]).compare_exchange_weak(old, (long long)(old + 1));) {}
  const long long before = Ref(value[6]).exchange((long long)T, cuda::memory_order_acq_rel);
  __syncthreads();
  bool good = value[0] == 64 && value[1] == 63 && value[2] == 0 && value[3] == 63 && value[4] == 0 && value[5] == 64 &&
              before >= 0 && before < 64;
  ok[T] = good;
}
