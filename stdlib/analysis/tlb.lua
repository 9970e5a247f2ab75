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

local by_latency = use "parts/levels"
local report = use "parts/report"
local cache = use "cache"
local chased = use "parts/chased"
local from_memory = use "parts/from_memory"
local pointers = use "parts/pointers"
local unified = use "parts/unified"
local page_visits = use "parts/page_visits"
local page_window = use "page_window"
local placements = use "parts/placements"
local pick = use "parts/select"
local M = {}

local PAGE, WORD, MANY_PAGES = page_visits.PAGE, page_visits.WORD, page_visits.MANY_PAGES
local PREFIX = { global = "tlb.", texture = "tex.tlb." }
local OPERATOR = { global = "cg" }   -- passes by L1, behind which the TLBs are
local KEPT = 1250                    -- accesses with links of 8 bytes whose record stays in shared memory
local FARTHER = 32      -- times the reach of a first buffer, that of a second may be: papers find 4 times
local LARGE_PAGE = 21                -- log2 of its bytes: a memory of many of them is large
local FAR = 1 << 30      -- bytes that lists span: buffers of GPUs since 2016 reach so far, and farther
local TRANSLATED = 2                  -- times what is swept, that the first level reaches: then it misses none of it
local PLACED = 2                      -- clocks: what a mean over placements may be off by, as placements.lua asks

