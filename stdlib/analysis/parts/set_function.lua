-- Set function: which lines share a set. Three families are known: functions of the address that are
-- linear over GF(2) (selected bits, or xors of bits), the line's number modulo the number of sets,
-- and the line's number modulo a period whose slots are dealt to sets in any way. A function has
--   sets, key(address): a number for each set, and text for people; where numbers of lines are reduced,
--   period: bytes after which the sets repeat; open: why there may be more sets than are seen.
-- Covered by tests/runtime/cache_inference_test.cpp.

local lists = use "parts/lists"
local geometry = use "parts/geometry"
local M = {}

-- All xors of some of the basis bits: one address in each set.
local function combinations(basis)
  local list = { 0 }
  for i in ipairs(basis) do
    for k = 1, #list do list[#list + 1] = list[k] ~ (1 << (i - 1)) end
  end
  return list
end

-- Which combination of basis bits moves an address as far as `bit` does; nil: none, it is a new one. The
-- second value: that nearer caches hide it, or the end of what may be asked, `limit`.
local function signature(r, conflict, line, basis, bit, limit)
  local member, origin = {}, conflict[1]
  for _, address in ipairs(conflict) do member[address // line] = true end
  local function any(list)
    local addresses = {}
    for _, combination in ipairs(list) do
      local address = origin ~ (1 << bit)
      for i, b in ipairs(basis) do
        if combination >> (i - 1) & 1 == 1 then address = address ~ (1 << b) end
      end
      if member[address // line] then return true end
      if address + line > limit then return nil end
      addresses[#addresses + 1] = address
    end
    return geometry.any_in_set(r, conflict, addresses)
  end
  local rest = combinations(basis)
  local found = any(rest)
  if not found then return nil, found == nil end
  while #rest > 1 do
    local half = lists.slice(rest, 1, #rest // 2)
    if any(half) then rest = half else rest = lists.slice(rest, #rest // 2 + 1, #rest) end
  end
  return rest[1]
end

local MOST_BITS = 13   -- 8192 sets

local function bits_text(masks)
  local texts = {}
  for i, bits in ipairs(masks) do texts[i] = table.concat(bits, "^") end
  return #texts == 0 and "one set" or "address bits " .. table.concat(texts, ", ")
end

-- The key of an address: the exclusive or of what its bits from `low` to `top` move, eight bits at a time.
-- Searches ask for it of every line of a memory.
local function linear_key(moved, low, top)
  local tables = {}
  for first = low, top, 8 do
    local together = { [0] = 0 }
    for i = 0, 7 do
      for k = 0, (1 << i) - 1 do together[k | 1 << i] = together[k] ~ (moved[first + i] or 0) end
    end
    tables[#tables + 1] = together
  end
  return function(address)
    local x, rest = 0, address >> low
    for i = 1, #tables do
      x = x ~ tables[i][rest & 255]
      rest = rest >> 8
    end
    return x
  end
end

-- `top`: the highest bit of the addresses that it is for. Those that are asked may lie farther away, below `limit`: of 5 MB
-- the highest bit leads out of them from most lines.
function M.linear(r, conflict, line, top, limit)
  if not lists.is_power_of_2(line) then return nil end
  local basis, signatures = {}, {}
  for bit = lists.log2(line), top do
    local found, hidden = signature(r, conflict, line, basis, bit, limit)
    if hidden then return nil end
    if not found then
      if #basis == MOST_BITS then return nil end
      basis[#basis + 1] = bit
      found = 1 << (#basis - 1)
    end
    signatures[bit] = found
  end
  local masks = {}
  for i = 1, #basis do
    masks[i] = {}
    for bit = lists.log2(line), top do
      if signatures[bit] >> (i - 1) & 1 == 1 then table.insert(masks[i], bit) end
    end
  end
  -- A TLB's sets by bits 23 to 28 were half as many in lists of 256 MB.
  local open = basis[#basis] == top and
    string.format("address bit %d, the highest that was tested, leads to further sets, and higher ones may too", top) or nil
  return { kind = "bits", sets = 1 << #basis, masks = masks, key = linear_key(signatures, lists.log2(line), top),
           text = bits_text(masks), open = open }
end

function M.modulo(sets, line)
  return { kind = "modulo", sets = sets, period = sets * line, key = function(address) return address // line % sets end,
           text = string.format("line number modulo %d", sets) }
end

-- slots[k]: the set of the lines whose number is k modulo the period.
function M.periodic(slots, period, sets, line)
  return { kind = "periodic", sets = sets, period = period * line,
           key = function(address) return slots[address // line % period] end,
           text = string.format("line number modulo %d, dealt to %d sets", period, sets) }
end

-- A random line below `range` for which accepts(address) holds; nil if that is hard to find.
local function random_line(line, range, accepts)
  for _ = 1, 20000 do
    local x = (math.random(range // line) - 1) * line
    if accepts(x) then return x end
  end
  return nil
end
M.random_line = random_line

-- Whether the function predicts rightly which of random addresses are in the conflict's set: as
-- many members as strangers.
function M.holds(r, conflict, line, fn, range, count)
  local member, home = {}, fn.key(conflict[1])
  for _, address in ipairs(r.flood or {}) do member[address // line] = true end
  for _, address in ipairs(conflict) do
    member[address // line] = true
    if fn.key(address) ~= home then return false end
  end
  local seen = 0
  for i = 1, count do
    local inside = i % 2 == 1
    local x = random_line(line, range, function(a)
      return (fn.key(a) == home) == inside and not member[a // line]
    end)
    if not x and inside then return false end
    if x then
      local found, known = geometry.in_set(r, conflict, x)
      if known then seen = seen + 1 end
      if known and found ~= inside then return false end
    end
  end
  return seen >= count // 4
end

return M
