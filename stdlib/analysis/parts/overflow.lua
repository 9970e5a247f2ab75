-- Entries and ways of a level of translation from how the share of misses grows beyond its capacity.
--
-- N neighbouring granules, each visited once a round in random order, lie evenly over the sets of a buffer:
-- of N = E + k granules k sets hold one more than they have ways. Where the least recently used entry
-- leaves, all w + 1 granules of such a set miss, so that misses(N) = (N - E) (w + 1), a straight line. It
-- gives E where it crosses zero, and w. One set (E = w) is the limit: one more granule misses all.
-- What else takes entries, or neighbours that lie unevenly over the sets, only add misses: each share is asked several
-- times, one after the others, and the least is taken; and what granules that all hit cost, before and after, says
-- whether either was the case (undisturbed). On H100s and H200s neighbours from an unaligned address on lie unevenly:
-- misses began at 2,031 to 2,046 granules of 2,048 in 10 of 24 runs, at 1,897 and 1,993 on one board.
-- Where a miss costs c clocks, which only granules tell that all miss, the clocks above those of hits lie
-- on the line c (N - E) (w + 1) / N: its zero is E, too. What a random removal leaves tells w (by_thinning).
-- Used by parts/placements.lua. Covered by tests/experiments/eviction_test.cpp.

local M = {}

local ALL, SOME = 0.8, 0.05  -- shares of misses between which points lie: beyond, every set is overfull
local POINTS, LEAST = 8, 3    -- that are asked, and that make a line
local BEYOND = 1.12          -- times as many as nearly all miss of: all do
local STRAIGHT = 0.08        -- of the last point's misses: what a point may lie off the line
local WHOLE = 0.3            -- ways: what the slope may lie off a whole number
local GROWTH = 1.02          -- steps of the search for where all miss
local PART = 0.04            -- of the granules: what the share that misses may lie off the one of a whole set
local ROUGH = 0.05           -- error of a share there: one step more or less of it is the end of the line
local SURE = 3               -- standard errors
local REMOVED = 0.1          -- of the granules, at random, at most: 0.43 of the sets of 8 ways overflow still, 0.17 of 16
local OF_SET = 0.9           -- granules of an overfull set, where its ways are known from the line: 0.4 overflow still
local SITTINGS = 3           -- times, apart from each other, that a share is asked: the least counts
local PRECISE = 0.006        -- of the clocks of all: the error of what is left; of 8 ways 0.15 ways
local PART_PRECISE = 0.004   -- of the clocks of a part: of 8 ways 0.1 ways, as what all hits cost is in it twice
local ATTEMPTS = 3           -- until nothing is disturbed
local CALM = 2               -- of them, that nothing disturbed and that gave no whole sets: there are none to see

-- The smallest number of granules from `from` on of which nearly all miss; nil: none up to twice that. share as for of().
local function all_miss(share, from, most)
  local n = from
  while n <= math.min(most, 2 * from) do
    if share(n, ROUGH) >= ALL then return n end
    n = math.max(n + 1, math.floor(n * GROWTH))
  end
  return nil
end

M.all_miss = all_miss

-- Least squares over points { n, misses }: slope, zero, and the largest distance from the line.
local function fit(points)
  local x, y, xx, xy = 0, 0, 0, 0
  for _, p in ipairs(points) do x, y = x + p.n / #points, y + p.misses / #points end
  for _, p in ipairs(points) do
    xx, xy = xx + (p.n - x) ^ 2, xy + (p.n - x) * (p.misses - y)
  end
  local slope, off = xy / xx, 0
  for _, p in ipairs(points) do off = math.max(off, math.abs(p.misses - y - slope * (p.n - x))) end
  return slope, x - y / slope, off
end

-- The least of what several sittings give for each of `counts`, and its error: { [n] = { value, error } }.
local function least_of(ask, counts)
  local out = {}
  for _ = 1, SITTINGS do
    for _, n in ipairs(counts) do
      local value, error = ask(n)
      if not out[n] or value < out[n].value then out[n] = { value = value, error = error } end
    end
  end
  return out
end

