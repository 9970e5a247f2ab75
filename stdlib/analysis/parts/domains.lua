-- Which SMs share a clock: the start stamps of blocks that were launched together.
--
-- SMs that share a clock start within a launch's skew of each other; clocks that do not share it
-- show any difference, the same in every launch. Used by clock.lua. Covered by
-- tests/runtime/inference_timeline_test.cpp.

local pick = use "parts/select"
local timeline = use "parts/timeline"

local M = {}

-- Stamps so many durations of a block apart come from two clocks: nothing delays the start of a
-- block for as long while its SM is free. So do stamps that are less far apart, but so many times as
-- far as any neighbours of one clock, in every one of LAUNCHES launches: a delay would vary.
local APART, LAUNCHES = 10, 3

-- The earliest start on each SM, and how long blocks run.
local function starts(launch, first, last)
  local earliest, durations = {}, {}
  for _, one in ipairs(timeline.threads(launch)) do
    local from, to = one.at[first], one.at[last]
    if from and to then
      durations[#durations + 1] = timeline.ticks(to, from)
      local known = earliest[one.sm]
      if not known or timeline.ticks(from, known) < 0 then earliest[one.sm] = from end
    end
  end
  return earliest, durations
end

-- SMs in groups of neighbours on the circle of 2^32 clocks. nil where a gap is neither small nor
-- large, and why. The widest group's extent comes with them. `many`: there are enough launches for a
-- gap of less than APART durations.
local function groups_of(earliest, duration, many)
  local sms = {}
  for sm, clock in pairs(earliest) do sms[#sms + 1] = { sm = sm, clock = clock % 2 ^ 32 } end
  table.sort(sms, function(a, b) return a.clock < b.clock end)
  local from = 1
  for i = 1, #sms do   -- begin behind the widest gap, which no group spans
    local gap = (sms[i].clock - sms[(i - 2) % #sms + 1].clock) % 2 ^ 32
    sms[i].gap = gap
    if gap > sms[from].gap then from = i end
  end
  local inner = 0   -- the widest gap between neighbours of one clock
  for _, one in ipairs(sms) do
    if one.gap <= duration then inner = math.max(inner, one.gap) end
  end
  local apart = APART * (many and inner > 0 and math.min(inner, duration) or duration)
  local groups, extent, reach = {}, 0, 0
  for k = 0, #sms - 1 do
    local one = sms[(from + k - 1) % #sms + 1]
    if k > 0 and one.gap <= duration then
      reach = reach + one.gap
      table.insert(groups[#groups], one.sm)
    elseif k > 0 and one.gap < apart then
      return nil, string.format("start stamps of two SMs lie %.0f clocks apart, where blocks take %.0f: too far "
                                .. "for one clock, too close for two", one.gap, duration)
    else
      groups[#groups + 1], reach = { one.sm }, 0
    end
    extent = math.max(extent, reach)
  end
  return groups, extent
end

-- Remembers which SMs were together and which apart; false where two launches contradict.
local function agrees(known, groups)
  local group_of = {}
  for number, group in ipairs(groups) do
    for _, sm in ipairs(group) do group_of[sm] = number end
  end
  for a, first in pairs(group_of) do
    known[a] = known[a] or {}
    for b, second in pairs(group_of) do
      local together = first == second
      if known[a][b] ~= nil and known[a][b] ~= together then return false end
      known[a][b] = together
    end
  end
  return true
end

-- The launches with the most SMs decide; no other must contradict them. Returns { groups, sms,
-- extent } or { why }.
function M.find(stamps, first, last)
  local best, open, known, launches = nil, { sms = 0 }, {}, pick.launches(stamps)
  for _, launch in ipairs(launches) do
    local earliest, durations = starts(launch.samples, first, last)
    if #durations == 0 then return { why = "no thread passed both stamps" } end
    local sms = 0
    for _ in pairs(earliest) do sms = sms + 1 end
    local groups, extent = groups_of(earliest, math.max(1, stats.median(durations)), #launches >= LAUNCHES)
    if groups and not agrees(known, groups) then
      return { why = "SMs that agree in one launch do not in another" }
    elseif not groups and sms > open.sms then
      open = { sms = sms, why = extent }
    elseif groups and (not best or sms > best.sms) then
      best = { groups = groups, sms = sms, extent = math.max(extent, best and best.extent or 0) }
    elseif groups then
      best.extent = math.max(best.extent, extent)
    end
  end
  if best and best.sms > open.sms then return best end
  return { why = open.why or "there are no stamps" }
end

return M
