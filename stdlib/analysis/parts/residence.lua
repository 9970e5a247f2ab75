-- Residence: which sets of addresses a cache can hold at once.
--
-- A cache's geometry follows from one question whose answer no replacement policy changes: does a
-- list of addresses, visited round and round, come to rest without a miss? It does if and only if no
-- set is asked to hold more lines than it has ways. Covered by
-- tests/runtime/cache_inference_test.cpp.

local lists = use "parts/lists"
local M = {}

local MOST_OBSERVED = 1 << 19   -- accesses of one question

---@class ResidenceQuestion
---@field probe fun(list: integer[], warm: integer, passes: integer): number[]   -- latencies, after `warm` passes
---@field miss fun(latency: number): boolean|string|nil   -- "nearer": a hit of an upper level; nil: an outlier
---@field strays number?        -- the share of hits that look like misses
---@field word integer          -- bytes between two addresses of a line that can both be visited
---@field kept integer          -- accesses of a launch whose latencies stay in shared memory

---@class Residence: ResidenceQuestion
---@field clear fun(list: integer[]): integer[]   -- visited after a list, so that upper levels lose it
---@field flood_counts boolean  -- whether a miss on that counts as one of the list
---@field nears Level[]         -- the upper levels, which that clears...
---@field flood integer[]?      -- ...all of them...
---@field groups table?         -- ...and each of their sets
---@field beside table?         -- what is known of full sets beside that (geometry.lua)
---@field steady boolean?       -- lines leave in the order of their use or their coming
---@field stuck boolean?        -- a line may stay for ever while others are visited in one order, as tree-PLRU does
---@field patience integer?     -- passes in which a list that fits comes to rest; nil: not known yet
---@field hasty boolean?        -- fewer passes decide
---@names r: Residence, o: ResidenceQuestion

---@return Residence
function M.new(o, clear)
  return { probe = o.probe, miss = o.miss, strays = o.strays or 0, word = o.word, kept = o.kept,
           clear = clear or function() return {} end, flood_counts = true, nears = {} }
end

-- What is visited for a list, and how much of it clears. `apart` are addresses that nearer caches must
-- not answer because of the list: the same lines, cleared once more, stand behind them. `touch` are
-- addresses whose sets are cleared as if they were visited.
local function route(r, list, apart, touch)
  local flood = r.clear(lists.join(lists.join(list, apart), touch))
  local visited = lists.join(list, flood)
  if #apart == 0 then return visited, #flood end
  visited = lists.join(visited, apart)
  local second = {}
  for i, address in ipairs(flood) do second[i] = address + r.word end
  return lists.join(visited, second), #flood
end

