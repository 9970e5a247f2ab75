-- Capacity of all of L2, from the share of a region that is still in it (probes/resident.cu).
--
-- Loads of one SM show the part of L2 that it reaches without crossing to another one, where that keeps copies of the
-- other parts' lines. Atomics leave no copies: each is performed where its line belongs. After atomics on every line of
-- a region larger than L2, all sets are full of lines of the region, whatever their function and policy. The share of
-- its lines that still hit, times the size of the region, is the capacity.
-- A sampled line hits if a first atomic on it takes as long as a second one.
-- Used by cache.lua. Covered by tests/experiments/whole_l2_test.cpp.

local ledger = use "parts/steps"
local lists = use "parts/lists"
local report = use "parts/report"

local M = {}
---@names level: Level

local NAME = "l2.whole_capacity"
local PAGE = 4096            -- bytes, of which one line is sampled
local SAMPLES = 4096         -- at most, of each of two runs
local TRIES = 6              -- of runs, until two in a row agree
local FEW = 128              -- of them tell whether a region is large enough
local RUNS = 12              -- at most, of small regions
local DISTURBED = 0.1        -- of the lines that L2 holds, those that the samples of a run may bring in
local BROUGHT = 2.5          -- lines that a sample brings in, at most: its own, one of its page, its results
local BEHIND = 1 << 31       -- that the kernel adds to a difference
local LEAST, MOST = 0.3, 0.7 -- the share that a region should have: all sets are full, and many lines hit
local REGIONS = 12           -- that are tried
local DEVIATIONS = 4.2       -- of a share, to both sides: 1 of 37,000 lies outside
local CLEAR = 3              -- times the most by which two hits of a line differ, a miss takes more
local LEAST_CLOCKS = 8       -- that a miss takes more, at least
local UNCLEAR = 0.02         -- of the samples that may be neither
local UNKNOWN = 1 << 20      -- bytes of the first region, where nothing is known
local FINEST = 32            -- bytes: no line is smaller
local BESIDE = 16 << 10      -- bytes of code, results and constants that L2 may hold as well
local NEVER = 0x5a5a5a5b

