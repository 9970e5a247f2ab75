-- Grain: the line and the sector of the nearest level of global memory where its sets do not show, because
-- they are hashed or their lines leave at random.
--
-- line: of `count` words at random places next to all are answered, of twice as many far fewer. Then for
-- each distance g, as many pairs of words g apart, one in each half of an aligned piece: where both lie in one line,
-- the level holds what it held of the single words; else as little as of twice as many. No
-- assumption is made about sets but that places at random are spread over them alike.
-- sector: pairs in memory that no cache has yet. The second word is answered at once where the first
-- has brought it in. Covered by tests/runtime/grain_test.cpp.

local lists = use "parts/lists"
local M = {}

local WORD = 8                    -- bytes of a link
local BLOCK = 1024                -- bytes that one place is taken from: no line is as long
local FIRST, MOST = 64, 1 << 18   -- places of a list
local SPREAD = 4                  -- times as many blocks as places
local STEPS = 2                   -- lists to a doubling of the places
local DRAWS, PLACES = 16, 4096    -- lists of a measurement at most, and places of all of them where there are more
local ACCESSES = 32768            -- of a measurement, at least
local RATIO, AGAIN = 6, 4.5        -- by which twice as many places must miss more often; when asked again
local SAME, OTHER = 0.5, 0.7    -- of that rise: up to here a pair is in one line, from here on in two
local RISE, CLOCKS = 0.02, 4      -- the least rise, of the latency and in clocks

