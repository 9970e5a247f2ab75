#!/usr/bin/env bash
# package_test.sh GPX.deb: installs the package in a fresh Debian with nothing else than the CUDA
# toolkit, runs an experiment there, builds the example of docs/embedding.md with what the package
# suggests, and removes it again. Needs root (chroot, mounts of its own), debootstrap, the network.
set -euo pipefail
package=$(readlink -f "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cuda=$(readlink -f "${CUDA_HOME:-/usr/local/cuda}")
say() { echo "package_test: $*" >&2; }

# In a name space of its own: the mounts go when this script ends, however it ends.
if [ -z "${GPX_OWN_MOUNTS:-}" ]; then
  [ "$(id -u)" -eq 0 ] || { say "needs root"; exit 3; }
  GPX_ROOT=$(mktemp -d /tmp/gpx-package-XXXXXX)
  export GPX_ROOT
  trap 'rm -rf --one-file-system "$GPX_ROOT"' EXIT
  GPX_OWN_MOUNTS=1 unshare --mount --propagation private "$0" "$package"
  exit
fi

root=$GPX_ROOT
debootstrap --variant=minbase "${GPX_SUITE:-bookworm}" "$root" http://deb.debian.org/debian \
  >"$root.log" 2>&1 || { tail -n 5 "$root.log" >&2; exit 3; }
rm -f "$root.log"
cp /etc/resolv.conf "$root/etc/resolv.conf"
mkdir -p "$root$cuda"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --bind -o ro "$cuda" "$root$cuda"
ln -sfn "$cuda" "$root/usr/local/cuda" 2>/dev/null || true

inside() {
  chroot "$root" env -i HOME=/root PATH=/usr/bin:/bin:/usr/sbin:/sbin \
    DEBIAN_FRONTEND=noninteractive "$@"
}
cp "$package" "$root/gpx.deb"
inside apt-get install -y --no-install-recommends /gpx.deb >/dev/null
say "installed; all that gpx needs to be told where is:"
inside gpx doctor
inside gpx run /usr/share/gpx/experiments/scoreboard_limit.gpx --no-plot
say "an experiment passed; the example, against the library:"
inside apt-get install -y --no-install-recommends g++ cmake ninja-build libfmt-dev libxxhash-dev \
  liblua5.4-dev >/dev/null
cp -r "$here/example" "$root/root/example"
inside sh -c 'cmake -S /root/example -B /root/build -G Ninja >/dev/null && ninja -C /root/build >/dev/null'
inside /root/build/example
inside dpkg --purge gpx >/dev/null
left=$(find "$root"/usr/bin/gpx "$root"/usr/share/gpx "$root"/usr/include/gpx 2>/dev/null || true)
[ -z "$left" ] || { say "left behind: $left"; exit 1; }
say "passed"
