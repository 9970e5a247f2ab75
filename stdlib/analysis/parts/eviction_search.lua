-- The search for a minimal eviction set in a pool: a target, and group testing in rounds until single lines are left. The
-- methods are those of Eviction (parts/eviction.lua), which has the tests. Used by it.
-- Covered by tests/experiments/eviction_test.cpp.

local lists = use "parts/lists"
---@class Eviction
local M = {}

local MANY = 1 << 11          -- lines of a pool whose sweeps take long: one test tells, and the round is checked
local GROUPS = 4              -- log2 of the groups of the first round: for 16 ways some 34 sweeps of the first pool, where
                              -- 2^5 would cost 40 and 2^3 43 (counted by hand, not measured)
-- Of a large pool, parts in 16 that are tried on many candidates for a target: in sets of 16 ways, of which 2^n lines hold
-- 16 to 32, one candidate in 1000 (5 parts) or 50 (7) has 16 lines of so many, if lines are dealt at random. Such a target
-- takes half of the visits that another one takes. From 2^16 lines on a part is swept by 1024 threads,
-- and so many candidates share a sweep.
local CHOSEN_FROM, PARTS = 16, { 3, 5, 6, 7, 9, 11, 13 }
local CHOICES = 2             -- of the candidates that a part evicts: so many are asked by themselves
-- Log2 of the lines a power of two apart that are tried before other pools: sets are told by the low bits of a line's
-- number, or those and what higher ones make of them, in most caches. They cost a thousandth of a pool of an L2.
local STRIDED_FROM, STRIDED_TO = 4, 9
local STUCK_FROM, STUCK = 64, 0.8   -- groups, and the share of them that a round leaves where no set gets minimal
-- Groups that a round of one sweep may leave, and times those before it: 16 groups with one line or two each become 20
-- halves. Of 16 lines 7 groups become 11 halves.
local ONCE_MOST, ONCE_MORE = 16, 1.5
local MOST_LINES = 256        -- of a minimal set: no cache has more ways
M.MOST_LINES = MOST_LINES
M.RESTARTS = 4                -- pools that are tried
local TRIES = 4               -- of a round: one may fail because tests must follow each other, or must not, and one because
                              -- a group has two lines that count. Simulated, 3 do for 180 of 182 sets of 19 policies

