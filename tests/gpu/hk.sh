#!/usr/bin/env bash
# The MWP/CWP model on a machine with a GPU: the fit over the micro-benchmarks, then the six kernels with
# the fitted parameters; and the kernels' results against plain C++. About two minutes.
#
# Usage: tests/gpu/hk.sh FOLDER_OF_THE_gpx_BINARY OUT
#   BANDWIDTH=3.35e12      of the memory, B/s
#   REFERENCES=build/gpu   the programs of tests/gpu/build.sh
#   DEVICE=cuda:0
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
gpx=$(realpath "$1")/gpx
mkdir -p "$2"
out=$(realpath "$2")
device=${DEVICE:-cuda:0}
bandwidth=${BANDWIDTH:-3.35e12}
references=${REFERENCES:-$root/build/gpu}
status=0

# part NAME [--set NAME=VALUE]...: the experiment hk_real_NAME alone.
part() {
  local name=$1
  shift
  awk -v name="hk_real_$name" '/^experiment / { inside = $2 == name } inside' "$root/tests/gpu/hk.gpx" \
    >"$out/$name.gpx"
  timeout -k 5 100 "$gpx" run "$out/$name.gpx" --device "$device" --json "$out/$name.json" "$@" \
    >"$out/$name.out" 2>"$out/$name.err"
  local ended=$?
  ((ended > 1)) && { status=1; tail -n 5 "$out/$name.err"; }
  grep 'model\.' "$out/$name.out"
}

part micro --set "bandwidth=$bandwidth"
value() {
  python3 -c 'import json, sys
findings = json.load(open(sys.argv[1]))["experiments"][0]["findings"]
found = [f["value"] for f in findings if f["name"] == sys.argv[2] and f["value"] is not None]
print(found[0] if found else sys.argv[3])' "$out/micro.json" "$1" "$2"
}
part kernels --set "bandwidth=$bandwidth" --set "mem_ld=$(value model.mem_ld 700)" \
  --set "departure_uncoal=$(value model.departure_uncoal 0)" \
  --set "departure_coal=$(value model.departure_coal 0)" \
  --set "issue=$(value model.issue_cycles 0.3)"
if [[ -x $references/library_kernels ]]; then
  timeout -k 5 30 "$references/library_kernels" | tee "$out/library_kernels.txt" || status=1
fi
exit "$status"
