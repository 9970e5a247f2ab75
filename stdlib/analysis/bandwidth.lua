-- bandwidth(x = blocks, bytes = bytes): bytes a second that a grid reads, by the slope of its time.
--
-- Each thread of x blocks loads nothing twice: `< load unique(16B) width 16B x loads >` under
-- `observe time`. `bytes` names the column of what a grid reads. What does not grow with the grid, such
-- as the launch, is no part of the slope. Small grids do not fill the device: the line is of the points
-- from a quarter of the largest on.
-- Arguments that must be given: x.
-- Covered by tests/runtime/bandwidth_test.cpp.

local pick = use "parts/select"

local M = {}

local NAME = "memory.bandwidth"
local LEAST = 4          -- points of a line
local FROM = 1 / 4       -- of the largest grid
local WIDE = 0.1         -- an interval wider than that share of the value decides nothing
local MB = 1024 * 1024

function M.describe()
  return "bytes a second that the memory delivers to a whole grid"
end

local function unknown(why) pick.inconclusive(NAME, "B/s", why) end

function M.run(input)
  pick.only(input, "bandwidth", { "x", "bytes" })
  local x = pick.axis(input, "x", "x = blocks")
  pick.need(input.samples, "time", "observe time")
  local column = pick.text(input, "bytes")
  if not column then error("the argument bytes is missing, such as bytes = bytes", 0) end
  pick.need(input.samples, column, "name bytes: bandwidth(x = blocks, bytes = bytes)")
  local bytes, seconds, largest = {}, {}, 0
  for _, blocks in ipairs(input.samples:column(x)) do largest = math.max(largest, blocks) end
  local repetitions = input.samples:filter(function(row) return row[x] >= FROM * largest end)
  for _, row in ipairs(repetitions:reduce(input.reduce):rows()) do
    bytes[#bytes + 1], seconds[#seconds + 1] = row[column], row.time
  end
  if #bytes < LEAST then
    return unknown(string.format("%d points from a quarter of the largest grid on; %d are needed", #bytes, LEAST))
  end
  local line = fit_line(bytes, seconds, 0.99)
  if line.slope_low <= 0 then return unknown("the time does not grow with the bytes") end
  local value, low, high = 1 / line.slope, 1 / line.slope_high, 1 / line.slope_low
  if high - low > WIDE * value then
    return unknown(string.format("too noisy: ±%.0f %% where ±%.0f %% is needed; sweep %s in multiples " ..
                                 "of the %d SMs, over larger grids, or repeat more",
                                 50 * (high - low) / value, 50 * WIDE, x, input.device.sm_count))
  end
  finding { name = NAME, value = value, low = low, high = high, unit = "B/s", confidence = 0.99,
            note = string.format("%.4g GB/s (10^9 B/s): the slope through %d grids of %.4g to " ..
                                 "%.4g MB", value / 1e9, #bytes, bytes[1] / MB, bytes[#bytes] / MB),
            evidence = { { [x] = FROM * largest }, { [x] = largest } } }
end

return M
