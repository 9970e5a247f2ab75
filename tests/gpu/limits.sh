#!/usr/bin/env bash
# Limits that streams do not show, for a twin: words at random and units of atomics. Twice, less than 20 s in all.
#
# Usage: tests/gpu/limits.sh FOLDER_OF_THE_gpx_BINARY OUT
# Writes OUT/limits1.json and OUT/limits2.json, of which `gpx twin --from` takes one.
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
[[ $# -eq 2 ]] || { echo "usage: tests/gpu/limits.sh FOLDER_OF_THE_gpx_BINARY OUT" >&2; exit 2; }
mkdir -p "$2"
for run in 1 2; do
  timeout -k 5 60 "$1/gpx" run "$root/experiments/twin_limits.gpx" --device "${DEVICE:-cuda:0}" --no-store -q \
    --json "$2/limits$run.json" || exit 1
done
