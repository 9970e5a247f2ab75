-- Minimal eviction sets by what does not come to rest, for policies of which single tests get none: those that choose
-- at random, and FIFO of many ways.
--
-- Lines that are visited round and round come to rest, whatever the policy, where no set has to hold more of them than it
-- has ways: then all hit. In a set with a line too many at least one is late in each round, and under such policies each
-- of its lines is now and then. So a pool is taken of which a few sets have a line too many, and what is late are the
-- lines of these sets:
--
--   lines of the cache:  what hits of a pool that is larger
--   pool:                so many random runs of 32 lines that a few runs are late now and then
--   lines:               those of the late runs that are late among these
--   set:                 less all lines without which the others still do not come to rest
--
-- Used by parts/cache_sets.lua. Covered by tests/bench/recover_test.cpp and tests/experiments/eviction_test.cpp.

local eviction = use "parts/eviction"
local lists = use "parts/lists"
local M = {}
---@names e: EvictionAtRest, pools: EvictionAtRest, set: EvictionSet

local RUN = eviction.RUN      -- log2 of the lines of a run
local NEVER = 0x5a5a5a5b      -- a word that no array holds, and no sum of its words is
local UNITS, LISTED, ROOM = 20480, 2048, 1 << 12   -- runs and lines that a launch counts, and words of a list: as rest.cu has them
local MOST_LATE = 160         -- lines among which a set is looked for
local FEW_LINES = 2048        -- of a cache, of which a pool is listed line by line: of 47 sets each run has a line in most
local FEWEST = 32             -- runs of the first pool that is asked how much of it hits
local SWEEPS = 4              -- of such a pool: what the cache held before is gone by then...
local SAMPLE = 1024           -- ...and so many of its runs are timed, by one line
local ENOUGH = 256            -- lines of one run or another, whose share of hits is 3 % off: of 31 it said 939 to 1,588 of 1,248
local MISSING = 0.05          -- share of these that is late, from which on the pool is larger than the cache
-- Lines of a pool for those of the cache: one in some thousand sets has a line too many at 0.25 (8 ways) to 0.6 (48 ways).
local SHARE, STEP, POOLS = 0.5, 0.8, 14   -- the first one; times that the next one is; so many at most
local SETTLE = 16             -- sweeps of a pool before rounds are timed
local FEW, MOST = 4, 0.97     -- of so many rounds, share of the runs that is late of a pool in which most sets have too many
local MOST_LISTED = 0.5       -- the same of lines, one of each run, after more rounds
local ROUNDS = 64             -- of a pool, and then of runs that were late. Of 32 ways a line is late in 1 of 16 rounds
-- Rounds of what was late before those that count, in turn: fewer and fewer sets are left that have as many lines as ways,
-- and stale ones yet.
local SETTLED = { 32, 64, 192 }
local RUNS = LISTED >> RUN    -- whose lines are listed
local KEPT, THINNED, VAIN = 0.97, 24, 4   -- share of what is late that is asked again, as long as a set of it has too many; so
                              -- often at most, and so often in vain
local SEEN = 3                -- times that rounds are repeated in which each line of a set is to be late once
local MATE = 26               -- bits of an element: a word of a list has two
-- Loads of runs that hit, and the share of them that takes no longer than what counts as one: of a cache of 2,256 lines one
-- of 32 was gone before it was timed in more than 2 of 100.
local WARM, SURE = 96, 0.9
-- Rounds until lines come to rest that do. Where a few ways of a set hold other lines, each miss frees one with a chance of
-- one in as many as there are, and such a set misses twice in a round: the last one is left after ways / 2 (3 + ln ways)
-- rounds in 95 of 100 sets, if the line that leaves is chosen at random. Four times as many do in 99.999 of 100.
local MOST_WAYS = 96
local function patience(lines)
  local ways = math.min(lines, MOST_WAYS)
  return math.ceil(2 * ways * (3 + math.log(ways)))