-- Log2 of the elements of a group of a pool of 2^n.
function M.group_bits(n) return math.max(0, n - GROUPS) end

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
  for i = 1, self.threads do targets[i] = self:element((1 << self.bits) - M.RESTARTS - 1 - i) end
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
  local out, size_bits = {}, M.group_bits(n)
  for i = 0, (parts or 1 << (n - size_bits)) - 1 do out[#out + 1] = i << size_bits end
  return out
end

-- Whether groups evict the target. The second value: one short test told it, as the groups are large.
function M:groups_evict(groups, size_bits, target)
  local pool, short = { begin = groups, size_bits = size_bits, seed = self.seed }, #groups << size_bits >= MANY
  if short then return self:evicts(pool, target, 1, true), true end
  return self:surely_evicts(pool, target), false
end

-- What a round has left, where it evicts the target once more; nil: it does not, after all. Of large groups one test tells
-- it, as it told each step of the round: what is wrong after all is seen by a later round, or where the set is confirmed.
function M:checked(groups, size_bits, target, short)
  if not short or self:groups_evict(groups, size_bits, target) then return groups end
  self:count_failure()
  return nil
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
---@param round EvictionRound
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

---@class EvictionRound          what a round begins with
---@field groups integer[]        -- of a pool: those that are left
---@field bits integer            -- log2 of the elements of a group
---@field first boolean           -- groups of a whole pool, of which many may leave
---@field single boolean          -- a group has one line that counts, it seems
---@field tries integer           -- of this round so far
---@field steady boolean?         -- the groups evict in tests that follow each other

---@class EvictionStart          what a search begins with
---@field groups integer[]        -- of a pool
---@field bits integer            -- log2 of the elements of a group
---@field whole boolean           -- they are all groups of the pool: many may leave
---@field hold integer            -- elements that would evict any line, about as many as the cache has

-- The start of a search in groups of a pool of 2^n elements.
---@return EvictionStart
function M:start_of(n, groups)
  return { groups = groups, bits = M.group_bits(n), whole = #groups == 1 << math.min(n, GROUPS), hold = 1 << n }
end

-- The elements 2^shift apart behind the target, the region being a ring.
local function behind(self, target, shift, count)
  local out = {}
  for k = 1, count do out[k] = (target + (k << shift)) & ((1 << self.bits) - 1) end
  return out
end

-- The start of a search among elements a power of two apart, not permuted (self.seed is 0); nil: none of them evict the
-- target. They are as near to each other as still evict, which tells about how many elements the cache has.
---@return EvictionStart?
function M:strided(target)
  self.seed = 0
  local function evicts(list) return (self:groups_evict(list, 0, target)) end
  for n = math.min(STRIDED_FROM, self.bits), math.min(STRIDED_TO, self.bits) do
    local shift = self.bits - n
    local list = behind(self, target, shift, (1 << n) - 1)
    if evicts(list) then
      list = self:first_of(list, 0, target)
      while shift > 0 and evicts(behind(self, target, shift - 1, #list)) do
        shift = shift - 1
        list = behind(self, target, shift, #list)
      end
      local hold = 1
      while hold <= #list << shift do hold = 2 * hold end
      return { groups = list, bits = 0, whole = false, hold = hold }
    end
  end
  return nil
end

-- A minimal set of a target: indices of a pool's elements. nil: it got stuck. `rounds` keeps what each round began with.
---@param start EvictionStart
---@param rounds EvictionRound[]
function M:reduce(target, start, rounds)
  local groups, bits = start.groups, start.bits
  if not start.whole and self.once == nil then self.once = self:once_evicts(groups, bits, target) end
  -- A part of a pool that evicts a chosen target has hardly a group that is too many. But it may have one: so many groups as
  -- lines do not say that each has one.
  return self:reduce_from({ groups = groups, bits = bits, single = false, first = start.whole, tries = 0 }, start.whole,
                          target, rounds)
end

-- The same by tests that follow each other, from the last one of some rounds whose groups evict the target in them: sets
-- of some thousand lines or fewer, where the pool has tens of thousands and each such test costs six sweeps for one.
-- nil, too, where no round does.
---@param rounds EvictionRound[]
function M:reduce_steadily(target, rounds)
  self.steady = true
  for i = #rounds, 1, -1 do
    local round = rounds[i]
    if self:surely_evicts({ begin = round.groups, size_bits = round.bits, seed = self.seed }, target) then
      return self:reduce_from({ groups = round.groups, bits = round.bits, single = false, first = round.first, tries = 0 },
                              false, target, {})
    end
  end
  return nil
end

-- Rounds from this one on. A round that fails is asked again from what the one before left: by tests that follow each
-- other, and of groups without assuming that each has one line that counts. Begun anew, a QLRU of 16 ways took 2.5 times
-- the sweeps, LRU 1.5 times (simulated: 9 sets each). `single`: it may be assumed.
---@param round EvictionRound
function M:reduce_from(round, single, target, rounds)
  while true do
    if round.tries == 0 then
      rounds[#rounds + 1] = round
      round.steady = self.steady
    end
    local left, left_bits = self:round(round, target)
    if left then
      local same = not round.first and #left == #round.groups
      if same and round.bits == 0 then return #left <= MOST_LINES and left or nil end
      round = { groups = left, bits = left_bits, first = false, single = single and (same or #left == self.ways), tries = 0 }
    elseif self.once then
      self.once = false
    else
      repeat
        round.tries = round.tries + 1
        if round.tries == TRIES then return nil end
        -- Nor is what a set holds before always in the way: a tree-PLRU may keep a target in each of a row of tests.
        if not round.single then self.steady = not self.steady end
        round.single = false
        local evicts = self:surely_evicts({ begin = round.groups, size_bits = round.bits, seed = self.seed }, target)
        if not evicts and round.steady then self:count_failure() end
      until evicts
    end
  end
end

return M
