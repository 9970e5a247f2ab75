-- Constant memory as a block on one SM sees it, alone or beside other blocks.
-- Covered by tests/experiments/sharing_planted_test.cpp.

local plateaus = use "parts/plateaus"
local M = {}

local ARRAY = 32 << 10  -- bytes of each of two arrays: constant memory has 64 KB
local MOST = 44 << 10   -- of one that is alone
local UNIT = 128        -- bytes to which an edge is found

-- Clocks an access of a list that fills so many bytes, on an SM, beside other blocks.
function M.latency(bytes, sm, beside)
  local place = sm or (beside and 0) or nil
  return probe.chase { space = "constant", bytes = beside and ARRAY or 2 * ARRAY, average = true,
                       offsets = plateaus.dense(bytes), warm = 3, passes = 2, sm = place,
                       beside = beside }[1]
end

-- What chases beside: so many bytes of an array of its own.
function M.chaser(sm, bytes)
  return { sm = sm, bytes = ARRAY, offsets = plateaus.dense(bytes) }
end

-- The levels, the nearest first: { low, high, latency, beyond }, sizes that one answers, clocks an
-- access, and clocks of sizes that are too large; and the noise of a latency.
function M.levels()
  local function measure(bytes) return M.latency(bytes, 0) end
  local again = {}
  for i = 1, 5 do again[i] = measure(512) end
  local noise = math.max(0.5, 6 * stats.mad(again), 0.02 * stats.median(again))
  local curve = {}
  for _, size in ipairs(plateaus.sizes(MOST, 256)) do
    curve[#curve + 1] = { size = size, latency = measure(size) }
  end
  local found = plateaus.of(curve, noise)
  local levels = {}
  for i, each in ipairs(found) do
    local outside
    for _, point in ipairs(curve) do
      if point.size > each.high then outside = outside or point.size end
    end
    if outside then
      each.high = plateaus.edge(measure, each, outside, noise, UNIT)
      each.beyond = found[i + 1] and found[i + 1].latency or curve[#curve].latency
      levels[#levels + 1] = each
    end
  end
  return levels, noise
end

return M