-- Differences of first and second atomics on sampled lines, and of second and third ones.
local function sampled(device, region, line, count, seed)
  local pages, bits = region // PAGE, 1
  while 1 << bits < pages do bits = bits + 1 end
  local words = probe.kernel {
    name = "resident", arrays = { region }, bare = true, lists = {}, results = 2 * count,
    scalars = { region // line, line, count, bits, seed, NEVER },
    threads = math.min(1024, math.floor(device.max_threads_per_block)),
  }
  local firsts, later = {}, {}
  for k = 1, count do firsts[k], later[k] = words[2 * k - 1] - BEHIND, words[2 * k] - BEHIND end
  return firsts, later
end

-- How many of the samples hit, and how many may or may not: { hits, unclear, of }. Where a miss can be as fast as a
-- hit, some take less than a hit, and some little more.
local function counted(firsts, later)
  local apart = {}
  for k, value in ipairs(later) do apart[k] = math.abs(value) end
  local limit = math.max(LEAST_CLOCKS, CLEAR * stats.quantile(apart, 0.995))
  local out = { hits = 0, unclear = 0, of = #firsts }
  for _, value in ipairs(firsts) do
    if math.abs(value) <= limit / 2 then out.hits = out.hits + 1
    elseif value <= 2 * limit then out.unclear = out.unclear + 1 end
  end
  return out
end

---@class Share
---@field share number   -- of the lines of the region that L2 holds
---@field low number
---@field high number
---@field count table    -- hits, unclear, of
---@field firsts number[] -- times of the first atomics, less those of the second ones
---@field later number[]

-- What the times of samples, `each` in a launch, show.
---@return Share
local function judged(firsts, later, region, line, each)
  local count = counted(firsts, later)
  local n, z = count.of, DEVIATIONS
  -- Wilson's interval, of hits without and with those that are unclear.
  local function bound(hits, sign)
    local p = hits / n
    return (p + z * z / 2 / n + sign * z * math.sqrt(p * (1 - p) / n + (z / 2 / n) ^ 2)) / (1 + z * z / n)
  end
  local low, high = bound(count.hits, -1), bound(count.hits + count.unclear, 1)
  -- What the samples brought in has displaced lines that were to be sampled yet.
  local displaced = (1 - low) * BROUGHT * each * line / region
  return { share = (count.hits + count.unclear / 2) / n + displaced / 2, low = low, high = math.min(1, high + displaced),
           count = count, firsts = firsts, later = later, each = each }
end

-- The share of the region that L2 holds. `about`: bytes that L2 holds, for the number of samples that leave it nearly as
-- it is. `turn`: of several such shares, each by other lines.
---@return Share
local function share_of(device, region, line, about, most, turn)
  local each = math.max(1, math.floor(DISTURBED * about / line / BROUGHT))
  local left, firsts, later, seed = math.min(most, RUNS * each), {}, {}, RUNS * ((turn or 1) - 1)
  each = math.min(each, region // PAGE, left)
  while left > 0 do
    seed = seed + 1
    local some, more = sampled(device, region, line, math.min(each, left), seed)
    firsts, later = lists.join(firsts, some), lists.join(later, more)
    left = left - each
  end
  return judged(firsts, later, region, line, each)
end

-- Whether two shares are of one state of L2.
local function agree(one, other)
  local n = one.count.of * other.count.of / (one.count.of + other.count.of)
  local p = (one.share + other.share) / 2
  return math.abs(one.share - other.share) <= DEVIATIONS * math.sqrt(math.max(p * (1 - p), 1 / n) / n)
end

-- The share by two runs in a row that agree: a GPU that clears memory which was given back writes through L2 for some
-- milliseconds, and controls before and after do not show it. An H200 held 45 MB of its 60 in the first such run, 57 to
-- 58 MB in all others. nil: no two agree.
---@return Share?
local function steady_share(device, region, line)
  local last
  for turn = 1, TRIES do
    local here = share_of(device, region, line, region * LEAST, SAMPLES, turn)
    if last and agree(last, here) then
      return judged(lists.join(last.firsts, here.firsts), lists.join(last.later, here.later), region, line, here.each)
    end
    last = here
  end
  return nil
end

-- A region of which L2 holds about a half, and that share; nil, and why: there is none.
local function region_of(device, line, known)
  local most = probe.most_bytes("global") // PAGE * PAGE
  local function within(bytes) return math.max(2 * PAGE, math.min(most, math.floor(bytes)) // PAGE * PAGE) end
  local region = within(2.2 * known)
  for turn = 1, REGIONS do
    local found = share_of(device, region, line, math.min(known, region / 2), FEW, turn)
    -- One late hit of so few makes all misses unclear: other lines are asked.
    local clear = found.count.unclear <= UNCLEAR * FEW or turn > TRIES
    if clear and found.share >= LEAST and found.share <= MOST then return region end
    if clear and found.share > MOST and region == most then
      return nil, string.format("%.0f %% of %s are hits: the memory has no region that L2 does not hold", 100 * found.share,
                                report.size(region))
    end
    local next_region = within(found.share > MOST and 2 * region or region * math.max(0.1, 2 * found.share))
    if clear and next_region == region then break end
    region = clear and next_region or region
  end
  return nil, "no region is large enough to fill L2 and small enough to show what it holds"
end

-- Whether a region twice as large gives the same: one in which some sets have no lines does not. Of a level whose part is
-- known, that is the check.
local function confirmed(level, device, region, line, found)
  if level.capacity then return true end
  if 2 * region > probe.most_bytes("global") then return false end
  local twice = share_of(device, 2 * region, line, region * LEAST, SAMPLES // 4)
  return 2 * twice.low * region <= found.high * region + BESIDE and 2 * twice.high * region + BESIDE >= found.low * region
end

-- How many parts like the one that a SM sees a whole has, and whether that is a whole number. nil: no part is known.
local function parts_in(level, low, high)
  if not level.capacity then return nil, true end
  local least, most = level.capacity_low or level.capacity, level.capacity_high or level.capacity
  local parts = math.max(1, math.floor((low + high) / 2 / level.capacity + 0.5))
  return parts, parts * least <= high and parts * most >= low
end

-- Of a line that may be smaller than it looks, the smallest that there is: more visits of a line change nothing.
local function step_of(level)
  return level.line and not level.coarse and level.line or FINEST
end

local function open(why, shown)
  return { name = NAME, unit = "B", verdict = "inconclusive", note = why, probes = shown and { shown } }
end

-- Why a share tells no capacity; nil: it does.
local function doubt_of(found, low, high, fits)
  local count = found.count
  if count.unclear > UNCLEAR * count.of then
    return string.format("hits and misses of L2 are not apart: %d of %d atomics took neither time", count.unclear, count.of)
  end
  return not fits and string.format("between %s and %s, which is no multiple of what one SM reaches",
                                    report.size(low), report.size(high)) or nil
end

-- The finding of a share that tells a capacity between `low` and `high`. The level gets a note where it is one of `parts`.
local function concluded(level, found, region, parts, low, high, shown)
  local value, note = found.share * region, string.format(
    "%d of %d lines of a region of %s are still in L2 after atomics on all of its lines", found.count.hits,
    found.count.of, report.size(region))
  if parts == 1 then   -- one SM reaches all of it, which its sets tell more closely
    low, high = math.max(low, level.capacity_low or level.capacity), math.min(high, level.capacity_high or level.capacity)
    value = math.max(low, math.min(high, level.capacity))   -- sets by their share of lines have an interval, too
    note = note .. ": what one SM reaches"
  elseif parts then
    note = string.format("%s: %d times what one SM reaches without crossing", note, parts)
    level.counted = string.format("%s: the part that one SM reaches without crossing, one of %d",
                                  level.counted or "the largest footprint without a miss", parts)
  end
  return { name = NAME, unit = "B", value = value, low = low, high = high, note = note, probes = { shown } }
end

-- The finding of the capacity of all of L2, of which the level is what one SM sees.
function M.of(level, device)
  local line, before = step_of(level), ledger.now()
  local function shown() return ledger.since(before, "atomics on all lines of a region, then on some of them again") end
  if line > PAGE / 2 then return open(string.format("a line of %d B is a page", line)) end
  local region, why = region_of(device, line, level.capacity or UNKNOWN)
  if not region then return open(why, shown()) end
  local found = steady_share(device, region, line)
  if not found then return open("no two runs in a row find as many lines in L2", shown()) end
  if not confirmed(level, device, region, line, found) then
    return open("a region twice as large gives another capacity", shown())
  end
  local low, high = found.low * region, found.high * region + BESIDE
  local parts, fits = parts_in(level, low, high)
  local doubt = doubt_of(found, low, high, fits)
  if doubt then return open(doubt, shown()) end
  return concluded(level, found, region, parts, low, high, shown())
end

return M
