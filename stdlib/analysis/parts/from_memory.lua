-- What translation costs where no data cache answers: chases that visit more lines than a data cache
-- holds, each once a pass, while the pages that they lie in are few enough for a TLB, or too many.
-- Used by tlb.lua for textures. Covered by tests/experiments/patterns_test.cpp.

local modes = use "parts/modes"
local M = {}

local LINES = 16384   -- of a chase
local LINE = 256      -- they lie at least so far apart: longer lines are visited more than once
local WORD = 32

-- `pages` pages of `page` bytes in turn, over and over, each time at another line.
local function in_turn(pages, page)
  local list, turns = {}, math.max(1, math.min(LINES // pages, page // LINE))
  for turn = 0, turns - 1 do
    for k = 0, pages - 1 do
      list[#list + 1] = k * page + turn * (page // turns) + k * LINE % (page // turns) // WORD * WORD
    end
  end
  return list
end

-- What most accesses of such a chase take, at rest: { value, low, high }; nil where they differ, or do not take
-- longer than `hit`, the same with what a cache answered.
local function latency(ask, pages, page, limit, hit)
  if pages < 1 or pages * page > limit then return nil end
  local mode = modes.of(ask(in_turn(pages, page), 1, 1))
  if not modes.one_kind(mode) or mode.low <= hit.high then return nil end
  return { value = mode.mean, low = mode.low, high = mode.high }
end

-- For the levels that were found, nearest first, and `memory`, what none of them answers: the same where the data
-- come from memory, in `hits`, which ends with the latter. Pages of a level are visited in turn: fewer than it
-- has, but more than the level before it has.
function M.latencies(ask, levels, memory, limit)
  local hits, page, before = {}, 0, 0
  for i, level in ipairs(levels) do
    if not level.capacity or not level.line or not level.hit then return hits end
    page = math.max(page, level.line)
    local pages = math.min(level.capacity * 3 // 4 // page, math.max(2 * before // page, i == 1 and LINES or 0))
    if pages * page > before * 5 // 4 then
      hits[i] = latency(ask, pages, page, limit, level.hit)
    end
    before = level.capacity
  end
  if memory then
    hits[#levels + 1] = latency(ask, 2 * before // math.max(1, page), page, limit, memory)
  end
  return hits
end

return M
