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

local gf2 = use "parts/gf2"
local lists = use "parts/lists"
local M = {}

---@class Eviction one cache, asked by loads of one operator
---@field operator string        -- "ca", "cg"
---@field line integer           -- bytes between two elements of the region
---@field bits integer           -- the region has 2^bits elements
---@field threshold number       -- clocks: a target that takes longer was evicted, wherever it lies...
---@field nearest number         -- ...and one that takes no longer was not; between them its own hits tell
---@field seed integer           -- of the permutation that spreads a pool over the region
---@field near integer          -- bytes to another line of a target's page, which is loaded before it; 0: none is
---@field ways integer?          -- lines of another target's set: so many groups have one line each that counts
---@field steady boolean?        -- tests follow each other; set where what the set held before counts...
---@field row integer?            -- ...how far: 0 never, 1 in pools of fewer than CALM lines, 2 always
---@field parts integer?         -- of 16, of a pool that evicted a target which was chosen among many
---@field once boolean?         -- one sweep does, it seems, in tests that are checked later; nil: not asked yet

---@class EvictionSet
---@field target integer         -- an element
---@field lines integer[]        -- elements; none can be left out
---@field pool integer?           -- lines in which they were found...
---@field hold integer?           -- ...and which would evict any line, about as many as the cache has
---@field evicted integer?        -- of `asked` tests with all of them

local NEVER = 0x5a5a5a5b      -- a word that no array holds, and no sum of its words is
local PASSES = 2              -- sweeps of a test: under tree-PLRU one sweep leaves the target now and then
local VOTES = 3               -- tests of a group: all must evict. A wrong drop costs a restart, not a result
local MANY = 1 << 11          -- lines of a pool whose sweeps take long: one test tells, and the round is checked
local GROUPS = 4              -- log2 of the groups of the first round: for 16 ways some 34 sweeps of the first pool, where
                              -- 2^5 would cost 40 and 2^3 43 (counted by hand, not measured)
-- Of a large pool, parts in 16 that are tried on many candidates for a target: in sets of 16 ways, of which 2^n lines hold
-- 16 to 32, one candidate in 1000 (5 parts) or 50 (7) has 16 lines of so many, if lines are dealt at random. Such a target
-- takes half of the visits that another one takes. From 2^16 lines on a part is swept by 1024 threads,
-- and so many candidates share a sweep.
local CHOSEN_FROM, PARTS = 16, { 3, 5, 7, 9, 11, 13 }
local CHOICES = 2             -- of the candidates that a part evicts: so many are asked by themselves
local STUCK_FROM, STUCK = 64, 0.8   -- groups, and the share of them that a round leaves where no set gets minimal
-- Groups that a round of one sweep may leave, and times those before it: 16 groups with one line or two each become 20
-- halves. Of 16 lines 7 groups become 11 halves.
local ONCE_MOST, ONCE_MORE = 16, 1.5
local CONFIRM = 50            -- tests of the whole set; and a fifth of that without each line
local RESTARTS = 4            -- pools that are tried
local MOST_LINES = 256        -- of a minimal set: no cache has more ways
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
-- A test that follows others costs six sweeps for one. Where a target needed them, the next one's large pools are asked
-- without: a virtual tree-PLRU of 16 ways, 50 MB, was reduced so to 28,000 lines, and took 44 million visits for 71.
local CALM = 1 << 15
local TRIES = 4               -- of a round: one may fail because tests must follow each other, or must not, and one because
                              -- a group has two lines that count. Simulated, 3 do for 180 of 182 sets of 19 policies
local NUMBERS, BITS = 6, 48   -- of a word: as evict.cu has them
local MOST_LINE = 1024        -- bytes: no line has more; a page of 4 KB and more holds what is moved by this
local NEAR = 2048             -- bytes to another line of the target's page, which is translated first

local function with_methods(e)
  for name, method in pairs(M) do e[name] = method end
  return e
end

