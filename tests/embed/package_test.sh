#!/usr/bin/env bash
# package_test.sh GPX.deb: installs the package in a fresh Debian with nothing else than the CUDA
# toolkit, runs an experiment there, builds the example of docs/embedding.md with what the package
# suggests, and removes it again. Needs root, debootstrap, the network (fresh_debian.sh).
set -euo pipefail
package=$(readlink -f "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../fresh_debian.sh"

cp "$package" "$root/gpx.deb"
inside apt-get install -y --no-install-recommends /gpx.deb >/dev/null
say "installed; all that gpx needs to be told where is:"
inside gpx doctor
inside gpx run /usr/share/gpx/experiments/scoreboard_limit.gpx --no-plot
say "an experiment passed; the example, against the library:"
inside apt-get install -y --no-install-recommends g++ cmake ninja-build libfmt-dev libxxhash-dev \
  libzstd-dev liblua5.4-dev >/dev/null
cp -r "$here/example" "$root/root/example"
inside sh -c 'cmake -S /root/example -B /root/build -G Ninja >/dev/null && ninja -C /root/build >/dev/null'
inside /root/build/example
inside dpkg --purge gpx >/dev/null
left=$(find "$root"/usr/bin/gpx "$root"/usr/share/gpx "$root"/usr/include/gpx 2>/dev/null || true)
[ -z "$left" ] || { say "left behind: $left"; exit 1; }
say "passed"
