-- Launches of kernels from files, point by point, with the key that their findings carry.
-- Covered by tests/experiments/user_kernels_test.cpp.

local M = {}

-- "[t=8,measure=tiles]"; "" where nothing is swept.
local function key_of(samples, row)
  local parts = {}
  for _, column in ipairs(samples:columns("axis")) do
    local value = row[column.name]
    parts[#parts + 1] = column.name .. "=" ..
                        (column.is_text and value or string.format("%.15g", value))
  end
  return #parts > 0 and "[" .. table.concat(parts, ",") .. "]" or ""
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
