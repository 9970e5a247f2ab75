#!/usr/bin/env bash
# Runs every experiment that cites a paper, on the virtual devices, and writes docs/papers.md from what they gave: minutes.
# papers.sh GPX GPX_PAPERS FOLDER: documents that are in FOLDER already, newer than gpx and what it reads, are not made again.
set -euo pipefail
gpx=$1 papers=$2 folder=$3
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
mkdir -p "$folder"
export CUDA_VISIBLE_DEVICES= GPX_STORE=
export gpx folder

# A status of 1 says that an expectation fails: that is in the document, and in the table.
make_document() {
  local document=$folder/$1.json
  shift
  [ "$document" -nt "$gpx" ] && [ -z "$(find stdlib experiments -newer "$document" -print -quit)" ] && return
  "$gpx" "$@" --json "$document" --quiet || [ $? -eq 1 ] || { echo "failed: gpx $*" >&2; return 1; }
}
export -f make_document

{
  # Rows of `hopper` are published values of recent GPUs, which no virtual device reproduces.
  for file in $(grep -l '^ *cite ' experiments/*.gpx | xargs grep -L '^ *cite *hopper '); do
    echo "$(basename "$file" .gpx) run $file"
  done
  for device in gtx280 gtx560ti gtx780; do
    echo "characterize-$device characterize --device $device"
  done
} | xargs -P "$(nproc)" -L 1 bash -c 'make_document "$@"' -
"$papers" tests/docs/catalogue.txt "$folder"/*.json >"$folder/papers.md"
mv "$folder/papers.md" docs/papers.md
