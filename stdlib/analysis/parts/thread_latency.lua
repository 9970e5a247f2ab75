-- Thread-latency curves (section 3.2 of lashgar2015): the series of a sweep, and the saturation of
-- one series, told apart from serialization, outliers and slopes.
-- Used by outstanding.lua. Covered by tests/runtime/inference_test.cpp.

local M = {}

-- A saturation makes a load wait for an earlier one to come back. The latency then is two round
-- trips, so the step is what is missing to that: one round trip, less what the curve has risen.
-- All of these are fractions of a round trip, but for EXPECTED.
M.LARGE = 0.38      -- a step at least this high may be a saturation
M.SMALL = 0.33      -- below this it is serialization: loads queue, they don't wait for a reply
M.FAINT = 0.20      -- at least this high, and as high as expected, it may confirm what others show
M.EXPECTED = 0.55   -- of the expected step; what is measured beside memory makes that too large
M.HUGE = 3.0        -- above this it is something else than one round trip
M.FALL = 0.50       -- of a step's height: a fall that deep makes a sawtooth of it
M.STEEP = 0.20      -- a growth from point to point in which steps would be lost
M.WAITED = 2.5      -- round trips: a latency of which a part was spent waiting for others
M.VISIBLE = 0.40    -- where the latency rose by more than this, a step may be too small to see

-- The axis that an argument names, or its constant value.
local function argument(input, name, default)
  local value = input.args[name]
  if value == nil then return { value = default } end
  if type(value) == "string" then
    if not input.samples:has(value) then
      error("argument '" .. name .. "': the samples have no axis '" .. value .. "'", 0)
    end
    return { axis = value }
  end
  return { value = value }
end

local function check_axes(samples, known)
  for _, column in ipairs(samples:columns()) do
    local used = false
    for _, each in pairs(known) do used = used or each.axis == column.name end
    if column.role == "axis" and not used then
      error("the sweep also varies '" .. column.name ..
            "': an analysis of outstanding requests takes threads, loads and merge", 0)
    end
  end
end

local function sorted_by(x, y)
  local order = {}
  for i = 1, #x do order[i] = i end
  table.sort(order, function(a, b) return x[a] < x[b] end)
  local sx, sy = {}, {}
  for i, from in ipairs(order) do
    sx[i], sy[i] = x[from], y[from]
    if i > 1 and sx[i] == sx[i - 1] then
      error("two points of one series have the same number of threads", 0)
    end
  end
  return sx, sy
end

local function series_name(merge, loads)
  if merge == 1 then return string.format("[n=%.15g]", loads) end
  return string.format("[merge=%.15g,n=%.15g]", merge, loads)
end

