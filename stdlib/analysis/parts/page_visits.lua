-- Visits to lists of pages: at which lines, how many pages the data caches answer alike, and whether random pages are
-- translated. What a page's second visit takes tells the data caches: it is translated for certain.
-- Used by tlb.lua. Covered by tests/experiments/memory_planted_test.cpp and tests/runtime/cache_inference_test.cpp.

local M = {}

local PAGE = 4096                    -- the smallest page that is looked for
local WORD = 128                     -- a cache line: addresses of a page that can both be visited
local FINEST = 32                    -- no line is shorter
local LINK = 8                       -- bytes of a link to global memory
local MOST_PAGES = 8192              -- of one list
local FEWEST = 8                     -- pages of a list that the data caches are tried with
local MANY_PAGES = 2048              -- a list of as many overflows nearly every buffer that has been described
local FEW = 0.1                      -- of many pages that data caches do not answer
local MOST_RANDOM = 16384            -- random pages of a list
local SAMPLE = 64                    -- pages of them, at least, that tell it
local TIMED = 1024                    -- pages that are timed, of lists that the data caches are tried with: in 4 passes at most
local UNSTEADY = 0.25                -- of a visit's latency, by which it may differ from pass to pass: caches answer it or do not
local LEAST_PAGES = 32               -- with room for the lines of fewer in the data caches nothing is decided

M.PAGE, M.WORD, M.MANY_PAGES = PAGE, WORD, MANY_PAGES

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
function M.on_pages(ask, plan)
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
function M.plan_for(ask, space, limit)
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
function M.larger(ask, plan, out, most, longest)
  local highest = out.memory.high + math.max(2, 0.5 * out.width)
  local count = MOST_RANDOM   -- the more the better: buffers of 6,144 entries hold many pages
  while count >= MANY_PAGES do
    for _, apart in ipairs { plan.apart, 64, 32 } do   -- of more sets of a data cache with short lines
      local slower, other, cached = at_random(ask, plan, apart, count, most, highest)
      -- What lies beyond the data caches may take longer for another reason.
      if other <= FEW / 2 and (cached or slower <= FEW) then
        return slower > FEW and string.format("%.0f %% of %d random pages take longer: a larger buffer serves the others",
                                              100 * slower, count) or nil
      end
    end
    count = count // 2
  end
  if longest >= MANY_PAGES then return nil end
  return "data caches do not hit alike for as many pages as a larger buffer could hold"
end

return M
