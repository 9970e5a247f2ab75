-- Straight lines whose slope is a property of the device: clocks an execution, clocks a barrier.
--
-- The slope is Theil and Sen's, the median over all pairs of points, which an outlier does not
-- move. Its interval takes the scatter of the points or of the repetitions, whichever is larger, and
-- the granularity of the clock. Covered by tests/runtime/inference_pipelines_test.cpp.

local M = {}

local LEAST = 4          -- points
local SETTLED = 6        -- points of a line that begins later: of four many bent curves look straight
local WIDEST = 0.10      -- of the slope: an interval that reaches further decides nothing
local BEND = 0.05        -- of the slope: what both halves of the sweep may differ by
local LOOSE = 0.25       -- of the slope: what an interval may reach that is all there is to say, see M.within. Bulk copies of
                         -- 4 KB cost 51 clocks more at first and 37 at last, by hand 43 and 31: what they share fills up
local SAME_TIME = 1e-9   -- seconds: times that differ by less differ by their rounding as numbers of 32 bits
local GRAIN_LIMIT = 64   -- clocks: exact samples share larger divisors than any clock's step
local STEP_LIMIT = 8     -- of one sweep, whose points a slope of 32 clocks makes multiples of 32: 4 times a GT200's step

-- Two-sided 99 % quantiles of Student's t for 1, 2, ... degrees of freedom.
local T99 = { 63.66, 9.92, 5.84, 4.60, 4.03, 3.71, 3.50, 3.36, 3.25 }
local function t99(freedom) return T99[freedom] or 2.576 + 6 / freedom end
M.t99 = t99

-- What the range of 2, 3, ... normal values is in standard deviations, on average.
local RANGE = { 1, 1.128, 1.693, 2.059, 2.326, 2.534, 2.704, 2.847, 2.970, 3.078 }

-- The largest number of clocks that divides every value: the step of the clock or a multiple of it.
function M.granularity(values)
  local divisor = 0
  for _, value in ipairs(values) do
    local a, b = divisor, math.tointeger(value)
    if not b then return 1 end
    while b ~= 0 do a, b = b, a % b end
    divisor = math.abs(a)
  end
  return math.max(1, math.min(divisor, GRAIN_LIMIT))
end

-- The step of the clock that all latencies of a run were read from. A single series may share a larger
-- divisor: products of 64 clocks, 672, 928, 1184, say nothing of a step of 32.
function M.step(samples)
  return math.min(STEP_LIMIT, M.granularity(samples:having("latency"):column("latency")))
end

-- What the scatter of one repetition is divided by in what n of them are reduced to, for normal scatter: an extreme
-- is taken as one repetition.
local function gain(how, n)
  if how == "mean" then return math.sqrt(n) end
  return how == "median" and math.max(1, math.sqrt(2 * n / math.pi)) or 1
end

-- The step that times are multiples of, 32 ns of a recent GPU's %globaltimer: the least by which two differ.
local function tick_of(times)
  local least = math.huge
  table.sort(times)
  for i = 2, #times do
    local step = times[i] - times[i - 1]
    if step > SAME_TIME then least = math.min(least, step) end
  end
  return least < math.huge and least or 0
end

