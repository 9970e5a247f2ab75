-- bandwidth(x = blocks, bytes = bytes): bytes a second that a grid reads, by the slope of its time.
--
-- Each thread of x blocks loads nothing twice: `< load unique(16B) width 16B x loads >` under
-- `observe time`. `bytes` names the column of what a grid reads. What does not grow with the grid, such
-- as the launch, is no part of the slope. Small grids do not fill the device: the line is of the points
-- from a quarter of the largest on. Of several measures each has a finding of its own, or the one that
-- measure = "read" names.
-- Arguments that name measures: measure.
-- Arguments that must be given: x.
-- Covered by tests/runtime/bandwidth_test.cpp.

local pick = use "parts/select"

local M = {}

local LEAST = 4          -- points of a line
local FROM = 1 / 4       -- of the largest grid
local WIDE = 0.1         -- an interval wider than that share of the value decides nothing
local MB = 1024 * 1024

-- The bytes and seconds of the grids from a quarter of the largest on.
local function points(samples, x, column, how)
  local bytes, seconds, largest = {}, {}, 0
  for _, blocks in ipairs(samples:column(x)) do largest = math.max(largest, blocks) end
  local repetitions = samples:filter(function(row) return row[x] >= FROM * largest end)
  for _, row in ipairs(repetitions:reduce(how):rows()) do
    bytes[#bytes + 1], seconds[#seconds + 1] = row[column], row.time
  end
  return bytes, seconds, largest
end

local function too_noisy(x, half, sms)
  return string.format("too noisy: ±%.1f %% where ±%.1f %% is needed; sweep %s in multiples of the %d " ..
                       "SMs, over larger grids, or repeat more", 100 * half, 50 * WIDE, x, sms)
end

local function report(name, samples, input, x, column, of)
  local bytes, seconds, largest = points(samples, x, column, input.reduce)
  local steps = { string.format("%d grids of at least a quarter of the largest, %g blocks", #bytes, largest) }
  local function unknown(why)
    finding { name = name, verdict = "inconclusive", unit = "B/s", note = why, steps = steps }
  end
  if #bytes < LEAST then
    return unknown(string.format("%d points from a quarter of the largest grid on; %d are needed", #bytes, LEAST))
  end
  local line = fit_line(bytes, seconds, 0.99)
  if line.slope_low <= 0 then return unknown("the time does not grow with the bytes") end
  steps[#steps + 1] = string.format("a line through time over bytes: %.4g ns a KB, and %.4g us that do " ..
                                    "not grow with the grid", line.slope * 1e9 * 1024, line.intercept * 1e6)
  local value, low, high = 1 / line.slope, 1 / line.slope_high, 1 / line.slope_low
  local half = (high - low) / (2 * value)
  steps[#steps + 1] = string.format("the slope is known to ±%.2g %%; ±%.2g %% would decide nothing",
                                    100 * half, 50 * WIDE)
  if 2 * half > WIDE then return unknown(too_noisy(x, half, input.device.sm_count)) end
  of[x] = FROM * largest
  local far = { [x] = largest, measure = of.measure }
  finding { name = name, value = value, low = low, high = high, unit = "B/s", confidence = 0.99,
            note = string.format("the slope through %d grids of %.4g to %.4g MB", #bytes,
                                 bytes[1] / MB, bytes[#bytes] / MB),
            evidence = { of, far }, steps = steps }
end

function M.run(input)
  pick.only(input, "bandwidth", { "x", "bytes", "measure" })
  local x = pick.axis(input, "x", "x = blocks")
  pick.need(input.samples, "time", "observe time")
  local column = pick.text(input, "bytes")
  if not column then error("the argument bytes is missing, such as bytes = bytes", 0) end
  pick.need(input.samples, column, "name bytes: bandwidth(x = blocks, bytes = bytes)")
  pick.no_other_axes(input, "bandwidth", { x })
  local measures = pick.measures(input, "time")
  if not measures then return report("memory.bandwidth", input.samples, input, x, column, {}) end
  for _, measure in ipairs(measures) do
    local samples = pick.measure(input.samples, measure)
    local key = #measures > 1 and string.format("[measure=%s]", measure) or ""
    report("memory.bandwidth" .. key, samples, input, x, column, { measure = measure })
  end
end

return M
