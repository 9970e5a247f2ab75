-- Translation buffers from averages over random placements, over nearly all of the memory.
--
-- One random line of each of N granules that lie `spacing` apart is chased in random order: a clocks a load.
-- Then each line is visited at two of its words in turn, of which the second is translated: b clocks a load. Both
-- words are as far away, so that a - (2 b - a) is translation, whatever the distances of the slices, but for what a
-- second visit of a translated line takes less: lines of a small region tell that. A buffer of
-- E entries, each of a granule of G bytes, shows as a step at N = E where the spacing is G or more, at N = 2 E
-- where it is G / 2. Granules begin at multiples of their size in the addresses that the kernel sees: an array may
-- begin where an entry of 2 MB does, not a larger one, and lines of two granules would share one.
-- Used by tlb.lua. Covered by tests/experiments/eviction_test.cpp.

local lists = use "parts/lists"
local overflow = use "parts/overflow"
local page_chases = use "parts/page_chases"
local page_sets = use "parts/page_sets"
local random_entries = use "parts/random_entries"
local report = use "parts/report"
local ledger = use "parts/steps"
local M = {}

local FEWEST, LINE, TIMED, WARM = page_chases.FEWEST, page_chases.LINE, page_chases.TIMED, page_chases.WARM
local STEP, SURE = page_chases.STEP, page_chases.SURE   -- clocks that a level costs more, and standard errors

local SHARE = 0.9             -- of the memory, that one array may be
local FINEST = 4 << 10        -- bytes: no granule that is looked for is smaller
local GRADUAL = 0.2           -- of a step, by which the cost may still rise beyond it
local BELOW = 0.95            -- of the entries: so many all hit
local NEARLY, FAR = 0.99, 0.7 -- of the entries: where sets are uneven, or something else takes some, of the first many
                              -- miss, of the second none
local QUIET = 0.005           -- of a step: what the first may cost more. Of 2048 entries of 8 ways 2 others are seen
local CLOSE = 0.002           -- of a step: the error of what hits cost; of 2048 entries of 8 ways 0.5 entries...
local OF_POINT = 0.005        -- of a step: the error of a point of the line of misses, which may lie 8 % off
local OF_ENTRY = 0.25         -- ...or so much of an entry, of a level that has few
local FINE = 0.1              -- clocks: no mean needs to be more precise
local OF_ROUNDS = 0.05        -- clocks by which means of other numbers of rounds may differ, as ends of loops do: 64 entries
                              -- were 63.9995 (within 0.0003) on a virtual GPU without noise, and no number of sets fitted
local AGAIN = 0.03            -- of the entries, by which other placements may differ (the search: 1/128)
local GUESSED = 32            -- part of the entries of one spacing, by which those of another one, or half of them, may differ
local FARTHEST = 2            -- times a guess: beyond no step of it is looked for
local HALF = 0.8              -- of a step, that two lines a granule may show: of translation they show half, of a data
                              -- cache all. On H100s it was 0.49 to 0.77 for the first TLB, whose step is 10 clocks
-- As many lines in an eighth of the entries, drawn from all granules that miss: a buffer translates them but for one of 8
-- where it has one way; a data cache loses nearly as many, or half of them where two granules are all.
local GATHERED, MOST_GATHERED = 8, 0.3
local CERTAIN = 0.06          -- of a step: a third of what lies between HALF and all
local FEWER = 0.62            -- times as many granules of twice the size fit: half, not as many
local HALF_AS_MANY = 0.012    -- that a share of granules may differ from half, which fit at twice the spacing: as the search may
                              -- be off. Lines in either half of a pair of granules lie in other sets, so that 0.518 to 0.62
                              -- times as many fit
local COARSE = 8              -- times: between spacings that are tried at first
local UNEVEN = 3              -- times as much as others placements may differ: more shows uneven sets
local RESTING = 64            -- rounds before, where not the entry that was used or came first leaves: as eviction.lua
                              -- simulates of random ones; a tree-PLRU of 16 ways keeps old entries for some, too
local NOISE = 4               -- clocks that two loads of a line differ by at most, about
local MORE = 0.3              -- a level costs more than this share of what missing the nearer ones costs
-- Why a line of misses of a part of the entries tells nothing: 1,843 granules of 16 MB from 4 GB on, of 2,048 entries of 4
-- ways, filled sets so that they looked like 1,792.
local UNALIGNED = "too few granules for all to miss, and they begin at no multiple of their number: sets fill unevenly"
local TRIES = 3               -- of a step that is rejected: scatter looked like one in 2 of 7 runs on GPUs


