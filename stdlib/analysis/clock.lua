-- clock(reads = "reads", launches = "launches"): the clock register that everything is timed with.
--
-- `reads` is a measure of one thread whose body is nothing but stamps: what one more read adds.
-- `launches` is a measure of grids whose blocks stamp their first and their last moment: SMs whose
-- blocks start together share a clock (Wong 2010, Fig. 5). Each may be left out if there is no
-- measure of that name.
-- Arguments that name measures: reads, launches.
-- Covered by tests/runtime/inference_timeline_test.cpp.

local lines = use "parts/line"
local pick = use "parts/select"
local timeline = use "parts/timeline"
local domains = use "parts/domains"

local M = {}

local TPC = 3       -- SMs of a TPC at most: two, of GT200 three; more share a clock in a GPC
local VALUES = 20   -- different stamps: the chance that all share a divisor by accident is 2^-20

local function has_measure(input, name)
  return not input.samples:has("measure") or #input.samples:where { measure = name } > 0
end

-- Clocks since the first stamp against the number of reads since, over all launches.
local function read_points(stamps, labels, how)
  local values = {}
  for i = 1, #labels do values[i] = {} end
  for _, launch in ipairs(pick.launches(stamps)) do
    local one = timeline.threads(launch.samples)[1]
    for i, label in ipairs(labels) do
      if one.at[label] and one.at[labels[1]] then
        table.insert(values[i], timeline.ticks(one.at[label], one.at[labels[1]]))
      end
    end
  end
  local points = {}
  for i = 2, #labels do   -- the first is 0 by definition, and its read may have been slow
    if #values[i] > 0 then
      points[#points + 1] = { x = i - 1, y = stats[how](values[i]), n = #values[i],
                              range = stats.max(values[i]) - stats.min(values[i]) }
    end
  end
  return points
end

local function report_overhead(input, measure)
  local stamps = timeline.stamps(input.samples, measure)
  local labels = timeline.labels(stamps)
  local points = read_points(stamps, labels, input.reduce)
  -- The grain of all stamps: a read takes 2 clocks on an H100, so those of few launches may all be even by chance.
  local line = lines.fit(points, lines.granularity(input.samples:column("clock")), "read")
  pick.slope("clock.overhead", "clocks", line, function(slope) return slope end,
             string.format("clocks between two of %d reads in a row", #labels),
             { pick.point(stamps, { measure = measure }) })
end

local function report_granularity(input)
  local values = input.samples:distinct("clock")
  local grain = lines.granularity(values)
  if #values < VALUES then
    return pick.inconclusive("clock.granularity", "clocks", string.format(
      "%d different stamps; %d are needed", #values, VALUES))
  end
  finding { name = "clock.granularity", value = grain, unit = "clocks", low = grain, high = grain,
            confidence = 0.99,
            note = string.format("the largest divisor of %d different stamps", #values) }
end

-- The scope that the groups show, or why they show none.
local function scope_of(found, all)
  if found.why then return nil, found.why end
  if found.sms < all or found.sms < 2 then
    return nil, string.format("the blocks ran on %d of %d SMs: the others could tell", found.sms,
                              all)
  end
  local sizes = {}
  for i, group in ipairs(found.groups) do sizes[i] = #group end
  local least, most = stats.min(sizes), stats.max(sizes)
  if #found.groups == 1 then return "GPU", least, most end
  if most == 1 then return "SM", least, most end
  if least == 1 then
    return nil, string.format("%d clocks for %d SMs, some of one SM and some of %d", #sizes, all,
                              most)
  end
  return most <= TPC and "TPC" or "GPC", least, most
end

local function report_domain(input, measure)
  local stamps = timeline.stamps(input.samples, measure)
  local labels = timeline.labels(stamps)
  if #labels < 2 then
    error("the measure '" .. measure .. "' must stamp the start and the end of its blocks", 0)
  end
  local found = domains.find(stamps, labels[1], labels[#labels])
  local scope, least, most = scope_of(found, input.device.sm_count)
  if not scope then
    pick.inconclusive("clock.domain", nil, least)
    return pick.inconclusive("clock.sms_per_domain", "SMs", least)
  end
  finding { name = "clock.domain", value = scope, confidence = 0.95,
            note = string.format("%d SMs read %s; starts that share one agree within %.0f clocks%s",
                                 found.sms, #found.groups == 1 and "one clock"
                                   or string.format("%d different clocks", #found.groups),
                                 found.extent,
                                 scope == "GPU" and ", as after a common reset" or "") }
  finding { name = "clock.sms_per_domain", value = most, unit = "SMs", low = least, high = most,
            note = least == most and "the same in every domain" or "domains differ in size" }
end

function M.run(input)
  pick.only(input, "clock", { "reads", "launches" })
  local reads = pick.text(input, "reads", "reads")
  local launches = pick.text(input, "launches", "launches")
  local any = false
  if input.args.reads or has_measure(input, reads) then
    report_overhead(input, reads)
    any = true
  end
  if input.args.launches or has_measure(input, launches) then
    report_domain(input, launches)
    any = true
  end
  if not any then
    error("there is neither a measure '" .. reads .. "' nor a measure '" .. launches .. "'", 0)
  end
  report_granularity(input)
end

return M
