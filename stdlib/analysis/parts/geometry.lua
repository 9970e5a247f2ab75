-- Geometry of a cache level from residence alone: a first conflict, the line around one of its
-- members, the sector, and the sets of a cache whose function is not known. Covered by
-- tests/runtime/cache_inference_test.cpp.

local lists = use "parts/lists"
local residence = use "parts/residence"
local M = {}
---@names near: Level, r: Residence

-- Addresses of the first lists that are tried: few and far apart; then, because a set function may spread
-- those over all sets, at random: so many, so many times more, at most so many. Of those between that differ
-- in a few bits only, because some bits leave the sets of a function of bits alone: so many, so many draws.
local SPREAD, SCATTERED, IN_BITS = { 64, 512 }, { 1024, 1.35, 40000 }, { 1800, 24 }

-- `count` different ones of a list, in random order; all of them if there are fewer.
local function some_of(list, count)
  local drawn = lists.slice(list, 1, #list)
  for i = 1, math.min(count, #drawn) do
    local k = math.random(i, #drawn)
    drawn[i], drawn[k] = drawn[k], drawn[i]
  end
  return lists.slice(drawn, 1, math.min(count, #drawn))
end

-- `count` addresses, `granule` apart, whose numbers differ in as few bits as so many can, drawn among those
-- below `most`.
local function in_some_bits(count, granule, most)
  local bits, drawn = lists.log2(most // granule), {}
  local all = {}
  for bit = 0, bits - 1 do all[bit + 1] = bit end
  for _, bit in ipairs(some_of(all, lists.log2(count - 1) + 1)) do drawn[#drawn + 1] = bit end
  table.sort(drawn)
  local out = {}
  for i = 0, math.min(count, 1 << #drawn) - 1 do
    local number = 0
    for k, bit in ipairs(drawn) do number = number | (i >> k - 1 & 1) << bit end
    out[i + 1] = number * granule
  end
  return out
end

local function conflict_in_bits(r, granule, most)
  local count, draws = table.unpack(IN_BITS)
  for _ = 1, draws do
    local conflict = residence.conflict(r, in_some_bits(count, granule, most))
    if conflict then return conflict end
  end
  return nil
end

-- How many of ascending addresses lie below `size`, where `least` do.
local function members_below(among, least, size)
  local most = #among
  while least < most do
    local middle = (least + most) // 2
    if among[middle + 1] < size then least = middle + 1 else most = middle end
  end
  return least
end

-- A conflict; `among` are the addresses that may be used, in ascending order, `granule` or more apart,
-- at most `longest` of them in a list.
function M.conflict(r, among, granule, longest)
  longest = longest or SCATTERED[3]
  for _, each in ipairs(SPREAD) do
    local count = math.min(each, longest // 2)
    local size, before = 16 * granule, 0
    while before < #among do
      local below, list = members_below(among, before, size), {}
      if below == #among or below > count // 2 then
        for i = 1, below, math.max(1, below // count) do list[#list + 1] = among[i] end
      end
      local conflict = #list > 1 and residence.conflict(r, list)
      if conflict then return conflict end
      size, before = size * 2, below
    end
  end
  local count, times, most = table.unpack(SCATTERED)
  count, most = math.min(count, longest), math.min(most, longest + 1)
  local bits_left = #r.nears == 0
  while count < most do
    -- Longer lists are observed less well: before them.
    if count > r.kept and bits_left then
      bits_left = false
      local conflict = conflict_in_bits(r, granule, among[#among])
      if conflict then return conflict end
    end
    local conflict = residence.conflict(r, some_of(among, math.floor(count)))
    if conflict or count >= #among then return conflict end
    count = count * times
  end
  return nil
end

-- Whether a full set has room beside what is visited only to clear the sets that `addresses` touch in
-- nearer levels: without that their coming would prove nothing.
local function clears_beside(r, conflict, addresses)
  if #r.nears == 0 then return true end
  local names = {}
  for i, near in ipairs(r.nears) do
    local seen, keys = {}, {}
    for _, address in ipairs(addresses) do
      local key = near.fn.key(address)
      if not seen[key] then seen[key], keys[#keys + 1] = true, key end
    end
    table.sort(keys)
    names[i] = table.concat(keys, ",")
  end
  r.beside = r.beside or {}
  local name = conflict[1] .. "/" .. conflict[#conflict] .. "/" .. table.concat(names, ";")
  if r.beside[name] == nil then
    r.beside[name] = residence.fits(r, lists.without(conflict, 1), {}, lists.plus(addresses, conflict[1]))
  end
  return r.beside[name]
end

-- Whether some addresses have room beside what clears nearer levels, without the conflict: one that has none is
-- of a set that is full of that, which the conflict's is not.
local function beside_flood(r, conflict, addresses)
  return #r.nears == 0 or residence.fits(r, {}, addresses, conflict)
end

-- Whether the conflict fits with `addresses` in place of its first member, beside what clears for that one, too: it may
-- take a way of the set, which else came free.
local function stand_in(r, conflict, addresses)
  return residence.fits(r, lists.without(conflict, 1), addresses, { conflict[1] })
end

-- x belongs to the conflict's set if it can stand in for a member. The second value: whether that
-- could be seen.
function M.in_set(r, conflict, x)
  if not clears_beside(r, conflict, { x }) then return false, false end
  local fits, known = stand_in(r, conflict, { x })
  if not fits and known and not beside_flood(r, conflict, { x }) then return false, true end
  return not fits, known
end

-- Addresses in groups of which no two lie in one line of a nearer level: the second would be hidden.
local function unhidden(nears, addresses)
  local groups = { {} }
  local rank = {}
  for _, address in ipairs(addresses) do
    local last = 0
    for i, near in ipairs(nears) do
      rank[i] = rank[i] or {}
      last = math.max(last, rank[i][address // near.line] or 0)
    end
    for i, near in ipairs(nears) do rank[i][address // near.line] = last + 1 end
    groups[last + 1] = groups[last + 1] or {}
    table.insert(groups[last + 1], address)
  end
  return groups
end

-- Those of some addresses that have room beside what clears nearer levels.
local function with_room(r, conflict, addresses)
  if #addresses == 0 or beside_flood(r, conflict, addresses) then return addresses end
  if #addresses == 1 then return {} end
  local half = #addresses // 2
  return lists.join(with_room(r, conflict, lists.slice(addresses, 1, half)),
                    with_room(r, conflict, lists.slice(addresses, half + 1, #addresses)))
end

-- Is any of `addresses` in the set? They must fit by themselves. nil: it cannot be seen.
function M.any_in_set(r, conflict, addresses)
  for _, group in ipairs(#r.nears == 0 and { addresses } or unhidden(r.nears, addresses)) do
    if not clears_beside(r, conflict, group) then return nil end
    if not stand_in(r, conflict, group) then
      local left = with_room(r, conflict, group)
      if #left == #group then return true end
      if #left > 0 and not stand_in(r, conflict, left) then return true end
    end
  end
  return false
end

-- The conflict's member `at` and y share a line: y can stand in for it, but the two together take
-- one way, so that another member can go without a miss. nil: nearer caches hide it.
local function same_line(r, conflict, at, y)
  for _, address in ipairs(conflict) do
    if address == y then return false end   -- members lie in different lines
  end
  local other = at == 1 and #conflict or 1
  local alone, first_known = residence.fits(r, lists.without(conflict, at), { y }, conflict)
  if not first_known then return nil end
  if alone then return false end
  if #r.nears > 0 then
    -- What clears beside y may take ways that what clears beside the conflict does not.
    local beside = lists.plus(conflict, y)
    if not residence.fits(r, lists.without(conflict, other), {}, beside) then return nil end
  end
  local both, known = residence.fits(r, lists.without(conflict, other), { y }, conflict)
  if not known then return nil end
  return both
end

-- How far (in steps of `unit`) the line of member `at` reaches in one direction; nil as above.
local function extent(r, conflict, at, unit, direction, most)
  local x, inside, outside, hidden = conflict[at], 0, unit, false
  local function reaches(distance)
    local y = x + direction * distance
    if y < 0 or y + unit > most then return false end
    local same = same_line(r, conflict, at, y)
    hidden = hidden or same == nil
    return same
  end
  while reaches(outside) do inside, outside = outside, outside * 2 end
  while outside - inside > unit do
    local mid = (inside + outside) // (2 * unit) * unit
    if reaches(mid) then inside = mid else outside = mid end
  end
  return not hidden and inside or nil
end

-- The size of a line, and the address at which the line of one member begins; nil: hidden.
function M.line(r, conflict, unit, most)
  local at, best = 1, -1
  for i, address in ipairs(conflict) do
    local aligned = address == 0 and math.maxinteger or address & -address
    if aligned > best then at, best = i, aligned end
  end
  local after = extent(r, conflict, at, unit, 1, most)
  local before = extent(r, conflict, at, unit, -1, most)
  if not after or not before then return nil end
  return after + before + unit, conflict[at] - before
end

-- The fill size: bytes that one miss loads. After a miss on the first word of a line, the word at distance d
-- misses too if it lies in another sector; a visit that hits says nothing. nil: never seen to miss.
function M.sector(r, conflict, line, unit)
  local function missed_at(distance)
    local list, both, first = {}, 0, 0
    for _, address in ipairs(conflict) do
      list[#list + 1] = address
      list[#list + 1] = address + distance
    end
    local visited = lists.join(list, r.clear(list))
    local latencies = r.probe(visited, 2, 24)
    for pass = 0, 23 do
      for i = 1, #list, 2 do
        local here = pass * #visited + i
        local second = r.miss(latencies[here + 1])
        if r.miss(latencies[here]) == true and second ~= nil and second ~= "nearer" then
          first = first + 1
          if second then both = both + 1 end
        end
      end
    end
    return first > 0 and both / first or nil
  end
  local distance = unit
  while distance < line do
    local share = missed_at(distance)
    if not share then return nil end
    if share > 0.5 then return distance end
    distance = distance * 2
  end
  return line
end

-- Lines that fill every set of a small cache: taken one after another as long as they fit. nil if
-- that takes more than `most` lines, or lines beyond `range` bytes. `longest`: lines that a list may have (no limit).
function M.fill(r, line, most, range, longest)
  local list = {}
  for k = 0, math.min(2 * most, range // line - 1, (longest or math.huge) - 1) do list[#list + 1] = k * line end
  local at = residence.overflow(r, list)
  if not at or at > most then return nil end
  local base, beyond = lists.slice(list, 1, at - 1), {}
  local refused = 0
  for k = at, math.min(4 * at + 64, range // line - 1) do
    local x = k * line
    if (residence.fits(r, lists.plus(base, x))) then
      base[#base + 1] = x
      refused = 0
      if #base > most then return nil end
    else
      refused = refused + 1
      beyond[#beyond + 1] = x
      if refused > #base + 16 then break end
    end
  end
  return base, beyond
end

local PARTS = 8   -- of a full cache, that are left out to see whether a set has lines there

-- The first and the last of each part of `count` lines.
function M.parts(count)
  local out, each = {}, math.max(1, count // PARTS)
  for from = 1, count, each do out[#out + 1] = { from, math.min(count, from + each - 1) } end
  return out
end

-- Which lines of a full cache `base` share a set with x, a line beyond it: those without which there
-- is room for x. Groups without one are passed over.
local function companions(r, base, x)
  local function room_without(from, to)
    local list = {}
    for i, address in ipairs(base) do
      if i < from or i > to then list[#list + 1] = address end
    end
    return (residence.fits(r, lists.plus(list, x)))
  end
  local found = {}
  local function search(from, to)
    if not room_without(from, to) then return end
    if from == to then found[#found + 1] = from return end
    local mid = (from + to) // 2
    search(from, mid)
    search(mid + 1, to)
  end
  for _, part in ipairs(M.parts(#base)) do search(part[1], part[2]) end
  return found
end

-- The known set that x, a line beyond a full cache, belongs to: there is room for x without any one of
-- its lines.
local function known_set(r, base, sets, x)
  for s, members in ipairs(sets) do
    local list = {}
    for _, address in ipairs(base) do
      if address ~= members[1] then list[#list + 1] = address end
    end
    if residence.fits(r, lists.plus(list, x)) then return s end
  end
  return nil
end

-- The sets of a full cache, as lists of its lines, and the set of each line. nil: some line of `base`
-- is in no set that a line of `beyond` belongs to, or in two.
function M.classify(r, base, beyond)
  local set_of, sets, left = {}, {}, #base
  for _, x in ipairs(beyond) do
    if left == 0 then break end
    if not known_set(r, base, sets, x) then
      local found = companions(r, base, x)
      if #found == 0 then return nil end
      sets[#sets + 1] = {}
      for _, i in ipairs(found) do
        if set_of[i] then return nil end
        set_of[i] = #sets
        table.insert(sets[#sets], base[i])
        left = left - 1
      end
    end
  end
  if left > 0 then return nil end
  return sets, set_of
end

return M
