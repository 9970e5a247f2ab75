-- Policy of a level's set. Where a kernel can visit the set, from that (o.visits, parts/set_policy.lua); else from a
-- trace of a chase, from which parts/replacement.lua concludes, with nearer levels cleared behind each visit. o and
-- level as in parts/level.lua.
-- Covered by tests/runtime/cache_inference_test.cpp.

local lists = use "parts/lists"
local flood = use "parts/flood"
local members = use "parts/members"
local replacement = use "parts/replacement"
local set_policy = use "parts/set_policy"
local ledger = use "parts/steps"
local M = {}
---@names level: Level, near: Level, o: LevelQuestion

local MOST_WORDS = 8      -- visits to one line in a trace, at most

-- What stands behind each visit of a policy's trace, so that the nearer levels do not answer:
-- behind(i) for visit i. nil and the reason: there is no such thing.
local function cleared_between(o, level, own, visits)
  if #o.nears == 0 then return function() return {} end end
  -- Words of one line of every level, this one's too: the next line may belong to the set.
  local home = level.fn.key(own[1])
  local words = math.max(1, math.min(flood.words(o.nears, o.word), level.line // o.word))
  local floods = flood.between(o.nears, own, (visits + words - 1) // words, 0, o.limit,
                               function(address) return level.fn.key(address) == home end)
  if not floods then return nil, "the upper levels cannot be cleared without its sets" end
  return function(i)
    local list, word = {}, (i - 1) % words
    for k, address in ipairs(floods[(i - 1) // words + 1]) do list[k] = address + word * o.word end
    return list
  end
end

-- Where nothing clears the nearer levels, as their sets are this level's: how many other lines of the set must be
-- visited between two visits of one, so that they miss. nil: that is not known.
local function apart_of(o, own, ways)
  local apart = 0
  for _, near in ipairs(o.nears) do
    local key = near.fn and near.fn.key(own[1])
    local name = near.policy and near.policy.name
    if not key or name ~= "LRU" and name ~= "FIFO" then return nil end
    for _, address in ipairs(own) do
      if near.fn.key(address) ~= key then return nil end
    end
    -- Of d others at most w - 1 hit beside the line in a FIFO set of w ways, and w misses remove it.
    local near_ways = near.ways_of and near.ways_of[key] or near.most_ways
    apart = math.max(apart, name == "FIFO" and 2 * near_ways - 1 or near_ways)
  end
  return apart <= ways // 2 and apart or nil   -- of the set's lines half may be visited next, so that policies differ
end

-- How often a line may be visited in a trace of `ways` + 1 lines and `spare` more, and behind() for it: so
-- often that what is observed stays on the SM, else it goes through the caches that are asked about;
-- longer where that is too seldom.
local function trace_of(o, level, own, ways, spare)
  -- Links of one piece of a line are visits that data caches behind a page answer alike.
  local longer, reason
  local most = o.longest and 4 * o.longest or math.huge
  local words = math.min(MOST_WORDS, math.max(1, (level.sector or level.line) // o.word))
  repeat
    local visits = (ways + 1) * words + spare
    local behind, why = cleared_between(o, level, own, visits)
    local accesses = behind and visits * (1 + #behind(1))
    if behind and accesses <= math.min(o.kept, most) then return words, behind end
    if behind and accesses <= most and not longer then longer = { words, behind } end
    reason, words = why or "data caches do not hit alike for so many visits", words // 2
  until words < 2
  if longer and spare == 0 then return longer[1], longer[2] end
  return nil, reason
end

-- Lines of the set, more than it holds; at best twice as many and one.
local function lines_of(o, level, ways)
  if not level.fn then return level.conflict end
  local own = members.of(o, level, level.conflict[1], 2 * ways + 1)
  if #own <= ways and #o.nears == 0 then return level.conflict end
  return #own == 2 * ways + 1 and own or lists.slice(own, 1, ways + 1)
end

function M.find(o, level)
  local ways = level.home_ways
  if ways == 1 then return replacement.policy { ways = 1 } end
  if #o.nears > 0 and not level.fn then
    return { doubt = "upper levels hide which of its lines are visited" }
  end
  local own = lines_of(o, level, ways)
  if #own <= ways then return { doubt = "too few lines of a set lie within reach" } end
  local visited, steps
  if o.visits and level.fn and #o.nears == 0 then
    visited, steps = o.visits(level.line, members.of(o, level, level.conflict[1], set_policy.lines(ways)), ways, o.limit)
    ledger.append(level.steps, steps)
  end
  if visited then return visited end
  local spare, words, behind = #own - ways - 1, nil, nil
  if spare > 0 then words, behind = trace_of(o, level, own, ways, spare) end
  local fewest, apart = lists.slice(own, 1, ways + 1), 0
  if not words then
    words, behind = trace_of(o, level, fewest, ways, 0)
    if words then own, spare = fewest, 0 end
  end
  if not words then
    local reason = behind
    apart = apart_of(o, own, ways)
    if not apart then
      own, spare = fewest, 0
      apart = apart_of(o, own, ways)
    end
    if not apart then return { doubt = reason } end
    words = math.min(MOST_WORDS, math.max(1, (level.sector or level.line) // o.word))
    behind = function() return {} end
  end
  local function trace(sequence, warm, passes)
    local used, list, at = {}, {}, {}
    for i, x in ipairs(sequence) do
      used[x] = (used[x] or -1) + 1
      list[#list + 1] = own[x] + used[x] * o.word
      at[i] = #list
      for _, address in ipairs(behind(i)) do list[#list + 1] = address end
    end
    local latencies, hits = o.probe(list, warm, passes), {}
    for pass = 0, passes - 1 do
      for i = 1, #sequence do
        local missed = o.miss(latencies[pass * #list + at[i]])
        if missed ~= nil and missed ~= "nearer" then hits[pass * #sequence + i] = not missed end
      end
    end
    return hits
  end
  return replacement.policy { ways = ways, words = words, spare = spare, trace = trace,
                              stride = 1 + #behind(1), kept = o.kept, apart = apart }
end

return M
