-- One level of a hierarchy: line, sector, sets, ways, set function, capacity and policy, each with a
-- value or with the reason why the answers do not decide it (`doubt`, by name).
--
-- recover{ probe, miss, unit, granule, word, most, limit, nears } where
--   probe, miss      as in parts/residence.lua
--   unit, granule    distances at which the line is looked for, and the first conflict
--   word             bytes between two addresses of a line that can both be visited
--   most, limit      lists stay below `most`, floods between it and `limit`
--   nears            the nearer levels, as recover() returned them
--   longest          addresses that lists may have (no limit)
-- Covered by tests/runtime/cache_inference_test.cpp.

local lists = use "parts/lists"
local residence = use "parts/residence"
local geometry = use "parts/geometry"
local set_function = use "parts/set_function"
local replacement = use "parts/replacement"
local flood = use "parts/flood"
local M = {}

local SMALL = 192          -- lines of a cache whose sets are told apart one by one
local CENSUS_SETS = 256    -- sets that are counted one by one
local TOGETHER = 800       -- lines of several sets at once: what is observed of them stays on the SM
local CHECKS = 24          -- random addresses or lists that a conclusion must foretell

local GEOMETRY = { "line", "ways", "sets", "capacity", "sector", "policy" }

local function give_up(level, reason)
  for _, what in ipairs(GEOMETRY) do
    if level[what] == nil then level.doubt[what] = level.doubt[what] or reason end
  end
  return level
end

-- A level of which nothing is known, and why.
function M.given_up(reason) return give_up({ doubt = {} }, reason) end

local function withdraw(level, reason)
  for _, what in ipairs { "ways", "sets", "capacity", "policy", "set_sizes", "fn", "most_ways",
                           "home_ways", "entries", "set_function" } do
    level[what] = nil
  end
  return give_up(level, reason)
end

