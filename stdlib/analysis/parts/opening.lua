-- Opening: how a level is asked so that nearer levels do not answer, and the first conflict in it.
-- o as for parts/level.lua. Used by it alone.
-- Covered by tests/runtime/cache_inference_test.cpp.

local lists = use "parts/lists"
local residence = use "parts/residence"
local geometry = use "parts/geometry"
local flood = use "parts/flood"
local members = use "parts/members"
local M = {}
---@names near: Level, o: LevelQuestion, r: Residence

local DRAWN = 400 -- addresses, among which those are looked for that do not fit together beside all of that
-- Lines between those that clear the upper levels. Where single ones do not fit into the level, pairs of them: where 512 B share
-- a set of two ways, 49 lines that are 576 B apart exceed constant memory, and next to each other they are too many for a set.
local FLOODS = { { strides = { 1, 3, 9, 33 } }, { strides = { 8 }, together = 2 } }
local FULL = 48   -- addresses without room beside what clears nearer levels, at most

-- No place of a conflict hits in any pass: so it is where lines leave in the order of their use or their
-- coming, and hardly ever where they do not. A few answers may be a nearer level's.
local function is_steady(r, conflict)
  local visited = lists.join(conflict, r.clear(conflict))
  local latencies, missed = r.probe(visited, 4, 8), 0
  for pass = 0, 7 do
    for i = 1, #conflict do
      local answer = r.miss(latencies[pass * #visited + i])
      if answer == false then return false end
      if answer == true then missed = missed + 1 end
    end
  end
  return missed >= 6 * #conflict
end

-- A residence whose lists nearer levels forget: what clears them is always visited in the same order, as
-- much of it as a list needs, so that it takes the same ways beside every list.
local function clearing(o, addresses)
  if #addresses * 4 > 8192 then return nil end
  local groups = flood.groups(o.nears, addresses)
  local function clear(list) return flood.needed(o.nears, groups, list) end
  local r = residence.new(o, clear)
  r.nears, r.flood, r.groups = o.nears, addresses, groups
  return r
end

-- What clears one set of a nearer level, in a few other places of the flood's range.
local function elsewhere(o, i, key)
  local out, room = {}, o.limit - o.flood_from
  for part = 1, 6 do
    local stride = part % 2 == 0 and 1 or 9
    local addresses = flood.whole(o.nears, o.flood_from + room // 8 * part, o.limit, stride, 3)
    if addresses then out[#out + 1] = flood.groups(o.nears, addresses)[i][key] end
  end
  return out
end

-- Exchanges what clears a set of a nearer level where that takes a way of the conflict's set: then what
-- comes to a full set comes with lines that have no room.
function M.set_aside(o, r, conflict)
  local less, clear = lists.without(conflict, 1), r.clear
  if #o.nears == 0 or residence.fits(r, less, {}, r.flood) then return end
  local fixed = clear(conflict)
  local function beside(group)
    local taken, list = {}, lists.slice(fixed, 1, #fixed)
    for _, address in ipairs(fixed) do taken[address] = true end
    for _, address in ipairs(group) do
      if not taken[address] then list[#list + 1] = address end
    end
    r.clear = function() return list end
    return residence.fits(r, less)
  end
  for i, near in ipairs(o.nears) do
    local own = {}
    for _, address in ipairs(conflict) do own[near.fn.key(address)] = true end
    for key, group in pairs(r.groups[i]) do
      if not own[key] and not beside(group) then
        for _, other in ipairs(elsewhere(o, i, key)) do
          if beside(other) then
            r.groups[i][key], r.flood = other, lists.join(r.flood, other)
            break
          end
        end
      end
    end
  end
  r.clear = clear
end

-- A minimal eviction set from one, beside all that clears nearer levels, whatever a list touches: then nothing
-- that comes brings more of that with it. nil: there is no room beside it.
function M.beside_all(r, conflict)
  local clear = r.clear
  r.clear, r.beside = function() return r.flood end, nil
  if not residence.fits(r, {}) or residence.fits(r, conflict) then
    r.clear = clear
    return nil
  end
  conflict = residence.minimal(r, conflict)
  if #conflict > 1 and residence.is_minimal(r, conflict) then return conflict end
  r.clear, r.beside = clear, nil
  return nil
end

-- A residence with which the first conflict can be looked for, the first one that works but for `skip`.
function M.opened(o, skip)
  if #o.nears == 0 then return residence.new(o) end
  for _, near in ipairs(o.nears) do
    if not flood.can_clear(near) then
      return nil, "upper levels hide it, and no addresses are known to clear them"
    end
  end
  local reason = "there is no room for the addresses that clear the upper levels"
  for _, way in ipairs(FLOODS) do
    for _, part in ipairs { 5, 0 } do
      o.flood_from = o.most + (o.limit - o.most) // 8 * part
      for _, plenty in ipairs { 3, 1.5 } do
        for _, stride in ipairs(way.strides) do
          local addresses = flood.whole(o.nears, o.flood_from, o.limit, stride, plenty, way.together)
          local r = addresses and clearing(o, addresses)
          if r then
            if residence.fits(r, {}, {}, addresses) then
              if skip == 0 then return r end
              skip = skip - 1
            end
            reason = "the addresses that clear the upper levels do not fit into it"
          end
        end
      end
    end
  end
  return nil, reason
end

-- A conflict among addresses that share their sets in all nearer levels, because few others clear
-- those; where they are too few, among more. Those of `full` are not asked. `alike`: what flood.alike() gave before.
local function any_conflict(o, r, full, alike)
  local before = 0
  for _, sets in ipairs { 1, 8, math.maxinteger } do
    alike[sets] = alike[sets] or flood.alike(o.nears, o.granule, o.most, 1 << 18, sets)
    local among = {}
    for _, address in ipairs(alike[sets]) do
      if not full[address] then among[#among + 1] = address end
    end
    local conflict = #among > before and geometry.conflict(r, among, o.granule, o.longest)
    if conflict then return conflict end
    before = #among
  end
  return nil
end

-- As above, minimal. The addresses that clear upper levels may fill sets; addresses without room next
-- to them are passed over. The second value: whether there were too many of those.
local function minimal_conflict(o, r, hasty, alike)
  local full = {}
  for _ = 1, #o.nears > 0 and FULL or 1 do
    r.hasty = hasty
    local conflict = any_conflict(o, r, full, alike)
    r.hasty = false
    if not conflict or residence.fits(r, conflict) then return nil end
    conflict = residence.minimal(r, conflict)
    if #conflict > 1 then return conflict end
    full[conflict[1]] = true
  end
  return nil, true
end

-- Whether a conflict is minimal; how it comes to rest is told by it.
local function is_minimal(r, conflict)
  r.steady = is_steady(r, conflict)
  residence.learn_patience(r, conflict)
  if residence.is_minimal(r, conflict) then return true end
  r.steady, r.patience, r.stuck = nil, nil, nil
  return false
end

-- Some random addresses, of which no two lie in one line of a nearer level.
local function drawn(o, count)
  local list, seen = {}, {}
  for _ = 1, count do members.spread(o, list, seen, (math.random(o.most // o.granule) - 1) * o.granule) end
  return list
end

-- Addresses that do not fit together beside all of `r.flood`, but each by itself; nil: none are found. Which sets have room
-- beside it is not known: addresses that have none are passed over.
local function overflowing_beside(o, r)
  local list, fit, step = drawn(o, DRAWN), 0, 1
  while fit < #list do
    step = math.min(step, #list - fit)
    local longer = lists.slice(list, 1, fit + step)
    if residence.fits(r, longer) then fit, step = fit + step, 2 * step
    elseif step > 1 then step = step // 2
    elseif residence.fits(r, { list[fit + 1] }) then return longer
    else list = lists.without(list, fit + 1) end
  end
  return nil
end

-- A minimal eviction set beside the whole flood: where that fills most sets, what clears for one address often lies
-- in the set of another.
local function conflict_beside(o, r)
  r.clear, r.hasty = function() return r.flood end, true
  local list = residence.fits(r, {}) and overflowing_beside(o, r)
  list = list and residence.conflict(r, list)
  r.hasty = false
  if not list or residence.fits(r, list) then return nil end
  local conflict = residence.minimal(r, list)
  return #conflict > 1 and is_minimal(r, conflict) and conflict or nil
end

-- A minimal eviction set, from hasty questions first; nil and the reason why not. `whole`: beside all that clears nearer
-- levels, whatever is asked.
function M.first_conflict(o, r, whole)
  if whole then
    local conflict = conflict_beside(o, r)
    return conflict, not conflict and "no addresses are sure to overflow it together with those that clear the upper levels" or nil
  end
  local alike = {}
  for _, hasty in ipairs { true, false } do
    local conflict, too_full = minimal_conflict(o, r, hasty, alike)
    if too_full then return nil, "the addresses that clear the upper levels fill a set of it" end
    if conflict and is_minimal(r, conflict) then return conflict end
    if not conflict and not hasty then
      return nil, string.format("no list of addresses within %d B is sure to overflow it", o.most)
    end
  end
  return nil, "the same list of addresses sometimes fits and sometimes does not"
end

return M
