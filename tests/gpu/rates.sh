#!/usr/bin/env bash
# The rates of a GPU under load in one call: experiments/twin_rates.gpx, the same by hand, the points that a
# model is fitted on, and the experiments that it is judged by, on the GPU and on its virtual counterpart.
# About three minutes.
#
# Usage: tests/gpu/rates.sh FOLDER_OF_THE_gpx_BINARY OUT
#   REFERENCES=build/gpu   the programs of tests/gpu/build.sh
#   DEVICE=cuda:0 MODEL=h100
# Writes OUT/rates.json, OUT/rates.csv (by hand), OUT/training.csv, OUT/heldout.csv and OUT/heldout_model.csv.
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
[[ $# -eq 2 ]] || { echo "usage: tests/gpu/rates.sh FOLDER_OF_THE_gpx_BINARY OUT" >&2; exit 2; }
gpx=$(realpath "$1")/gpx
mkdir -p "$2"
out=$(realpath "$2")
references=${REFERENCES:-$root/build/gpu}
status=0

# step NAME SECONDS COMMAND...: exit status 1 of gpx is an expectation that failed, not an error.
step() {
  local name=$1 limit=$2 ended
  shift 2
  timeout -k 5 "$limit" "$@" >"$out/$name.out" 2>"$out/$name.err"
  ended=$?
  echo "$name status $ended"
  ((ended <= 1)) || { status=1; tail -n 3 "$out/$name.err" | sed 's/^/    /'; }
}

step rates 150 "$gpx" run "$root/experiments/twin_rates.gpx" --device "${DEVICE:-cuda:0}" \
  --json "$out/rates.json"
step heldout 150 "$gpx" run "$root/experiments/twin_heldout.gpx" --device "${DEVICE:-cuda:0}" \
  --csv "$out/heldout.csv"
step training 150 "$gpx" run "$root/experiments/twin_training.gpx" --device "${DEVICE:-cuda:0}" \
  --csv "$out/training.csv"
step heldout_model 200 "$gpx" run "$root/experiments/twin_heldout.gpx" --device "${MODEL:-h100}" \
  --csv "$out/heldout_model.csv"
if [[ -x $references/rates ]]; then
  timeout -k 5 60 "$references/rates" >"$out/rates.csv" || status=1
else
  echo "no $references/rates: tests/gpu/build.sh builds it" >&2
  status=1
fi
exit "$status"
