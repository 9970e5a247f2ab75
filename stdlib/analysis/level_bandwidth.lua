-- level_bandwidth(count = n, bytes = bytes, sum = "sum"): what each measure moves in a clock or in a second.
--
-- `count` is the axis of accesses a thread. What one more access adds is read from the slope, so that
-- launches, barriers and the way to memory, which do not grow with it, cancel. A measure that observes
-- latency gives bytes a clock of one block, one that observes time bytes a second of the whole grid.
-- sum = "sum" names a measure of as many additions by as many threads: a region of loads of 4 B ends with the
-- sum of its values, which may or may not run beside the loads of other warps. The interval holds both.
-- Arguments that must be given: count.
-- Covered by tests/runtime/inference_bandwidth_test.cpp.

local lines = use "parts/line"
local pick = use "parts/select"

local M = {}

function M.describe() return "bytes that each measure moves in a clock or in a second" end

-- Bytes of one more access, which all points must agree on; nil where they do not.
local function step_of(samples, count)
  local points = lines.points(samples, count, "bytes", "median")
  if #points < 2 then return nil end
  local step = (points[2].y - points[1].y) / (points[2].x - points[1].x)
  for i = 2, #points do
    local here = (points[i].y - points[i - 1].y) / (points[i].x - points[i - 1].x)
    if math.abs(here - step) > 1e-9 * math.abs(step) then return nil end
  end
  return step
end

local function of_measure(input, samples, name, count, addition)
  local timed = samples:has("time") and #samples:having("time") > 0
  local unit = timed and "B/s" or "B/clk"
  local step = step_of(samples, count)
  if not step then
    return pick.inconclusive(name, unit, "one more access does not move the same number of bytes everywhere")
  end
  local hertz = timed and math.max(input.device.clock_hz, 1) or 1
  local points = lines.points(samples, count, timed and "time" or "latency", input.reduce)
  local grain = 1
  if timed then lines.in_clocks(points, hertz) else grain = lines.granularity(samples:column("latency")) end
  local line = lines.fit(points, timed and 0 or grain, "access")
  local note = string.format("one more access of each thread moves %.0f B, all of them in flight at once", step)
  if addition and not line.why then
    line.low = math.max(line.low - addition, line.low / 2)
    line.slope = (line.low + line.high) / 2
    note = string.format("%s and adds its value, which takes up to %.1f of %.1f clocks", note, addition, line.high)
  end
  pick.slope(name, unit, line, function(slope) return step * hertz / slope end, note)
end

-- Clocks of one addition of all threads, at most: a bound needs no straight line.
local function addition_of(input, name, count)
  local samples = pick.measure(input.samples, name)
  local line = lines.fit(lines.points(samples, count, "latency", input.reduce),
                         lines.granularity(samples:column("latency")), "addition")
  return line.high or math.huge
end

function M.run(input)
  pick.only(input, "level_bandwidth", { "count", "bytes", "sum" })
  local count = pick.axis(input, "count", "count = n")
  pick.need(input.samples, "bytes", "name bytes: level_bandwidth(count = n, bytes = bytes)")
  if not input.samples:has("time") then pick.need(input.samples, "latency", "observe latency or time") end
  for _, column in ipairs(input.samples:columns("axis")) do
    if column.name ~= count and column.name ~= "measure" then
      error("the sweep also varies '" .. column.name .. "': level_bandwidth knows the accesses a thread", 0)
    end
  end
  local named = input.samples:has("measure")
  local sum = pick.text(input, "sum")
  local addition = sum and addition_of(input, sum, count)
  for _, measure in ipairs(named and input.samples:distinct("measure") or { "" }) do
    local samples = pick.measure(input.samples, measure):having("bytes")
    if #samples > 0 and measure ~= sum then
      of_measure(input, samples, named and "bandwidth." .. measure or "bandwidth", count, addition)
    end
  end
end

return M
