-- What the analyses of whole experiments share: arguments, measures, finding helpers.
-- Covered by tests/runtime/inference_pipelines_test.cpp and inference_timeline_test.cpp.

local lines = use "parts/line"

local M = {}

-- The axis that the argument `name` names.
function M.axis(input, name, example)
  local axis = input.args[name]
  if type(axis) ~= "string" or not input.samples:has(axis) then
    error(string.format("the argument %s must name an axis: %s", name, example), 0)
  end
  return axis
end

-- Arguments other than these are mistakes.
function M.only(input, method, known)
  local listed = {}
  for name in pairs(input.args) do
    local is_known = false
    for _, each in ipairs(known) do is_known = is_known or each == name end
    if not is_known then listed[#listed + 1] = name end
  end
  table.sort(listed)
  if #listed > 0 then
    error(string.format("%s has no argument '%s'; there are: %s", method, listed[1],
                        table.concat(known, ", ")), 0)
  end
end

-- A whole number of one or more; `default` where it is not given.
function M.count(input, name, default)
  local value = input.args[name]
  if value == nil then return default end
  if type(value) ~= "number" or value < 1 or value ~= math.floor(value) then
    error(string.format("the argument %s must be a whole number, at least 1", name), 0)
  end
  return value
end

function M.text(input, name, default)
  local value = input.args[name]
  if value == nil then return default end
  if type(value) ~= "string" then
    error(string.format("the argument %s must be a text", name), 0)
  end
  return value
end

function M.need(samples, column, clause)
  if not samples:has(column) then
    error(string.format("the samples have no column '%s': the experiment must %s", column, clause),
          0)
  end
end

-- The rows of one measure. An experiment without named measures has one, whatever the name.
function M.measure(samples, name)
  if not samples:has("measure") then return samples end
  local rows = samples:where { measure = name }
  if #rows == 0 then
    error(string.format("there is no measure '%s'; there are: %s", name,
                        table.concat(samples:distinct("measure"), ", ")), 0)
  end
  return rows
end

-- Other axes than `known` would be pooled into one curve. One value of an axis is none.
function M.no_other_axes(input, method, known)
  local is_known = { measure = true }
  for _, name in ipairs(known) do is_known[name] = true end
  for _, column in ipairs(input.samples:columns("axis")) do
    local varies = #input.samples:distinct(column.name) > 1
    if varies and not is_known[column.name] then
      error(string.format("the sweep also varies '%s': %s takes %s; give '%s' one value", column.name,
                          method, table.concat(known, ", "), column.name), 0)
    end
  end
end

-- The measures that have values in the column, or the one that the argument `measure` names; nil: the
-- experiment has no named ones.
function M.measures(input, column)
  if not input.samples:has("measure") then return nil end
  local all = input.samples:having(column):distinct("measure")
  local name = M.text(input, "measure")
  if name then M.measure(input.samples, name) end
  return name and { name } or all
end

-- The rows of the only measure: those of several are not one curve.
function M.only_measure(input, method, column)
  local all = M.measures(input, column)
  if not all or #all == 0 then return input.samples end
  if #all > 1 then
    error(string.format("the samples are of several measures: %s; name one: %s(..., measure = \"%s\")",
                        table.concat(all, ", "), method, all[1]), 0)
  end
  return M.measure(input.samples, all[1])
end

-- One entry for each launch: every value of the axes, every repetition.
function M.launches(samples)
  local by = {}
  for _, column in ipairs(samples:columns()) do
    if column.role == "axis" or column.role == "repetition" then by[#by + 1] = column.name end
  end
  return samples:group(table.unpack(by))
end

-- Evidence selects rows by the columns that the samples really have.
function M.point(samples, cells)
  local point = {}
  for name, value in pairs(cells) do
    if samples:has(name) then point[name] = value end
  end
  return point
end

function M.inconclusive(name, unit, note, evidence, steps)
  finding { name = name, verdict = "inconclusive", unit = unit, note = note, evidence = evidence, steps = steps }
end

-- A line's slope, or what it is turned into by `change` (which may reverse the order). `line.range`: its interval is from
-- the least to the most that was seen.
function M.slope(name, unit, line, change, note, evidence)
  local steps = lines.steps(line)
  if line.why then return M.inconclusive(name, unit, line.why, evidence, steps) end
  change = change or function(slope) return slope end
  local a, b = change(line.low), change(line.high)
  finding { name = name, unit = unit, value = change(line.slope), low = math.min(a, b),
            high = math.max(a, b), confidence = not line.range and 0.99 or nil, note = note, evidence = evidence, steps = steps }
end

return M
