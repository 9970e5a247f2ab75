#!/usr/bin/env bash
# Characterizes every GPU of this machine, all of them at once: with an empty cache of kernels, then with
# a warm one, then the groups of memory alone. tests/gpu/agree.py compares the runs.
#
# Usage: tests/gpu/characterize.sh FOLDER_OF_THE_gpx_BINARY OUT
#   WARM=2         runs of all groups with a warm cache
#   MEMORY=1       runs of the groups of memory
# Writes OUT/gpuN.{cold,warmK,memoryK}.{json,out,err} and OUT/seconds.txt.
set -uo pipefail
gpx=$(realpath "$1")/gpx
mkdir -p "$2"
out=$(realpath "$2")
: >"$out/seconds.txt"

# timed GPU NAME ARGS...: one characterization; its seconds, and the last line of its table.
timed() {
  local gpu=$1 name=gpu$1.$2 start=$EPOCHREALTIME status
  shift 2
  timeout -k 5 200 "$gpx" characterize --device "cuda:$gpu" --no-store --verbose "$@" \
    --json "$out/$name.json" >"$out/$name.out" 2>"$out/$name.err"
  status=$?
  echo "$name status $status $(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }') s" \
    "$(tail -n 1 "$out/$name.out")" | tee -a "$out/seconds.txt"
}

one() {
  local gpu=$1 k
  export GPX_CACHE_DIR=$out/cache.$gpu
  timed "$gpu" cold
  for ((k = 1; k <= ${WARM:-2}; ++k)); do timed "$gpu" "warm$k" --seed "$((k + 1))"; done
  for ((k = 1; k <= ${MEMORY:-1}; ++k)); do timed "$gpu" "memory$k" --only memory --seed "$((k + 10))"; done
  rm -rf "$GPX_CACHE_DIR"
}

gpus=$(nvidia-smi -L | wc -l)
for ((gpu = 0; gpu < gpus; ++gpu)); do one "$gpu" & done
wait
