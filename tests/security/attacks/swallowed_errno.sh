# What the system refuses is what gpx says: no descriptors, no /proc, no space, a small stack.
echo 'experiment e { sweep threads 32..64 step 32 < load broadcast > }' >e.gpx
for most in 4 5 6 7 8; do
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
# A process that is stopped while it reads a device file took no time for it.
"$GPX" run e.gpx --device k20 --no-store -q >out.txt 2>err.txt &
process=$!
sleep 0.02
kill -STOP $process && sleep 6.5 && kill -CONT $process
wait $process || wrong "stopped for 6.5 s: $(head -n 1 err.txt)"
# A cache that cannot be written changes no byte of a document.
status 0 "$GPX" run e.gpx --device k20 --no-store -q --json one.json
status 0 env GPX_CACHE_DIR=/dev/null/x "$GPX" run e.gpx --device k20 --no-store -q --json two.json
same one.json two.json 'the cache'
