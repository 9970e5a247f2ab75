-- One level of a hierarchy: line, sector, sets, ways, set function, capacity and policy, each with a
-- value or with the reason why the answers do not decide it (`doubt`, by name).
--
-- The steps: parts/opening.lua asks past nearer levels, geometry.lua finds the line, set_function.lua
-- the sets, predicted.lua tests them, policy.lua finds the replacement.
-- Covered by tests/runtime/cache_inference_test.cpp.

local lists = use "parts/lists"
local residence = use "parts/residence"
local geometry = use "parts/geometry"
local set_function = use "parts/set_function"
local flood = use "parts/flood"
local opening = use "parts/opening"
local predicted = use "parts/predicted"
local policy = use "parts/policy"
local ledger = use "parts/steps"
local M = {}

---@class LevelQuestion: ResidenceQuestion   how a level is asked
---@field unit integer           -- distance at which the line is looked for...
---@field granule integer        -- ...and the first conflict
---@field most integer           -- bytes that lists stay below...
---@field limit integer          -- ...and floods, which lie beyond `most`
---@field nears Level[]          -- the upper levels
---@field longest integer?       -- addresses that lists may have
---@field visits function?       -- visits(line, addresses, ways): the policy of a set with these lines, by a kernel
---@field flood_from integer?    -- where floods begin
---@field budget integer?        -- accesses that it may take, at first...
---@field in_the_end integer?    -- ...and asked once more

---@class Level                  what is known of a level
---@field doubt table<string, string>   -- why a quantity has no value
---@field told table<string, string>?   -- how else than by its sets one was found
---@field steps string[]         -- the derivation (parts/steps.lua)
---@field line integer?
---@field sector integer?
---@field coarse boolean?        -- an upper level fetches as much as a line...
---@field coarse_sector boolean? -- ...or a sector at once, which may be less
---@field hinted boolean?        -- the driver may let a miss bring in more than a sector
---@field ways integer?
---@field most_ways integer?     -- of the largest set
---@field ways_of integer[]?     -- of each set, by key...
---@field set_sizes integer[]?   -- ...and in descending order
---@field home_ways integer?     -- of the conflict's set
---@field sets integer?
---@field sets_low integer?      -- the interval, where their number follows from a share
---@field sets_high integer?
---@field fn table?              -- the set function (parts/set_function.lua, set_form.lua)...
---@field set_function string?   -- ...in words
---@field entries integer?
---@field capacity integer?
---@field capacity_low integer?
---@field capacity_high integer?
---@field counted string?        -- how the capacity follows
---@field whole table?           -- what parts/whole_l2.lua found
---@field policy table?          -- { name }, { none }, { shares } or { doubt }
---@field hit table?             -- latency
---@field operator string?       -- the loads' that it was asked by
---@field question LevelQuestion?   -- the nearest level's, so that it can be asked again
---@field unfinished boolean?    -- the accesses ended before it was decided
---@field tested boolean?        -- its sets predicted fresh lists
---@field within integer?        -- bytes that its set function is known in, where lists of the walk are not all
---@field conflict integer[]?    -- a minimal eviction set...
---@field visited integer[]?     -- ...with what clears upper levels beside it
---@field range integer?         -- bytes that the set function holds for
---@field steady boolean?        -- as Residence has them
---@field stuck boolean?
---@field patience integer?
---@names level: Level, near: Level, o: LevelQuestion, r: Residence

local SMALL = 192          -- lines of a cache whose sets are told apart one by one
local ELSEWHERE = 3        -- further times that a farther level is asked about with other floods
local WHOLE = 2            -- of these floods, beside the whole of which it is asked about, too
local SMALL_WORD = 16      -- bytes: words of lines are nearer to each other, those of pages farther apart
local CHECKS = 24          -- random addresses that a conclusion must predict

local STRUCTURE = { "ways", "sets", "capacity", "entries", "set_bits", "set_sizes" }
local GEOMETRY = { "line", "ways", "sets", "capacity", "sector", "policy" }

local function give_up(level, reason)
  for _, what in ipairs(GEOMETRY) do
    if level[what] == nil then level.doubt[what] = level.doubt[what] or reason end
  end
  return level
end

local function withdraw(level, reason)
  for _, what in ipairs { "ways", "sets", "capacity", "policy", "set_sizes", "ways_of", "fn", "most_ways",
                           "home_ways", "entries", "set_function" } do
    level[what] = nil
  end
  return give_up(level, reason)
end

-- One more of the level's steps, to these quantities.
local function say(level, quantities, text, ...)
  ledger.say(level.steps, "resident working sets: " .. string.format(text, ...), quantities)
end

-- A level of which nothing is known, and why.
function M.undecided(reason) return give_up({ doubt = {}, steps = ledger.new() }, reason) end

-- A level whose recovery ended before its time: what was tested holds, and nothing else.
function M.cut_short(level, behind_others, reason)
  if level.tested then return give_up(level, reason) end
  if behind_others then level.line, level.sector = nil, nil end
  return withdraw(level, reason)
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

