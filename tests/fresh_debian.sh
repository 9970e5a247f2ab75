# A fresh Debian with nothing but its base and the CUDA toolkit (GPX_FRESH_TOOLKIT=no: its base
# alone), for the script that sources this (docs/newcomer.sh, embed/package_test.sh). It goes on in a
# name space of its own, so that the mounts go when it ends, however it ends; then $root is
# the folder and `inside COMMAND…` runs a command in it. Needs root, debootstrap and the network.
say() { echo "$(basename "$0" .sh): $*" >&2; }

if [ -z "${GPX_FRESH_ROOT:-}" ]; then
  [ "$(id -u)" -eq 0 ] || { say "needs root"; exit 3; }
  GPX_FRESH_ROOT=$(mktemp -d /tmp/gpx-fresh-XXXXXX)
  export GPX_FRESH_ROOT
  trap 'rm -rf --one-file-system "$GPX_FRESH_ROOT" "$GPX_FRESH_ROOT.log"' EXIT
  unshare --mount --propagation private "$0" "$@"
  exit
fi

root=$GPX_FRESH_ROOT
chmod 755 "$root"  # Tests run programs as other users.
suite=${GPX_SUITE:-bookworm}
cuda=$(readlink -f "${CUDA_HOME:-/usr/local/cuda}")
# From where this machine has its own packages; else from where debootstrap thinks.
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' \
  "Codename: $suite" 2>/dev/null | sed -n 1p)
debootstrap --variant=minbase "$suite" "$root" ${mirror:+"$mirror"} >"$root.log" 2>&1 ||
  { tail -n 5 "$root.log" >&2; exit 3; }
cp /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
if [ "${GPX_FRESH_TOOLKIT:-}" != no ]; then
  mkdir -p "$root$cuda"
  mount --bind -o ro "$cuda" "$root$cuda"
  [ -e "$root/usr/local/cuda" ] || ln -s "$cuda" "$root/usr/local/cuda"
fi

inside() {
  chroot "$root" env -i HOME=/root PATH=/usr/bin:/bin:/usr/sbin:/sbin TERM=dumb \
    DEBIAN_FRONTEND=noninteractive "$@"
}
