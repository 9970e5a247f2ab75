#!/usr/bin/env python3
"""What loops, branches and divergence cost, by the warps of a block: clocks of a round, from two
launches that differ by 2000 rounds. The same on a real GPU and on a virtual one.

Usage: branches.py GPX DEVICE >branches.csv       prints name,warps,clocks
"""
import csv
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROUNDS = 500, 2500
THREADS = 32, 128, 256, 512, 1024


def products(count, first=0):
    return " ".join(f"F({(first + k) % 8})" for k in range(count))


def loop(counter, condition, body):
    return f'_Pragma("unroll 1") for (int {counter} = 0; {condition}; ++{counter}) {{ {body} }}'


def bodies():
    for n in 1, 2, 3, 4, 6, 8, 12, 16, 24, 48:
        yield f"loop_{n}", products(n)
    for n in 2, 4, 8:
        yield f"nest_{n}", loop("j", "j < 4", products(n))
    yield "skip_half", f"if (k & 1) {{ {products(24)} }} {products(4)}"
    for name, condition in (("half", "lane & 16"), ("parity", "(lane ^ k) & 1"),
                            ("one", "lane == (k & 31)"), ("none", "(lane ^ k) < (k >> 30)"),
                            ("all", "(lane ^ k) < 64 + (k >> 30)")):
        for n in 4, 12, 24, 48:
            yield f"if_{name}_{n}", f"if ({condition}) {{ {products(n)} }} {products(4, 3)}"
    for n in 12, 24:
        yield (f"else_{n}", f"if ((lane ^ k) & 1) {{ {products(n)} }} else {{ {products(n, 4)} }} "
               + products(2))
    for n in 4, 8:
        cases = " ".join(f"case {i}: {products(16 + i, i)} break;" for i in range(n))
        yield f"switch_{n}", f"switch ((lane + k) & {n - 1}) {{ {cases} }}"
    for n in 2, 4, 8, 16:
        yield f"trips_{n}", loop("j", "j < (lane & 7) + 1", products(n))
    for n in 2, 4, 8:
        yield f"break_{n}", loop("j", "j < 8",
                                 f"{products(n)} if (a0 > 1e30f) break; {products(n, 4)}")
    yield "nested_if", (f"if (lane & 16) {{ {products(10)} if (lane & 8) {{ {products(12)} }} "
                        f"{products(2)} }} {products(3)}")
    yield "call", "a0 = called(a0);"
    yield "vote", f"if (__any_sync(~0u, a0 > 1e30f)) {{ {products(24)} }} {products(4)}"


def main(gpx, device):
    cuda = ['#define F(i) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(a##i));',
            "__device__ __noinline__ float called(float x) { float a0 = x; F(0) F(0) return a0; }"]
    experiments = ["param rounds = 1"]
    for name, body in bodies():
        cuda.append(f"""extern "C" __global__ void {name}(int rounds, float* out) {{
  float a0 = 0.5f, a1 = threadIdx.x, a2 = 2, a3 = 3, a4 = 4, a5 = 5, a6 = 6, a7 = 7;
  const int lane = threadIdx.x & 31;
  {loop("k", "k < rounds", body)}
  if (a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + lane == 1.2345f) out[0] = a0;
}}""")
        experiments.append(f"""experiment {name} "{name}" {{
  kernel it from "branches.cu" entry {name}(rounds = rounds, out = buffer(4KB))
  sweep threads in {list(THREADS)}
  blocks 1
  repeat 5 reduce median
  measure once {{ < run it > }}
}}""")
    times = []
    with tempfile.TemporaryDirectory() as folder:
        at = pathlib.Path(folder)
        (at / "branches.cu").write_text("\n".join(cuda))
        (at / "branches.gpx").write_text("\n".join(experiments))
        for rounds in ROUNDS:
            subprocess.run([gpx, "run", at / "branches.gpx", "--device", device, "--no-store", "-q",
                            "--set", f"rounds={rounds}", "--csv", at / "out.csv"], check=True)
            samples = {}
            for row in csv.DictReader(open(at / "out.csv")):
                samples.setdefault((row["experiment"], int(row["threads"])), []).append(
                    float(row["time"]))
            times.append({key: statistics.median(each) for key, each in samples.items()})
    # Of an H200 and of the virtual ones, whose clock stands in their device files.
    hertz = 1.98e9
    print("name,warps,clocks")
    for (name, threads), time in times[1].items():
        clocks = (time - times[0][name, threads]) * hertz / (ROUNDS[1] - ROUNDS[0])
        print(f"{name},{threads // 32},{clocks:.1f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
