-- What pairs of words tell of a level of which nothing else is known; for grain_test.cpp.
local cache = use "cache"

local M = {}

function M.run(input)
  local level = { doubt = {} }
  cache.refine(level, "ca", input.device)
  for _, what in ipairs { "line", "sector" } do
    finding { name = what, value = level[what], verdict = not level[what] and "inconclusive" or nil,
              note = level[what] and level.told[what] or level.doubt[what] }
  end
end

return M
