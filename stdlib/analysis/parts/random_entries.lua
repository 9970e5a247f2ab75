-- A level of translation whose entries leave at random, from how its misses grow.
--
-- N granules are visited in turn, and a miss takes any of E entries: an entry survives the misses of a round, m N of
-- them, by exp(-m N / E), so that 1 - m = exp(-m N / E). Costs of several N give E and what a miss costs. Where N granules
-- lie unevenly over sets this hardly changes, unlike the number that costs nothing more. In sets of W ways 1 - 1 / W
-- stands for exp(-1 / W): E is too small by 1 / 2W then, and the entries lie between it and that number.
-- Used by parts/placements.lua. Covered by tests/bench/recover_test.cpp.

local M = {}

local TIMES = { 1.25, 1.6, 2, 2.6 }   -- the granules that seem to be held: of more a further level may miss some
local FEWEST, MOST, STEP = 0.5, 1.15, 1.01   -- times these granules, among which E is looked for
local CLOCKS, SHARE = 1, 0.04         -- that costs may lie off the curve: clocks, or of a miss
local SAME, HALF = 1.25, 1.7          -- times as many entries at half the spacing: below, they are the same ones; above, two of
                                      -- these granules lie in one entry
local ALL = 3                         -- times the entries: 0.94 of so many granules miss
M.ALL = ALL
M.MOST = 2    -- times the entries: 0.8 of so many granules miss, so that a cost is not taken for one of hits
local SMALL = 0.04                    -- of the entries: what a fit may be off

-- The share of `x` times as many granules as entries that miss.
local function missing(x)
  local low, high = 0, 1
  for _ = 1, 40 do
    local middle = (low + high) / 2
    if 1 - middle > math.exp(-middle * x) then low = middle else high = middle end
  end
  return low
end

-- Entries and the clocks of a miss from { n, clocks } by least squares; nil: no number of entries fits.
local function fit(points, seen)
  local best
  local entries = FEWEST * seen
  while entries <= MOST * seen do
    local mm, mc = 0, 0
    for _, p in ipairs(points) do
      local m = missing(p.n / entries)
      mm, mc = mm + m * m, mc + m * p.clocks
    end
    local off, clocks = 0, mc / mm
    for _, p in ipairs(points) do off = math.max(off, math.abs(p.clocks - clocks * missing(p.n / entries))) end
    if not best or off < best.off then best = { entries = entries, clocks = clocks, off = off } end
    entries = entries * STEP
  end
  return best.off <= math.max(CLOCKS, SHARE * best.clocks) and best or nil
end

-- The same at one spacing, of granules of which `seen` cost nothing more.
local function at(m, spacing, level, seen)
  local points = {}
  for _, times in ipairs(TIMES) do
    local n = math.ceil(times * seen)
    if n > math.min(m.most, m:granules(spacing)) then return nil end
    points[#points + 1] = { n = n, clocks = m:difference(spacing, n) - level }
  end
  return fit(points, seen)
end

-- { entries, low, high, cost, error, granule, beyond }, from a spacing at which `seen` granules cost nothing more than `level`; nil:
-- misses do not grow so.
function M.of(m, spacing, level, seen, finest)
  local here = at(m, spacing, level, seen)
  while here do
    local half = spacing // 2 >= finest and (at(m, spacing // 2, level, 2 * seen) or at(m, spacing // 2, level, seen))
    if not half then return nil end
    local times = half.entries / here.entries
    if times >= HALF then break end
    if times > SAME then return nil end
    spacing, here = spacing // 2, half
  end
  if not here then return nil end
  return { entries = seen, low = math.floor((1 - SMALL) * math.min(here.entries, seen)),
           high = math.ceil((1 + SMALL) * math.max(here.entries, seen)), granule = spacing,
           beyond = math.ceil(ALL * here.entries), cost = level + here.clocks, error = here.off + SHARE * here.clocks,
           why = "misses grow as if any entry may leave, however many share a set" }
end

return M
