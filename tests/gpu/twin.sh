#!/usr/bin/env bash
# A twin of a GPU in one call: the device file, its exam, its exports. At most three minutes of the
# GPU; the fit of the file and the exam of the model, on the CPU alone, take as long again.
#
# Usage: tests/gpu/twin.sh FOLDER_OF_THE_gpx_BINARY OUT
#   DEVICE=cuda:0   NAME=gpu: what the device file is called
# Writes OUT/NAME.lua with its record, OUT/NAME.json (what was measured: gpx twin --from takes it),
# OUT/held.json (the exam's samples), OUT/exam.out, OUT/NAME.gpgpusim.config, .trace.config and .md.
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
[[ $# -eq 2 ]] || { echo "usage: tests/gpu/twin.sh FOLDER_OF_THE_gpx_BINARY OUT" >&2; exit 2; }
gpx=$(realpath "$1")/gpx
mkdir -p "$2"
out=$(realpath "$2")
device=${DEVICE:-cuda:0}
name=${NAME:-gpu}
status=0

# step NAME SECONDS COMMAND...: what it prints goes to OUT/NAME.out, its errors to OUT/NAME.err.
step() {
  local step=$1 limit=$2 ended
  shift 2
  local begin=$SECONDS
  timeout -k 5 "$limit" "$@" >"$out/$step.out" 2>"$out/$step.err"
  ended=$?
  echo "$step status $ended, $((SECONDS - begin)) s"
  ((ended <= 1)) || { status=1; tail -n 3 "$out/$step.err" | sed 's/^/    /'; }
}

step twin 540 "$gpx" twin --device "$device" -o "$out/$name.lua" --json "$out/$name.json" \
  --budget 110 --verbose
step held 40 "$gpx" run "$root/experiments/twin_heldout.gpx" --device "$device" --no-store -q \
  --json "$out/held.json"
step exam 80 "$gpx" twin --validate "$out/$name.lua" --samples "$out/held.json"
step gpgpusim 5 "$gpx" devices "$out/$name.lua" --export gpgpusim
step accelsim 5 "$gpx" devices "$out/$name.lua" --export accelsim
step markdown 5 "$gpx" devices "$out/$name.lua" --export markdown
mv -f "$out/gpgpusim.out" "$out/$name.gpgpusim.config"
mv -f "$out/accelsim.out" "$out/$name.trace.config"
mv -f "$out/markdown.out" "$out/$name.md"
tail -n 1 "$out/exam.out"
exit "$status"
