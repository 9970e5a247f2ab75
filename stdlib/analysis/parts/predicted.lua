-- Predicted: what a level's structure says about fresh lists, before it is believed.
-- o and level as in parts/level.lua.
-- Covered by tests/runtime/cache_inference_test.cpp.

local lists = use "parts/lists"
local members = use "parts/members"
local M = {}
---@names level: Level, near: Level, o: LevelQuestion, r: Residence

local CENSUS_SETS = 256    -- sets that are counted one by one
local TOGETHER = 800       -- lines of several sets at once: what is observed of them stays on the SM
local MOST_LOOKED_AT = 4096   -- lines in reach, of which those are chosen that clear nearer levels by themselves
local CHECKS = 24          -- random lists that a structure must predict

-- The ways of a farther level: as many lines of one set as come to rest when what clears nearer levels
-- avoids the set. The conflict and what cleared beside it predict how many.
function M.count_ways(o, level, r)
  local home, lines, predicted = level.fn.key(level.conflict[1]), {}, #level.conflict - 1
  for _, address in ipairs(r.clear(level.conflict)) do
    local line = address // level.line
    if not lines[line] and level.fn.key(address) == home then predicted = predicted + 1 end
    lines[line] = true
  end
  local own = members.of(o, level, level.conflict[1], predicted + 1)
  if #own <= predicted then return nil end
  if not members.fit(o, level, lists.slice(own, 1, predicted)) then return nil end
  return members.fit(o, level, own) == false and predicted or nil
end

