# What comes from elsewhere moves no cursor, turns no text around and is no formula.
clean() {  # no control but line ends and tabs, no mark of direction
  ! LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]' "$1" && ! grep -q $'\u202e' "$1" ||
    wrong "$1 has what a terminal acts on: $(LC_ALL=C grep -aP '[\x00-\x08\x0b-\x1f\x7f]|\xe2\x80\xae' "$1" | head -n 1 | cat -v)"
}
printf 'print("\\27[2J\\27]0;owned\\7 a\\0b \\u{202e}txt.exe\\u{9b}31m")\n' >p.lua
status 0 "$GPX" lua p.lua
clean out.txt
printf ':lua print("\\27[2J\\0\\u{202e}")\n' | "$GPX" repl >out.txt 2>&1
clean out.txt
cat >a.lua <<'LUA'
return function(input)
  print("\27[31m\u{202e}x")
  finding { name = "a", value = "\27]0;owned\7\u{202e}\0", note = "\27[2J\u{202e}\0" }
end
LUA
printf 'experiment e "title \u202e here" {\n  threads 32\n  < load broadcast >\n  analyze "a.lua"()\n}\n' >e.gpx
status 0 "$GPX" run e.gpx --device k20 --report o.html
clean out.txt
clean o.html
status 0 "$GPX" list e.gpx
clean out.txt
printf 'experiment e { threads 32 nonsense \u202e }\n' >w.gpx
status 2 "$GPX" check w.gpx
clean err.txt

# A name with a zero is not cut there.
printf 'return function() finding { name = "a\\0b", value = 1 } finding { name = "a\\0c", value = 2 } end\n' >a.lua
status 2 "$GPX" run e.gpx --device k20
says 'a name has no control characters'

# An imported text is no formula.
cat >c.gpx <<'GPX'
experiment c {
  sweep kind in ["=HYPERLINK(1)", "@x", "plain"]
  threads 32
  < load broadcast >
}
GPX
status 0 "$GPX" run c.gpx --device k20 -q --csv -
prints "'=HYPERLINK(1)"
prints "'@x"
! grep -qE '(^|,)[=@]' out.txt || wrong "a formula: $(grep -E '(^|,)[=@]' out.txt | head -n 1)"

# A cell of a megabyte does not pad thousands of others.
cat >a.lua <<'LUA'
return function()
  finding { name = "wide", value = ("x"):rep(1000000) }
  for i = 1, 3000 do finding { name = "f" .. i, value = "y" .. i, unit = "u" } end
end
LUA
status 0 "$GPX" run e.gpx --device k20
(($(stat -c %s out.txt) < 8000000)) || wrong "$(stat -c %s out.txt) bytes were printed"
