// gpx: --entry by_the_toolkit --grid 1 --block 64 --buffer ok=256B expect ok==1
struct alignas(16) Both {
  long long a, b;
};
__device__ Both word;
extern "C" __global__ void by_the_toolkit(int *ok) {
  const int t = threadIdx.x;
  bool right = true;
  if (t == 0) word = {5, -5};
  __syncthreads();
  if (t == 7) {
    const Both wrong = atomicCAS(&word, Both{5, 5}, Both{1, 1});
    const Both old = atomicCAS(&word, Both{5, -5}, Both{8, 9});
    const Both last = atomicExch(&word, Both{10, 11});
    right &= wrong.a == 5 && wrong.b == -5 && old.b == -5 && last.a == 8 && last.b == 9;
  }
  __syncthreads();
  right &= word.a == 10 && word.b == 11;
  ok[t] = right;
  if (!right) __trap();
}
