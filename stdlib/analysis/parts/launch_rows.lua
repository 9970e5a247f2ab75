-- Launches of kernels from files, point by point, with the key that their findings carry.
-- Covered by tests/experiments/user_kernels_test.cpp.

local M = {}

-- "t=8,measure=tiles": the cells of a row that tell it apart, in the order of the samples' columns; second, these cells.
-- `but`: an axis that is left out.
function M.key(samples, row, but)
  local parts, cells = {}, {}
  for _, column in ipairs(samples:columns("axis")) do
    local name, value = column.name, row[column.name]
    if name ~= but and value == value and value ~= "" then
      parts[#parts + 1] = name .. "=" .. (column.is_text and value or string.format("%.15g", value))
      cells[name] = value
    end
  end
  return table.concat(parts, ","), cells
end

-- As above, as findings carry it: "[t=8]"; "" where nothing is swept.
local function key_of(samples, row)
  local key = M.key(samples, row)
  return key ~= "" and "[" .. key .. "]" or ""
end

-- Iterates over key, row. An error where the samples are of no kernel from a file.
function M.each(input)
  if not input.samples:has("comp_insts") then
    error("the samples are of no kernel from a file: < run NAME >", 0)
  end
  local all, i = input.samples:having("warps_per_block"):reduce(input.reduce):rows(), 0
  return function()
    i = i + 1
    if all[i] then return key_of(input.samples, all[i]), all[i] end
  end
end

return M
