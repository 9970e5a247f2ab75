-- Floods: addresses that make nearer caches forget a list, so that a farther one is asked.
--
-- A nearer level is what parts/level.lua concluded about it. In each of its sets that a list touches
-- it must see more lines than it has ways; where lines leave at random, several times as many.
-- Covered by tests/runtime/cache_inference_test.cpp.

local lists = use "parts/lists"
local M = {}
---@names near: Level

-- Lines of one set that clear it, whatever was visited between them: one more than its ways where
-- lines leave in the order of their use or their coming. Else `plenty` says how often the set is filled: 3
-- leaves a line with a chance of one in twenty.
local function clearing(near, key, plenty)
  local name, ways = near.policy and near.policy.name, near.ways_of and near.ways_of[key] or near.most_ways
  if name == "LRU" or name == "FIFO" or near.policy and near.policy.none then return ways + 1 end
  return math.ceil((plenty or 3) * ways) + 2
end

-- Whether the level is known well enough to be cleared.
function M.can_clear(near) return near.fn ~= nil and near.most_ways ~= nil end

-- The lines of each set of `near` that a list visits.
local function touched(near, list)
  local lines, count = {}, {}
  for _, address in ipairs(list) do
    local line, key = address // near.line, near.fn.key(address)
    if not lines[line] then count[key] = (count[key] or 0) + 1 end
    lines[line] = true
  end
  return count, lines
end

local function step_of(nears)
  local step = math.maxinteger
  for _, near in ipairs(nears) do step = math.min(step, near.line) end
  return step
end

-- Addresses from `from` on that bring every set of every level in `needs` (by key) to 0; those that
-- avoid(address) names are passed over. nil if there are not enough below `limit`, or they are
-- hard to find.
-- `deep`: the sets of nearer levels that these addresses touch are cleared, too: else those may answer what is to clear
-- a farther one. `stride`: lines from one to the next, or to the next few (`chunk`) that follow each other.
local function collect(nears, needs, from, limit, avoid, stride, deep, chunk)
  local left, seen, out, tries, lines = 0, {}, {}, 1024, 0
  for i, near in ipairs(nears) do
    seen[i] = {}
    for _, need in pairs(needs[i]) do left = left + math.max(0, need) end
    tries = tries + 8 * near.fn.sets * clearing(near, nil)
  end
  local step = step_of(nears)
  stride, chunk = stride or 1, chunk or 1
  while left > 0 do
    local address = from + (lines // chunk * stride + lines % chunk) * step
    tries, lines = tries - 1, lines + 1
    if address >= limit or tries < 0 then return nil end
    local wanted = false
    if not (avoid and avoid(address)) then
      for i, near in ipairs(nears) do
        local key, line = near.fn.key(address), address // near.line
        if deep and wanted and not needs[i][key] then
          needs[i][key] = clearing(near, key)
          left = left + needs[i][key]
        end
        if (needs[i][key] or 0) > 0 and not seen[i][line] then
          needs[i][key], left, wanted = needs[i][key] - 1, left - 1, true
          seen[i][line] = true
        end
      end
    end
    if wanted then out[#out + 1] = address end
  end
  return out
end

-- Addresses that clear the whole of the nearer levels, whatever is visited between them, `stride`
-- lines apart, or so many together.
function M.whole(nears, from, limit, stride, plenty, together)
  local needs = {}
  for i, near in ipairs(nears) do
    needs[i] = {}
    -- The keys are those that addresses of this region have.
    local address, sets = from, 0
    while sets < near.fn.sets and address < limit do
      local key = near.fn.key(address)
      if not needs[i][key] then needs[i][key], sets = clearing(near, key, plenty), sets + 1 end
      address = address + near.line
    end
    if sets < near.fn.sets then return nil end
  end
  return collect(nears, needs, from, limit, nil, stride, nil, together)
end

-- The addresses of whole() by what they clear: groups[i][key], of a set of nearer level i.
function M.groups(nears, addresses)
  local groups = {}
  for i, near in ipairs(nears) do
    groups[i] = {}
    for _, address in ipairs(addresses) do
      local key = near.fn.key(address)
      groups[i][key] = groups[i][key] or {}
      table.insert(groups[i][key], address)
    end
  end
  return groups
end

-- What clears the sets that a list touches, always in the same order.
function M.needed(nears, groups, list)
  local out, taken = {}, {}
  for i, near in ipairs(nears) do
    local keys, seen = {}, {}
    for _, address in ipairs(list) do
      local key = near.fn.key(address)
      if not seen[key] then seen[key], keys[#keys + 1] = true, key end
    end
    table.sort(keys)
    for _, key in ipairs(keys) do
      for _, address in ipairs(groups[i][key] or {}) do
        if not taken[address] then taken[address], out[#out + 1] = true, address end
      end
    end
  end
  return out
end

-- Addresses `granule` apart, below `most`, at most `count` of them, that touch only `sets` sets of each
-- nearer level. Where those are few, what clears them is short.
function M.alike(nears, granule, most, count, sets)
  local step, allowed = granule, {}
  for i, near in ipairs(nears) do
    local found, address = 0, 0
    allowed[i] = {}
    while found < math.min(sets, near.fn.sets) and address < most do
      local key = near.fn.key(address)
      if not allowed[i][key] then allowed[i][key], found = true, found + 1 end
      address = address + near.line
    end
    if found == near.fn.sets then allowed[i] = false end   -- all are
  end
  if sets == 1 then
    for _, near in ipairs(nears) do
      step = math.max(step, near.line)
      if near.fn.period then step = lists.multiple(step, near.fn.period) end
    end
  end
  local function inside(address)
    for i = 1, #nears do
      if allowed[i] and not allowed[i][nears[i].fn.key(address)] then return false end
    end
    return true
  end
  local out = {}
  for address = 0, most - 1, step do
    if inside(address) then out[#out + 1] = address end
    if #out == count then break end
  end
  return out
end

-- Addresses that clear what `list` touches; empty where the list itself does it. They avoid what
-- avoid(address) names. nil: there are no such addresses.
function M.around(nears, list, from, limit, avoid, deep)
  local needs, used = {}, {}
  for i, near in ipairs(nears) do
    local count, lines = touched(near, list)
    needs[i], used[i] = {}, lines
    for key, n in pairs(count) do needs[i][key] = clearing(near, key) - n end
  end
  local function taken(address)
    for i, near in ipairs(nears) do
      if used[i][address // near.line] then return true end
    end
    return avoid ~= nil and avoid(address)
  end
  return collect(nears, needs, from, limit, taken, nil, deep)
end

-- For a list that is visited with a flood behind each of its addresses: `copies` floods, each of
-- which clears what any address of the list touches. nil: there are no such addresses.
function M.between(nears, list, copies, from, limit, avoid)
  local counts, used = {}, {}
  for i, near in ipairs(nears) do counts[i], used[i] = touched(near, list) end
  local function taken(address)
    for i, near in ipairs(nears) do
      if used[i][address // near.line] then return true end
    end
    return avoid(address)
  end
  local floods = {}
  for copy = 1, copies do
    local needs = {}
    for i, near in ipairs(nears) do
      needs[i] = {}
      for key in pairs(counts[i]) do needs[i][key] = clearing(near, key) end
    end
    local addresses = collect(nears, needs, from, limit, taken)
    if not addresses then return nil end
    floods[copy] = addresses
    from = addresses[#addresses] + step_of(nears)
  end
  return floods
end

-- How many addresses of one line of a flood can be visited, one after another.
function M.words(nears, word) return step_of(nears) // word end

return M
