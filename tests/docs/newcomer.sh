#!/usr/bin/env bash
# newcomer.sh [--without-toolkit] [COMMAND…]: a newcomer's path, with this commit, in a fresh Debian that
# has the CUDA toolkit, or has it not: the README's commands as they stand there, the commands of all documents, and then, for
# each COMMAND, ./dev COMMAND (`test`: build everything, run all tests; half an hour of two cores).
# Before each of the README's commands stands how many seconds have passed.
# GPX_CCACHE=FOLDER keeps what was compiled for the next time. The last line says that all passed.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ "${1:-}" = --without-toolkit ]; then
  export GPX_FRESH_TOOLKIT=no
  shift
fi
source "$here/../fresh_debian.sh"

mkdir "$root/gpx"
git -C "$here/../.." archive HEAD | tar -x -C "$root/gpx"
if [ -n "${GPX_CCACHE:-}" ]; then
  mkdir -p "$GPX_CCACHE" "$root/root/.cache/ccache"
  mount --bind "$GPX_CCACHE" "$root/root/.cache/ccache"
fi

# The blocks that are not for minutes; what one of them says that it needs is a Debian package.
awk '/^```console/ { on = !/minutes|gpu|browser/; next } /^```/ { on = 0 } on && sub(/^\$ /, "")' \
  "$root/gpx/README.md" >"$root/gpx/readme.sh"
[ "$(wc -l <"$root/gpx/readme.sh")" -ge 5 ] || { say "the README has lost its commands"; exit 1; }
inside apt-get install -y --no-install-recommends gnuplot-nox >"$root.log" 2>&1 ||
  { tail -n 5 "$root.log" >&2; exit 3; }
inside bash -c 'cd /gpx && PS4="+ \$SECONDS s: " && set -eux && . ./readme.sh' || { say "a command of the README failed"; exit 1; }
for command in docs "$@"; do
  inside sh -c "cd /gpx && ./dev $command" || { say "./dev $command failed"; exit 1; }
done
echo "a newcomer's path: passed: the README's $(wc -l <"$root/gpx/readme.sh") commands, ./dev docs" "$@"
