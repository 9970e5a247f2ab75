#!/bin/sh
# Records the log of probes of a whole characterization of a GPU, for tests/data/probes/, and replays it: its
# findings must come out as they were found. Usage: probes.sh GPX NAME [OUTPUT-FOLDER]
# Writes NAME.probes.zst (at most 5 MB), NAME.json, and NAME.txt with the size and the time of the replay.
set -eu
gpx=$1 name=$2
out=${3:-.}
mkdir -p "$out"
store=$out/$name.db
rm -f "$store" "$store"-*

"$gpx" characterize --device cuda --store "$store" --quiet --json "$out/$name.json"
"$gpx" export last --store "$store" --probes -o "$out/$name.probes.zst"
{
  echo "bytes: $(wc -c <"$out/$name.probes.zst")"
  start=$(date +%s)
  "$(dirname "$0")/../probes_judge.py" "$gpx" "$out/$name.probes.zst"
  echo "seconds of the replay: $(($(date +%s) - start))"
} | tee "$out/$name.txt"
rm -f "$store" "$store"-*
