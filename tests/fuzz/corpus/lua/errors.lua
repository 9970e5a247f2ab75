print(pcall(error, { 1 }), pcall(string.rep, "x", 1 << 40), select("#", table.unpack({}, 1, 1000)))
local t = {}
for i = 1, 50 do t[i] = ("k"):rep(i % 7) .. i end
table.sort(t, function(a, b) return #a < #b end)
print(("a b c"):gsub("%w", { a = 1, b = false }), ("x"):find("(x)()"), tostring(t), next({}))
error("at the end")