-- The set function that predicts which lines share the conflict's set. `refuted`: not by the line's number. One such
-- may predict the lines of one set and be wrong of the others: 2^n + 1 does where halves of n bits are combined.
local function function_of(r, conflict, line, range, limit, refuted)
  local linear_top = lists.log2(range - 1)
  local fn = not refuted and modulo(r, conflict, line, range)
  local by_number = fn and set_function.holds(r, conflict, line, fn, range, CHECKS)
  if by_number and not (lists.is_power_of_2(fn.sets) and lists.is_power_of_2(line)) then return fn end
  local linear = set_function.linear(r, conflict, line, linear_top, limit)
  if linear and by_number and linear.sets > fn.sets then return fn end
  if linear and set_function.holds(r, conflict, line, linear, range, CHECKS) then return linear end
  return by_number and fn or nil
end

-- The level asked by lists of its lines, each visited at all lines of nearer levels within it, so that lists
-- that fill it clear those by themselves. every(list): what is visited for a list.
local function in_parts(o, level)
  local part = level.line
  for _, near in ipairs(o.nears) do part = math.min(part, near.line) end
  local each = level.line // part
  local function every(list)
    local out = {}
    for _, address in ipairs(list) do
      for k = 0, each - 1 do out[#out + 1] = address + k * part end
    end
    return out
  end
  local asked = {}
  for name, value in pairs(o) do asked[name] = value end
  asked.kept = o.kept // each
  function asked.probe(list, warm, passes)
    local out = {}
    for i, latency in ipairs(o.probe(every(list), warm, passes)) do
      if (i - 1) % each == 0 then out[#out + 1] = latency end
    end
    return out
  end
  return asked, every
end

-- Whether what is left of some lines without any one of the parts that are left out clears nearer levels.
local function clear_themselves(o, every, base)
  for _, part in ipairs(#o.nears > 0 and geometry.parts(#base) or {}) do
    local rest = lists.join(lists.slice(base, 1, part[1] - 1), lists.slice(base, part[2] + 1, #base))
    local missing = flood.around(o.nears, every(rest), o.flood_from, o.limit)
    if not missing or #missing > 0 then return false end
  end
  return true
end

-- Whether lines that are side by side fill the cache: there is no room for any others. Where bits 20 to 24 choose the set,
-- the first lines fill one of 32 sets.
local function is_full(r, base, level)
  for _ = 1, CHECKS do
    local x = set_function.random_line(level.line, level.range, function() return true end)
    local taken = lists.plus(base, x)
    for _, address in ipairs(base) do
      if address == x then taken = nil end
    end
    if taken and residence.fits(r, taken) then return false end
  end
  return true
end

-- A small cache of unknown function: its sets are told apart one by one. Lists that fill it clear
-- nearer caches by themselves, so that no flood takes part.
local function one_by_one(o, level, conflict_of)
  local asked, every = in_parts(o, level)
  local r = residence.new(asked)
  r.steady, r.patience, r.stuck = level.steady, level.patience, level.stuck
  local base, beyond = geometry.fill(r, level.line, SMALL, level.range, o.longest and o.longest // #every { 0 })
  if not base or not clear_themselves(o, every, base) then return end
  local sets = geometry.classify(r, base, beyond)
  if not sets or not is_full(r, base, level) then return end
  level.entries, level.sets, level.capacity = #base, #sets, #base * level.line
  level.set_sizes, level.ways_of = {}, {}
  local slots = {}
  for s, members in ipairs(sets) do
    level.set_sizes[s], level.ways_of[s] = #members, #members
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

-- Sets, ways and capacity by the level's set function: nil, or why it is wrong. The second value: nearer caches hide
-- whether it is.
local function by_function(o, level, r)
  level.sets, level.set_function = level.fn.sets, level.fn.text
  level.ways = #o.nears == 0 and #level.conflict - 1 or predicted.count_ways(o, level, r)
  if not level.ways then return "upper levels cannot be cleared without its sets", true end
  level.most_ways, level.home_ways = level.ways, level.ways
  level.entries = level.ways * level.sets
  level.capacity = level.entries * level.line
  local reason, hidden = predicted.disagreement(o, level)
  if reason or predicted.capacity_holds(o, level) then return reason, hidden end
  return "it does not hold as many lines at once as its sets would"
end

local function find_structure(o, level, r)
  local reason, hidden
  for _, refuted in ipairs { false, true } do
    level.fn = function_of(r, level.conflict, level.line, level.range, o.limit, refuted)
    if not level.fn then break end
    reason, hidden = by_function(o, level, r)
    say(level, STRUCTURE, "%s: %d sets of %s lines; fresh lists of single sets, of many and of random lines %s",
        level.fn.text, level.fn.sets, level.ways or "so many", reason and "say: " .. reason or "behave as that predicts")
    if not reason or hidden or level.fn.kind ~= "modulo" then break end
  end
  if reason then withdraw(level, reason) end
  if hidden then return end
  level.tested = level.fn ~= nil
  if not level.fn then
    one_by_one(o, level, r)
    level.tested = level.sets ~= nil
  end
  if not level.home_ways and #o.nears == 0 then level.home_ways = #level.conflict - 1 end
  if level.ways == 1 then level.home_ways = 1 end
  if not level.sets then
    -- What nearer caches hide can look like a line.
    if #o.nears > 0 then level.line, level.sector = nil, nil end
    give_up(level, level.doubt.sets or "neither address bits nor the line's number explain which lines share a set")
  end
end

-- The conflict by the addresses at which its lines begin. Where a line is several of a nearer level, these may be of other
-- sets there: then what clears those may lie in the conflict's set, which needs fewer members beside it.
local function at_begins(o, r, conflict, line)
  local begins, moved = {}, false
  for i, address in ipairs(conflict) do
    begins[i] = address - address % line
    moved = moved or begins[i] ~= address
  end
  if not moved or #o.nears == 0 or residence.is_minimal(r, begins) or residence.fits(r, begins) then return begins end
  local fewer = residence.minimal(r, begins)
  if #fewer < 2 or not residence.is_minimal(r, fewer) then return begins end
  opening.set_aside(o, r, fewer)
  return fewer
end

-- All but the policy, asked through one residence. `whole`: as opening.first_conflict() has it.
local function find_geometry(o, level, r, whole)
  local conflict, reason = opening.first_conflict(o, r, whole)
  if not conflict then return give_up(level, reason) end
  say(level, { "ways" }, "a list of %d lines misses in every pass, and fits without any one: they share a set", #conflict)
  level.steady, level.patience, level.stuck = r.steady, r.patience, r.stuck
  opening.set_aside(o, r, conflict)
  local line, begin = geometry.line(r, conflict, o.unit, o.limit)
  local smaller = not line and #o.nears > 0 and opening.beside_all(r, conflict)
  if smaller then
    conflict = smaller
    line, begin = geometry.line(r, conflict, o.unit, o.limit)
  end
  if not line then return give_up(level, "upper levels hide where a line of it ends") end
  -- Seen on an H100, whose texture unit answers lists of up to three words 8 clocks sooner.
  if line <= o.word and o.word < SMALL_WORD then
    level.doubt.latency = "the fastest level holds single words, which no cache does"
    return give_up(level, level.doubt.latency)
  end
  if begin % line ~= 0 then return give_up(level, "lines do not begin at multiples of their size") end
  local unit = o.word
  for _, near in ipairs(o.nears) do unit = math.max(unit, near.sector or near.line) end
  -- A nearer cache asks for so much at once. Behind one of 20 ways that chooses at random 8 B were a line. Pages of a second
  -- translation buffer may be smaller.
  if line < unit and o.word < SMALL_WORD then
    return give_up(level, string.format("upper levels request %d B at once, and a line seems to have %d B: they hide where one ends",
                                        unit, line))
  end
  level.line = line
  say(level, { "line", "page", "sector" }, "each can be moved within %d B without a change, and not beyond: a line", line)
  conflict = at_begins(o, r, conflict, line)
  -- Floods lie in the range too: the function must be right for them.
  level.conflict, level.range = conflict, #o.nears > 0 and o.limit or o.most
  level.visited = lists.join(conflict, r.clear(conflict))
  level.sector = unit >= line and line or geometry.sector(r, conflict, line, unit)
  -- A nearer level that asks for whole lines of its own hides smaller ones.
  level.coarse = #o.nears > 0 and line == unit
  level.coarse_sector = #o.nears > 0 and level.sector == unit
  if not level.sector then level.doubt.sector = "no visit to the first word of a line misses" end
  find_structure(o, level, r)
end

-- Asks about a level whose sets are not found beside all that clears nearer levels. Nothing that was found is lost, also
-- where the accesses end.
local function beside_whole_flood(o, level, skip)
  local r, found = opening.opened(o, skip), { doubt = {}, steps = ledger.new() }
  if not r then return end
  find_geometry(o, found, r, true)
  if not found.sets then return end
  for name in pairs(level) do level[name] = nil end
  for name, value in pairs(found) do level[name] = value end
end

-- Fills `level`, undecided() at first. The addresses that clear upper levels may lie in the sets of a
-- conflict. If nothing follows, the search is repeated with other such addresses.
function M.recover(o, level)
  for skip = 0, #o.nears > 0 and ELSEWHERE or 0 do
    local r, reason = opening.opened(o, skip)
    if not r and skip == 0 then return give_up(level, reason) end
    if r then
      for name in pairs(level) do level[name] = nil end
      level.doubt, level.steps = {}, ledger.new()
      find_geometry(o, level, r)
    end
    if r and not level.sets and skip < WHOLE and #o.nears > 0 then beside_whole_flood(o, level, skip) end
    if level.sets or not r then break end
  end
  if level.home_ways then
    level.policy = policy.find(o, level)
    if level.policy.doubt then level.doubt.policy = level.policy.doubt end
  else
    level.doubt.policy = level.doubt.policy or "the ways of a set are not known"
  end
end

return M
