#!/usr/bin/env bash
# Characterizes memory on a GPU alone, beside a process that copies 256 MB and spins half of the
# time, and beside bursts for 5 % of the time. tests/gpu/tenant.py compares: each finding beside
# another process agrees with the quiet run within the intervals, or is inconclusive.
#
# Usage: tests/gpu/tenant.sh FOLDER_OF_THE_gpx_BINARY OUT
#   ONLY=memory    groups to characterize
#   BUDGET=100     seconds of a characterization
# Writes OUT/{alone,half,bursts}.{json,out} and OUT/tenant.txt.
set -uo pipefail
here=$(dirname "$(realpath "$0")")
gpx=$(realpath "$1")/gpx
mkdir -p "$2"
out=$(realpath "$2")
export GPX_CACHE_DIR=${GPX_CACHE_DIR:-$(mktemp -d)}
nvcc -O2 -arch=native -o "$GPX_CACHE_DIR/co_runner" "$here/co_runner.cu" || exit 3

# characterized NAME [PERIOD_MS DUTY]: beside such a process, or alone.
characterized() {
  local name=$1 start=$EPOCHREALTIME co_runner='' status seconds
  if [ $# -gt 1 ]; then
    "$GPX_CACHE_DIR/co_runner" "$((${BUDGET:-100} + 10))" "$2" "$3" >/dev/null &
    co_runner=$!
    sleep 1
  fi
  timeout -k 5 "$((${BUDGET:-100} + 15))" "$gpx" characterize --device cuda --no-store \
    --only "${ONLY:-memory}" --budget "${BUDGET:-100}" --json "$out/$name.json" \
    >"$out/$name.out" 2>&1
  status=$?
  seconds=$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')
  echo "$name status $status $seconds s $(tail -n 1 "$out/$name.out")" | tee -a "$out/tenant.txt"
  [ -z "$co_runner" ] || { kill "$co_runner" 2>/dev/null; wait "$co_runner" 2>/dev/null; }
}

: >"$out/tenant.txt"
characterized alone
characterized half 20 0.5
characterized bursts 100 0.05
python3 "$here/tenant.py" "$out/alone.json" "$out/half.json" "$out/bursts.json" |
  tee -a "$out/tenant.txt"
exit "${PIPESTATUS[0]}"
