-- Residence: which sets of addresses a cache can hold at once.
--
-- A cache's geometry follows from one question whose answer no replacement policy changes: does a
-- list of addresses, visited round and round, come to rest without a miss? It does if and only if no
-- set is asked to hold more lines than it has ways. Covered by
-- tests/runtime/cache_inference_test.cpp.

local lists = use "parts/lists"
local M = {}

local MOST_OBSERVED = 1 << 19   -- accesses of one question

-- How a level is asked:
--   probe(list, warm, passes): the latencies of `passes` passes over the list, one after another,
--     after `warm` passes that are not observed
--   miss(latency): true, false, "nearer" (a nearer level answered) or nil (an outlier)
--   flood: addresses that are visited after each list, so that nearer caches forget it; `word`
--     bytes farther lie other addresses of the same lines
--   flood_counts: whether a miss on the flood counts as one of the list
--   nears: the nearer levels, which the flood clears
--   strays: the share of hits that look like misses
--   steady: lines leave in the order of their use or their coming
function M.new(probe, miss, strays, flood, word)
  return { probe = probe, miss = miss, strays = strays or 0, flood = flood or {}, word = word,
           flood_counts = true, nears = {}, asked = 0 }
end

-- What is visited for a list, and the places that are looked at. `apart` are addresses that nearer
-- caches must not answer because of the list: a second flood stands behind them.
local function route(r, list, apart)
  local visited = lists.join(list, r.flood)
  if not apart or #apart == 0 then return visited, #list end
  visited = lists.join(visited, apart)
  local second = {}
  for i, address in ipairs(r.flood) do second[i] = address + r.word end
  return lists.join(visited, second), #list
end

-- What some passes over a list show: `clean` ones, in which nothing missed or was hidden by a nearer
-- level; `clear` ones, in which nothing missed and little was hidden; `missed` ones; whether some
-- place missed in all of them (`always`), and whether some place was always hidden.
local function look(r, visited, place, warm, passes)
  r.asked = r.asked + 1
  local latencies = r.probe(visited, warm, passes)
  local seen = { clean = 0, clear = 0, missed = 0, always = false, hidden = false, passes = passes }
  local misses, hides, listed = {}, {}, 0
  for i = 1, #visited do
    if place[i] == "list" then listed = listed + 1 end
  end
  for pass = 0, passes - 1 do
    local missed, hidden = 0, 0
    for i = 1, #visited do
      if place[i] then
        local answer = r.miss(latencies[pass * #visited + i])
        if answer == true then
          missed, misses[i] = missed + 1, (misses[i] or 0) + 1
          seen.always = seen.always or misses[i] == passes
        elseif answer == "nearer" and place[i] == "list" then
          hidden, hides[i] = hidden + 1, (hides[i] or 0) + 1
          seen.hidden = seen.hidden or hides[i] == passes
        end
      end
    end
    if missed > 0 then seen.missed = seen.missed + 1
    elseif hidden == 0 then seen.clean = seen.clean + 1
    elseif hidden <= 0.15 * listed then seen.clear = seen.clear + 1 end
  end
  return seen
end

-- Passes that a list is given to settle, in turn. Where what a cache held before is thrown out at
-- random, or in the order in which it came, the last stale lines can take many.
local function warmings(length)
  local most = math.min(256, 8192 // length)
  if most <= 16 then return { 8 } end
  return { 8, most }
end

-- Of two clean passes none can be a list's that does not fit. A clear one is, where the line that
-- misses happens to be hidden: seldom four times, unless it always is.
local function settles(seen)
  return seen.clean >= 2 or seen.clean + seen.clear >= 4 and not seen.hidden
end

-- What is looked at of a visited list: "list" for its addresses, "flood" for a flood that counts.
local function places(r, visited, first, apart)
  local place, from = {}, first + #r.flood
  for i = 1, #visited do
    place[i] = (i <= first or i > from and i <= from + apart) and "list" or
               r.flood_counts and "flood"
  end
  return place
end

-- Does the list come to rest? The second value is false where nearer caches hid the answer, or could
-- have: then the first is only a guess.
--
-- A list that fits may need some passes to settle, and a late answer may look like a miss: two clean
-- passes of many are asked for. A list that does not fit has a miss in every pass, whatever the
-- policy. Where lines leave in the order of their use or their coming, a line of a list that fits misses
-- once at most: one that misses in every pass proves the contrary.
function M.fits(r, list, apart)
  local visited, first = route(r, list, apart)
  if #visited == 0 then return true, true end
  local place = places(r, visited, first, #(apart or {}))
  local seen = look(r, visited, place, 2, 2)
  if seen.clean == 2 then return true, true end
  if r.steady and seen.always then return false, true end
  local passes = math.min(64, math.ceil(8 * math.exp(math.min(4, r.strays * #visited))))
  passes = math.min(passes, math.max(2, MOST_OBSERVED // #visited))
  for _, warm in ipairs(warmings(#visited)) do
    seen = look(r, visited, place, warm, passes)
    if settles(seen) then return true, true end
    if r.steady and seen.always then return false, true end
  end
  return seen.missed < 2, seen.missed >= 2
end

-- The length of the shortest prefix of `list` that, together with `kept`, does not fit.
local function overflow(r, list, kept)
  local low, high = 0, #list
  while high - low > 1 do
    local mid = (low + high) // 2
    if M.fits(r, lists.join(kept, lists.slice(list, 1, mid))) then low = mid else high = mid end
  end
  return high
end

-- As above; nil if all of `list` fits.
function M.overflow(r, list)
  if M.fits(r, list) then return nil end
  return overflow(r, list, {})
end

-- A minimal part of `list` that does not fit: ways + 1 addresses in different lines of one set (less
-- the flood's lines of that set). nil: all of it fits, or the answers contradict each other.
function M.conflict(r, list)
  if M.fits(r, list) then return nil end
  local kept, rest = {}, list
  while M.fits(r, kept) do
    if #rest == 0 then return nil end
    local at = overflow(r, rest, kept)
    kept = lists.plus(kept, rest[at])
    rest = lists.slice(rest, 1, at - 1)
  end
  table.sort(kept)
  return kept
end

-- Every member of a minimal conflict matters, and all of them together never come to rest.
function M.is_minimal(r, conflict)
  for _ = 1, 3 do
    if M.fits(r, conflict) then return false end
  end
  for i = 1, #conflict do
    local fits = M.fits(r, lists.without(conflict, i))
    if not fits then return false end
  end
  return true
end

return M
