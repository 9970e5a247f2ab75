#!/usr/bin/env bash
# standalone.sh GPX: the tutorial with a gpx that stands alone: in a folder of its own as the root,
# with the C library, a shell, a few of its tools and the NVRTC library, but without a checkout, a
# toolkit or a home of anybody. The commands print what they print outside. Needs root.
set -euo pipefail
gpx=$(readlink -f "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
say() { echo "standalone: $*" >&2; }
[ "$(id -u)" -eq 0 ] || { say "needs root, for chroot"; exit 3; }
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
root=$work/root

put() {  # put FILE PLACE: with the libraries that it needs
  mkdir -p "$root$(dirname "$2")"
  cp -L "$1" "$root$2"
  local library
  { ldd "$1" 2>/dev/null || true; } | { grep -o '/[^ ]*' || true; } | while read -r library; do
    [ -e "$root$library" ] && continue
    mkdir -p "$root$(dirname "$library")"
    cp -L "$library" "$root$library"
  done
}
put "$gpx" /usr/bin/gpx
for tool in bash sh env cat cp ls mkdir rm sed head tail grep; do
  put "$(type -P "$tool")" "/usr/bin/$tool"
done
ln -s usr/bin "$root/bin"
mkdir -p "$root/tmp" "$root/home" "$root/proc" "$root/dev"
for device in null zero urandom; do cp -a "/dev/$device" "$root/dev/$device"; done

nvrtc=$("$gpx" doctor | sed -n 's/^compiler *NVRTC [^(]*(\([^)]*\)).*/\1/p')
[ -n "$nvrtc" ] || { say "NVRTC is not here"; exit 3; }
put "$(readlink -f "$nvrtc")" "/opt/nvrtc/$(basename "$nvrtc")"
for part in "$(dirname "$nvrtc")"/libnvrtc-builtins.so.*; do
  put "$part" "/opt/nvrtc/$(basename "$part")"
done

# The tutorial's files and commands. The build and doctor's words about this machine are left out.
awk '
  /^```/ && open { if (file) print "GPX_END"; open = file = console = 0; next }
  /^```/ { open = 1; console = $1 == "```console" && !/gpu|browser|minutes/; file = NF == 2 && !console
           if (file) print "cat > " $2 " <<\"GPX_END\""; next }
  file { print }
  console && sub(/^\$ /, "") && !/^\.\/dev|^export|doctor/ { print; print "echo \"status $?\"" }
' "$here/../../docs/tutorial.md" >"$work/commands"
commands=$(grep -c '^gpx ' "$work/commands") || true
[ "$commands" -ge 10 ] || { say "the tutorial has lost its commands"; exit 1; }

# The library must be the program's own: none lies beside it in either place.
mkdir -p "$work/outside/home" "$work/outside/bin" "$root/home/tutorial" "$work/outside/home/tutorial"
cp "$gpx" "$work/outside/bin/gpx"
cp "$work/commands" "$root/home/commands"
status=0
(cd "$work/outside/home/tutorial" && env -i HOME="$work/outside/home" GPX_NVRTC="$nvrtc" \
  PATH="$work/outside/bin:/usr/bin:/bin" bash "$work/commands") >"$work/expected" 2>&1 || status=$?
if mount -t proc proc "$root/proc" 2>/dev/null; then
  trap 'umount "$root/proc"; rm -rf --one-file-system "$work"' EXIT
fi
chroot "$root" /usr/bin/env -i HOME=/home GPX_NVRTC="/opt/nvrtc/$(basename "$nvrtc")" \
  LD_LIBRARY_PATH=/opt/nvrtc PATH=/usr/bin bash -c 'cd /home/tutorial && bash ../commands' \
  >"$work/seen" 2>&1 || status=$?
[ $status = 0 ] || { say "the commands failed"; tail -n 20 "$work/seen" >&2; exit 1; }
# Of the list of runs: their names and times.
for file in expected seen; do
  sed -i -E 's/[0-9a-f]{8}  [0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}/RUN  TIME/' "$work/$file"
done
diff "$work/expected" "$work/seen" >&2 || { say "the outputs above differ"; exit 1; }
! grep -q '^status [^01]' "$work/seen" || { cat "$work/seen" >&2; say "a command failed"; exit 1; }
say "passed: $commands commands of the tutorial"