-- Asks about a region of 2^bits elements of `line` bytes, at the beginning of an array of `bytes`: one array for
-- all regions, because another one would lie elsewhere in memory. `sm`: where the tests run.
function M.new(operator, line, bits, bytes, device, sm)
  -- What hits L1 is not translated; a line of the target's page could be one of its set, of few.
  local near = operator ~= "ca" and line < NEAR and NEAR or 0
  local e = { near = near, operator = operator, line = line, bits = bits, bytes = bytes, sm = sm or 0, seed = 17,
              tests = 0, threads = math.min(1024, math.floor(device.max_threads_per_block)),
              blocks = 2 * math.floor(device.sm_count) }
  return with_methods(e)
end

-- The same over another region: elements are lines, whatever its size; what was calibrated holds.
function M.resized(e, bits)
  local other = {}
  for name, value in pairs(e) do other[name] = value end
  other.bits, other.last_bits, other.parts, other.own = bits, nil, nil, nil
  return other
end

---@class EvictionTest        what a launch does with its targets
---@field passes integer?       -- sweeps
---@field batch integer?        -- targets that share them; 1, where they may be in one set
---@field at_once integer?      -- targets that one load asks for; 1
---@field visits integer?       -- instead of all that: visits of targets, by one thread...
---@field most_clocks number?   -- ...which hit where they take no longer

---@param test EvictionTest
local function launch(e, threads, targets, pool, test)
  local visits = test.visits or 0
  local results = visits > 0 and (visits + BITS - 1) // BITS or #targets
  e.tests = e.tests + #targets
  local words = probe.kernel {
    name = "evict", defines = { OPERATOR = e.operator, LISTS = e.operator == "cg" and "ca" or "cg" }, arrays = { e.bytes },
    lists = { targets, pool.begin },
    scalars = { #targets, #pool.begin, pool.size_bits, e.bits, pool.seed, e.line,
                e.near, test.passes or 0, e.sm, test.batch or 1, test.at_once or 1, visits,
                math.floor(test.most_clocks or 0), NEVER },
    results = 1 + results, room = ROOM, blocks = e.blocks, fewer = 1, threads = threads,
  }
  table.remove(words, 1)
  return words
end

-- Clocks of each target's load after the pool { begin, size_bits, seed } was swept; targets in bytes.
---@param test EvictionTest?
function M:ask(pool, targets, test)
  local elements, threads = #pool.begin << pool.size_bits, 32   -- a power of two: groups are divided among them
  while 2 * threads <= self.threads and threads * EACH < elements do threads = 2 * threads end
  test = test or {}
  test.passes = test.passes or self.steady and STEADY_PASSES or PASSES
  return launch(self, threads, targets, pool, test)
end

local EMPTY = { begin = {}, size_bits = 0, seed = 0 }
M.EMPTY, M.MOST_LINE = EMPTY, MOST_LINE

