-- Members: lines of known sets of a level, and the question whether some of them fit together, with
-- the nearer levels cleared by addresses of other sets. o and level as in parts/level.lua.
-- Covered by tests/runtime/cache_inference_test.cpp.

local lists = use "parts/lists"
local residence = use "parts/residence"
local flood = use "parts/flood"
local M = {}
---@names level: Level, near: Level, o: LevelQuestion, r: Residence

-- Adds an address to a list unless a line of a nearer level already has one of the list's: the second
-- of two may be answered there in every pass. `seen` remembers those lines.
function M.spread(o, list, seen, address)
  for i, near in ipairs(o.nears) do
    seen[i] = seen[i] or {}
    if seen[i][address // near.line] then return false end
  end
  for i, near in ipairs(o.nears) do seen[i][address // near.line] = true end
  list[#list + 1] = address
  return true
end

local function hides_itself(o, list)
  local once, seen = {}, {}
  for _, address in ipairs(list) do
    if not M.spread(o, once, seen, address) then return true end
  end
  return false
end

-- Up to `count` lines of the set that `key` names: first those that share their sets in nearer levels
-- with `first`, then at random places where that finds them. They do not hide each other.
function M.of(o, level, first, count)
  local found, taken, seen, key = {}, {}, {}, level.fn.key(first)
  local function take(x)
    if taken[x] or level.fn.key(x) ~= key then return end
    taken[x] = true
    M.spread(o, found, seen, x)
  end
  local lines = level.range // level.line
  local function alike(x)
    for _, near in ipairs(o.nears) do
      if near.fn.key(x) ~= near.fn.key(first) then return false end
    end
    return true
  end
  local stride = #o.nears > 0 and 1 << lists.log2(level.range) or 0
  while #found < count and stride >= 64 * level.line do
    stride = stride // 2
    for x = first % stride, level.range - level.line, stride do
      if #found == count then return found end
      if alike(x) then take(x) end
    end
    if level.range // stride > 4096 then break end
  end
  for _ = 1, #o.nears > 0 and 20000 or 0 do
    if #found == count then return found end
    local x = (math.random(lines) - 1) * level.line
    if alike(x) then take(x) end
  end
  for _ = 1, math.min(20000, 4 * count * level.sets) do
    if #found == count then return found end
    take((math.random(lines) - 1) * level.line)
  end
  for k = 0, math.min(lines, 1 << 16) - 1 do
    if #found == count then break end
    take(k * level.line)
  end
  return found
end

-- Whether a list fits, with the nearer levels cleared by addresses of other sets. nil: cannot be
-- asked.
function M.fit(o, level, list)
  if hides_itself(o, list) then return nil end
  local r = residence.new(o)
  r.flood_counts, r.patience, r.steady, r.stuck = false, level.patience, level.steady, level.stuck
  local home = {}
  for _, address in ipairs(#o.nears > 0 and list or {}) do home[level.fn.key(address)] = true end
  local function avoid(address) return home[level.fn.key(address)] end
  for _, deep in ipairs { false, #o.nears > 1 or nil } do
    local around = #o.nears == 0 and {} or flood.around(o.nears, list, 0, o.limit, avoid, deep)
    if not around then return nil end
    if #o.nears > 0 then r.clear = function() return around end end
    local fits, known = residence.fits(r, list)
    if known then return fits end
  end
  return nil
end

return M
