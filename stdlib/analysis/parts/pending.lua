-- Hypotheses about what limits the requests in flight, compared by the places of saturations:
-- MSHR (an entry for each unique block, with a limit of merged lanes), PRT (an entry for each warp
-- load), or neither. Used by outstanding.lua. Covered by tests/runtime/inference_test.cpp.

local curves = use "parts/thread_latency"

local M = {}

local MAX_MSHR, MAX_PRT = 4096, 1024
local EXACT, ADJACENT, MISSED = 0.96, 0.01, 0.01
local NEGLIGIBLE = 1e-12

local function inside(p, rise) return p >= rise.last and p < rise.first end

-- How likely a series with one saturation makes it that the limit is reached after point p.
local function of_step(seen, p, count, masked)
  local elsewhere = 0.01 / count
  if p >= count then return 2 * elsewhere end
  if p < 3 then return 0.5 / count end
  if p < 6 then return inside(p, seen) and 0.4 or 0.2 / count end
  if inside(p, seen) then return (masked and 0.45 or EXACT) / (seen.first - seen.last) end
  if p == seen.last - 1 or p == seen.first then return ADJACENT end
  return elsewhere
end

-- The same for a series without one. A limit that is reached within the first points, or where
-- it is masked, need not show. A faint step at the very place speaks a little for it.
local function of_none(seen, p, count, masked)
  if p >= count then return 0.98 end
  if seen.faint and inside(p, seen.faint) then return 0.5 / (seen.faint.first - seen.faint.last) end
  if p < 6 then return p < 3 and 0.5 or 0.4 end
  return masked and 0.5 or MISSED
end

-- A series with a doubtful rise says little, but it excludes a limit that would be plain to see.
local function of_unclear(seen, p, count, masked)
  if seen.faint and inside(p, seen.faint) then return 0.5 / (seen.faint.first - seen.faint.last) end
  local plain = seen.at and not inside(p, seen.at) and p >= 6 and p < count and not masked
  return plain and MISSED or 0.3
end

-- The likelihood of what a series shows, for each place `p` that a hypothesis predicts: the number
-- of sampled points that fit (so the step lies between points p and p + 1).
local function likelihoods(series, seen, round_trip)
  local of = { step = of_step, none = of_none, unclear = of_unclear }
  local count, likes = #series.x, {}
  for p = 0, count do
    -- Entries come free before the limit is reached where issuing takes a round trip already.
    local masked = p >= 1 and
                   curves.median_of(series.y, p - 2, p) > (1 + curves.VISIBLE) * round_trip
    likes[p] = of[seen.status](seen, p, count, masked)
  end
  return likes
end

-- How many sampled points need at most `capacity` entries, for capacities 1 to `most` (the needs
-- grow with the points).
local function fitting(needs, most)
  local p, list = 0, {}
  for capacity = 1, most do
    while p < #needs and needs[p + 1] <= capacity do p = p + 1 end
    list[capacity] = p
  end
  return list
end

local function mshr_needs(series, merges)
  local needs = {}
  for i, threads in ipairs(series.x) do
    local whole, rest = threads // series.merge, threads % series.merge
    needs[i] = series.loads * (whole * math.ceil(series.merge / merges) + math.ceil(rest / merges))
  end
  return needs
end

local function prt_needs(series, warp)
  local needs = {}
  for i, threads in ipairs(series.x) do needs[i] = series.loads * math.ceil(threads / warp) end
  return needs
end

