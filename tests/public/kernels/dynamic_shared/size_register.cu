// gpx: --entry k --grid 1 --block 32 --shared 1024 --buffer ok=128B:zero expect ok==1
extern __shared__ int s[];
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  unsigned n; asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(n)); s[t] = 1; __syncthreads();
  ok[t] = n == 1024 && s[t] == 1;
  if (!ok[t]) __trap();
}
