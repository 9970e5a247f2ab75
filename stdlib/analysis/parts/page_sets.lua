-- Sets, ways and granule of a level of translation whatever its policy, by what comes to rest.
--
-- Lines of some pages that are visited round and round are all translated in the end where no set has to hold more of
-- their pages than it has ways. Else one or more of that set's pages are late in each round, whichever entry leaves. So
-- of neighbouring granules, which lie evenly over the sets:
--
--   entries  the most that come to rest
--   ways     of one more, those that are late now and then, less one; without any one of them the others rest
--   sets     entries / ways; j granules too many make j (ways + 1) late, and as many as there are sets make all late
--   granule  with lines in either half each still rests, and one more with lines in one half of each does not: an entry
--            translates both halves. Removing one that is late lets the others rest: its neighbour is another entry
--
-- Each condition refutes another explanation: sets of unequal size, sets that neighbours share, a granule of half or twice
-- the size. Where one fails nothing is found.
-- A load that hits the upper level never reaches this one. Lists are therefore several times larger than the upper level,
-- by granules or, where these do not suffice, by lines of each granule.
-- Used by parts/placements.lua. Covered by tests/bench/recover_test.cpp.

local lists = use "parts/lists"
local M = {}

local NEVER = 0x5a5a5a5b      -- a word that no array holds
local LINE = 64               -- bytes: distance of places for a line in a granule, as in page_chases.lua
local MOST, ROOM = 2048, 4096  -- lines of a list, as pages.cu has them, and words of a request
local SWEEP = 3               -- an eviction sweep of the upper level has at least three times its entries
local CLEAN, CLEAN_BEHIND = 4, 16   -- rounds in a row that nothing is late in: an overfull set of a nearest level is late in
                              -- each; behind another level, which answers some of its loads, in most
-- Rounds until a list is given up that does not come to rest: so many times those that shorter lists took, and at least,
-- in a search; the last list of it takes as many as random replacement in sets of 32 ways needs in 99.999 of 100 cases
-- (parts/eviction_rest.lua).
local TIMES, LEAST_ROUNDS, MOST_ROUNDS = 6, 48, 416
-- Rounds that count, in turn: of 16 ways that leave at random a page is late in 1 of 8, of 32 in 1 of 16. Twice late is no
-- outlier.
local COUNTED, LATE = { 96, 384 }, 2
local GROW = 1.25             -- times as many granules, until a list does not come to rest, or does
local REMOVED = 4             -- members of a set without which the others must rest
local SPAN = 3                -- times the entries that are looked for: the granules among which they are
local TRIES = 4               -- of a list that must come to rest, if its lines are not why it does not
local STEPS = 14              -- spacings that are tried
local CHOICES = 12            -- log2 of how seldom halves of one set are chosen of all late granules, in all choices
local QUICK = 8               -- rounds beyond those that are clean, within which lists rest where entries leave in some order
local FEWEST = 64             -- granules of a list that is asked whether it shows a further level
local SEEN, SOME = 0.02, 0.25 -- share of late loads by which a level is seen, and of granules between two tries

---@class PagesAtRest: PageChases
---@field threshold number      -- clocks by which a late load takes longer, at least
---@field upper table?          -- { entries, granule } of the level above
---@field spacing integer
---@field each integer          -- lines in each granule
---@field first integer         -- offset of the first granule
---@field slowest integer       -- rounds until a list came to rest
---@names p: PagesAtRest

---@class PagesTest
---@field rounds integer
---@field clean integer?
---@field skip integer?

