-- global_latency(address = "address", count = count): what a load of global memory takes that no
-- cache answers and every TLB translates.
--
-- Of many lines, each visited once, all but the first of each 4 KB are translated for certain: the
-- access before was in the same page. So TLB misses cannot mix in. `address` names a measure of the
-- arithmetic between two loads, which is taken off.
-- Arguments that name measures: address.
-- Covered by tests/experiments/memory_planted_test.cpp.

local cache = use "cache"
local chased = use "parts/chased"
local spread = use "latency_spread"
local lists = use "parts/lists"
local pick = use "parts/select"
local M = {}

local MOST = 1 << 16       -- lines: they differ by 20 %, their mean by 0.1 %
local LEAST_SHARE = 0.02   -- of the accesses: a line of L2 may be a whole page
local HELD = 32            -- lines that any cache holds, or none

-- The slowest answer of a cache to the same lines: those of one list that fits into any of them, come to
-- rest. Where no cache answers it is memory's own.
local function slowest_hit(ask)
  return stats.quantile(ask(lists.once(0, HELD), 3, 8), 0.99)
end

-- What no cache served. Caches answer part of a list that is visited once where their lines are longer
-- than those of the list, or where the writing of the list has left some of it there. nil: all of it is as fast as
-- what has come to rest, so that nothing was cached at all.
local function missed(values, hit)
  local out = {}
  for _, value in ipairs(values) do
    if value > hit then out[#out + 1] = value end
  end
  return #out >= LEAST_SHARE * #values and out or nil
end

-- How much earlier and later SMs have their values than the one that runs unplaced.
local function offsets(list, bytes, sms, here)
  local means = spread.means(spread.by_sm("global", "cg", bytes, list, sms))
  return stats.min(means) - here, stats.max(means) - here
end

function M.run(input)
  if not probe then error("global_latency runs chases of its own, which need the device", 0) end
  pick.only(input, "global_latency", { "address", "count" })
  local address = chased.address(input)
  local count = math.min(MOST, math.max(8192, math.floor(input.device.memory_bytes) >> 13))
  local bytes = count * lists.LINE
  local ask, average, first_visits = cache.asks("global", "cg", bytes, 8)
  local latencies = first_visits(lists.once(0, count))
  local overhead = chased.overhead(ask, average, latencies)
  local values = lists.translated(latencies)
  local misses = missed(values, slowest_hit(ask))
  local name = "global.latency"
  local memory = misses or values
  local off = overhead.clocks + address.clocks
  local early, late = offsets({ 0 }, 4096, input.device.sm_count, average({ 0 }, 2048))
  local error = overhead.error + address.error
  local low, high = stats.quantile(memory, 0.05) - off, stats.quantile(memory, 0.95) - off
  finding { name = name, value = stats.mean(memory) - off, unit = "clocks",
            low = low - error + math.min(0, early), high = high + error + math.max(0, late),
            note = string.format("the mean of %d accesses that %s, each translated for certain; nine of " ..
                                 "ten from %.0f to %.0f clocks, half up to %.0f; %s; over all SMs", #memory,
                                 misses and "no cache served" or "take as long when repeated", low,
                                 high, stats.median(memory) - off, address.note) }
end

return M
