#!/usr/bin/env bash
# Asynchronous copies and mbarriers on a machine with an H100: gpx's experiments, then the hand-written
# programs. Half a minute. Latencies of copies by threads and of mbarriers must agree within 1 %; what
# bulk copies by hand take more, docs/results/hopper.md says.
#
# Usage: tests/gpu/async.sh FOLDER_OF_THE_gpx_BINARY OUT
#   REFERENCES=build/gpu   the programs of tests/gpu/build.sh
#   DEVICE=cuda:0
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
gpx=$(realpath "$1")/gpx
mkdir -p "$2"
out=$(realpath "$2")
status=0
for name in hopper_async hopper_tma hopper_mbarrier; do
  timeout -k 5 200 "$gpx" run "$root/experiments/$name.gpx" --device "${DEVICE:-cuda:0}" \
    --json "$out/$name.json" >"$out/$name.out" 2>"$out/$name.err"
  ended=$?
  ((ended > 1)) && { status=1; tail -n 5 "$out/$name.err"; }
  grep -E 'timed region|cp_async\.|tma\.|mbarrier\.' "$out/$name.out"
done
references=${REFERENCES:-$root/build/gpu}
for name in async_copy tma tensor_copy mbarrier; do
  [[ -x $references/$name ]] || continue
  timeout -k 5 60 "$references/$name" | tee "$out/$name.csv" || status=1
done
exit "$status"
