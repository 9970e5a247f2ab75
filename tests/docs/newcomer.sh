#!/usr/bin/env bash
# A newcomer's path: Debian's base and the CUDA toolkit, this commit, the README's first command, then every command of the documents.
# Needs root (chroot, bind mounts), debootstrap and the network. The last line says whether all passed.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cuda=$(readlink -f "${CUDA_HOME:-/usr/local/cuda}")
root=$(mktemp -d /tmp/gpx-newcomer-XXXXXX)

leave() {
  for folder in proc dev usr/local/cuda; do
    mountpoint -q "$root/$folder" && umount "$root/$folder"
  done
  # Never into a mount that is still there.
  findmnt -rno TARGET | grep -q "^$root/" || rm -rf --one-file-system "$root"
}
trap leave EXIT

debootstrap --variant=minbase bookworm "$root" http://deb.debian.org/debian >"$root.log" ||
  { tail -n 5 "$root.log" >&2; exit 3; }
rm -f "$root.log"
cp /etc/resolv.conf "$root/etc/resolv.conf"
mkdir -p "$root/usr/local/cuda" "$root/gpx"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount --bind -o ro "$cuda" "$root/usr/local/cuda"
git -C "$source" archive HEAD | tar -x -C "$root/gpx"

newcomer() { chroot "$root" env -i HOME=/root PATH=/usr/bin:/bin:/usr/sbin:/sbin TERM=dumb "$@"; }
newcomer /gpx/dev gpx --version
newcomer /gpx/dev docs
echo "a newcomer's path: all commands of the documents passed"
