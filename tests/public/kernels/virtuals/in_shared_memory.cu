// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
struct Op { __device__ virtual int run(int a) { return a; } int pad = 0; };
struct Neg : Op { __device__ int run(int a) override { return -a; } };
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  __shared__ Op *ops[2]; if (t == 0) { ops[0] = new Op; ops[1] = new Neg; } __syncthreads(); const int r = ops[t & 1]->run(t); __syncthreads(); if (t == 0) { delete ops[0]; delete ops[1]; }
  ok[t] = r == ((t & 1) ? -t : t);
  if (!ok[t]) __trap();
}
