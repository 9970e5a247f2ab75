# Readers that stop, kills and files without an end: nothing is lost, nothing is left.
cat >e.gpx <<'GPX'
experiment e { sweep threads 32..1024 step 32 repeat 400 < load unique(128B) > }
GPX
"$GPX" run e.gpx --device k20 -q --json - 2>err.txt | head -c 10 >out.txt
status 0 "$GPX" runs --json
prints '"status": "complete"'

cat >long.gpx <<'GPX'
experiment e { sweep threads 32..1024 step 1 repeat 1000 < load unique(128B) x 32 > }
GPX
for _ in 1 2 3; do
  "$GPX" run long.gpx --device k20 -q --json o.json --no-store >/dev/null 2>&1 &
  pid=$!
  sleep 0.4
  kill -9 $pid
  wait $pid 2>/dev/null
done
[[ -z $(ls | grep '^o\.json') ]] || wrong "a kill left $(ls | grep '^o\.json' | tr '\n' ' ')"

# A file without an end, in an address space of 4 GB.
(ulimit -v 4000000; status 2 "$GPX" report /dev/zero -o r.html)
[[ -s err.txt ]] && ! grep -q 'terminate' err.txt || wrong "uncaught: $(head -n 2 err.txt)"
