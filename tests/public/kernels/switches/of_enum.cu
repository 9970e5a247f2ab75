// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
enum class Op { add, sub, mul, neg };
__device__ __noinline__ int apply(Op op, int a, int b) { switch (op) { case Op::add: return a + b; case Op::sub: return a - b; case Op::mul: return a * b; case Op::neg: return -a; } return 0; }
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  const int e[4] = {t + 3, t - 3, t * 3, -t};
  ok[t] = apply(static_cast<Op>(t & 3), t, 3) == e[t & 3];
  if (!ok[t]) __trap();
}
