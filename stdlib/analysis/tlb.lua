-- tlb(space = "global", cache = "cg", level = "l1", reach = 1GB, address = "address", count = count):
-- translation buffers, from one address in each of many pages. `address` names a measure of the
-- arithmetic between two loads.
--
-- What tells a TLB from a data cache: two addresses of one page take one entry, but two lines. So
-- (1) the lines within the pages are others in every request: what follows from lines contradicts
-- itself and decides nothing; (2) of two visits to one page in a row, the second is translated
-- for certain: its latency tells how many lines the data caches hold, and lists stay below that;
-- (3) where a nearest cache would answer before the TLB is asked (texture), each page is visited at
-- more lines than that cache holds. Everything else as in cache.lua.
-- Arguments that name measures: address.
-- Covered by tests/experiments/memory_planted_test.cpp and tests/runtime/cache_inference_test.cpp.

local levels = use "parts/levels"
local report = use "parts/report"
local cache = use "cache"
local chased = use "parts/chased"
local from_memory = use "parts/from_memory"
local pointers = use "parts/pointers"
local unified = use "parts/unified"
local page_window = use "page_window"
local placements = use "parts/placements"
local pick = use "parts/select"
local M = {}

function M.describe() return "translation buffers: reach, entries, page, sets, ways, policy, latency" end

local PREFIX = { global = "tlb.", texture = "tex.tlb." }
local OPERATOR = { global = "cg" }   -- passes by L1, behind which the TLBs are
local PAGE = 4096                    -- the smallest page that is looked for
local WORD = 128                     -- a cache line: addresses of a page that can both be visited
local FINEST = 32                    -- no line is shorter
local LINK = 8                       -- bytes of a link to global memory
local MOST_PAGES = 8192              -- of one list
local KEPT = 1250                    -- accesses with links of 8 bytes whose record stays in shared memory
local FEWEST = 8                     -- pages of a list that the data caches are tried with
local FARTHER = 32      -- times the reach of a first buffer, that of a second may be: papers find 4 times
local MANY_PAGES = 2048              -- a list of as many overflows nearly every buffer that has been described
local LARGE_PAGE = 21                -- log2 of its bytes: a memory of many of them is large
local FEW = 0.1                      -- of many pages that data caches do not answer
local MOST_RANDOM = 16384            -- random pages of a list
local SAMPLE = 64                    -- pages of them, at least, that tell it
local FAR = 1 << 30      -- bytes that lists span: buffers of GPUs since 2016 reach so far, and farther
local TRANSLATED = 2                  -- times what is swept, that the first level reaches: then it misses none of it
local PLACED = 2                      -- clocks: what a mean over placements may be off by, as placements.lua asks
local TIMED = 1024                    -- pages that are timed, of lists that the data caches are tried with: in 4 passes at most
local UNSTEADY = 0.25                -- of a visit's latency, by which it may differ from pass to pass: caches answer it or do not
local LEAST_PAGES = 32               -- with room for the lines of fewer in the data caches nothing is decided

