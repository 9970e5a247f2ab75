-- page_window(): how far from its first access a launch reaches before page tables must be switched.
--
-- Two cold accesses, the second at growing distances. Where it takes as long as the first, no TLB
-- has translated it: a step to more than that is the window's end. A step from less is where a page
-- ends, and no window. Covered by tests/experiments/memory_planted_test.cpp.

local pick = use "parts/select"
local M = {}

local PARTS, GRAIN, TIMES = 32, 64 << 10, 5

-- Clocks of a cold access `distance` bytes from the first one of its launch, their scatter, and
-- clocks of the first.
local function far(bytes, start, distance)
  local values, firsts = {}, {}
  for k = 1, TIMES do
    local from = start + 256 * k   -- of one page, however small
    local answer = probe.chase { space = "global", cache = "cg", width = 8, bytes = bytes,
                                 offsets = { from, from + distance }, warm = 0, passes = 1 }
    firsts[k], values[k] = answer[1], answer[2]
  end
  return stats.median(values), stats.max(values) - stats.min(values), stats.median(firsts)
end

-- The first of the parts that is slower than all before it and not faster than any behind it.
local function step_of(values, noise)
  local best, jump
  for i = 2, #values do
    local before, behind = math.mininteger, math.maxinteger
    for k = 1, #values do
      if k < i then before = math.max(before, values[k]) else behind = math.min(behind, values[k]) end
    end
    if behind - before > noise and (not jump or behind - before > jump) then
      best, jump = i, behind - before
    end
  end
  return best, jump
end

-- The last multiple of GRAIN from `low` on, below `high`, for which holds() is true as at `low`.
local function between(low, high, holds)
  while high - low > GRAIN do
    local half = (low + high) // (2 * GRAIN) * GRAIN
    if holds(half) then low = half else high = half end
  end
  return low
end

-- { size, jump } of the window, or { verdict, note } where none is seen.
function M.find()
  local bytes = probe.most_bytes("global") // GRAIN * GRAIN
  local part, values, firsts, scatter = bytes // PARTS // GRAIN * GRAIN, {}, {}, 0
  if part == 0 then return { verdict = "inconclusive", note = "there is too little memory" } end
  for k = 1, PARTS - 2 do
    local value, range, first = far(bytes, part, k * part)
    values[k], firsts[k], scatter = value, first, math.max(scatter, range)
  end
  local at, jump = step_of(values, math.max(8, 2 * scatter))
  if not at and stats.max(values) - stats.min(values) > math.max(8, 4 * scatter) then
    return { verdict = "inconclusive",
             note = string.format("cold accesses take %.0f to %.0f clocks, in no order of their distance",
                                  stats.min(values), stats.max(values)) }
  elseif not at then
    return { verdict = "not_observed", note = string.format(
             "a cold access takes as long at every distance from %d to %d MB", part >> 20, (PARTS - 2) * part >> 20) }
  elseif math.abs(values[at - 1] - stats.median(firsts)) > math.max(8, 2 * scatter) then
    return { verdict = "inconclusive",
             note = string.format("%.0f clocks more from %d MB on, but closer accesses are not as slow as a " ..
                                  "first access: a page of a TLB may end there", jump,
                                  (at * part) >> 20) }
  end
  local middle = (values[at - 1] + values[at]) / 2
  local function holds(start, distance) return far(bytes, start, distance) < middle end
  -- The end of the window of the page that `part` lies in, and where that page begins.
  local last = part + between((at - 1) * part, at * part, function(distance)
    return holds(part, distance)
  end)
  local outside = between(0, part, function(start) return not holds(start, last - start) end)
  local begin = holds(0, last) and 0 or outside + GRAIN
  return { size = last + GRAIN - begin, jump = jump }
end

function M.run(input)
  if not probe then error("page_window runs chases of its own, which need the device", 0) end
  pick.only(input, "page_window", {})
  local name, found = "global.page_window", M.find()
  if not found.size then
    return finding { name = name, unit = "B", verdict = found.verdict, note = found.note }
  end
  finding { name = name, value = found.size, low = found.size - GRAIN, high = found.size, unit = "B",
            note = string.format("from the first access's page on; accesses beyond take %.0f clocks more",
                                 found.jump) }
end

return M
