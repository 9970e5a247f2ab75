-- Minimal eviction sets by group testing (Vila, Köpf, Morales, "Theory and practice of finding eviction
-- sets", IEEE S&P 2019). What follows from one: ways and line here, the class of its set in
-- parts/eviction_class.lua, sets, set function and policy in parts/cache_sets.lua.
--
--   pool := lines that together evict the target
--   while pool is not minimal:
--     split it into groups; drop each group without which the target is still evicted
--   confirm: with all lines evicted every time, without any one of them never
--
-- A test is one launch of stdlib/probes/evict.cu. It costs two sweeps of the pool by all threads of a
-- block, so that megabytes take microseconds. Nothing is assumed of the set function, and lines never
-- have to come to rest. Under policies other than LRU (QLRU, SRRIP) fewer lines than ways may evict the target too,
-- while the set holds others beside them: where no set gets minimal so, tests follow each other, and the first ones,
-- after which nothing else is left, do not count. Policies that choose at random have no minimal set: confirm() fails
-- for them, and the reason says so.
-- Covered by tests/experiments/eviction_test.cpp.

local lists = use "parts/lists"
local runs = use "parts/eviction_runs"
local search = use "parts/eviction_search"
local ledger = use "parts/steps"
---@class Eviction
local M = {}
---@names e: Eviction, set: EvictionSet

---@class Eviction one cache, asked by loads of one operator
---@field operator string        -- "ca", "cg"
---@field line integer           -- bytes between two elements of the region
---@field bits integer           -- the region has 2^bits elements
---@field threshold number       -- clocks: a target that takes longer was evicted, wherever it lies...
---@field spread boolean?       -- the lines whose hits tell these lie all over the region: some of it may be farther away
---@field nearest number         -- ...and one that takes no longer was not; between them its own hits tell
---@field seed integer           -- of the permutation that spreads a pool over the region
---@field runs integer          -- 1: 32 elements of a pool that follow each other are lines of one page; 0: they are not
---@field near integer          -- bytes to another line of a target's page, which is loaded before it; 0: none is
---@field ways integer?          -- lines of another target's set: so many groups have one line each that counts
---@field steady boolean?        -- tests follow each other; set where what the set held before counts...
---@field row integer?            -- ...how far: 0 never, 1 to end a search, 2 always
---@field parts integer?         -- of 16, of a pool that evicted a target which was chosen among many
---@field run_parts integer?     -- of 64 of half of the region, whose sweeps told a set
---@field once boolean?         -- one sweep does, it seems, in tests that are checked later; nil: not asked yet
---@field bytes integer          -- of the array
---@field sm integer             -- where tests run
---@field threads integer        -- of a test's block, at most...
---@field blocks integer         -- ...and of its grid, of which one runs on that SM
---@field tests integer          -- loads that were timed so far
---@field rows table?            -- of steady tests, `asked`, `mixed`, and lists that `failed`: a search ends by many of them
---@field passes integer?        -- sweeps of a set that evict a target of it, where chance decides (parts/eviction_rest.lua)
---@field hit number             -- clocks: the median of hits...
---@field slowest_hit number     -- ...and about the slowest one
---@field own table?             -- what a target's own hits take at most
---@field last_bits integer?     -- log2 of the lines of the last pool that was tried

---@class EvictionSet
---@field target integer         -- an element
---@field lines integer[]        -- elements; none can be left out
---@field pool integer?           -- lines in which they were found...
---@field hold integer?           -- ...and which would evict any line, about as many as the cache has
---@field evicted integer?        -- of so many tests with all of them...
---@field asked integer?          -- ...these
---@field shown Shown?            -- the tests that confirmed it

local NEVER = 0x5a5a5a5b      -- a word that no array holds, and no sum of its words is
local PASSES = 2              -- sweeps of a test: under tree-PLRU one sweep leaves the target now and then
local VOTES = 3               -- tests of a group: all must evict. A wrong drop costs a restart, not a result
local CONFIRM = 50            -- tests of the whole set; and a fifth of that without each line
local SINGLE = 10             -- tests that say whether single ones do
local APART = 0.1             -- by which an evicted target is slower than a hit, at least...
local CLOCKS = 6              -- ...and by how many clocks
local HITS = 96               -- lines whose hits are timed
-- Lines that a thread sweeps, at least: of many warps the order of the lines is another one in each sweep. Simulated, 16
-- lines of a tree-PLRU in one order evict a target in 300 of 300 sets, in other orders in 168 (2 sweeps) to 258 (4).
local EACH = 16
local ROOM = 1 << 15          -- words of a request's lists: more than any has
-- Until a set holds but the target and the pool, and until the target leaves whatever the order in which threads
-- sweep: simulated, 100 of 100 sets of 16 ways of each QLRU (H00, H11, H21; M1, M2) need 2 tests and 3 sweeps at most.
local STEADY, STEADY_PASSES = 2, 4
local SHORT_STEADY, SHORT_PASSES = 1, 3   -- the same of a test that is checked later
-- Rows of VOTES tests that follow each other, of which some evict and some do not, and their share of all rows. Where one
-- test of 20 errs by itself 14 % do, and so many in 2 % of the searches; by chance of 1 to 4 and more even odds 48 % do.
local MIXED, MIXED_SHARE = 8, 0.3
-- Lists that evicted in a test that follows others, and then did not. Of five rounds of 20 such tests 0.4 % have two, where one
-- test of 1000 errs.
local FAILED = 2
M.CHANCE = { "chance decides which line leaves" }
local NUMBERS, BITS = 6, 48   -- of a word: as evict.cu has them
local STAND = 3               -- lines of a set, each of which must stand for another one where it is moved
local MOST_LINE = 1024        -- bytes: no line has more; a page of 4 KB and more holds what is moved by this
M.RUN = 5                     -- log2 of the lines that one load of a warp asks for
local NEAR = 2048             -- bytes to another line of the target's page, which is translated first

local function with_methods(e)
  for _, part in ipairs { M, search, runs } do
    for name, method in pairs(part) do e[name] = method end
  end
  return e
end

-- Asks about a region of 2^bits elements of `line` bytes, at the beginning of an array of `bytes`: one array for
-- all regions, because another one would lie elsewhere in memory. `sm`: where the tests run.
function M.new(operator, line, bits, bytes, device, sm)
  -- What hits L1 is not translated; a line of the target's page could be one of its set, of few.
  local near = operator ~= "ca" and line < NEAR and NEAR or 0
  local e = { near = near, runs = bits >= runs.RUNS_FROM and 1 or 0, operator = operator, line = line, bits = bits,
              bytes = bytes, sm = sm or 0, seed = 17, tests = 0, threads = math.min(1024, math.floor(device.max_threads_per_block)),
              blocks = 2 * math.floor(device.sm_count) }
  return with_methods(e)
end

-- The same over another region: elements are lines, whatever its size; what was calibrated holds.
function M.resized(e, bits)
  local other = {}
  for name, value in pairs(e) do other[name] = value end
  other.bits, other.last_bits, other.parts, other.run_parts, other.own = bits, nil, nil, nil, nil
  if bits < runs.RUNS_FROM then other.runs = 0 end
  return other
end

---@class EvictionTest        what a launch does with its targets
---@field passes integer?       -- sweeps
---@field batch integer?        -- targets that share them; 1, where they may be in one set
---@field at_once integer?      -- targets that one load asks for; 1
---@field visits integer?       -- instead of all that: visits of targets, by one thread...
---@field most_clocks number?   -- ...which hit where they take no longer
---@field cold boolean?        -- instead: the pool's runs are timed in the two sweeps after the targets

---@param test EvictionTest
local function launch(e, threads, targets, pool, test)
  local visits = test.visits or 0
  local results = visits > 0 and (visits + BITS - 1) // BITS or test.cold and #pool.begin << pool.size_bits - M.RUN or #targets
  e.tests = e.tests + #targets
  local words = probe.kernel {
    name = "evict", defines = { OPERATOR = e.operator, LISTS = e.operator == "cg" and "ca" or "cg" }, arrays = { e.bytes },
    lists = { targets, pool.begin },
    scalars = { #targets, #pool.begin, pool.size_bits, e.bits, pool.seed, e.line,
                e.near, test.passes or 0, e.sm, test.batch or 1, test.at_once or 1, visits,
                math.floor(test.most_clocks or 0), pool.seed == 0 and 0 or e.runs, test.cold and 1 or 0, NEVER },
    results = 1 + results, room = ROOM, blocks = e.blocks, fewer = 1, threads = threads,
  }
  table.remove(words, 1)
  return words
end

-- Clocks of each target's load after the pool { begin, size_bits, seed } was swept; targets in bytes.
---@param test EvictionTest?
function M:ask(pool, targets, test)
  local elements, threads = #pool.begin << pool.size_bits, 32   -- a power of two: groups are divided among them
  test = test or {}
  while 2 * threads <= self.threads and (threads * EACH < elements or threads < (test.batch or 1)) do
    threads = 2 * threads
  end
  test.passes = test.passes or self.steady and STEADY_PASSES or PASSES
  return launch(self, threads, targets, pool, test)
end

local EMPTY = { begin = {}, size_bits = 0, seed = 0 }
M.EMPTY, M.MOST_LINE, M.ROOM = EMPTY, MOST_LINE, ROOM

local function permuted(index, bits, seed)
  local mask, x = (1 << bits) - 1, index & ((1 << bits) - 1)
  for round = 0, 2 do
    x = (x * (2 * (seed >> round) + 0x9e3779b1) + seed) & mask
    x = x ~ (x >> (bits // 2 + 1))
  end
  return x
end

-- The element that an index of a pool stands for: as in evict.cu.
function M:element(index)
  if self.runs == 0 then return permuted(index, self.bits, self.seed) end
  local x, half = index & ((1 << self.bits) - 1), 1 << (self.bits - 1)
  local side, inside = x // half, x & (half - 1)
  local block = permuted(inside >> M.RUN, self.bits - M.RUN - 1, self.seed)
  local one = (inside * 0x9e3779b1 >> 16 & 1) ~ side
  return block << M.RUN + 1 | (inside & (1 << M.RUN) - 1) << 1 | one
end

local function repeated(value, count)
  local out = {}
  for i = 1, count do out[i] = value end
  return out
end

-- What a hit takes at most that took so many clocks at another time.
local function limit(clocks) return clocks + math.max(CLOCKS, APART * clocks) end
M.limit = limit

-- What hits of some targets take at most, each where it lies.
function M:limits(targets)
  local out = {}
  for i, clocks in ipairs(#targets > 0 and self:ask(EMPTY, targets) or {}) do out[i] = limit(clocks) end
  return out
end

-- Which targets were evicted that took so many clocks. One side of an L2 may lie so much farther away that its hits take
-- as long as the other side's misses: what is between is compared with its own hits.
function M:late(targets, clocks)
  local out, between, places = {}, {}, {}
  for i, each in ipairs(clocks) do
    out[i] = each > self.threshold
    if not out[i] and each > self.nearest then between[#between + 1], places[#places + 1] = targets[i], i end
  end
  for k, own in ipairs(self:limits(between)) do out[places[k]] = clocks[places[k]] > own end
  return out
end

-- Clocks beyond which this target was evicted.
function M:limit_of(target)
  self.own = self.own or {}
  if not self.own[target] then
    local place = target * self.line
    self.own[target] = stats.median(self:limits { place, place, place })
  end
  return self.own[target]
end

-- Whether all of some tests evicted the target, and how many did.
function M:evicts(pool, target, votes, short)
  local own = self:limit_of(target)
  local slow, before = 0, not self.steady and 0 or short and SHORT_STEADY or STEADY
  local passes = short and (self.steady and SHORT_PASSES or self.once and 1) or nil
  for i, clocks in ipairs(self:ask(pool, repeated(target * self.line, before + votes), { passes = passes })) do
    if i > before and clocks > own then slow = slow + 1 end
  end
  return slow == votes, slow
end

-- Ends a search by the error CHANCE, where another method is at hand (`rows`), as soon as many rows of tests that follow
-- each other are mixed: chance decides them then, and hardly any set gets minimal.
local function count_row(e, slow)
  local rows = e.rows
  if not rows then return end
  rows.asked, rows.mixed = rows.asked + 1, rows.mixed + (slow > 0 and slow < VOTES and 1 or 0)
  if rows.mixed >= MIXED and rows.mixed >= MIXED_SHARE * rows.asked then error(M.CHANCE, 0) end
end

-- The same as soon as such tests of a list that evicted its target have failed for so many lists.
function M:count_failure()
  local rows = self.steady and self.rows
  if not rows then return end
  rows.failed = rows.failed + 1
  if rows.failed == FAILED then error(M.CHANCE, 0) end
end

-- The same; a first test may save the others.
function M:surely_evicts(pool, target)
  if self.steady then
    local all, slow = self:evicts(pool, target, VOTES)
    count_row(self, slow)
    return all
  end
  return self:evicts(pool, target, 1) and self:evicts(pool, target, VOTES - 1)
end

-- Sets the threshold above the hits of many lines: some lie farther away than others.
function M:calibrate()
  local targets = {}
  local step = self.spread and 1 << M.RUN or 1
  for i = 1, HITS do targets[i] = self:element((1 << self.bits) - 1 - i * step) * self.line end
  local hits = self:ask(EMPTY, targets)
  self.hit, self.slowest_hit = stats.median(hits), stats.quantile(hits, 0.98)
  self.threshold, self.nearest = limit(self.slowest_hit), limit(stats.quantile(hits, 0.02))
end

local function pool_of(lines) return { begin = lines, size_bits = 0, seed = 0 } end
M.pool_of = pool_of

-- With all lines every time, without any one never (but for one test in a hundred: noise).
function M:confirm(set)
  local before, points = ledger.now(), {}
  local _, with = self:evicts(pool_of(set.lines), set.target, CONFIRM)
  set.evicted, set.asked = with, CONFIRM
  if with < 0.98 * CONFIRM then
    return false, string.format("the smallest set found evicts %d of %d times: which line leaves is " ..
                                "not the same each time", with, CONFIRM), with > 0.1 * CONFIRM
  end
  points[1] = { 0, with / CONFIRM }
  local tests = CONFIRM // 5
  for i = 1, #set.lines do
    local _, slow = self:evicts(pool_of(lists.without(set.lines, i)), set.target, tests)
    if slow > 1 then
      return false, string.format("without one of %d lines it still evicts %d of %d times", #set.lines,
                                  slow, tests)
    end
    points[i + 1] = { i, slow / tests }
  end
  set.shown = ledger.since(before, "share of tests that evict a line: by all lines of the set (0), without each one",
                           "line left out", "share of tests", points)
  return true
end

-- Whether a set is confirmed, by tests that follow each other where others do not: of SRRIP 16 lines of 16 ways that a
-- function tells, in any order, evict in 0 of 50 tests by themselves, and in 50 of 50 that follow each other.
function M:confirmed(set)
  if self:confirm(set) then return true end
  local steady = self.steady
  self.steady = true
  local good = not steady and self:confirm(set)
  self.steady = steady
  return good
end

-- Whether a set evicts in single tests after others that follow each other. Under QLRU_H00_M2 what the set held before let
-- 50 of 50 single tests evict, and one of 50 afterwards: 80 to 104 lines of 128 were found in its class then.
function M:evicts_singly(set)
  local steady = self.steady
  self.steady = false
  local _, slow = self:evicts(pool_of(set.lines), set.target, SINGLE)
  self.steady = steady
  return slow >= 0.9 * SINGLE
end

-- The set of a target, confirmed. nil: why, and whether which line leaves seems to be a matter of chance. A set that evicts
-- in single tests may have lines too many (23 for 16 ways under SRRIP). Where none is found, what the cache's set held
-- before may decide whether the target is evicted. So the search goes on by tests that follow each other: from the set, or
-- from the last round whose groups evict the target in them.
---@param start EvictionStart
---@return EvictionSet?, string?, boolean?
function M:minimal(target, start)
  local rounds, why, random = {}, nil, false
  local function confirmed(groups)
    if not groups then return nil end
    local set = { target = target, lines = {}, pool = #start.groups << start.bits, hold = start.hold }
    for i, index in ipairs(groups) do set.lines[i] = self.seed == 0 and index or self:element(index) end
    local good, reason, chance = self:confirm(set)
    why, random = reason or why, self.steady and chance
    return good and set or nil
  end
  local calm, groups = not self.steady, self:reduce(target, start, rounds)
  local set = confirmed(groups)
  if calm then
    local last = { groups = groups, bits = 0, first = false, single = false, tries = 0 }
    local other = confirmed(self:reduce_steadily(target, set and { last } or rounds))
    calm = set and not (other and (#other.lines < #set.lines or not self:evicts_singly(other)))
    set, self.steady = calm and set or other, not calm
  end
  if set and not calm then self.row = math.max(self.row, 1) end
  return set, why, random
end

-- The set of a target among lines that are a power of two apart. nil: there is none.
function M:strided_set(target)
  local seed, row = self.seed, self.row
  local start = self:strided(target)
  local set = start and self:minimal(target, start)
  self.seed = seed
  if not set then self.steady, self.once, self.row = false, nil, row end
  return set
end

function M:not_evicting()
  return string.format("%d lines of %d B do not evict a line", 1 << (self.bits - 1), self.line)
end

-- What costs least is tried first. The second value: half of the region evicts hardly a target.
---@return EvictionSet?, boolean?
function M:simple_set()
  local set, too_small = self:strided_set(self:element((1 << self.bits) - 1)), nil
  if not set and self.runs == 1 then
    local row = self.row
    set, too_small = self:set_in_runs()
    if not set then self.steady, self.once, self.row = false, nil, row end
  end
  return set, too_small
end

-- A confirmed minimal set of a target that no pool holds; nil, why.
---@return EvictionSet?, string?
function M:find(number)
  local why, few, only_given
  self.row = self.row or 0
  for attempt = 1, search.RESTARTS do
    self.seed = 17 + 1024 * (number or 0) + 101 * attempt
    self.steady = self.row == 2
    self:calibrate()
    if attempt == 1 and self.row < 2 then
      local set, too_small = self:simple_set()
      if set then return set end
      if too_small then return nil, self:not_evicting() end
    end
    local target, n, pool, chosen = self:target_of(attempt, not only_given)
    if not n then   -- another target's set may have more of the lines
      few = self:not_evicting()
    else
      local set, reason, random = self:minimal(target, self:start_of(n, pool))
      if set then return set end
      why = reason or why or "no set of lines is minimal, as where the line that leaves is not the same each time"
      if random and not chosen then break end
      -- What fails with a chosen target is tried with a given one, and then both by tests that follow each other.
      only_given = chosen
      if not chosen then self.row = 2 end
    end
  end
  return nil, few or why
end

-- Bytes of a line: the least power of two by which lines of a set are moved to other lines. All of them lie in another set
-- then, and evict no longer. Or they lie in the same one, as all do of a cache of one set, and of 256 B where bits from 9
-- on select the set: then a line that is moved so stands for another one, which is left out. nil: more than any line has.
function M:line_of(set)
  local count, addresses = #set.lines, {}
  for i, line in ipairs(set.lines) do addresses[i] = line * self.line end
  local function all_moved(shift)
    local moved = {}
    for i, address in ipairs(addresses) do moved[i] = address ~ shift end
    return moved
  end
  local function stands_for_others(shift)
    for i = 1, math.min(STAND, count) do
      local some = lists.without(addresses, i % count + 1)
      some[#some + 1] = addresses[i] ~ shift
      if not self:moved_evicts(some, set.target) then return false end
    end
    return count > 1
  end
  local shift = 32
  while shift <= MOST_LINE do
    if not self:moved_evicts(all_moved(shift), set.target) or stands_for_others(shift) then return shift end
    shift = shift * 2
  end
  return nil
end

-- Whether most of some tests evict the target, of a pool that is given by byte offsets: elements of 32 B. Under tree-PLRU
-- one of a hundred tests keeps it, and with all of three asked a line of 128 B had 32.
function M:moved_evicts(offsets, target)
  local fine = M.resized(self, self.bits + lists.log2(self.line // 32))
  fine.line = 32
  for i, offset in ipairs(offsets) do offsets[i] = offset // 32 end
  local _, slow = fine:evicts(pool_of(offsets), target * self.line // 32, VOTES)
  return 2 * slow > VOTES
end

-- Whether each visit of a list hits, by one thread after the one before: `order` gives the numbers of `elements`, of
-- which there are 256 at most.
function M:visit(elements, order)
  local addresses, numbers, hits = {}, {}, {}
  for i, element in ipairs(elements) do addresses[i] = element * self.line end
  for i = 1, #order, NUMBERS do
    local word = 0
    for k = 0, math.min(NUMBERS - 1, #order - i) do word = word | order[i + k] - 1 << 8 * k end
    numbers[#numbers + 1] = word
  end
  local words = launch(self, 32, addresses, pool_of(numbers),
                       { visits = #order, most_clocks = stats.max(self:limits(addresses)) })
  for i = 1, #order do hits[i] = words[1 + (i - 1) // BITS] >> (i - 1) % BITS & 1 == 1 end
  return hits
end

return M
