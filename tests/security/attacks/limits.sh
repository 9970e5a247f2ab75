# Scripts, device files and kernels that ask for all time and memory: ended, with an error at the
# line; one Ctrl-C or SIGTERM ends them at once; nothing that was measured is lost.
cat >e.gpx <<'GPX'
experiment e { sweep threads in [32, 64] < load broadcast > analyze "a.lua"() }
GPX
# In an address space that fails the test where gpx itself would grow.
ulimit -v 12000000

# Memory beside Lua's own.
cat >a.lua <<'LUA'
return function()
  for i = 1, 100000 do
    finding { name = ("n"):rep(20000000) .. i, value = ("v"):rep(20000000), unit = ("u"):rep(20000000) }
  end
end
LUA
status 2 "$GPX" run e.gpx --device k20 -q
cat >a.lua <<'LUA'
return function(input)
  local names = {}
  for i = 1, 900000 do names[i] = "threads" end
  input.samples:group(table.unpack(names))
end
LUA
"$GPX" run e.gpx --device k20 -q >/dev/null 2>err.txt
(($? == 0 || $? == 2)) || wrong "a call of 900,000 arguments: $(tail -n 2 err.txt)"

# One call that would take hours: Ctrl-C and SIGTERM end it at once, and the points are kept.
long='("a"):rep(8000000):find(("a"):rep(4000000) .. "b", 1, true)'
printf 'return function()\n  local x = 1\n  %s\nend\n' "$long" >a.lua
for signal in INT TERM; do
  "$GPX" run e.gpx --device k20 -q >/dev/null 2>err.txt &
  pid=$!
  sleep 1.5
  kill -$signal $pid
  for _ in $(seq 40); do
    kill -0 $pid 2>/dev/null || break
    sleep 0.05
  done
  kill -0 $pid 2>/dev/null && wrong "SIG$signal did not end it in 2 s" && kill -9 $pid
  wait $pid
  [[ $? == 130 ]] || wrong "SIG$signal: not interrupted: $(cat err.txt)"
  "$GPX" runs --json | grep -q '"status": "interrupted"' || wrong 'the run is not kept as interrupted'
done
printf '%s\n' "$long" >l.lua
"$GPX" lua l.lua >/dev/null 2>err.txt &
pid=$!
sleep 1
kill -TERM $pid
wait $pid
[[ $? == 130 ]] || wrong 'gpx lua is not interrupted'
# What was measured goes on once its script is right.
printf 'return function() finding { name = "fine", value = 1 } end\n' >a.lua
status 0 "$GPX" resume --last
prints 'fine'

# Device files.
printf 'local s = ("x"):rep(10)\n' >d.lua
status 2 "$GPX" run e.gpx --device d.lua -q
{
  printf 'local s = "'
  head -c 200000 /dev/zero | tr '\0' 'x'
  printf '"\nlocal t = {}\nfor i = 1, 9000 do t[i] = s end\nreturn { name = "d", more = t }\n'
} >d.lua
status 2 "$GPX" run e.gpx --device d.lua -q
says 'too large'
printf 'local s = ""\nfor i = 1, 300000 do s = s .. "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" end\nreturn { name = s }\n' >d.lua
status 2 "$GPX" run e.gpx --device d.lua -q
says 'd.lua:2'

# Compilation: files that are none of a kernel's business, and one that would never end.
kernel p.cu $'#include "/proc/sys/kernel/pid_max"\n__global__ void k(int* a) { a[0] = 1; }'
status 2 "$GPX" run k.gpx --device gtx280 -q
mkdir -p inside && echo "#error confidential" >../$(basename "$PWD").beside && ln -s "../../$(basename "$PWD").beside" inside/h.h
kernel p.cu $'#include "inside/h.h"\n__global__ void k(int* a) { a[0] = 1; }'
status 2 "$GPX" run k.gpx --device gtx280 -q
! grep -q confidential err.txt out.txt || wrong 'a file outside the folder was read'
rm -f ../"$(basename "$PWD").beside"
{
  echo '#define A0 1 + 1'
  for i in $(seq 1 40); do echo "#define A$i A$((i - 1)) + A$((i - 1))"; done
  echo '__global__ void k(int* a) { a[0] = A40; }'
} >bomb.cu
kernel p.cu '#include "bomb.cu"'
"$GPX" run k.gpx --device gtx280 -q >/dev/null 2>err.txt &
pid=$!
sleep 3
kill -INT $pid
for _ in $(seq 40); do
  kill -0 $pid 2>/dev/null || break
  sleep 0.05
done
kill -0 $pid 2>/dev/null && wrong 'Ctrl-C did not end a compilation in 2 s' && kill -9 $pid
wait $pid
true
