#!/usr/bin/env bash
# Runs gpx and the hand-written references on a machine with a GPU and compares what they measure.
# It changes no setting of the GPU. Every program has a time limit; a step that fails is recorded and
# the rest goes on.
#
# Usage: tests/gpu/run.sh [FOLDER OF THE gpx BINARY]    (default build/portable)
#   OUT=./out          what comes back: summary.txt, json/, one .out and .err for each step
#   REFERENCES=build/gpu   the programs of tests/gpu/build.sh; built here if they are missing
#   DEVICE=cuda:0
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
gpx=$(realpath "${1:-$root/build/portable}")/gpx
OUT=${OUT:-./out}
mkdir -p "$OUT/json"
OUT=$(realpath "$OUT")
references=${REFERENCES:-$root/build/gpu}
device=${DEVICE:-cuda:0}
export GPX_CACHE_DIR=$OUT/cache
summary=$OUT/summary.txt
failed=0

say() { echo "$*" | tee -a "$summary"; }

# step NAME LIMIT_IN_SECONDS COMMAND...: output to NAME.out and NAME.err, one line to the summary.
# Status 1 of `gpx run` means that an expectation does not hold: that is a result here, no failure.
step() {
  local name=$1 limit=$2 start=$EPOCHREALTIME status
  shift 2
  timeout -k 5 "$limit" "$@" >"$OUT/$name.out" 2>"$OUT/$name.err"
  status=$?
  say "$(printf '%-28s status %-3d %s s' "$name" "$status" \
    "$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.2f", b - a }')")"
  if ((status > 1)); then
    failed=1
    tail -n 3 "$OUT/$name.err" | sed 's/^/    /' | tee -a "$summary"
  fi
  return "$status"
}

# experiment FILE: runs it on the device, cold and then with its kernels in the cache.
experiment() {
  local name
  name=$(basename "$1" .gpx)
  step "run_$name" 300 "$gpx" run "$1" --device "$device" --json "$OUT/json/$name.json"
  step "again_$name" 300 "$gpx" run "$1" --device "$device" --json "$OUT/json/$name.again.json" -q
}

: >"$summary"
say "gpx on a GPU, $(date -u +%Y-%m-%dT%H:%M:%SZ), $(uname -r)"
[[ -x $gpx ]] || { say "no gpx at $gpx"; exit 3; }
step version 10 "$gpx" --version
step doctor 60 "$gpx" doctor
sed 's/^/    /' "$OUT/doctor.out" | tee -a "$summary"
command -v nvidia-smi >/dev/null && step nvidia_smi 60 nvidia-smi -q

for file in "$root"/experiments/*.gpx "$root/tests/gpu/latency.gpx"; do experiment "$file"; done
step dump 120 "$gpx" run "$root/tests/gpu/latency.gpx" --device "$device" -q --dump=cuda,ptx,sass

# The same kernels with and without a GPU: the digests of the values must agree.
for file in "$root"/experiments/*.gpx; do
  name=$(basename "$file" .gpx)
  step "model_$name" 300 "$gpx" run "$file" --device k20 --json "$OUT/json/$name.model.json" -q
done

if [[ ! -x $references/thread_latency ]]; then
  step build_references 300 "$root/tests/gpu/build.sh" "$references"
fi
for name in thread_latency launch_overhead copy_time op_latency library_kernels memory_levels; do
  [[ -x $references/$name ]] && step "reference_$name" 300 "$references/$name"
done
[[ -s $OUT/reference_launch_overhead.out ]] &&
  sed 's/^/    /' "$OUT/reference_launch_overhead.out" | tee -a "$summary"

sanitizer=$(command -v compute-sanitizer || echo "${CUDA_HOME:-/usr/local/cuda}/bin/compute-sanitizer")
small='sweep threads 32..256 step 32 < load unique(128B) x2 >'
if [[ -x $sanitizer ]]; then
  echo "$small" >"$OUT/small.gpx"
  step memcheck 300 "$sanitizer" --tool memcheck --error-exitcode 9 "$gpx" run "$OUT/small.gpx" \
    --device "$device" -q --json "$OUT/json/small.json"
  grep -h "ERROR SUMMARY" "$OUT"/memcheck.* | sed 's/^/    /' | tee -a "$summary"
else
  say "no compute-sanitizer: memory accesses not checked"
fi

if command -v python3 >/dev/null; then
  step cubins 60 python3 "$root/tests/gpu/cubins.py" "$GPX_CACHE_DIR" "$OUT/cubins"
  nvdisasm=$(command -v nvdisasm || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvdisasm")
  if [[ -x $nvdisasm ]]; then
    for cubin in "$OUT"/cubins/*.cubin "$references"/thread_latency.cubin; do
      [[ -f $cubin ]] && timeout 60 "$nvdisasm" -c "$cubin" >"$OUT/cubins/$(basename "$cubin").sass"
    done
  else
    say "no nvdisasm: machine code not listed (the cubins are in $OUT/cubins)"
  fi
  step compare 60 python3 "$root/tests/gpu/compare.py" "$OUT"
  sed 's/^/    /' "$OUT/compare.out" | tee -a "$summary"
else
  say "no python3 here: run tests/gpu/compare.py $OUT elsewhere"
fi
rm -rf "$GPX_CACHE_DIR"
exit "$failed"
