-- scoreboard(x = n): how many independent loads one warp may have in flight.
--
-- The latency of n loads of one warp grows little until the scoreboard is full; the next load waits
-- for the first to come back, and the latency jumps by a round trip. With a limit of k it jumps
-- again after 2k loads.
-- Arguments that name measures: measure.
-- Arguments that must be given: x.
-- Covered by tests/runtime/inference_test.cpp.

local LARGE, SMALL = 0.45, 0.30   -- of a round trip: a full scoreboard, no more than issue

local pick = use "parts/select"
local M = {}

local function curve(input)
  local axis = pick.axis(input, "x", "x = n")
  pick.no_other_axes(input, "scoreboard", { axis })
  local rows = pick.only_measure(input, "scoreboard", "latency"):reduce(input.reduce):rows()
  table.sort(rows, function(a, b) return a[axis] < b[axis] end)
  local x, y = {}, {}
  for i, row in ipairs(rows) do x[i], y[i] = row[axis], row.latency end
  return axis, x, y
end

-- Jumps that last: what comes later stays above them. `growth` is what a load adds elsewhere.
local function jumps(x, y, round_trip)
  local steps = {}
  for i = 1, #x - 1 do steps[i] = (y[i + 1] - y[i]) / (x[i + 1] - x[i]) end
  local growth = math.max(0, stats.median(steps))
  if growth > SMALL * round_trip then growth = 0 end   -- a limit of 1 or 2: most steps are jumps
  local found = {}
  for i = 1, #x - 1 do
    local height = y[i + 1] - y[i] - growth * (x[i + 1] - x[i])
    local lowest = math.huge
    for k = i + 1, #y do lowest = math.min(lowest, y[k]) end
    if height >= SMALL * round_trip and lowest >= y[i] + 0.6 * height then
      found[#found + 1] = { at = i, height = height }
    end
  end
  return found, growth
end

-- After a jump behind k loads the next must come behind 2k, if the sweep goes as far.
local function repeats(found, x, round_trip)
  local limit = x[found[1].at]
  if x[#x] <= 2 * limit then return nil end
  for n = 2, #found do
    if found[n].height >= LARGE * round_trip then
      local from, to = x[found[n].at], x[found[n].at + 1]
      return from <= 2 * limit and to > 2 * limit
    end
  end
  return false
end

local function undecided(note) pick.inconclusive("scoreboard.loads_per_warp", "loads", note) end

function M.run(input)
  local axis, x, y = curve(input)
  if #x < 4 or x[1] > 2 then
    return undecided("needs at least 4 points, the first with 1 or 2 loads")
  end
  local round_trip = y[1]
  local found, growth = jumps(x, y, round_trip)
  if #found == 0 then
    return finding {
      name = "scoreboard.loads_per_warp", verdict = "not_observed", unit = "loads",
      note = string.format("no jump of a round trip (%.0f clocks) from %g to %g loads; a load " ..
                           "adds %.1f clocks", round_trip, x[1], x[#x], growth),
      evidence = { { [axis] = x[1] }, { [axis] = x[#x] } } }
  end
  local first = found[1]
  if first.height < LARGE * round_trip or first.height > 3 * round_trip then
    return undecided(string.format("the latency jumps by %.2f round trips after %g loads",
                                   first.height / round_trip, x[first.at]))
  end
  local again = repeats(found, x, round_trip)
  if again == false then
    return undecided(string.format("the latency jumps by a round trip after %g loads, but not " ..
                                   "again after %g", x[first.at], 2 * x[first.at]))
  end
  finding {
    name = "scoreboard.loads_per_warp", value = x[first.at], unit = "loads",
    low = x[first.at], high = math.max(x[first.at], x[first.at + 1] - 1),
    confidence = again and 0.99 or 0.8,
    note = string.format("load %g makes the latency jump by %.2f round trips%s", x[first.at + 1],
                         first.height / round_trip,
                         again and string.format(", and again after %g", 2 * x[first.at]) or ""),
    evidence = { { [axis] = x[first.at] }, { [axis] = x[first.at + 1] } } }
end

return M
