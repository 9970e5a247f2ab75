#!/usr/bin/env bash
# The program that ./dev run builds gives the documents that gpx run gives, with one device and with
# several, each of which is a process of its own; and the store keeps its runs.
#
# Usage: tests/cli/run_alone.sh gpx-run gpx
set -euo pipefail
alone=$1 whole=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export GPX_STORE=$scratch/runs.db GPX_CACHE_DIR=$scratch/cache

for devices in k20 k20,gtx780; do
  "$alone" run kepler_prt --device "$devices" --json "$scratch/alone.json" >"$scratch/alone.txt"
  "$whole" run kepler_prt --device "$devices" --json "$scratch/whole.json" >"$scratch/whole.txt" --no-store
  diff <(grep -v "\"seconds\"" "$scratch/alone.json") <(grep -v "\"seconds\"" "$scratch/whole.json")
  diff <(grep -v '^kept as run\|^one table of them' "$scratch/alone.txt") "$scratch/whole.txt"
done
# The two processes keep their runs at once: which comes first is theirs to say.
kept=$(grep '^kept as run' "$scratch/alone.txt")
case $kept in
  'kept as run 2 (k20), run 3 (gtx780)' | 'kept as run 3 (k20), run 2 (gtx780)') ;;
  *) echo "this says where the runs are kept: $kept"; exit 1 ;;
esac
runs=$("$whole" runs)
[ "$(grep -c kepler_prt <<<"$runs")" -eq 3 ] || { echo "three runs should be kept: $runs"; exit 1; }
