-- Minimal eviction sets by tests at rest, for policies of which single tests get none: those that choose at random, and
-- FIFO of many ways.
--
-- Lines overfill a set here where they do not come to rest, visited round and round: where a set has to hold more lines
-- than ways, whatever the policy. A test sweeps them many times and times a last visit of each: where none is late, all
-- are there. Of one line too many at least one is late, for certain.
--
--   scan:   lines m apart, m = 1, 2, ...: those of one set, where sets are told by the line's number or its bits
--   else:   the search of parts/eviction.lua, by such tests
--   then:   the shortest part of them that does not rest, less all lines without which it does not, either
--
-- Used by parts/cache_sets.lua. Covered by tests/bench/recover_test.cpp and tests/experiments/eviction_test.cpp.

local eviction = use "parts/eviction"
local lists = use "parts/lists"
local M = {}
---@names e: EvictionAtRest, set: EvictionSet

-- Sweeps before the visits that are timed. Of ways of which a few hold other lines each miss frees one with a chance of
-- one in as many as there are, and such a set misses twice in a sweep: the last one is left after ways / 2 (3 + ln ways)
-- sweeps in 95 of 100 sets, 48 of 16 ways, 165 of 48, 365 of 96, if the line that leaves is chosen at random.
local FIRST, FAR = 32, 0.25           -- after so many, such a share late: far too many lines
local SWEEPS = { 192, 384 }           -- of the tests of one search each
local CONFIRM, LOOKS = 1536, 3        -- of the tests that confirm a set, and how many: noise makes one late
local OWN_HITS = 8                    -- of a target that takes longer than the nearest hits
local SEEN = 1024                     -- lines that a test times: lists of more would lie in the cache themselves
local POOL = 15                       -- log2 of the lines of the largest pool that is asked so
local VISITS = 120e6                  -- of lines, that a search may take: 48 ways of 1,536 lines take 70 million
-- Of a scan: lines a number of lines apart, twice as many as most caches have ways. They stand for a set where more are
-- late after so many sweeps than noise makes late; those of one set of half as many ways all are, nearly.
local APART, SCAN_SWEEPS, SCAN_LATE = 256, 12, 16
local LEAST_WAYS = 12                 -- of a set that is scanned for: others are found by the search, and soon
local MOST_APART = 2048
local WITH_NEAR = 1000                -- tests of a set's line beside another line of its page, of which one in 100 is late at
                                      -- least up to 128 ways
local TOO_MANY = { why = "too many visits" }

---@class EvictionAtRest: Eviction
---@field sweeps integer       -- before the visits that a test times
---@field visited integer      -- lines, in all tests
---@field beside integer       -- bytes to another line of a target's page; 0: none is loaded before it

