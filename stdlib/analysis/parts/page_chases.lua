-- What translation costs a load: chases of one random line of each of many granules, and means over placements. A mean
-- minus that of the same lines side by side, or visited again, is translation (docs/inference.md).
-- Used by parts/placements.lua. Covered by tests/experiments/eviction_test.cpp.

local lists = use "parts/lists"
local ledger = use "parts/steps"
local M = {}

local LINE = 128
local HALF_LINE = 64          -- bytes: lines begin at multiples of this, so that those of L2s with lines of 64 B lie in all
                              -- sets. In every other set 2 % of 1,030 lines missed an L2 of 8,192
local PLACE = 64 << 10        -- bytes: lines side by side begin at a multiple
local FEWEST, MOST = 4, 6000  -- granules of a chase
local PLACEMENTS = 4          -- of one mean, at least; as many more as its error needs
local OF_GROWTH = 6           -- of a mean whose growth is asked for: two would not tell its error
local MOST_PLACEMENTS = 240
local MOST_OF_POINT = 100      -- of a point of the line of misses: at a spacing that is no granule's they scatter widely
local MOST_OF_STEP = 24       -- where only a side of a step is asked: near the step itself none is enough
local FEW_LINES, OF_FEW = 256, 16  -- placements of fewer lines differ by 0.8 clocks on an H100: so many give 0.2
local OF_MANY = 5             -- of more lines: the median leaves one or two that something disturbed out
local TIMED = 512             -- first visits of a placement that are timed, at least: both clocks and their branch
                              -- take some hundred clocks of all, less than one of each
local OF_LAUNCH = 32          -- lines of the chases that tell what a launch takes besides its loads
local LOST = 10               -- clocks that a load of lines side by side takes more where L2 does not keep them, at least: on
                              -- GPUs it keeps them, and they take 2
local THREADS = 64            -- of a block, which write the links
local WARM = 1                -- rounds before: the links were written, so that L2 has the lines. Those of pairs have the rounds
                              -- of single visits before them, which leave entries in the same order
local MOST_OF_GRANULE = 512   -- places in a granule, one for a line each
local OF_SCATTER = 12         -- that tell by how much single placements differ
local STEP, SURE = 2, 4       -- clocks that a level costs more; standard errors that it must exceed
-- Clocks that placements scatter by where L2 loses some of their lines, at least (H200s: 1.3 at most), and of that scatter,
-- what is left at most without the losses.
local LOSSY, UNEXPLAINED = 4, 0.5

M.FEWEST, M.LINE, M.TIMED, M.WARM, M.STEP, M.SURE = FEWEST, LINE, TIMED, WARM, STEP, SURE