local function walk(space, operator, reach)
  local limit = math.min(reach, probe.most_bytes(space)) // PAGE * PAGE
  local most = limit // 2
  local ask, average = cache.asks(space, operator, limit, space == "global" and 8 or 4)
  local window = space == "global" and page_window.find().size
  local plan, count, floor = page_visits.plan_for(ask, space, most)
  if not count then return { few = "data caches do not hit alike for as few as 32 pages" } end
  local out = by_latency.walk { probe = page_visits.on_pages(ask, plan), granule = PAGE, unit = PAGE, word = WORD,
                            most = most, limit = limit, count = math.min(1024, count),
                            longest = count, floor = floor, kept = KEPT,
                            within = window and window // 2 }
  local seen = {}
  for _, class in ipairs(out.classes) do
    seen[#seen + 1] = class.low
    seen[#seen + 1] = class.high
  end
  if space == "global" and out.memory and #out.levels > 0 then
    out.larger = page_visits.larger(ask, plan, out, math.min(most, window and window // 2 or most), count)
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
    return { value = hit.value, low = hit.low - error, high = hit.high + error, note = hit.note, probes = hit.probes }
  end
  local inside = {}
  for _, point in ipairs(curve) do
    for _, latency in ipairs(point.list) do
      if latency >= hit.low and latency <= hit.high then inside[#inside + 1] = latency end
    end
  end
  local mean = #inside > 0 and stats.mean(inside) or hit.value
  return { value = mean, low = math.min(hit.low, mean) - error, high = math.max(hit.high, mean) + error,
           probes = curve.probes }
end

local WHOLE = "hit latency of the whole access: its data from a cache, its page in this TLB"

local function none(prefix, verdict, note)
  for _, what in ipairs { "capacity", "page", "entries", "sets", "ways", "policy" } do
    finding { name = prefix .. "l1." .. what, verdict = verdict, note = note }
  end
end

local function placed_latency(prefix, below, error, base, probes)
  finding { name = prefix .. "latency", value = base + below, unit = "clocks", low = base + below - error,
            high = base + below + error, note = "an L2 hit whose translation this level holds", probes = probes }
end

-- The steps to a level that averages over placements show; `how`: what misses of whole sets say of it.
local function placed_steps(each, how, shown, device_bytes)
  if how.at_rest then return how.at_rest end
  local steps = {
    string.format("placements: one random line of each of N granules, at every spacing from a 64th of %s down: %s",
                  report.size(device_bytes), shown),
    string.format(each.halved and "placements: lines in both halves of a granule of %s share an entry, of one twice as large they do not"
                  or "placements: half as far apart twice as many cost nothing more, twice as far no fewer: a granule of %s",
                  report.size(each.granule)),
    each.pairs and string.format("placements: two lines of each granule in turn cost %.2f of the step: translation shows " ..
                                 "half of it, a data cache all", each.pairs) or nil,
  }
  if how.slope then
    steps[#steps + 1] = string.format("overflow: misses grow by %.2f for each granule more than %.1f: ways and one",
                                      how.slope, how.zero)
  end
  return steps
end

-- A level that averages over placements show. `below`: clocks that a miss of the upper levels costs, and the error.
local function report_placed(prefix, each, below, error, base, device_bytes)
  local how = each.overflow or { low = each.least, high = each.high - 1, why = "too few granules for all to miss" }
  local entries = how.entries or each.entries
  local shown = string.format(how.at_rest and "%d granules of %s come to rest, %d do not"
                              or "%d granules of %s cost nothing more, %d do", each.entries, report.size(each.granule), each.high)
  local steps = placed_steps(each, how, shown, device_bytes)
  local function say(what, value, note, unit, factor)   -- without a value it is open
    finding { name = prefix .. what, steps = steps, probes = each.probes, value = value, unit = unit, note = note,
              low = value and factor and how.low * factor, high = value and factor and how.high * factor,
              verdict = not value and "inconclusive" or nil }
  end
  if each.uncertain then
    for _, what in ipairs { "entries", "page", "capacity", "sets", "ways", "policy" } do say(what, nil, each.uncertain) end
    return placed_latency(prefix, below, error, base, each.probes)
  end
  -- Where sets are unequal, as a hash makes them, the fullest one overflows first: 512 sets of 4 ways held 1,733 neighbours.
  local unequal = not how.ways and not each.full and
                  string.format("%s, and the memory has too few for all to miss: there are as many entries or more", shown)
  say("entries", not unequal and entries or nil, unequal or
      how.slope and string.format("%s; misses grow by %.2f for each more than %.1f", shown, how.slope, how.zero) or
      how.zero and string.format("%s; misses begin at %.1f", shown, how.zero) or shown, nil, 1)
  -- Nor is the granule known then: of 512 entries of 16 MB, whose sets parities choose, 267 of 32 MB cost nothing more.
  say("page", not unequal and each.granule or nil, unequal and unequal .. ": unequal sets of half the granule look alike"
      or each.halved and "granule of an entry: lines in both halves share it, of a granule twice as large they do not"
      or how.at_rest and "granule of an entry: as many come to rest with lines in one half of each as in both"
      or "granule of an entry: half as far apart, twice as many fit", "B")
  say("capacity", not unequal and entries * each.granule or nil, unequal or "reach: entries times granule", "B", each.granule)
  for _, what in ipairs { "sets", "ways" } do
    say(what, how[what], how.at_rest and "each granule too many keeps a whole set from coming to rest, whichever entry leaves"
        or how.sets == 1 and "one granule more makes all of them miss" or
        how[what] and "each granule too many makes a whole set miss, as if the least recently used leaves" or how.why)
  end
  finding { name = prefix .. "policy", verdict = "inconclusive", probes = each.probes,
            note = "averages over placements do not show which entry leaves" }
  placed_latency(prefix, below, error, base, each.probes)
end

-- What averages show of the levels from number `first` on, and of a miss in all of them.
local function report_levels(prefix, levels, m, address, first, device)
  local base, below, error, full = m.base - address.clocks, 0, PLACED, true
  -- Only lines that the first level translates tell distances: 64 pages of 4 KB missed one of 16 entries. And only those
  -- that L2 keeps: of 128 KB it lost some of them, and a load of any level seemed 16 clocks longer.
  local over = levels[1].entries * levels[1].granule >= TRANSLATED * pointers.SWEPT
    and 2 * m.most * pointers.LINE >= pointers.SWEPT and pointers.over_sms(device)
  -- The mean over SMs, by links that are addresses. Not by how much others are farther than this one: the few lines that all
  -- of them ask may lie in one half of L2, 100 clocks nearer than lines of all the memory on average.
  if over then base = over.value end
  for i, each in ipairs(levels) do
    if i >= first then report_placed(string.format("%sl%d.", prefix, i), each, below, error, base, m.bytes) end
    below, error, full = each.cost, PLACED + each.error, each.full or each.overflow and each.overflow.miss
  end
  full = full and not m.doubtful
  finding { name = prefix .. "miss.latency", value = full and base + below or nil, unit = "clocks",
            probes = levels[#levels].probes,
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
  local enough = (m.bytes >> LARGE_PAGE >= MANY_PAGES or not found.open_at_random)
    and (m.most >= MANY_PAGES or placements.none_beyond(m, levels, MANY_PAGES, m.most))
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

-- What averages add to the levels of lists: those that lists do not tell, and whether there are others beyond. Whether
-- that is said.
local function report_beyond(prefix, found, averages, address, device)
  local count = #found.levels
  -- Lists of pages lie in a quarter of the memory, which a further level may hold.
  if not known(averages, found, count) then
    if found.most >= FAR then
      found.larger = found.larger or string.format("averages over %s do not show the levels that lists of pages do: " ..
        "there may be further ones", report.size(device.memory_bytes))
    end
  elseif #averages.levels > count then
    report_levels(prefix, averages.levels, averages.m, address, count + 1, device)
    return true
  else
    found.larger = not none_beyond(averages, count) and (averages.m.doubtful or found.larger) or nil
  end
  return false
end

-- What lists of pages showed. `placed`: whether averages over placements can be asked, too.
local function report_lists(input, prefix, found, level, address, placed)
  local over = string.format(", of working sets of up to %d pages within the first %d MB", found.longest, found.most >> 20)
  local off, error = found.overhead.clocks + address.clocks, found.overhead.error + address.error
  if #found.levels == 0 then
    -- Nothing is missed of lists that are shorter than buffers are, or misses look like lines that lie farther away.
    local enough = found.longest >= MANY_PAGES and not found.farther
    local why = "one address in each page has the latency of addresses in one page" .. over
    if not enough and placed then return by_placements(input, prefix, address, why, found.longest) end
    none(prefix, enough and "not_observed" or "inconclusive", why)
  end
  for _, each in ipairs(found.levels) do
    each.hit = mean_of(each.hit, found.curve, error)
    if each.hit then each.hit.note = each.hit.note or WHOLE end
  end
  local averages = placed and #found.levels > 0 and averages_of(input.device, found)
  if averages then
    drop_what_misses(found, averages)
    leave_to_averages(found, averages)
  end
  for i, each in ipairs(found.levels) do
    local name = string.format("l%d", i)
    if not level or level == name then
      report.level(prefix .. name .. ".", each, { line = "page", entries = "entries" }, off, over)
    end
  end
  if level or averages and report_beyond(prefix, found, averages, address, input.device) then return end
  if found.larger then return pick.inconclusive(prefix .. "miss.latency", nil, found.larger .. over) end
  report.latency(prefix .. "miss.latency", found.missed or mean_of(found.memory, found.curve, error), off,
                 "an access that misses in every TLB; " .. address.note)
end

function M.run(input)
  if not probe then error("tlb runs chases of its own, which need the device", 0) end
  pick.only(input, "tlb", { "space", "cache", "level", "reach", "address", "count" })
  local space = pick.text(input, "space", "global")
  local prefix = PREFIX[space]
  if not prefix then error("pages of the space '" .. space .. "' cannot be chased", 0) end
  local level, address = pick.text(input, "level"), chased.address(input)
  local kernels = input.device.max_threads_per_block > 0   -- else a model of chases alone
  if space == "texture" and kernels and unified.textures_in_l1(input.device) then
    return none(prefix, "not_observed", "textures are read through L1: they are translated as global memory is")
  end
  local found = walk(space, pick.text(input, "cache", OPERATOR[space]), pick.count(input, "reach", math.maxinteger))
  local placed = space == "global" and kernels and not level
  local why = found.overlap or found.few
  if not why then return report_lists(input, prefix, found, level, address, placed) end
  if placed then return by_placements(input, prefix, address, why) end
  none(prefix, "inconclusive", why)
end

return M