-- Of a FIFO of 33 sets of 24 ways 824 granules for 792 entries cost 38 clocks less than hits: the two visits of a line in
-- turn miss more often than one. So much less than what is seen as more is no hit, either.
local DIP = 2
local DIPS = { 0.95, 0.97, 0.985 }   -- of what seem to be the entries: so many are asked for it

-- Clocks above `level` that are seen as more.
local function seen_above(level, error) return math.max(STEP, MORE * level, SURE * error) end

-- The most granules `spacing` apart that cost no more than `level`, and the fewest seen that do; `guesses`: at how many
-- that may be; it is looked for near them alone. nil: none up to `most`.
local function step(m, spacing, level, most, from, guesses)
  local above_hits, below_hits = seen_above(level, 0), DIP * seen_above(level, 0)
  local function decided(mean, error)
    return math.min(math.abs(mean - level - above_hits), math.abs(mean - level + below_hits)) > SURE * error
  end
  local function other(mean, error)
    return mean > level + math.max(above_hits, SURE * error) or mean < level - math.max(below_hits, SURE * error)
  end
  -- The error of four placements may be too small by chance: what says that it is above is asked once more.
  local function above(n)
    local mean, error = m:difference(spacing, n, decided)
    if not other(mean, error) then return false end
    return other(m:afresh(spacing, n, decided))
  end
  local function between(low, high) return low >= from and high <= most and above(high) and not above(low) end
  -- Near a guess, or nowhere: as many granules as a chase has take longest.
  if guesses then most = math.min(most, FARTHEST * math.max(table.unpack(guesses))) end
  if most < from then return nil end
  local low, high
  for _, guess in ipairs(guesses or {}) do
    local off = math.max(1, guess // GUESSED)
    if not low and between(guess - off, guess + off) then low, high = guess - off, guess + off end
  end
  if not low then
    if not above(most) then return nil end
    local n = from
    while n <= most and not above(n) do
      if n == most then return nil end
      n = math.min(most, n * 2)
    end
    if n > most then return nil end
    low, high = math.max(1, n // 2), n
  end
  local function narrowed(fits, misses)
    while misses - fits > math.max(1, fits // 128) do
      local middle = (fits + misses) // 2
      if above(middle) then misses = middle else fits = middle end
    end
    return fits, misses
  end
  local least, fewest = low, nil
  low, high = narrowed(low, high)
  -- Between a dip and what costs more some number of granules costs as much as hits do.
  for _, share in ipairs(DIPS) do
    local n = math.floor(share * low)
    if not fewest and n > 1 and n < low and above(n) then fewest = n end
  end
  if not fewest then return low, high end
  return narrowed(math.min(least, fewest // 2), fewest)
end

-- Entries and ways from how misses grow beyond the `entries` that cost nothing more: what parts/overflow.lua gives, and
-- the clocks of hits. `step`: clocks that a miss costs at least.
local function overflow_of(m, at)
  local hits, hits_error
  local goal = math.max(FINE, math.max(CLOSE, OF_ENTRY / at.entries) * at.step)
  local function thinned(granules, left, precise)
    local mean, uncertain = m:thinned(at.spacing, granules, left, precise)
    return mean - hits, uncertain
  end
  local function beyond(granules, rough)
    local mean, uncertain = m:afresh(at.spacing, granules, nil, math.max(STEP / SURE, (rough or OF_POINT) * at.step))
    return mean - hits, uncertain
  end
  -- Misses are counted from what just fewer granules cost: a clock too much there moves their zero by entries /
  -- (cost of a miss) / (ways + 1).
  local function know_hits()
    hits, hits_error = m:precisely(at.spacing, math.max(1, math.floor(BELOW * at.entries)), goal)
    hits_error = math.max(hits_error, OF_ROUNDS)
  end
  local function share(granules, rough)
    local clocks, uncertain = beyond(granules, rough)
    return clocks / (at.cost - hits), uncertain / (at.cost - hits)
  end
  local function ask()
    know_hits()
    if not at.full then
      if not m:evenly(at.spacing, at.most) then return { low = at.least, high = at.most, why = UNALIGNED } end
      return overflow.partial(beyond, hits_error, thinned, at.fewest, at.most, at.least)
    end
    local miss = at.cost - hits
    return overflow.of(share, hits_error / miss, at.fewest, at.most, at.least, function(granules, left, precise)
      local clocks, uncertain = thinned(granules, left, precise * miss)
      return clocks / miss, uncertain / miss
    end)
  end
  local function last()
    know_hits()
    return at.full and overflow.all_miss(share, at.fewest, at.most) or at.most
  end
  local function quiet()
    -- `least` is certain of any sets; of sets of three ways or more half as many may be too many without being seen.
    local all_hit = math.min(NEARLY * at.entries, (at.entries + at.least) / 2)
    local near, near_error = m:precisely(at.spacing, math.max(1, math.floor(all_hit)), goal)
    local far, far_error = m:precisely(at.spacing, math.max(1, math.floor(FAR * at.entries)), goal)
    return near - far <= QUIET * at.step + SURE * math.sqrt(near_error ^ 2 + far_error ^ 2)
  end
  local found = overflow.undisturbed(ask, quiet, math.floor(FAR * at.entries), at.entries, last)
  return found, hits
end

-- What `why` says of a step that is no level's, where it was seen.
local function rejected(low, spacing, why, ...)
  return nil, string.format("more than %d granules of %s cost more, but ", low, report.size(spacing)) ..
              string.format(why, ...)
end

-- The spacings that may be the granule of a level which shows at one, the likeliest first: { spacing, low, high, share },
-- share: of the granules that fit at half of it. at(spacing, guesses): the step at another one.
local function granules_of(at, spacing, low, high)
  local out = { { spacing, low, high } }
  -- The largest spacing with fewer granules: below the granule of an entry twice as many fit at half of it. Sets that
  -- parities of bits select may be fewer for granules farther apart, 0.58 times as many of 512: then it is one before.
  while true do
    local larger, beyond = at(2 * spacing, { low, low // 2 })
    if not larger or larger > FEWER * low then break end
    local share = larger / low
    spacing, low, high = 2 * spacing, larger, beyond
    table.insert(out, 1, { spacing, low, high, share })
  end
  -- Or the smallest with as many.
  spacing, low = out[1][1], out[1][2]
  while true do
    local more, beyond = at(spacing // 2, { low, 2 * low })
    if not more then break end
    if more * FEWER > low then
      out[1][4] = low / more
      if low / more > 0.5 + HALF_AS_MANY then table.insert(out, 2, { spacing // 2, more, beyond }) end
      break
    end
    spacing, low, high = spacing // 2, more, beyond   -- granules farther apart may share sets: fewer fit
    out[1] = { spacing, low, high }
  end
  return out
end

-- The level whose granules lie so far apart: { entries, high, granule, cost, error }; nil, and why it is none.
local function level_at(m, level, from, at, spacing, low, high)
  local dip = level - m:difference(spacing, high)
  if dip > DIP * seen_above(level, 0) then
    return rejected(low, spacing, "of %d two visits in turn miss more often than one: %.1f clocks less than hits", high, dip)
  end
  local n = math.min(m:granules(spacing), math.max(2 * high, 8))
  local cost, error = m:difference(spacing, n)
  local of_pairs = m:in_pairs(spacing, n, CERTAIN * (cost - level))
  if of_pairs - level > HALF * (cost - level) then
    return rejected(low, spacing, "two lines of each cost %.2f of it: a data cache misses them",
                    (of_pairs - level) / (cost - level))
  end
  -- Lines of two granules that share a set of an L2 which inserts lines as its least recently used ones never rest.
  local few = math.max(2, low // GATHERED)
  local gathered = low >= FEWEST and m:gathered(spacing, n, few, CERTAIN * (cost - level)) or level
  if gathered - level > MOST_GATHERED * (cost - level) then
    return rejected(low, spacing, "as many lines in %d granules cost %.2f of it: a data cache misses them", few,
                    (gathered - level) / (cost - level))
  end
  -- A level's misses cost the same however many there are; sets of different sizes overflow one by one.
  -- Where the fewest granules that miss the nearer level cost more already, only the spacing made the difference: as
  -- much as that level's misses cost. 17 granules of 1 GB cost 3 clocks more than 17 of 16 MB in 1 of 6 runs on H200s.
  local least_step = math.max(STEP, (high <= from and 1 or MORE) * level)
  if cost - level < least_step then
    return rejected(low, spacing, "%.1f clocks, where a level's misses cost %.1f", cost - level, least_step)
  end
  -- One granule too many makes two miss or more: so many too many may not have been seen.
  local least = low - math.floor(seen_above(level, error) / (cost - level) * low / 2)
  local full = n >= 1.5 * high
  local whole, hits = overflow_of(m, { spacing = spacing, cost = cost, step = cost - level, entries = low, least = least,
                                       fewest = high, most = n, full = full })
  -- Sets of two ways are all overfull of 1.5 times the entries, and of more the sooner: those that whole sets show are one
  -- level's misses, however they grow.
  local some = math.ceil(1.25 * high)
  local at_some = not (whole and whole.ways) and n >= 2 * high and m:difference(spacing, some) or cost
  if cost - at_some > math.max(STEP, GRADUAL * (cost - level)) then
    -- Behind entries that leave at random some of the granules do not miss those: their misses would be mixed with these.
    local by_chance = not m.behind_chance and random_entries.of(m, spacing, level, low, FINEST)
    if by_chance then
      return { entries = low, least = by_chance.low, high = high, granule = by_chance.granule, cost = by_chance.cost,
               error = by_chance.error, full = true, overflow = by_chance, beyond = by_chance.beyond,
               pairs = (of_pairs - level) / (cost - level) }
    end
    return rejected(low, spacing, "%.1f clocks of %d and %.1f of %d: misses of a level cost the same",
                    at_some - level, some, cost - level, n)
  end
  -- Of one way all miss of twice the entries. Of 1,024 entries of 32 KB by hashed bits 256 granules of 128 KB fit, whose
  -- lines lie in one of four sets each: at 512 they cost a quarter of a miss, which looked like all of one.
  local beyond = whole and whole.ways == 1 and math.min(m.most, m:granules(spacing), 2 * n) or n
  local more = beyond > n and m:difference(spacing, beyond) - cost or 0
  if more > math.max(STEP, GRADUAL * (cost - level)) then
    return rejected(low, spacing, "%.1f clocks of %d and %.1f of %d: of one way all miss of twice the entries", cost - level,
                    n, cost + more - level, beyond)
  end
  if whole and whole.miss then cost, error = hits + whole.miss, whole.miss_error end
  -- Above a level that is missed already, sets that overflow one by one, or other placements, must show the step.
  if level > 0 and not (whole and whole.ways) then
    m:forget()
    local again = at(spacing, { low })
    if not again or math.abs(again - low) > AGAIN * low then
      return rejected(low, spacing, "of other placements %s", again and "more than " .. again or "none")
    end
  end
  return { entries = low, least = least, high = high, granule = spacing, cost = cost, error = error, full = full,
           overflow = whole, pairs = (of_pairs - level) / (cost - level) }
end

-- The granule of a level that shows whole sets, where half of it was not asked about: whether it is certain. Where no set is
-- selected by the bit below, granules twice as large as an entry show the same sets: 512 of 64 KB by bits 17 to 25 showed
-- 128 KB. Lines in both halves of those take two entries each.
local function halve(m, level, found)
  local whole, miss = found.overflow, found.cost - level
  local n, half = math.min(math.floor(BELOW * whole.entries), m.most // 2), found.granule // 2
  if (2 * n - whole.entries) * (whole.ways + 1) < n then return half < FINEST end   -- less than half of them would miss
  while half >= FINEST and m:in_halves(found.granule, n, half, CERTAIN * miss) - level > miss / 4 do half = half // 2 end
  found.halved, found.granule = half < found.granule // 2, 2 * half
  return true
end

-- The same with the second one first, where the first one's sets are uneven: placements of a level's granules that all
-- hit cost alike, of others thousands do not give a line of misses.
local function even_first(m, candidates)
  local first, second = candidates[1], candidates[2]
  first.likeliest = true
  local function scatter(candidate) return m:scatter(candidate[1], math.max(1, math.floor(BELOW * candidate[2]))) end
  if second and scatter(first) > math.max(STEP, UNEVEN * scatter(second)) then
    candidates[1], candidates[2] = second, first
  end
  return candidates
end

-- Spacings at which a level is looked for, the largest first. Among them is the one at which as many granules as a
-- chase has cover the whole memory: what misses anywhere misses there. 2,048 entries of 2 MB in 6 GB are seen by 2 MB
-- alone: of 8 MB all fit, of 1 MB too few are asked.
local function spacings_of(m)
  local spacing, covering, out = 1 << lists.log2(m.bytes // 64), 1 << lists.log2(m.bytes // m.most - 1) + 1, {}
  while spacing >= FINEST do
    out[#out + 1] = spacing
    if spacing > covering and covering > spacing // COARSE then out[#out + 1] = covering end
    spacing = spacing // COARSE
  end
  return out
end

local UNSEEN = "no further step is seen"

-- A level by its sets, where means over placements show none or few of its quantities: from the step that these see, or from
-- one that loads show beyond the level before, `nearer`. nil: none so.
local function by_sets(m, level, found, where, nearer)
  local spacing, seen, cost, threshold, asked
  if found then
    spacing, seen, cost = found.granule, found.entries, found.cost
  elseif nearer then
    threshold = seen_above(level, 0) + level + NOISE
    spacing, seen, asked = page_sets.step(m, spacings_of(m), threshold, nearer)
    if not asked and m.most < random_entries.MOST * nearer.entries then
      return nil, "L2 keeps too few lines for lists that miss the level before"
    end
  elseif where then
    spacing, seen = where.spacing, where.granules
    cost = m:difference(spacing, math.min(m.most, m:granules(spacing), 4 * seen))
  end
  threshold = threshold or cost and level + (cost - level) / 2
  local exact, why = nil, UNSEEN
  if spacing then exact, why = page_sets.of(m, spacing, seen, threshold, nearer, FINEST) end
  if not exact then return nil, why end
  local entries, miss = exact.entries, exact.miss - (level == 0 and exact.hit or 0)
  return { entries = entries, least = entries, high = entries + 1, granule = exact.granule, cost = miss, error = STEP,
           full = true, at_rest = true, overflow = { entries = entries, low = entries, high = entries, ways = exact.ways, sets = exact.sets,
                        at_rest = exact.steps } }
end

-- One level above the cost `level`; nil, and why the first step that was seen is no level's, and that step: its spacing
-- and granules. `reach`: what the level before holds, `nearer`. A spacing at which it shows at all is looked for. Where the
-- first candidate shows no whole sets, granules at rest may: else the fourth result says why not.
local function level_above(m, level, from, reach, nearer)
  local function at(spacing, guesses)
    local most = math.min(m.most, m:granules(spacing))
    -- What a level holds that need not give up entries in order hits now and then, of few granules more.
    local mixed = nearer and nearer.at_rest and random_entries.MOST * nearer.entries or 0
    if spacing < FINEST or most < mixed then return nil end
    -- Fewer the level before translates. 3 granules of 4 KB lie in one of 2 MB: 79 clocks less than its misses cost seemed
    -- to be a step of the level beyond, at every spacing down to there.
    return step(m, spacing, level, most, math.max(from, reach // spacing + 1), guesses)
  end
  local why, where, none
  local refused = {}   -- by spacing: other spacings lead to the same granule
  for _, spacing in ipairs(spacings_of(m)) do
    local low, high = at(spacing)
    local likeliest
    for _, candidate in ipairs(low and even_first(m, granules_of(at, spacing, low, high)) or {}) do
      if not refused[candidate[1]] then
        local found, reason = level_at(m, level, from, at, table.unpack(candidate))
        refused[candidate[1]] = not found
        -- Half the granule of a level shows as a level of twice as many entries, but no whole set misses. Nor does one at
        -- twice the granule, whose lines lie in either half: of 512 entries of 8 MB 308 of 16 MB fit.
        if found and found.overflow and found.overflow.ways then
          local share = candidate[4] and candidate[4] * (1 - 1 / candidate[2])   -- one granule may not be seen
          if not (share and share <= 0.5 + HALF_AS_MANY) and not halve(m, level, found) then
            found.uncertain, found.full = "of half as large granules fewer than twice as many are seen: entries may be as large", false
          end
          return found
        end
        if not none then
          local exact
          exact, none = by_sets(m, level, found, { spacing = candidate[1], granules = candidate[2] }, nearer)
          if exact then return exact end
        end
        if found and found.beyond then return found, nil, nil, none end
        local share, is_likeliest = candidate[4], candidate.likeliest
        if found and is_likeliest and share and math.abs(share - 0.5) > HALF_AS_MANY then
          found.uncertain, found.full = string.format("no whole sets are seen, and %d granules of %s fit, %.2f times as " ..
            "many as of half the size: it may be that one", found.entries, report.size(found.granule), share), false
        end
        -- Of 6,144 entries of 8 KB whose sets bits from 16 on select 4,140 granules of 128 KB fit, and of smaller ones more
        -- than a chase has.
        local half = candidate[1] // 2
        if found and is_likeliest and not share and half >= FINEST and
           2 * candidate[2] > math.min(m.most, m:granules(half)) then
          found.uncertain, found.full = string.format("no whole sets are seen, and of granules of %s more may fit " ..
            "than a chase visits: an entry may translate that much, or less", report.size(half)), false
        end
        if is_likeliest then likeliest = found end
        where = where or not found and { spacing = candidate[1], granules = candidate[2] } or nil
        why = why or reason or not found and "a step of half as large granules shows no whole sets" or nil
      end
    end
    if likeliest then return likeliest, nil, nil, none end
    why = why or low and "no granule of a step shows whole sets" or nil
  end
  return nil, why, where, none
end

-- The lowest bit that selects a set of a level that lists of pages show; nil: none does.
local function lowest_bit(known)
  local fn, lowest = known.fn, nil
  for _, mask in ipairs(fn and fn.kind == "bits" and fn.masks or {}) do
    for _, bit in ipairs(mask) do lowest = math.min(lowest or bit, bit) end
  end
  return lowest
end

-- Spacings at which neighbours may lie evenly over the sets of level `i` of `listed`, and of the next one, where those that
-- miss should hit; the largest first. Eight pages of 256 KB share each of 32 sets of 12 ways that bits from 21 on select:
-- of 384 entries 256 neighbours fit, and some more. 10 of 4 KB, four in each set of two ways, missed both levels.
local function even_spacings(listed, i)
  local granule, out = listed[i].line, {}
  for k = i + 1, i, -1 do
    local bit = listed[k] and lowest_bit(listed[k])
    if bit and 1 << bit > granule and 1 << bit ~= out[#out] then out[#out + 1] = 1 << bit end
  end
  table.sort(out, function(a, b) return a > b end)
  out[#out + 1] = granule
  return out
end

-- A level that lists of pages show, where averages show it between these shares of its entries; nil: they do not.
local SAME_FROM, SAME_TO = 0.9, 1.25
local SEEN = 0.02   -- of what a miss of a level that is known costs, that is seen: one launch missed twice in 512 loads
local function same_level(m, level, listed, i)
  local known, beyond = listed[i], listed[i + 1]
  local entries, policy = known.entries, known.policy and known.policy.name
  local least, high = math.floor(SAME_FROM * entries), math.ceil(SAME_TO * entries)
  -- Granules that all miss it, and that the next level holds: of a second one with 64 entries 80 for 32 entries missed
  -- both.
  local function granules_for(spacing)
    local n, held = math.max(2 * high, 8), beyond and beyond.entries and beyond.line and
      math.floor(SAME_FROM * beyond.entries * math.max(1, beyond.line / spacing))
    if not held or held >= n then return n end
    return known.ways and held >= math.max(high, entries * (known.ways + 1) / known.ways) and held or nil
  end
  m.warm = policy and policy ~= "LRU" and policy ~= "FIFO" and RESTING or WARM
  local found
  for _, spacing in ipairs(even_spacings(listed, i)) do
    local n = granules_for(spacing)
    if not found and n and n <= math.min(m.most, m:granules(spacing)) then
      local cost, error = m:difference(spacing, n)
      local function misses(granules)
        local mean, uncertain = m:difference(spacing, granules)
        return mean > level + math.max(seen_above(level, uncertain), SEEN * (cost - level))
      end
      found = misses(n) and misses(high) and not (least >= 1 and misses(least))
        and { entries = entries, least = least, high = high, granule = known.line, cost = cost, error = error, full = true }
    end
  end
  m.warm = WARM
  return found or nil
end

-- Whether the policy that lists show of a level gives up entries in the order of their use or their coming.
local function in_order(known)
  local name = known and known.policy and known.policy.name
  return name == "LRU" or name == "FIFO" or name == "PLRU"
end

-- Whether the same step was rejected before: no scatter looks like the same one twice.
local function same_step(a, b)
  return a and b and a.spacing == b.spacing and math.abs(a.granules - b.granules) <= AGAIN * a.granules
end

-- Whether sets and ways of a level are known, from lists or from misses of whole sets.
local function known_sets(listed, found)
  local from = listed and listed.entries and listed or found.overflow
  return from and from.ways and from.sets
end

-- The levels of translation; `bytes`, over how much memory; `base`: clocks of a translated load. `listed`: levels that
-- lists of pages show, { entries, line (the granule), policy, fn (of its sets) }; nil: none. `alike`: lines of pages that
-- data caches answer alike in lists; half as many at random places lie evenly enough over their sets.
function M.levels(device, listed, alike)
  local bytes = math.floor(device.memory_bytes * SHARE) >> 21 << 21
  local m = page_chases.new(bytes, device, alike and alike // 2)
  if m.most < FEWEST then
    m.doubtful = "L2 keeps too few lines for a chase of one line of each granule"
    return {}, m
  end
  local out, level, from, reach = {}, 0, FEWEST, 0
  for i = 1, 4 do
    local each, start = listed and listed[i], ledger.now()
    local found = each and #out == i - 1 and each.entries and each.line and same_level(m, level, listed, i)
    local why, where, before, none
    for _ = 1, found and 0 or TRIES do
      found, why, where, none = level_above(m, level, from, reach, out[i - 1])
      if not why or same_step(where, before) then break end
      before = where
      m:forget()
    end
    local is_known = found and known_sets(each, found)
    local before_it = out[i - 1]
    if not none and not is_known and (found or why or before_it and before_it.at_rest) then
      local exact
      exact, none = by_sets(m, level, found, where, before_it)
      if exact then found, why, is_known = exact, nil, true end
    end
    if found and found.beyond and not is_known then
      found.uncertain, found.full = found.overflow.why .. ", but of neighbours " .. none, false
    elseif found and found.uncertain and none then
      found.uncertain = found.uncertain .. "; " .. none
    elseif not found and none and none ~= UNSEEN then   -- loads show a level, and nothing of it is known
      why = (why and why .. "; " or "") .. none
    end
    m.doubtful = why   -- a step was seen, and rejected: what a miss of the last level costs is not known
    if not found then break end
    out[#out + 1], found.probes = found, { m:shown(start, found.granule) }
    m:behind(found.granule)
    m:forget()
    local beyond = found.beyond or found.high
    m.behind_chance = found.beyond ~= nil or not (found.overflow and found.overflow.ways) and not in_order(each)
    level, from, reach = found.cost, math.max(FEWEST, beyond), beyond * found.granule
    if not found.full then break end
  end
  return out, m
end

-- Whether `n` granules over all of the memory, or somewhat more, cost no more than the levels show, where a chase of one line
-- in each of so many is too long for L2: it loses as many of as many lines that lie in fewer granules, `few` of them.
function M.none_beyond(m, levels, n, few)
  local spacing, cost = 1 << lists.log2(m.bytes // n), #levels > 0 and levels[#levels].cost or 0
  local all, least = m:granules(spacing), seen_above(cost, 0) / 2
  if few < random_entries.ALL * (#levels > 0 and levels[#levels].entries or 0) then return false end
  local gathered, error = m:gathered(spacing, all, few, least / SURE, true)
  local over_all, uncertain = m:precisely(spacing, all, least / SURE)
  return math.max(error, uncertain) <= least / SURE and over_all - gathered < least
end

-- Other SMs whose chase of as many granules takes entries from the first SM's: whom a level is shared by.
function M.shared_by(m, found, below, device)
  local sms, out = math.floor(device.sm_count), {}
  local half = m:granules(found.granule) // 2
  local n, begin = math.min(found.entries, half), m:begin(found.granule)
  if 2 * n <= found.high then return nil end
  for other = 1, sms - 1 do
    local mine, theirs = {}, {}
    for k = 1, n do
      mine[k] = begin + (k - 1) * found.granule + math.random(0, found.granule // LINE - 1) * LINE
      theirs[k] = begin + (half + k - 1) * found.granule + math.random(0, found.granule // LINE - 1) * LINE
    end
    lists.shuffle(mine)
    local rounds = math.ceil(TIMED / n)
    local alone = m:walk(mine, rounds)
    local beside = m:walk(mine, rounds, { others = lists.shuffle(theirs), other = other })
    if beside - alone > (found.cost - below) / 3 then out[#out + 1] = other end
  end
  return out
end

return M