-- POINTS numbers from `from` on, `parts` steps before `to`, each once.
local function spread(from, to, parts)
  local out = {}
  for i = 0, POINTS - 1 do
    local n = from + (to - from) * i // parts
    if out[#out] ~= n then out[#out + 1] = n end
  end
  return out
end

-- A random removal keeps `left` of N granules. A set of w ways that had w + 1 granules still misses if none of them
-- was removed: probability (left / N) ((left - 1) / (N - 1)) ..., w + 1 factors, for any set function. Returns the
-- ways, and what they come from, a number that need not be whole; false: it is none; nil: the error is too large. Third,
-- the standard error of that number. `removed`: the share of the granules that is removed.
local function by_thinning(thinned, n, before, precise, removed)
  local left = n - math.max(1, math.floor(removed * n))
  local asked = least_of(function() return thinned(n, left, precise * before) end, { n })[n]
  local now, error = asked.value, asked.error
  local share = now * left / (before * n)
  if share <= 0 then return false, 0 end
  local rest, members, each = math.log(share), 0, math.log(left / n)
  while rest < each and members < left - 1 do
    rest, members = rest - each, members + 1
    each = math.log((left - members) / (n - members))
  end
  members = members + rest / each
  local uncertain, ways = error / now / -each, math.floor(members - 0.5)
  if SURE * uncertain > 1 - WHOLE then   -- few sets: chance decides how many lose a member
    return nil, members - 1, uncertain
  end
  return ways >= 1 and math.abs(members - 1 - ways) <= WHOLE and ways, members - 1, uncertain
end

-- Whether a random removal gives other ways than the line does. Neighbours that lie in one set, as where bits above the
-- granule's select it, overflow it together: of 32 sets of 48 ways, four neighbours in each, misses grow by 52 in four
-- steps, and the line said 12 ways. Of g such neighbours the removal gives g times as many, or none: so it must tell
-- twice as many from these.
local function refutes(ways, others, number, uncertain)
  if others ~= nil then return others ~= ways end
  local off = WHOLE + SURE * uncertain
  return off > (ways + 1) / 2 or math.abs(number - ways) > off
end

-- The sets of that many ways, where only one number of them makes as many entries; nil: several do, or none.
local function sets_of(ways, zero, error)
  local sets = math.floor(zero / ways + 0.5)
  local few, many = math.ceil((zero - error) / ways), math.floor((zero + error) / ways)
  return few == many and sets == few and sets or nil
end

-- Where one granule more makes all miss, or two do: one set, or two, of which one granule more overflows one. Of its
-- ways and one all granules miss then, and a random removal tells those ways, too.
local function few_sets(share, fewest, last, least, thinned)
  local entries, sets = fewest - 1, last - fewest + 1
  local ways = entries // sets
  local found = { entries = entries, low = entries, high = entries, ways = ways, sets = sets }
  if sets == 1 then return found end
  local part = least_of(share, { fewest })[fewest]
  local _, number, uncertain = by_thinning(thinned, fewest, part.value, PRECISE, 1 / fewest)
  local off = part.value - (ways + 1) / fewest
  if ways * sets == entries and math.abs(off) <= PART + SURE * part.error and
     math.abs(number - ways) <= WHOLE + SURE * (uncertain or 0) then return found end
  return { low = least, high = last, why = string.format("two granules more make all of them miss, %.0f %% of %d do, and a " ..
    "random removal gives %.2f ways", 100 * part.value, fewest, number) }
end

-- share(n, rough): misses of n granules, and its standard error, no better than `rough`; `base`: the standard error of
-- no misses, which all shares have in common; `fewest`, granules that are seen to overflow it; `least`, entries that it
-- has for certain.
-- thinned(n, left, error): the share of `left` of them at random, with about this error.
-- { entries, low, high, ways, sets }; { low, high, why } where the misses do not lie on a line of whole ways, or a
-- random removal says other ones; nil where too few granules can be visited for all to miss.
function M.of(share, base, fewest, most, least, thinned)
  local last = all_miss(share, fewest, most)
  if not last then return nil end
  if last <= fewest + 1 then return few_sets(share, fewest, last, least, thinned) end
  -- Misses of far more granules may cost more, where a further level misses some of them, too.
  local points, worst, whole = {}, 0, share(math.min(most, math.ceil(BEYOND * last)))
  local counts = spread(fewest, last, POINTS)
  local shares = least_of(share, counts)
  for _, n in ipairs(counts) do
    local part, error = shares[n].value / whole, shares[n].error / whole
    if part >= SOME and part <= ALL then
      points[#points + 1] = { n = n, misses = part * n }
      worst = math.max(worst, error * n)
    end
  end
  local function bounds(why, ...)
    return { low = least, high = last, why = string.format(why, ...) }
  end
  if #points < LEAST then return bounds("only %d numbers of granules miss in part", #points) end
  local slope, zero, off = fit(points)
  local ways = math.floor(slope - 0.5)
  local error = (off + SURE * (worst + base * zero)) / slope
  if off > STRAIGHT * points[#points].misses then
    return bounds("misses grow by %.2f a granule, but lie up to %.0f %% off a line", slope,
                  100 * off / points[#points].misses)
  elseif ways < 1 or math.abs(slope - 1 - ways) > WHOLE then
    return bounds("misses grow by %.2f a granule, not by a whole set's", slope)
  end
  local some = fewest + (last - fewest) // 2
  local others, number, uncertain = by_thinning(thinned, some, least_of(share, { some })[some].value, PRECISE,
                                                math.min(REMOVED, OF_SET / (ways + 1)))
  if refutes(ways, others, number, uncertain) then
    return bounds("misses grow by %.2f a granule, but a random removal of granules gives %.2f (±%.2f) ways", slope, number,
                  SURE * (uncertain or 0))
  end
  local sets = sets_of(ways, zero, error)
  -- The line alone tells no ways: of 4 sets of 8 ways under tree-PLRU misses grow by 8 a granule, from 31.9 on.
  if not sets and others ~= ways then
    return bounds("misses grow by %.2f a granule from %.1f entries: no one number of sets fits", slope, zero)
  end
  local entries = sets and sets * ways or math.floor(zero + 0.5)
  return { entries = entries, ways = ways, sets = sets, low = math.min(entries, math.floor(zero - error)),
           high = math.max(entries, math.ceil(zero + error)), slope = slope, zero = zero, last = last,
           why = not sets and string.format("misses begin at %.1f entries: more than one number of sets fits", zero)
                 or nil }
end

-- The same where too few granules can be visited for all to miss. cost(n): clocks above those of hits, and their
-- standard error; `base`: that of the hits. thinned(n, left, error): the same of `left` of them at random, with about
-- this error.
-- { entries, low, high }, with ways, sets, the clocks of a `miss` and what they may be off by, or with `why`: one number
-- of sets must fit.
function M.partial(cost, base, thinned, fewest, most, least)
  local points, worst, last = {}, 0, nil
  local counts = spread(fewest, most, POINTS - 1)
  local costs = least_of(cost, counts)
  for _, n in ipairs(counts) do
    local clocks = costs[n].value
    points[#points + 1], last = { n = n, misses = clocks * n }, clocks
    worst = math.max(worst, costs[n].error * n)
  end
  local slope, zero, off
  if #points >= LEAST then slope, zero, off = fit(points) end
  if not slope or slope <= 0 or off > STRAIGHT * points[#points].misses then
    return { low = least, high = fewest - 1,
             why = "too few granules for all to miss" .. (slope and ", and no straight line of misses" or "") }
  end
  local error = (off + SURE * (worst + base * zero)) / slope
  -- Uneven sets make misses begin earlier and look narrower: on one H100 at 1,897 and 1,993 of 2,048 entries, of 6 and 7
  -- ways instead of 8. No one number of sets fitted: until one does, there may be more entries.
  local found = { entries = math.floor(zero + 0.5), low = math.max(1, math.floor(zero - error)), high = most,
                  zero = zero, last = most }
  local ways, number = by_thinning(thinned, most, last, PART_PRECISE, REMOVED)
  if not ways then
    found.why = "too few granules for all to miss, and a random removal gives " ..
                (number and string.format("%.2f ways", number) or "no number of ways that is certain enough")
    return found
  end
  local sets = sets_of(ways, zero, error)
  if not sets then
    found.why = string.format("misses begin at %.1f entries: no one number of sets of %d ways fits", zero, ways)
    return found
  end
  found.entries, found.high, found.ways, found.sets = sets * ways, math.ceil(zero + error), ways, sets
  found.slope, found.miss = ways + 1, slope / (ways + 1)
  -- The ends of the line may be off by as much in opposite directions.
  found.miss_error = 2 * (off + SURE * worst) / (most - fewest) / (ways + 1)
  return found
end

-- What ask(), one of the two above, gives while all granules that should hit do: quiet() says so before and after. Where
-- d sets have a granule too many, or something else takes an entry of each, those of N granules between E (w - 1) / w and
-- E that lie in them miss. E then seems to be up to w d / (w + 1) less, which one number of sets may fit by chance. Or
-- entries leave by FIFO: 1,120 of 32 ways seemed to be 1,176, as a round over 33 lines of a set misses few of them. So
-- nothing is asked then, and there are no more entries than granules of which nearly all miss, which last() tells.
-- `certain`: entries that there are, whatever misses below; `seen`: granules that seem to be held.
function M.undisturbed(ask, quiet, certain, seen, last)
  local calm, times = nil, 0
  for _ = 1, ATTEMPTS do
    if quiet() then
      local found = ask()
      if not found or found.sets == 1 then return found end   -- one set: of one granule more all miss
      if quiet() then
        calm, times = found, times + 1
        if found.ways and found.sets or times == CALM then return found end
      end
    end
  end
  if calm then return calm end
  local most = last()
  if not most then return nil end
  if most <= seen + 1 then return ask() end
  return { entries = seen, low = certain, high = most,
           why = "of fewer granules than seem to be held some miss, too: sets are unequal, something else takes " ..
                 "entries, or not the one used longest ago leaves" }
end

return M