-- The words of pages.cu, those of lines behind the sixth.
---@param test PagesTest
local function ask(p, lines, test)
  local words = probe.kernel {
    name = "pages", defines = { OPERATOR = "cg" }, arrays = { p.bytes }, bare = true, lists = { lines }, room = ROOM,
    scalars = { #lines, test.rounds, test.clean or 0, test.skip or 0, math.floor(p.threshold), 0, NEVER },
    results = 6 + #lines, blocks = p.blocks, fewer = 1, threads = p.threads,
  }
  p.address = math.tointeger(words[2])
  return words
end

-- How many lines each granule needs, in different parts of it, for `count` granules to miss the upper level; nil: no
-- number suffices.
local function lines_each(p, count)
  local each, near = 1, p.upper
  local function reached()
    return near.granule > p.spacing and count * p.spacing // near.granule or count * each
  end
  while near and reached() < SWEEP * near.entries do
    each = 2 * each
    if each * near.granule > p.spacing then return nil end
  end
  return each
end

-- `each` lines in each of some granules, by number. `half`: of a granule, in which alone they lie: 0 or 1 by its number.
local function lines_of(p, granules, each, half)
  local out, part = {}, p.spacing // each // (half and 2 or 1)
  for _, granule in ipairs(granules) do
    local begin = p.first + granule * p.spacing + (half and half[granule] * p.spacing // 2 or 0)
    for k = 0, each - 1 do out[#out + 1] = begin + k * part + math.random(0, part // LINE - 1) * LINE end
  end
  return out
end

local function neighbours(count)
  local out = {}
  for k = 1, count do out[k] = k - 1 end
  return out
end

-- Whether some granules come to rest within so many rounds; nil: that cannot be asked. `more`: times as many lines in each.
local function rests(p, granules, rounds, more, half)
  local each = p.each * (more or 1)
  if half then each = math.max(1, math.min(each, p.upper and p.spacing // 2 // p.upper.granule or 1)) end
  if each * #granules > MOST then return nil end
  local words = ask(p, lines_of(p, granules, each, half), { rounds = rounds, clean = p.upper and CLEAN_BEHIND or CLEAN })
  if words[1] > 0 then p.slowest = math.max(p.slowest, math.tointeger(words[1])) end
  return words[1] > 0
end

-- The same of two lines in each granule, of which L2 may lose some: of 4 ways a set has five of 496 lines in one of six lists.
local function two_rest(p, granules, rounds)
  for _ = 1, TRIES do
    local at_rest = rests(p, granules, rounds, 2)
    if at_rest ~= false then return at_rest end
  end
  return false
end

local function patience(p) return math.min(MOST_ROUNDS, math.max(LEAST_ROUNDS, TIMES * p.slowest)) end

-- The granules that are late now and then of so many neighbours, once those that rest do: a set of numbers, and how many;
-- third, clocks that a late load takes more, and fourth, others do.
local function late_of(p, count, settled, counted)
  local each = p.each
  if count * each > MOST then return nil end
  local words = ask(p, lines_of(p, neighbours(count), each), { rounds = settled + counted, skip = settled })
  local late, number = {}, 0
  for granule = 0, count - 1 do
    local times = 0
    for k = 1, each do times = times + words[6 + granule * each + k] end
    if times >= LATE then late[granule], number = true, number + 1 end
  end
  return late, number, words[3] > 0 and words[4] / words[3], words[5] > 0 and words[6] / words[5] - (1 << 20)
end

-- The most neighbours that come to rest, from about `seen` on; nil: all that can be asked do.
local function most_at_rest(p, seen, most)
  local low, high, n = 0, nil, math.max(1, math.min(seen, most))
  while true do
    local at_rest = rests(p, neighbours(n), patience(p))
    if at_rest == nil and n >= seen then return nil end
    if at_rest == false then high = n else low = n end   -- the upper level holds them all
    if low == most then return nil end
    if high and high - low == 1 then
      if low == 0 then return 0 end
      local at_random = p.slowest > QUICK + (p.upper and CLEAN_BEHIND or CLEAN)
      if not at_random or not rests(p, neighbours(high), MOST_ROUNDS) then return low end
      low, high = high, nil
    end
    if not high then n = math.min(most, math.max(n + 1, math.floor(GROW * n)))
    elseif low == 0 then n = math.max(1, math.min(high - 1, math.floor(high / GROW)))
    else n = (low + high) // 2 end
  end
end

-- The set of the first granule too many: its ways, late granules and rounds until lists rest; nil, and why there is none.
local function set_of(p, entries)
  for _, counted in ipairs(COUNTED) do
    local late, number = late_of(p, entries + 1, patience(p), counted)
    if not late then return nil, "there are too many granules for a list" end
    if number >= 2 and entries % (number - 1) == 0 then return number - 1, late end
    if number == 0 then return nil, "one more granule comes to rest, too" end
  end
  return nil, "the granules that are late of one too many are not those of a set"
end

-- Whether entries are half as large, or less: of each granule one half is visited, as if at random, and in one of some
-- choices what was late comes to rest. So it does unless all late ones have their halves in one set.
local function halves_rest(p, entries, ways)
  for _ = 1, math.ceil(CHOICES / ways) do
    local half = {}
    for granule = 0, entries do half[granule] = math.random(0, 1) end
    if rests(p, neighbours(entries + 1), patience(p), 1, half) ~= false then return true end
  end
  return false
end

-- Whether without any one of some members of the set the others come to rest: else the granule is smaller than an entry.
local function rest_without(p, entries, late)
  local members = {}
  for granule = 0, entries do
    if late[granule] then members[#members + 1] = granule end
  end
  lists.shuffle(members)
  for i = 1, math.min(REMOVED, #members) do
    if not rests(p, lists.without(neighbours(entries + 1), members[i] + 1), MOST_ROUNDS) then return false end
  end
  return true
end

-- Whether granules too many make whole sets late, one after the other, and in the end all of them: with the clocks of a miss.
local function whole_sets(p, entries, ways)
  local sets = entries // ways
  for _, more in ipairs(sets > 2 and { 2, sets } or { sets }) do
    local good, miss, hit
    for _, counted in ipairs(COUNTED) do
      local _, number, late, other = late_of(p, entries + more, patience(p), counted)
      good, miss, hit = number == more * (ways + 1), late, other
      if good or not number then break end
    end
    if not good then return nil end
    if more == sets then return miss, hit end
  end
end

-- As PageChases, for this kernel: another one finds its array elsewhere.
---@return PagesAtRest
local function new(m, threshold, upper)
  local p = {}
  for name, value in pairs(m) do p[name] = value end
  p.threshold, p.upper, p.slowest = threshold, upper, 0
  ask(p, { 0 }, { rounds = 1 })
  return p
end

-- Uses granules `spacing` apart from now on, beginning at a multiple of `needed` so that they lie evenly over the sets;
-- returns how many there are. Between half of `seen` and `seen` of them can miss the upper level; nil: no list can.
local function at_spacing(p, spacing, needed, seen)
  p.spacing, p.slowest = spacing, 0
  p.each = lines_each(p, math.max(1, seen // 2)) or lines_each(p, seen)
  if not p.each then return nil end
  local most, span = math.min(p:granules(spacing), math.min(p.most, MOST) // p.each), 1
  while span < needed and 2 * span <= most do span = 2 * span end
  p.first = p:any(spacing, span)
  return span
end

local function steps_to(entries, ways, granule)
  local kb = granule >> 10
  return {
    string.format("granules at rest: lines of %d neighbours of %d KB, visited round and round in changing order, are all " ..
                  "translated in the end; of one more %d are late now and then", entries, kb, ways + 1),
    string.format("granules at rest: without any one of these %d the others rest: a set of %d ways", ways + 1, ways),
    string.format("granules at rest: as many as there are sets, %d too many, make all late", entries // ways),
    string.format("granules at rest: one more does not rest either where lines lie in one half of each: an entry has %d KB", kb),
  }
end

-- The level of which about `seen` granules `spacing` apart cost nothing more, where a load that misses it takes `threshold`
-- clocks more, and none that hits it. { entries, ways, sets, granule, miss (clocks), hit }; nil, and why.
---@param upper table?     -- { entries, granule } of the level above
function M.of(m, spacing, seen, threshold, upper, finest)
  local p, tried = new(m, threshold, upper), {}
  for _ = 1, STEPS do
    if tried[spacing] or spacing < finest then break end
    tried[spacing] = true
    local entries, span
    repeat
      span = at_spacing(p, spacing, SPAN * seen, seen)
      entries = span and most_at_rest(p, seen, span - 1)
      seen = 2 * seen
    until entries or SPAN * seen > 2 * (span or MOST)
    if not entries then return nil, "no number of granules is the most that comes to rest" end
    seen = math.max(1, entries)
    if entries == 0 or not two_rest(p, neighbours(entries), patience(p)) then
      spacing = spacing // 2   -- the halves of a granule are two entries
    else
      local ways, late = set_of(p, entries)
      if ways and halves_rest(p, entries, ways) then
        spacing = spacing // 2
      elseif ways and rest_without(p, entries, late) then
        local miss, hit = whole_sets(p, entries, ways)
        if not miss then return nil, "granules too many do not make whole sets of one size late" end
        return { entries = entries, ways = ways, sets = entries // ways, granule = spacing, miss = miss, hit = hit,
                 steps = steps_to(entries, ways, spacing) }
      else
        spacing = 2 * spacing    -- one entry translates two of them
      end
    end
  end
  return nil, "no granule is one entry"
end

-- A step of a further level: the largest of some spacings at which granules are late, and about how many of them are not;
-- nil: none is seen. The third value: whether any list could show one.
function M.step(m, spacings, threshold, upper)
  local p, asked = new(m, threshold, upper), false
  for _, spacing in ipairs(spacings) do
    local most = at_spacing(p, spacing, MOST, FEWEST)
    local function late(n)
      local words = ask(p, lines_of(p, neighbours(n), p.each), { rounds = 5, skip = 3 })
      return words[3] > SEEN * (words[3] + words[5])
    end
    asked = asked or most ~= nil and most >= FEWEST // 2
    if most and late(most) then
      local low, high = 0, most
      while high - low > math.max(1, SOME * high) do
        local middle = (low + high) // 2
        if late(middle) then high = middle else low = middle end
      end
      return spacing, math.max(1, low), true
    end
  end
  return nil, nil, asked
end

return M
