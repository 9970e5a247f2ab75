-- global_latency(address = "address", count = count): what a load of global memory takes that no
-- cache answers and every TLB translates.
--
-- Of many lines, each visited once, all but the first of each 4 KB are translated for certain: the
-- access before was in the same page. So TLB misses cannot mix in. `address` names a measure of the
-- arithmetic between two loads, which is taken off. Covered by tests/experiments/memory_planted_test.cpp.

local cache = use "cache"
local chased = use "parts/chased"
local spread = use "latency_spread"
local pick = use "parts/select"
local M = {}

function M.describe() return "global memory: latency without caches and TLB misses" end

local PAGE, LINE, MOST = 4096, 128, 1 << 20
local LEAST_SHARE = 0.02   -- of the accesses: a line of L2 may be a whole page

-- Each line of `count` lines once, those of a page in an order that no stream follows.
local function once(count)
  local list, each = {}, PAGE // LINE
  for k = 0, count - 1 do
    list[#list + 1] = k // each * PAGE + (k % each * 11 + k // each * 5) % each * LINE
  end
  return list
end

-- How many of the sorted values lie in each bin, smoothed over five of them; the bins' width.
local function histogram(values)
  local width = math.max(1, 0.005 * stats.median(values))
  local raw, smooth, bins = {}, {}, math.floor((values[#values] - values[1]) / width) + 1
  for _, value in ipairs(values) do
    local bin = math.floor((value - values[1]) / width) + 1
    raw[bin] = (raw[bin] or 0) + 1
  end
  for i = -1, bins + 2 do
    local sum = 0
    for k = i - 2, i + 2 do sum = sum + (3 - math.abs(k - i)) * (raw[k] or 0) end
    smooth[i] = sum / 9
  end
  return smooth, raw, bins, width
end

-- The slowest mode with a good share of the values: the mean of what lies around its peak at half of
-- the height or more. Modes are parted by a valley of less than half of the lower peak.
local function slowest(values)
  table.sort(values)
  local smooth, raw, bins, width = histogram(values)
  local least, i = LEAST_SHARE * #values, bins + 2
  while i >= 0 do
    local peak, mass = i, 0
    while i >= -1 and smooth[i] >= 0.5 * smooth[peak] and smooth[i] > 0 do
      if smooth[i] > smooth[peak] then peak = i end
      mass = mass + (raw[i] or 0)
      i = i - 1
    end
    if mass >= least then
      local low, high = peak, peak
      while low > -1 and smooth[low - 1] and smooth[low - 1] >= 0.5 * smooth[peak] do low = low - 1 end
      while high < bins + 2 and smooth[high + 1] >= 0.5 * smooth[peak] do high = high + 1 end
      local inside = {}
      for _, value in ipairs(values) do
        local bin = math.floor((value - values[1]) / width) + 1
        if bin >= low and bin <= high then inside[#inside + 1] = value end
      end
      return { mean = stats.mean(inside), low = inside[1], high = inside[#inside],
               share = mass / #values }
    end
    i = i - 1
  end
  return nil
end

-- How much earlier and later SMs have their values than the one that runs unplaced.
local function offsets(list, bytes, sms, here)
  local means = spread.means(spread.by_sm("global", "cg", bytes, list, sms))
  return stats.min(means) - here, stats.max(means) - here
end

function M.run(input)
  if not probe then error("global_latency asks for chases of its own: it needs the device", 0) end
  pick.only(input, "global_latency", { "address", "count" })
  local address = chased.address(input)
  local count = math.min(MOST, math.max(8192, math.floor(input.device.memory_bytes) >> 13))
  local bytes = count * LINE
  local ask, average = cache.asks("global", "cg", bytes, 8)
  local values, latencies = {}, ask(once(count), 0, 1)
  local overhead = chased.overhead(ask, average, latencies)
  for i, latency in ipairs(latencies) do
    if (i - 1) % (PAGE // LINE) > 0 then values[#values + 1] = latency end
  end
  local memory = slowest(values)
  local name = "global.latency"
  if not memory then
    return pick.inconclusive(name, "clocks", "the latencies form no cluster")
  end
  local off = overhead.clocks + address.clocks
  local early, late = offsets({ 0 }, 4096, input.device.sm_count, average({ 0 }, 2048))
  local error = overhead.error + address.error
  finding { name = name, value = memory.mean - off, unit = "clocks",
            low = memory.low - off - error + math.min(0, early),
            high = memory.high - off + error + math.max(0, late),
            note = string.format("the slowest mode, %.0f %% of what is translated for certain of %d MB " ..
                                 "visited once: %.0f to %.0f clocks; %s; over all SMs",
                                 100 * memory.share, bytes >> 20, memory.low - off,
                                 memory.high - off, address.note) }
end

return M
