-- Replacement policies as models of one set: the registry that inference draws from. Each row is a name
-- and a constructor; a model says of every visit whether it hits. The virtual GPU has files of its own
-- (runtime/device/vgpu/policy/): what is planted there must be found by these.
-- Used by parts/cache_sets.lua. Covered by tests/experiments/eviction_test.cpp.

local M = {}

local function index_of(list, x)
  for i, value in ipairs(list) do
    if value == x then return i end
  end
  return nil
end

-- Lines in the order of their last visits: the last one leaves.
local function recent(ways)
  local order = {}
  return function(x)
    -- What lies before the line moves back by one place; of a miss all do.
    local moved, count = x, #order
    for i = 1, count do
      local y = order[i]
      order[i] = moved
      if y == x then return true end
      moved = y
    end
    if count < ways then order[count + 1] = moved end
    return false
  end
end

-- Lines stay in their ways; make(ways) gives the policy's hit(way), fill(way) and victim(). A measured set is full from
-- the start: `of_victims`: the ways are filled as victims are chosen, where that order stays in the state.
local function by_way(make, of_victims)
  return function(ways)
    local lines, way_of, filled = {}, {}, of_victims and ways or 0
    local hit, fill, victim = make(ways)
    return function(x)
      local way = way_of[x]
      if way then
        hit(way)
        return true
      end
      if filled < ways then
        filled = filled + 1
        way = filled
      else
        way = victim()
        local left = lines[way]
        if left then way_of[left] = nil end
      end
      lines[way], way_of[x] = x, way
      fill(way)
      return false
    end
  end
end

-- Ways are taken in turn.
local in_turn = by_way(function(ways)
  local last = 0
  return function() end, function(way) last = way end, function() return last % ways + 1 end
end)