-- Different numbers below `n`, `count` of them, in random order.
local function some_of(n, count)
  local taken, out = {}, {}
  while #out < count do
    local number = math.random(0, n - 1)
    if not taken[number] then taken[number], out[#out + 1] = true, number end
  end
  return out
end

-- A word of each of `count` blocks of `blocks`. With `apart`, then another one of each, in the same order, so
-- that all other places lie between the visits of a pair: both are in one aligned piece of twice `apart`, one in
-- each half of it. Nothing else of their addresses is alike.
local function places(count, blocks, apart)
  local list = {}
  for i, block in ipairs(some_of(blocks, count)) do
    list[i] = block * BLOCK + math.random(0, BLOCK // WORD - 1) * WORD
  end
  for i = 1, apart and count or 0 do list[count + i] = list[i] ~ apart end
  return list
end

-- mean(count, blocks, apart): the average latency of such lists at rest, of several where they are short;
-- error(count): what chance moves it by.
local function meter(average, scatter)
  local function mean(count, blocks, apart)
    local sum, draws = 0, math.max(1, math.min(DRAWS, PLACES // count))
    for _ = 1, draws do
      local list = places(count, blocks, apart)
      sum = sum + average(list, math.max(1, ACCESSES // (draws * #list)))
    end
    return sum / draws
  end
  return mean, function(count) return 4 * scatter / math.sqrt(count) + 0.1 end
end

-- How many places show it, and what few take: { count, base }. Of small numbers the largest of which twice as many
-- still miss RATIO times as often: then the rise is large. nil where there are none.
local function telling(mean, error, most)
  local counts, means, found, k = {}, {}, nil, 0
  while true do
    local count = math.floor(FIRST * 2 ^ (k / STEPS) + 0.5)
    if count * SPREAD // 2 * BLOCK > most or count > MOST then return found end
    counts[k], means[k] = count, mean(count, count * SPREAD // 2)
    local half = k - STEPS
    if half > STEPS then
      local base = found and found.base or stats.median(lists.slice(means, 0, half - 1))
      local some, rise = math.max(0, means[half] - base), means[k] - base
      if rise >= math.max(CLOCKS, RISE * base) and rise >= 4 * error(counts[half]) then
        if rise < RATIO * some then return found end
        found = { count = counts[half], base = base }
        if found.count >= PLACES then return found end
      end
    end
    k = k + 1
  end
end

-- The share of the rise that pairs so far apart show, for each distance; nil where twice as many
-- places, asked again over as many blocks, do not tell.
local function shares(mean, error, found)
  local blocks = SPREAD * found.count
  local few, many = mean(found.count, blocks), mean(2 * found.count, blocks)
  local rise, some = many - found.base, math.max(0, few - found.base)
  if rise < AGAIN * some or rise < 4 * error(found.count) then return nil end
  local out, apart = {}, WORD
  while 2 * apart <= BLOCK do
    out[#out + 1] = { apart = apart, share = (mean(found.count, blocks, apart) - found.base) / rise }
    apart = apart * 2
  end
  return out
end

-- The first distance at which pairs lie in two lines, where all shorter ones lie in one and all
-- longer ones in two.
local function first_apart(list)
  local line
  for _, each in ipairs(list) do
    if each.share > SAME and each.share < OTHER then
      return nil, string.format("pairs %d B apart are neither in one line nor in two", each.apart)
    end
    local two = each.share >= OTHER
    if line and not two then return nil, "pairs at larger distances share a line, pairs at smaller ones do not" end
    if two then line = line or each.apart end
  end
  if not line then return nil, string.format("words up to %d B apart share what is held", BLOCK // 2) end
  if line == WORD then return nil, "no two words share what is held" end
  return line
end

-- average(list, passes), scatter of one latency, `most` bytes. The line in bytes and a note; else nil and
-- the reason.
function M.line(average, scatter, most)
  local mean, error = meter(average, scatter)
  local found = telling(mean, error, most)
  if not found then return nil, "no number of places at random overflows it at once" end
  local list = shares(mean, error, found)
  if not list then return nil, "places at random overflow it now and then" end
  local line, why = first_apart(list)
  if not line then return nil, why end
  return line, string.format("%d pairs of words at smaller distances take as much room as %d words, " ..
                             "pairs so far apart as %d", found.count, found.count, 2 * found.count)
end

local PAIRS = 192                    -- of each kind
local FARTHEST = 2048                -- bytes between the words of a pair
local PLACE = 4096                   -- bytes that one pair is taken from
local ODD = 7919                     -- a prime: pairs that follow each other lie far apart
local SLACK = 0.1                    -- of its latency: what a hit may take longer
local CLOCKS_SLACK = 4               -- and of a latency of few clocks
local CLEAR = 0.9                    -- of the pairs of a kind: it is decided

-- The kinds of pairs: { first, second }, places in a block.
local function kinds()
  local out, apart = {}, WORD
  while apart <= FARTHEST do
    out[#out + 1] = { apart = apart, first = 0, second = apart }
    out[#out + 1] = { apart = apart, first = apart, second = 0 }
    -- Across a boundary, as near as can be.
    out[#out + 1] = { apart = apart, first = apart - WORD, second = apart, across = true }
    apart = apart * 2
  end
  return out
end

-- A word in the sector of the second one of a pair, which is none of the pair: a hit by the time it is visited.
local function beside(kind)
  local word = kind.second ~ WORD
  return word ~= kind.first and word or kind.second ~ 2 * WORD
end

-- By kind, what the second words take, and what the words beside them: one chase, in which `fresh` lines are visited before
-- the pairs, so that no cache has these any more. A long chase records its latencies elsewhere than a short one, which
-- costs some clocks: hits are timed in it, too, all over the memory.
local function seconds_of(ask, fresh, from)
  local list, which = lists.slice(fresh, 1, #fresh), {}
  local all = kinds()
  for i = 1, #all * PAIRS do
    local kind, block = all[(i - 1) % #all + 1], (i * ODD) % (#all * PAIRS)
    for _, word in ipairs { kind.first, kind.second, beside(kind) } do list[#list + 1] = from + block * PLACE + word end
    which[#list - 1] = kind
    kind.pairs = kind.pairs or {}
  end
  local hits = {}
  for i, latency in ipairs(ask(list, 0, 1)) do
    local of_second, of_hit = which[i], which[i - 1]
    if of_second then table.insert(of_second.pairs, { second = latency }) end
    if of_hit then
      of_hit.pairs[#of_hit.pairs].hit = latency
      hits[#hits + 1] = latency
    end
  end
  return all, hits
end

-- Bytes that the pairs take.
function M.room() return #kinds() * PAIRS * PLACE end

-- What share of the pairs of a kind says of all of them: true, false, or nil where they differ.
local function most_of(kind, holds)
  local count = 0
  for _, pair in ipairs(kind.pairs) do count = holds(pair) and count + 1 or count end
  local share = count / #kind.pairs
  if share >= CLEAR then return true end
  if share <= 1 - CLEAR then return false end
  return nil
end

-- Whether the second words of a kind were answered: none takes longer than `limit`, what a hit takes at most. Where the
-- far side of L2 answers as late as memory on the near side, each takes no longer than a hit at its place.
local function answered(kind, limit)
  local hit = most_of(kind, function(pair) return pair.second <= limit end)
  if hit ~= nil then return hit end
  return most_of(kind, function(pair) return pair.second <= pair.hit + math.max(CLOCKS_SLACK, SLACK * pair.hit) end)
end

-- What an answer of a level takes at most, from some of them.
function M.slowest(hits) return stats.quantile(hits, 0.99) + math.max(CLOCKS_SLACK, SLACK * stats.median(hits)) end

-- ask(list, warm, passes); `fresh`: addresses that clear all caches; `from`: where memory begins that is not
-- among them; `hits`: latencies of what the level holds. The sector in bytes and a note; else nil and why.
function M.sector(ask, fresh, from, hits)
  local all, again = seconds_of(ask, fresh, from)
  local sector, limit = FARTHEST * 2, math.max(M.slowest(hits), M.slowest(again))
  for _, kind in ipairs(all) do
    kind.hit = answered(kind, limit)
    if kind.hit == nil then
      return nil, string.format("a word %d B from one that memory served hits now and then", kind.apart)
    end
    if not kind.hit and not kind.across then sector = math.min(sector, kind.apart) end
  end
  for _, kind in ipairs(all) do
    if kind.hit ~= (kind.apart < sector) and not (kind.across and kind.apart < sector) then
      return nil, string.format("a miss loads no aligned piece of memory: of words %d B apart %s hits",
                                kind.apart, kind.hit and "one" or "none")
    end
  end
  if sector > FARTHEST then return nil, string.format("a miss loads %d B or more", 2 * FARTHEST) end
  if sector == WORD then return nil, "a miss loads nothing that hits later" end
  return sector, string.format("of %d pairs of words in fresh memory, the second one hits where it lies in " ..
                               "the same %d B", #all * PAIRS, sector)
end

return M
