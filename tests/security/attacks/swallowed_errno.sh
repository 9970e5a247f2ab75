# What the system refuses is what gpx says: no descriptors, no /proc, no space, a small stack.
echo 'experiment e { sweep threads 32..64 step 32 < load broadcast > }' >e.gpx
for most in 4 5 6 7 8; do
  bash -c "ulimit -n $most; '$GPX' --version" >/dev/null 2>&1 || continue  # the loader needs some
  status '[023]' bash -c "ulimit -n $most; exec '$GPX' run kepler_prt --no-store -q"
  ! grep -q 'is named' err.txt || wrong "ulimit -n $most: $(head -n 1 err.txt)"
  [[ $(tail -n 1 err.txt) == '' || -s err.txt ]] || wrong "silent with ulimit -n $most"
done
status '[023]' bash -c "ulimit -f 2; exec '$GPX' run e.gpx --device k20 --no-store --json o.json"
for kilobytes in 64 128 1024; do
  status 0 bash -c "ulimit -s $kilobytes; exec '$GPX' run kepler_prt --no-store -q"
done
if unshare -rmpf --mount-proc true 2>/dev/null; then
  status 0 unshare -rmpf bash -c \
    "mount -t tmpfs none /proc && exec '$GPX' run e.gpx --device k20 --no-store -q --json v.json"
  [[ -s v.json ]] || wrong 'no document without /proc'
fi
# A process that is stopped while it reads a device file took no time for it. When it reads is not
# known: six processes are stopped, each a little later.
devices=$(dirname "${BASH_SOURCE[0]}")/../../../stdlib/devices
{ echo 'for _ = 1, 9e5 do end'; sed 's/"k20"/"slow"/' "$devices/k20.lua"; } >slow.lua
processes=()
for wait in 0.004 0.008 0.012 0.016 0.02 0.03; do
  "$GPX" run e.gpx --device slow.lua --no-store -q >out.txt 2>"err$wait.txt" &
  processes+=($!)
  sleep "$wait"
  kill -STOP $! 2>/dev/null
done
sleep 6.5
kill -CONT "${processes[@]}" 2>/dev/null
for process in "${processes[@]}"; do
  wait "$process" || wrong "stopped for 6.5 s: $(cat err0*.txt | head -n 1)"
done
# A cache that cannot be written changes no byte of a document.
status 0 "$GPX" run e.gpx --device k20 --no-store -q --json one.json
status 0 env GPX_CACHE_DIR=/dev/null/x "$GPX" run e.gpx --device k20 --no-store -q --json two.json
same one.json two.json 'the cache'
