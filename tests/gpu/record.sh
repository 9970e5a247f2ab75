#!/usr/bin/env bash
# Records the machine code that tests/codegen/timed_body_test.cpp reads, on a machine with a GPU and
# nvdisasm: every operation as a chain of eight executions, and some in four streams.
# Usage: tests/gpu/record.sh FOLDER_OF_THE_gpx_BINARY OUT    (then copy OUT/*.sass to the goldens)
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
gpx=$(realpath "$1")/gpx
mkdir -p "$2"
out=$(realpath "$2")
nvdisasm=$(command -v nvdisasm || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvdisasm")
golden=$root/tests/codegen/golden

names() { sed -n 's/^GPX_OPERATION("\([^"]*\)".*/\1/p' "$root/lang/operations.def"; }
sections() { sed -n 's,^// ,,p' "$1"; }

# record FILE SUFFIX REGION NAME...: a kernel for each name; one whose machine code is refused is
# recorded too, so the run's status does not count.
record() {
  local file=$1 suffix=$2 region=$3 list
  shift 3
  export GPX_CACHE_DIR=$out/cache.$suffix
  list=$(printf '%s, ' "$@")
  echo "experiment record { sweep op in [${list%, }] threads 32 < $region > }" >"$out/record.gpx"
  "$gpx" run "$out/record.gpx" --device cuda -q --json "$out/record.json" || true
  python3 "$root/tests/gpu/cubins.py" "$GPX_CACHE_DIR" "$out/cubins.$suffix" >"$out/cubins.txt"
  for cubin in "$out/cubins.$suffix"/*.cubin; do "$nvdisasm" -c "$cubin" >"$cubin.sass"; done
  python3 "$root/tests/gpu/listings.py" "$out/cubins.$suffix" "$suffix" "$@" >"$out/$file"
  rm -rf "$GPX_CACHE_DIR" "$out/cubins.$suffix" "$out"/record.* "$out/cubins.txt"
}

record operations_x8.sm_90.sass _x8_streams1_rehearsed 'op x8 chain' $(names)
record operations_x8_streams4.sm_90.sass _x8_streams4_rehearsed 'op x8 streams 4' \
  $(sections "$golden/operations_x8_streams4.sm_90.sass")

export GPX_CACHE_DIR=$out/cache
echo 'threads 1024 < load unique(128B) x3 >' >"$out/load.gpx"
"$gpx" run "$out/load.gpx" --device cuda -q --json "$out/load.json"
python3 "$root/tests/gpu/cubins.py" "$GPX_CACHE_DIR" "$out/load" >/dev/null
"$nvdisasm" -c "$out"/load/*.cubin >"$out/load_unique_4B_x3.sm_90.sass"
rm -rf "$GPX_CACHE_DIR" "$out"/load "$out"/load.*
