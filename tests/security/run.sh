#!/usr/bin/env bash
# Attacks on gpx, each a file of attacks/: what a hostile or unlucky user, file or machine does, and
# what gpx must answer. Each runs in an empty folder with a cache and a store of its own.
# Usage: tests/security/run.sh FOLDER_OF_GPX [ATTACK...]
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export LC_ALL=C.UTF-8  # Bash writes \u202E only where the locale has it.
export GPX=$(realpath "$1")/gpx
shift
failed=0
for attack in "${@:-$here/attacks/*.sh}"; do
  for file in $attack; do
    [[ -e $file ]] || file=$here/attacks/$file.sh
    folder=$(mktemp -d)
    begin=$EPOCHREALTIME
    (cd "$folder" && GPX_CACHE_DIR=$folder/.cache HOME=$folder GPX_STORE=$folder/.runs.db \
      bash -c "set -uo pipefail; source '$here/checks.sh'; source '$file'; finish") || failed=1
    awk -v a="$begin" -v b="$EPOCHREALTIME" -v n="$(basename "$file" .sh)" \
      'BEGIN { printf "%-16s %.1f s\n", n, b - a }'
    chmod -R u+w "$folder"
    rm -rf "$folder"
  done
done
exit "$failed"
