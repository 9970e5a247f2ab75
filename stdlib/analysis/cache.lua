-- cache(space = "global", cache = "ca", level = "l1", first = 1, arithmetic = 24, address = "address",
--       count = count, whole = true): the caches of a memory space, from chases that the analysis asks for as it learns.
--
-- The method proposes levels from the latencies of growing lists (parts/levels.lua), tests with
-- lists chosen so that the answer decides (parts/residence.lua, geometry, set_function,
-- replacement), and concludes only what then predicts fresh lists. Where sets do not show, line and
-- sector follow from pairs of words (parts/grain.lua). `level` asks for one level alone,
-- `first` numbers the nearest one (else l1; l2 where global loads bypass L1 or there is none), and
-- `arithmetic` is what is taken off the latencies: the clocks of an address's arithmetic; `address` names
-- a measure of that arithmetic over `count` (parts/chased.lua). With neither, of global memory, it is what
-- a chase takes more than one whose links are addresses (parts/pointers.lua). `whole` asks for the capacity of all of
-- L2, too (parts/whole_l2.lua).
-- Arguments that name measures: address.
-- Covered by tests/runtime/cache_inference_test.cpp.

local beside_lists = use "parts/beside_lists"
local cache_sets = use "parts/cache_sets"
local chased = use "parts/chased"
local grain = use "parts/grain"
local levels = use "parts/levels"
local lists = use "parts/lists"
local pointers = use "parts/pointers"
local recover = use "parts/level"
local report = use "parts/report"
local unified = use "parts/unified"
local ledger = use "parts/steps"
local whole_l2 = use "parts/whole_l2"
local M = {}

local PREFIX = { global = "", texture = "tex.", constant = "const.", ["local"] = "local." }
-- What lists and what clears nearer caches may take; constant memory has 64 KB in all.
local ROOM = { constant = { most = 44 << 10, limit = 64 << 10 } }
local PLENTY = { most = 5 << 20, limit = 8 << 20 }

local PIECE = 32          -- bytes: no line is smaller
-- Banks of constants, 64 KB each, that tell what memory takes: lines of memory differ by 20 %, so that the mean
-- of a bank's 240 is off by 1 %, of one visit by 1.2 %. The mean of so many banks is known to 0.11 %.
local BANKS = 128
local ISSUE = 2           -- clocks that the issue of a load may add to a link that is an address

-- A list in which no link stands twice: an address that is visited again is visited at another link of
-- its piece of a line, which every cache answers alike.
local function distinct(list, width)
  local taken, out = {}, {}
  for i, address in ipairs(list) do
    local piece, tries = address // PIECE * PIECE, PIECE // width
    while taken[address] and tries > 0 do
      address, tries = piece + (address + width) % PIECE, tries - 1
    end
    taken[address], out[i] = true, address
  end
  return out
end

-- How a space is asked: a function of lists, one for averages, and one of first visits to what no cache has: L2 has
-- links as they were written, and is flushed.
function M.asks(space, operator, bytes, width)
  width = width or 4
  local function request(list, warm, passes, average, flush, bank)
    return probe.chase { space = space, cache = operator, width = width, bytes = bytes,
                         offsets = distinct(list, width), warm = warm, passes = passes,
                         average = average, flush = flush, copies = bank and BANKS, copy = bank }
  end
  return request, function(list, passes) return request(list, 2, passes, true)[1] end,
         function(list, bank) return request(list, 0, 1, false, true, bank) end
end

-- Whether all of some latencies are of one class: none is faster, and hardly any slower.
local function alike(latencies, spread)
  local typical = stats.median(latencies)
  return stats.min(latencies) >= typical - spread and stats.quantile(latencies, 0.98) <= typical + spread
end

local STEADY = 0.5        -- clocks that averages of one list may differ by

