-- operands(op = op, operand = operand, count = count): latency of an operation through each source.
--
-- A dependent chain of one thread runs through one source of the operation at a time (`chain operand`).
-- What one more execution adds is the slope over `count`, so that everything that does not grow with
-- it cancels. `op` is the axis of operations, or one operation; `operand` the axis of sources.
-- Arguments that name measures: measure.
-- Arguments that must be given: op, operand, count.
-- Arguments that need 4 values: count.
-- Covered by tests/runtime/inference_pipelines_test.cpp.

local lines = use "parts/line"
local pick = use "parts/select"

local M = {}

-- The rows of one operation; all of them where the sweep has no axis of operations.
local function rows_of(samples, axis, name)
  if not axis then return samples end
  return samples:filter(function(row) return row[axis] == name end)
end

function M.run(input)
  pick.only(input, "operands", { "op", "operand", "count", "measure" })
  local count = pick.axis(input, "count", "count = count")
  local operand = pick.axis(input, "operand", "operand = operand")
  local op = pick.text(input, "op")
  if not op then error("the argument op must name the axis of operations, or one operation", 0) end
  local axis = input.samples:has(op) and op or nil
  pick.need(input.samples, "latency", "observe latency")
  pick.no_other_axes(input, "operands", { axis or op, operand, count })
  local all = pick.only_measure(input, "operands", "latency")
  local grain = lines.granularity(all:column("latency"))
  for _, name in ipairs(axis and all:distinct(axis) or { op }) do
    local samples = rows_of(all, axis, name)
    for _, letter in ipairs(samples:distinct(operand)) do
      local rows = samples:filter(function(row) return row[operand] == letter end)
      local line = lines.of(input, rows, count, "execution", nil, grain)
      pick.slope(string.format("op.%s.latency[operand=%s]", name, letter), "clocks", line, nil,
                 "clocks for one more execution in a dependent chain through source " .. letter,
                 { pick.point(input.samples, { [axis or op] = name, [operand] = letter }) })
    end
  end
end

return M