-- The elements of a pool.
local function elements_of(e, pool)
  if pool.seed == 0 then return pool.begin end
  local out, size = {}, 1 << pool.size_bits
  for _, begin in ipairs(pool.begin) do
    for i = 0, size - 1 do out[#out + 1] = e:element(begin + i) end
  end
  return out
end

-- How many of some targets are late that took so many clocks. Of tests that add up no hit may be late by its own scatter: it
-- is compared with several of its own.
local function count_late(e, targets, clocks)
  local late, between, took = 0, {}, {}
  for i, each in ipairs(clocks) do
    if each > e.threshold then late = late + 1
    elseif each > e.nearest then between[#between + 1], took[#took + 1] = targets[i], each end
  end
  local most = {}
  for _ = 1, #between > 0 and OWN_HITS or 0 do
    for i, limit in ipairs(e:limits(between)) do most[i] = math.max(most[i] or 0, limit) end
  end
  for i, each in ipairs(took) do
    if each > most[i] then late = late + 1 end
  end
  return late
end

-- How many of the lines are late after so many sweeps, and of how many. Of more lines than a test times: of some.
local function late_after(e, pool, elements, sweeps)
  local targets, count, first = {}, math.min(SEEN, #elements), #elements > SEEN and math.random(#elements) or 1
  for i = 1, count do targets[i] = elements[(first + i - 2) % #elements + 1] * e.line end
  e.visited = e.visited + #elements * sweeps
  if e.visited > VISITS then error(TOO_MANY) end
  return count_late(e, targets, e:ask(pool, targets, { passes = sweeps, batch = count })), count
end

-- Whether lines come to rest; `looks` that are all late say that they do not.
local function rests(e, pool, sweeps, looks)
  local elements = elements_of(e, pool)
  local late, of = late_after(e, pool, elements, FIRST)
  if late == 0 and of == #elements then return true end
  if late > FAR * of then return false end
  for _ = 1, of < #elements and LOOKS or looks do
    late = late_after(e, pool, elements, sweeps)
    if of == #elements and late == 0 then return true end
    if of < #elements and late > 0 then return false end
  end
  return of < #elements
end

-- In place of Eviction's: there is no target.
local function evicts(e, pool, _, votes)
  local full = not rests(e, pool, e.sweeps, 1)
  return full, full and votes or 0
end
local function surely_evicts(e, pool) return (evicts(e, pool, nil, 1)) end

-- Whether lines do not come to rest, and without any one of them do. A line is late, too, whose page has to be translated:
-- so one of them has to leave beside another line of its page.
local function confirmed(e, lines)
  local pool_of = eviction.pool_of
  if rests(e, pool_of(lines), CONFIRM, LOOKS) then return false end
  for i = 1, #lines do
    if not rests(e, pool_of(lists.without(lines, i)), CONFIRM, LOOKS) then return false end
  end
  if e.beside == 0 then return true end
  local with_near, targets, late = eviction.resized(e, e.bits), {}, 0
  with_near.near = e.beside
  local most = stats.median(with_near:limits { lines[1] * e.line, lines[1] * e.line, lines[1] * e.line })
  for i = 1, WITH_NEAR do targets[i] = lines[1] * e.line end
  for _, clocks in ipairs(with_near:ask(pool_of(lists.without(lines, 1)), targets, { passes = 1 })) do
    if clocks > most then late = late + 1 end
  end
  return late >= 2
end

-- Of lines that do not rest the shortest first part that does not, less all without which it still does not.
local function pruned(e, lines)
  local low, high = 1, #lines
  local function full(list) return not rests(e, eviction.pool_of(list), CONFIRM, 1) end
  while low < high do
    local middle = (low + high) // 2
    if full(lists.slice(lines, 1, middle)) then high = middle else low = middle + 1 end
  end
  local out, i = lists.slice(lines, 1, high), 1
  while i <= #out do
    local less = lists.without(out, i)
    if full(less) then out = less else i = i + 1 end
  end
  return out
end

local function set_of(lines, pool)
  return { target = lines[1], lines = lists.slice(lines, 2, #lines), pool = pool }
end

-- A set from lines that lie so many lines apart.
local function scanned(e)
  e:calibrate()
  local most = math.min(MOST_APART, (1 << e.last_bits) // LEAST_WAYS, e.bytes // (e.line * APART))
  for apart = 1, most do
    local lines = {}
    for i = 1, APART do lines[i] = (i - 1) * apart end
    if late_after(e, eviction.pool_of(lines), lines, SCAN_SWEEPS) > SCAN_LATE then
      local out = pruned(e, lines)
      if confirmed(e, out) then return set_of(out, APART) end
    end
  end
  return nil
end

-- A set by the search of one attempt; nil: none.
local function searched(e, attempt)
  e.seed, e.sweeps = 17 + 101 * attempt, SWEEPS[attempt]
  e:calibrate()
  local n = e:pool_bits(0)
  local groups = n and n <= POOL and e:reduce(0, e:start_of(n, e:groups_of(n)), {})
  if not groups then return nil end
  local lines = {}
  for i, index in ipairs(groups) do lines[i] = e:element(index) end
  return confirmed(e, lines) and set_of(lines, 1 << n) or nil
end

-- A minimal set of a region in which find() found none; nil: nor is one found in so many visits, or there are too many lines.
---@param region Eviction
---@return EvictionSet?
function M.find(region)
  if not region.last_bits or region.last_bits > POOL then return nil end
  local e = eviction.resized(region, region.bits)
  e.evicts, e.surely_evicts, e.last_bits = evicts, surely_evicts, region.last_bits
  e.once, e.steady, e.row, e.beside, e.near = false, nil, nil, region.near, 0
  for attempt = 0, #SWEEPS do
    e.visited = 0
    local done, set = pcall(attempt == 0 and scanned or searched, e, attempt)
    if not done and set ~= TOO_MANY then error(set, 0) end
    if set and set ~= TOO_MANY then return set end
  end
  return nil
end

return M
