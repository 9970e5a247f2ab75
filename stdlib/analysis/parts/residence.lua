-- Residence: which sets of addresses a cache can hold at once.
--
-- A cache's geometry follows from one question whose answer no replacement policy changes: does a
-- list of addresses, visited round and round, come to rest without a miss? It does if and only if no
-- set is asked to hold more lines than it has ways. Covered by
-- tests/runtime/cache_inference_test.cpp.

local lists = use "parts/lists"
local M = {}

-- What has been found out so far about a level, and how to ask it more:
--   probe(list, warm, passes): the latencies of `passes` passes over the list, one after another,
--     after `warm` passes that are not observed
--   miss(latency): true, false, or nil where the latency tells nothing about this level
--   flood: addresses that are visited after each list, so that nearer caches forget it
--   flood_counts: whether a miss on the flood counts as one of the list
--   steady: known to miss in the same places in every pass, so that two passes say it all
function M.new(probe, miss, flood)
  return { probe = probe, miss = miss, flood = flood or {}, flood_counts = true, asked = 0 }
end

-- The passes without a miss, and whether some place misses in every pass.
local function look(r, visited, watched, warm, passes)
  r.asked = r.asked + 1
  local latencies, misses, clean, always = r.probe(visited, warm, passes), {}, 0, false
  for pass = 0, passes - 1 do
    local missed = false
    for i = 1, watched do
      if r.miss(latencies[pass * #visited + i]) then
        missed = true
        misses[i] = (misses[i] or 0) + 1
        always = always or misses[i] == passes
      end
    end
    if not missed then clean = clean + 1 end
  end
  return clean, always
end

-- A list that fits may need some passes to settle where lines are replaced at random, and a late
-- answer of memory may look like a miss: two clean passes of eight are asked for. A list that does
-- not fit has a miss in every pass.
function M.fits(r, list)
  local visited = lists.join(list, r.flood)
  if #visited == 0 then return true end
  local watched = r.flood_counts and #visited or #list
  local clean, always = look(r, visited, watched, 2, 2)
  if clean == 2 then return true end
  if clean == 0 and always and r.steady then return false end
  return (look(r, visited, watched, 8, 8)) >= 2
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
    if not M.fits(r, lists.without(conflict, i)) then return false end
  end
  return true
end

return M