-- Every place of a conflict misses in every pass: so it is where lines leave in the order of their use
-- or their coming, and hardly ever where they do not.
local function is_steady(r, conflict)
  local visited = lists.join(conflict, r.clear(conflict))
  local latencies = r.probe(visited, 4, 8)
  for pass = 0, 7 do
    for i = 1, #conflict do
      if r.miss(latencies[pass * #visited + i]) ~= true then return false end
    end
  end
  return true
end

-- A residence whose lists nearer levels forget: what clears them is always visited in the same order, as
-- much of it as a list needs, so that it takes the same ways beside every list.
local function clearing(o, addresses)
  if #addresses * 4 > 8192 then return nil end
  local groups = flood.groups(o.nears, addresses)
  local function clear(list) return flood.needed(o.nears, groups, list) end
  local r = residence.new(o.probe, o.miss, o.strays, clear, o.word)
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
local function set_aside(o, r, conflict)
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

-- The residence with which the first conflict is looked for.
local function opened(o)
  if #o.nears == 0 then return residence.new(o.probe, o.miss, o.strays) end
  for _, near in ipairs(o.nears) do
    if not flood.can_clear(near) then
      return nil, "nearer caches hide it, and what clears those is not known"
    end
  end
  local reason = "there is no room for what clears the nearer caches"
  for _, part in ipairs { 5, 0 } do
    o.flood_from = o.most + (o.limit - o.most) // 8 * part
    for _, plenty in ipairs { 3, 1.5 } do
      for _, stride in ipairs { 1, 3, 9, 33 } do
        local addresses = flood.whole(o.nears, o.flood_from, o.limit, stride, plenty)
        local r = addresses and clearing(o, addresses)
        if r then
          if residence.fits(r, {}, {}, addresses) then return r end
          reason = "what clears the nearer caches does not fit into it"
        end
      end
    end
  end
  return nil, reason
end

-- The number of sets by which line numbers are reduced: a divisor of all distances in the conflict.
local function modulo(r, conflict, line, range)
  local distance, member = 0, {}
  for _, address in ipairs(conflict) do
    distance = lists.gcd(distance, (address - conflict[1]) // line)
    member[address] = true
  end
  for sets = 1, distance do
    if distance % sets == 0 then
      local inside, known = false, false
      for k = 1, 7, 2 do
        local x = conflict[1] + k * sets * line
        if x + line > range then break end
        if member[x] then inside, known = true, true
        else inside, known = geometry.in_set(r, conflict, x) end
        if known then break end
      end
      if not known then return nil end
      if inside then return set_function.modulo(sets, line) end
    end
  end
  return nil
end

local function function_of(r, conflict, line, range)
  local linear_top = lists.log2(range - 1)
  local fn = modulo(r, conflict, line, range)
  local by_number = fn and set_function.holds(r, conflict, line, fn, range, CHECKS)
  if by_number and not (lists.is_power_of_2(fn.sets) and lists.is_power_of_2(line)) then return fn end
  local linear = set_function.linear(r, conflict, conflict[1], line, linear_top)
  if linear and by_number and linear.sets > fn.sets then return fn end
  if linear and set_function.holds(r, conflict, line, linear, range, CHECKS) then return linear end
  return by_number and fn or nil
end

-- A small cache of unknown function: its sets are told apart one by one. Lists that fill it clear
-- nearer caches by themselves, so that no flood takes part.
local function one_by_one(o, level, conflict_of)
  local r = residence.new(o.probe, o.miss, o.strays)
  local base, beyond = geometry.fill(r, level.line, SMALL, level.range)
  if not base then return end
  local half = lists.slice(base, 1, #base // 2)
  if #o.nears > 0 and #(flood.around(o.nears, half, o.flood_from, o.limit) or { 0 }) > 0 then return end
  local sets = geometry.classify(r, base, beyond)
  if not sets then return end
  level.entries, level.sets, level.capacity = #base, #sets, #base * level.line
  level.set_sizes = {}
  local slots = {}
  for s, members in ipairs(sets) do
    level.set_sizes[s] = #members
    for _, address in ipairs(members) do slots[address // level.line] = s end
  end
  table.sort(level.set_sizes, function(a, b) return a > b end)
  level.most_ways = level.set_sizes[1]
  if level.set_sizes[1] == level.set_sizes[#sets] then level.ways = level.set_sizes[1] end
  local fn = set_function.periodic(slots, #base, #sets, level.line)
  if base[#base] == (#base - 1) * level.line and
     set_function.holds(conflict_of, level.conflict, level.line, fn, level.range, CHECKS) then
    level.fn, level.set_function = fn, fn.text
    level.home_ways = #sets[fn.key(level.conflict[1])]
  else
    level.doubt.set_function = "neither address bits nor the line's number explain the sets"
  end
end

-- Adds an address to a list unless a line of a nearer level already has one of the list's: the second
-- of two may be answered there in every pass. `seen` remembers those lines.
local function spread(o, list, seen, address)
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
    if not spread(o, once, seen, address) then return true end
  end
  return false
end

-- Up to `count` lines of the set that `key` names: first those that share their sets in nearer levels
-- with `first`, then at random places where that finds them. They do not hide each other.
local function members_of(o, level, first, count)
  local found, taken, seen, key = {}, {}, {}, level.fn.key(first)
  local function take(x)
    if taken[x] or level.fn.key(x) ~= key then return end
    taken[x] = true
    spread(o, found, seen, x)
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
local function asks(o, level, list)
  if hides_itself(o, list) then return nil end
  local r = residence.new(o.probe, o.miss, o.strays)
  r.flood_counts, r.patience, r.steady = false, level.patience, level.steady
  if #o.nears > 0 then
    local home = {}
    for _, address in ipairs(list) do home[level.fn.key(address)] = true end
    local around = flood.around(o.nears, list, 0, o.limit,
                                function(address) return home[level.fn.key(address)] end)
    if not around then return nil end
    r.clear = function() return around end
  end
  local fits, known = residence.fits(r, list)
  if known then return fits end
  return nil
end

-- The ways of a farther level: as many lines of one set as come to rest when what clears nearer levels
-- avoids the set. The conflict and what cleared beside it foretell how many.
local function count_ways(o, level, r)
  local home, lines, foretold = level.fn.key(level.conflict[1]), {}, #level.conflict - 1
  for _, address in ipairs(r.clear(level.conflict)) do
    local line = address // level.line
    if not lines[line] and level.fn.key(address) == home then foretold = foretold + 1 end
    lines[line] = true
  end
  local members = members_of(o, level, level.conflict[1], foretold + 1)
  if #members <= foretold then return nil end
  if not asks(o, level, lists.slice(members, 1, foretold)) then return nil end
  return asks(o, level, members) == false and foretold or nil
end

-- Random lines dealt to their sets until each has `count`.
local function dealt(level, count)
  local by_key, whole, keys = {}, 0, {}
  local seen, tries = {}, 0
  local wanted = level.fn.sets
  while whole < wanted and tries < 400000 do
    tries = tries + 1
    local x = (math.random(level.range // level.line) - 1) * level.line
    if not seen[x] then
      seen[x] = true
      local key = level.fn.key(x)
      local set = by_key[key] or {}
      by_key[key] = set
      if #set < count then
        set[#set + 1] = x
        if #set == count then whole, keys[#keys + 1] = whole + 1, key end
      end
    end
  end
  return by_key, keys, whole == wanted
end

-- One line of every other set: none of them belongs to the home set, whose lines fill it. Asked in groups
-- of different sets, by itself where a group hides the answer. Returns how many sets were asked about,
-- and a reason if one does.
local function strangers(o, level, keys, by_key)
  local home_key = level.fn.key(level.conflict[1])
  local home = members_of(o, level, level.conflict[1], level.ways)
  local asked, wrong = 0, false
  local function ask(others)
    local list, seen, added = {}, {}, 0
    for _, x in ipairs(home) do spread(o, list, seen, x) end
    for _, key in ipairs(others) do
      for _, x in ipairs(by_key[key]) do
        if spread(o, list, seen, x) then
          added = added + 1
          break
        end
      end
    end
    local fits
    if added == #others or #others == 1 and added > 0 then fits = asks(o, level, list) end
    if fits then asked = asked + added end
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
    if wrong then return asked, "fewer lines of other sets fit beside a full one than foretold" end
  end
  return asked
end

-- Random lists fit where no set has too many lines.
local function foretells(o, level, keys, by_key)
  for trial = 1, CHECKS do
    local list, taken, seen, too_many = {}, {}, {}, trial % 2 == 0
    for i = 1, math.min(#keys, 1 + trial // 4) do
      local key, before = keys[math.random(#keys)], #list
      local wanted = i == 1 and too_many and level.ways + 1 or level.ways
      for k = 1, taken[key] and 0 or wanted do spread(o, list, seen, by_key[key][k]) end
      taken[key] = true
      if i == 1 and #list - before < wanted then too_many = false end
    end
    local fits = asks(o, level, list)
    if fits ~= nil and fits == too_many then return false end
  end
  return true
end

-- The last test: what the structure foretells about fresh lists. Each set by itself holds `ways` lines
-- and no more, and shares nothing with the set that was looked at; random lists fit where no set has
-- too many. nil: it agrees; else the reason.
local function disagreement(o, level)
  local by_key, keys, complete = dealt(level, level.ways + 1)
  if not complete then return "too few lines of each set lie within reach" end
  local asked = 0
  for i = 1, math.min(#keys, CENSUS_SETS) do
    local fits = asks(o, level, by_key[keys[i]])
    if fits then return "some sets hold more lines than others" end
    if fits == false then asked = asked + 1 end
  end
  if asked == 0 and #o.nears > 0 then return "the nearer caches cannot be cleared without its sets", true end
  local others, reason = strangers(o, level, keys, by_key)
  if reason then return reason end
  if others < 0.9 * (level.sets - 1) then
    return "whether its sets are as many as they seem is hidden by nearer caches", true
  end
  if not foretells(o, level, keys, by_key) then return "a fresh list does not behave as foretold" end
  return nil
end

-- Many sets filled at once, and one line more. Where lines leave at random so long a list takes too many
-- passes to settle: each set by itself has then to do.
local function capacity_holds(o, level)
  if not level.steady then return true end
  local by_key, keys = dealt(level, level.ways + 1)
  local list = {}
  for i = 1, math.min(#keys, math.max(2, TOGETHER // level.ways)) do
    for k = 1, level.ways do list[#list + 1] = by_key[keys[i]][k] end
  end
  local extra = lists.plus(list, by_key[keys[1]][level.ways + 1])
  return asks(o, level, list) ~= false and not asks(o, level, extra)
end

-- What stands behind each visit of a policy's trace, so that the nearer levels do not answer:
-- behind(i) for visit i. nil and the reason: there is no such thing.
local function cleared_between(o, level, own, visits)
  if #o.nears == 0 then return function() return {} end end
  local home, words = level.fn.key(own[1]), flood.words(o.nears, o.word)
  local floods = flood.between(o.nears, own, (visits + words - 1) // words, 0, o.limit,
                               function(address) return level.fn.key(address) == home end)
  if not floods then return nil, "the nearer caches cannot be cleared without its sets" end
  return function(i)
    local list, word = {}, (i - 1) % words
    for k, address in ipairs(floods[(i - 1) // words + 1]) do list[k] = address + word * o.word end
    return list
  end
end

local function find_policy(o, level)
  local ways, own = level.home_ways, level.conflict
  if #o.nears > 0 then
    if not level.fn then return { doubt = "nearer caches hide which of its lines are visited" } end
    own = members_of(o, level, own[1], ways + 1)
    if #own <= ways then return { doubt = "too few lines of a set lie within reach" } end
  end
  local words, behind, reason = math.min(8, math.max(1, (level.sector or level.line) // o.word))
  repeat
    behind, reason = cleared_between(o, level, own, (ways + 1) * words)
    if not behind then words = words // 2 end
  until behind or words < 2
  if not behind then return { doubt = reason } end
  local function trace(sequence, warm, passes)
    local used, list, at = {}, {}, {}
    for i, x in ipairs(sequence) do
      used[x] = (used[x] or -1) + 1
      list[#list + 1] = own[x] + used[x] * o.word
      at[i] = #list
      for _, address in ipairs(behind(i)) do list[#list + 1] = address end
    end
    local latencies, hits = o.probe(list, warm, passes), {}
    for pass = 0, passes - 1 do
      for i = 1, #sequence do
        local missed = o.miss(latencies[pass * #list + at[i]])
        if missed ~= nil and missed ~= "nearer" then hits[pass * #sequence + i] = not missed end
      end
    end
    return hits
  end
  return replacement.policy(ways, words, trace, 1 + #behind(1))
end

local function find_structure(o, level, r)
  level.fn = function_of(r, level.conflict, level.line, level.range)
  if level.fn then
    level.sets, level.set_function = level.fn.sets, level.fn.text
    level.ways = #o.nears == 0 and #level.conflict - 1 or count_ways(o, level, r)
    if not level.ways then
      return withdraw(level, "nearer caches cannot be cleared without its sets")
    end
    level.most_ways, level.home_ways = level.ways, level.ways
    level.entries = level.ways * level.sets
    level.capacity = level.entries * level.line
    local reason, hidden = disagreement(o, level)
    if not reason and not capacity_holds(o, level) then
      reason = "it does not hold as many lines at once as its sets would"
    end
    if reason then withdraw(level, reason) end
    if hidden then return end
  end
  if not level.fn then one_by_one(o, level, r) end
  if not level.home_ways and #o.nears == 0 then level.home_ways = #level.conflict - 1 end
  if not level.sets then
    -- What nearer caches hide can look like a line.
    local reason = level.doubt.sets
    if #o.nears > 0 then level.line, level.sector = nil, nil end
    give_up(level, reason or
                   "neither address bits nor the line's number explain which lines share a set")
  end
end

-- A conflict among addresses that share their sets in all nearer levels, because few others clear
-- those; where they are too few, among more.
local function any_conflict(o, r)
  local before = 0
  for _, sets in ipairs { 1, 8, math.maxinteger } do
    local among = flood.alike(o.nears, o.granule, o.most, 1 << 18, sets)
    local conflict = #among > before and geometry.conflict(r, among, o.granule, o.longest)
    if conflict then return conflict end
    before = #among
  end
  return nil
end

-- A minimal conflict, from hasty questions first; nil and the reason why not.
local function first_conflict(o, r)
  for _, hasty in ipairs { true, false } do
    r.hasty = hasty
    local conflict = any_conflict(o, r)
    r.hasty = false
    if conflict and not residence.fits(r, conflict) then
      conflict = residence.minimal(r, conflict)
      if #conflict < 2 then return nil, "what clears the nearer caches fills a set of it" end
      r.steady = is_steady(r, conflict)
      residence.learn_patience(r, conflict)
      if residence.is_minimal(r, conflict) then return conflict end
      r.steady, r.patience = nil, nil
    elseif not hasty then
      return nil, string.format("no list of addresses within %d B is sure to overflow it", o.most)
    end
  end
  return nil, "the same list of addresses sometimes fits and sometimes does not"
end

function M.recover(o)
  local level = { doubt = {} }
  local r, reason = opened(o)
  if not r then return give_up(level, reason) end
  local conflict
  conflict, reason = first_conflict(o, r)
  if not conflict then return give_up(level, reason) end
  level.steady, level.patience = r.steady, r.patience
  set_aside(o, r, conflict)
  local line, begin = geometry.line(r, conflict, o.unit, o.limit)
  if not line then return give_up(level, "nearer caches hide where a line of it ends") end
  if begin % line ~= 0 then return give_up(level, "lines do not begin at multiples of their size") end
  level.line = line
  for i, address in ipairs(conflict) do conflict[i] = address - address % line end
  -- Floods lie in the range too: the function must be right for them.
  level.conflict, level.range = conflict, #o.nears > 0 and o.limit or o.most
  local unit = o.word
  for _, near in ipairs(o.nears) do unit = math.max(unit, near.sector or near.line) end
  level.sector = unit >= line and line or geometry.sector(r, conflict, line, unit)
  level.visited = lists.join(conflict, r.clear(conflict))
  if not level.sector then level.doubt.sector = "no visit to the first word of a line misses" end
  find_structure(o, level, r)
  if level.home_ways then
    level.policy = find_policy(o, level)
    if level.policy.doubt then level.doubt.policy = level.policy.doubt end
  else
    level.doubt.policy = level.doubt.policy or "the ways of a set are not known"
  end
  return level
end

return M
