-- rates(count = warps, start = "launch", knee = "stores", reach = "code"): what one more of something takes.
--
-- `count` is an axis that adds work: loads of a thread, warps, blocks. The slope of each measure over it is a rate:
-- whatever is there once, such as a launch or the way to memory, cancels. A measure that observes latency is in
-- clocks, one that observes time in seconds. Where only the later points lie on a straight line, the rate is theirs.
--   start  a measure of which is stated what is left without any of `count`: what a launch costs
--   knee   a measure that is flat at first and rises later: where the two lines meet, in `count`: what a buffer holds
--   reach  a measure of which is stated up to what `count` each one costs what the cheapest does: what a cache holds
-- Arguments that name measures: start, knee, reach.
-- Arguments that must be given: count.
-- Arguments that need 4 values: count.
-- Covered by tests/experiments/rates_planted_test.cpp.

local lines = use "parts/line"
local pick = use "parts/select"

local M = {}

local FLAT = 0.25    -- of the last slope: what the first points may rise by
local DEAR = 0.08    -- of the least cost: what a point within the reach may cost more
local CERTAIN = 0.99 -- of the interval of a knee
local DRIFT = 0.04   -- of the seconds of a launch: eight processes on two H200s differ by 2 to 7 %, repetitions by 1 %

-- The column that a measure observes, the unit of its line, and what a unit of the line is in that.
local function observed(input, samples)
  if samples:has("time") and #samples:having("time") > 0 then
    return "time", "s", 1 / math.max(input.device.clock_hz, 1)
  end
  return "latency", "clocks", 1
end

local function points_of(input, samples, count)
  local column, unit, scale = observed(input, samples)
  local points = lines.points(samples, count, column, input.reduce)
  if column == "time" then lines.in_clocks(points, 1 / scale) end
  return points, unit, scale, column == "time" and 0 or lines.step(input.samples)
end

local function report_start(name, unit, scale, line, count)
  if line.why then return pick.inconclusive(name, unit, line.why, nil, lines.steps(line)) end
  local half = (line.high - line.low) / 2 * line.first + (unit == "s" and DRIFT or 0) * math.abs(line.intercept)
  finding { name = name, unit = unit, value = line.intercept * scale, low = (line.intercept - half) * scale,
            high = (line.intercept + half) * scale, confidence = CERTAIN, steps = lines.steps(line),
            note = "what does not grow with " .. count }
end

-- Where a level stretch ends: the level is that of the first point, the rise that of the second half of the points.
local function report_knee(name, points, grain, count)
  local late = {}
  for i = #points // 2 + 1, #points do late[#late + 1] = points[i] end
  local rise = lines.fit(late, grain, "of " .. count)
  if rise.why then return pick.inconclusive(name, nil, rise.why, nil, lines.steps(rise)) end
  local first, second = points[1], points[2]
  if (second.y - first.y) / (second.x - first.x) > FLAT * rise.slope then
    return pick.inconclusive(name, nil, "the samples rise from the first points on: no buffer shows")
  end
  local function meets(slope) return (first.y - (rise.intercept + (rise.slope - slope) * late[1].x)) / slope end
  local at, a, b = meets(rise.slope), meets(rise.low), meets(rise.high)
  finding { name = name, value = at, low = math.min(a, b, at), high = math.max(a, b, at),
            confidence = CERTAIN, steps = lines.steps(rise),
            note = string.format("up to %.4g of %s cost nothing, each one more %.4g clocks", at, count, rise.slope) }
end

-- The last point before each one of `count` costs more; between it and the next point the reach ends.
local function report_reach(name, points, count)
  local least = math.huge
  for _, point in ipairs(points) do least = math.min(least, point.y / point.x) end
  local last = 0
  while last < #points and points[last + 1].y / points[last + 1].x <= (1 + DEAR) * least do last = last + 1 end
  if last == 0 or last == #points then
    return finding { name = name, verdict = "not_observed",
                     note = "each of " .. count .. " costs the same at all points" }
  end
  finding { name = name, value = points[last].x, low = points[last].x, high = points[last + 1].x,
            note = string.format("up to there each of %s costs %.4g clocks, %.4g at the next point", count,
                                 points[last].y / points[last].x, points[last + 1].y / points[last + 1].x) }
end

function M.run(input)
  pick.only(input, "rates", { "count", "start", "knee", "reach" })
  local count = pick.axis(input, "count", "count = n")
  pick.no_other_axes(input, "rates", { count })
  local start, knee, reach = pick.text(input, "start"), pick.text(input, "knee"), pick.text(input, "reach")
  local named = input.samples:has("measure")
  for _, measure in ipairs(named and input.samples:distinct("measure") or { "all" }) do
    local samples = pick.measure(input.samples, measure)
    local points, of, scale, grain = points_of(input, samples, count)
    local line = lines.within(points, grain, "of " .. count)
    pick.slope("rate." .. measure, of, line, function(slope) return slope * scale end,
               "one more of " .. count .. lines.caveat(line))
    if measure == start then report_start("rate." .. measure .. ".start", of, scale, line, count) end
    if measure == reach then report_reach("rate." .. measure .. ".reach", points, count) end
    if measure == knee then report_knee("rate." .. measure .. ".held", points, grain, count) end
  end
end

return M
