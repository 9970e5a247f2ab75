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

-- Asks about an array of `bytes`. `kept`: lines that no data cache loses, as far as that is known.
function M.new(bytes, device, kept)
  local m = { bytes = bytes, threads = math.min(THREADS, math.floor(device.max_threads_per_block)),
              blocks = 2 * math.floor(device.sm_count) }
  -- Mean clocks of a load, of `rounds` that are timed. `pairs`: then each line is visited at two of its words in turn, in
  -- as many rounds; second, the mean of those.
  ---@param o { pairs: boolean?, others: integer[]?, other: integer? }?  -- other lines, chased on another SM meanwhile
  local function walk(offsets, rounds, o)
    o = o or {}
    local words = probe.kernel {
      name = "walk", arrays = { bytes }, bare = true, lists = { offsets, o.others or {} },
      scalars = { #offsets, o.others and #o.others or 0, m.warm, rounds, o.pairs and 1 or 0, m.warm > WARM and m.warm or 0,
                  0, o.other or 0 },
      results = 6, blocks = m.blocks, fewer = o.others and 0 or 1, threads = m.threads,
    }
    m.address = math.tointeger(words[5])
    return words[1] / (rounds * #offsets), words[6] / (2 * rounds * #offsets)
  end
  m.walk, m.most, m.warm = walk, MOST, WARM
  walk({ 0 }, 1)   -- tells the address
  -- Where the first whole granule of `spacing` bytes begins; how many there are.
  local function begin(spacing) return -m.address % spacing end
  function m.granules(spacing) return (bytes - begin(spacing)) // spacing end
  -- The offset of a random one of which `span` neighbours exist, at a multiple of a power of two that is no less than
  -- they are, or of the largest that there is. From there on neighbours lie evenly over sets that parities of address
  -- bits select. From other places H100s miss at 2,030 to 2,046 granules, of a second level of 2,048 entries.
  -- Second, whether they lie evenly.
  local function any(spacing, span)
    local from, more, aligned = (m.address + begin(spacing)) // spacing, m.granules(spacing) - span, 1
    while aligned < span and -from % (2 * aligned) <= more do aligned = aligned * 2 end
    local first = -from % aligned
    return begin(spacing) + (first + math.random(0, (more - first) // aligned) * aligned) * spacing, aligned >= span
  end
  function m.evenly(spacing, span)
    local _, even = any(spacing, span)
    return even
  end
  m.begin = begin
  local nearer   -- bytes of the largest granule of the levels before
  function m.behind(granule) nearer = math.max(nearer or 0, granule) end
  -- Offsets of granules in the order of their visits.
  local function ordered(offsets, spacing)
    if not nearer or spacing >= nearer then return lists.shuffle(offsets) end
    for i, offset in ipairs(offsets) do offsets[i] = offset + m.address end
    local out = in_order(offsets, nearer)
    for i, address in ipairs(out) do out[i] = address - m.address end
    return out
  end
  local of_launch = 0   -- clocks of a launch besides those of its loads
  -- What the first visit of each of `lines` takes more than a second one behind it, and what the second takes, in as many
  -- rounds of both. Of C clocks of a launch a load has C / (rounds * lines) in the first number, and none in the second.
  local function of_visits(lines, rounds)
    rounds = rounds or math.ceil(TIMED / #lines)
    local once, both = walk(lines, rounds, { pairs = true })
    return 2 * (once - both) - of_launch / (rounds * #lines), 2 * both - once
  end
  -- `n` lines side by side anywhere, in order.
  local function neighbour_lines(n)
    local place, lines = math.random(0, math.max(0, (bytes - n * 512) // PLACE)) * PLACE, {}
    for k = 1, n do lines[k] = place + (k - 1) * 512 + math.random(0, 7) * HALF_LINE end
    return lines
  end
  -- From the same lines in few rounds and in many. With 150 clocks on a virtual GPU 244 lines of 3 rounds took 0.1 less
  -- than 256 of 2: the entries of a second level came out as 255.97.
  local function clocks_of_launch()
    local all = {}
    for i = 1, OF_MANY do
      local lines = neighbour_lines(OF_LAUNCH)
      local few, many = of_visits(lines, 1), of_visits(lines, TIMED // OF_LAUNCH)
      all[i] = (few - many) * OF_LAUNCH / (1 - OF_LAUNCH / TIMED)
    end
    return stats.median(all)
  end
  of_launch = clocks_of_launch()
  -- The same of `n` lines side by side, which are translated: 2 clocks on an H100, of 1 to 256 lines. What is wrong in
  -- one is in all means of about as many granules: the median of several.
  local side_by_side = {}
  local function translated(n)
    if not side_by_side[n] then
      local all = {}
      for i = 1, n < FEW_LINES and OF_FEW or OF_MANY do
        all[i] = of_visits(lists.shuffle(neighbour_lines(n)))
      end
      side_by_side[n] = stats.median(all)
    end
    return side_by_side[n]
  end
  -- Whether L2 loses some of `n` lines. In order, because few pages of a few KB may be translated: each is missed once.
  local function loses(n)
    local all = {}
    for i = 1, OF_MANY do all[i] = of_visits(neighbour_lines(n)) end
    return stats.median(all) > LOST
  end
  -- Pages of a few KB are missed side by side, too: then as of fewer lines.
  local function side_by_side_of(power)
    while power > 1 and translated(power) > LOST do power = power // 2 end
    return translated(power)
  end
  local function of_second(n)
    local power = 1 << lists.log2(n)
    local from = side_by_side_of(power)
    if power == n then return from end
    return from + (side_by_side_of(2 * power) - from) * (n / power - 1)
  end
  -- What translation costs a load of `lines`, on average, and what a translated one takes.
  local function translation(lines)
    local more, second = of_visits(lines)
    local less = of_second(#lines)
    return more - less, second + less
  end
  -- What `n` granules cost a load where each is visited at two lines in turn: the second is translated. `error`:
  -- the standard error that it may have.
  function m.in_pairs(spacing, n, error)
    local all, i = {}, 0
    while i < 2 * PLACEMENTS or i < MOST_PLACEMENTS and math.sqrt(stats.variance(all) / i) > error do
      i = i + 1
      local order, list, first = {}, {}, any(spacing, n)
      for k = 1, n do order[k] = first + (k - 1) * spacing end
      for _, granule in ipairs(ordered(order, spacing)) do
        local line = math.random(0, spacing // LINE // 2 - 1)
        list[#list + 1] = granule + 2 * line * LINE
        list[#list + 1] = granule + (2 * line + 1) * LINE
      end
      all[i] = translation(list)
    end
    return stats.mean(all)
  end
  -- What one placement of granules costs a load, and what a translated load takes: one line of each of `granules`,
  -- whose numbers count from a random first one on. `span`: how many granules they lie within.
  local function placed(spacing, granules, span)
    local lines, first = {}, any(spacing, span)
    for k, granule in ipairs(granules) do
      lines[k] = first + granule * spacing + math.random(0, spacing // HALF_LINE - 1) * HALF_LINE
    end
    return translation(ordered(lines, spacing))
  end
  -- Mean and standard error of what the granules of `choose` cost, of `least` placements or more. `all`: placements
  -- that were asked before; `decided(mean, error)`: no more are needed.
  local function mean_of(spacing, choose, span, least, goal, all, decided, most)
    local base, mean, error = {}, nil, math.huge
    all = all or {}
    local function known_well()
      if #all < least then return false end
      mean, error = stats.mean(all), math.sqrt(stats.variance(all) / #all)
      return error <= (goal or STEP / SURE) or #all >= (most or decided and MOST_OF_STEP or MOST_PLACEMENTS)
        or decided and decided(mean, error)
    end
    while not known_well() do all[#all + 1], base[#base + 1] = placed(spacing, choose(), span) end
    -- Of the first placements, which have few lines: of many L2 loses some, 2 clocks a load of a virtual GPU.
    m.base = m.base or stats.mean(base)
    return mean, error
  end
  local function neighbours(n)
    local granules = {}
    for k = 1, n do granules[k] = k - 1 end
    return granules
  end
  local known, means = {}, {}
  -- The same of N neighbouring granules: the difference that a spacing makes.
  function m.difference(spacing, n, decided)
    local key = spacing .. ":" .. n
    known[key] = known[key] or {}
    local mean, error = mean_of(spacing, function() return neighbours(n) end, n, PLACEMENTS, nil, known[key], decided)
    means[spacing] = means[spacing] or {}
    means[spacing][n] = mean
    return mean, error
  end
  -- These differences at one spacing by N, with the probes since `before`.
  function m.shown(before, spacing)
    return ledger.since(before, string.format("cost of translation: one random line of each of N granules, %d KB apart",
                                              spacing >> 10), "granules", "clocks", ledger.points(means[spacing] or {}))
  end
  -- The same, measured again.
  function m.afresh(spacing, n, decided, goal)
    return mean_of(spacing, function() return neighbours(n) end, n, OF_GROWTH, goal, nil, decided, goal and MOST_OF_POINT)
  end
  -- The same until its error is at most `goal`.
  function m.precisely(spacing, n, goal)
    return mean_of(spacing, function() return neighbours(n) end, n, OF_GROWTH, goal)
  end
  -- By how much single placements of N neighbours differ: the standard deviation.
  function m.scatter(spacing, n)
    local all = {}
    mean_of(spacing, function() return neighbours(n) end, n, OF_SCATTER, math.huge, all)
    return math.sqrt(stats.variance(all))
  end
  -- The same of as many lines that lie in `few` of N neighbours, others each time, several in each: lines that a data
  -- cache loses, and pages that a buffer holds. Second, its standard error, at most `goal`.
  function m.gathered(spacing, n, few, goal)
    local all = {}
    local function known_well()
      return #all >= OF_GROWTH and (#all >= MOST_OF_POINT or math.sqrt(stats.variance(all) / #all) <= goal)
    end
    while not known_well() do
      local chosen, first, lines = lists.shuffle(neighbours(n)), any(spacing, n), {}
      local each = math.min(spacing // LINE, (n + few - 1) // few)
      for k = 1, few do
        local places = lists.shuffle(neighbours(math.min(spacing // LINE, MOST_OF_GRANULE)))
        local stride = spacing // LINE // #places
        for i = 1, math.min(each, n - #lines) do
          lines[#lines + 1] = first + chosen[k] * spacing + (places[i] * stride + math.random(0, stride - 1)) * LINE
        end
      end
      all[#all + 1] = translation(lists.shuffle(lines))
    end
    return stats.mean(all), math.sqrt(stats.variance(all) / #all)
  end
  -- The same of `left` of N neighbours, others each time, until the error is at most `goal`.
  function m.thinned(spacing, n, left, goal)
    return mean_of(spacing, function()
      local some = lists.shuffle(neighbours(n))
      for i = #some, left + 1, -1 do some[i] = nil end
      return some
    end, n, OF_GROWTH, goal)
  end
  function m.forget() known, side_by_side = {}, {} end
  -- Lines that L2 does not keep are as late as lines that are not translated: no chase has more than half of those that
  -- it keeps side by side.
  while m.most >= math.max(FEWEST, kept or 0) and loses(2 << lists.log2(m.most)) do m.most = m.most // 2 end
  m.most = math.max(m.most, math.min(MOST, kept or 0))
  return m
end

return M
