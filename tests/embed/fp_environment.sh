#!/usr/bin/env bash
# fp_environment: a preloaded library that flushes subnormals, rounds otherwise or traps changes no byte
# of a document. Arguments: gpx, the library. Status 77: this machine has no NVRTC.
set -euo pipefail
gpx=$1 library=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export GPX_STORE=$folder/store GPX_CACHE_DIR=$folder/cache
cat >subnormal.cu <<'CU'
extern "C" __global__ void subnormal(const float* in, float* out) {
  const float tiny = in[0] * 0.0f + 1e-40f;
  volatile float half = 0.5f, third = 3.0f;
  out[threadIdx.x] = tiny * half;
  if (!(tiny * half > 0) || __fdiv_rn(1.0f, third) != 0.333333343f) asm("trap;");
}
CU
cat >numbers.gpx <<'GPX'
experiment kernels {
  device k20
  kernel k from "subnormal.cu" entry subnormal(in = buffer(4KB, 1), out = buffer(4KB, zero))
  threads 32
  < run k >
}
experiment sweeps {
  device k20
  sweep blocks 1..16 step x2
  threads 64
  < load unique(128B) >
}
GPX
"$gpx" doctor | grep -q '^NVRTC [0-9]\|NVRTC [0-9]' || exit 77
run() { "$gpx" run numbers.gpx --json - | sed 's/"\(id\|started\|ended\|host\|command\|folder\)": *"[^"]*"/"\1": ""/'; }
run >plain.json
for mode in ftz up zero trap; do
  FPM=$mode LD_PRELOAD=$library run >"$mode.json" || { echo "FPM=$mode: status $?"; exit 1; }
  cmp plain.json "$mode.json" || { echo "FPM=$mode changes the document"; exit 1; }
done
