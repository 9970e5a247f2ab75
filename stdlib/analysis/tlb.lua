-- tlb(space = "global", cache = "cg", level = "l1"): translation buffers, from one address in each of
-- many pages. The addresses are staggered over cache lines, so that data caches hold them all and add
-- no misses of their own. Everything else as in cache.lua.
-- Covered by tests/runtime/cache_inference_test.cpp.

local levels = use "parts/levels"
local report = use "parts/report"
local cache = use "cache"
local M = {}

function M.describe() return "translation buffers: reach, entries, page, sets, ways, policy, latency" end

local PREFIX = { global = "tlb.", texture = "tex.tlb." }
local PAGE = 4096                 -- the smallest page that is looked for
local WORD = 128                  -- a cache line: addresses of a page that can both be visited
local REACH = 1 << 30             -- bytes that lists may span

-- The bytes by which an address of a page is moved: any mixing of the page's number does.
local function stagger(page)
  local x = (page * 0x9e3779b1) & 0xffffffff
  return ((x >> 15) ~ x) % (PAGE // WORD) * WORD
end

local function staggered(list)
  local out = {}
  for i, address in ipairs(list) do
    local page = address // PAGE
    out[i] = page * PAGE + (address % PAGE + stagger(page)) % PAGE
  end
  return out
end

local function walk(space, operator)
  local limit = math.min(2 * REACH, probe.most_bytes(space) // 2)
  local most = limit // 2
  local ask, average = cache.asks(space, operator, limit, space == "global" and 8 or 4)
  local function on_pages(list, warm, passes) return ask(staggered(list), warm, passes) end
  local out = levels.walk { probe = on_pages, granule = PAGE, unit = PAGE, word = WORD, most = most,
                            limit = limit, count = 1024 }
  out.overhead, out.most = cache.overhead(ask, average), most
  return out
end

function M.run(input)
  if not probe then error("tlb asks for chases of its own: it needs the device", 0) end
  local space = input.args.space or "global"
  local prefix = PREFIX[space]
  if not prefix then error("pages of the space '" .. tostring(space) .. "' cannot be chased", 0) end
  local found = walk(space, input.args.cache)
  if found.overlap then
    return finding { name = prefix .. "l1.capacity", verdict = "inconclusive", note = found.overlap }
  end
  for i, each in ipairs(found.levels) do
    local name = string.format("l%d", i)
    if not input.args.level or input.args.level == name then
      report.level(prefix .. name .. ".", each, { line = "page", entries = "entries" },
                   found.overhead, string.format(", over the first %d MB", found.most >> 20))
    end
  end
  if not input.args.level then
    report.latency(prefix .. "miss.latency", found.memory, found.overhead, "an access that no buffer answers")
  end
end

return M
