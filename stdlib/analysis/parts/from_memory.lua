-- What translation costs where no data cache answers: chases that visit more lines than a data cache
-- holds, each once a pass, while the pages that they lie in are few enough for a TLB, or too many.
-- Used by tlb.lua for textures. Covered by tests/experiments/patterns_test.cpp.

local modes = use "parts/modes"
local M = {}

local LINES = 16384   -- of a chase, at least
local MOST = 1 << 18
local TIMES = 8       -- the entries of the last level: no larger one holds so many pages
local LINE = 256      -- they lie at least so far apart: longer lines are visited more than once
local WORD = 32

-- `pages` pages of `page` bytes in turn, over and over, each time at another line, `lines` of them.
local function in_turn(pages, page, lines)
  local list, turns = {}, math.max(1, math.min(lines // pages, page // LINE))
  for turn = 0, turns - 1 do
    for k = 0, pages - 1 do
      list[#list + 1] = k * page + turn * (page // turns) + k * LINE % (page // turns) // WORD * WORD
    end
  end
  return list
end

-- What most accesses of such a chase take, at rest: { value, low, high, note }; nil where they differ, or do not
-- take longer than `hit`, the same with what a cache answered.
local function latency(ask, pages, page, limit, hit, lines)
  if pages < 1 or pages * page > limit or lines > MOST then return nil end
  local mode = modes.of(ask(in_turn(pages, page, lines), 1, 1))
  if not modes.one_kind(mode) or mode.low <= hit.high then return nil end
  return { value = mode.mean, low = mode.low, high = mode.high,
           note = "hit latency, with data from memory" }
end

-- For what a walk found, `found.levels`, nearest first, and `found.memory`, what none of them answers: their
-- latencies are replaced by those of data from memory where there are such. Pages of a level are visited in
-- turn: fewer than it has, but more than the level before it has.
function M.replace(ask, found, limit)
  local page, before = 0, 0
  for i, level in ipairs(found.levels) do
    if not level.capacity or not level.line or not level.hit then return end
    page = math.max(page, level.line)
    local pages = math.min(level.capacity * 3 // 4 // page, math.max(2 * before // page, i == 1 and LINES or 0))
    if pages * page > before * 5 // 4 then
      level.hit = latency(ask, pages, page, limit, level.hit, LINES) or level.hit
    end
    before = level.capacity
  end
  if #found.levels > 0 and found.memory then M.missed(ask, found, before, page, limit) end
end

-- What no level answers, where many times as many pages take no longer: then no larger buffer answers.
function M.missed(ask, found, capacity, page, limit)
  local last = found.levels[#found.levels]
  local pages = math.max(LINES, TIMES * (capacity // last.line))
  local some = latency(ask, 2 * capacity // page, page, limit, found.memory, LINES)
  local many = latency(ask, limit // page, page, limit, found.memory, pages)
  if some and many and math.abs(some.value - many.value) <= 2 then
    found.memory, found.larger = some, nil
  end
end

return M
