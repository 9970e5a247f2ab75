-- Minimal eviction sets by tests at rest, for policies of which single tests get none: those that choose at random.
--
-- A pool evicts a target here where both do not come to rest, visited round and round: where a set has to hold more lines
-- than ways, whatever the policy. The search is that of parts/eviction.lua, by such tests.
-- Used by parts/cache_sets.lua. Covered by tests/bench/recover_test.cpp and tests/experiments/eviction_test.cpp.

local eviction = use "parts/eviction"
local lists = use "parts/lists"
local M = {}

-- Tests in a row at rest, of one sweep each. Simulated: as many lines as ways rest after 34 sweeps in 95 of 100 sets of 16
-- ways, 64 of 32, if the line that leaves is chosen at random, and never miss again. One line more misses in 11 % (5 %) of
-- the tests that follow, ways / 2 more in 55 %.
local FIRST, OFTEN = 32, 5            -- in the second half of so many, so many misses: far too many lines
local WARM, REST, LATE = 96, 64, 2    -- in so many after so many, so many misses: too many. Noise makes one late
local POOL = 15                       -- log2 of the lines of the largest pool that is asked so
local VISITS = 100e6                  -- of lines, that a set may take: 16 ways of 4,096 lines take 30 million. What 96 ways
                                      -- take grows with their square
local ATTEMPTS = 4                    -- pools; each is asked by as many times as many tests, for more ways than 32
local TOO_MANY = { why = "too many visits" }

---@class EvictionAtRest: Eviction
---@field patience integer     -- times as many tests as 32 ways need
---@field visited integer      -- lines, in all tests

-- Whether a target and a pool come to rest.
local function rests(e, pool, target)
  local own = e:limit_of(target)
  local function misses(first, count)
    local targets, late = {}, 0
    for i = 1, first + count do targets[i] = target * e.line end
    e.visited = e.visited + #targets * (#pool.begin << pool.size_bits)
    if e.visited > VISITS then error(TOO_MANY) end
    for i, clocks in ipairs(e:ask(pool, targets, { passes = 1 })) do
      if i > first and clocks > own then late = late + 1 end
    end
    return late
  end
  return misses(FIRST // 2, FIRST // 2) < OFTEN and misses(WARM * e.patience, REST * e.patience) < LATE
end

-- In place of Eviction's.
local function evicts(e, pool, target, votes)
  local late = not rests(e, pool, target)
  return late, late and votes or 0
end
local function surely_evicts(e, pool, target) return (evicts(e, pool, target, 1)) end

-- A confirmed set of one attempt; nil: none.
local function attempted(e, attempt)
  e.seed, e.patience = 17 + 101 * attempt, attempt
  local target = e:element((1 << e.bits) - 1 - attempt)
  e:calibrate()
  local n = e:pool_bits(target)
  local groups = n and n <= POOL and e:reduce(target, n)
  if not groups then return nil end
  local set = { target = target, lines = {}, pool = 1 << n }
  for i, index in ipairs(groups) do set.lines[i] = e:element(index) end
  if rests(e, eviction.pool_of(set.lines), target) then return nil end
  for i = 1, #set.lines do
    if not rests(e, eviction.pool_of(lists.without(set.lines, i)), target) then return nil end
  end
  return set
end

-- A minimal set of a region in which find() found none; nil: nor is one found in so many visits, or there are too many lines.
---@param region Eviction
---@return EvictionSet?
function M.find(region)
  if not region.last_bits or region.last_bits > POOL then return nil end
  local e = eviction.resized(region, region.bits)
  e.evicts, e.surely_evicts, e.last_bits = evicts, surely_evicts, region.last_bits
  e.once, e.steady, e.visited = false, nil, 0
  for attempt = 1, ATTEMPTS do
    local done, set = pcall(attempted, e, attempt)
    if not done and set ~= TOO_MANY then error(set, 0) end
    if not done then return nil end
    if set then return set end
  end
  return nil
end

return M
