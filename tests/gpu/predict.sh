#!/usr/bin/env bash
# The kernels of tests/kernels/predict, or of the folder KERNELS, on a GPU: the time of each, and what
# Nsight Compute counts. At most eight minutes; what is left then is missing in what comes back.
# Without ncu, or without the permission to read counters, there are times alone. Rows that are no
# experiments are programs for nvcc.
#
# Usage: tests/gpu/predict.sh FOLDER_OF_THE_gpx_BINARY OUT
#   DEVICE=cuda:0   JOBS=4   SECONDS_OF_ALL=470   TIMES=1, COUNTERS=1: 0 leaves them out
#   METRICS=...: what ncu counts, in place of what one pass counts
#   KERNELS=tests/kernels/predict
# Writes OUT/times.csv, OUT/counters.csv, OUT/device.txt, OUT/log.txt: docs/results/predict has them.
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
gpx=$(realpath "$1")/gpx
mkdir -p "$2"
out=$(realpath "$2")
device=${DEVICE:-cuda:0}
end=$((SECONDS + ${SECONDS_OF_ALL:-470}))
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export GPX_CACHE_DIR=$scratch/cache
log=$out/log.txt
table=$root/tests/gpu/predict_rows.py
times=$scratch/times counters=$scratch/counters
mkdir -p "$times" "$counters"

left() { echo $((end - SECONDS > 1 ? end - SECONDS : 1)); }

python3 "$table" check | tee "$log" || exit 1
python3 "$table" experiments "$scratch/rows"
nvcc=$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")
find "$scratch/rows" -name '*.cu' | sed 's/[.]cu$//' |
  xargs -r -P "${JOBS:-4}" -I ROW timeout -k 5 120 "$nvcc" -std=c++17 -O3 -arch=native -o ROW ROW.cu 2>>"$log"
{ "$gpx" --version; "$gpx" devices "$device"; nvidia-smi; } >"$out/device.txt" 2>&1

# Times: one process after the other, so that no kernel has a neighbour. A family is one process; where
# it fails or takes more than a minute, each of its rows is one.
measure() {  # SECONDS NAME
  local most=$(($1 < $(left) ? $1 : $(left)))
  timeout -k 5 "$most" "$gpx" run "$scratch/rows/$2.gpx" --device "$device" -q --no-store \
    --csv "$times/$2.csv" >>"$log" 2>&1
}
for family in "$scratch"/rows/*.family.gpx; do
  ((${TIMES:-1})) || break
  name=$(basename "$family" .family.gpx)
  measure 60 "$name.family" || {
    echo "$name: status $?, its rows apart" | tee -a "$log"
    rm -f "$times/$name.family.csv"
    for row in $(sed -n 's/^experiment \([^ ]*\).*/\1/p' "$family"); do
      measure 10 "$row" || echo "$row: status $?" | tee -a "$log"
    done
  }
  nvidia-smi --query-gpu=clocks.sm,clocks.mem,temperature.gpu --format=csv,noheader -i "${device#cuda:}" \
    2>/dev/null | sed "s/^/$name: /" >>"$out/device.txt"
done
for program in "$scratch"/rows/*.cu; do
  program=${program%.cu}
  ((${TIMES:-1})) && [[ -x $program ]] || continue
  CUDA_VISIBLE_DEVICES=${device#cuda:} timeout -k 5 "$(left)" "$program" \
    >"$times/$(basename "$program").csv" 2>>"$log" || echo "$program: status $?" | tee -a "$log"
done
python3 "$table" gather "$times" "$counters" "$out" | tee -a "$log"

# Counters: of the third launch, by metrics that an H200 counts in one pass. With several, ncu restores
# memory before each, and bytes of DRAM are then those of a launch that finds other data in L2.
# The kernel is launched for 50 ms before it is timed; ncu ends the process as soon as it has counted.
# The processes take turns, since gpx times nothing beside another one.
((${COUNTERS:-1})) || exit 0
ncu=$(command -v ncu || echo "${CUDA_HOME:-/usr/local/cuda}/bin/ncu")
[[ -x $ncu ]] || { echo "no ncu: no counters" | tee -a "$log"; exit 0; }
metrics=${METRICS:-gpu__time_duration.sum,dram__bytes_read.sum,dram__bytes_write.sum,lts__t_sectors_op_read.sum,lts__t_sectors_op_write.sum,smsp__inst_executed.sum,sm__cycles_elapsed.max}

count() {  # METRICS NAME FUNCTION
  local launch=("$gpx" run "$scratch/rows/$2.gpx" --device "$device" -q --no-store)
  [[ -x $scratch/rows/$2 ]] && launch=(env CUDA_VISIBLE_DEVICES="${device#cuda:}" "$scratch/rows/$2")
  timeout -k 5 60 "$ncu" --csv --page raw --print-units base --target-processes all \
    --cache-control none --clock-control none --metrics "$1" -k "regex:$3" --launch-skip 2 \
    --launch-count 1 --kill yes "${launch[@]}" \
    >"$counters/$2.once.ncu" 2>"$counters/$2.errors"
}
export -f count
export ncu gpx scratch counters device
names=$(python3 "$table" names)
timeout -k 5 "$(left)" xargs -P "${JOBS:-4}" -L 1 bash -c 'count "$@"' count "$metrics" <<<"$names"
if grep -q ERR_NVGPUCTRPERM "$counters"/*.ncu; then
  echo "no permission to read counters" | tee -a "$log"
fi
sort "$counters"/*.errors 2>/dev/null | uniq -c | sort -rn | head -20 >>"$log"
python3 "$table" gather "$times" "$counters" "$out" | tee -a "$log"