-- Merge limits with their prior: powers of two are likelier. A limit beyond the largest merge
-- pattern is as good as none.
local function merge_limits(list, warp)
  local most, total, limits = 1, 0, {}
  for _, series in ipairs(list) do most = math.max(most, math.min(series.merge, warp)) end
  for merges = 1, warp do
    local weight = merges & (merges - 1) == 0 and 1 or 0.2
    total = total + weight
    if merges <= most then
      limits[#limits + 1] = { low = merges, high = merges, prior = weight }
    else
      limits[#limits].high = merges
      limits[#limits].prior = limits[#limits].prior + weight
    end
  end
  for _, limit in ipairs(limits) do limit.prior = limit.prior / total end
  return limits
end

-- Half of the prior lies on whole warps' worth of requests, with the weights that the PRT of as
-- many warp loads has: unique addresses must not tell the two apart by the prior.
local function mshr_prior(warp)
  local prior, all, wholes = {}, 0, 0
  for c = 1, MAX_MSHR do all = all + 1 / c end
  for e = 1, MAX_MSHR // warp do wholes = wholes + 1 / e end
  for c = 1, MAX_MSHR do prior[c] = 0.5 / c / all end
  for e = 1, MAX_MSHR // warp do prior[e * warp] = prior[e * warp] + 0.5 / e / wholes end
  return prior
end

local function hypothesis(kind)
  return { kind = kind, evidence = 0, entries = {}, limits = {} }
end

-- The weight of each number of entries by the series without merging alone, for which the merge
-- limit does not matter, and the numbers that are worth trying with the others.
local function unmerged(list, likes, prior)
  local weights, most = {}, 0
  for c = 1, MAX_MSHR do weights[c] = prior[c] end
  for s, series in ipairs(list) do
    if series.merge == 1 then
      local places = fitting(mshr_needs(series, 1), MAX_MSHR)
      for c = 1, MAX_MSHR do weights[c] = weights[c] * likes[s][places[c]] end
    end
  end
  for c = 1, MAX_MSHR do most = math.max(most, weights[c]) end
  local worth = {}
  for c = 1, MAX_MSHR do
    if weights[c] >= NEGLIGIBLE * most then worth[#worth + 1] = c end
  end
  return weights, worth
end

local function mshr(list, likes, warp)
  local result = hypothesis("MSHR")
  local weights, worth = unmerged(list, likes, mshr_prior(warp))
  for c = 1, MAX_MSHR do result.entries[c] = 0 end
  for _, limit in ipairs(merge_limits(list, warp)) do
    local by_entries = {}
    for i, c in ipairs(worth) do by_entries[i] = limit.prior * weights[c] end
    for s, series in ipairs(list) do
      if series.merge > 1 then
        local needs, like, p = mshr_needs(series, limit.low), likes[s], 0
        for i, c in ipairs(worth) do
          while p < #needs and needs[p + 1] <= c do p = p + 1 end
          by_entries[i] = by_entries[i] * like[p]
        end
      end
    end
    limit.weight = 0
    for i, c in ipairs(worth) do
      limit.weight = limit.weight + by_entries[i]
      result.entries[c] = result.entries[c] + by_entries[i]
    end
    result.evidence = result.evidence + limit.weight
    result.limits[#result.limits + 1] = limit
  end
  return result
end

-- Beside its entries a PRT may hold some requests of loads that found it full: how many such
-- requests a block of `threads` needs, the last loads being the late ones.
local function extra_need(series, threads, entries, warp)
  local late = series.loads * math.ceil(threads / warp) - entries
  if late <= 0 then return 0 end
  local lanes = (threads - 1) % warp + 1
  local in_last = math.min(late, series.loads)
  return in_last * math.ceil(lanes / series.merge) +
         (late - in_last) * math.ceil(warp / series.merge)
end

-- The likelihood of a series under a PRT whose entries alone end at point `place`: a list for 1 to
-- most_spare spare requests, and the mean over all places inside the next warp.
local function partial(series, like, place, entries, warp, most_spare)
  local count = #series.x
  local by_spare, p = {}, place
  local need = p < count and extra_need(series, series.x[p + 1], entries, warp)
  for spare = 1, most_spare do
    while p < count and need <= spare do
      p = p + 1
      need = p < count and extra_need(series, series.x[p + 1], entries, warp)
    end
    by_spare[spare] = like[p]
  end
  local end_of_next = (entries // series.loads + 1) * warp
  local sum, places = 0, 0
  for k = place + 1, #series.x do
    if series.x[k] >= end_of_next then break end
    places = places + 1
    sum = sum + like[k]
  end
  return by_spare, places == 0 and like[place] or 0.5 * like[place] + 0.5 * sum / places
end

-- A PRT is full at a warp's boundary, or after a fixed number of spare requests, or anywhere inside
-- the next warp (a rule that we don't know).
local function prt_weight(list, likes, places, entries, warp)
  local most_spare = 2 * warp
  local boundary, anywhere = 1, 1
  local spares = {}
  for spare = 1, most_spare do spares[spare] = 1 end
  for s, series in ipairs(list) do
    local place = places[s][entries]
    local by_spare, in_next = partial(series, likes[s], place, entries, warp, most_spare)
    boundary = boundary * likes[s][place]
    anywhere = anywhere * in_next
    for spare = 1, most_spare do spares[spare] = spares[spare] * by_spare[spare] end
  end
  local fixed = 0
  for spare = 1, most_spare do fixed = fixed + spares[spare] / most_spare end
  return 0.7 * boundary + 0.15 * anywhere + 0.15 * fixed
end

local function prt(list, likes, warp)
  local result = hypothesis("PRT")
  local places, most = {}, 1
  for s, series in ipairs(list) do
    local needs = prt_needs(series, warp)
    most = math.max(most, needs[#needs])
    places[s] = fitting(needs, MAX_PRT)
  end
  local total = 0
  for e = 1, MAX_PRT do total = total + 1 / e end
  local weight
  for e = 1, MAX_PRT do
    -- Above `most` the table is never full, whatever its size.
    if e <= most + 1 then weight = prt_weight(list, likes, places, e, warp) end
    result.entries[e] = weight / e / total
    result.evidence = result.evidence + result.entries[e]
  end
  return result
end

local function neither(list, seen)
  local result = hypothesis("neither")
  result.evidence = 1
  for s, series in ipairs(list) do
    local like = seen[s].status == "unclear" and 0.3 or 0.5
    if seen[s].status == "step" then like = 0.5 / #series.x end
    result.evidence = result.evidence * like
  end
  return result
end

-- The likeliest number of entries, and the hull of all that keep at least 1 % of its weight.
function M.entries(result)
  local best, most = 1, 0
  for value, weight in ipairs(result.entries) do
    if weight > most then best, most = value, weight end
  end
  local low, high
  for value, weight in ipairs(result.entries) do
    if weight >= 0.01 * most then low, high = low or value, value end
  end
  return best, low, high
end

local TEST = { MSHR = mshr, PRT = prt }

local function all_likelihoods(list, seen, round_trip)
  local likes = {}
  for s, series in ipairs(list) do likes[s] = likelihoods(series, seen[s], round_trip) end
  return likes
end

-- The three hypotheses with their posterior, the likeliest first. Each is as likely as the others
-- before the samples are seen.
function M.compare(list, seen, round_trip, warp)
  local likes = all_likelihoods(list, seen, round_trip)
  local results = { mshr(list, likes, warp), prt(list, likes, warp), neither(list, seen) }
  local total = 0
  for _, result in ipairs(results) do total = total + result.evidence end
  for _, result in ipairs(results) do result.posterior = result.evidence / total end
  table.sort(results, function(a, b) return a.posterior > b.posterior end)
  return results
end

-- True where the hypothesis, as all series determine it, predicts the faint step of series `s`.
function M.predicts(result, list, seen, round_trip, warp, s)
  local likes = all_likelihoods(list, seen, round_trip)
  for p in ipairs(likes[s]) do
    if not inside(p, seen[s].faint) then likes[s][p] = 0 end
  end
  likes[s][0] = 0
  return TEST[result.kind](list, likes, warp).evidence >= 0.95 * result.evidence
end

return M
