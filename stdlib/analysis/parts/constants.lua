-- Constant memory as a block on one SM sees it, alone or beside other blocks.
-- Covered by tests/experiments/sharing_planted_test.cpp.

local plateaus = use "parts/plateaus"
local levels = use "parts/levels"
local M = {}

local ARRAY = 32 << 10  -- bytes of each of two arrays: constant memory has 64 KB
local MOST = 44 << 10   -- of one that is alone
local ACCESSES = 2048   -- that make an average: what comes before and after them is little then
local UNIT = 32         -- bytes to which an edge is found
local OBSERVED = 1900   -- single accesses that show which level answers
local LEAST_SHARE = 0.03 -- of them

-- Clocks an access of a list that fills so many bytes, on an SM, beside other blocks.
function M.latency(bytes, sm, beside)
  local list = plateaus.dense(bytes)
  return probe.chase { space = "constant", bytes = beside and ARRAY or 2 * ARRAY, average = true,
                       offsets = list, warm = 3, passes = math.max(2, ACCESSES // #list),
                       sm = sm or 0, beside = beside }[1]
end

-- What chases beside: so many bytes of an array of its own.
function M.chaser(sm, bytes)
  return { sm = sm, bytes = ARRAY, offsets = plateaus.dense(bytes) }
end

-- How long each access of a list takes, as parts/levels.lua asks.
local function each(list, warm, passes)
  return probe.chase { space = "constant", bytes = 2 * ARRAY, offsets = list, warm = warm,
                       passes = passes }
end

-- The slowest class of which a good part of the accesses to so many bytes is: the level that answers
-- what nearer ones do not hold. Lines make the average of its plateau faster than its own latency.
local function answering(classes, width, size)
  local list, count = plateaus.dense(size), {}
  local latencies = each(list, 3, math.max(1, OBSERVED // #list))
  for _, latency in ipairs(latencies) do
    local class = levels.class_of(classes, width, latency)
    if class then count[class] = (count[class] or 0) + 1 end
  end
  for class = #classes, 1, -1 do
    if (count[class] or 0) >= LEAST_SHARE * #latencies then return class end
  end
end

-- The plateaus of the average's curve that levels answer: { number, low, high, latency, beyond }: the
-- level's number, sizes that it answers, clocks an access, and clocks of sizes that are too large; the
-- noise of a latency; how many levels there are, or nil and why that is not known. A level may
-- have no plateau: numbers come from the latencies of single accesses.
function M.levels()
  local function measure(bytes) return M.latency(bytes, 0) end
  local again = {}
  for i = 1, 5 do again[i] = measure(plateaus.STEP) end
  local noise = math.max(0.5, 6 * stats.mad(again), 0.02 * stats.median(again))
  local classes, observed, width = levels.classes(each, plateaus.STEP, MOST, 2048)
  if #levels.rising(classes, observed, width) > 0 then
    return {}, noise, nil, "the scatter of the latencies covers the steps between its levels"
  end
  local curve = {}
  for _, size in ipairs(plateaus.sizes(MOST, UNIT)) do
    curve[#curve + 1] = { size = size, latency = measure(size) }
  end
  -- Where a level fills set by set the curve has short plateaus: the widest of each level counts.
  local widest, out = {}, {}
  for _, one in ipairs(plateaus.of(curve, noise)) do
    one.number = answering(classes, width, math.floor(math.sqrt(one.low * one.high)))
    local other = widest[one.number or 0]
    if one.number and (not other or one.high * other.low > other.high * one.low) then
      widest[one.number] = one
    end
  end
  for number = 1, #classes - 1 do
    local one, outside = widest[number], nil
    for _, point in ipairs(curve) do
      if one and point.size > one.high then outside = outside or point.size end
    end
    if outside then
      one.high = plateaus.edge(measure, one, outside, noise, UNIT)
      one.beyond = widest[number + 1] and widest[number + 1].latency or curve[#curve].latency
      out[#out + 1] = one
    end
  end
  return out, noise, #classes - 1
end

return M
