#!/usr/bin/env bash
# What judges a model of a GPU and took no part in making it, on a GPU, in one call of at most seven
# minutes: the experiments of sealed.gpx twice, then times and counters of tests/kernels/heldback.
# Both lists are checked against their hashes first. unseen.sh and fresh.sh measure other lists, and
# EXPERIMENTS=novel the experiments of novel.gpx.
#
# Usage: tests/gpu/heldback.sh FOLDER_OF_THE_gpx_BINARY OUT
#   DEVICE=cuda:0   JOBS=8   SECONDS_OF_ALL=410   EXPERIMENTS=sealed   KERNELS=tests/kernels/heldback
#   SECONDS_OF_PASS=70: of all experiments   SECONDS_OF_KERNELS=200: left for the kernels where
#   experiments run one after the other
# Writes OUT/sealed1.csv, OUT/sealed2.csv, and what predict.sh writes. A virtual GPU beside it:
#   gpx run tests/gpu/sealed.gpx --device h200 -q --no-store --csv virtual.csv
#   python3 tests/gpu/twin_points.py OUT/sealed1.csv virtual.csv
#   KERNELS=tests/kernels/heldback python3 tests/gpu/predict_bench.py GPX --device h200 --records OUT
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
[[ $# -eq 2 ]] || { echo "usage: tests/gpu/heldback.sh FOLDER_OF_THE_gpx_BINARY OUT" >&2; exit 2; }
folder=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
device=${DEVICE:-cuda:0}
end=$((SECONDS + ${SECONDS_OF_ALL:-410}))
list=${EXPERIMENTS:-sealed}
sealed=$root/tests/gpu/$list.gpx
export KERNELS=${KERNELS:-tests/kernels/heldback}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

hash=$(grep -v '^#' "$sealed" | sha256sum | cut -d ' ' -f 1)
grep -qx "# sha256 $hash" "$sealed" || { echo "$list.gpx was changed: its hash is $hash" >&2; exit 1; }
python3 "$root/tests/gpu/predict_rows.py" check || exit 1

run() {  # SECONDS FILE CSV
  GPX_CACHE_DIR=$scratch/cache timeout -k 5 "$1" "$folder/gpx" run "$2" --device "$device" -q --no-store \
    --csv "$3" 2>>"$out/$list.log"
}

# One experiment after the other, where the file as a whole does not run.
run_apart() {  # PASS
  local file
  mkdir -p "$scratch/apart" "$scratch/$1"
  awk -v folder="$scratch/apart" '/^#/ { next } /^experiment / { file = folder "/" $2 ".gpx" }
    file { print >file }' "$sealed"
  for file in "$scratch"/apart/*.gpx; do
    run 10 "$file" "$scratch/$1/$(basename "$file" .gpx).csv" ||
      echo "$(basename "$file" .gpx): status $?" | tee -a "$out/$list.log"
    ((SECONDS < end - ${SECONDS_OF_KERNELS:-200})) || break
  done
  python3 - "$scratch/$1" "$out/$list$1.csv" <<'PYTHON'
import csv, pathlib, sys
rows = [row for file in sorted(pathlib.Path(sys.argv[1]).glob("*.csv")) for row in csv.DictReader(file.open())]
names = list(dict.fromkeys(name for row in rows for name in row))
with open(sys.argv[2], "w", newline="") as file:
    writer = csv.DictWriter(file, names, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
PYTHON
}

for pass in 1 2; do
  begin=$SECONDS
  run "${SECONDS_OF_PASS:-70}" "$sealed" "$out/$list$pass.csv"
  status=$?
  ((status <= 1)) || run_apart "$pass"
  echo "$list $pass: status $status, $((SECONDS - begin)) s, $(wc -l <"$out/$list$pass.csv") lines"
done
SECONDS_OF_ALL=$((end - SECONDS)) JOBS=${JOBS:-8} \
  bash "$root/tests/gpu/predict.sh" "$folder" "$out"
