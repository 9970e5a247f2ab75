#!/usr/bin/env python3
"""Writes a CUDA program of 40 kernels: each a loop of 64 random operations on registers, of a few
kinds. What a round of all warps of a block takes shows units, schedulers and banks of registers.

Usage: mixed_arithmetic.py >mix.cu; nvcc -O3 -arch=native mix.cu -o mix; ./mix
       prints mix,warps,clocks
"""
import random

FLOATS = {"fadd": "{f}={f}+{f};", "fmul": "{f}={f}*{f};", "ffma": "{f}=__fmaf_rn({f},{f},{f});",
          "fmn": "{f}=fmaxf({f},{f});", "fset": "{f}={f}<{f}?{f}:{f};", "mufu": "{f}=__expf({f});",
          "rcp": 'asm volatile("rsqrt.approx.ftz.f32 %0,%1;":"=f"({f}):"f"({f}));',
          "cvt": "{f}=(float)(int){i};"}
WORDS = {"iadd": "{i}={i}+{i}+{i};", "lop": "{i}=({i}&{i})^{i};", "imad": "{i}={i}*{i}+{i};",
         "shf": "{i}=__funnelshift_l({i},{i},{shift});", "sel": "{i}={i}<{i}?{i}:{i};",
         "f2i": "{i}=__float2int_rn({f});", "popc": "{i}=__popc({i});", "viadd": "{i}={i}+{number};",
         "prmt": "{i}=__byte_perm({i},{i},0x{bytes:x}&0x7777);"}
KINDS = [
    dict(fadd=1), dict(fmul=1), dict(ffma=1), dict(fadd=1, ffma=1), dict(fadd=1, fmul=1, ffma=1),
    dict(iadd=1), dict(lop=1), dict(imad=1), dict(shf=1), dict(sel=1), dict(fmn=1), dict(fset=1),
    dict(viadd=1, lop=1), dict(viadd=1, ffma=1), dict(ffma=1, iadd=1), dict(ffma=2, iadd=1, lop=1),
    dict(fadd=1, fmul=1, ffma=1, iadd=1, lop=1), dict(ffma=1, imad=1), dict(fadd=1, imad=1, lop=1),
    dict(ffma=3, mufu=1), dict(ffma=6, rcp=1), dict(ffma=6, rcp=1, iadd=2),
    dict(iadd=1, lop=1, shf=1, prmt=1), dict(ffma=2, fmn=1, fset=1), dict(ffma=4, cvt=1),
    dict(ffma=4, f2i=1, iadd=2), dict(iadd=4, popc=1),
    dict(fadd=2, fmul=2, ffma=2, sel=1, iadd=2, lop=1, imad=1, rcp=0.3),
    dict(ffma=5, iadd=2, lop=1, shf=1, imad=1, sel=1, fmn=1),
    dict(imad=1, iadd=1, viadd=1, lop=1, sel=1), dict(prmt=1, lop=1, shf=1),
    dict(fadd=1, fset=1, fmn=1, iadd=1)]


class Names(dict):
    """Another register of the kind each time."""

    def __init__(self, floats, words):
        self.floats, self.words = floats, words

    def __missing__(self, key):
        return {"f": lambda: f"f{random.randrange(self.floats)}",
                "i": lambda: f"i{random.randrange(self.words)}",
                "shift": lambda: random.randrange(1, 31), "number": lambda: random.randrange(3, 99),
                "bytes": lambda: random.randrange(65536)}[key]()


def kernel(number, mix, floats=14, words=8):
    names, body = Names(floats, words), []
    for _ in range(64):
        kind = random.choices(list(mix), list(mix.values()))[0]
        body.append((FLOATS | WORDS)[kind].format_map(names))
    declared = ", ".join(f"f{j} = a * {j + 1} + t" for j in range(floats))
    integers = ", ".join(f"i{j} = b + {j} * t" for j in range(words))
    print(f"""__global__ void mix{number}(float* out, long long* clk, int n, float a, int b) {{
  const int t = threadIdx.x;
  float {declared};
  unsigned {integers};
  const long long begin = clock64();
#pragma unroll 1
  for (int r = 0; r < n; ++r) {{ {' '.join(body)} }}
  const long long end = clock64();
  out[blockIdx.x * blockDim.x + t] = {' + '.join(f'f{j}' for j in range(floats))} +
      (float)({' ^ '.join(f'i{j}' for j in range(words))});
  if (t % 32 == 0) clk[(blockIdx.x * blockDim.x + t) / 32] = end - begin;
}}""")


random.seed(4711)
print("#include <cstdio>")
for number, mix in enumerate(KINDS):
    kernel(number, mix)
for number in range(len(KINDS), len(KINDS) + 8):
    kernel(number, random.choice(KINDS[14:]), random.choice([6, 10, 20]), random.choice([4, 8, 16]))
print("""static long long read[8192];
template <typename Launch> void measure(int number, long long* clk, Launch launch) {
  for (int warps : {1, 4, 8, 16, 32}) {
    double mean[2] = {};
    for (int k = 0; k < 2; ++k) {
      for (int repetition = 0; repetition < 2; ++repetition) launch(warps, k == 0 ? 16 : 48);
      cudaDeviceSynchronize();
      cudaMemcpy(read, clk, 132 * warps * 8, cudaMemcpyDeviceToHost);
      for (int i = 0; i < 132 * warps; ++i) mean[k] += double(read[i]) / (132 * warps);
    }
    std::printf("%d,%d,%.2f\\n", number, warps, (mean[1] - mean[0]) / 32);
  }
}
int main() {
  float* out;
  long long* clk;
  cudaMalloc(&out, 1 << 22);
  cudaMalloc(&clk, 1 << 20);
  std::printf("mix,warps,clocks\\n");""")
for number in range(len(KINDS) + 8):
    print(f"  measure({number}, clk, [&](int w, int n) {{ mix{number}<<<132, 32 * w>>>(out, clk, n, 1.5f, 3); }});")
print("}")
