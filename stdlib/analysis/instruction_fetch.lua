-- instruction_fetch(): how much code a warp fetches at once (Wong 2010, section IV-K4, Fig. 24).
--
-- A warp reads the clock in every instruction, while others on its SM run so much code that the cache
-- of code loses lines all the time. That a line is gone is felt only where the warp fetches: the gaps
-- between two reads that are at times much longer lie one fetch apart.
-- Covered by tests/experiments/sharing_planted_test.cpp.

local lists = use "parts/lists"
local M = {}

local TAIL = 0.97   -- of a gap's repetitions: what it is at times
local PEAK = 0.6    -- of the third highest peak: what counts as one
local AROUND = 3    -- gaps on each side that a peak stands out from
local LEAST = 4     -- peaks
local SEEN = 0.5    -- of the places where a peak can be: the rest is never missed by chance

-- Gaps before each stamp, over all repetitions.
local function gaps(samples)
  local out = {}
  for _, run in ipairs(samples:having("clock"):group("repetition")) do
    local clocks = {}
    for _, row in ipairs(run.samples:rows()) do clocks[tonumber(row.stamp) + 1] = row.clock end
    for i = 2, #clocks do
      out[i - 1] = out[i - 1] or {}
      table.insert(out[i - 1], clocks[i] - clocks[i - 1])
    end
  end
  return out
end

-- How far a gap stands out from its neighbours at times.
local function heights(all)
  local tail, out = {}, {}
  for i, gap in ipairs(all) do tail[i] = stats.quantile(gap, TAIL) end
  for i = 1, #tail do
    local around = {}
    for k = math.max(1, i - AROUND), math.min(#tail, i + AROUND) do
      if k ~= i then around[#around + 1] = tail[k] end
    end
    out[i] = tail[i] - stats.median(around)
  end
  return out
end

local function unknown(note) finding { name = "inst.fetch", verdict = "inconclusive", note = note } end

function M.run(input)
  local all = gaps(input.samples)
  if #all < 8 then return unknown("too few stamps") end
  local height = heights(all)
  local order = { table.unpack(height) }
  table.sort(order, function(a, b) return a > b end)
  if order[3] < 0.5 * stats.median(all[1]) then
    return finding { name = "inst.fetch", verdict = "not_observed", note = "no gaps are ever much longer" }
  end
  local peaks, distance = {}, 0
  for i, each in ipairs(height) do
    if each >= PEAK * order[3] then
      if #peaks > 0 then distance = lists.gcd(i - peaks[#peaks], distance) end
      peaks[#peaks + 1] = i
    end
  end
  if #peaks < LEAST then
    return unknown(string.format("only %d gaps are much longer at times", #peaks))
  end
  local places = (peaks[#peaks] - peaks[1]) // distance + 1
  if #peaks < SEEN * places then
    return unknown("the gaps that are much longer at times do not lie evenly")
  end
  local bytes = input.device.instruction_bytes
  finding { name = "inst.fetch", value = distance * bytes, unit = "B",
            note = string.format("%d gaps are much longer at times, a multiple of %d instructions of %d B "
              .. "apart; %d lie there", #peaks, distance, bytes, places) }
end

return M