-- Observes passes over a list: where all of them are more than what an SM keeps of a launch, in several
-- launches, because a longer record goes through the caches that are asked about.
local function observe(r, visited, warm, passes)
  local kept = math.max(1, r.kept // #visited)
  if kept >= passes or #visited > r.kept then return r.probe(visited, warm, passes) end
  local out = {}
  for from = 1, passes, kept do
    local again = from > 1 and math.min(warm, 2) or warm   -- it has come to rest before
    for _, latency in ipairs(r.probe(visited, again, math.min(kept, passes - from + 1))) do
      out[#out + 1] = latency
    end
  end
  return out
end

-- What some passes over a list show: `clean` ones, in which nothing missed or was hidden by a nearer
-- level; `clear` ones, in which nothing missed and little was hidden; `missed` ones; whether some
-- place missed in all of them (`always`), and whether some place was mostly hidden.
local function look(r, visited, place, warm, passes)
  local latencies = observe(r, visited, warm, passes)
  local seen = { clean = 0, clear = 0, missed = 0, always = false, hidden = false, passes = passes }
  local misses, hides, listed = {}, {}, 0
  for i = 1, #visited do
    if place[i] == "list" then listed = listed + 1 end
  end
  for pass = 0, passes - 1 do
    local missed, hidden = 0, 0
    for i = 1, #visited do
      if place[i] then
        local answer = r.miss(latencies[pass * #visited + i])
        if answer == true then
          missed, misses[i] = missed + 1, (misses[i] or 0) + 1
          seen.always = seen.always or misses[i] == passes
        elseif answer == "nearer" and place[i] == "list" then
          hidden, hides[i] = hidden + 1, (hides[i] or 0) + 1
          seen.hidden = seen.hidden or 2 * hides[i] > passes
        end
      end
    end
    if missed > 0 then seen.missed = seen.missed + 1
    elseif hidden == 0 then seen.clean = seen.clean + 1
    elseif hidden <= 0.15 * listed then seen.clear = seen.clear + 1 end
  end
  return seen
end

-- Passes that a list is given to settle, in turn. Where what a cache held before is thrown out at
-- random, or in the order in which it came, the last stale lines can take many.
local function warmings(r, length)
  local most = math.min(256, 65536 // length)
  if r.hasty or most <= 16 then return { 8 } end
  if r.patience then return { math.min(most, r.patience) } end
  return { 8, most }
end

-- Of two clean passes none can be a list's that does not fit. A clear one is, where the line that
-- misses happens to be hidden: seldom four times, unless it mostly is.
local function settles(seen)
  return seen.clean >= 2 or seen.clean + seen.clear >= 4 and not seen.hidden
end

-- What is looked at of a visited list: "list" for its addresses, "flood" for what clears and counts.
local function places(r, visited, first, flood, apart)
  local place, from = {}, first + flood
  for i = 1, #visited do
    place[i] = (i <= first or i > from and i <= from + apart) and "list" or
               r.flood_counts and "flood"
  end
  return place
end

local function reversed(list)
  local out = {}
  for i = #list, 1, -1 do out[#out + 1] = list[i] end
  return out
end

-- A list in random order, and then as it is: what has settled has settled in both.
local function in_two_orders(visited, place)
  local order, list, seen_at = {}, {}, {}
  for i = 1, #visited do table.insert(order, math.random(i), i) end
  for n = 1, 2 * #visited do
    local i = order[n] or n - #visited
    list[n], seen_at[n] = visited[i], place[i]
  end
  return list, seen_at
end

-- Does the list come to rest? The second value is false where nearer caches hid the answer, or could
-- have: then the first is only a guess.
--
-- A list that fits may need some passes to settle, and a late answer may look like a miss: two clean
-- passes of many are asked for. A list that does not fit has a miss in every pass, whatever the
-- policy. Where lines leave in the order of their use or their coming, a line of a list that fits misses
-- once at most: one that misses in every pass proves the contrary. Where they leave in the order of their
-- coming and came in the opposite order of the list, one stale line leaves in a pass; all of them do where
-- the list is visited the other way round, which is tried second.
function M.fits(r, list, apart, touch)
  apart = apart or {}
  local visited, flood = route(r, list, apart, touch or {})
  if #visited == 0 then return true, true end
  local place = places(r, visited, #list, flood, #apart)
  local seen = look(r, visited, place, 2, 2)
  if seen.clean == 2 then return true, true end
  if r.steady and seen.always then return false, true end
  local passes = math.min(64, math.ceil(8 * math.exp(math.min(4, r.strays * #visited))))
  passes = math.min(passes, math.max(2, MOST_OBSERVED // #visited))
  for turn, warm in ipairs(warmings(r, #visited)) do
    local back = turn == 1
    seen = look(r, back and reversed(visited) or visited, back and reversed(place) or place, warm, passes)
    if settles(seen) then return true, true end
    if r.steady and seen.always then return false, true end
  end
  if r.stuck then
    local twice, at = in_two_orders(visited, place)
    if settles(look(r, twice, at, 8, passes)) then return true, true end
  end
  return seen.missed < 2, seen.missed >= 2
end

-- The length of the shortest prefix of `list` that, together with `kept`, does not fit. Hasty questions
-- can take a list that has not come to rest for one that does not fit: the answer is then confirmed,
-- and where it is wrong the search goes on without haste. nil: all of it fits.
local function overflow(r, list, kept)
  local low, high = 0, #list
  local function fits(length) return M.fits(r, lists.join(kept, lists.slice(list, 1, length))) end
  while true do
    while high - low > 1 do
      local mid = (low + high) // 2
      if fits(mid) then low = mid else high = mid end
    end
    if not r.hasty then return high end
    r.hasty = false
    if not fits(high) then
      r.hasty = true
      return high
    end
    if fits(#list) then return nil end
    low, high = high, #list
  end
end

-- As above, of a list by itself.
function M.overflow(r, list)
  if M.fits(r, list) then return nil end
  return overflow(r, list, {})
end

-- The addresses of a list of which a set is asked to hold one too many that are seen to miss in up to
-- `most` passes: members of that set, not always all of them.
local function missing(r, list, most)
  local visited, passes = route(r, list, {}, {}), math.max(4, math.min(most, 512 * most // #list))
  local latencies, out = observe(r, visited, 8, passes), {}
  for i, address in ipairs(list) do
    local count = 0
    for pass = 0, passes - 1 do
      if r.miss(latencies[pass * #visited + i]) == true then count = count + 1 end
    end
    if count > 1 + 3 * r.strays * passes then out[#out + 1] = address end
  end
  return out
end

-- The same from several looks, until what is seen does not fit by itself. Lines that leave in the order of
-- their coming all miss where they came in the order of the list, else a few in each pass: what a copy
-- from the host left may have come the other way round. Of many lines that leave at random few miss in a
-- pass.
local function seen_missing(r, list)
  local seen, out = {}, {}
  for _, tried in ipairs { { list, 64 }, { reversed(list), 64 }, { list, 512 } } do
    for _, address in ipairs(missing(r, table.unpack(tried))) do
      if not seen[address] then seen[address], out[#out + 1] = true, address end
    end
    table.sort(out)
    if not M.fits(r, out) then break end
  end
  return out, seen
end

-- Leaves out what can go.
local function pruned(r, conflict)
  local i = 1
  while i <= #conflict do
    local less = lists.without(conflict, i)
    if not M.fits(r, less) then conflict = less else i = i + 1 end
  end
  return conflict
end

-- A part of `list` that does not fit, hardly larger than it must be: see minimal(). nil: all of it
-- fits, or the answers contradict each other. The longest prefix that fits leaves room for no other
-- line in one set: with the next address that set's lines miss, and no others.
--
-- Where lines leave in the order of their use, all lines of full sets miss: of a long list only those
-- are left. A list that is too long to be observed on the SM may miss only because of its record.
function M.conflict(r, list)
  if M.fits(r, list) then return nil end
  if #list > 128 then
    local full = missing(r, list, 64)
    if #full > 1 and #full < #list and not M.fits(r, full) then list = full
    elseif #list > r.kept then return nil end
  end
  local at = overflow(r, list, {})
  if not at then return nil end
  local rest = lists.slice(list, 1, at)
  local kept, is_kept = seen_missing(r, rest)
  local others = {}
  for _, address in ipairs(rest) do
    if not is_kept[address] then others[#others + 1] = address end
  end
  while M.fits(r, kept) do
    if #others == 0 then return nil end
    local next_one = overflow(r, others, kept)
    if not next_one then return nil end
    kept = lists.plus(kept, others[next_one])
    others = lists.slice(others, 1, next_one - 1)
  end
  return kept
end

-- The minimal eviction set in one: ways + 1 addresses in different lines of one set (less those of that
-- set that clear nearer caches).
function M.minimal(r, conflict)
  local out = pruned(r, conflict)
  table.sort(out)
  return out
end

-- Passes in which a list that just fits comes to rest after the set held other lines, from the parts
-- of a conflict.
function M.learn_patience(r, conflict)
  local slowest, trials = {}, 6
  for trial = 1, trials do
    r.probe(route(r, conflict, {}, {}), 4, 1)
    local visited = route(r, lists.without(conflict, (trial - 1) % #conflict + 1), {}, {})
    local passes, last = math.max(16, math.min(128, 16384 // #visited)), 0
    local latencies = r.probe(visited, 0, passes)
    for i = 1, #visited * passes do
      if r.miss(latencies[i]) == true then last = math.ceil(i / #visited) end
    end
    if last > passes // 2 and r.strays == 0 then return end
    slowest[trial] = last
  end
  table.sort(slowest)
  local last = slowest[r.strays > 0 and trials - 2 or trials]
  r.patience = last <= 2 and 4 or 8 + 4 * last
end

-- Every member of a minimal eviction set matters, and all of them together never come to rest.
function M.is_minimal(r, conflict)
  for _ = 1, 3 do
    if M.fits(r, conflict) then return false end
  end
  for i = 1, #conflict do
    -- Beside all that clears: else it may be that which takes the ways.
    local less = lists.without(conflict, i)
    if not M.fits(r, less, {}, conflict) then
      if r.stuck or #r.nears > 0 then return false end
      r.stuck, r.steady = true, nil
      if not M.fits(r, less, {}, conflict) then
        r.stuck = nil
        return false
      end
    end
  end
  return true
end

return M
