-- A minimal eviction set in a large pool by sweeps of which each load is timed. A set that misses alone have filled gives up
-- what came first, by every replacement policy that is known but random ones. So
--
--   sweep lines that are not in the cache; load many targets; sweep the lines again, and once more
--
-- shows each target to whose set as many lines came as it has ways: it evicts the first one, whose next load evicts the
-- second one, and so on. All of them are late in the second sweep. In the third one they hit, unlike lines of sets to
-- which more came. Prime+Prune+Probe finds one line for a target so (Purnal, Giner, Gruss, Verbauwhede, "Systematic
-- analysis of randomization-based protected cache architectures", IEEE S&P 2021).
--
-- A load of a warp asks for a run of the pool, 32 lines of a page. Group testing finds which of them counts, in some
-- hundred lines. Where no target shows, whole pools are tested (parts/eviction_search.lua).
-- The methods are those of Eviction (parts/eviction.lua). Covered by tests/experiments/eviction_test.cpp.

---@class Eviction
local M = {}

M.RUNS_FROM = 17              -- log2 of the elements of a region whose pools consist of runs
local PARTS = 6               -- log2 of the parts of half of a region
local SOME, NEARLY_ALL = 0.3, 0.9   -- of the targets, that half of a region evicts: if fewer, it is too small. If more, a part
                              -- of it tells better how many lines the cache has
local WAYS, EACH = 16, 8.5    -- lines of a pool for each set of so many ways, on average: 0.8 % of the sets get just their
                              -- ways, 0.9 % get more
local TRIES = 4               -- pools whose runs are timed
local SMALLEST, LARGEST, OTHER = 0.5, 1.5, 0.85   -- times one that shows no target the next one is, and one that is as large as
                              -- it should be
local HITS, SURE = 96, 0.98   -- loads of runs that hit, and the share of them that takes no longer than what counts as one
local CLOCK_BITS = 24         -- as evict.cu has it
local MOST, OF_ONE = 1 << 11, 1 << 7   -- runs that all targets and that one makes late: more are noise
local OF_ALL = 1 << 9         -- runs that are late in either sweep, of which a set is searched: each is left out once
local STEADY = 2              -- tests that follow each other, of which the last one counts: what sets held before helps to
                              -- evict a target under SRRIP and QLRU
local TARGETS = 2             -- of those that some runs evict: their sets are searched

-- The log2 of the elements of a part.
local function part_bits(e) return e.bits - 1 - PARTS end

-- So many parts from one on, in half 0 or 1.
local function parts_of(e, first, count, half)
  local out = {}
  for i = 0, count - 1 do out[i + 1] = (half << e.bits - 1) + ((first + i) % (1 << PARTS) << part_bits(e)) end
  return out
end

-- Those of some targets that some groups evict in the last of some tests.
local function evicted(e, groups, size_bits, targets, tests, passes)
  local at, last, out = {}, {}, {}
  for test = 1, tests do
    for i, target in ipairs(targets) do at[(test - 1) * #targets + i] = target * e.line end
  end
  local pool = { begin = groups, size_bits = size_bits, seed = e.seed }
  local clocks = e:ask(pool, at, { batch = #targets, passes = passes })
  for i = 1, #targets do last[i] = clocks[#clocks - #targets + i] end
  for i, late in ipairs(e:late(at, last)) do
    if late then out[#out + 1] = targets[i] end
  end
  return out
end

-- Many targets, from the end of what pools are taken from: no two of a block of neighbours.
local function targets_of(e)
  local out = {}
  for i = 1, e.threads do out[i] = e:element((1 << e.bits) - 1 - i * ((1 << e.RUN) + 1)) end
  return out
end

-- What a load of a run takes at most where all its lines hit.
local function run_limit(e)
  if not e.run_hits then
    local targets = {}
    for i = 0, (HITS << e.RUN) - 1 do targets[i + 1] = e:element(i) * e.line end
    local clocks = e:ask(e.EMPTY, targets, { batch = 1 << e.RUN, at_once = 1 << e.RUN })
    e.run_hits = e.limit(stats.quantile(clocks, SURE))
  end
  return e.run_hits
end

-- Of groups of runs those that are late after the targets, and not in the sweep after that; those that are late then, too;
-- and how many there are.
local function late_runs(e, groups, size_bits, targets)
  local at, out, anyway, of_group, limit = {}, {}, {}, 1 << size_bits - e.RUN, run_limit(e)
  for i, target in ipairs(targets) do at[i] = target * e.line end
  local words = e:ask({ begin = groups, size_bits = size_bits, seed = e.seed }, at, { cold = true })
  for run, word in ipairs(words) do
    local to = word >> CLOCK_BITS > limit and anyway or (word & (1 << CLOCK_BITS) - 1) > limit and out
    if to then to[#to + 1] = groups[1 + (run - 1) // of_group] + ((run - 1) % of_group << e.RUN) end
  end
  return out, anyway, #words
end

-- A confirmed set of one of the targets, from what timed sweeps of some groups show. What all targets make late is swept
-- again with one of them. A run may hide: one of its 32 lines lies in a set with too many lines, so that it is late in both
-- sweeps. 5 % of the runs do so, where all is well, and half of the sets of 16 lines have such a run. So where what shows is
-- no set, those that hide are searched, too. nil: none; the share of runs that are late anyway, unless no such pool shows it.
---@return EvictionSet?, number?
local function shown(e, groups, targets)
  local hold, runs, hidden, asked = 1, late_runs(e, groups, part_bits(e), targets)
  if #runs > MOST then return nil, nil end
  while hold < 2 * (#groups << part_bits(e)) do hold = 2 * hold end
  local function set_of(target, pool)
    if not e:groups_evict(pool, e.RUN, target) and not e:steadily(pool, e.RUN, target) then return nil end
    return e:minimal(target, { groups = pool, bits = e.RUN, whole = true, hold = hold })
  end
  local function set_of_some(pool, pool_of_target)
    local some = #pool > 0 and evicted(e, pool, e.RUN, targets, STEADY, 2) or {}
    for i = 1, math.min(TARGETS, #some) do
      local of_target = pool_of_target(some[i])
      local set = #of_target > 0 and set_of(some[i], of_target)
      if set then return set end
    end
    return nil
  end
  local set = set_of_some(runs, function(target)
    local own = late_runs(e, runs, e.RUN, { target })
    return #own <= OF_ONE and own or {}
  end)
  if not set and #runs + #hidden <= OF_ALL then
    for _, run in ipairs(hidden) do runs[#runs + 1] = run end
    set = set_of_some(runs, function() return runs end)
  end
  return set, #hidden / asked
end

-- The average number of lines in a set, where that share of the sets has WAYS or more: as Poisson's distribution has it.
local function lines_of(share)
  local low, high = 1, 4 * WAYS
  while high - low > 0.1 do
    local middle, term, fewer = (low + high) / 2, 1, 0
    for k = 0, WAYS - 1 do
      fewer = fewer + term
      term = term * middle / (k + 1)
    end
    if 1 - math.exp(-middle) * fewer < share then low = middle else high = middle end
  end
  return low
end

-- A confirmed minimal set of one of many targets. nil: none was found. The second value: half of the region evicts hardly a
-- target.
---@return EvictionSet?, boolean?
function M:set_in_runs()
  local targets, count, share = targets_of(self), self.run_parts
  if not count then
    count = 2 << PARTS
    repeat
      count = count // 2
      share = #evicted(self, parts_of(self, 0, count, 0), part_bits(self), targets, 1, 1) / #targets
      if count == 1 << PARTS and share < SOME then return nil, true end
    until share < NEARLY_ALL or count == 1
    count = math.floor(count * EACH / lines_of(share) + 0.5)
  end
  local from = 0
  for _ = 1, TRIES do
    count = math.max(1, math.min(1 << PARTS, count))
    if (count << part_bits(self) - self.RUN) >= self.ROOM then break end
    local set, anyway = shown(self, parts_of(self, from, count, 1), targets)
    if set then
      self.run_parts = count
      return set
    end
    if not anyway then return nil end
    from = from + count
    -- Of lines of a pool the share lies in sets with more than their ways that sets have with so many: what WAYS are for.
    local by = EACH / lines_of(1 - (1 - anyway) ^ (1 / (1 << self.RUN)))
    if math.floor(count * by + 0.5) == count then by = OTHER end
    count = math.floor(count * math.max(SMALLEST, math.min(LARGEST, by)) + 0.5)
  end
  return nil
end

return M