-- Lists over `most` bytes, the longest first: behind what takes long the counting of the accesses hides. Last
-- one address that always hits.
local function candidates(most)
  local out = {}
  for _, count in ipairs { 2048, 512, 64 } do
    local list = {}
    for address = 0, most - 4, math.max(PIECE, most // count // PIECE * PIECE) do list[#list + 1] = address end
    out[#out + 1] = list
  end
  out[#out + 1] = { 0 }
  return out
end

-- What it costs to observe each access of a list, { clocks, error, latency }: the latency of each less the average,
-- that of further passes, because what stands around a region counts in it. nil where they do not all take alike
-- each time, or their averages differ: what sometimes hits need not hit as often in an average.
local function cost(ask, average, list, spread)
  local costs, latency, passes = {}, nil, math.max(1, 512 // #list)
  for k = 1, 5 do
    local each = ask(list, 8, passes)
    if #list > 1 and not alike(each, spread) then return nil end
    local further = (average(list, 3 * passes) * 3 - average(list, passes)) / 2
    costs[k], latency = stats.mean(each) - further, stats.median(each)
  end
  local low, high = stats.min(costs), stats.max(costs)
  if #list > 1 and high - low > STEADY then return nil end
  return { clocks = (low + high) / 2, error = (high - low) / 2, latency = latency }
end

-- What it costs to observe one access by itself. Of global memory one address is asked, bypassing L1: it takes
-- long, and always alike. Else what takes longest. `width`: the scatter of one address's latencies.
function M.overhead(space, operator, bytes, most, width)
  local ask, average = M.asks(space, space == "global" and "cg" or operator, bytes)
  local spread, best = math.max(3, 1.5 * width), nil
  for _, list in ipairs(space == "global" and { { 0 } } or candidates(most)) do
    local this = cost(ask, average, list, spread)
    if this and (not best or this.latency > best.latency + spread) then best = this end
  end
  return best
end

-- A device that is a model of chases alone reports no threads.
local function runs_kernels(device) return device.max_threads_per_block > 0 end

local function text_arg(input, name, absent)
  local value = input.args[name]
  if value == nil then return absent end
  if type(value) ~= "string" then error("the argument " .. name .. " must be a text", 0) end
  return value
end

-- A line of this size is a page: what was found is a translation buffer, whose misses look like a cache's.
local PAGE = 4096
local LEAST = 1 << 16     -- bytes that are looked at, at least
local WHOLE = 2 * PAGE    -- bytes: in a multiple of them each line has another one of its page (evict.cu)

-- Takes { clocks, error } off all latencies of a walk.
local function lessen(found, what)
  local all = {}   -- as keys: a level may be what `hit` is
  for _, one in pairs { memory = found.memory, hit = found.hit, cold = found.cold } do all[one] = true end
  for _, each in ipairs(found.levels) do
    if each.hit then all[each.hit] = true end
  end
  for one in pairs(all) do
    one.value = one.value - what.clocks
    one.low, one.high = one.low - what.clocks - what.error, one.high - what.clocks + what.error
  end
end

-- How the policy of a level is told by a kernel's visits, of addresses below `bytes`. nil: by none.
local function visits_of(space, operator, device)
  if space ~= "global" or not runs_kernels(device) then return nil end
  return function(line, addresses, ways, bytes)
    return cache_sets.policy_of(operator or "ca", device, bytes, line, addresses, ways)
  end
end

-- The levels within the bytes that are translated without a miss: where a buffer of pages is met, again
-- within its reach.
local function walk(space, operator, device, depth)
  local room = ROOM[space] or PLENTY
  local limit = math.min(room.limit, probe.most_bytes(space))
  local out, reach
  repeat
    local most = math.min(room.most, limit // 8 * 5)
    local ask = M.asks(space, operator, limit)
    out = levels.walk { probe = ask, granule = 32, unit = 4, word = 4, most = most, limit = limit,
                        page = space ~= "constant" and PAGE or nil, depth = depth,
                        visits = visits_of(space, operator, device),
                        asked_after = space == "global" and operator == "cg" and runs_kernels(device) }
    out.most = most
    if not out.overlap then
      out.observing = M.overhead(space, operator, limit, most, out.width)
      lessen(out, out.observing)
    end
    if out.translation then reach = out.translation.capacity or limit // 4 end
    limit = math.min(limit // 2, reach or 0) // WHOLE * WHOLE
  until not out.translation or limit < LEAST
  out.reach = reach
  return out
end

local GRAIN, WORD = 640 << 20, 8   -- bytes that pairs of words lie in, and of a link between them
local COLD = 0.1                   -- of the first visits, that memory answers at least: lines may be longer than those of lists
local LEAST_COLD, MOST_COLD = 256, 1 << 15   -- of them; to tell a larger cache, at most: they differ by 20 %, their mean by 0.1 %
local COLD_RUNS = 8                -- that fewer of them are visited in, at most
local FEW = 32                     -- lines that are asked for one by one: any cache holds one

-- Bytes of an array, and up to `most` addresses in it, a line apart, with `room` bytes before them. nil: memory is too
-- small.
local function unvisited(space, most, room)
  local bytes = math.min(GRAIN, probe.most_bytes(space))
  local count = math.min((bytes - room) // lists.LINE, most)
  if count < LEAST_COLD then return nil end
  return bytes, lists.once((bytes - count * lists.LINE) // lists.PAGE * lists.PAGE, count)
end

-- How the nearest level of global memory is asked about pairs of words, by loads of this operator: `hits`, what it
-- takes; `fresh`, addresses whose visits clear all caches; `from`, where memory begins that is not among them.
local function pairwise(operator, device)
  local out, room = { hits = {} }, grain.room()
  out.bytes, out.fresh = unvisited("global", math.max(2048, math.floor(device.memory_bytes) >> 17), room)
  if not out.bytes then return nil end
  out.from = out.fresh[1] - room // lists.PAGE * lists.PAGE
  out.ask, out.average = M.asks("global", operator, out.bytes, WORD)
  for _, address in ipairs(lists.once(0, FEW)) do
    out.hits = lists.join(out.hits, out.ask({ address }, 4, 8))
  end
  return out
end

-- First visits by number of the run, and how many runs of `count` lines there are: of constants each of another bank.
local function first_visits_of(space, operator, bytes, count)
  local _, _, visits = M.asks(space, operator, bytes)
  if space == "constant" then return visits, BANKS end
  return function(list) return visits(list) end, math.min(COLD_RUNS, MOST_COLD // count)
end

-- Whether what takes `slowest`, and no list overflows, is answered by a cache that is larger than lists are. Then what is
-- visited for the first time takes longer, of a page that the visit before has translated. What memory takes: a latency;
-- false: it is not; nil: that cannot be asked.
local function answered_by_larger(space, operator, slowest, observing)
  local bytes, cold = unvisited(space, MOST_COLD, 0)
  if not bytes then return nil end
  -- By such links as memory was observed with.
  local first_visits, runs = first_visits_of(space, operator, bytes, #cold)
  local limit, slow, count = grain.slowest { slowest.high + observing.clocks }, {}, 0
  for run = 1, runs do
    local done, visits = pcall(first_visits, cold, run)
    if not done then return nil end   -- what was found stands
    for _, latency in ipairs(lists.translated(visits)) do
      count = count + 1
      if latency > limit then slow[#slow + 1] = latency end
    end
  end
  if #slow < COLD * count then return false end
  return { value = stats.mean(slow), low = stats.quantile(slow, 0.02), high = stats.quantile(slow, 0.98), count = #slow,
           of = count }
end

-- The levels that answer loads by this operator. `larger`: what took `hit`, not `memory`, is answered by a cache larger
-- than lists are.
function M.walk_around(space, operator, device, depth)
  local out = walk(space, operator, device, depth)
  local last = out.levels[#out.levels]
  local slowest = out.memory or last and (out.reach or not last.capacity) and last.hit
  -- Lists that a translation buffer reaches may show no level of global memory: then a larger cache may answer them all.
  -- Where they show one, first visits tell whether memory answers what it does not.
  local asked = not out.reach or space == "global"
  local cold = asked and not out.overlap and slowest and answered_by_larger(space, operator, slowest, out.observing)
  if out.reach and last and out.memory then out.from_memory, cold = cold == false, nil end
  if not cold then return out end
  if not out.memory then   -- the last level is that cache
    out.cold = cold
    lessen({ memory = cold, levels = {} }, out.observing)
    return out
  end
  out.larger = string.format("the latency is one for working sets up to %d KB, and memory's is longer", out.most >> 10)
  out.hit, out.memory, out.cold = out.memory, nil, cold
  lessen({ memory = cold, levels = {} }, out.observing)
  return out
end

-- As above, with that cache as a level.
local function walk_larger(operator, device, depth)
  local out = M.walk_around("global", operator, device, depth)
  if out.larger and #out.levels == 0 then
    out.levels[1] = recover.undecided(out.larger .. ": it is larger")
    out.levels[1].hit = out.hit
  end
  return out
end

-- The levels of global memory: those behind L1 by loads that bypass it, so that it hides nothing of them.
-- Where such loads do not bypass what is nearest, from lists that clear it.
local function walk_global(operator, device, depth)
  local near = walk_larger(operator, device, 1)
  if #near.levels == 0 or depth == 1 then return near end
  local far, nearest = walk_larger("cg", device, depth and depth - 1), near.levels[1]
  local next_hit = not far.overlap and (far.levels[1] and far.levels[1].hit or far.hit or far.memory)
  if not near.overlap and (not next_hit or next_hit.low <= nearest.hit.high) then
    -- What does not show its sets cannot be cleared either.
    return nearest.conflict and M.walk_around("global", operator, device, depth) or near
  end
  if far.levels[1] then far.levels[1].operator = "cg" end
  table.insert(far.levels, 1, nearest)
  return far
end

-- What pairs of words tell of that level where the walk did not.
function M.refine(level, operator, device)
  if level.line and level.sector then return end
  local with = pairwise(operator, device)
  if not with then return end
  level.told = {}
  local function take(what, value, note)
    if value then
      level[what], level.told[what], level.doubt[what] = value, note, nil
    else
      level.doubt[what] = (level.doubt[what] or "its sets do not show") .. "; " .. note
    end
  end
  if not level.line then
    take("line", grain.line(with.average, math.sqrt(stats.variance(with.hits)), with.bytes))
  end
  if not level.sector then take("sector", grain.sector(with.ask, with.fresh, with.from, with.hits)) end
  if level.line and level.sector and level.sector > level.line then
    take("sector", nil, string.format("a miss loads %d B, more than a line", level.sector))
    level.sector = nil
  end
end

-- What is taken off the latencies: given, or measured beside, or else what a link that is an offset takes more than one
-- that is an address. Of one line, by loads that L1 answers where there is one: lines of L2 differ.
local function arithmetic(input, space)
  local given = input.args.arithmetic
  if given then return { clocks = given, error = 0 } end
  if input.args.address ~= nil or space ~= "global" or not pointers.possible(input.device) then
    return chased.address(input)
  end
  local _, average = M.asks(space, "ca", LEAST)
  return { clocks = math.max(0, chased.hit(average) - pointers.nearest(input.device, "ca")), error = 1 }
end

-- The latency of a level by links that are addresses: machine code may take one or two additions for the address of a
-- link that is an offset. Of L2 over all SMs.
local function by_pointers(level, operator, device, address)
  local hit, off = level.hit, address.clocks
  local over = hit and operator == "cg" and pointers.over_sms(device, level.capacity)
  -- Links that lie otherwise than the lists need not be at rest: then their mean is slower than hits of the lists are.
  local slowest = hit and hit.value + address.error + ISSUE + math.max(hit.value - hit.low, hit.high - hit.value)
  if over and over.first + off <= slowest then
    hit.value, hit.note, hit.probes = over.value + off, pointers.text(over), { over.shown }
    hit.low, hit.high = math.min(hit.low, over.low + off), math.max(hit.high, over.high + off)
  elseif hit and operator ~= "cg" then
    local before = ledger.now()
    local value = pointers.nearest(device, operator or "ca")
    local shown = ledger.since(before, "one line chased by links that are addresses: many loads, and few")
    if value then
      hit.probes = { shown, table.unpack(hit.probes or {}) }
      -- Single hits scatter as much, wherever their mean lies.
      local lower = hit.value - (value + off)
      hit.value, hit.low, hit.high = hit.value - lower, hit.low - lower, hit.high - lower
    end
  end
end

local function report_open(prefix, number, note)
  for _, what in ipairs { "capacity", "line", "sets", "ways", "policy", "latency" } do
    finding { name = string.format("%sl%d.%s", prefix, number, what), verdict = "inconclusive",
              note = note }
  end
end

-- What lies beyond the reach of a translation buffer: lists that it translates overflow no further cache.
local function report_beyond(prefix, number, found, level)
  local note = string.format("lists stay within %d KB, behind which addresses are translated anew: a larger "
                             .. "cache may serve them", found.reach >> 10)
  if not level or level == string.format("l%d", number) then report_open(prefix, number, note) end
  if level and level ~= "miss" then return end
  local none = #found.levels == 0 and prefix == ""
  finding { name = none and "global.latency" or prefix .. "miss.latency", verdict = "inconclusive", note = note }
end

-- The cache that answers what the last level does not, and that no list fills.
local function report_larger(prefix, found, level)
  if level and level .. "." ~= prefix:match("[^.]+%.$") then return end
  finding { name = prefix .. "capacity", verdict = "not_observed", unit = "B", note = found.larger }
  report.latency(prefix .. "latency", found.hit, 0,
                 string.format("%s; capacity: more than %d KB", found.larger, found.most >> 10))
end

-- What all levels and the memory behind them take. `rest`: what is still in the latencies, for people.
local function report_all(found, prefix, first, level, rest)
  local function reach_of(bytes) return ", for addresses within the first " .. report.size(bytes) end
  local reach = reach_of(found.most)
  for i, each in ipairs(found.levels) do
    if each.hit and rest ~= "" then each.hit.note = (each.hit.note or "hit latency") .. rest end
    local name = string.format("l%d", first + i - 1)
    if not level or level == name then
      report.level(prefix .. name .. ".", each, { line = "line", sector = "sector" }, 0, reach_of(each.within or found.most))
    end
    if each.whole then finding(each.whole) end
  end
  if found.reach and not (found.cold or found.from_memory) then return report_beyond(prefix, first + #found.levels, found, level) end
  if found.larger and #found.levels > 0 and prefix ~= "" then   -- of global memory, loads round L1 tell more
    report_larger(prefix .. string.format("l%d.", first + #found.levels), found, level)
  end
  if level and level ~= "miss" then return end
  if found.cold then
    return report.latency(prefix .. "miss.latency", found.cold, 0, string.format(
      "%d of %d first visits of lines after a flush of L2; a larger cache holds lists that are visited again",
      found.cold.count, found.cold.of))
  end
  if #found.levels > 0 then
    report.latency(prefix .. "miss.latency", found.memory, 0,
                   "miss latency of these caches" .. reach .. rest)
  else
    report.latency(prefix == "" and "global.latency" or prefix .. "latency", found.memory,
                   0, "the same for working sets of every size" .. reach .. rest)
  end
end

-- Whether a load that bypasses L1 takes as long as one that does not: then there is none.
local function without_l1(operator)
  local function latency(how)
    local ask = M.asks("global", how, 1 << 12)
    return ask({ 0 }, 4, 256)
  end
  local through, around = latency(operator), latency("cg")
  local width = stats.quantile(around, 0.9) - stats.quantile(around, 0.1)
  return math.abs(stats.median(through) - stats.median(around)) <= math.max(2, 0.25 * width)
end

local function report_absent(prefix, first, level, note)
  local name = string.format("l%d", first)
  if level and level ~= name then return end
  for _, what in ipairs { "capacity", "line", "sets", "ways", "policy" } do
    finding { name = prefix .. name .. "." .. what, verdict = "not_observed",
              note = note }
  end
end

-- The number of the nearest level that is seen.
local function nearest(space, operator, prefix, level)
  if space ~= "global" then return 1 end
  if operator == "cg" then return 2 end
  if not without_l1(operator) then return 1 end
  report_absent(prefix, 1, level, "a load that bypasses it has the same latency")
  return 2
end

-- Whether textures have no cache of their own: then their findings say so.
function M.in_l1(device, prefix, level, first)
  if not runs_kernels(device) then return false end
  local through, lines = unified.textures_in_l1(device)
  if not through then return false end
  report_absent(prefix, first, level, string.format(
    "textures are read through L1: %d lines of global memory, read through L1, evict a texel", lines))
  return true
end

function M.run(input)
  if not probe then error("cache runs chases of its own, which need the device", 0) end
  local space = text_arg(input, "space", "global")
  local operator, level = text_arg(input, "cache"), text_arg(input, "level")
  local prefix = PREFIX[space]
  if not prefix then error("caches of the space '" .. space .. "' cannot be chased", 0) end
  local depth = level and tonumber(level:match("^l(%d+)$"))
  if level and not depth and level ~= "miss" then
    error("the argument level must be \"l1\", \"l2\", … or \"miss\"", 0)
  end
  local first = input.args.first or nearest(space, operator, prefix, level)
  -- Without an L1 loads round it are L2's: an eviction test by them keeps its lists elsewhere, and translates a target's page.
  if space == "global" and first > 1 and not input.args.first then operator = "cg" end
  depth = depth and depth - first + 1
  if depth and depth < 1 then return end
  local found
  if space == "texture" and M.in_l1(input.device, prefix, level, first) then return end
  if space ~= "global" then found = M.walk_around(space, operator, input.device, depth)
  elseif operator == "cg" or first > 1 then found = walk_larger(operator, input.device, depth)
  else found = walk_global(operator, input.device, depth) end
  for _, each in ipairs(space ~= "global" and found.levels or {}) do beside_lists.question_quad_age(each) end
  local address = arithmetic(input, space)
  for i, each in ipairs(space == "global" and found.levels or {}) do
    local reached = i == 1 or each.operator
    if reached and (not level or depth == i) then
      if not found.reach then by_pointers(each, each.operator or operator, input.device, address) end
      local way = each.operator or operator
      if runs_kernels(input.device) then
        beside_lists.by_eviction(each, way, input.device)
      end
      M.refine(each, way, input.device)
      each.hinted = way == "cg" and input.device.code == "SASS"
      if input.args.whole and first + i - 1 == 2 and runs_kernels(input.device) then
        each.whole = whole_l2.of(each, input.device)
      end
    end
  end
  if depth and #found.levels == 0 and not found.reach then
    report_absent(prefix, first, level,
                  string.format("lists of every size up to %d KB take as long", found.most >> 10))
  end
  if not found.overlap then lessen(found, address) end
  report_all(found, prefix, first, level, address.clocks == 0 and address.note and ", " .. address.note or "")
end

return M
