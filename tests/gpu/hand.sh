#!/usr/bin/env bash
# Runs the hand-written programs on a machine with a GPU, one after the other, at most 60 s each. A
# program that fails is told and the rest goes on. tests/gpu/by_hand.py reads what comes out, and
# tests/gpu/discrete.py puts its discrete values beside those of a run of gpx.
#
# Usage: tests/gpu/hand.sh OUT [NAME...]     names as below; without one all of them
#   REFERENCES=build/gpu   the programs of tests/gpu/build.sh
#   LIMIT=60               seconds of each
# Writes OUT/NAME.csv, OUT/NAME.err and OUT/seconds.txt; eviction_sets also folders of that name.
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
[[ $# -ge 1 ]] || { echo "usage: tests/gpu/hand.sh OUT [NAME...]" >&2; exit 2; }
mkdir -p "$1"
out=$(realpath "$1")
shift
wanted=" $* "
references=${REFERENCES:-$root/build/gpu}
status=0

# step NAME PROGRAM ARGS...
step() {
  local name=$1 program=$2 start=$EPOCHREALTIME ended
  shift 2
  [[ $wanted == "  " || $wanted == *" $name "* ]] || return 0
  if [[ ! -x $references/$program ]]; then
    echo "$name no program" | tee -a "$out/seconds.txt"
    status=1
    return
  fi
  timeout -k 5 "${LIMIT:-60}" "$references/$program" "$@" >"$out/$name.csv" 2>"$out/$name.err"
  ended=$?
  ((ended == 0)) || status=1
  awk -v n="$name" -v s="$ended" -v a="$start" -v b="$EPOCHREALTIME" \
    'BEGIN { printf "%s status %d %.2f s\n", n, s, b - a }' | tee -a "$out/seconds.txt"
  ((ended == 0)) || tail -n 2 "$out/$name.err" | sed 's/^/    /'
}

: >"$out/seconds.txt"
for name in l2_mean bulk_rate l2_policy shared_memory constant dram_read_words wgmma matrix \
    memory_levels bandwidth fetch_granularity atomic_modes l2_map async_copy tma tensor_copy \
    mbarrier grid_dependency dsmem thread_latency op_latency launch_overhead copy_time \
    library_kernels code_fetch idle_clock clock_domains bulk_code bulk_state p2p energy rates \
    l1_splits near_paths store_patterns under_load wide_products; do
  step "$name" "$name"
done
step dsmem_pairs dsmem pairs
for mode in reach sharing sets mapped; do step "translation_$mode" translation "$mode"; done
for level in l1 l2; do
  mkdir -p "$out/eviction_sets_$level"
  step "eviction_sets_$level" eviction_sets "$level" "$out/eviction_sets_$level"
done
exit "$status"
