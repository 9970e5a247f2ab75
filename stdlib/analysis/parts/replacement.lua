-- Replacement: how a full set chooses the line that leaves it, from visits to the lines of one set.
-- Models of the deterministic policies predict which visits hit; where none of them is right, the
-- ways that lose their lines are counted. Covered by tests/runtime/cache_inference_test.cpp.

local policies = use "parts/policies"
local M = {}

local WARM = 8
local ENDING = 2        -- times the lines: visits at the end of a sequence without its first lines
local BEHIND = 8192     -- accesses of one where what clears nearer levels makes a single pass longer

-- Passes over a list of `length` that are observed: a divisor of WARM, so that a region that is run
-- some times before it is observed warms exactly as long as the models do.
local function observed_passes(length, stride, kept)
  local passes, most = WARM, length * stride > kept and BEHIND or kept
  while passes > 1 and passes * length * stride > most do passes = passes // 2 end
  return passes
end

local function settled(row, ways, sequence, before, warm)
  local access = row.make(ways)
  for _, x in ipairs(before) do access(x) end
  for _ = 1, warm do
    for _, x in ipairs(sequence) do access(x) end
  end
  return access
end

local function predict(row, ways, sequence)
  local access, hits = settled(row, ways, sequence, {}, 2), {}
  for _ = 1, 2 do
    for _, x in ipairs(sequence) do hits[#hits + 1] = access(x) end
  end
  return hits
end

local function agreement(predicted, observed)
  local same, known = 0, 0
  for i, hit in ipairs(predicted) do
    if observed[i] ~= nil then
      known = known + 1
      if observed[i] == hit then same = same + 1 end
    end
  end
  return known >= #predicted / 4 and same / known or 0
end

-- Whether a line may be visited after a sequence, between two visits of which `apart` other lines are visited at least:
-- in the next pass, too, which begins with the lines in their order. Near its end the first ones wait for that.
local function far_enough(x, sequence, apart, ending)
  if ending and x <= apart then return false end
  local seen, count = {}, 0
  for i = #sequence, 1, -1 do
    if count == apart then return true end
    if sequence[i] == x then return false end
    if not seen[sequence[i]] then seen[sequence[i]], count = true, count + 1 end
  end
  return true
end

-- A sequence without the last visits of lines that the next pass, which begins with the lines in their order, visits again
-- before `apart` others.
local function apart_from_next(sequence, apart)
  for i = #sequence, 1, -1 do
    local x, others, count = sequence[i], {}, 0
    if x <= apart then
      for k = 1, x - 1 do others[k], count = true, count + 1 end
      for k = i + 1, #sequence do
        local y = sequence[k]
        if y == x then count = apart end   -- a later visit is the last one
        if not others[y] then others[y], count = true, count + 1 end
      end
      if count < apart then
        table.remove(sequence, i)
        return apart_from_next(sequence, apart)
      end
    end
  end
  return sequence
end

-- A random sequence over `lines` lines, each visited `words` times at most; `recent`: often one of the last ones.
local function random_sequence(ways, lines, words, recent, apart)
  local left, sequence, visits = {}, {}, lines * (words - 1)
  for x = 1, lines do sequence[x], left[x] = x, words - 1 end
  for i = 1, visits do
    local x = math.random(lines)
    if recent and math.random(3) > 1 then x = sequence[#sequence - math.random(math.min(#sequence, ways)) + 1] end
    if left[x] > 0 and (apart == 0 or far_enough(x, sequence, apart, i > visits - ENDING * lines)) then
      sequence[#sequence + 1] = x
      left[x] = left[x] - 1
    end
  end
  return apart_from_next(sequence, apart)
end

-- Of some random sequences the one whose hits tell the policies that are left apart best, and the
-- share of its visits in which the two that are most alike differ. It ends with `spare` further lines:
-- where they are as many as the ways, all of them miss, and what the set held before is forgotten.
local function telling_sequence(ways, words, rows, spare, apart)
  local best, most = nil, -1
  for try = 1, math.max(4, math.min(16, 256 // ways)) do
    local sequence = random_sequence(ways, ways + 1, words, try % 2 == 0, apart)
    for x = ways + 2, ways + 1 + spare do sequence[#sequence + 1] = x end
    local hits, least = {}, 1
    for i, row in ipairs(rows) do
      hits[i] = predict(row, ways, sequence)
      for k = 1, i - 1 do least = math.min(least, 1 - agreement(hits[k], hits[i])) end
    end
    if least > most then best, most = sequence, least end
  end
  return best, most
end

-- The share of the observed visits that a model predicts; it stops where a tenth is wrong.
local function followed(access, sequence, passes, observed)
  local same, known, at = 0, 0, 0
  for _ = 1, passes do
    for _, x in ipairs(sequence) do
      at = at + 1
      local hit = access(x)
      if observed[at] ~= nil then
        known = known + 1
        if observed[at] == hit then same = same + 1 end
      end
    end
    if known - same > 0.1 * known + 4 then break end
  end
  return known >= at / 4 and same / known or 0
end

-- What a set held before decides for long which line is in which way, and under some policies that
-- decides which lines leave: those are tried from many beginnings.
local STARTS = { PLRU = 240, NRU = 120, SRRIP = 60, FIFO = 24, ["SLRU-1"] = 12, ["SLRU-2"] = 12, ["SLRU-half"] = 12 }
local QLRU_STARTS = 24    -- of each of a dozen...
local NEARLY, MORE_STARTS = 0.95, 240   -- ...and of one that predicts nearly all, which the right one does from most
local FEW_STARTS = 4      -- where what was visited last is all that counts

-- The share of visits that a policy predicts, at its best over what the set may have held before.
local function score(row, ways, sequence, passes, observed, enough)
  local best, quad_age = 0, policies.is_quad_age(row.name)
  local few = STARTS[row.name] or quad_age and QLRU_STARTS or FEW_STARTS
  for start = 1, quad_age and MORE_STARTS or few do
    if start > few and best < NEARLY then break end
    local before = {}
    if start > 1 then
      for i = 1, 2 * ways do before[i] = start % 4 == 0 and -i or math.random(ways + 1) end
      for _ = 1, 2 * ways do before[#before + 1] = math.random(ways + 1) end
    end
    local access = settled(row, ways, sequence, before, start % 2 == 0 and WARM or 2)
    best = math.max(best, followed(access, sequence, passes, observed))
    if best >= enough then break end
  end
  return best
end

-- A policy that is wrong so many times as often as the best one, and in a share of visits more, is not it.
local CLEARLY, ROUNDING = 4, 0.004

-- The deterministic policies that predict the hits of several sequences; `doubtful` where one of
-- them is neither right nor wrong. Outliers that look like misses are the only excuse.
local function deterministic(o, spare)
  local ways, trace = o.ways, o.trace
  local rows, doubtful = policies.distinct(ways), false
  for round = 1, 6 do
    local sequence, apart = telling_sequence(ways, math.min(o.words, 8), rows, spare, o.apart)
    local passes = observed_passes(#sequence, o.stride, o.kept)
    local observed, left = trace(sequence, WARM, passes), {}
    local right, shares, top = 1 - math.max(0.003, math.min(0.01, apart / 4)), {}, 0
    for i, row in ipairs(rows) do
      shares[i] = score(row, ways, sequence, passes, observed, right)
      top = math.max(top, shares[i])
    end
    for i, row in ipairs(rows) do
      if shares[i] >= right then left[#left + 1] = row
      elseif shares[i] >= 2 * right - 1 and 1 - shares[i] < CLEARLY * (1 - top) + ROUNDING then doubtful = true end
    end
    rows = left
    -- One more than needed: the last sequence is a prediction by a single policy.
    if #rows == 0 or #rows == 1 and round >= 3 then break end
  end
  local names = {}
  for i, row in ipairs(rows) do names[i] = row.name end
  return names, doubtful
end

-- The stretches of a round trace over `n` lines without an unknown visit: the lines that missed.
local function known_stretches(hits, length, n)
  local out, missed = {}, {}
  for i = 1, length do
    if hits[i] == nil then
      out[#out + 1], missed = missed, {}
    elseif not hits[i] then
      missed[#missed + 1] = (i - 1) % n + 1
    end
  end
  out[#out + 1] = missed
  return out
end

-- The ways that lost their lines, from the lines that missed in a round trace over ways + 1 lines: at
-- every moment one line is out, and the next one that misses is the one that the last miss threw
-- out. Ways are numbered in the order in which they first lose a line.
local function victims(ways, missed)
  local way, order, known = {}, {}, 0
  for i = 1, #missed - 1 do
    local came, left = missed[i], missed[i + 1]
    if came == left then return nil end
    if not way[left] then
      known = known + 1
      if known > ways then return nil end
      way[left] = known
    end
    order[#order + 1] = way[left]
    way[came], way[left] = way[left], nil
  end
  return order
end

-- What some stretches say together about choices that do not depend on each other: how often a way
-- follows itself against how often it should, the sum of chi-squares against equal shares, and the
-- shares of the longest stretch. How often it should is told by how often two victims of a stretch are of one way:
-- that has no bias, however short the stretch.
local function summary(ways, orders)
  local sum = { repeats = 0, expected = 0, spread = 0, chi = 0, freedom = 0, count = 0, longest = 0 }
  for _, order in ipairs(orders) do
    local times, pairs_alike = {}, 0
    for w = 1, ways do times[w] = 0 end
    for i, w in ipairs(order) do
      times[w] = times[w] + 1
      if w == order[i - 1] then sum.repeats = sum.repeats + 1 end
    end
    for w = 1, ways do
      pairs_alike = pairs_alike + times[w] * (times[w] - 1) / 2
      sum.chi = sum.chi + (times[w] * ways / #order - 1) ^ 2 * #order / ways
    end
    local alike = pairs_alike / (#order * (#order - 1) / 2)
    sum.expected = sum.expected + (#order - 1) * alike
    sum.spread = sum.spread + (#order - 1) * alike * (1 - alike) + 2 * alike
    sum.freedom, sum.count = sum.freedom + ways - 1, sum.count + #order
    if #order > sum.longest then
      sum.longest, sum.share = #order, {}
      for w = 1, ways do sum.share[w] = times[w] / #order end
    end
  end
  return sum
end

-- Whether victims depend on the one before: by chance 1 of 10000 sets seems to.
local function dependent(sum) return math.abs(sum.repeats - sum.expected) > 4 * math.sqrt(sum.spread) + 3 end

-- How many times as often one way must give up its line as each other one to be told from equal shares: else those are
-- not stated. Of many ways each is counted less often.
local UNEQUAL = { { ways = 8, times = 1.25 }, { ways = 32, times = 2 }, { ways = math.huge, times = 4 } }
local function unequal(ways)
  for _, each in ipairs(UNEQUAL) do
    if ways <= each.ways then return each.times end
  end
end

-- The sum of chi-squares that equal shares stay below, but for 1 in 1000 sets...
local function most_alike(sum) return sum.freedom + 3.5 * math.sqrt(2 * sum.freedom) + 3 end

-- ...and whether shares that are not equal exceed it, but for 1 in 700: their sum is greater by `more`, with the variance
-- of a noncentral chi-square.
local function would_show(sum, ways)
  local times = unequal(ways)
  local often, else_ = times / (ways - 1 + times), 1 / (ways - 1 + times)
  local more = sum.count * ways * ((often - 1 / ways) ^ 2 + (ways - 1) * (else_ - 1 / ways) ^ 2)
  return sum.freedom + more - 3 * math.sqrt(2 * (sum.freedom + 2 * more)) >= most_alike(sum)
end

-- ...which unequal shares have to exceed by more, as it is asked after each trace.
local function least_unequal(sum) return sum.freedom + 7 * math.sqrt(2 * sum.freedom) + 12 end

local ENOUGH = 60        -- victims for each way, of which one in as many as there are ways is of the one before
local ACCESSES = 4e6     -- of round traces of one length
local LEAST_VICTIMS = 8  -- of a stretch
local BROKEN = 0.1       -- of the stretches, that may contradict themselves: what disturbs a set made a line leave

-- Passes in which the lines that a set held before have left it: parts/eviction_rest.lua has the formula.
local function settling(ways) return math.ceil(ways / 2 * (3 + math.log(ways))) end

-- What stretches of victims from round traces of so many visits say, when there are enough of them or it took too long.
-- nil: they were too short, or contradict each other.
local function observed_victims(ways, trace, stride, visits)
  local round, n, orders, count, broken = {}, ways + 1, {}, 0, 0
  for x = 1, n do round[x] = x end
  local passes = math.max(16, math.min(512, visits // (n * stride)))
  local sum
  trace(round, settling(ways), 1)
  for _ = 1, ACCESSES // (n * stride * (passes + WARM // 2)) do
    for _, missed in ipairs(known_stretches(trace(round, WARM // 2, passes), passes * n, n)) do
      local order = #missed > LEAST_VICTIMS and victims(ways, missed)
      if order then orders[#orders + 1], count = order, count + #order
      elseif order == nil then broken = broken + 1 end
    end
    if count == 0 or broken > 1 + BROKEN * #orders then break end
    if count >= ENOUGH * ways then
      sum = summary(ways, orders)
      if would_show(sum, ways) or sum.chi >= least_unequal(sum) then break end
    end
  end
  return broken <= 1 + BROKEN * #orders and sum or nil
end

local LONG = 60000    -- accesses of the trace from which unequal shares are counted
local LONGEST = 160000   -- of traces behind what clears nearer levels

-- Shares of the ways from one stretch as long as can be: ways are told apart only within one. A shorter
-- one stands in where the long one does not hold together.
local function fine_shares(ways, trace, stride, short)
  local round, n = {}, ways + 1
  for x = 1, n do round[x] = x end
  local passes, best = math.max(16, LONG // (n * stride)), short
  for _, missed in ipairs(known_stretches(trace(round, 4, passes), passes * n, n)) do
    local order = #missed > best.longest and victims(ways, missed)
    if order then best = summary(ways, { order }) end
  end
  return best.share, best.longest
end

-- What victims say that some traces show.
local function concluded(ways, trace, stride, sum)
  local alike = sum.chi <= most_alike(sum)
  if alike and would_show(sum, ways) then return { name = "random", unequal = unequal(ways) } end
  if alike or sum.chi < least_unequal(sum) then
    return { doubt = "random with equal or with unequal shares of the ways" }
  end
  local shares, count = fine_shares(ways, trace, stride, sum)
  table.sort(shares, function(a, b) return a > b end)
  return { name = "non-LRU", shares = shares, count = count }
end

-- From the traces that tell most first: of a level that no other hides those that stay on the SM, as the record of a longer
-- one may take ways; else long ones, of which single passes are long.
local function stochastic(ways, trace, stride, kept)
  local out = { doubt = "no policy that is known predicts which line leaves" }
  for _, visits in ipairs(stride == 1 and { kept, LONG } or { LONGEST, BEHIND }) do
    local sum = observed_victims(ways, trace, stride, visits)
    if sum and dependent(sum) then
      out = { doubt = "the line that leaves depends on the one before, as no known policy predicts" }
    elseif sum then
      out = concluded(ways, trace, stride, sum)
      if not out.doubt then break end
    end
  end
  return out
end

-- The policy of a set: { name, shares (of victims by way, largest first) } or { doubt = "reason" }.
--   ways; words: how often a line can be visited in a sequence
--   trace(sequence, warm, passes): for each visit of the observed passes true (hit), false or nil;
--     a sequence holds numbers of lines from 1 to ways + 1, each at most `words` times, and of `spare`
--     further ones, each once
--   stride: accesses that stand for one visit
--   kept: accesses that are observed without disturbing what is asked
--   apart: other lines between two visits of one, at least, so that no nearer cache answers: 0, but where nothing
--     clears those
function M.policy(o)
  if o.ways == 1 then return { none = "a set has one line: there is nothing to choose" } end
  if o.words < 2 then
    return { doubt = "LRU and FIFO differ only where a line is visited twice, and a line is one word" }
  end
  local names, doubtful = deterministic(o, 0)
  -- What the set held before may be why none is right, or none clearly.
  if (#names ~= 1 or doubtful) and o.spare > 0 then names, doubtful = deterministic(o, o.spare) end
  if #names == 1 and not doubtful then return { name = names[1] } end
  if #names > 1 then return { doubt = table.concat(names, " or ") .. ": both predict every visit" } end
  local chance = stochastic(o.ways, o.trace, o.stride, o.kept)
  if doubtful and chance.doubt then return { doubt = "a policy predicts nearly every visit, but not all" } end
  return chance
end

return M