end
local ATTEMPTS, WITHOUT = 3, 1   -- and the one in which no other line of a page is loaded before one of few: these fill small caches
local PAGE, MATE_FROM, MATE_LINE = 4096, 1024, 128   -- bytes of the smallest page, and from a line to the one that is loaded before
                              -- it: at least, and a multiple of these
local SURELY = 6              -- sweeps of a full set for each of its ways, after which one of 400 targets is left

---@class EvictionAtRest: Eviction
---@field address integer      -- where the array begins
---@field shift integer        -- lines to the first block of 64 that begins at a multiple of its size
---@field mates boolean        -- another line of its page is loaded before a line

---@class RestTest
---@field runs integer?        -- a pool of so many runs...
---@field listed integer[]?    -- ...or lines with their mates
---@field units integer        -- that are timed
---@field rounds integer
---@field most number          -- clocks that a hit takes at most
---@field sweeps integer?
---@field skip integer?
---@field lanes integer?

-- In how many rounds each unit is late, and whether a round was clean.
---@param test RestTest
local function counted(e, test)
  local list = test.listed or {}
  local words = probe.kernel {
    name = "rest", defines = { OPERATOR = e.operator }, arrays = { e.bytes }, lists = { list }, room = ROOM,
    scalars = { #list, test.runs or 0, test.units, e.bits, e.seed, e.shift, e.line, test.sweeps or 0, test.rounds, test.skip or 0,
                test.lanes or 1, math.floor(test.most), e.sm, NEVER },
    results = 2 + test.units, blocks = e.blocks, fewer = 1, threads = test.listed and 32 or e.threads,
  }
  e.address = math.tointeger(words[2])
  return lists.slice(words, 3, #words), words[1] == 1
end

-- Numbers of the units that are late now and then.
local function late_units(e, test)
  local out = {}
  for i, count in ipairs((counted(e, test))) do
    if count > 0 then out[#out + 1] = i end
  end
  return out
end

-- Another line of the page of one: somewhere in its 4 KB, so that those of lines of one set lie in many, and 1 KB from it or
-- farther, as the lowest bits may select no set.
local function mate_of(e, x, salt)
  local address = e.address + x * e.line
  local most, least = PAGE // MATE_LINE, MATE_FROM // MATE_LINE
  local apart = least + (address * 0x9e3779b97f4a7c15 >> 40 + 7 * salt) % (most - least)
  return ((address ~ apart * MATE_LINE) - e.address) // e.line
end

-- Words of some lines (elements), each with another one of its page, where such are loaded. L1 translates nothing.
local function with_mates(e, lines)
  local out = {}
  for i, x in ipairs(lines) do out[i] = x | (e.mates and mate_of(e, x, 0) or x) << MATE end
  return out
end

local function come_to_rest(e, words)
  local _, clean = counted(e, { listed = words, units = #words, rounds = patience(#words), most = e.threshold })
  return clean
end

-- Whether some lines come to rest.
local function rests(e, lines) return come_to_rest(e, with_mates(e, lines)) end

-- Those of some runs or lines that are late where others are not visited any more.
local function still_late(e, list, settled, times, lanes, most)
  local out = {}
  local test = { listed = list, units = #list, rounds = settled + times * ROUNDS, skip = settled, lanes = lanes, most = most }
  for i, unit in ipairs(late_units(e, test)) do out[i] = list[unit] end
  return out
end

-- Fewer of what is late: most sets have about one line too many, so that of a part that leaves out a few many come to rest.
local function thinned(list, enough, ask)
  local vain = 0
  for _ = 1, THINNED do
    if #list <= enough or vain == VAIN then break end
    local some = ask(lists.slice(lists.shuffle(lists.slice(list, 1, #list)), 1, math.floor(KEPT * #list)))
    if #some > 1 and #ask(some) > 1 then list, vain = some, 0 else vain = vain + 1 end
  end
  return list
end

-- Lines that the cache holds, from the share of a larger pool that hits. With lines that leave at random, C of N lines
-- are there, of which each survives the misses of a round: hits = exp(-misses / C). nil: half of the region is not larger.
local function lines_held(e)
  local runs = FEWEST
  while runs << RUN < 1 << e.bits do
    local units, late, asked = math.min(runs, SAMPLE), 0, 0
    repeat
      local counts = counted(e, { runs = runs, units = units, sweeps = SWEEPS, rounds = 1, most = e.threshold })
      for i = 2, units do late = late + counts[i] end   -- the first one waits for code, too
      asked = asked + units - 1
    until asked >= ENOUGH
    local hits = 1 - late / asked
    if hits < 1 - MISSING then
      return hits == 0 and runs << RUN - 1 or -(runs << RUN) * (1 - hits) / math.log(hits)
    end
    runs = runs * 2
  end
  return nil
end

-- A line of a pool of runs, as rest.cu has it.
local function element(e, index)
  local x, block = e:element(index), 2 << RUN
  return (x >= (1 << e.bits) - block and x % block or x) + e.shift
end

-- What loads of runs take at most that hit.
local function run_threshold(e)
  local targets = {}
  for run = 0, WARM - 1 do
    for i = 0, (1 << RUN) - 1 do targets[#targets + 1] = element(e, (run << RUN) + i) * e.line end
  end
  local clocks = e:ask(eviction.EMPTY, targets, { batch = 1 << RUN, at_once = 1 << RUN })
  return eviction.limit(stats.quantile(clocks, SURE))
end

-- A word of line `i` of a run, with another one of its block, of a pair of which the pool has the other line.
local function word_of(e, run, i)
  local count = 1 << RUN
  local line, pair = element(e, (run << RUN) + i), (i + math.random(count - 1)) % count
  local mate = e.mates and (element(e, (run << RUN) + pair) - e.shift ~ 1) + e.shift or line
  return line | mate << MATE
end

local function lines_of(e, runs)
  local out = {}
  for _, run in ipairs(runs) do
    for i = 0, (1 << RUN) - 1 do out[#out + 1] = word_of(e, run, i) end
  end
  return out
end

-- Late ones of some lines, of about one set; nil: of too many.
local function late_of_lines(e, lines)
  local last = SETTLED[#SETTLED]
  local function ask(some) return still_late(e, some, last, SEEN, 1, e.threshold) end
  lines = thinned(#lines > 0 and ask(lines) or {}, 2, ask)
  for i, word in ipairs(lines) do lines[i] = word & (1 << MATE) - 1 end
  return #lines <= MOST_LATE and lines or nil
end

-- Late lines of so many, each of another run, of about one set; none: all come to rest; nil: too many do not.
local function late_of_few(e, count)
  local lines = {}
  for run = 1, count do lines[run] = word_of(e, run - 1, math.random(1 << RUN) - 1) end
  lines = still_late(e, lines, SETTLED[1], 1, 1, e.threshold)
  if #lines > MOST_LISTED * count then return nil end
  return late_of_lines(e, lines)
end

-- Late lines of so many runs, of about one set; none: all come to rest; nil: too many do not.
local function late_lines_of(e, runs, most)
  local test = { runs = runs, units = runs, sweeps = SETTLE, rounds = FEW, lanes = 1 << RUN, most = most }
  if #late_units(e, test) > MOST * runs then return nil end
  test.rounds = ROUNDS
  local late = late_units(e, test)
  if #late > LISTED then return nil end
  for i, unit in ipairs(late) do late[i] = unit - 1 end
  for _, settled in ipairs(SETTLED) do
    if #late > 0 then late = still_late(e, late, settled, 1, 1 << RUN, most) end
  end
  local last = SETTLED[#SETTLED]
  late = thinned(late, RUNS, function(some) return still_late(e, some, last, 1, 1 << RUN, most) end)
  return #late <= RUNS and late_of_lines(e, lines_of(e, late)) or nil
end

-- The same of a pool in which a few sets have a line too many, and its lines; nil: none was found.
local function late_lines(e, held)
  local few = held <= FEW_LINES
  local most, each = not few and run_threshold(e), few and 1 or 1 << RUN   -- lines of a unit
  local units, low, high = math.floor(held * SHARE) // each, nil, nil
  for _ = 1, POOLS do
    units = math.max(1, math.min(units, few and LISTED or UNITS))
    local lines
    if few then lines = late_of_few(e, units) else lines = late_lines_of(e, units, most) end
    if lines and #lines > 1 then return lines, units * each end
    if lines then low = units else high = units end
    local next_one = low and high and (low + high) // 2 or math.floor(low and units / STEP or units * STEP)
    if next_one == units then return nil end
    units = next_one
  end
  return nil
end

-- Of lines that do not come to rest those without which the others do.
local function pruned(e, lines)
  local i = 1
  while i <= #lines do
    local less = lists.without(lines, i)
    if #less > 1 and not rests(e, less) then lines = less else i = i + 1 end
  end
  return lines
end

-- In place of Eviction's: the target is one of the lines that come to rest, or do not.
local function evicts(e, pool, target, votes)
  local full = not rests(e, lists.plus(pool.begin, target))
  return full, full and votes or 0
end

local function surely_evicts(e, pool, target) return (evicts(e, pool, target, 1)) end

-- Whether a minimal set is one beside two other lines of each one's page, too: these lie in other sets, and what is late is
-- no translation.
local function minimal_beside_mates(e, lines)
  local function rest_beside(some)
    local words = with_mates(e, some)
    for _, x in ipairs(e.mates and some or {}) do words[#words + 1] = mate_of(e, x, 1) | x << MATE end
    return come_to_rest(e, words)
  end
  if rest_beside(lines) then return false end
  for i = 1, #lines do
    if not rest_beside(lists.without(lines, i)) then return false end
  end
  return true
end

-- The same where lines of the same pages come to rest: of few sets one has some of so many mates.
local function moved_rest(e, lines)
  local moved = {}
  for i, x in ipairs(lines) do moved[i] = mate_of(e, x, 1) end
  return rests(e, moved)
end

-- A set of some lines that do not come to rest; nil: there is none.
---@return EvictionSet?
local function minimal(e, lines)
  local left = not rests(e, lines) and pruned(e, lines) or {}
  if #left < 2 or #left > e.MOST_LINES then return nil end
  local alone = not e.mates and moved_rest(e, left)
  e.mates = e.near > 0
  if not minimal_beside_mates(e, left) then
    if not alone then return nil end
    e.mates = false
  end
  local set = { target = left[1], lines = lists.slice(left, 2, #left) }
  return e:confirm(set) and set or nil
end

-- In place of Eviction's: the set of another attempt.
---@return EvictionSet?
local function find(e, number)
  local pools = eviction.resized(e, lists.log2(e.bytes // e.line))
  pools.runs, pools.shift, pools.seed = 1, 0, 1
  counted(pools, { runs = 1, units = 1, rounds = 0, most = 0 })
  pools.shift, e.address, e.shift = -pools.address % (2 * e.line << RUN) // e.line, pools.address, 0
  for attempt = 1, ATTEMPTS do
    pools.seed = 17 + 1009 * (number * ATTEMPTS + attempt)
    pools:calibrate()
    e.threshold, e.nearest, e.hit, e.slowest_hit = pools.threshold, pools.nearest, pools.hit, pools.slowest_hit
    local held = lines_held(pools)
    local lines, pool = nil, nil
    if held then
      pools.mates = e.near > 0 and (held > FEW_LINES or attempt ~= WITHOUT)
      e.mates = pools.mates
      lines, pool = late_lines(pools, held)
    end
    local set = lines and minimal(e, lines)
    if set then
      set.pool, set.hold = pool, math.floor(held)
      return set
    end
  end
  return nil
end

-- A region in which eviction tests found no minimal set, asked so, and a set; nil: none is found so either.
---@param region Eviction
---@return Eviction?, EvictionSet?
function M.of(region)
  local e = eviction.resized(region, region.bits)
  e.evicts, e.surely_evicts, e.find, e.steady, e.once = evicts, surely_evicts, find, nil, nil
  local set = e:find(0)
  if not set then return nil end
  -- A set of W lines that is full gives up one at random in each miss until it gives up the target.
  e.passes = SURELY * #set.lines
  return e, set
end

return M