-- The visits of a list of pages, and which of them are the first ones of its items: `plan.lines` lines in
-- all or one for each item, `least` for each (or for one of `every`), `plan.apart` bytes apart in turn over all
-- items, so that the sets of a data cache have equal shares. `salt` says with which line it begins. Where no cache is to be
-- passed by, a page that is visited again is visited at further links of a line before.
local function visits_of(list, plan, salt, least, every)
  local visits, first, taken, turn, last = {}, {}, {}, salt * 7, {}
  local each = (plan.lines + #list - 1) // #list
  for i, address in ipairs(list) do
    local page = address // PAGE * PAGE
    first[i] = #visits + 1
    for k = 1, i % (every or 1) == 0 and math.max(least, each) or each do
      -- Equal shares, but not in step with the pages' numbers: a set function may mix both.
      local at = (turn * 11 + turn * plan.apart // PAGE * 5) * plan.apart % PAGE
      local tries, before = PAGE // FINEST, last[page]
      if before and plan.lines == 1 and least == 1 and (before + LINK) % FINEST ~= 0 then
        at, tries = before + LINK, 0
      end
      while taken[page + at] and tries > 0 do at, tries = (at + FINEST) % PAGE, tries - 1 end
      if not taken[page + at] then
        visits[#visits + 1], taken[page + at], last[page] = page + at, true, at
      elseif k == 1 then
        error("a list visits a page more often than it has words", 0)
      end
      turn = turn + 1
    end
  end
  return visits, first
end

-- A probe of pages: what the first visit of each item of a list took.
local function on_pages(ask, plan)
  local salt = 0
  return function(list, warm, passes)
    salt = salt + 1
    local visits, first = visits_of(list, plan, salt, 1)
    local latencies = ask(visits, warm, passes)
    if #visits == #list then return latencies end
    local out = {}
    for pass = 0, passes - 1 do
      for i = 1, #first do out[#out + 1] = latencies[pass * #visits + first[i]] end
    end
    return out
  end
end

-- Latencies of visits that are translated for certain, those behind the first one of each of `count`
-- pages, `stride` apart. The second value: what the same visit differs by from pass to pass.
local function translated(ask, count, stride, plan)
  local list, passes = {}, math.max(1, math.min(4, TIMED // count))
  for n = 0, count - 1 do list[n + 1] = n * stride end
  local visits, first = visits_of(list, plan, count, 2)
  local latencies, out, ranges, is_first = ask(visits, 2, passes), {}, {}, {}
  for _, i in ipairs(first) do is_first[i] = true end
  for i = 1, #visits do
    if not is_first[i] then
      local low, high = math.huge, 0
      for pass = 0, passes - 1 do
        local latency = latencies[pass * #visits + i]
        low, high = math.min(low, latency), math.max(high, latency)
        out[#out + 1] = latency
      end
      ranges[#ranges + 1] = high - low
    end
  end
  return out, stats.median(ranges)
end

-- Late answers happen. What an SM has no room for to keep is written to a page of its own: of a direct-mapped buffer of
-- E entries that throws out 1 of E visited ones. Of 128 that is 0.8 %; lists of 128 pages overflow smaller ones.
local OFF, OFF_COUNT = 0.01, 2

-- Whether all but a few of the latencies are like `typical`.
local function alike(latencies, tolerance, typical)
  local off = 0
  for _, latency in ipairs(latencies) do
    if math.abs(latency - typical) > tolerance then off = off + 1 end
  end
  return off <= math.max(OFF_COUNT, OFF * #latencies)
end

-- How many pages a list may hold for which the data caches answer alike, however far apart, and the
-- least that they take; nil: too few, or a nearest cache answers that must be passed by.
local function room(ask, plan, limit, hit)
  local base, scatter = translated(ask, FEWEST, limit // FEWEST // PAGE * PAGE, plan)
  local tolerance, typical = math.max(4, 2 * scatter), stats.median(base)
  -- An L2 of 16 lines that leave at random keeps the lines of 8 pages or does not: all lists seemed alike, and its lines pages.
  if scatter > UNSTEADY * typical or hit and typical <= hit + 2 * tolerance then return nil end
  local most, count = 0, FEWEST
  plan.typical, plan.tolerance = typical, tolerance
  local function all_alike()
    local stride = PAGE
    while 2 * stride * count <= limit do stride = stride * 2 end
    -- The farthest first: data caches answer those worst.
    while stride >= PAGE and stride * count <= limit do
      if not alike(translated(ask, count, stride, plan), tolerance, typical) then return false end
      stride = stride // 2
    end
    return true
  end
  while count <= MOST_PAGES and all_alike() do most, count = count, count * 2 end
  if most < LEAST_PAGES then return nil end
  return most, typical - tolerance
end

-- The way to visit pages, how many of them a list may hold, and the least that a visit takes.
local function plan_for(ask, space, limit)
  if space == "global" then
    local best, count, floor
    -- Which lines of a page have sets of their own in a data cache depends on its set function.
    for _, apart in ipairs { WORD, 64, 256, 32, 512 } do
      local plan = { lines = 1, apart = apart }
      local pages, least = room(ask, plan, limit)
      if pages and pages > (count or 0) then best, count, floor = plan, pages, least end
      if count and count >= MANY_PAGES then break end
    end
    return best, count, floor
  end
  local hit = stats.median(ask({ 0 }, 4, 64))
  for _, apart in ipairs { 256, 128, 64, 32 } do
    for _, lines in ipairs { 32, 64, 128, 256, 512, 1024 } do
      local plan = { lines = lines, apart = apart }
      local count, floor = room(ask, plan, limit, hit)
      if count then return plan, count, floor end
    end
  end
  return nil
end

-- The shares of `count` random pages that take longer than `highest`, and of further visits to them that take other than
-- most of those do. Where these come from behind the data caches that answer few pages, so do the first ones; third,
-- whether they do not.
local function at_random(ask, plan, apart, count, most, highest)
  local list, taken, is_first, first_ones, further = {}, {}, {}, {}, {}
  for _ = 1, 4 * count do
    local page = math.random(0, most // PAGE - 1) * PAGE
    if not taken[page] and #list < count then taken[page], list[#list + 1] = true, page end
  end
  -- A page's second line stands for its first: that of some pages, not to ask the caches for twice as much.
  local visits, first = visits_of(list, { lines = plan.lines, apart = apart }, count, 2,
                                  math.max(1, math.min(8, #list // SAMPLE)))
  for _, i in ipairs(first) do is_first[i] = true end
  for i, latency in ipairs(ask(visits, 1, 1)) do
    local into = is_first[i] and first_ones or further
    into[#into + 1] = latency
  end
  local usual = stats.median(further)
  local cached = math.abs(usual - plan.typical) <= plan.tolerance
  if cached then usual = plan.typical end
  local function share(values, holds)
    local count_of = 0
    for _, latency in ipairs(values) do count_of = holds(latency) and count_of + 1 or count_of end
    return count_of / #values
  end
  local function other(latency) return math.abs(latency - usual) > plan.tolerance end
  -- Random pages lie in all slices of L2, those of lists in few: by their distances one may take longer, too.
  local same = {}
  for _, latency in ipairs(further) do
    if not other(latency) then same[#same + 1] = latency - usual end
  end
  local farther = #same > 0 and math.max(0, stats.quantile(same, 1 - OFF)) or 0
  return share(first_ones, function(latency) return latency - usual > highest - plan.typical + farther end),
         share(further, other), cached
end

-- Why what no known buffer answers may still be answered by a larger one: nil where many random pages take
-- no longer. Where data caches let lists be of few pages only, fewer would not tell: a second buffer had 24 to 384
-- times the entries of the first on random devices.
local function larger(ask, plan, out, most, longest)
  local highest = out.memory.high + math.max(2, 0.5 * out.width)
  local count = MOST_RANDOM   -- the more the better: buffers of 6,144 entries hold many pages
  while count >= MANY_PAGES do
    for _, apart in ipairs { plan.apart, 64, 32 } do   -- of more sets of a data cache with short lines
      local slower, other, cached = at_random(ask, plan, apart, count, most, highest)
      -- What lies beyond the data caches may take longer for another reason.
      if other <= FEW / 2 and (cached or slower <= FEW) then
        return slower > FEW and string.format("%.0f %% of %d random pages take longer: a larger buffer answers it",
                                              100 * slower, count) or nil
      end
    end
    count = count // 2
  end
  if longest >= MANY_PAGES then return nil end
  return "data caches do not answer as many pages alike as a larger buffer could hold"
end

local function walk(space, operator, reach)
  local limit = math.min(reach, probe.most_bytes(space)) // PAGE * PAGE
  local most = limit // 2
  local ask, average = cache.asks(space, operator, limit, space == "global" and 8 or 4)
  local window = space == "global" and page_window.find().size
  local plan, count, floor = plan_for(ask, space, most)
  if not count then return { few = "data caches do not answer alike for as few as 32 pages" } end
  local out = levels.walk { probe = on_pages(ask, plan), granule = PAGE, unit = PAGE, word = WORD,
                            most = most, limit = limit, count = math.min(1024, count),
                            longest = count, floor = floor, kept = KEPT,
                            within = window and window // 2 }
  local seen = {}
  for _, class in ipairs(out.classes) do
    seen[#seen + 1] = class.low
    seen[#seen + 1] = class.high
  end
  if space == "global" and out.memory and #out.levels > 0 then
    out.larger = larger(ask, plan, out, math.min(most, window and window // 2 or most), count)
    out.open_at_random = out.larger
  end
  local only = #out.levels == 1 and out.levels[1].capacity
  if only and not out.larger and most < FARTHER * only then
    out.larger = string.format("a second buffer could hold all pages of the first %d MB", most >> 20)
  end
  out.overhead, out.most, out.longest = chased.overhead(ask, average, seen), most, count
  if space == "texture" then from_memory.replace(ask, out, limit) end
  return out
end

-- The mean of the class of latencies that `hit` describes, for the report: the median of what a coarse
-- clock tells is one of its steps.
local function mean_of(hit, curve, error)
  if not hit then return nil end
  if hit.note then   -- from memory
    return { value = hit.value, low = hit.low - error, high = hit.high + error, note = hit.note }
  end
  local inside = {}
  for _, point in ipairs(curve) do
    for _, latency in ipairs(point.list) do
      if latency >= hit.low and latency <= hit.high then inside[#inside + 1] = latency end
    end
  end
  local mean = #inside > 0 and stats.mean(inside) or hit.value
  return { value = mean, low = math.min(hit.low, mean) - error, high = math.max(hit.high, mean) + error }
end

local WHOLE = "hit latency of the whole access: its data from a cache, its page in this TLB"

local function none(prefix, verdict, note)
  for _, what in ipairs { "capacity", "page", "entries", "sets", "ways", "policy" } do
    finding { name = prefix .. "l1." .. what, verdict = verdict, note = note }
  end
end

local function placed_latency(prefix, below, error, base)
  finding { name = prefix .. "latency", value = base + below, unit = "clocks", low = base + below - error,
            high = base + below + error, note = "an L2 hit whose translation this level holds" }
end

-- A level that averages over placements show. `below`: clocks that missing the nearer levels costs, and the error.
local function report_placed(prefix, each, below, error, base, device_bytes)
  local how = each.overflow or { low = each.least, high = each.high - 1, why = "too few granules for all to miss" }
  local entries = how.entries or each.entries
  local shown = string.format("%d granules of %s cost nothing more, %d do", each.entries, report.size(each.granule),
                              each.high)
  local steps = {
    string.format("placements: one random line of each of N granules, at every spacing from a 64th of %s down: %s",
                  report.size(device_bytes), shown),
    string.format("placements: half as far apart twice as many cost nothing more, twice as far no fewer: a granule of %s",
                  report.size(each.granule)),
    each.pairs and string.format("placements: two lines of each granule in turn cost %.2f of the step: translation shows " ..
                                 "half of it, a data cache all", each.pairs) or nil,
  }
  if how.slope then
    steps[#steps + 1] = string.format("overflow: misses grow by %.2f for each granule more than %.1f: ways and one",
                                      how.slope, how.zero)
  end
  if each.uncertain then
    for _, what in ipairs { "entries", "page", "capacity", "sets", "ways", "policy" } do
      finding { name = prefix .. what, steps = steps, verdict = "inconclusive", note = each.uncertain }
    end
    return placed_latency(prefix, below, error, base)
  end
  -- Where sets are unequal, as a hash makes them, the fullest one overflows first: 512 sets of 4 ways held 1,733 neighbours.
  local unequal = not how.ways and not each.full and
                  string.format("%s, and the memory has too few for all to miss: there are as many entries or more", shown)
  local function stated(what, value, unit, factor, note)
    finding { name = prefix .. what, steps = steps, value = not unequal and value * factor or nil, unit = unit,
              low = not unequal and how.low * factor or nil, high = not unequal and how.high * factor or nil,
              verdict = unequal and "inconclusive" or nil, note = unequal or note }
  end
  stated("entries", entries, nil, 1,
         how.slope and string.format("%s; misses grow by %.2f for each more than %.1f", shown, how.slope, how.zero)
           or how.zero and string.format("%s; misses begin at %.1f", shown, how.zero) or shown)
  -- Nor is the granule known then: of 512 entries of 16 MB, whose sets parities choose, 267 of 32 MB cost nothing more.
  finding { name = prefix .. "page", steps = steps, value = not unequal and each.granule or nil, unit = "B",
            verdict = unequal and "inconclusive" or nil,
            note = unequal and unequal .. ": unequal sets of half the granule look alike"
              or "granule of an entry: half as far apart, twice as many fit" }
  stated("capacity", entries, "B", each.granule, "reach: entries times granule")
  for _, what in ipairs { "sets", "ways" } do
    finding { name = prefix .. what, steps = steps, value = how[what], verdict = not how[what] and "inconclusive" or nil,
              note = how.sets == 1 and "one granule more makes all of them miss"
                or how[what] and "each granule too many makes a whole set miss, as if the least recently used leaves"
                or how.why }
  end
  finding { name = prefix .. "policy", verdict = "inconclusive",
            note = "averages over placements do not show which entry leaves" }
  placed_latency(prefix, below, error, base)
end

-- What averages show of the levels from number `first` on, and of a miss in all of them.
local function report_levels(prefix, levels, m, address, first, device)
  local base, below, error, full = m.base - address.clocks, 0, PLACED, true
  -- Only lines that the first level translates tell distances: 64 pages of 4 KB missed one of 16 entries.
  local over = levels[1].entries * levels[1].granule >= TRANSLATED * pointers.SWEPT and pointers.over_sms(device)
  -- The mean over SMs, by links that are addresses. Not by how much others are farther than this one: the few lines that all
  -- of them ask may lie in one half of L2, 100 clocks nearer than lines of all the memory on average.
  if over then base = over.value end
  for i, each in ipairs(levels) do
    if i >= first then report_placed(string.format("%sl%d.", prefix, i), each, below, error, base, m.bytes) end
    below, error, full = each.cost, PLACED + each.error, each.full or each.overflow and each.overflow.miss
  end
  full = full and not m.doubtful
  finding { name = prefix .. "miss.latency", value = full and base + below or nil, unit = "clocks",
            low = full and base + below - error or nil, high = full and base + below + error or nil,
            verdict = not full and "inconclusive" or nil,
            note = full and "an L2 hit that no level translates"
              or m.doubtful
              or string.format(
              "%s of memory are too few granules for every access to miss: on average a load takes %.0f clocks more",
              report.size(m.bytes), below) }
end

-- The levels from averages over nearly all of the memory: where data caches do not answer lists of pages alike, or answer
-- fewer than a buffer has entries. `longest`: pages of such a list.
local function by_placements(input, prefix, address, why, longest)
  local levels, m = placements.levels(input.device, {}, longest)
  if #levels == 0 then
    return none(prefix, "inconclusive",
                why .. "; " .. (m.doubtful or string.format("granules over %s cost no more", report.size(m.bytes))))
  end
  report_levels(prefix, levels, m, address, 1, input.device)
end

-- What averages over nearly all of the memory show where lists of pages show levels: the same ones first, as `known` says
-- of the first `count` of them, and whether there is nothing beyond: `none_beyond`.
---@class AveragesOfTranslation
---@field levels table[]
---@field m table                -- what asked for them
---@field enough boolean         -- granules were asked about for any level to show

---@return AveragesOfTranslation
local function averages_of(device, found)
  local levels, m = placements.levels(device, found.levels, found.longest)
  -- A further level may hold more granules than are asked about: 8,192 of 8 KB. Of a small memory random pages tell it.
  local enough = m.most >= MANY_PAGES and (m.bytes >> LARGE_PAGE >= MANY_PAGES or not found.open_at_random)
  return { levels = levels, m = m, enough = enough }
end

local function known(averages, found, count)
  for i = 1, count do
    local each, same = found.levels[i], averages.levels[i]
    if not same or not each.entries or each.entries < same.least or each.entries > same.high then return false end
  end
  return true
end

local function none_beyond(averages, count)
  return #averages.levels == count and not averages.m.doubtful and averages.enough
end

-- Where the last level of lists has no entries that were found, and averages show all but that one, whose misses take as
-- long as its hits: then it is none, but what misses all. Lists see that beyond it some loads take longer, for another
-- reason: L2 loses a line now and then.
local function drop_what_misses(found, averages)
  local count, last = #found.levels, found.levels[#found.levels]
  local before = averages.levels[count - 1]
  if count < 2 or last.entries or not last.hit or not before then return end
  if not known(averages, found, count - 1) or not none_beyond(averages, count - 1) then return end
  local cost = last.hit.value - found.levels[1].hit.value
  if math.abs(cost - before.cost) > PLACED + before.error + (last.hit.high - last.hit.low) / 2 then return end
  found.levels[count], found.missed = nil, last.hit
end

-- Levels from the first one on whose entries lists do not tell, where averages show that one, too, and all before it: they
-- tell them all. Of a second level with 64 sets lists took 3 million accesses for nothing.
local function leave_to_averages(found, averages)
  for i, each in ipairs(found.levels) do
    if not each.entries then
      if averages.levels[i] and known(averages, found, i - 1) then
        for k = #found.levels, i, -1 do found.levels[k] = nil end
      end
      return
    end
  end
end

function M.run(input)
  if not probe then error("tlb asks for chases of its own: it needs the device", 0) end
  pick.only(input, "tlb", { "space", "cache", "level", "reach", "address", "count" })
  local space = pick.text(input, "space", "global")
  local prefix = PREFIX[space]
  if not prefix then error("pages of the space '" .. space .. "' cannot be chased", 0) end
  local level, address = pick.text(input, "level"), chased.address(input)
  local kernels = input.device.max_threads_per_block > 0   -- else a model of chases alone
  if space == "texture" and kernels and unified.textures_in_l1(input.device) then
    return none(prefix, "not_observed", "textures are read through L1: they are translated as global memory is")
  end
  local found = walk(space, pick.text(input, "cache", OPERATOR[space]),
                     pick.count(input, "reach", math.maxinteger))
  if found.overlap or found.few then
    if space == "global" and not level and kernels then
      return by_placements(input, prefix, address, found.overlap or found.few)
    end
    return none(prefix, "inconclusive", found.overlap or found.few)
  end
  local over = string.format(", of working sets of up to %d pages within the first %d MB", found.longest, found.most >> 20)
  local off, error = found.overhead.clocks + address.clocks, found.overhead.error + address.error
  if #found.levels == 0 then
    -- Nothing is missed of lists that are shorter than buffers are, or misses look like lines that lie farther away.
    local enough = found.longest >= MANY_PAGES and not found.farther
    local why = "one address in each page has the latency of addresses in one page" .. over
    if not enough and space == "global" and kernels and not level then
      return by_placements(input, prefix, address, why, found.longest)
    end
    none(prefix, enough and "not_observed" or "inconclusive", why)
  end
  for _, each in ipairs(found.levels) do
    each.hit = mean_of(each.hit, found.curve, error)
    if each.hit then each.hit.note = each.hit.note or WHOLE end
  end
  local averages = space == "global" and kernels and not level and #found.levels > 0 and averages_of(input.device, found)
  if averages then
    drop_what_misses(found, averages)
    leave_to_averages(found, averages)
  end
  for i, each in ipairs(found.levels) do
    local name = string.format("l%d", i)
    if not level or level == name then
      report.level(prefix .. name .. ".", each, { line = "page", entries = "entries" },
                   off, over)
    end
  end
  if level then return end
  local count = #found.levels
  -- Lists of pages lie in a quarter of the memory, which a further level may hold.
  if averages and not known(averages, found, count) then
    if found.most >= FAR then
      found.larger = found.larger or string.format("averages over %s do not show the levels that lists of pages do: " ..
        "there may be further ones", report.size(input.device.memory_bytes))
    end
  elseif averages and #averages.levels > count then
    return report_levels(prefix, averages.levels, averages.m, address, count + 1, input.device)
  elseif averages then
    found.larger = not none_beyond(averages, count) and (averages.m.doubtful or found.larger) or nil
  end
  if found.larger then
    finding { name = prefix .. "miss.latency", verdict = "inconclusive",
              note = found.larger .. over }
  else
    report.latency(prefix .. "miss.latency", found.missed or mean_of(found.memory, found.curve, error), off,
                   "an access that misses in every TLB; " .. address.note)
  end
end

return M
