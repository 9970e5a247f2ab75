-- The slope of the latency over the axis x, with its interval. It is measured where the interval
-- lies on one side of 0, not observed where it does not, and inconclusive with too few points.
return function(input)
  local samples = input.samples:reduce(input.reduce)
  local x, y = samples:column(input.args.x), samples:column("latency")
  local name, unit = "growth.slope", "clocks/thread"
  if #x < 4 then
    return finding { name = name, unit = unit, verdict = "inconclusive",
                     note = "a line needs four points" }
  end
  local line = fit_line(x, y, 0.99)
  if line.slope_low <= 0 and line.slope_high >= 0 then
    return finding { name = name, unit = unit, verdict = "not_observed" }
  end
  finding { name = name, unit = unit, value = line.slope, low = line.slope_low,
            high = line.slope_high, note = string.format("a line through %d points", #x),
            evidence = { { [input.args.x] = x[1] }, { [input.args.x] = x[#x] } } }
end