-- Random lines dealt to their sets until each has `count`, of which no two lie in one line of a nearer level: pages of
-- a nearer translation buffer may be larger, and answer the second.
local function dealt(o, level, count)
  local by_key, within, whole, keys = {}, {}, 0, {}
  local seen, tries = {}, 0
  local wanted = level.fn.sets
  while whole < wanted and tries < 400000 do
    tries = tries + 1
    local x = (math.random(level.range // level.line) - 1) * level.line
    if not seen[x] then
      seen[x] = true
      local key = level.fn.key(x)
      local set = by_key[key] or {}
      by_key[key], within[key] = set, within[key] or {}
      if #set < count and members.spread(o, set, within[key], x) and #set == count then
        whole, keys[#keys + 1] = whole + 1, key
      end
    end
  end
  return by_key, keys, whole == wanted
end

-- `count` lines of the set that `key` names, of as few sets of nearer levels as can be: they clear those by themselves,
-- where all other lines are of sets that are asked about. nil: there are too few, or too many to look at.
local function close_together(o, level, key, count)
  if level.range // level.line > MOST_LOOKED_AT then return nil end
  local groups, order, seen, out = {}, {}, {}, {}
  for x = 0, level.range - level.line, level.line do
    if level.fn.key(x) == key then
      local keys = {}
      for i, near in ipairs(o.nears) do keys[i] = near.fn.key(x) end
      local name = table.concat(keys, ",")
      if not groups[name] then groups[name], order[#order + 1] = {}, name end
      members.spread(o, groups[name], seen, x)
    end
  end
  table.sort(order, function(a, b) return #groups[a] > #groups[b] or #groups[a] == #groups[b] and a < b end)
  for _, name in ipairs(order) do
    for _, x in ipairs(groups[name]) do
      out[#out + 1] = x
      if #out == count then return out end
    end
  end
  return nil
end

-- One line of every other set: none of them belongs to the home set, whose lines fill it. Asked in groups
-- of different sets, by itself where a group hides the answer, and where the nearer caches hide a single line by all
-- lines that its set holds: so many clear them. Returns how many sets were asked about, and a reason if one does.
local function strangers(o, level, keys, by_key)
  local home_key = level.fn.key(level.conflict[1])
  local home = members.of(o, level, level.conflict[1], level.ways)
  local asked, wrong = 0, false
  local function ask(others)
    local list, seen, added = {}, {}, 0
    for _, x in ipairs(home) do members.spread(o, list, seen, x) end
    for _, key in ipairs(others) do
      for _, x in ipairs(by_key[key]) do
        if members.spread(o, list, seen, x) then
          added = added + 1
          break
        end
      end
    end
    local fits
    if added == #others or #others == 1 and added > 0 then fits = members.fit(o, level, list) end
    if fits then asked = asked + added end
    if fits == nil and #others == 1 then
      for _, x in ipairs(lists.slice(by_key[others[1]], 1, level.ways)) do members.spread(o, list, seen, x) end
      fits = members.fit(o, level, lists.slice(list, 1, 2 * level.ways))
      local near = fits == nil and close_together(o, level, home_key, level.ways)
      local far = near and close_together(o, level, others[1], level.ways)
      if far then fits = members.fit(o, level, lists.join(near, far)) end
      if fits then asked = asked + 1 end
    end
    wrong = wrong or fits == false
    if fits ~= nil or #others == 1 then return end
    ask(lists.slice(others, 1, #others // 2))
    ask(lists.slice(others, #others // 2 + 1, #others))
  end
  local most, group = math.max(1, math.min(48, level.sets // 4)), {}
  for i, key in ipairs(keys) do
    if key ~= home_key then group[#group + 1] = key end
    if #group == most or i == #keys and #group > 0 then
      ask(group)
      group = {}
    end
    if wrong then return asked, "fewer lines of other sets fit with a full one than predicted" end
  end
  return asked
end

-- Random lists fit where no set has too many lines.
local function predicts(o, level, keys, by_key)
  for trial = 1, CHECKS do
    local list, taken, seen, too_many = {}, {}, {}, trial % 2 == 0
    for i = 1, math.min(#keys, 1 + trial // 4) do
      local key, before = keys[math.random(#keys)], #list
      local wanted = i == 1 and too_many and level.ways + 1 or level.ways
      for k = 1, taken[key] and 0 or wanted do members.spread(o, list, seen, by_key[key][k]) end
      taken[key] = true
      if i == 1 and #list - before < wanted then too_many = false end
    end
    local fits = members.fit(o, level, list)
    if fits ~= nil and fits == too_many then return false end
  end
  return true
end

-- The last test: what the structure predicts about fresh lists. Each set by itself holds `ways` lines
-- and no more, and shares nothing with the set that was looked at; random lists fit where no set has
-- too many. nil: it agrees; else the reason.
function M.disagreement(o, level)
  local by_key, keys, complete = dealt(o, level, level.ways + 1)
  if not complete then return "too few lines of each set lie within reach" end
  local asked = 0
  for i = 1, math.min(#keys, CENSUS_SETS) do
    local fits = members.fit(o, level, by_key[keys[i]])
    if fits then return "some sets hold more lines than others" end
    if fits == false then asked = asked + 1 end
  end
  if asked == 0 and #o.nears > 0 then return "the upper levels cannot be cleared without its sets", true end
  local others, reason = strangers(o, level, keys, by_key)
  if reason then return reason end
  if others < 0.9 * (level.sets - 1) then
    return "upper levels hide whether its sets are as many as they seem", true
  end
  if not predicts(o, level, keys, by_key) then return "a fresh list does not behave as predicted" end
  return nil
end

-- Many sets filled at once, and one line more. Where lines leave at random so long a list takes too many
-- passes to settle: each set by itself has then to do.
function M.capacity_holds(o, level)
  if not level.steady then return true end
  local by_key, keys = dealt(o, level, level.ways + 1)
  local list = {}
  for i = 1, math.min(#keys, math.max(2, TOGETHER // level.ways)) do
    for k = 1, level.ways do list[#list + 1] = by_key[keys[i]][k] end
  end
  local extra = lists.plus(list, by_key[keys[1]][level.ways + 1])
  return members.fit(o, level, list) ~= false and not members.fit(o, level, extra)
end

return M
