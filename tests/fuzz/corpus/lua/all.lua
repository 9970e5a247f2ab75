local function rows(samples) return samples:reduce("median"):group("kind") end
return function(input)
  for _, group in ipairs(rows(input.samples)) do
    print(group, #input.samples)
    finding { name = "a", keys = { n = 1 }, value = 1.5, low = 1, high = 2, unit = "clocks", note = "x" }
  end
  finding { name = "b", value = { 1, 2, 3 } }
  finding { name = "c", value = "word", verdict = "inconclusive", evidence = { { threads = 32 } } }
  for k, v in pairs(input.device) do print(k, v, ("%5.2f|%q"):format(1 / 3, tostring(v))) end
  print(stats.median { 1, 2, 3 }, fit_line({ 1, 2, 3 }, { 2, 4, 6 }))
end
