#!/usr/bin/env bash
# All GPUs of a host at once: run, operations and characterize on every one against one alone, a GPU
# whose process is killed, one whose process hangs, one beside another process, two that measure each
# other's memory, and the boards compared. At most eight minutes; what is left then is not done.
#
# Usage: tests/gpu/fleet.sh FOLDER_OF_THE_gpx_BINARY OUT
#   DEVICES='cuda:*'    or two virtual boards, A.lua,B.lua: a test of this script
#   SECONDS_OF_ALL=480  QUICK=: any word leaves most groups out
# Writes OUT/STEP.{json,out,err}, OUT/seconds.txt, OUT/fleet.db (the characterizations of all boards, for
# tests/gpu/atlas_records.py) and OUT/fleet.txt, what tests/gpu/fleet_check.py makes of them. The exit
# status is that of the check.
set -uo pipefail
here=$(dirname "$(realpath "$0")")
[[ $# -eq 2 ]] || { echo "usage: tests/gpu/fleet.sh FOLDER_OF_THE_gpx_BINARY OUT" >&2; exit 2; }
gpx=$(realpath "$1")/gpx
mkdir -p "$2"
out=$(realpath "$2")
devices=${DEVICES:-'cuda:*'}
first=cuda:0 second=cuda:1
[[ $devices == cuda* ]] || { first=${devices%,*} second=${devices#*,}; }
end=$((SECONDS + ${SECONDS_OF_ALL:-480}))
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export GPX_CACHE_DIR=$scratch/cache GPX_STORE=off
rm -f "$out"/*.json "$out"/*.out "$out"/*.err "$out"/*.db*
: >"$out/seconds.txt"
all=() operations=()
[[ -z ${QUICK:-} ]] || { all=(--only control); operations=(--only fma.rn); }

left() { echo $((end - SECONDS)); }

# step NAME SECONDS COMMAND...: gpx; a line of seconds.txt has its status and its seconds.
step() {
  local name=$1 limit=$2 start=$EPOCHREALTIME status
  shift 2
  (($(left) > 2)) || { echo "$name skipped: no time left" | tee -a "$out/seconds.txt"; return; }
  timeout -k 12 "$((limit < $(left) ? limit : $(left)))" "$gpx" "$@" >"$out/$name.out" 2>"$out/$name.err"
  status=$?
  echo "$name status $status $(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.2f", b - a }') s" |
    tee -a "$out/seconds.txt"
}

# The process of gpx that measures the second device, a child of process $1.
child_of() { pgrep -P "$1" -f -- "--device $second( |$)"; }

# beside NAME SIGNAL SECONDS COMMAND...: gpx, and a signal to the second device's process after so long.
beside() {
  local name=$1 number=$2 wait=$3 start=$EPOCHREALTIME process child status
  shift 3
  (($(left) > 20)) || { echo "$name skipped: no time left" | tee -a "$out/seconds.txt"; return; }
  "$gpx" "$@" >"$out/$name.out" 2>"$out/$name.err" &
  process=$!
  sleep "$wait"
  child=$(child_of $process)
  [[ -n $child ]] && kill "-$number" $child
  wait $process
  status=$?
  echo "$name status $status $(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.2f", b - a }') s," \
    "signal $number to process '${child//$'\n'/ }' after $wait s" | tee -a "$out/seconds.txt"
}

characterize() {  # NAME SECONDS DEVICE OPTIONS...
  local name=$1 limit=$2 device=$3
  shift 3
  step "$name" "$limit" characterize --device "$device" --json "$out/$name.json" "${all[@]}" "$@"
}

{ "$gpx" --version; "$gpx" devices "$first"; "$gpx" devices "$second"; nvidia-smi topo -m; nvidia-smi; nproc; } \
  >"$out/host.txt" 2>&1

# Boards: kernels compiled first, then from the cache; then one alone.
characterize characterize_cold 75 "$devices" --store "$out/fleet.db" --seed 1
characterize characterize_all 45 "$devices" --store "$out/fleet.db" --seed 2
characterize characterize_one 45 "$first" --store "$out/fleet.db" --seed 3

# Operations and an experiment, the same way.
for what in operations run; do
  case $what in
    operations) words=(operations "${operations[@]}") limit=60 ;;
    run) words=(run kepler_prt --no-store) limit=12 ;;
  esac
  step "${what}_cold" "$limit" "${words[@]}" --device "$devices" --json "$out/${what}_cold.json"
  step "${what}_all" "$limit" "${words[@]}" --device "$devices" --json "$out/${what}_all.json"
  step "${what}_one" "$limit" "${words[@]}" --device "$first" --json "$out/${what}_one.json"
done

# One is killed, then one hangs: SIGSTOP ends nothing, the time limit and 10 s of grace do.
beside killed KILL "${KILL_AFTER:-3}" characterize --device "$devices" --only memory --budget 8 \
  --store "$out/killed.db" --json "$out/killed.json"
beside hung STOP "${STOP_AFTER:-1}" run kepler_prt --device "$devices" --time-limit 4 --no-store \
  --json "$out/hung.json"

# Another process on the second GPU alone.
uuid=$(python3 "$here/fleet_check.py" uuid "$out/characterize_cold.json" 1)
if [[ $devices == cuda* ]] && nvcc -O2 -arch=native -o "$scratch/co_runner" "$here/co_runner.cu"; then
  CUDA_VISIBLE_DEVICES=$uuid "$scratch/co_runner" 40 20 0.5 >/dev/null &
  co_runner=$!
  sleep 1
  step busy 25 characterize --device "$devices" --only memory --budget 18 --no-store --json "$out/busy.json"
  kill $co_runner 2>/dev/null
  wait $co_runner 2>/dev/null
fi

# Each other's memory at once; and one board by two names takes turns.
if [[ $devices == cuda* ]]; then
  step p2p_one 70 run hopper_p2p --set places=1 --device "$first" --no-store --json "$out/p2p_one.json"
  step p2p_all 140 run hopper_p2p --set places=1 --device "$devices" --no-store --json "$out/p2p_all.json"
  CUDA_VISIBLE_DEVICES=$uuid step turn_other 12 run kepler_prt --device cuda:0 --no-store \
    --json "$out/turn_other.json" >/dev/null &
  step turn_own 12 run kepler_prt --device "$second" --no-store --json "$out/turn_own.json"
  wait
fi
characterize characterize_two 45 "$second" --store "$out/fleet.db" --seed 3

echo "processes of gpx left: $(pgrep -f one-of-several | wc -l)" | tee -a "$out/seconds.txt"
"$gpx" fleet compare "$out/fleet.db" >"$out/compare.out" 2>"$out/compare.err"
echo "compare status $?" | tee -a "$out/seconds.txt"
"$gpx" fleet compare "$out/fleet.db" --json >"$out/compare.json" 2>>"$out/compare.err"
python3 "$here/fleet_check.py" check "$out" 2>&1 | tee "$out/fleet.txt"
exit "${PIPESTATUS[0]}"
