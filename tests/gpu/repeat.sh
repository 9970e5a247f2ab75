#!/usr/bin/env bash
# Runs experiments of the library several times on one GPU, a process each: the first time with an empty
# cache of kernels. tests/gpu/agree.py says in which findings the runs of an experiment agree.
#
# Usage: tests/gpu/repeat.sh FOLDER_OF_THE_gpx_BINARY OUT RUNS NAME...    e.g. hopper_tma operations
#   DEVICE=cuda:0
#   LIMIT=200      seconds of each run
# Writes OUT/NAME.K.{json,out,err}, OUT/NAME.agree and OUT/seconds.txt. "operations" is `gpx operations`.
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
[[ $# -ge 4 ]] || { echo "usage: tests/gpu/repeat.sh FOLDER OUT RUNS NAME..." >&2; exit 2; }
gpx=$(realpath "$1")/gpx
mkdir -p "$2"
out=$(realpath "$2")
runs=$3
shift 3
export GPX_CACHE_DIR=$out/cache
device=${DEVICE:-cuda:0}
failed=0

# once NAME K COMMAND...: status 1 says that an expectation does not hold, which is a result here.
once() {
  local name=$1 k=$2 start=$EPOCHREALTIME status
  shift 2
  timeout -k 5 "${LIMIT:-200}" "$gpx" "$@" --device "$device" --json "$out/$name.$k.json" \
    >"$out/$name.$k.out" 2>"$out/$name.$k.err"
  status=$?
  ((status > 1)) && { failed=1; tail -n 3 "$out/$name.$k.err"; }
  echo "$name.$k status $status $(awk -v a="$start" -v b="$EPOCHREALTIME" \
    'BEGIN { printf "%.1f", b - a }') s" | tee -a "$out/seconds.txt"
}

for name in "$@"; do
  documents=()
  for ((k = 1; k <= runs; ++k)); do
    if [[ $name == operations ]]; then once "$name" "$k" operations
    else once "$name" "$k" run "$root/experiments/$name.gpx"; fi
    documents+=("$out/$name.$k.json")
  done
  python3 "$root/tests/gpu/agree.py" "${documents[@]}" >"$out/$name.agree" 2>&1
  { echo "$name"; sed 's/^/    /' "$out/$name.agree"; } | tee -a "$out/agree.txt"
done
rm -rf "$GPX_CACHE_DIR"
exit "$failed"
