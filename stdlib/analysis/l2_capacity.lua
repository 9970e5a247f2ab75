-- l2_capacity(x = size, by = state, name = "l2.capacity"): the size of data up to which L2 holds all of
-- it. `name` is the finding's.
--
-- A copy of `size` bytes is timed with its data in L2 (state "warm") and after a flush ("flushed").
-- The gap between the two grows with the size, by the time that each byte from L2 saves, until the
-- data no longer fit; beyond, it stays, or falls to nothing where least-recently-used lines are
-- replaced in a cycle (section 3.3 of lashgar2015, the case study).
-- Straight pieces are fitted to the gap by least squares: a start (small copies don't fill the
-- GPU), the growth, and after the break one or two pieces without it. The interval holds every
-- break that the samples do not exclude. Where the device can be asked, a chase of twice the size
-- must be slower: else it is no capacity.
-- Arguments that must be given: x, by.
-- Covered by tests/runtime/inference_test.cpp.

local lists = use "parts/lists"
local pick = use "parts/select"

local M = {}

local name = "l2.capacity"      -- of the finding

local GROWTH, REST = 3, 2       -- points that the growth and each other piece need at least
local STOPPED = 0.3             -- of the growth's slope: the gap no longer grows
local SLOWER = 0.7              -- of it: right behind the break a part of the data may still gain

local function columns(input)
  local x, by = pick.axis(input, "x", "x = size"), pick.axis(input, "by", "by = state")
  pick.no_other_axes(input, "l2_capacity", { x, by })
  pick.need(input.samples, "time", "observe time")
  return x, by
end

