-- warps(x = warps, count = count, pipe = "sp", slopes = "pipe.sp"): how many warps fill a pipe.
--
-- Every warp runs the same dependent chain. While the pipe has room, an execution takes the chain's
-- latency whatever the number of warps; once it is full, the warps wait for it. Both are read from
-- the slope over `count` at each number of warps. `slopes` is what the names of latencies and
-- throughputs begin with: with other chains in a thread, a pipe has others.
-- Arguments that name measures: measure.
-- Arguments that must be given: x, count.
-- Arguments that need 4 values: count.
-- Covered by tests/runtime/inference_pipelines_test.cpp.

local lines = use "parts/line"
local pick = use "parts/select"

local M = {}

local FULL = 0.97     -- of the largest throughput: a full pipe
local FLAT = 1.03     -- times the latency of the fewest warps: no wait
local BEYOND = 0.75   -- of the sweep: where a pipe fills later, the sweep may have ended too early
local LEAST = 4       -- numbers of warps

-- One entry for each number of warps: its line and, where that is decided, clocks and throughput.
local function curve(input, samples, x, count)
  local grain = lines.granularity(samples:column("latency"))
  local lanes, list = input.device.warp_size, {}
  for _, group in ipairs(samples:group(x)) do
    local line = lines.of(input, group.samples, count, "execution", nil, grain)
    local warps = group.key[x]
    local one = { warps = warps, line = line }
    if not line.why then
      one.clocks = line.slope
      one.rate = lanes * warps / line.slope
      one.least, one.most = lanes * warps / line.high, lanes * warps / line.low
    end
    list[#list + 1] = one
  end
  table.sort(list, function(a, b) return a.warps < b.warps end)
  return list
end

local function report_points(prefix, x, list, lanes)
  for _, one in ipairs(list) do
    local key = string.format("[warps=%.15g]", one.warps)
    local evidence = { { [x] = one.warps } }
    pick.slope(prefix .. "latency" .. key, "clocks", one.line, nil,
               "clocks for one more execution of each warp", evidence)
    pick.slope(prefix .. "throughput" .. key, "ops/clock", one.line,
               function(slope) return lanes * one.warps / slope end,
               "executions of all warps a clock", evidence)
  end
end

-- "1 warp", "2 warps".
local function of_warps(count) return string.format(count == 1 and "%g warp" or "%g warps", count) end

-- The first entry for which `holds`.
local function first(list, holds)
  for i, one in ipairs(list) do
    if holds(one) then return i end
  end
  return nil
end

-- What comes after the pipe was first full and does not fill it, as text.
local function later_gaps(list, from, best)
  local text = {}
  for i = from + 1, #list do
    if list[i].rate < FULL * best then text[#text + 1] = string.format("%g", list[i].warps) end
  end
  return #text > 0 and "; not full again with " .. table.concat(text, ", ") or ""
end

local function below(list, at, best)
  local text = {}
  for i = math.max(1, at - 3), at - 1 do
    text[#text + 1] = string.format("%s: %.0f %%", of_warps(list[i].warps),
                                    100 * list[i].rate / best)
  end
  return table.concat(text, ", ")
end

local function report_saturation(prefix, slopes, x, list)
  local name, best = prefix .. "warps_to_saturate", 0
  for _, one in ipairs(list) do best = math.max(best, one.rate) end
  local at = first(list, function(one) return one.rate >= FULL * best end)
  local last = list[#list].warps
  if list[at].warps > BEYOND * last then
    return finding { name = name, verdict = "not_observed", unit = "warps",
                     note = string.format("the throughput grows to the end: %.2f ops/clock with " ..
                                          "%s", best, of_warps(last)) }
  end
  local low = first(list, function(one) return one.most >= FULL * best end)
  local high = first(list, function(one) return one.least >= FULL * best end) or #list
  finding {
    name = name, value = list[at].warps, unit = "warps",
    low = low > 1 and list[low - 1].warps + 1 or list[low].warps, high = list[high].warps,
    confidence = 0.99, evidence = { { [x] = list[at].warps } },
    note = string.format("%.2f ops/clock at most; %s%s", best, below(list, at, best),
                         later_gaps(list, at, best)) }
  finding { name = slopes .. "throughput", value = list[at].rate, unit = "ops/clock",
            low = list[at].least, high = math.max(best, list[at].most), confidence = 0.99,
            note = string.format("with %s, the fewest that fill the pipe", of_warps(list[at].warps)),
            evidence = { { [x] = list[at].warps } } }
end

-- The latency of the fewest warps, and the most warps that still see it.
local function report_flat(prefix, slopes, x, list)
  local base, flat = list[1], 1
  while flat < #list and list[flat + 1].clocks <= FLAT * base.clocks do flat = flat + 1 end
  finding { name = slopes .. "latency", value = base.clocks, unit = "clocks", low = base.line.low,
            high = base.line.high, confidence = 0.99, evidence = { { [x] = base.warps } },
            note = "with " .. of_warps(base.warps) }
  local after = list[flat + 1]
  finding { name = prefix .. "warps_flat", value = list[flat].warps, unit = "warps",
            low = list[flat].warps, high = after and math.max(list[flat].warps, after.warps - 1),
            note = after and string.format("with %s an execution takes %.2f clocks",
                                           of_warps(after.warps), after.clocks)
                   or "the latency is the same over the whole sweep",
            evidence = { { [x] = list[flat].warps } } }
end

function M.run(input)
  pick.only(input, "warps", { "x", "count", "pipe", "slopes", "measure" })
  local x, count = pick.axis(input, "x", "x = warps"), pick.axis(input, "count", "count = count")
  pick.need(input.samples, "latency", "observe latency")
  local prefix = "pipe." .. pick.text(input, "pipe", "alu") .. "."
  local slopes = pick.text(input, "slopes", prefix:sub(1, -2)) .. "."
  pick.no_other_axes(input, "warps", { x, count })
  local list = curve(input, pick.only_measure(input, "warps", "latency"), x, count)
  report_points(slopes, x, list, input.device.warp_size)
  local why = #list < LEAST and string.format("%d numbers of warps; %d are needed", #list, LEAST)
  for _, one in ipairs(list) do
    why = why or one.line.why and string.format("with %s: %s", of_warps(one.warps), one.line.why)
  end
  if why then
    for _, name in ipairs { "warps_to_saturate", "warps_flat" } do
      pick.inconclusive(prefix .. name, nil, why)
    end
    for _, name in ipairs { "throughput", "latency" } do
      pick.inconclusive(slopes .. name, nil, why)
    end
    return
  end
  report_flat(prefix, slopes, x, list)
  report_saturation(prefix, slopes, x, list)
end

return M