-- One table for each combination of merge and loads, in the order of the sweep:
-- x (threads) and y (latency), reduced over repetitions.
function M.series(input)
  local x = argument(input, "x")
  if not x.axis then error("the argument x must name the axis of threads: x = threads", 0) end
  local loads, merge = argument(input, "loads", 1), argument(input, "merge", 1)
  check_axes(input.samples, { x, loads, merge })
  if not input.samples:has("latency") then error("the samples have no latency", 0) end
  local by = {}
  if merge.axis then by[#by + 1] = merge.axis end
  if loads.axis then by[#by + 1] = loads.axis end
  local list = {}
  for _, group in ipairs(input.samples:reduce(input.reduce):group(table.unpack(by))) do
    local one = { key = group.key, axis = x.axis,
                  loads = loads.axis and group.key[loads.axis] or loads.value,
                  merge = merge.axis and group.key[merge.axis] or merge.value }
    one.x, one.y = sorted_by(group.samples:column(x.axis), group.samples:column("latency"))
    one.name = series_name(one.merge, one.loads)
    if one.x[1] and one.x[1] < 1 or one.loads < 1 or one.merge < 1 then
      error("threads, loads and merge must be at least 1", 0)
    end
    list[#list + 1] = one
  end
  return list
end

-- The point of a series as evidence.
function M.point(series, i)
  local point = { [series.axis] = series.x[i] }
  for name, value in pairs(series.key) do point[name] = value end
  return point
end

-- The latency of one memory round trip: the shortest of the smallest blocks.
function M.round_trip(list)
  local shortest = math.huge
  for _, series in ipairs(list) do
    for i = 1, math.min(3, #series.y) do shortest = math.min(shortest, series.y[i]) end
  end
  return shortest
end

local function median_of(values, first, last)
  local part = {}
  for i = math.max(1, first), math.min(#values, last) do part[#part + 1] = values[i] end
  return stats.median(part)
end

M.median_of = median_of

-- Where exactly the level changes near gap `i`: the last point on the lower level, the first of
-- those that stay on the upper. Points between the two fit neither level and decide nothing.
local function localise(series, i, height, slope)
  local x, y = series.x, series.y
  local base, centre = median_of(y, i - 4, i), median_of(x, i - 4, i)
  local function share(k) return (y[k] - base - slope * (x[k] - centre)) / height end
  local first
  for k = math.max(2, i - 2), math.min(#x, i + 4) do
    local stays = share(k) >= 0.65
    for later = k + 1, math.min(#x, k + 3) do stays = stays and share(later) >= 0.5 end
    if stays then first = k break end
  end
  if not first then return nil end
  for k = first - 1, math.max(1, first - 4), -1 do
    if share(k) <= 0.35 then return k, first, base + slope * (x[k] - centre) end
  end
  return nil
end

-- A saturated curve never comes back down to the level before the step.
local function persists(series, first, base, height)
  local y = series.y
  local after = {}
  for k = first, #y do after[#after + 1] = y[k] end
  if stats.quantile(after, 0.1) < base + 0.6 * height then return false end
  for k = first, #y - 4 do
    if median_of(y, k, k + 4) < base + 0.5 * height then return false end
  end
  return true
end

-- Every lasting rise of at least FAINT round trips, in order; the highest of any kind; how many were
-- high enough for a saturation but have no place or don't last; and the deepest fall.
local function rises(series, round_trip)
  local x, y = series.x, series.y
  local heights, slopes = stats.shifts(x, y, 3)
  local least = math.max(M.FAINT * round_trip, 6 * stats.jitter(y))
  local found, largest, unresolved, fall = {}, 0, 0, 0
  for gap = 3, #x - 3 do fall = math.max(fall, -heights[gap]) end
  local i = 3
  while i <= #x - 3 do
    largest = math.max(largest, heights[i])
    if heights[i] < least then
      i = i + 1
    else
      -- With medians of three points one step shows in three neighbouring gaps.
      local best, height = i, heights[i]
      for k = i + 1, math.min(i + 2, #x - 3) do
        if heights[k] < least then break end
        if y[k + 1] - y[k] > y[best + 1] - y[best] then best = k end
        height = math.max(height, heights[k])
        largest = math.max(largest, height)
      end
      local last, first, base = localise(series, best, height, slopes[best])
      if last and persists(series, first, base, height) then
        found[#found + 1] = { last = last, first = first, before = base, height = height }
      elseif height >= M.LARGE * round_trip then
        unresolved = unresolved + 1
      end
      i = i + 3
    end
  end
  return found, largest, unresolved, fall
end

local function expected(rise, round_trip) return math.max(0, 2 * round_trip - rise.before) end

local function is_saturation(rise, round_trip)
  return rise.height >= M.LARGE * round_trip and rise.height <= M.HUGE * round_trip and
         rise.height >= M.EXPECTED * expected(rise, round_trip)
end

-- Too low to be called a saturation by itself, but of the height that one would have there.
local function is_faint(rise, round_trip)
  return rise.height >= M.EXPECTED * expected(rise, round_trip) and
         rise.height <= 1.5 * expected(rise, round_trip)
end

-- The first rise that passes `test`; nil if an earlier one is as high: then neither is meant.
local function first_of(found, round_trip, test)
  local before = 0
  for _, rise in ipairs(found) do
    if test(rise, round_trip) then return before < 0.6 * rise.height and rise or nil end
    before = math.max(before, rise.height)
  end
end

local function doubtful_of(found, round_trip)
  for _, rise in ipairs(found) do
    if rise.height >= M.SMALL * round_trip then return rise end
  end
end

-- What a series shows: {status = "step", last =, first =, height =} where it saturates between the
-- points `last` and `first`; {status = "none"}; or {status = "unclear", why =}. Always with
-- `largest`, the highest step of any kind; where steps are too close to be told apart with `crowded`, the
-- threads at which requests have waited for others for certain; with `faint`, a rise that other series may confirm.
function M.saturation(series, round_trip)
  local x, y = series.x, series.y
  if #x < 8 then return { status = "unclear", largest = 0, why = "fewer than 8 points" } end
  local found, largest, unresolved, fall = rises(series, round_trip)
  local step = first_of(found, round_trip, is_saturation)
  -- A full table stays full as more threads come. Where the latency also falls by as much as it
  -- rises, something comes and goes (on a GPU: warps that do not fill the schedulers evenly).
  local sawtooth = step and fall >= M.FALL * step.height
  if step and not sawtooth then
    return { status = "step", last = step.last, first = step.first, height = step.height,
             largest = largest }
  end
  local seen = { status = "none", largest = largest,
                 faint = not sawtooth and first_of(found, round_trip, is_faint) or nil }
  local doubtful = doubtful_of(found, round_trip)
  if sawtooth then
    seen.status, seen.at = "unclear", step
    seen.why = string.format("the latency rises by %.0f clocks after %g threads, but elsewhere " ..
                             "falls by %.0f: a sawtooth, not a saturation", step.height,
                             x[step.last], fall)
  elseif doubtful then
    seen.status, seen.at = "unclear", doubtful
    seen.why = string.format("the latency rises by %.0f clocks (%.2f round trips) after %g " ..
                             "threads: not what serialization does, and not a saturation",
                             doubtful.height,
                             doubtful.height / round_trip, x[doubtful.last])
  elseif (y[#y] - y[1]) / (#y - 1) > M.STEEP * round_trip or unresolved > 1 then
    seen.status = "unclear"
    seen.why = "steps of about a round trip are too close to separate"
    for i, latency in ipairs(y) do
      if latency > M.WAITED * round_trip then seen.crowded = x[i] break end
    end
  end
  return seen
end

-- Unique requests that a block of `threads` makes.
function M.requests(series, threads)
  return series.loads * math.ceil(threads / series.merge)
end

-- Clocks a request over the whole series, with the spread that leaving out one eighth of it makes
-- (a jackknife over blocks: neighbouring points are not independent).
function M.slope(series)
  local requests = {}
  for i, threads in ipairs(series.x) do requests[i] = M.requests(series, threads) end
  local slope = fit_line(requests, series.y).slope
  local blocks, squares = 8, 0
  for block = 0, blocks - 1 do
    local rx, ry = {}, {}
    for i = 1, #requests do
      if (i - 1) * blocks // #requests ~= block then
        rx[#rx + 1], ry[#ry + 1] = requests[i], series.y[i]
      end
    end
    squares = squares + (fit_line(rx, ry).slope - slope) ^ 2
  end
  local margin = 2.4 * math.sqrt(squares * (blocks - 1) / blocks)  -- t, 7 degrees of freedom, 95 %
  return slope, slope - margin, slope + margin
end

return M
