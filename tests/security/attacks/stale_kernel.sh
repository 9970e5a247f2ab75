# A header that changes is never answered from the cache, and a resumed run never mixes two kernels.
loop='__global__ void k(int* a) { int x = a[0]; for (int i = 0; i < N * 100; ++i) x = x * x + a[x & 7]; a[1] = x; }'
run() { status 0 "$GPX" run k.gpx --device gtx280 --csv -; }
number=0
for include in '#include "h.h"' '# include "h.h"' $'#inc\\\nlude "h.h"' $'#define H "h.h"\n#include H' \
  '%:include "h.h"' $'#if __has_include("h.h")\n#include "h.h"\n#else\n#define N 3\n#endif'; do
  number=$((number + 1))
  kernel "k$number.cu" "$include"$'\n'"$loop"
  echo '#define N 10' >h.h
  run && cp out.txt ten.txt
  echo '#define N 1' >h.h
  run && cp out.txt one.txt
  GPX_CACHE=off run && same out.txt one.txt "$include"
  differ ten.txt one.txt "$include"
done

# Each point takes longer than the one before: a batch of them is stored long before the run ends.
cat >sweep.gpx <<'EOF'
experiment e {
  kernel k from "s.cu" entry k(a = buffer(4KB, zero), n = n)
  sweep n 1..100
  blocks 1
  threads 32
  repeat 1
  < run k >
}
EOF
printf '#include "h.h"\n%s\n' \
  '__global__ void k(int* a, int n) { int x = 0; for (int i = 0; i < N * 300 * n; ++i) x += a[(i + x) & 7]; a[1] = x; }' >s.cu
export GPX_STORE=$PWD/sweep.db
"$GPX" run sweep.gpx --device gtx280 -q >/dev/null 2>&1 &
pid=$!
for _ in $(seq 200); do
  sleep 0.05
  points=$("$GPX" runs --json 2>/dev/null | grep -oE '"points": *[0-9]+' | grep -oE '[0-9]+$')
  ((${points:-0} > 0)) && break
done
kill -INT $pid
wait $pid
echo '#define N 2' >h.h
status 2 "$GPX" resume --last -q
says 'the run cannot go on: its kernels'
echo '#define N 1' >h.h
status 0 "$GPX" resume --last -q
