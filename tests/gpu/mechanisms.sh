#!/usr/bin/env bash
# What five programs by hand tell of mechanisms that the virtual GPU models: the last accesses of
# blocks and what comes before their first instructions, the order in which warps issue, stores and
# shared memory warp by warp, loads that no cache has. Less than a minute.
#
# Usage: tests/gpu/mechanisms.sh OUT
#   REFERENCES=build/gpu   the programs of tests/gpu/build.sh
# Writes OUT/block_ends.csv and so on, one file for each.
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
[[ $# -eq 1 ]] || { echo "usage: tests/gpu/mechanisms.sh OUT" >&2; exit 2; }
references=${REFERENCES:-$root/build/gpu}
mkdir -p "$1"
status=0
for name in block_ends block_starts warp_order warp_stamps cold_reads; do
  timeout -k 5 60 "$references/$name" >"$1/$name.csv" 2>"$1/$name.err"
  ended=$?
  echo "$name status $ended rows $(wc -l <"$1/$name.csv")"
  ((ended == 0)) || status=1
done
exit "$status"
