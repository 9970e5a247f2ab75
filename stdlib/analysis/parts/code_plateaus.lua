-- Caches of code from one binary: clocks an instruction of a loop of straight code over its size. The curve
-- stays on a plateau while one cache holds the loop, and leaves it where that cache is full. Nothing is
-- assumed of lines and sets: prefetching hides both on recent GPUs.
-- Used by instruction_cache.lua. Covered by tests/experiments/eviction_test.cpp.

local ledger = use "parts/steps"
local M = {}

local PARTS, OTHER_PARTS = 260, 130   -- of the two copies, of 64 instructions each (stdlib/probes/fetch.cu)
local INSTRUCTIONS = 64
local TIMED, WARM, REPEATS = 4, 3, 3  -- rounds, those before, and launches, of short loops...
local LONG, FEWER = 64, { 3, 2, 2 }   -- ...and of longer ones, whose rounds are less disturbed
local BESIDE = { 2, 4, 8 }            -- beside another loop: rounds, those before, and the other's, which go on longer. It has to
                                      -- have come round: behind one round before, an H100's loops seemed to share nothing
local STRIDE = 4                      -- parts between two loops whose difference is taken
local SAME = 0.06                     -- by which clocks of one plateau differ, at most
local ALL = 0.9                       -- of the next plateau's clocks
local WIDE = 1.25                     -- largest over smallest size of a plateau, at least
local FIRST = 2                       -- parts of the shortest loop
local CROWD = 0.8                     -- of a capacity, that two loops have each: together they overflow it
local OUTSTANDING = 4                 -- times what most SMs add, by which one that shares a level stands out
local COVERED, LONGER = 1.25, 1.5     -- times the most that a level may hold, that two loops have at last; steps to there
local UNEVEN, OVERLAP = 1.25, 1.5     -- steps of a loop beside one half as long; times that the shorter one goes on

-- Clocks of a round of so many parts on SM 0, beside `others` rounds of `length` parts (as many, if nil) on SM `other`.
local function run(device, parts, timed, warm, others, other, length)
  local first = others and OTHER_PARTS - (length or parts) or 0
  local words = probe.kernel {
    name = "fetch", arrays = {}, lists = {},
    scalars = { PARTS - parts, warm + timed, timed, first, others or 0, 0, other or 0 },
    results = 5, blocks = 4 * math.floor(device.sm_count), fewer = others and 0 or 1, threads = 32,
  }
  return words[1] / timed
end

-- Clocks of a round of so many parts alone.
function M.clocks(device, parts) return run(device, parts, TIMED, WARM) end

-- Clocks of a round by parts: of REPEATS the least, which nothing else disturbed. Every STRIDE-th number of parts is
-- asked, and those between where a stretch costs otherwise than the one before or behind it; else the line between.
-- The second value has those that were asked alone.
local function curve(device)
  local clocks, rate, measured = {}, {}, {}
  local function ask(parts)
    if clocks[parts] then return end
    local least, timed, warm, repeats = math.huge, TIMED, WARM, REPEATS
    if parts > LONG then timed, warm, repeats = table.unpack(FEWER) end
    for _ = 1, repeats do least = math.min(least, run(device, parts, timed, warm)) end
    clocks[parts], measured[parts] = least, least
  end
  local last = FIRST + (PARTS - FIRST) // STRIDE * STRIDE
  for parts = FIRST, last, STRIDE do
    ask(parts)
    if parts > FIRST then rate[parts] = clocks[parts] - clocks[parts - STRIDE] end
  end
  local function alike(a, b) return not (a and b) or math.abs(a - b) <= SAME / 2 * math.min(a, b) end
  for to = FIRST + STRIDE, last, STRIDE do
    local from, even = to - STRIDE, alike(rate[to], rate[to - STRIDE]) and alike(rate[to], rate[to + STRIDE])
    for parts = from + 1, to - 1 do
      if even then clocks[parts] = clocks[from] + rate[to] * (parts - from) / STRIDE else ask(parts) end
    end
  end
  for parts = last + 1, PARTS do ask(parts) end
  return clocks, measured
end

-- Clocks an instruction of parts [from, to).
local function mean_rate(clocks, from, to) return (clocks[to] - clocks[from]) / (to - from) / INSTRUCTIONS end

