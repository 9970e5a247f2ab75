#!/usr/bin/env bash
# The groups of `gpx characterize` that a data sheet has: bandwidth of each level, peak rates by type, all of L2, what a
# launch takes. With an empty cache of kernels and twice with a warm one, then the program by hand on the same board.
#
# Usage: tests/gpu/bandwidth.sh FOLDER_OF_THE_gpx_BINARY OUT
# Writes OUT/{cold,warm1,warm2}.{json,out}, OUT/seconds.txt, OUT/roofline.txt, OUT/bandwidth.txt by hand, and
# OUT/memory.{json,out} of the group that finds all of L2.
set -uo pipefail
gpx=$(realpath "$1")/gpx
mkdir -p "$2"
out=$(realpath "$2")
here=$(dirname "$(realpath "$0")")
export GPX_CACHE_DIR=$out/cache
groups=bandwidth,units,peak_double,peak_half,peak_mma

# timed NAME ARGS...: one characterization and its seconds.
timed() {
  local name=$1 start=$EPOCHREALTIME
  shift
  timeout -k 5 120 "$gpx" characterize --device cuda --no-store --verbose "$@" --json "$out/$name.json" \
    >"$out/$name.out" 2>&1
  echo "$name status $? $(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }') s" \
    "$(tail -n 1 "$out/$name.out")" | tee -a "$out/seconds.txt"
}

: >"$out/seconds.txt"
timed cold --only "$groups"
timed warm1 --only "$groups" --seed 2
timed warm2 --only "$groups" --seed 3
timed memory --only global
"$gpx" roofline "$out/warm1.json" --no-plot >"$out/roofline.txt" 2>&1
nvcc -std=c++17 -O3 -arch=native -o "$out/by_hand" "$here/bandwidth.cu" &&
  timeout 60 "$out/by_hand" >"$out/bandwidth.txt" 2>&1
rm -rf "$GPX_CACHE_DIR" "$out/by_hand"
