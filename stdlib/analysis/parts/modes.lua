-- The mode that most of some latencies belong to, whatever the others are; or both of two modes.
-- Used by global_patterns.lua and parts/from_memory.lua. Covered by tests/experiments/patterns_test.cpp.

local M = {}

local STEP = 4      -- clocks: an H200 records latencies of long chases in steps of 3
local MANY = 256    -- values: of so many, neighbours in a mode lie less than a step apart...
local GAP = 0.25    -- ...or than this part of the width of the shortest half, whatever the mode's width
local SHARE = 0.7   -- of the values in one mode: they are of one kind
local EACH = 0.2    -- of the values, at least, in each of two modes: fewer are outliers of one
local BOTH = 0.9    -- of the values in two modes together: more modes would hold some of the rest

-- { mean, low, high, error (of the mean), share (of the values), count, others (the median of the rest) }. The shortest half of the values
-- lies in the mode, and what is about as near to that as it is wide; of many values also what goes on without a gap:
-- L2 hits of an H100 lie from 247 to 330 clocks, and 69 to 71 % of them within twice the width of the shortest half.
function M.of(values)
  if #values < 4 then return { share = 0, count = #values } end
  table.sort(values)
  local half, at, inside = (#values + 1) // 2, 1, {}
  for i = 2, #values - half + 1 do
    if values[i + half - 1] - values[i] < values[at + half - 1] - values[at] then at = i end
  end
  local from, to, outside = at, at + half - 1, {}
  local low, high = 2 * values[from] - values[to] - STEP, 2 * values[to] - values[from] + STEP
  local gap = math.max(STEP, GAP * (values[to] - values[from]))
  local function joined(k, to_k) return #values >= MANY and math.abs(values[k] - values[to_k]) <= gap end
  while from > 1 and (values[from - 1] >= low or joined(from - 1, from)) do from = from - 1 end
  while to < #values and (values[to + 1] <= high or joined(to + 1, to)) do to = to + 1 end
  for i, value in ipairs(values) do
    local list = i >= from and i <= to and inside or outside
    list[#list + 1] = value
  end
  return { mean = stats.mean(inside), low = inside[1], high = inside[#inside], count = #inside,
           error = math.sqrt(stats.variance(inside) / #inside), share = #inside / #values,
           others = #outside > 0 and stats.median(outside) or nil }
end

-- Both modes of values that are of two kinds, the faster first: as `of`, with shares of all values. They lie
-- further apart than each is wide. nil where there is one mode, or more than two.
function M.two(values)
  table.sort(values)
  local least, at = math.max(4, math.ceil(EACH * #values)), nil
  for i = least, #values - least do   -- the widest gap that leaves enough on both sides
    if not at or values[i + 1] - values[i] > values[at + 1] - values[at] then at = i end
  end
  if not at then return nil end
  local sides = {}
  for side, range in ipairs { { 1, at }, { at + 1, #values } } do
    local part = {}
    for i = range[1], range[2] do part[#part + 1] = values[i] end
    local mode = M.of(part)
    mode.share = mode.count / #values
    sides[side] = mode
  end
  local below, above = sides[1], sides[2]
  local width = math.max(below.high - below.low, above.high - above.low, STEP)
  local both = below.share + above.share >= BOTH and below.share >= EACH and above.share >= EACH
  return both and above.low - below.high > width and sides or nil
end

function M.one_kind(mode) return mode.share >= SHARE end

-- Whether two modes are the same but for chance and a step of the clock.
function M.alike(a, b) return math.abs(a.mean - b.mean) <= math.max(1.5, 6 * (a.error + b.error)) end

return M