-- Granules in the order of their visits, each by its address: at random. Where one entry of a nearer level translates
-- `nearer` bytes, several granules, one of each such stretch is visited in turn, over and over. A nearer level with fewer
-- entries than stretches misses each visit then; in random order it hits some.
local function in_order(addresses, nearer)
  lists.shuffle(addresses)
  if not nearer then return addresses end
  local groups, of, out = {}, {}, {}
  for _, address in ipairs(addresses) do
    local number = address // nearer
    if not of[number] then
      of[number] = {}
      groups[#groups + 1] = of[number]
    end
    table.insert(of[number], address)
  end
  local turn = 1
  while #out < #addresses do
    for _, group in ipairs(groups) do out[#out + 1] = group[turn] end
    turn = turn + 1
  end
  return out
end

---@class PageChases        chases over one array
---@field bytes integer        -- of the array...
---@field address integer      -- ...and where it begins
---@field threads integer      -- of a block
---@field blocks integer
---@field most integer         -- granules of a chase: more are not translated, or not kept by L2, which keeps twice as
--                               many lines side by side
---@field warm integer         -- rounds before those that are timed
---@field base number?         -- clocks that a translated load takes
---@field nearer integer?      -- bytes of the largest granule of the levels before...
---@field behind_chance boolean?  -- ...of which the last one gives up entries at random
---@field of_launch number     -- clocks of a launch besides those of its loads
---@field side_by_side table<integer, number>           -- what lines side by side cost a load, by their number
---@field known table<string, Placement[]>              -- placements that were asked, by spacing and number
---@field means table<integer, table<integer, number>>  -- the means of these, by spacing and number
---@field at_rest number[]                              -- what loads of lines side by side take
local Chases = {}

local function neighbours(n)
  local granules = {}
  for k = 1, n do granules[k] = k - 1 end
  return granules
end

---@class Walk                what a walk does besides visiting lines in turn
---@field pairs boolean?       -- each line is visited at two of its words in turn, in as many rounds
---@field others integer[]?    -- other lines, chased on another SM meanwhile
---@field other integer?       -- that SM

-- Mean clocks of a load, of `rounds` that are timed; of `pairs` second, the mean of those.
---@param o Walk?
---@return number, number
function Chases:walk(offsets, rounds, o)
  o = o or {}
  local words = probe.kernel {
    name = "walk", arrays = { self.bytes }, bare = true, lists = { offsets, o.others or {} },
    scalars = { #offsets, o.others and #o.others or 0, self.warm, rounds, o.pairs and 1 or 0,
                self.warm > WARM and self.warm or 0, 0, o.other or 0 },
    results = 6, blocks = self.blocks, fewer = o.others and 0 or 1, threads = self.threads,
  }
  self.address = math.tointeger(words[5])
  return words[1] / (rounds * #offsets), words[6] / (2 * rounds * #offsets)
end

-- Where the first whole granule of `spacing` bytes begins...
function Chases:begin(spacing) return -self.address % spacing end

-- ...and how many there are.
function Chases:granules(spacing) return (self.bytes - self:begin(spacing)) // spacing end

-- The offset of a random granule that has `span` neighbours behind it. Its number is a multiple of the next power of two
-- from `span` on, or of the largest that leaves room. Neighbours then spread evenly over sets that parities of address
-- bits select. From other places H100s missed at 2,030 to 2,046 granules of a second level with 2,048 entries.
-- The second result: whether they spread evenly.
---@return integer, boolean
function Chases:any(spacing, span)
  local from, more, aligned = (self.address + self:begin(spacing)) // spacing, self:granules(spacing) - span, 1
  while aligned < span and -from % (2 * aligned) <= more do aligned = aligned * 2 end
  local first = -from % aligned
  return self:begin(spacing) + (first + math.random(0, (more - first) // aligned) * aligned) * spacing, aligned >= span
end

---@return boolean
function Chases:evenly(spacing, span)
  local _, even = self:any(spacing, span)
  return even
end

-- From now on the level behind one of this granule is asked.
function Chases:behind(granule) self.nearer = math.max(self.nearer or 0, granule) end

-- One offset of each stretch of so many bytes in turn, over and over.
function Chases:in_turn(offsets, stretch)
  for i, offset in ipairs(offsets) do offsets[i] = offset + self.address end
  local out = in_order(offsets, stretch)
  for i, address in ipairs(out) do out[i] = address - self.address end
  return out
end

-- Offsets of granules in the order of their visits.
function Chases:ordered(offsets, spacing)
  if not self.nearer or spacing >= self.nearer then return lists.shuffle(offsets) end
  return self:in_turn(offsets, self.nearer)
end

-- What the first visit of each of `lines` takes more than a second one behind it, and what the second takes, in as many
-- rounds of both. Of C clocks of a launch a load has C / (rounds * lines) in the first number, and none in the second.
---@return number, number
function Chases:of_visits(lines, rounds)
  rounds = rounds or math.ceil(TIMED / #lines)
  local once, both = self:walk(lines, rounds, { pairs = true })
  return 2 * (once - both) - self.of_launch / (rounds * #lines), 2 * both - once
end

-- `n` lines side by side anywhere, in order.
function Chases:neighbour_lines(n)
  local place, lines = math.random(0, math.max(0, (self.bytes - n * 512) // PLACE)) * PLACE, {}
  for k = 1, n do lines[k] = place + (k - 1) * 512 + math.random(0, 7) * HALF_LINE end
  return lines
end

-- Clocks of a launch besides those of its loads, from the same lines in few rounds and in many. With 150 clocks on a
-- virtual GPU 244 lines of 3 rounds took 0.1 less than 256 of 2: the entries of a second level came out as 255.97.
function Chases:clocks_of_launch()
  local all = {}
  for i = 1, OF_MANY do
    local lines = self:neighbour_lines(OF_LAUNCH)
    local few, many = self:of_visits(lines, 1), self:of_visits(lines, TIMED // OF_LAUNCH)
    all[i] = (few - many) * OF_LAUNCH / (1 - OF_LAUNCH / TIMED)
  end
  return stats.median(all)
end

-- What of_visits() finds of `n` lines side by side, which are translated: 2 clocks on an H100, of 1 to 256 lines. What is
-- wrong in one is in all means of about as many granules: the median of several.
function Chases:translated(n)
  if not self.side_by_side[n] then
    local all = {}
    for i = 1, n < FEW_LINES and OF_FEW or OF_MANY do
      local first, second = self:of_visits(lists.shuffle(self:neighbour_lines(n)))
      all[i], self.at_rest[#self.at_rest + 1] = first, first + second
    end
    self.side_by_side[n] = stats.median(all)
  end
  return self.side_by_side[n]
end

-- Whether L2 loses some of `n` lines. In order, because few pages of a few KB may be translated: each is missed once.
function Chases:loses(n)
  local all = {}
  for i = 1, OF_MANY do all[i] = self:of_visits(self:neighbour_lines(n)) end
  return stats.median(all) > LOST
end

-- Pages of a few KB are missed side by side, too: then as of fewer lines.
function Chases:side_by_side_of(power)
  while power > 1 and self:translated(power) > LOST do power = power // 2 end
  return self:translated(power)
end

-- The same of any number of lines, between powers of two.
function Chases:of_second(n)
  local power = 1 << lists.log2(n)
  local from = self:side_by_side_of(power)
  if power == n then return from end
  return from + (self:side_by_side_of(2 * power) - from) * (n / power - 1)
end

---@class Placement
---@field cost number       -- clocks that translation costs a load, on average...
---@field load number       -- ...and that a translated one takes
---@field rounds integer    -- that were timed

-- What translation costs loads of `lines`.
---@return Placement
function Chases:translation(lines)
  local rounds = math.ceil(TIMED / #lines)
  local more, second = self:of_visits(lines, rounds)
  local less = self:of_second(#lines)
  return { cost = more - less, load = second + less, rounds = rounds }
end

-- Mean of placements of two lines in each granule, `error`: the standard error that it may have.
---@return number
function Chases:of_two(placed, error)
  return (self:until_known(placed, 2 * PLACEMENTS, function(count, _, reached)
    return count >= MOST_PLACEMENTS or reached <= error
  end))
end

-- What `n` granules cost a load where each is visited at two lines in turn: the second is translated.
---@return number
function Chases:in_pairs(spacing, n, error)
  return self:of_two(function()
    local order, list, first = {}, {}, self:any(spacing, n)
    for k = 1, n do order[k] = first + (k - 1) * spacing end
    for _, granule in ipairs(self:ordered(order, spacing)) do
      local line = math.random(0, spacing // LINE // 2 - 1)
      list[#list + 1] = granule + 2 * line * LINE
      list[#list + 1] = granule + (2 * line + 1) * LINE
    end
    return self:translation(list)
  end, error)
end

-- The same where these lie in both halves of a stretch of 2 * `half` bytes in each granule, and anything is between them.
---@return number
function Chases:in_halves(spacing, n, half, error)
  return self:of_two(function()
    local list, first = {}, self:any(spacing, n)
    for k = 1, n do
      local stretch = first + (k - 1) * spacing + math.random(0, spacing // half // 2 - 1) * 2 * half
      for i = 0, 1 do list[#list + 1] = stretch + i * half + math.random(0, half // HALF_LINE - 1) * HALF_LINE end
    end
    return self:translation(self:ordered(list, half))
  end, error)
end

-- One line of each of `granules`, whose numbers count from a random first one on. `span`: how many granules they lie
-- within.
---@return Placement
function Chases:placed(spacing, granules, span)
  local lines, first = {}, self:any(spacing, span)
  for k, granule in ipairs(granules) do
    lines[k] = first + granule * spacing + math.random(0, spacing // HALF_LINE - 1) * HALF_LINE
  end
  return self:translation(self:ordered(lines, spacing))
end

-- Costs of placements without what L2 loses, and whether it does: where hits keep lines (AGED-2, SRRIP), two new lines of
-- one set displace each other as long as each is visited once a round. Of 512 sets and 17 lines one placement of four had
-- such a pair, which cost 34 clocks a load. In rounds of pairs, r of them, only the first visits of lines miss: where each
-- load loses x clocks, translated ones seem to be x (1 - 1 / r) faster than those of lines side by side, and translation
-- costs x (2 - 1 / r) more.
---@param all Placement[]
---@return number[], boolean
function Chases:without_losses(all)
  local costs, out = {}, {}
  for i, each in ipairs(all) do costs[i] = each.cost end
  if #all < 2 or #self.at_rest == 0 or stats.variance(costs) <= LOSSY ^ 2 then return costs, false end
  local load = stats.median(self.at_rest)
  for i, each in ipairs(all) do
    local share = each.rounds > 1 and (2 - 1 / each.rounds) / (1 - 1 / each.rounds) or 0
    out[i] = each.cost - share * (load - each.load)
  end
  if stats.variance(out) > UNEXPLAINED ^ 2 * stats.variance(costs) then return costs, false end
  return out, true
end

-- Mean and standard error of what placements cost, `least` of them and more until there are enough(count, mean, error).
-- `all`: those that were asked before. Third, whether L2 lost some of their lines.
---@return number, number, boolean
function Chases:until_known(placed, least, enough, all)
  all = all or {}
  while true do
    if #all >= least then
      local costs, lossy = self:without_losses(all)
      local mean, error = stats.mean(costs), math.sqrt(stats.variance(costs) / #costs)
      if enough(#all, mean, error) then return mean, error, lossy end
    end
    all[#all + 1] = placed()
  end
end

-- The same of the granules of `choose`. `decided(mean, error)`: no more placements are needed.
---@return number, number
function Chases:mean_of(spacing, choose, span, least, goal, all, decided, most)
  all = all or {}
  local function enough(count, mean, error)
    return error <= (goal or STEP / SURE) or count >= (most or decided and MOST_OF_STEP or MOST_PLACEMENTS)
      or decided and decided(mean, error)
  end
  local mean, error, lossy = self:until_known(function() return self:placed(spacing, choose(), span) end, least, enough, all)
  if not self.base then
    local loads = {}
    for i, each in ipairs(all) do loads[i] = each.load end
    -- Of the first placements, which have few lines: of many L2 loses some, 2 clocks a load of a virtual GPU.
    self.base = lossy and stats.median(self.at_rest) or stats.mean(loads)
  end
  return mean, error
end

-- The same of `n` neighbouring granules.
---@return number, number
function Chases:of_neighbours(spacing, n, least, goal, all, decided, most)
  return self:mean_of(spacing, function() return neighbours(n) end, n, least, goal, all, decided, most)
end

-- The same, with what was asked of them before: the difference that a spacing makes.
---@return number, number
function Chases:difference(spacing, n, decided)
  local key = spacing .. ":" .. n
  self.known[key] = self.known[key] or {}
  local mean, error = self:of_neighbours(spacing, n, PLACEMENTS, nil, self.known[key], decided)
  self.means[spacing] = self.means[spacing] or {}
  self.means[spacing][n] = mean
  return mean, error
end

-- These differences at one spacing by N, with the probes since `before`.
---@return Shown
function Chases:shown(before, spacing)
  return ledger.since(before, string.format("cost of translation: one random line of each of N granules, %d KB apart",
                                            spacing >> 10), "granules", "clocks",
                      ledger.points(self.means[spacing] or {}))
end

-- The same, measured again.
---@return number, number
function Chases:afresh(spacing, n, decided, goal)
  return self:of_neighbours(spacing, n, OF_GROWTH, goal, nil, decided, goal and MOST_OF_POINT)
end

-- The same until its error is at most `goal`.
---@return number, number
function Chases:precisely(spacing, n, goal) return self:of_neighbours(spacing, n, OF_GROWTH, goal) end

-- By how much single placements of N neighbours differ: the standard deviation.
---@return number
function Chases:scatter(spacing, n)
  local all = {}
  self:of_neighbours(spacing, n, OF_SCATTER, math.huge, all)
  return math.sqrt(stats.variance((self:without_losses(all))))
end

-- `n` lines in `few` of N neighbours from `first` on, several in each.
local function lines_in_few(spacing, n, few, first, chosen)
  local lines = {}
  local each = math.min(spacing // LINE, (n + few - 1) // few)
  for k = 1, few do
    local places = lists.shuffle(neighbours(math.min(spacing // LINE, MOST_OF_GRANULE)))
    local stride = spacing // LINE // #places
    for i = 1, math.min(each, n - #lines) do
      lines[#lines + 1] = first + chosen[k] * spacing + (places[i] * stride + math.random(0, stride - 1)) * LINE
    end
  end
  return lines
end

-- The same of as many lines that lie in `few` of N neighbours, others each time, several in each: lines that a data
-- cache loses, and pages that a buffer holds. `in_turn`: one of each of these is visited, then another one of each.
-- Second, its standard error, at most `goal`.
---@return number, number
function Chases:gathered(spacing, n, few, goal, in_turn)
  local mean, error = self:until_known(function()
    local chosen = lists.shuffle(neighbours(n))
    local lines = lines_in_few(spacing, n, few, self:any(spacing, n), chosen)
    return self:translation(in_turn and self:in_turn(lines, spacing) or lists.shuffle(lines))
  end, OF_GROWTH, function(count, _, reached) return count >= MOST_OF_POINT or reached <= goal end)
  return mean, error
end

-- The same of `left` of N neighbours, others each time, until the error is at most `goal`.
---@return number, number
function Chases:thinned(spacing, n, left, goal)
  return self:mean_of(spacing, function()
    local some = lists.shuffle(neighbours(n))
    for i = #some, left + 1, -1 do some[i] = nil end
    return some
  end, n, OF_GROWTH, goal)
end

-- What was asked counts no longer: a chase has another number of rounds before, or another level is behind.
function Chases:forget() self.known, self.side_by_side = {}, {} end

-- Chases over an array of `bytes`. `kept`: lines that no data cache loses, as far as that is known.
---@return PageChases
function M.new(bytes, device, kept)
  local self = {
    bytes = bytes, threads = math.min(THREADS, math.floor(device.max_threads_per_block)),
    blocks = 2 * math.floor(device.sm_count), most = MOST, warm = WARM, of_launch = 0,
    side_by_side = {}, known = {}, means = {}, at_rest = {},
  }
  for name, method in pairs(Chases) do self[name] = method end
  self:walk({ 0 }, 1)   -- tells the address
  self.of_launch = self:clocks_of_launch()
  -- Lines that L2 does not keep are as late as lines that are not translated: no chase has more than half of those that
  -- it keeps side by side.
  while self.most >= math.max(FEWEST, kept or 0) and self:loses(2 << lists.log2(self.most)) do
    self.most = self.most // 2
  end
  self.most = math.max(self.most, math.min(MOST, kept or 0))
  return self
end

return M
