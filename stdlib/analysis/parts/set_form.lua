-- Which lines share a set: a function of a line's number, from the lines of one set (its class).
--
--   linear   a class is an affine space over GF(2): the parities that are constant on it
--   modulo   all lines of a class have the same remainder
--
-- Used by parts/cache_sets.lua. Covered by tests/experiments/eviction_test.cpp.

local gf2 = use "parts/gf2"
local lists = use "parts/lists"
local M = {}

local FOUND = 0.9         -- of the lines that a function places in a set: so many were found
local MANY = 32           -- lines of a class, from which on most of them tell a modulo

---@class SetForm
---@field kind string          -- "modulo", "linear"
---@field sets integer         -- the modulo, or 2^parities
---@field masks integer[]?     -- bits of elements, of each parity

-- The most common distance of neighbours among elements, of several the least.
local function common_distance(elements)
  local list, times, best = {}, {}, nil
  for i, x in ipairs(elements) do list[i] = x end
  table.sort(list)
  for i = 2, #list do
    local distance = list[i] - list[i - 1]
    times[distance] = (times[distance] or 0) + 1
  end
  for distance, count in pairs(times) do
    if not best or count > times[best] or count == times[best] and distance < best then best = distance end
  end
  return best
end

-- The remainder that most elements have, and how many.
local function most_common_remainder(elements, modulo)
  local times, best = {}, nil
  for _, x in ipairs(elements) do
    local remainder = x % modulo
    times[remainder] = (times[remainder] or 0) + 1
    if not best or times[remainder] > times[best] then best = remainder end
  end
  return best, times[best]
end

-- Of a class by element: { kind = "modulo", sets } or { kind = "linear", masks (bits of elements) }; nil: neither. The
-- second value: what was tried, for people.
---@return SetForm?, string
function M.of(class, bits)
  local first, differences, divisor = class[1], {}, 0
  for i = 2, #class do
    differences[i - 1] = class[i] ~ first
    local a, b = divisor, class[i] - first
    while b ~= 0 do a, b = b, a % b end
    divisor = a
  end
  -- All lines that are equal modulo `divisor`, and no other; or most, where the most common distance is `divisor`:
  -- a line is missed at times, or one that is of another set is taken for one of this.
  local function members_of(modulo) return (((1 << bits) - 1 - first % modulo) // modulo) + 1 end
  local rows, dimensions = gf2.basis(differences)
  local tried = string.format("linear over GF(2), they would be %d lines; all lines of one remainder modulo %d, %d lines",
                              1 << dimensions, divisor, members_of(divisor))
  if members_of(divisor) == #class then return { kind = "modulo", sets = divisor }, tried end
  if #class >= MANY then
    local common = common_distance(class)
    local remainder, equal = most_common_remainder(class, common)
    if equal >= FOUND * #class and equal >= FOUND * (((1 << bits) - 1 - remainder) // common + 1) then
      return { kind = "modulo", sets = common }, tried
    end
  end
  -- A policy that spares a line at times leaves one out: of lines that no linear function tells, the span is far larger.
  if #class >= FOUND * (1 << dimensions) then
    return { kind = "linear", masks = gf2.annihilator(rows, bits), sets = 1 << (bits - dimensions) }, tried
  end
  return nil, tried
end

-- Whether two classes have the same function.
function M.same_form(a, b)
  if a.kind ~= b.kind or a.sets ~= b.sets then return false end
  local has = {}
  for _, mask in ipairs(a.masks or {}) do has[mask] = true end
  for _, mask in ipairs(b.masks or {}) do
    if not has[mask] then return false end
  end
  return true
end

-- Whether two elements are in one set.
function M.same_set(fn, a, b)
  if fn.kind == "modulo" then return a % fn.sets == b % fn.sets end
  for _, mask in ipairs(fn.masks) do
    if gf2.parity((a ~ b) & mask) == 1 then return false end
  end
  return true
end

-- Another line of `x`'s set, the `k`-th that the function tells; nil: it would lie beyond the region.
function M.fellow(fn, class, x, k, bits)
  if fn.kind == "linear" then return x ~ class[1] ~ class[k + 1] end
  local other = x % fn.sets + (k - 1) * fn.sets
  if other >= x then other = other + fn.sets end
  return other < 1 << bits and other or nil
end

-- For people. `line`: bytes of an element.
function M.text(fn, line)
  local below = lists.log2(line)
  if fn.kind == "modulo" then return string.format("number of the line modulo %d", fn.sets) end
  local parts = {}
  for i, mask in ipairs(fn.masks) do parts[i] = table.concat(gf2.bits_of(mask, below), "+") end
  return "parities of address bits " .. table.concat(parts, ", ")
end

return M