-- The median of values that were rounded to multiples of `tick`: interpolated within the step that half of them lie
-- below (the median of grouped data). The plain one jumps by whole steps, which is 1 % of a launch of 3 us.
local function grouped_median(values, tick)
  local middle, below, equal = stats.median(values), 0, 0
  for _, value in ipairs(values) do
    if math.abs(value - middle) < tick / 2 then equal = equal + 1 elseif value < middle then below = below + 1 end
  end
  return equal > 0 and middle + tick * ((#values / 2 - below) / equal - 0.5) or middle
end

-- One point for each value of x, with what the repetitions gave. Rows without a number don't count.
function M.points(samples, x, y, how)
  local points = {}
  local tick = y == "time" and how == "median" and tick_of(samples:having(y):column(y)) or 0
  for _, group in ipairs(samples:group(x)) do
    local values = {}
    for _, value in ipairs(group.samples:column(y)) do
      if value == value then values[#values + 1] = value end
    end
    if #values > 0 then
      local value = tick > 0 and grouped_median(values, tick) or stats[how](values)
      points[#points + 1] = { x = group.key[x], y = value, n = #values, gain = gain(how, #values),
                              range = stats.max(values) - stats.min(values) }
    end
  end
  table.sort(points, function(a, b) return a.x < b.x end)
  return points
end

-- Times in seconds as clocks of the SM, the unit that lines are of.
function M.in_clocks(points, hertz)
  for _, point in ipairs(points) do point.y, point.range = point.y * hertz, point.range * hertz end
  return points
end

-- The standard deviation of one repetition, and the repetitions that it was estimated from.
local function scatter(points)
  local sigmas, freedom = {}, 0
  for _, point in ipairs(points) do
    if point.n > 1 then
      sigmas[#sigmas + 1] = point.range / RANGE[math.min(point.n, #RANGE)]
      freedom = freedom + point.n - 1
    end
  end
  if #sigmas == 0 then return 0, 1 end
  return stats.median(sigmas), freedom
end

local function theil_sen(points, first, last)
  local slopes = {}
  for i = first, last do
    for k = i + 1, last do
      slopes[#slopes + 1] = (points[k].y - points[i].y) / (points[k].x - points[i].x)
    end
  end
  return stats.median(slopes)
end

-- Slopes of the lower and of the upper half, and by how much chance lets them differ.
local function halves(points, sigma, grain)
  local count = #points
  local half = (count + 2) // 2
  local low = points[half].x - points[1].x
  local high = points[count].x - points[count - half + 1].x
  return theil_sen(points, 1, half), theil_sen(points, count - half + 1, count),
         6 * sigma * (1 / low + 1 / high) + grain * (1 / low + 1 / high)
end

-- Half the width of the slope's interval.
local function half_width(points, slope, intercept, sigma, freedom, grain)
  local squares, mean, spread = 0, 0, 0
  for _, point in ipairs(points) do
    squares = squares + (point.y - intercept - slope * point.x) ^ 2
    mean = mean + point.x / #points
  end
  for _, point in ipairs(points) do spread = spread + (point.x - mean) ^ 2 end
  local left, least = math.sqrt(squares / (#points - 2)), math.huge
  for _, point in ipairs(points) do least = math.min(least, point.gain or 1) end
  local error = math.max(t99(#points - 2) * left, t99(freedom) * sigma / least) / math.sqrt(spread)
  -- Rounding moves each point by up to a grain, both ends apart by two at most.
  return error + 2 * grain / (points[#points].x - points[1].x)
end

-- The line through points of `x`: { slope, low, high, intercept }, or { why } where the points do
-- not decide it. `unit` is what one step of x is, for the note.
function M.fit(points, grain, unit)
  if #points < LEAST then
    return { why = string.format("%d points; %d are needed", #points, LEAST) }
  end
  local sigma, freedom = scatter(points)
  local slope = theil_sen(points, 1, #points)
  local offsets = {}
  for i, point in ipairs(points) do offsets[i] = point.y - slope * point.x end
  local line = { slope = slope, intercept = stats.median(offsets), points = #points,
                 first = points[1].x, last = points[#points].x }
  local half = half_width(points, slope, line.intercept, sigma, freedom, grain)
  if slope <= half then
    line.why = string.format("the samples do not grow: %.3f clocks (within %.3f) for one more %s",
                             slope, half, unit)
    line.low, line.high = slope - half, slope + half
    return line
  end
  local lower, upper, chance = halves(points, sigma, grain)
  if math.abs(upper - lower) > BEND * slope + chance then
    line.bent, line.lower, line.upper = true, lower, upper
    line.why = string.format("no straight line: one more %s costs %.3f clocks at first and %.3f " ..
                             "at last", unit, lower, upper)
  elseif half > WIDEST * slope then
    line.why = string.format("too noisy: %.3f clocks for one more %s, ±%.0f %% where ±%.0f %% is needed",
                             slope, unit, 100 * half / slope, 100 * WIDEST)
  end
  line.low, line.high = slope - half, slope + half
  return line
end

-- The line of clocks over `count`; `fit` and the clock's step, where they are others than all samples have.
function M.of(input, samples, count, unit, fit, grain)
  return (fit or M.fit)(M.points(samples, count, "latency", input.reduce), grain or M.step(input.samples), unit)
end

-- What one line takes more than another one.
function M.minus(a, b)
  if a.why or b.why then return { why = a.why or b.why, steps = {} } end
  return { slope = a.slope - b.slope, low = a.low - b.high, high = a.high - b.low }
end

-- What one more of `count` adds to a column that grows with it alone; nil where `count` has one value.
function M.added(samples, count, column)
  local points = M.points(samples, count, column, "median")
  if #points < 2 then return nil end
  return (points[#points].y - points[1].y) / (points[#points].x - points[1].x)
end

-- What `gpx explain --finding` tells of a line.
function M.steps(line)
  if not line.points then return line.steps or { line.why } end   -- of no points, or of another method
  local steps = { string.format("the median slope of all pairs of %d points, from %g to %g: %.4g", line.points,
                                line.first, line.last, line.slope),
                  string.format("what does not grow with them, %.4g, is no part of it", line.intercept) }
  if line.why or line.loose then
    steps[3] = line.why or line.loose
  else
    steps[3] = string.format("both halves of the points have that slope: ±%.2g %% at 99 %% by their scatter, " ..
                             "their repetitions and the clock's step", 50 * (line.high - line.low) / line.slope)
  end
  return steps
end

-- A line that is bent or wide as one whose interval holds the slopes of both halves, where they differ by no more than
-- LOOSE: `line.loose` says so. `range`: then it is no confidence interval. `unit`: what one step is.
function M.loosened(line, unit)
  if not line.why or not line.low or line.low <= 0 then return line end
  local low, high = line.low, line.high
  if line.bent then low, high = math.min(low, line.lower, line.upper), math.max(high, line.lower, line.upper) end
  local half = math.max(high - line.slope, line.slope - low) / line.slope
  if half > LOOSE then return line end
  local loose = line.bent and string.format("one more %s costs %.3f clocks at first and %.3f at last: the interval holds both",
                                            unit, line.lower, line.upper)
    or string.format("the points scatter: ±%.0f %%", 100 * half)
  return { slope = line.slope, intercept = line.intercept, low = low, high = high, loose = loose, range = line.bent,
           points = line.points, first = line.first, last = line.last }
end

-- What a note says of a line that begins later, or whose interval is wide.
function M.caveat(line)
  if line.from then return string.format("; from %g on: the first ones cost more or less", line.from) end
  return line.loose and "; " .. line.loose or ""
end

-- The same of what fills a pipeline first: the points from `line.from` on, where those from the first one on are bent and
-- these are not.
function M.settled(points, grain, unit)
  local whole = M.fit(points, grain, unit)
  if not whole.bent then return whole end
  for first = 2, #points - SETTLED + 1 do
    local later = {}
    for i = first, #points do later[#later + 1] = points[i] end
    local part = M.fit(later, grain, unit)
    if not part.why then
      part.from = points[first].x
      return part
    end
  end
  return whole
end

-- The line where each step costs something else, as copies do whose lines lie in slices at different distances.
function M.within(points, grain, unit) return M.loosened(M.settled(points, grain, unit), unit) end

return M
