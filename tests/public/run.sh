#!/usr/bin/env bash
# How many kernels of a folder run: tests/public/run.sh GPX [DIR | --every N] [OPTIONS of gpx try...].
# Without DIR the kernels beside this script, of which 98 % must run; --every N: of every Nth file.
set -euo pipefail
gpx=$1
shift
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
own=$here/kernels
folder=$own
if [ $# -gt 0 ] && [ "${1#-}" = "$1" ]; then
  folder=$1
  shift
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
json=$work/outcomes.json
tried=$folder
if [ "${1:-}" = --every ]; then
  tried=$work/kernels
  cp -r "$folder" "$tried"
  find "$tried" -name '*.cu' | LC_ALL=C sort | awk -v n="$2" '(NR - 1) % n' | xargs -d '\n' rm
  shift 2
fi
"$gpx" try "$tried" --json "$json" "$@"
[ "$folder" = "$own" ] || exit 0
python3 - "$json" <<'PY'
import json, sys
totals = json.load(open(sys.argv[1]))["try"]["totals"]
every = sum(totals.values())
print(f"{totals['runs']} of {every} run")
sys.exit(0 if every > 0 and totals["runs"] >= 0.98 * every else 1)
PY
