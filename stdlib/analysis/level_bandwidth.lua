-- level_bandwidth(count = n, bytes = bytes, sum = "sum", within = "l1", shown = "warp", above = "around_l1", past = 50MB):
-- what each measure moves in a clock or in a second.
--
-- `count` is the axis of accesses a thread, or of rounds of a kernel from a file. What one more adds is read from the
-- slope, so that launches, barriers and the way to memory, which do not grow with it, cancel. `bytes` is the column of
-- the bytes that are moved: `bytes`, or one that the experiment derives. A measure that observes
-- latency gives bytes a clock of one block, one that observes time bytes a second of the whole grid.
-- sum = "sum" names a measure of as many additions by as many threads: a region of loads of 4 B ends with the
-- sum of its values, which may or may not run beside the loads of other warps. The interval holds both.
-- above = "around_l1" names a measure of reads that the level of the measure `within` does not serve. If that one is no
-- faster, nothing shows that its level served it: it is inconclusive. shown = "warp" names a measure to compare in its
-- place: many loads of an H100's SM move as much around L1 as through it, those of one warp do not.
-- past = 50MB is what L2 holds: of fewer bytes than that nothing need reach the memory, and they are inconclusive.
-- Arguments that name measures: sum, within, shown, above.
-- Arguments that must be given: count.
-- Arguments that need 4 values: count.
-- Covered by tests/runtime/inference_bandwidth_test.cpp.

local lines = use "parts/line"
local moved = use "parts/moved"
local pick = use "parts/select"

local M = {}

-- Clocks of one addition of all threads, at most: a bound needs no straight line.
local function addition_of(input, name, count)
  return lines.of(input, pick.measure(input.samples, name), count, "addition").high or math.huge
end

-- Why nothing shows that a measure is of its level: it is no faster than what the level does not serve; nil: it is.
local function unseen(input, measure, count, bytes)
  local above = pick.text(input, "above")
  if not above or measure ~= pick.text(input, "within") then return nil end
  local function rate(name) return moved.rate(input, pick.measure(input.samples, name), count, bytes) end
  return moved.not_above(rate(pick.text(input, "shown", measure)), rate(above))
end

function M.run(input)
  pick.only(input, "level_bandwidth", { "count", "bytes", "sum", "within", "shown", "above", "past" })
  local count = pick.axis(input, "count", "count = n")
  local bytes = pick.text(input, "bytes", "bytes")
  pick.need(input.samples, bytes, "name bytes: level_bandwidth(count = n, bytes = bytes)")
  if not input.samples:has("time") then pick.need(input.samples, "latency", "observe latency or time") end
  pick.no_other_axes(input, "level_bandwidth", { count })
  local named = input.samples:has("measure")
  local sum = pick.text(input, "sum")
  local addition, compared = sum and addition_of(input, sum, count), {}
  for _, name in ipairs { "sum", "shown", "above" } do compared[pick.text(input, name, "")] = true end
  for _, measure in ipairs(named and input.samples:distinct("measure") or { "" }) do
    local samples = pick.measure(input.samples, measure):having(bytes)
    if #samples > 0 and not compared[measure] then
      moved.report(input, named and "bandwidth." .. measure or "bandwidth", samples, count, bytes,
                   { addition = addition, doubt = unseen(input, measure, count, bytes), past = input.args.past })
    end
  end
end

return M
