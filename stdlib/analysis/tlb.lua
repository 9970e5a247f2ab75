-- tlb(space = "global", reach = 1GB): translation buffers, from one address in each of many pages.
--
-- What tells a TLB from a data cache: two addresses of one page take one entry, but two lines. So
-- (1) the lines within the pages are others in every request: what follows from lines contradicts
-- itself and decides nothing; (2) of two visits to one page in a row, the second is translated
-- for certain: its latency tells how many lines the data caches hold, and lists stay below that;
-- (3) where a nearest cache would answer before the TLB is asked (texture), each page is visited at
-- more lines than that cache holds. Everything else as in cache.lua.
-- Covered by tests/runtime/tlb_test.cpp and cache_inference_test.cpp.

local levels = use "parts/levels"
local report = use "parts/report"
local cache = use "cache"
local pick = use "parts/select"
local M = {}

function M.describe() return "translation buffers: reach, entries, page, sets, ways, policy, latency" end

local PREFIX = { global = "tlb.", texture = "tex.tlb." }
local OPERATOR = { global = "cg" }   -- passes by L1, behind which the TLBs are
local PAGE = 4096                    -- the smallest page that is looked for
local WORD = 128                     -- a cache line: addresses of a page that can both be visited
local MOST_LINES = 8192              -- addresses of one list
local LEAST_LINES = 128              -- with room for fewer in the data caches nothing is decided

-- The bytes by which an address of a page is moved in request number `salt`: any mixing does.
local function stagger(page, salt)
  local x = ((page + salt * 0x51ed27) * 0x9e3779b1) & 0xffffffff
  return ((x >> 15) ~ x) % (PAGE // WORD) * WORD
end

local function moved(address, salt)
  local page = address // PAGE
  return page * PAGE + (address % PAGE + stagger(page, salt)) % PAGE
end

-- A probe of pages: visits each page at `lines(n)` lines one after another, n being the length of the
-- list, and returns what the first of them took.
local function on_pages(ask, lines)
  local salt = 0
  return function(list, warm, passes)
    salt = salt + 1
    local each, visits, first, taken = lines(#list), {}, {}, {}
    for i, address in ipairs(list) do
      local page, at = address // PAGE * PAGE, moved(address, salt)
      while taken[at] do at = page + (at - page + WORD) % PAGE end
      first[i] = #visits + 1
      for k = 0, each - 1 do
        local visit = page + (at - page + 32 * k) % PAGE
        if not taken[visit] then visits[#visits + 1], taken[visit] = visit, true end
      end
    end
    local latencies = ask(visits, warm, passes)
    if #visits == #list then return latencies end
    local out = {}
    for pass = 0, passes - 1 do
      for i = 1, #first do out[#out + 1] = latencies[pass * #visits + first[i]] end
    end
    return out
  end
end

-- Latencies of visits that are translated for certain: the second ones to `count` pages, `stride`
-- apart, at a line of their own.
local function translated(ask, count, stride, lines)
  local visits, from = {}, math.max(2, lines)
  for n = 0, count - 1 do
    local at = moved(n * stride, n) % PAGE
    for k = 0, from - 1 do
      visits[#visits + 1] = n * stride + (at + (lines > 1 and 32 or WORD) * k) % PAGE
    end
  end
  local out = {}
  for i, latency in ipairs(ask(visits, 2, 2)) do
    if (i - 1) % from > 0 then out[#out + 1] = latency end
  end
  return out
end

local function share_above(latencies, bound)
  local above = 0
  for _, latency in ipairs(latencies) do
    if latency > bound then above = above + 1 end
  end
  return above / #latencies
end

-- The lines with which a list passes by the nearest cache of its space: four times as many as it takes
-- to see nothing but misses. 1: no such cache within 64 KB. The second value: what an access takes at
-- least that passes by it.
local function passing(ask)
  local first = stats.quantile(ask({ 0 }, 4, 64), 0.95)
  for size = 1024, 1 << 16, 1024 do
    local list = {}
    for address = 0, size - 1, 32 do list[#list + 1] = address end
    local latencies = {}
    for i, latency in ipairs(ask(list, 2, 2)) do latencies[i] = latency end
    local low = stats.quantile(latencies, 0.02)
    if low > first + 8 then return 4 * #list, low end
  end
  return 1, 0
end

-- How many pages a list may hold so that the data caches answer alike for all of them.
local function room(ask, limit, lines)
  local base = translated(ask, 16, limit // 16 // PAGE * PAGE, lines(16))
  local bound = stats.quantile(base, 0.98) + math.max(4, stats.quantile(base, 0.98) - stats.min(base))
  local most, count = 16, 32
  while count <= MOST_LINES do
    for _, stride in ipairs { PAGE, math.max(PAGE, limit // count // PAGE * PAGE) } do
      local late = share_above(translated(ask, count, stride, lines(count)), bound)
      if late > math.max(0.004, 1.5 * share_above(base, bound)) then return most end
    end
    most, count = count, count * 2
  end
  return most
end

local function walk(space, operator, reach)
  local limit = math.min(reach, probe.most_bytes(space)) // PAGE * PAGE
  local most = limit // 2
  local ask, average = cache.asks(space, operator, limit, space == "global" and 8 or 4)
  local need, floor = 1, 0
  if space ~= "global" then need, floor = passing(ask) end
  local function lines(n) return math.min(PAGE // 32, (need + n - 1) // n) end
  local count = room(ask, most, lines)
  if count < LEAST_LINES then
    return { few = string.format("the data caches hold no more than %d lines of as many pages: their " ..
                                 "misses would hide those of a TLB", count) }
  end
  local out = levels.walk { probe = on_pages(ask, lines), granule = PAGE, unit = PAGE, word = WORD,
                            most = most, limit = limit, count = math.min(1024, count // 8),
                            longest = count, floor = floor }
  out.overhead, out.most = cache.overhead(ask, average), most
  return out
end

local function none(prefix, verdict, note)
  for _, what in ipairs { "capacity", "page", "entries", "sets", "ways", "policy" } do
    finding { name = prefix .. "l1." .. what, verdict = verdict, note = note }
  end
end

function M.run(input)
  if not probe then error("tlb asks for chases of its own: it needs the device", 0) end
  pick.only(input, "tlb", { "space", "cache", "level", "reach" })
  local space = pick.text(input, "space", "global")
  local prefix = PREFIX[space]
  if not prefix then error("pages of the space '" .. space .. "' cannot be chased", 0) end
  local level = pick.text(input, "level")
  local found = walk(space, pick.text(input, "cache", OPERATOR[space]),
                     pick.count(input, "reach", math.maxinteger))
  if found.overlap or found.few then
    return none(prefix, "inconclusive", found.overlap or found.few)
  end
  local over = string.format("over the first %d MB", found.most >> 20)
  if #found.levels == 0 then
    none(prefix, "not_observed", "one address in each page takes as long as one in one page, " .. over)
  end
  for i, each in ipairs(found.levels) do
    local name = string.format("l%d", i)
    if not level or level == name then
      report.level(prefix .. name .. ".", each, { line = "page", entries = "entries" },
                   found.overhead, ", " .. over)
    end
  end
  if not level and #found.levels > 0 then
    report.latency(prefix .. "miss.latency", found.memory, found.overhead, "an access that no buffer answers")
  end
end

return M
