-- level_bandwidth(count = n, bytes = bytes, sum = "sum"): what each measure moves in a clock or in a second.
--
-- `count` is the axis of accesses a thread, or of rounds of a kernel from a file. What one more adds is read from the
-- slope, so that launches, barriers and the way to memory, which do not grow with it, cancel. `bytes` is the column of
-- the bytes that are moved: `bytes`, or one that the experiment derives. A measure that observes
-- latency gives bytes a clock of one block, one that observes time bytes a second of the whole grid.
-- sum = "sum" names a measure of as many additions by as many threads: a region of loads of 4 B ends with the
-- sum of its values, which may or may not run beside the loads of other warps. The interval holds both.
-- Arguments that must be given: count.
-- Arguments that need 4 values: count.
-- Covered by tests/runtime/inference_bandwidth_test.cpp.

local lines = use "parts/line"
local moved = use "parts/moved"
local pick = use "parts/select"

local M = {}

function M.describe() return "bytes that each measure moves in a clock or in a second" end

-- Clocks of one addition of all threads, at most: a bound needs no straight line.
local function addition_of(input, name, count)
  local samples = pick.measure(input.samples, name)
  local line = lines.fit(lines.points(samples, count, "latency", input.reduce),
                         lines.step(input.samples), "addition")
  return line.high or math.huge
end

function M.run(input)
  pick.only(input, "level_bandwidth", { "count", "bytes", "sum" })
  local count = pick.axis(input, "count", "count = n")
  local bytes = pick.text(input, "bytes", "bytes")
  pick.need(input.samples, bytes, "name bytes: level_bandwidth(count = n, bytes = bytes)")
  if not input.samples:has("time") then pick.need(input.samples, "latency", "observe latency or time") end
  pick.no_other_axes(input, "level_bandwidth", { count })
  local named = input.samples:has("measure")
  local sum = pick.text(input, "sum")
  local addition = sum and addition_of(input, sum, count)
  for _, measure in ipairs(named and input.samples:distinct("measure") or { "" }) do
    local samples = pick.measure(input.samples, measure):having(bytes)
    if #samples > 0 and measure ~= sum then
      moved.report(input, named and "bandwidth." .. measure or "bandwidth", samples, count, bytes, addition)
    end
  end
end

return M
