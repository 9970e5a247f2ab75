-- l2_capacity(x = size, by = state): the size of data up to which L2 holds all of it.
--
-- A copy of `size` bytes is timed with its data in L2 (state "warm") and after a flush ("flushed").
-- The gap between the two grows with the size, by the time that each byte from L2 saves, until the
-- data no longer fit; beyond, it stays, or falls to nothing where least-recently-used lines are
-- replaced in a cycle (section 3.3 of lashgar2015, the case study).
-- Two lines are fitted to the gap with a break between them, by least squares; the interval holds
-- every break that the samples do not exclude. Covered by tests/runtime/inference_test.cpp.

local M = {}

function M.describe() return "L2 capacity from a copy kernel, warm against flushed" end

local LEFT, RIGHT = 3, 2        -- points that each line needs at least
local STOPPED = 0.3             -- of the slope before: the gap no longer grows

local function axis_of(input, name)
  local axis = input.args[name]
  if type(axis) ~= "string" or not input.samples:has(axis) then
    error("the argument " .. name .. " must name an axis: x = size, by = state", 0)
  end
  return axis
end

local function columns(input)
  local x, by = axis_of(input, "x"), axis_of(input, "by")
  for _, column in ipairs(input.samples:columns()) do
    if column.role == "axis" and column.name ~= x and column.name ~= by then
      error("the sweep also varies '" .. column.name .. "': l2_capacity knows two axes", 0)
    end
  end
  if not input.samples:has("time") then
    error("the samples have no time: the experiment must `observe time`", 0)
  end
  return x, by
end

-- Sizes in increasing order, and for each the time flushed less the time warm.
local function gaps(input, x, by)
  local times = { warm = {}, flushed = {} }
  for _, row in ipairs(input.samples:reduce(input.reduce):rows()) do
    local of_state = times[row[by]]
    if not of_state then
      error("the axis '" .. by .. "' must take the words warm and flushed", 0)
    end
    of_state[row[x]] = row.time
  end
  local sizes, gap, typical = {}, {}, {}
  for size in pairs(times.warm) do
    if times.flushed[size] then sizes[#sizes + 1] = size end
  end
  table.sort(sizes)
  for i, size in ipairs(sizes) do
    gap[i] = times.flushed[size] - times.warm[size]
    typical[i] = times.flushed[size]
  end
  return sizes, gap, typical
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

local function part(values, first, last)
  return { table.unpack(values, first, last) }
end

-- Every break after point k: the squares that two lines leave, and the lines.
local function breaks(x, y)
  local list = {}
  for k = LEFT, #x - RIGHT do
    local left = fit_line(part(x, 1, k), part(y, 1, k))
    local right = fit_line(part(x, k + 1, #x), part(y, k + 1, #y))
    list[#list + 1] = { k = k, left = left, right = right, squares = left.squares + right.squares }
  end
  return list
end

local function best_of(list)
  local best = list[1]
  for _, one in ipairs(list) do if one.squares < best.squares then best = one end end
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
  local slopes = one.left.slope - one.right.slope
  local at = slopes ~= 0 and (one.right.intercept - one.left.intercept) / slopes or x[one.k]
  return math.floor(math.min(math.max(at, x[one.k]), x[one.k + 1]) + 0.5)
end

local function none(note, evidence)
  finding { name = "l2.capacity", verdict = "not_observed", unit = "B", note = note,
            evidence = evidence }
end

local function judge(x, y, one, list, sigma, axis)
  local total = fit_line(x, y)
  -- Two lines cost three more parameters (a line and a place): BIC.
  local gain = (total.squares - one.squares) / sigma ^ 2 - 3 * math.log(#x)
  local rise = one.left.slope * (x[one.k] - x[1])
  local low, high = possible(list, one, sigma)
  local evidence = { { [axis] = x[low] }, { [axis] = x[math.min(#x, high + 1)] } }
  if gain < 10 or one.left.slope <= 3 * one.left.slope_error or rise < 5 * sigma then
    return none(string.format("the gap between flushed and warm neither grows nor stops growing " ..
                              "clearly between %.0f and %.0f KB", x[1] / 1024, x[#x] / 1024), evidence)
  end
  if one.right.slope > STOPPED * one.left.slope then
    return none(string.format("the gap still grows at %.0f KB, the largest size: L2 holds at " ..
                              "least that much, or the growth has another reason",
                              x[#x] / 1024), evidence)
  end
  local value = place(x, one)
  finding {
    name = "l2.capacity", value = value, unit = "B", confidence = 0.95,
    low = math.min(value, x[low]), high = math.max(value, x[high + 1]), evidence = evidence,
    note = string.format("up to here a warm copy gains %.1f ps for each byte, beyond %.1f ps",
                         1e12 * one.left.slope, 1e12 * one.right.slope) }
end

function M.run(input)
  local axis, by = columns(input)
  local x, y, typical = gaps(input, axis, by)
  if #x < LEFT + RIGHT + 2 then
    return finding { name = "l2.capacity", verdict = "inconclusive", unit = "B",
                     note = string.format("%d sizes in both states; 7 are needed", #x) }
  end
  -- No timer is better than a thousandth: an exact fit must not look infinitely sure.
  local floor = math.max(scatter(input, axis, by), 0.001 * stats.median(typical))
  local list = breaks(x, y)
  local best = best_of(list)
  local sigma = math.max(floor, math.sqrt(best.squares / math.max(1, #x - 5)))
  if stats.max(y) < 5 * sigma then
    return none(string.format("the flushed copy is nowhere slower than the warm one (%.0f to %.0f " ..
                              "KB)", x[1] / 1024, x[#x] / 1024),
                { { [axis] = x[1] }, { [axis] = x[#x] } })
  end
  judge(x, y, best, list, sigma, axis)
end

return M
