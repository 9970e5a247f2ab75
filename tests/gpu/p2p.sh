#!/usr/bin/env bash
# The memory of another GPU on a machine with two: the hand-written program, then gpx's experiment
# twice. Some two minutes. Both runs must agree, and with the program: latencies within 1 % (gpx's have
# an addition more), bandwidths within 5 %.
#
# Usage: tests/gpu/p2p.sh FOLDER_OF_THE_gpx_BINARY OUT
#   REFERENCES=build/gpu   the programs of tests/gpu/build.sh
#   DEVICE=cuda:0          whose peer is the first other GPU that it can access
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
gpx=$(realpath "$1")/gpx
mkdir -p "$2"
out=$(realpath "$2")
status=0
nvidia-smi topo -m >"$out/topology.txt" 2>&1
timeout -k 5 10 "$gpx" devices "${DEVICE:-cuda:0}" >"$out/device.txt" 2>&1 || status=1
grep -E 'peer' "$out/device.txt"
references=${REFERENCES:-$root/build/gpu}
if [[ -x $references/p2p ]]; then
  timeout -k 5 40 "$references/p2p" | tee "$out/p2p.csv" || status=1
fi
for run in 1 2; do
  timeout -k 5 100 "$gpx" run "$root/experiments/hopper_p2p.gpx" --device "${DEVICE:-cuda:0}" \
    --json "$out/hopper_p2p.$run.json" >"$out/hopper_p2p.$run.out" 2>"$out/hopper_p2p.$run.err"
  ended=$?
  ((ended > 1)) && { status=1; tail -n 5 "$out/hopper_p2p.$run.err"; }
  grep -E 'timed region|p2p\.' "$out/hopper_p2p.$run.out"
done
exit "$status"