-- { low, high (parts), clocks (an instruction) }, the first one first: stretches over which each further part
-- costs the same. (A loop of more than 25 KB costs an H100 some hundred clocks more, once a round: what
-- a part adds does not show that, an average would.)
local function plateaus(clocks)
  local rate = {}
  for parts = FIRST, PARTS - STRIDE do
    rate[parts] = mean_rate(clocks, parts, parts + STRIDE)
  end
  local out, from = {}, FIRST
  while from <= PARTS - STRIDE do
    local to, sum, missed = from, rate[from], 0
    for k = from + 1, PARTS - STRIDE do
      local mean = sum / (to - from + 1)
      if math.abs(rate[k] - mean) <= SAME * mean then
        sum, to, missed = sum + rate[k] * (k - to), k, 0
      else
        missed = missed + 1
        if missed > STRIDE + 1 then break end   -- one event shows in STRIDE differences
      end
    end
    local mean, last = sum / (to - from + 1), out[#out]
    local wide = to >= WIDE * from and (from == FIRST or to - from > STRIDE)   -- wider than one event shows
    -- While sets overflow one after the other, each part adds more than where all is missed: that is no plateau.
    while wide and last and last.low > FIRST and mean <= last.clocks do
      out[#out], last = nil, out[#out - 1]
    end
    if wide and last and math.abs(mean - last.clocks) <= SAME * last.clocks then
      last.high = to + STRIDE   -- several events: what it holds costs as much behind them
    elseif wide and (not last or mean > (1 + 2 * SAME) * last.clocks) then
      out[#out + 1] = { low = from, high = to + STRIDE, clocks = mean }
    end
    from = to > from and to or from + 1
  end
  -- A plateau may go on behind one event: up to the last part that costs no more, at most.
  for i, each in ipairs(out) do
    each.most = each.high
    for k = each.high, (out[i + 1] and out[i + 1].low or 0) - STRIDE do
      if rate[k] and rate[k] <= (1 + SAME) * each.clocks then each.most = k + STRIDE end
    end
  end
  return out
end

-- Parts of the loops that are asked for whom a level is shared by: less than it holds, and two of them more, whatever it
-- holds between `high` and `most` of the plateau. On an H100 these are 22 and 38 KB: of 30 KB a loop by itself misses, and
-- the other SM of the TPC added nothing more. nil: the copies are too small for it.
local function crowds(plateau)
  local out = { math.floor(CROWD * plateau.high) }
  while 2 * out[#out] < COVERED * plateau.most and out[#out] < OTHER_PARTS do
    out[#out + 1] = math.min(math.floor(CROWD * plateau.most), math.ceil(LONGER * out[#out]), OTHER_PARTS)
  end
  return out[#out] <= OTHER_PARTS and 2 * out[#out] >= COVERED * plateau.most and out or nil
end

-- The SMs whose loops take clocks from SM 0's, by `extra`, the most that each adds to an instruction. Where none adds
-- `least`, loops may have overflowed the level in part: those stand out that add a good part of it and far more than most.
local function standing_out(extra, least)
  local function above(bound)
    local out = {}
    for sm, each in ipairs(extra) do
      if each > bound then out[#out + 1] = sm end
    end
    return out
  end
  local out = above(least)
  return #out > 0 and out or above(math.max(least / 4, OUTSTANDING * stats.quantile(extra, 0.8)))
end

-- Two loops of one length may not show that they share a level: where it replaces the line that was used least recently,
-- the loop that hits is fast and keeps its lines, and the other one, which is not timed, misses. A loop half as long goes
-- round as often even while it misses, so that it displaces the timed one. Which lengths show it, a second loop on SM 0
-- tells, less what a shortest one costs there, which takes issue slots alone. { parts, other, rounds, alone } or nil.
local function uneven_pair(device, plateau, next_clocks)
  local timed, warm = BESIDE[1], BESIDE[2]
  local best, most = nil, (next_clocks - plateau.clocks) / 6
  local parts = plateau.high
  while parts <= PARTS and parts // 2 <= OTHER_PARTS do
    local other = parts // 2
    local rounds = math.ceil(OVERLAP * (timed + warm) * parts * next_clocks / (other * plateau.clocks))
    local displaced = (run(device, parts, timed, warm, rounds, 0, other) -
                       run(device, parts, timed, warm, rounds * other // FIRST, 0, FIRST)) / parts / INSTRUCTIONS
    if displaced > most then best, most = { parts = parts, other = other, rounds = rounds }, displaced end
    if parts >= plateau.most then break end
    parts = math.min(math.ceil(UNEVEN * parts), plateau.most)
  end
  if best then best.alone = run(device, best.parts, timed, warm) end
  return best
end

-- The SMs whose loops displace one twice as long on SM 0. nil and why: a loop adds more than chance and less than
-- displacement.
local function beside_half(device, plateau, next_clocks, pair)
  local out, least = {}, (next_clocks - plateau.clocks) / 12
  for sm = 1, math.floor(device.sm_count) - 1 do
    local function added()
      local clocks = run(device, pair.parts, BESIDE[1], BESIDE[2], pair.rounds, sm, pair.other)
      return (clocks - pair.alone) / pair.parts / INSTRUCTIONS
    end
    local extra = added()
    if extra > least / 4 then extra = math.min(extra, added()) end   -- a disturbance does not come twice
    if extra > least then
      out[#out + 1] = sm
    elseif extra > least / 4 then
      return nil, string.format("a loop on SM %d slows SM 0's down by %.2f clocks an instruction, more than chance and "
        .. "less than displacement", sm, extra)
    end
  end
  return out
end

-- The SMs whose loops overflow a level together with SM 0's: a list; nil and the reason: the copies are too small for it,
-- or not even two loops on SM 0 itself, which share every level, show that they do.
function M.shared_by(device, plateau, next_clocks)
  local extra, loops = {}, crowds(plateau)
  if not loops then return nil, "two loops of its size are longer than the code of the probe" end
  local timed, warm, others = table.unpack(BESIDE)
  local least = (next_clocks - plateau.clocks) / 3
  local function added(alone, parts, other)
    return (run(device, parts, timed, warm, others, other) - alone) / parts / INSTRUCTIONS
  end
  for _, parts in ipairs(loops) do
    local alone = run(device, parts, timed, warm)
    for other = 1, math.floor(device.sm_count) - 1 do
      if (extra[other] or 0) <= least then extra[other] = math.max(extra[other] or 0, added(alone, parts, other)) end
    end
  end
  local out = standing_out(extra, least)
  if #out > 0 then return out end
  local pair = uneven_pair(device, plateau, next_clocks)
  if pair then return beside_half(device, plateau, next_clocks, pair) end
  -- Where no shorter loop displaces the timed one, lines are not kept by their last use, and equal loops decide.
  for _, parts in ipairs(loops) do
    if added(run(device, parts, timed, warm), parts, 0) > least / 4 then return out end
  end
  return nil, "not even two loops on SM 0 itself overflow it visibly"
end

-- The first number of parts of which (nearly) all cost what they do on the next plateau: the set of a cache that the
-- code around the loop shares is overfull before, but no loop that the cache holds misses everything.
local function all_missed(clocks, near, far)
  local function line(from, to)
    local slope = (clocks[to] - clocks[from]) / (to - from)
    return function(parts) return clocks[from] + slope * (parts - from) end
  end
  local from = math.min(math.max(far.low, near.high + 2 * STRIDE), far.high - STRIDE)
  local held, missed = line(near.low, near.high - STRIDE), line(from, (from + far.high + 1) // 2)
  for parts = near.high, far.high do
    if clocks[parts] - held(parts) >= ALL * (missed(parts) - held(parts)) then return parts end
  end
  return far.high
end

-- Whether what lies behind the last plateau costs no more, on average, than the plateau, or than any stretch of the same
-- length before it, from part `from` on: then disturbances ended it, and no cache. Neighbouring lines lie in few slices of
-- L2, near or far: on a virtual GPU whose slices differ by 15 clocks an instruction took 9.8 clocks on the plateau, and 11.1
-- in the last 16 KB as in 16 KB before.
local function goes_on(clocks, each, from)
  local parts = PARTS - each.high
  if parts <= 0 then return false end
  local most = each.clocks
  for k = from, each.high - parts do most = math.max(most, mean_rate(clocks, k, k + parts)) end
  return mean_rate(clocks, each.high, PARTS) <= (1 + 2 * SAME) * most
end

function M.find(device)
  local before, by_bytes = ledger.now(), {}
  local clocks, measured = curve(device)
  local bytes = INSTRUCTIONS * math.floor(device.instruction_bytes)
  for parts, each in pairs(measured) do by_bytes[parts * bytes] = each end
  local shown = ledger.since(before, "clocks of a round by the length of a loop", "bytes", "clocks", ledger.points(by_bytes))
  local found = plateaus(clocks)
  local from = FIRST   -- parts of which the level before misses all
  for i, each in ipairs(found) do
    each.probes, each.bytes_low, each.bytes = { shown }, each.low * bytes, each.high * bytes
    -- What lies behind may be too uneven for a plateau: the line through its latter half stands for it.
    local far = found[i + 1] or each.high < PARTS - 4 * STRIDE and { low = (each.high + PARTS) // 2, high = PARTS }
    local beyond = far and all_missed(clocks, each, far) or 0
    local ends = each.high < PARTS - STRIDE and (found[i + 1] or not goes_on(clocks, each, from))
    each.beyond = ends and math.max(each.most + 1, beyond) * bytes or nil
    from = math.max(each.most + 1, beyond) + 2 * STRIDE
    local missed = found[i + 1] and found[i + 1].clocks or each.beyond and mean_rate(clocks, far.low, far.high)
    before = ledger.now()
    if missed then each.shared, each.unseen = M.shared_by(device, each, missed) end
    each.asked_beside = { ledger.since(before, "loops of SM 0 alone, and with those of each other SM") }
  end
  return found
end

return M
