-- The class of a minimal eviction set: all lines of a region that lie in its target's set of the cache, which are
-- those that it evicts. Used by parts/cache_sets.lua. Covered by tests/experiments/eviction_test.cpp.

local eviction = use "parts/eviction"
local lists = use "parts/lists"
local M = {}
---@names e: Eviction, set: EvictionSet

local pool_of = eviction.pool_of

local PASSES = 6              -- sweeps of the set behind many targets: by FIFO one leaves after as many misses as ways, of
                              -- which a sweep has two at least. With two sweeps 16 of 64 lines were taken for another set's
M.PASSES = PASSES
local BATCH = 16              -- neighbouring lines that share a sweep: hardly two of them are in one set
local WARP = 32               -- lines that one load of a warp asks for, and a sweep that they share...
local LOADS = 4               -- ...with so many such loads one after the other: each sweep costs as much as three of them
local MANY_SETS = 1 << 10     -- ...where a cache has so many sets: fewer than 1 of 32 such loads meets a line of one set
local SURE = 0.98             -- of the hits of such loads, that take no longer than what counts as one
local HITS = 96               -- such loads that are timed
local AGAIN = 2               -- times that what looks like a line of the set is asked again

-- Those of some elements that the set evicts, in one of a few tests: a tree-PLRU keeps a line now and then, and noise
-- makes one late again hardly ever.
function M.evicted(e, set, list)
  local seen, out = {}, {}
  for _ = 1, AGAIN do
    local targets = {}
    for i, element in ipairs(list) do targets[i] = element * e.line end
    local late = #list > 0 and e:late(targets, e:ask(pool_of(set.lines), targets, { passes = e.passes or PASSES })) or {}
    for i in ipairs(list) do seen[i] = seen[i] or late[i] end
  end
  for i, element in ipairs(list) do
    if seen[i] then out[#out + 1] = element end
  end
  return out
end

-- Of hundreds of thousands of lines a few are late for another reason: they are asked again.
local function confirm(e, set, inside)
  local list = {}
  for element in pairs(inside) do list[#list + 1] = element end
  table.sort(list)
  for _, element in ipairs(list) do inside[element] = nil end
  for _, element in ipairs(M.evicted(e, set, list)) do inside[element] = true end
end

-- So many neighbours of an element from it on, in bytes, as of() asks for them: in its half of the page.
local function neighbours(e, element, count)
  local out, half, step = {}, element * e.line & e.near, element + count * 2 < 1 << e.bits and 1 or -1
  while #out < count do
    if element * e.line & e.near == half then out[#out + 1] = element * e.line end
    element = element + step
  end
  return out
end

-- Those of some targets that shared a load which was late.
local function suspects(e, lines, targets, most)
  local out = {}
  local test = { batch = LOADS * WARP, at_once = WARP, passes = e.passes or PASSES }
  for i, clocks in ipairs(e:ask(pool_of(lines), targets, test)) do
    if clocks > most then out[#out + 1] = targets[i] end
  end
  return out
end

-- What hits of WARP lines by one load take at most, where such a load tells that one of them was evicted; nil: there are
-- few sets, or it does not tell it of each of the set's own lines. Those, and all that the set evicts, lie in one slice
-- of L2, equally far away.
local function at_once(e, set)
  if (set.hold or 0) // #set.lines < MANY_SETS then return nil end
  local targets = {}
  for i = 1, HITS do
    for _, at in ipairs(neighbours(e, e:element(i), WARP)) do targets[#targets + 1] = at end
  end
  local most = eviction.limit(stats.quantile(e:ask(eviction.EMPTY, targets, { batch = WARP, at_once = WARP }), SURE))
  for i, line in ipairs(set.lines) do
    local others = lists.without(set.lines, i)
    others[#others + 1] = set.target
    if suspects(e, others, neighbours(e, line, LOADS * WARP), most)[1] ~= line * e.line then return nil end
  end
  return most
end

-- The elements below 2^bits that the set evicts, with its own: those of the target's set of the cache. `known`: those
-- below 2^(bits - 1).
function M.of(e, set, bits, known)
  local batch, inside, most = 1 << 14, {}, at_once(e, set)
  for first = known and 1 << (bits - 1) or 0, (1 << bits) - 1, batch do
    local targets, last = {}, math.min(first + batch, 1 << bits) - 1
    -- A test loads another line of the page, too: that is no target soon after, when a QLRU would keep it.
    for half = 0, e.near, math.max(1, e.near) do
      for i = first, last do
        if i * e.line & e.near == half then targets[#targets + 1] = i * e.line end
      end
    end
    if most then targets = suspects(e, set.lines, targets, most) end
    local test = { batch = BATCH, passes = e.passes or PASSES }
    for i, late in ipairs(#targets > 0 and e:late(targets, e:ask(pool_of(set.lines), targets, test)) or {}) do
      if late then inside[targets[i] // e.line] = true end
    end
  end
  confirm(e, set, inside)
  for _, element in ipairs(known or {}) do inside[element] = true end
  -- A target that is one of the set's own lines is not evicted: it has one line less against it.
  for _, line in ipairs(set.lines) do inside[line] = true end
  inside[set.target] = true
  local list = {}
  for element in pairs(inside) do
    if element < 1 << bits then list[#list + 1] = element end
  end
  table.sort(list)
  return list
end

return M