-- The element that a permuted index stands for: as in evict.cu.
function M:element(index)
  local mask, x = (1 << self.bits) - 1, index & ((1 << self.bits) - 1)
  for round = 0, 2 do
    x = (x * (2 * (self.seed >> round) + 0x9e3779b1) + self.seed) & 0xffffffff & mask
    x = x ~ (x >> (self.bits // 2 + 1))
  end
  return x
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

-- The same; a first test may save the others.
function M:surely_evicts(pool, target)
  if self.steady then return self:evicts(pool, target, VOTES) end
  return self:evicts(pool, target, 1) and self:evicts(pool, target, VOTES - 1)
end

-- Sets the threshold above the hits of many lines: some lie farther away than others.
function M:calibrate()
  local targets = {}
  for i = 1, HITS do targets[i] = self:element((1 << self.bits) - 1 - i) * self.line end
  local hits = self:ask(EMPTY, targets)
  self.hit, self.slowest_hit = stats.median(hits), stats.quantile(hits, 0.98)
  self.threshold, self.nearest = limit(self.slowest_hit), limit(stats.quantile(hits, 0.02))
end

-- The smallest pool of 2^n permuted elements that evicts the target: n. nil: half of the region does not. Sets have
-- about the same size: what another target needed is asked first.
function M:pool_bits(target)
  local function evicts(n) return (self:groups_evict({ 0 }, n, target)) end
  local most = self.bits - 1
  local n = self.last_bits or most
  while not evicts(n) do
    if n == most then return nil end
    n = n + 1
  end
  while n > 3 and n <= (self.last_bits or most) and evicts(n - 1) do n = n - 1 end
  self.last_bits = n
  return n
end

-- A target that a part of a pool of 2^n elements evicts, and the groups of 2^(n - GROUPS) elements that do. nil: none of
-- so many lines beyond the pool. Under tree-PLRU those are chosen that what sets held before helps: where no target was
-- found without tests that follow each other, such a test has to say it, too.
function M:chosen(n)
  local short = self.parts and self.row == 0
  local targets, size_bits = {}, n - GROUPS
  for i = 1, self.threads do targets[i] = self:element((1 << self.bits) - RESTARTS - 1 - i) end
  local at = {}
  for i, target in ipairs(targets) do at[i] = target * self.line end
  for _, parts in ipairs(PARTS) do
    local groups, asked = self:groups_of(n, parts), 0
    if parts >= (self.parts or 0) then
      local pool = { begin = groups, size_bits = size_bits, seed = self.seed }
      for i, late in ipairs(self:late(at, self:ask(pool, at, { batch = #at }))) do
        if late and asked < CHOICES then
          asked = asked + 1
          local evicts = short and self.groups_evict or self.steadily
          if evicts(self, groups, size_bits, targets[i]) then
            self.parts = parts
            return targets[i], groups
          end
        end
      end
    end
  end
  return nil
end

-- A target, the bits of a pool that evicts it, the groups of it that do, and whether it is a chosen one, as `choose` wants it.
-- Without the bits: half of the region does not.
function M:target_of(attempt, choose)
  local target, known = self:element((1 << self.bits) - 1 - attempt), choose and self.parts ~= nil
  local n = known and self.last_bits or self:pool_bits(target)
  if choose and n and n >= CHOSEN_FROM then
    local other, groups = self:chosen(n)
    if other then return other, n, groups, true end
  end
  if known then n = self:pool_bits(target) end   -- what another target needed does not do
  return target, n, n and self:groups_of(n), false
end

-- Whether groups evict the target in a test that follows others of the same: what its set held before does not help.
function M:steadily(groups, size_bits, target)
  local steady = self.steady
  self.steady = true
  local evicts = self:groups_evict(groups, size_bits, target)
  self.steady = steady
  return evicts
end

-- The first `parts` groups of 16 of a pool of 2^n elements; all of them, without.
function M:groups_of(n, parts)
  local out, size_bits = {}, math.max(0, n - GROUPS)
  for i = 0, (parts or 1 << (n - size_bits)) - 1 do out[#out + 1] = i << size_bits end
  return out
end

-- Whether groups evict the target. The second value: one short test told it, as the groups are large.
function M:groups_evict(groups, size_bits, target)
  local pool, short = { begin = groups, size_bits = size_bits, seed = self.seed }, #groups << size_bits >= MANY
  if short then return self:evicts(pool, target, 1, true), true end
  return self:surely_evicts(pool, target), false
end

-- What a round has left, where it evicts the target as surely as what it began with; nil: it does not, after all.
function M:checked(groups, size_bits, target, short)
  local sure = not short or self:surely_evicts({ begin = groups, size_bits = size_bits, seed = self.seed }, target)
  return sure and groups or nil
end

-- The first groups up to the least number of them that evicts: the last ones held what was too much.
function M:first_of(groups, size_bits, target)
  local low, high = 1, #groups
  while low < high do
    local middle = (low + high) // 2
    if self:groups_evict(lists.slice(groups, 1, middle), size_bits, target) then high = middle else low = middle + 1 end
  end
  return lists.slice(groups, 1, high)
end

-- Whether groups evict the target in one sweep, as far as a short test tells.
function M:once_evicts(groups, size_bits, target)
  self.once = not self.steady
  return self.once and self:groups_evict(groups, size_bits, target)
end

-- The same in the least number of sweeps that does. By LRU one sweep evicts what two do; under another policy fewer
-- groups do in two than in one.
function M:first_round(groups, size_bits, target)
  if self.once == nil then self.once = not self.steady end
  local left = self:first_of(groups, size_bits, target)
  if not self.once then return left end
  self.once = false
  if #left == 1 or #left << size_bits < MANY then return left end
  if self:groups_evict(lists.slice(left, 1, #left - 1), size_bits, target) then
    return self:first_of(left, size_bits, target)
  end
  self.once = true
  return left
end

-- One round: groups without which the target is still evicted leave.
function M:drop(groups, size_bits, target)
  local i, some_short = 1, false
  while i <= #groups do
    local rest = lists.without(groups, i)
    local evicts, short = self:groups_evict(rest, size_bits, target)
    some_short = some_short or short
    if evicts then groups = rest else i = i + 1 end
  end
  return self:checked(groups, size_bits, target, some_short)
end

-- One round of halves of groups, none of which could leave: where one half can, the other one stays. `single`: a group
-- has one line that counts, it seems, so that where one half cannot leave the other one does, unasked.
function M:halve(groups, size_bits, target, single)
  local kept, unsure = {}, single
  for i, begin in ipairs(groups) do
    local function evicts_with(half)
      local list = lists.slice(kept, 1, #kept)
      list[#list + 1] = half
      for k = i + 1, #groups do
        list[#list + 1] = groups[k]
        list[#list + 1] = groups[k] + (1 << size_bits)
      end
      local evicts, short = self:groups_evict(list, size_bits, target)
      unsure = unsure or short
      return evicts
    end
    local first, second = begin, begin + (1 << size_bits)
    if evicts_with(second) then
      kept[#kept + 1] = second
    else
      local both = not single and not evicts_with(first)
      kept[#kept + 1] = first
      if both then kept[#kept + 1] = second end
    end
  end
  return self:checked(kept, size_bits, target, unsure)
end

-- Whether a round of halves has left more groups than lines of a set explain: each has one that counts, it seems. Of 96
-- ways all 96 groups of one line stay.
local function too_many(groups, before, halves)
  return #groups > MOST_LINES * 2 or halves and #groups > STUCK_FROM and #groups > STUCK * 2 * before
end

-- One round of any kind: what is left of groups of 2^bits elements. nil: nothing that evicts as surely, or too many.
---@param round { groups: integer[], bits: integer, single: boolean, first: boolean, tries: integer }
---@return integer[]?, integer  -- the groups, and their bits
function M:round(round, target)
  local groups, bits = round.groups, round.bits
  if round.first then return self:drop(self:first_round(groups, bits, target), bits, target), bits end
  local halves = bits > 0
  local left = halves and self:halve(groups, bits - 1, target, round.single) or not halves and self:drop(groups, 0, target)
  local too_few_sweeps = self.once and left and #left > math.max(ONCE_MOST, ONCE_MORE * #groups)
  if not left or #left == 0 or too_few_sweeps or too_many(left, #groups, halves) then return nil, bits end
  return left, halves and bits - 1 or 0
end

-- A minimal set of a target from groups of a pool of 2^n elements: indices. nil: it got stuck. A round that fails is asked
-- again from what the one before left: by tests that follow each other, and of groups without assuming that each has one
-- line that counts. Begun anew, a QLRU of 16 ways took 2.5 times the sweeps, LRU 1.5 times (simulated: 9 sets each).
function M:reduce(target, n, groups)
  local bits, whole = math.max(0, n - GROUPS), #groups == 1 << math.min(n, GROUPS)
  if not whole and self.once == nil then self.once = self:once_evicts(groups, bits, target) end
  -- A part of a pool that evicts a chosen target has hardly a group that is too many. But it may have one: so many groups as
  -- lines do not say that each has one.
  local round = { groups = groups, bits = bits, single = false, first = whole, tries = 0 }
  while true do
    if self.row == 1 and round.tries == 0 then self.steady = #round.groups << round.bits < CALM end
    local left, left_bits = self:round(round, target)
    if left then
      local same = not round.first and #left == #round.groups
      if same and round.bits == 0 then return #left <= MOST_LINES and left or nil end
      round = { groups = left, bits = left_bits, first = false, single = whole and (same or #left == self.ways), tries = 0 }
    elseif self.once then
      self.once = false
    else
      repeat
        round.tries = round.tries + 1
        if round.tries == TRIES then return nil end
        -- Nor is what a set holds before always in the way: a tree-PLRU may keep a target in each of a row of tests.
        if not round.single then self.steady = not self.steady end
        round.single = false
      until self:surely_evicts({ begin = round.groups, size_bits = round.bits, seed = self.seed }, target)
    end
  end
end

local function pool_of(lines) return { begin = lines, size_bits = 0, seed = 0 } end
M.pool_of = pool_of

-- With all lines every time, without any one never (but for one test in a hundred: noise).
function M:confirm(set)
  local _, with = self:evicts(pool_of(set.lines), set.target, CONFIRM)
  set.evicted, set.asked = with, CONFIRM
  if with < 0.98 * CONFIRM then
    return false, string.format("the smallest set found evicts %d of %d times: which line leaves is " ..
                                "not the same each time", with, CONFIRM), with > 0.1 * CONFIRM
  end
  local tests = CONFIRM // 5
  for i = 1, #set.lines do
    local _, slow = self:evicts(pool_of(lists.without(set.lines, i)), set.target, tests)
    if slow > 1 then
      return false, string.format("without one of %d lines it still evicts %d of %d times", #set.lines,
                                  slow, tests)
    end
  end
  return true
end

-- A confirmed minimal set of a target that no pool holds; nil, why.
---@return EvictionSet?, string?
function M:find(number)
  local why, few, only_given
  self.row = self.row or 0
  -- What fails with a chosen target is tried with a given one, and then both by tests that follow each other.
  local function failed(chosen)
    only_given = chosen
    if not chosen then self.row = 2 end
  end
  for attempt = 1, RESTARTS do
    self.seed = 17 + 1024 * (number or 0) + 101 * attempt
    self.steady = self.row == 2
    self:calibrate()
    local target, n, pool, chosen = self:target_of(attempt, not only_given)
    local groups = n and self:reduce(target, n, pool)
    if not n then   -- another target's set may have more of the lines
      few = string.format("%d lines of %d B do not evict a line", 1 << (self.bits - 1), self.line)
    elseif groups then
      local set = { target = target, lines = {}, pool = #pool << math.max(0, n - GROUPS), hold = 1 << n }
      for i, index in ipairs(groups) do set.lines[i] = self:element(index) end
      local good, reason, random = self:confirm(set)
      if self.steady then self.row = math.max(self.row, 1) end
      if good then return set end
      why = reason
      if random and self.steady and not chosen then break end
      failed(chosen)
    else
      failed(chosen)
      why = why or "no set of lines is minimal, as where the line that leaves is not the same each time"
    end
  end
  return nil, few or why
end

-- Bytes of a line: the least power of two by which all lines of a set can be moved without being in one line with where
-- they were, told by whether they still evict. Of a cache of one set they always do: then the least by which one of them
-- moved stands for another one. nil: more than any line has.
function M:line_of(set)
  local addresses = {}
  for i, line in ipairs(set.lines) do addresses[i] = line * self.line end
  local function shift_where(evicts, moved_by)
    local shift = 32
    while shift <= MOST_LINE do
      if self:moved_evicts(moved_by(shift), set.target) == evicts then return shift end
      shift = shift * 2
    end
    return nil
  end
  return shift_where(false, function(shift)
    local moved = {}
    for i, address in ipairs(addresses) do moved[i] = address ~ shift end
    return moved
  end) or #addresses > 1 and shift_where(true, function(shift)
    local some = lists.slice(addresses, 1, #addresses - 1)
    some[#addresses] = addresses[1] ~ shift
    return some
  end) or nil
end

-- As evicts(), of a pool that is given by byte offsets: elements of 32 B.
function M:moved_evicts(offsets, target)
  local fine = M.resized(self, self.bits + gf2.log2(self.line // 32))
  fine.line = 32
  for i, offset in ipairs(offsets) do offsets[i] = offset // 32 end
  return fine:evicts(pool_of(offsets), target * self.line // 32, VOTES)
end

-- Whether each visit of a list hits, by one thread after the one before: `order` gives the numbers of `elements`, of
-- which there are MOST_LINES at most.
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