-- Sizes in increasing order, and for each the time flushed less the time warm, the time flushed, the
-- time warm.
local function gaps(input, x, by)
  local times = { warm = {}, flushed = {} }
  for _, row in ipairs(input.samples:reduce(input.reduce):rows()) do
    local of_state = times[row[by]]
    if not of_state then
      error("the axis '" .. by .. "' must take the words warm and flushed", 0)
    end
    of_state[row[x]] = row.time
  end
  local sizes, gap, typical, warm = {}, {}, {}, {}
  for size in pairs(times.warm) do
    if times.flushed[size] then sizes[#sizes + 1] = size end
  end
  table.sort(sizes)
  for i, size in ipairs(sizes) do
    gap[i] = times.flushed[size] - times.warm[size]
    typical[i] = times.flushed[size]
    warm[i] = times.warm[size]
  end
  return sizes, gap, typical, warm
end

-- The scatter of one repetition's gap, from the spread of repetitions where there are any.
local function scatter(input, x, by)
  local spreads = {}
  for _, group in ipairs(input.samples:group(x, by)) do
    local times = group.samples:column("time")
    if #times > 1 then spreads[#spreads + 1] = math.sqrt(stats.variance(times)) end
  end
  return #spreads > 0 and stats.median(spreads) * math.sqrt(2) or 0
end

-- Returns line(first, last): the least-squares line through these points, in constant time each.
local function pieces(x, y)
  local sums = { [0] = { 0, 0, 0, 0, 0 } }
  -- Sizes relative to the largest: sums of squares of bytes would lose digits.
  local scale = x[#x]
  for i = 1, #x do
    local before, u = sums[i - 1], x[i] / scale
    sums[i] = { before[1] + u, before[2] + y[i], before[3] + u * u, before[4] + u * y[i],
                before[5] + y[i] * y[i] }
  end
  return function(first, last)
    local a, b, n = sums[first - 1], sums[last], last - first + 1
    local mean_u, mean_y = (b[1] - a[1]) / n, (b[2] - a[2]) / n
    local uu = b[3] - a[3] - n * mean_u * mean_u
    local uy = b[4] - a[4] - n * mean_u * mean_y
    local yy = b[5] - a[5] - n * mean_y * mean_y
    local slope = uu > 0 and uy / uu or 0
    return { slope = slope / scale, intercept = mean_y - slope * mean_u,
             squares = math.max(0, yy - slope * uy) }
  end
end

-- The best growth that ends at point k, alone or after a flatter start.
local function growth_to(line, k)
  local best = line(1, k)
  best.first, best.total = 1, best.squares
  for first = REST + 1, k - GROWTH + 1 do
    local start, grows = line(1, first - 1), line(first, k)
    if start.slope < grows.slope and start.squares + grows.squares < best.total then
      best = grows
      best.first, best.total = first, start.squares + grows.squares
    end
  end
  return best
end

-- The best piece or two from point `first` on that don't grow; nil if there are none.
local function rest_from(line, first, count, slope)
  local best
  local one = line(first, count)
  if one.slope <= STOPPED * slope then
    best = one
    best.total = one.squares
  end
  for last = first + REST - 1, count - REST do
    local near, far = line(first, last), line(last + 1, count)
    if near.slope <= SLOWER * slope and far.slope <= STOPPED * slope and
       (not best or near.squares + far.squares < best.total) then
      best = near
      best.total = near.squares + far.squares
    end
  end
  return best
end

-- Every break after point k, with the squares that its pieces leave.
local function breaks(x, y)
  local line, list = pieces(x, y), {}
  for k = GROWTH, #x - REST do
    local grows = growth_to(line, k)
    local rest = grows.slope > 0 and rest_from(line, k + 1, #x, grows.slope)
    if rest then
      list[#list + 1] = { k = k, grows = grows, rest = rest, squares = grows.total + rest.total }
    end
  end
  return list
end

-- Among breaks that fit equally well (within one standard deviation) the largest: data of that size
-- still gain in full.
local function best_of(list, sigma)
  local least = math.huge
  for _, one in ipairs(list) do least = math.min(least, one.squares) end
  local best
  for _, one in ipairs(list) do
    if one.squares <= least + sigma ^ 2 then best = one end
  end
  return best
end

-- Breaks that stay possible: within the 95 % of a likelihood ratio (chi squared, one parameter).
local function possible(list, best, sigma)
  local low, high
  for _, one in ipairs(list) do
    if (one.squares - best.squares) / sigma ^ 2 <= 3.84 then
      low, high = low or one.k, one.k
    end
  end
  return low, high
end

-- Where the gap bends without a jump, the lines' intersection; else the last size that fits.
local function place(x, one)
  local at = (one.rest.intercept - one.grows.intercept) / (one.grows.slope - one.rest.slope)
  return math.floor(math.min(math.max(at, x[one.k]), x[one.k + 1]) + 0.5)
end

local function none(note, evidence)
  finding { name = name, verdict = "not_observed", unit = "B", note = note,
            evidence = evidence }
end

local function still_grows(x, y, sigma)
  local line = fit_line(x, y)
  return line.slope > 3 * line.slope_error and line.slope * (x[#x] - x[1]) > 5 * sigma
end

-- No -0.00.
local function picoseconds(slope)
  local text = string.format("%.2f", 1e12 * slope)
  return tonumber(text) == 0 and "0.00" or text
end

local function report(x, one, list, sigma, axis)
  local low, high = possible(list, one, sigma)
  local value = place(x, one)
  finding {
    name = name, value = value, unit = "B", confidence = 0.95,
    low = math.min(value, x[low]), high = math.max(value, x[high + 1]),
    evidence = { { [axis] = x[low] }, { [axis] = x[high + 1] } },
    note = string.format("up to here a warm copy gains %s ps for each byte, beyond %s ps",
                         picoseconds(one.grows.slope), picoseconds(one.rest.slope)) }
end

local function is_break(x, y, one, sigma)
  -- The break and the pieces cost up to nine more parameters than one line: BIC.
  local gain = (fit_line(x, y).squares - one.squares) / sigma ^ 2 - 9 * math.log(#x)
  local rise = one.grows.slope * (x[one.k] - x[one.grows.first])
  return gain >= 10 and rise >= 5 * sigma
end

local function piece(x, y, first, last)
  local px, py = {}, {}
  for i = first, last do px[#px + 1], py[#py + 1] = x[i], y[i] end
  return fit_line(px, py)
end

-- Data that no longer fit slow the warm copy down: its own curve must bend upwards at the break, by
-- most of what the gap's does. A gap that stops growing by itself is no capacity: small copies on a
-- large GPU wait for one latency each, whatever their size.
local function warm_bends(x, warm, one)
  local before, after = piece(x, warm, one.grows.first, one.k), piece(x, warm, one.k + 1, #x)
  local bend = after.slope - before.slope
  return bend >= 0.5 * (one.grows.slope - math.max(0, one.rest.slope)) and
         bend >= 3 * math.sqrt(before.slope_error ^ 2 + after.slope_error ^ 2)
end

local LINE, ACCESSES = 128, 16384   -- of a chase
local SLOWER_BEYOND = 1.05          -- times: what a chase beyond the capacity takes more, at least

-- Mean clocks of loads of `bytes` in random order, round and round, past L1.
local function chased(bytes, most)
  local list = {}
  for i = 1, bytes // LINE do list[i] = (i - 1) * LINE end
  return probe.chase { space = "global", cache = "cg", bytes = most, offsets = lists.shuffle(list), warm = 2,
                       passes = math.max(1, ACCESSES // #list), average = true }[1]
end

-- Whether twice as many bytes are as fast as a quarter: then L2 holds them, whatever a copy does.
local function holds_twice(bytes)
  if not probe then return false end
  local most = 2 * bytes // LINE * LINE
  if most > probe.most_bytes("global") then return false end
  return chased(most, most) <= SLOWER_BEYOND * chased(bytes // 4, most)
end

function M.run(input)
  name = pick.text(input, "name", name)
  local axis, by = columns(input)
  local x, y, typical, warm = gaps(input, axis, by)
  if #x < GROWTH + REST + 2 then
    return finding { name = name, verdict = "inconclusive", unit = "B",
                     note = string.format("%d sizes in both states; 7 are needed", #x) }
  end
  -- No timer is better than a thousandth: an exact fit must not look infinitely sure.
  local floor = math.max(scatter(input, axis, by), 0.001 * stats.median(typical))
  local list = breaks(x, y)
  local best = best_of(list, floor)
  local sigma = floor
  if best then sigma = math.max(floor, math.sqrt(best.squares / math.max(1, #x - 9))) end
  local ends = { { [axis] = x[1] }, { [axis] = x[#x] } }
  if best and is_break(x, y, best, sigma) then
    if warm_bends(x, warm, best) and holds_twice(place(x, best)) then
      return none(string.format("copies bend at about %.0f KB, but a chase of twice as many bytes takes no " ..
                                "longer: that is not a capacity", place(x, best) / 1024), ends)
    end
    if warm_bends(x, warm, best) then return report(x, best, list, sigma, axis) end
    return none(string.format("the gap between flushed and warm stops growing at about %.0f KB, but " ..
                              "the warm copy does not slow down there: that is not a capacity",
                              x[best.k] / 1024), ends)
  end
  local span = string.format("%.0f to %.0f KB", x[1] / 1024, x[#x] / 1024)
  if still_grows(x, y, sigma) then
    return none("the gap between flushed and warm grows over the whole sweep, " .. span ..
                ": L2 holds at least that much", ends)
  end
  none("the gap between flushed and warm nowhere grows and then stops, " .. span, ends)
end

return M
