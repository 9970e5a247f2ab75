#!/usr/bin/env python3
"""The live page of `gpx serve` on a real GPU, by its messages: a cell runs, stops and resumes, its code is that of the
GPU, and a kernel of a file is predicted and measured.

Usage: tests/gpu/serve.py GPX OUT [DEVICE]     (OUT: the answers are kept there as JSON; DEVICE: cuda:0)
Prints a line for each check; the exit status is 1 if one fails."""
import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "serve"))
from client import Server

DOCUMENT = """param n = 3  # 1..8 step 1

experiment loads "Loads of each thread" {
  sweep threads 32..256 step 32
  < load unique(128B) x n >
  plot latency over threads
}

experiment long "Takes its time" {
  sweep threads 32..1024 step 2, count in [4, 8, 12, 16]
  repeat 50
  < load unique(128B) x count >
}
"""
KERNEL = """extern "C" __global__ void scale(float* y, const float* x, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}
"""
failed = []


def check(truth, what):
    print(("ok    " if truth else "FAIL  ") + what, flush=True)
    if not truth:
        failed.append(what)


def main(gpx, out, device="cuda:0"):
    os.makedirs(out, exist_ok=True)
    for name, text in (("page.gpx", DOCUMENT), ("scale.cu", KERNEL)):
        with open(os.path.join(out, name), "w", encoding="utf-8") as file:
            file.write(text)
    server = Server(os.path.abspath(gpx), os.path.join(out, "page.gpx"), device=device)

    def keep(name, answer):
        with open(os.path.join(out, name + ".json"), "w", encoding="utf-8") as file:
            json.dump(answer, file, indent=1)
        return answer

    print(f"started in {server.started_in:.3f} s")
    begin = time.time()
    server.ask("/api/run", {"cells": ["loads"]})
    record = keep("loads", server.until("loads", "done", "failed"))
    check(record["phase"] == "done", f"a cell runs: {record['phase']} after {time.time() - begin:.2f} s")
    result = keep("result", server.ask(f"/api/result?runs={record['run']}"))
    check("a model, not a measurement" not in json.dumps(result), "its result is a measurement")

    server.ask("/api/run", {"cells": ["long"]})
    time.sleep(1.5)
    server.ask("/api/stop", {"cells": ["long"]})
    check(server.until("long", "interrupted", "stopped", "done")["phase"] != "done", "a long run stops")
    server.ask("/api/resume", {"cell": "long"})
    check(server.until("long", "done", "failed", seconds=100)["phase"] == "done", "and resumes to its end")

    begin = time.time()
    explained = keep("explain", server.ask("/api/explain", {"cell": "loads", "device": device}))
    check("LDG" in json.dumps(explained), f"the code is the GPU's, after {time.time() - begin:.2f} s")

    begin = time.time()
    predicted = keep("predict", server.ask("/api/predict", {
        "path": "scale.cu", "device": device, "entry": "scale", "grid": ["4096"], "block": ["256"], "measure": True,
        "arg": ["a=2.0", "n=1048576"], "buffer": ["y=4MB:zero", "x=4MB:index"]}))
    check("measured" in json.dumps(predicted), f"a kernel is predicted and measured, {time.time() - begin:.2f} s")
    check(server.close() == 0, "the server ends")
    print(f"{len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
