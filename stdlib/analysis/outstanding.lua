-- outstanding(x = threads, loads = n, merge = merge): what limits the requests an SM has in flight.
--
-- Reads thread-latency curves (lashgar2015): where the latency jumps by a round trip, some table is
-- full. The places of the jumps over several numbers of loads, and over patterns in which
-- neighbours share an address, tell what the table counts: unique blocks (MSHR) or warp loads
-- (PRT).
-- `loads` and `merge` may be left out: 1.
-- Arguments that must be given: x.
-- Covered by tests/runtime/inference_test.cpp.

local curves = use "parts/thread_latency"
local pending = use "parts/pending"

local SURE = 0.95

local M = {}

local told = {}   -- The steps to every finding of a run.

local function say(one)
  one.steps = told
  finding(one)
end

local function tell(text, ...) told[#told + 1] = string.format(text, ...) end

local function tell_series(series, seen, round_trip)
  local name = series.name == "" and "the series" or series.name
  if seen.status == "step" then
    return tell("%s: %d points; a lasting step of %.2f round trips between %g and %g threads", name, #series.x,
                seen.height / round_trip, series.x[seen.last], series.x[seen.first])
  end
  tell("%s: %d points; %s", name, #series.x, seen.status == "unclear" and seen.why or "no lasting step of a round trip")
end

local function tell_kinds(results)
  local parts = {}
  for _, result in ipairs(results) do
    parts[#parts + 1] = string.format("%s %.3g %%", result.kind, 100 * result.posterior)
  end
  tell("tables that count requests (MSHR) or warp loads (PRT), of every size, against these steps: %s; %.0f %% decide",
       table.concat(parts, ", "), 100 * SURE)
end

local function report_step(series, seen, round_trip)
  local value, first = series.x[seen.last], series.x[seen.first]
  say {
    name = "outstanding.saturation" .. series.name, value = value, unit = "threads",
    low = value, high = math.max(value, first - 1),
    note = string.format("the latency jumps by %.0f clocks (%.2f round trips of %.0f) between " ..
                         "%g and %g threads%s", seen.height, seen.height / round_trip, round_trip,
                         value, first,
                         seen.confirmed and ": small, but where the other series predict it" or ""),
    evidence = { curves.point(series, seen.last), curves.point(series, seen.first) } }
end

local function report_none(series, seen, round_trip)
  local slope, low, high = curves.slope(series)
  say {
    name = "outstanding.saturation" .. series.name, verdict = "not_observed", unit = "threads",
    note = string.format("no lasting step of a round trip (%.0f clocks) from %g to %g threads; " ..
                         "the highest step is %.2f of one", round_trip, series.x[1],
                         series.x[#series.x], math.max(0, seen.largest) / round_trip),
    evidence = { curves.point(series, 1), curves.point(series, #series.x) } }
  say {
    name = "outstanding.slope" .. series.name, value = slope, unit = "clocks/request",
    low = low, high = high,
    note = "the latency's growth with each unique request, over the whole sweep" }
end

local function report_unclear(series, seen)
  local evidence = {}
  if seen.at then
    evidence = { curves.point(series, seen.at.last), curves.point(series, seen.at.first) }
  end
  say { name = "outstanding.saturation" .. series.name, verdict = "inconclusive",
            unit = "threads", note = seen.why, evidence = evidence }
end

local function report_series(series, seen, round_trip)
  if seen.status == "step" then return report_step(series, seen, round_trip) end
  if seen.status == "unclear" then return report_unclear(series, seen) end
  report_none(series, seen, round_trip)
end

local function all_verdicts(verdict, note)
  for _, name in ipairs { "kind", "entries", "max_requests", "merge" } do
    say { name = "outstanding." .. name, verdict = verdict, note = note }
  end
end

-- The most unique requests that were in flight together for certain: the largest block whose
-- latency is still near one round trip.
local function seen_in_flight(list, round_trip)
  local most = 0
  for _, series in ipairs(list) do
    for i, threads in ipairs(series.x) do
      if series.y[i] > (1 + curves.VISIBLE) * round_trip then break end
      most = math.max(most, curves.requests(series, threads))
    end
  end
  return most
end

local function report_not_observed(list, seen, round_trip)
  for _, one in ipairs(seen) do
    if one.status == "unclear" then
      return all_verdicts("inconclusive", "no clear saturation, but a series that is unclear: " ..
                                          one.why)
    end
  end
  local most = seen_in_flight(list, round_trip)
  all_verdicts("not_observed",
               string.format("no series saturates; %d unique requests were in flight together, " ..
                             "and beyond that issuing takes so long that a limit would not show",
                             most))
end

local function interval_text(low, high)
  return low == high and string.format("%d", low) or string.format("%d..%d", low, high)
end

local function has_merged_series(list)
  local least, most = math.huge, 0
  for _, series in ipairs(list) do
    least, most = math.min(least, series.merge), math.max(most, series.merge)
  end
  return most > least
end

local function report_undecided(list, results)
  local parts = {}
  for _, result in ipairs(results) do
    if result.posterior >= 1 - SURE then
      local text = string.format("%s %.0f %%", result.kind, 100 * result.posterior)
      if result.kind ~= "neither" then
        local _, low, high = pending.entries(result)
        text = text .. string.format(" (%s entries)", interval_text(low, high))
      end
      parts[#parts + 1] = text
    end
  end
  local more = has_merged_series(list) and "; more numbers of loads would decide"
               or "; a series in which 2 neighbours share an address would decide: an MSHR then " ..
                  "saturates at twice the threads, a PRT at the same"
  all_verdicts("inconclusive", "possible: " .. table.concat(parts, ", ") .. more)
end

local function step_evidence(list, seen)
  local points = {}
  for s, series in ipairs(list) do
    if seen[s].status == "step" then points[#points + 1] = curves.point(series, seen[s].last) end
  end
  return points
end

local function report_kind(result, points)
  say { name = "outstanding.kind", value = result.kind, confidence = result.posterior,
            evidence = points,
            note = result.kind == "MSHR" and "saturates at a constant number of unique requests"
                   or "saturates at a constant number of warp loads" }
end

-- The merge limit: shown by a series that saturates with one entry for each shared address.
local function report_merge(result, list, seen)
  local best, low, high = 0, nil, nil
  for _, limit in ipairs(result.limits) do best = math.max(best, limit.weight) end
  for _, limit in ipairs(result.limits) do
    if limit.weight >= 0.01 * best then
      low = math.min(low or limit.low, limit.low)
      high = math.max(high or limit.high, limit.high)
    end
  end
  local shown, tested = 1, 1
  for s, series in ipairs(list) do
    tested = math.max(tested, series.merge)
    if seen[s].status == "step" then shown = math.max(shown, series.merge) end
  end
  if tested == 1 then return end
  local value = math.min(low, shown)
  local open = high >= tested or shown >= high
  say { name = "outstanding.merge", value = value, unit = "lanes", low = value,
            high = not open and high or nil, confidence = result.posterior,
            note = string.format("%d lanes that share an address share an entry; %s", value,
                                 open and "no larger limit shows" or
                                 string.format("more than %d do not", high)) }
end

local function report_mshr(result, list, seen, points)
  local value, low, high = pending.entries(result)
  for _, name in ipairs { "entries", "max_requests" } do
    say { name = "outstanding." .. name, value = value, low = low, high = high,
              unit = name == "entries" and "entries" or "requests",
              confidence = result.posterior, evidence = points,
              note = string.format("%s unique requests fit, one more does not",
                                   interval_text(low, high)) }
  end
  report_merge(result, list, seen)
end

-- Warp loads launched at the first saturated point of each series, as the paper counts.
local function launched_at_spike(list, seen, warp)
  local least, counts = math.huge, {}
  for s, series in ipairs(list) do
    if seen[s].status == "step" then
      local count = series.loads * math.ceil(series.x[seen[s].first] / warp)
      least = math.min(least, count)
      if series.merge == 1 then counts[#counts + 1] = string.format("%d", count) end
    end
  end
  return least, table.concat(counts, " and ")
end

local function report_prt(result, list, seen, points, warp)
  local _, low, high = pending.entries(result)
  local launched, counts = launched_at_spike(list, seen, warp)
  say { name = "outstanding.entries", value = low, low = low, high = high, unit = "entries",
            confidence = result.posterior, evidence = points,
            note = string.format("strictly, %d whole warp loads fitted and %d did not; counting " ..
                                 "the loads launched at the spike, as the paper does, gives %s",
                                 low, high + 1, counts ~= "" and counts or launched) }
  say { name = "outstanding.max_requests", value = math.max(launched, low) * warp,
            low = low * warp, high = math.max(launched, low, high) * warp, unit = "requests",
            confidence = result.posterior, evidence = points,
            note = string.format("an upper bound by the paper's counting: %d warp loads " ..
                                 "launched at the spike, %d lanes each; %d requests fitted for " ..
                                 "certain",
                                 launched, warp, low * warp) }
end

-- Faint steps exactly where the verdict predicts them are saturations too.
local function confirm(best, list, seen, round_trip, warp)
  for s in ipairs(list) do
    local faint = seen[s].faint
    if faint and pending.predicts(best, list, seen, round_trip, warp, s) then
      seen[s] = { status = "step", last = faint.last, first = faint.first, height = faint.height,
                  largest = seen[s].largest, confirmed = true }
    end
  end
end

-- A series in which requests wait for others with fewer of them than are said to fit: the steps that were
-- seen are later ones of a staircase. It needs a finer sweep.
local function contradicts(best, list, seen, warp)
  local _, low = pending.entries(best)
  for s, series in ipairs(list) do
    local threads = seen[s].crowded
    if threads then
      local fitting = best.kind == "MSHR" and curves.requests(series, threads) or
                      series.loads * math.ceil(threads / warp)
      if fitting < low then return series, threads end
    end
  end
  return nil
end

local function verdict(best, list, seen, warp)
  local points = step_evidence(list, seen)
  report_kind(best, points)
  if best.kind == "MSHR" then return report_mshr(best, list, seen, points) end
  report_prt(best, list, seen, points, warp)
end

function M.run(input)
  local warp = math.tointeger(input.device.warp_size)
  local list = curves.series(input)
  local round_trip = curves.round_trip(list)
  local seen, steps = {}, 0
  told = {}
  tell("a round trip takes %.0f clocks: the latency of the fewest threads", round_trip)
  for s, series in ipairs(list) do
    seen[s] = curves.saturation(series, round_trip)
    tell_series(series, seen[s], round_trip)
    if seen[s].status == "step" then steps = steps + 1 end
  end
  local results = steps > 0 and pending.compare(list, seen, round_trip, warp)
  if results then tell_kinds(results) end
  local best = results and results[1]
  local decided = best and best.posterior >= SURE and best.kind ~= "neither"
  local against, threads
  if decided then against, threads = contradicts(best, list, seen, warp) end
  if against then
    for s, one in ipairs(list) do report_series(one, seen[s], round_trip) end
    return all_verdicts("inconclusive", string.format("requests wait for others at %g threads%s already, " ..
                        "in steps that are too close to separate: a finer sweep would decide",
                        threads, against.name))
  end
  if decided then confirm(best, list, seen, round_trip, warp) end
  for s, series in ipairs(list) do report_series(series, seen[s], round_trip) end
  if decided then return verdict(best, list, seen, warp) end
  if results then return report_undecided(list, results) end
  report_not_observed(list, seen, round_trip)
end

return M
