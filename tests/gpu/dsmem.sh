#!/usr/bin/env bash
# Distributed shared memory and the cluster barrier on a machine with an H100: gpx's experiments, then
# the hand-written program. About a minute. Latencies of both must agree within a clock, bandwidths and
# barriers within 3 %.
#
# Usage: tests/gpu/dsmem.sh FOLDER_OF_THE_gpx_BINARY OUT
#   REFERENCES=build/gpu   the programs of tests/gpu/build.sh
#   DEVICE=cuda:0
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
gpx=$(realpath "$1")/gpx
mkdir -p "$2"
out=$(realpath "$2")
status=0
for name in hopper_dsmem hopper_cluster; do
  timeout -k 5 200 "$gpx" run "$root/experiments/$name.gpx" --device "${DEVICE:-cuda:0}" \
    --json "$out/$name.json" >"$out/$name.out" 2>"$out/$name.err"
  ended=$?
  ((ended > 1)) && { status=1; tail -n 5 "$out/$name.err"; }
  grep -E 'timed region|dsmem\.|cluster\.barrier' "$out/$name.out"
done
references=${REFERENCES:-$root/build/gpu}
if [[ -x $references/dsmem ]]; then
  timeout -k 5 60 "$references/dsmem" | tee "$out/dsmem.csv" || status=1
fi
exit "$status"
