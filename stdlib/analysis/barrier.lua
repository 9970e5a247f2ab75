-- barrier(latency = "one_warp", full = "full", warps = 16, count = count, halves = "listing5",
--         swapped = "swapped", pairs = "listing7"): what a barrier costs and for whom it waits.
--
-- Each argument names a measure; what is not named is not judged.
--   latency, full  `count` barriers in a row of one warp, and of a block of `warps` warps
--   halves         half a warp stores, then meets a barrier; the other half meets one, then keeps
--                  what it reads as `seen` (Wong 2010, Listing 5); swapped: the other way round
--   pairs          a timeline of stamps behind barriers that several paths meet (Listing 7); a
--                  label ends in the barrier's number
-- Arguments that name measures: latency, full, halves, swapped, pairs.
-- Covered by tests/runtime/inference_outcome_test.cpp.

local lines = use "parts/line"
local pick = use "parts/select"
local timeline = use "parts/timeline"

local M = {}

local APART = 4   -- times the spread within groups: how far groups of releases must lie apart

local function number_of(label)
  local digits = string.match(label, "%d+$")
  if not digits then
    error(string.format("the stamp '%s' must end in the number of its barrier", label), 0)
  end
  return math.tointeger(digits)
end

local function report_latency(input, argument, name, what)
  local measure, count = pick.text(input, argument), pick.axis(input, "count", "count = count")
  pick.need(input.samples, "latency", "observe latency")
  local samples = pick.measure(input.samples, measure)
  local line = lines.of(input, samples, count, "barrier", nil, lines.granularity(samples:column("latency")))
  pick.slope(name, "clocks", line, nil, "clocks for one more barrier of " .. what,
             { pick.point(samples, { measure = measure }) })
end

-- What the consumers of a measure saw, the same in every launch: a number, or nil and why not.
local function seen_by(samples, measure)
  local value, bad
  for _, row in ipairs(pick.measure(samples, measure):rows()) do
    if row.outcome and row.outcome ~= "completed" then
      bad = bad or string.format("%s: %s", measure, row.outcome)
    elseif row.seen ~= row.seen then
      bad = bad or measure .. ": no thread kept what it saw"
    elseif value and row.seen ~= value then
      bad = bad or measure .. ": launches saw different values"
    else
      value = row.seen
    end
  end
  if bad then return nil, bad end
  return value
end

-- Stale values in either arrangement say that the barrier did not hold the consumers back. Fresh
-- ones must come in both: in one of them a warp that runs its paths in turn has stored before.
local function report_granularity(input, halves, swapped)
  local name = "barrier.granularity"
  pick.need(input.samples, "seen", "keep seen = ...")
  local evidence = { pick.point(input.samples, { measure = halves }) }
  local first, why = seen_by(input.samples, halves)
  local second, why_second
  if swapped then second, why_second = seen_by(input.samples, swapped) end
  if why or why_second then return pick.inconclusive(name, nil, why or why_second, evidence) end
  if first == 0 or second == 0 then
    return finding { name = name, value = "warp", confidence = 0.99, evidence = evidence,
                     note = "half a warp passes its barrier before the other half has come to one" }
  end
  if not swapped then
    return pick.inconclusive(name, nil, "the consumers saw the values, which the order of the " ..
                             "paths explains as well: a measure with the halves swapped decides",
                             evidence)
  end
  finding { name = name, value = "thread", confidence = 0.95, evidence = evidence,
            note = "consumers saw the values whichever half of the warp they are" }
end

-- Releases in groups: what lies within `spread` of its neighbour was released together.
local function groups_of(releases)
  table.sort(releases, function(a, b) return a.at < b.at end)
  local gaps = {}
  for i = 2, #releases do gaps[#gaps + 1] = releases[i].at - releases[i - 1].at end
  table.sort(gaps)
  local cut, ratio = nil, 0   -- between the largest small gap and the smallest large one
  for i = 2, #gaps do
    local small, large = math.max(gaps[i - 1], 1), gaps[i]
    if large / small > ratio then cut, ratio = large, large / small end
  end
  if not cut or ratio < APART or cut < 100 then return nil end
  local groups = { { releases[1].number } }
  for i = 2, #releases do
    if releases[i].at - releases[i - 1].at >= cut then groups[#groups + 1] = {} end
    table.insert(groups[#groups], releases[i].number)
  end
  local text = {}
  for i, group in ipairs(groups) do
    table.sort(group)
    text[i] = table.concat(group, "-")
  end
  return table.concat(text, " ")
end

-- One launch: when each barrier let its first thread go.
local function pairs_of(launch)
  local first, releases = {}, {}
  local threads = timeline.threads(launch)
  local base = select(2, next(threads[1].at))
  for _, one in ipairs(threads) do
    for label, clock in pairs(one.at) do
      local number, at = number_of(label), timeline.ticks(clock, base)
      first[number] = math.min(first[number] or at, at)
    end
  end
  for number, at in pairs(first) do releases[#releases + 1] = { number = number, at = at } end
  return groups_of(releases)
end

local function report_pairs(input, measure)
  local name, value = "barrier." .. measure, nil
  local evidence = { pick.point(input.samples, { measure = measure }) }
  local stamps = timeline.stamps(input.samples, measure)
  if #stamps == 0 then
    return pick.inconclusive(name, nil, "no launch completed", evidence)
  end
  for _, launch in ipairs(pick.launches(stamps)) do
    local text = pairs_of(launch.samples)
    if not text or (value and text ~= value) then
      return pick.inconclusive(name, nil, not text and "the releases do not fall into groups"
                               or "launches pair differently: " .. value .. ", " .. text, evidence)
    end
    value = text
  end
  finding { name = name, value = value, evidence = evidence,
            note = "barriers that let their threads go together, in the order of time" }
end

function M.run(input)
  pick.only(input, "barrier",
            { "latency", "full", "warps", "count", "halves", "swapped", "pairs" })
  local args = input.args
  if not (args.latency or args.full or args.halves or args.pairs) then
    error("an argument must name a measure: latency, full, halves or pairs", 0)
  end
  if args.latency then report_latency(input, "latency", "barrier.latency", "one warp") end
  if args.full then
    local warps = pick.count(input, "warps")
    if not warps then error("the argument warps must be the number of warps of a full block", 0) end
    report_latency(input, "full", string.format("barrier.latency[warps=%d]", warps),
                   string.format("%d warps", warps))
  end
  if args.halves then
    report_granularity(input, pick.text(input, "halves"), pick.text(input, "swapped"))
  end
  if args.pairs then report_pairs(input, pick.text(input, "pairs")) end
end

return M