-- A binary tree whose nodes point away from what was used last.
local tree = by_way(function(ways)
  local node = {}
  for at = 1, ways - 1 do node[at] = 0 end
  local function touch(way)
    local at = way - 1 + ways   -- a leaf; its parent is at half of that
    while at > 1 do
      node[at // 2] = 1 - at & 1
      at = at // 2
    end
  end
  return touch, touch, function()
    local at = 1
    while at < ways do at = 2 * at + node[at] end
    return at - ways + 1
  end
end, true)

-- One bit a way, set by a use; where all are set, all others are cleared. The first way without is next.
local nru = by_way(function(ways)
  local used, count = {}, 0
  local function touch(way)
    if not used[way] then used[way], count = true, count + 1 end
    if count == ways then used, count = { [way] = true }, 1 end
  end
  return touch, touch, function()
    for way = 1, ways do
      if not used[way] then return way end
    end
  end
end)

-- Re-reference intervals of so many bits (Jaleel et al., ISCA 2010): a fill predicts `insert`, a hit 0; the
-- first way that predicts the most is next, where none does all grow.
local function rrip(most, insert)
  return by_way(function(ways)
    local age, grown = {}, 0   -- less what all have grown by
    return function(way) age[way] = -grown end, function(way) age[way] = insert - grown end, function()
      local oldest, of = 1, age[1]
      for way = 2, ways do
        if age[way] > of then oldest, of = way, age[way] end
      end
      grown = most - of
      return oldest
    end
  end)
end

-- Segmented LRU (Karedla, Love, Wherry 1994): a hit makes a line protected; at most `room` are, the least
-- recent of them becomes the most recent of the others, of which the least recent is next.
local function segmented(room)
  return function(ways)
    if room >= ways then return nil end
    local others, kept = {}, {}
    return function(x)
      local i = index_of(kept, x)
      if i then
        table.insert(kept, 1, table.remove(kept, i))
        return true
      end
      i = index_of(others, x)
      if i then
        table.insert(kept, 1, table.remove(others, i))
        if #kept > room then table.insert(others, 1, table.remove(kept)) end
        return true
      end
      if #others + #kept == ways then others[#others] = nil end
      table.insert(others, 1, x)
      return false
    end
  end
end

-- Lines age by hits, not by fills: a hit makes all other lines of the set one older and its own one new, a fill is
-- as old as `fill` hits; the oldest leaves, of several the one visited longest ago. An H200's L1 has fill = 2: it
-- predicts each of 3000 visits by hand (tests/gpu/eviction_sets.cu), as SLRU-2 does 96 to 99 %.
local function aged(fill)
  return function(ways)
    local stamp, last, hits, visits, count = {}, {}, 0, 0, 0
    return function(x)
      visits = visits + 1
      local known = stamp[x] ~= nil
      if known then
        hits = hits + 1
        stamp[x] = hits
      else
        if count == ways then
          local oldest
          for y, when in pairs(stamp) do
            if not oldest or when < stamp[oldest] or when == stamp[oldest] and last[y] < last[oldest] then oldest = y end
          end
          stamp[oldest], last[oldest], count = nil, nil, count - 1
        end
        stamp[x], count = hits - fill, count + 1
      end
      last[x] = visits
      return known
    end
  end
end

-- Quad-age LRU in the names of Abel and Reineke 2020 (nanoBench, section VI): a hit changes an age of 0 to 3 by
-- `after`, a line enters with age `insert`; the first way of age 3 leaves, where there is none the first one.
-- Where no age is 3 after an access, all grow: until one is, or `by_one`.
local MOST_QLRU = 32   -- ways: of caches that are described; models of more cost too much
local AFTER = { H00 = { 0, 0, 0, 0 }, H11 = { 0, 0, 1, 1 }, H21 = { 0, 0, 1, 2 } }

local way_of_bit = {}
for way = 1, MOST_QLRU do way_of_bit[1 << way - 1] = way end

local function qlru(after, insert, by_one)
  local make = by_way(function(ways)
    -- The lower and the upper bit of each way's age, side by side.
    local all = (1 << ways) - 1
    local lower, upper = all, all
    local function set(bit, to)
      lower = to & 1 == 1 and lower | bit or lower & ~bit
      upper = to & 2 == 2 and upper | bit or upper & ~bit
      while lower & upper == 0 do
        lower, upper = ~lower & all, upper ~ lower
        if by_one then return end
      end
    end
    return function(way)
      local bit = 1 << way - 1
      set(bit, after[1 + (lower & bit ~= 0 and 1 or 0) + (upper & bit ~= 0 and 2 or 0)])
    end, function(way) set(1 << way - 1, insert) end, function()
      local oldest = lower & upper
      return way_of_bit[oldest & -oldest] or 1
    end
  end)
  return function(ways) return ways <= MOST_QLRU and make(ways) or nil end
end

---@class PolicyRow
---@field name string
---@field make fun(ways: integer): (fun(line): boolean)?   -- nil: not for so many ways
---@field by_way boolean?  -- lines leave by the order of their ways, not of their visits
---@field what string?   -- what it does, where its name is in no textbook

---@type PolicyRow[]
M.rows = {
  { name = "LRU", make = recent },
  { name = "FIFO", make = in_turn },
  { name = "PLRU", make = function(ways) return ways & (ways - 1) == 0 and tree(ways) or nil end },
  { name = "NRU", make = nru, by_way = true },
  { name = "SRRIP", make = rrip(3, 2), by_way = true },
  { name = "SLRU-1", make = segmented(1) },
  { name = "SLRU-2", make = segmented(2) },
  { name = "SLRU-half", make = function(ways) return segmented(ways // 2)(ways) end },
  { name = "AGED-2", make = aged(2),
    what = "a hit makes all other lines of its set one older, a fill is two hits old, the oldest leaves" },
}

for _, hit in ipairs { "H11", "H00", "H21" } do
  for _, enter in ipairs { 1, 2 } do
    for _, ages in ipairs { "R0_U0", "R1_U2" } do
      M.rows[#M.rows + 1] = { name = string.format("QLRU_%s_M%d_%s", hit, enter, ages),
                              make = qlru(AFTER[hit], enter, ages == "R1_U2"), by_way = true,
                              what = "ages of 0 to 3, as nanoBench names them" }
    end
  end
end

-- What the policy of that name does; nil: its name says it.
function M.what(name)
  for _, row in ipairs(M.rows) do
    if row.name:sub(1, #name) == name then return row.what end   -- or what several have in common
  end
  return nil
end

local ALIKE = 1000   -- visits by which two models are the same one

local function stem_of(name) return name:match("^QLRU_H%d+_M%d") end

-- What two names of quad-age policies have in common; nil: they are others.
function M.common_name(a, b)
  local stem = stem_of(a)
  return stem and stem == stem_of(b) and stem or nil
end

-- Whether a name is that of a quad-age policy, of which several say nearly the same.
function M.is_quad_age(name) return stem_of(name) ~= nil end

-- Whether lines leave by the order of their ways under a policy of that name, or under those that have it in common.
function M.is_by_way(name)
  for _, row in ipairs(M.rows) do
    if row.name:sub(1, #name) == name then return row.by_way or false end
  end
  return false
end

local TWINS = 0.02     -- of them: quad-age policies that differ in no more are told by what their names have in common

local function differing(a, b)
  local count = 0
  for i = 1, #a do count = count + (a[i] == b[i] and 0 or 1) end
  return count
end

-- The rows that say different things of so many ways, each by its first name; quad-age rows that differ only in what
-- happens where no age is 3, and hardly ever do, by what they have in common.
function M.distinct(ways)
  local visits, out, said, seen = {}, {}, {}, {}
  for i = 1, ALIKE do visits[i] = math.random(ways + 1 + i % 3) end
  for _, row in ipairs(M.rows) do
    local model, hits = row.make(ways), {}
    for i, x in ipairs(visits) do hits[i] = model and (model(x) and "h" or "m") end
    local key, stem, twin = table.concat(hits), stem_of(row.name), nil
    for k, other in ipairs(model and stem and out or {}) do
      if stem_of(other.name) == stem and differing(said[k], hits) <= TWINS * ALIKE then twin = k end
    end
    if twin then
      out[twin] = { name = stem, make = out[twin].make, what = row.what }
    elseif model and not seen[key] then
      out[#out + 1], said[#out + 1], seen[key] = row, hits, true
    end
  end
  return out
end

return M
