# Scripts that look at orders, names and ties: the same bytes in each of twenty processes.
cat >order.lua <<'EOF'
local t = {}
for i = 1, 40 do t["key" .. i * 37 % 101] = i end
for i = 1, 40 do t[{}] = i; t[function() end] = i end
t[print], t[string.rep], t[true], t[0.5] = "p", "r", 1, 2
for k, v in pairs(t) do print(k, v) end
for k, v in next, t do print(("%s %p"):format(k, k), v) end
print(t, print, pairs, tostring({}), next(t))
local s = {}
for i = 1, 3000 do s[i] = {i % 3, i} end
table.sort(s, function(a, b) return a[1] < b[1] end)
for i = 1, 3000, 50 do print(s[i][2]) end
EOF
for trust in '' --trust; do
  status 0 "$GPX" lua order.lua $trust && cp out.txt first.txt
  for _ in $(seq 19); do
    status 0 "$GPX" lua order.lua $trust && same first.txt out.txt "one script, two processes"
  done
done
