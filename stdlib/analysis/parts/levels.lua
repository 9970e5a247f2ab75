-- Latency classes of a family of addresses, and the walk from the nearest level to memory.
--
-- The average curve is what proposes: lists of growing size, each at rest, show which latencies there
-- are. A class is a cluster of latencies that makes up a good part of some list; what belongs to none
-- is an outlier and says nothing. Classes that overlap are told by a mean that rises inside of one.
-- Covered by tests/runtime/cache_inference_test.cpp.

local recover = use "parts/level"
local ledger = use "parts/steps"
local M = {}
---@names level: Level

local SAMPLE = 512        -- latencies of each list that the classes are made from
local SMALL_PAGE = 1024   -- bytes: caches with such lines and translation buffers with such pages behave alike
local SPARSE, SPARSEST = { 16, 64 }, 4   -- addresses of lists that do not visit neighbours; granules apart, at least
-- Addresses of scattered lists: so many, then so many times more; a share of one that is a class: a level that holds a quarter
-- of them shows so often by chance.
local FEWEST_SCATTERED, SCATTERED_STEP, SCATTERED_SHARE = 12, 1.5, 0.1
local BUDGET = 20000000   -- accesses that one level may take: 6 million were too few for 6 levels of 500 random devices
                          -- whose lines leave at random or that nearer ones hide; three of four are decided so
local FIRST_BUDGET = 3000000   -- of a level that eviction sets are asked about afterwards: where those tell it, an L2 of 4 MB
                          -- with 2048 hashed sets took all of the budget for nothing, 48 s of a virtual GPU's
local LARGE = 4 << 20     -- bytes of the smallest list that overflows a level: lists of it have tens of thousands of lines, and
                          -- what no shorter ones tell 20 million accesses did not either, 27 s of an L2 behind textures
-- Lines far apart that a level holds for certain: an eighth of the smallest list that the next class shows in. Visited in
-- turn, one of each page is late where there are more pages than entries: of 17 pages 17 of 128.
local SCATTERED = { least = 32, most = 128, share = 8, line = 128, late = 0.1 }
local HALVES = 3          -- of the bytes of lists: an eighth is about the smallest L2 that GPUs have
local KEPT = 1900         -- accesses whose latencies stay in shared memory, with links of 4 bytes
local MEMORY_SHARE = 0.1  -- of the longest list: neighbours in a line are answered, however long a list is
local ALONE = 48          -- addresses that are asked for by themselves
local DENSE = 1024        -- of a list that is as large as a sparse one: its latencies are kept
local LEAST_SHARE = 0.03  -- of some list: a class; rarer latencies are outliers
local SURE = 6            -- standard errors of a mean, that rises or of what addresses take more
local BELOW = 0.159       -- of normal values: a standard deviation below their median or more

-- Latencies of one list after it has come to rest, at most SAMPLE of them.
local function look(probe, list)
  local passes = math.max(1, math.min(64, SAMPLE // #list))
  local latencies, out = probe(list, 3, passes), {}
  local step = math.max(1, #latencies / SAMPLE)
  for k = 0, SAMPLE - 1 do
    local i = 1 + math.floor(k * step)
    if i <= #latencies then out[#out + 1] = latencies[i] end
  end
  return out
end

-- Lists of doubling size from one address on; addresses lie `granule` apart, farther where there
-- would be more than `count` of them.
local function lists_of(granule, most, count, longest)
  local all, size = {}, granule
  local function add(bytes, addresses, sparse)
    local list, stride = {}, math.max(granule, bytes // addresses // granule * granule)
    for address = 0, bytes - 1, stride do list[#list + 1] = address end
    all[#all + 1] = { size = bytes, list = list, sparse = sparse }
  end
  while size < most do
    add(size, count)
    size = size * 2
  end
  -- A level whose sets are selected by higher bits than those of the line answers nothing of a list of neighbours
  -- that does not fit into one before it.
  for _, addresses in ipairs(count >= SPARSE[#SPARSE] and SPARSE or {}) do
    size = SPARSEST * addresses * granule
    while size < most do
      add(size, addresses, true)
      size = size * 2
    end
  end
  add(most, count)
  -- More addresses than most caches have lines: however those are dealt to sets, and where lines of a
  -- nearer level (or its pages) are many granules long.
  local near, many = count * granule * 64, math.min(8 * count, longest or 8 * count)
  add(math.min(most, near), many)
  if most >= 2 * near then add(most, many) end
  return all
end

-- Splits sorted { latency, list number } at gaps wider than `gap`.
local function clusters(values, gap)
  local out, from = {}, 1
  for i = 1, #values do
    if i == #values or values[i + 1][1] - values[i][1] > gap then
      local cluster = { low = values[from][1], high = values[i][1], count = {} }
      for k = from, i do
        local n = values[k][2]
        cluster.count[n] = (cluster.count[n] or 0) + 1
      end
      out[#out + 1] = cluster
      from = i + 1
    end
  end
  return out
end

-- `count` different multiples of `granule` below `most`, as if at random; always the same ones.
local function scattered(granule, most, count)
  local all, taken, out, i = most // granule, {}, {}, 0
  while #out < count do
    i = i + 1
    local number = (((i * 0x9E3779B97F4A7C15 ~ i << 31) * 0x2545F4914F6CDD1D) >> 20) * all >> 44
    if not taken[number] then taken[number], out[#out + 1] = true, number * granule end
  end
  return out
end

-- Classes that no list of neighbours shows, and no sparse one: those of a level of which neighbours overflow a set, however
-- few they are, because higher bits select its sets. 8 neighbours of 256 B shared a set of 3 ways behind a cache of 23 lines.
-- Addresses as if at random fill the sets of any function evenly, so that a level shows where it holds more lines than the
-- one before it.
local function unlisted(probe, granule, most, count, classes, gap)
  local out = {}
  local function is_new(cluster)
    for _, class in ipairs(classes) do
      if cluster.low <= class.high + gap and cluster.high >= class.low - gap then return false end
    end
    return true
  end
  local some = FEWEST_SCATTERED
  while some <= math.min(count, most // granule // 2) do
    local values = {}
    for _, latency in ipairs(look(probe, scattered(granule, most, math.floor(some)))) do
      values[#values + 1] = { latency, 1 }
    end
    table.sort(values, function(a, b) return a[1] < b[1] end)
    for _, cluster in ipairs(clusters(values, gap)) do
      if cluster.count[1] >= SCATTERED_SHARE * #values and is_new(cluster) then
        cluster.first = most
        out[#out + 1], classes[#classes + 1] = cluster, cluster
      end
    end
    some = some * SCATTERED_STEP
  end
  return #out > 0
end

-- The classes, from the fastest: { low, high, first (size of the first list that shows it) }, and the
-- curve: { size, latency }, one point a list.
function M.classes(probe, granule, most, count, longest)
  local values, curve, samples, sizes, before = {}, {}, {}, {}, ledger.now()
  for n, each in ipairs(lists_of(granule, most, count, longest)) do
    local latencies = look(probe, each.list)
    for _, latency in ipairs(latencies) do values[#values + 1] = { latency, n } end
    samples[n], sizes[n] = #latencies, each.size
    if not each.sparse then
      curve[#curve + 1] = { size = each.size, latency = stats.mean(latencies), list = latencies }
    end
  end
  local points = {}
  for i, each in ipairs(curve) do points[i] = { each.size, each.latency } end
  curve.probes = { ledger.since(before, "mean latency of lists of growing size, each at rest", "bytes", "clocks", points) }
  table.sort(values, function(a, b) return a[1] < b[1] end)
  local alone = curve[1].list
  local width = stats.quantile(alone, 0.98) - stats.quantile(alone, 0.02)
  local classes, gap = {}, math.max(3, 0.3 * width)
  for _, cluster in ipairs(clusters(values, gap)) do
    local first
    for n = 1, #sizes do
      if (cluster.count[n] or 0) >= LEAST_SHARE * samples[n] then first = math.min(first or sizes[n], sizes[n]) end
    end
    if first then
      cluster.first = first
      classes[#classes + 1] = cluster
    end
  end
  if unlisted(probe, granule, most, math.min(8 * count, longest or 8 * count), classes, gap) then
    table.sort(classes, function(a, b) return a.low < b.low end)
  end
  return classes, curve, width
end

-- The class that a latency belongs to; nil for an outlier. Classes reach half-way to their
-- neighbours, but not farther than their own noise does.
local function class_of(classes, width, latency)
  local slack = math.max(2, 0.5 * width)
  for i, class in ipairs(classes) do
    if latency >= class.low - slack and latency <= class.high + slack then
      local after = classes[i + 1]
      if after and latency - class.high > after.low - latency then return i + 1 end
      return i
    end
  end
  return nil
end
M.class_of = class_of

-- The classes whose latencies rise from the first list that shows one to the last by more than their scatter
-- explains, each with its rise: what is two classes that the noise has made one, or lies at several distances.
function M.rising(classes, curve, width)
  local out = {}
  for i, class in ipairs(classes) do
    local first, last
    for _, point in ipairs(curve) do
      local inside = {}
      for _, latency in ipairs(point.list) do
        if class_of(classes, width, latency) == i then inside[#inside + 1] = latency end
      end
      if #inside >= 32 then
        first = first or inside
        last = inside
      end
    end
    if first and first ~= last then
      local error = math.sqrt(stats.variance(first) / #first + stats.variance(last) / #last)
      local rise = stats.mean(last) - stats.mean(first)
      if rise > 1 and rise > SURE * error then out[#out + 1] = { class = class, rise = rise } end
    end
  end
  return out
end

local function of_class(class, latency) return latency >= class.low and latency <= class.high end

-- What each address of a list takes, of those that take what the class does: { address -> clocks }, and how many.
local function by_address(probe, list, class)
  local passes = math.max(1, math.min(8, KEPT // #list))
  local together, out, count = probe(list, 3, passes), {}, 0
  for i, address in ipairs(list) do
    local of_list = {}
    for pass = 0, passes - 1 do of_list[#of_list + 1] = together[pass * #list + i] end
    local clocks = stats.median(of_list)
    if of_class(class, clocks) then out[address], count = clocks, count + 1 end
  end
  return out, count
end

-- What addresses of a list take more among those of a longer one: { clocks }, where both take what the class does.
local function in_both(short, long)
  local out = {}
  for address, clocks in pairs(short) do
    if long[address] then out[#out + 1] = long[address] - clocks end
  end
  return out
end

-- What addresses take more in the longest list than alone, or, where a nearer level answers an address alone, than in
-- the shortest list whose addresses take what the class does, or, where only long lists miss that level, than in a sparse
-- one of the same size.
local function differences_of(probe, lists, class)
  local longest, shortest, out = lists[1].list, nil, {}
  for _, each in ipairs(lists) do
    if not each.sparse and #each.list <= KEPT and #each.list >= #longest then longest = each.list end
  end
  local together, step = by_address(probe, longest, class), math.max(1, #longest // ALONE)
  for i = 1, #longest, step do
    local address = longest[i]
    local alone = together[address] and stats.median(probe({ address }, 4, 32))
    if alone and of_class(class, alone) then out[#out + 1] = together[address] - alone end
  end
  if #out >= ALONE // 2 then return out end
  for _, each in ipairs(lists) do
    if not shortest and not each.sparse and #each.list < #longest then
      local some, count = by_address(probe, each.list, class)
      if count >= ALONE then shortest = some end
    end
  end
  out = in_both(shortest or {}, together)
  for _, each in ipairs(lists) do
    if #out >= ALONE // 2 then return out end
    local some, count = {}, 0
    if each.sparse and each.size >= DENSE * lists[1].size then some, count = by_address(probe, each.list, class) end
    if count >= ALONE then
      local dense = {}
      for address = 0, each.size - 1, each.size // DENSE do dense[#dense + 1] = address end
      out = in_both(some, (by_address(probe, dense, class)))
    end
  end
  return out
end

-- Whether addresses of a class take as long in any list: then it is wide because some addresses lie farther away than
-- others (slices of L2), and no level is full. The noise is what differences scatter by below their median: what misses
-- lies above it. Of four neighbours in a page of a TLB one misses: one of four took 9 clocks more, within the scatter of all.
local function farther_away(probe, lists, class)
  local differences = differences_of(probe, lists, class)
  if #differences < ALONE // 2 then return false end
  local noise = stats.median(differences) - stats.quantile(differences, BELOW)
  return math.abs(stats.mean(differences)) <= math.max(1, SURE * noise / math.sqrt(#differences))
end

-- What an answer says about a level whose hits take `hit.low` to `hit.high` clocks: slower is a miss,
-- also where no class is that slow (it may be rare); slower than everything is an outlier.
local function judge(classes, slack, hit)
  local slowest = classes[#classes].high + slack
  return function(latency)
    if latency > slowest then return nil end
    if latency < hit.low - slack then return "nearer" end
    return latency > hit.high + slack
  end
end

-- The answers of the next level: the most frequent ones to accesses that miss in this one, or a class
-- of faster answers where the conflict happens to miss there too.
local function next_hit(o, level, miss, classes, width)
  local values, best = {}, nil
  for _, latency in ipairs(o.probe(level.visited, 4, 64)) do
    if miss(latency) == true then values[#values + 1] = { latency, 1 } end
  end
  table.sort(values, function(a, b) return a[1] < b[1] end)
  for _, cluster in ipairs(#values > 0 and clusters(values, math.max(3, 0.3 * width)) or {}) do
    if not best or cluster.count[1] > best.count[1] then best = cluster end
  end
  for _, class in ipairs(classes) do
    if miss(class.low) == true and (not best or class.high < best.low) then return class end
  end
  -- A clock of large steps may be read at the same phase of one all along a list.
  local class = best and classes[class_of(classes, width, best.low) or 0]
  return class and { low = math.min(best.low, class.low), high = math.max(best.high, class.high) } or best
end

-- Typical, fastest and slowest latency of all lists between two bounds. `farther`: some addresses lie farther away
-- than others; the mean of the longest list stands for all, where short ones stand for the few that they visit.
local function latency_of(curve, low, high, farther)
  if farther then
    local inside = {}
    for _, latency in ipairs(curve[#curve].list) do
      if latency >= low and latency <= high then inside[#inside + 1] = latency end
    end
    if #inside >= SAMPLE // 4 then
      return { value = stats.mean(inside), low = stats.min(inside), high = stats.max(inside), count = #inside,
               probes = curve.probes,
               note = string.format("the mean of %d addresses over %d KB, which lie at different distances",
                                    #inside, curve[#curve].size >> 10) }
    end
  end
  local inside = {}
  for _, point in ipairs(curve) do
    for _, latency in ipairs(point.list) do
      if latency >= low and latency <= high then inside[#inside + 1] = latency end
    end
  end
  if #inside == 0 then return { value = (low + high) / 2, low = low, high = high, count = 0,
                            probes = curve.probes } end
  return { value = stats.median(inside), low = stats.min(inside), high = stats.max(inside),
           count = #inside, probes = curve.probes }
end

-- What takes longest of the longest list, a good part of it, and longer than the level that could not be decided:
-- where no page is missed, what no cache answers.
local function slowest_of(classes, curve, hit, slack)
  local class, longest, inside = classes[#classes], curve[#curve].list, 0
  for _, latency in ipairs(longest) do
    if latency >= class.low and latency <= class.high then inside = inside + 1 end
  end
  if class.low <= hit.high + slack or inside < MEMORY_SHARE * #longest then return nil end
  return latency_of(curve, class.low, class.high)
end

-- The share of hits that take so long that they look like misses.
local function strays(probe, miss)
  local late = 0
  for _, latency in ipairs(probe({ 0 }, 4, 4096)) do
    if miss(latency) == true then late = late + 1 end
  end
  return late / 4096
end

-- A probe that ends the search for a level when it has used up its accesses, or a chase fails.
local function limited(probe, accesses)
  local left = accesses
  return function(list, warm, passes)
    left = left - #list * (warm + passes)
    if left < 0 then error({ ends = string.format("%d accesses did not decide it", accesses) }) end
    local done, latencies = pcall(probe, list, warm, passes)
    if not done then error({ ends = "a chase failed: " .. tostring(latencies) }) end
    return latencies
  end
end

-- recover() within a budget of accesses. What was concluded before they ended holds; `unfinished` says that they ended.
local function recovered(question)
  local asked = {}
  for name, value in pairs(question) do asked[name] = value end
  asked.probe = limited(question.probe, question.budget)
  local level = { doubt = {}, steps = ledger.new() }
  local done, reason = pcall(recover.recover, asked, level)
  if done then return level end
  if type(reason) ~= "table" or not reason.ends then error(reason, 0) end
  level = recover.cut_short(level, #question.nears > 0, reason.ends)
  level.unfinished = true
  return level
end

-- Puts what was found anew of a level in its place.
local function replace(level, found)
  ledger.append(level.steps, found.steps)
  found.hit, found.steps, found.operator = level.hit, level.steps, level.operator
  for name in pairs(level) do level[name] = nil end
  for name, value in pairs(found) do level[name] = value end
end

-- Asks once more about the nearest level, of which lists show a line but no sets, within a half of the bytes, a quarter, an
-- eighth: a translation buffer that reaches farther than the level, and not as far as lists, makes some of its hits slow.
-- Whether they are found.
function M.ask_within_less(level)
  local question = level.question
  for halves = 1, question and level.line and HALVES or 0 do
    local asked = {}
    for name, value in pairs(question) do asked[name] = value end
    asked.most, asked.limit, asked.budget = question.most >> halves, question.limit >> halves, FIRST_BUDGET
    local found = recovered(asked)
    if found.sets then
      found.within = asked.most
      replace(level, found)
      return true
    end
  end
  return false
end

-- Asks the nearest level once more, whose accesses ended at FIRST_BUDGET, with all that it may take.
function M.finish(level)
  local question = level.question
  if not (level.unfinished and question and question.budget < question.in_the_end) then return end
  question.budget = question.in_the_end
  replace(level, recovered(question))
end

-- Accesses that a level may take in the end whose hits take `hit`.
local function budget_of(classes, hit)
  for _, class in ipairs(classes) do
    if class.low > hit.high and class.first < LARGE then return BUDGET end
  end
  return FIRST_BUDGET
end

-- Whether what answers `hit` are misses of translation: lines that the nearest level holds for certain, each in a page of its
-- own, take as long. `miss`: whether an access takes longer than that level's hits.
local function is_translation(o, hit, miss)
  local count = math.min(SCATTERED.most, (hit.first or 0) // SCATTERED.line // SCATTERED.share)
  if count < SCATTERED.least then return false end
  local piece, list, late = o.most // count // SCATTERED.line, {}, 0
  for k = 0, count - 1 do list[k + 1] = (k * piece + math.random(piece) - 1) * SCATTERED.line end
  for _, latency in ipairs(o.probe(list, 8, 1)) do
    if miss(latency) == true then late = late + 1 end
  end
  return late > SCATTERED.late * count
end

-- The levels of a family, nearest first, each as parts/level.lua returns it with its `hit` latency;
-- the last latency is that of a miss in all of them. `question`: how the first one was asked. o as for level.recover, less miss, strays and
-- nears; `kept`, by default what links of 4 bytes leave room for; `count` as in classes(); `depth`, how many levels are wanted; `page`: a level whose lines are as
-- large translates addresses, and the walk ends there with it as `translation`, or undecided with one
-- whose lines are as large as SMALL_PAGE; `floor`, clocks below which no level of the family answers;
-- `within`, bytes beyond which something else makes accesses slow; `asked_after`: eviction sets are asked about the nearest
-- level afterwards.
function M.walk(o)
  local classes, curve, width = M.classes(o.probe, o.granule, o.most, o.count or 2048, o.longest)
  while o.floor and classes[2] and classes[1].high < o.floor do table.remove(classes, 1) end
  local out = { levels = {}, classes = classes, curve = curve, width = width }
  local overlap
  for _, each in ipairs(M.rising(classes, curve, width)) do
    local farther = farther_away(o.probe, lists_of(o.granule, o.most, o.count or 2048, o.longest), each.class)
    out.farther = out.farther or farther
    overlap = overlap or not farther and each
  end
  if overlap then
    out.overlap = string.format("latencies from %.0f to %.0f clocks rise by %.1f with the size: two " ..
                                "levels that the scatter of %.0f clocks covers", overlap.class.low,
                                overlap.class.high, overlap.rise, width)
    out.levels[1] = recover.undecided(out.overlap)
    out.levels[1].doubt.latency = out.overlap
    return out
  end
  local slack, hit, nears, share = math.max(2, 0.5 * width), classes[1], {}, nil
  local slowest = classes[#classes].low
  for i = #classes, 2, -1 do
    if o.within and classes[i].first > o.within then slowest = classes[i - 1].low else break end
  end
  while hit and hit.high + slack < slowest do
    local most = budget_of(classes, hit)
    local question = { budget = o.asked_after and #nears == 0 and FIRST_BUDGET or most, in_the_end = most, kept = KEPT }
    for name, value in pairs(o) do question[name] = value end
    question.miss, question.nears = judge(classes, slack, hit), nears
    share = share or strays(o.probe, question.miss)
    question.strays = share
    local level = recovered(question)
    level.question = #nears == 0 and question or nil
    if o.page and (level.line or 0) >= o.page then
      out.translation = level
      return out
    end
    level.hit = latency_of(curve, hit.low, hit.high, out.farther)
    if o.page and (level.line or 0) >= SMALL_PAGE then
      out.levels[#out.levels + 1] = recover.undecided(string.format(
        "what it holds has pieces of %d B: lines of a cache, or pages of a translation buffer", level.line))
      return out
    end
    out.levels[#out.levels + 1] = level
    if #out.levels == o.depth then return out end
    if not level.conflict then
      out.memory = not o.page and slowest_of(classes, curve, hit, slack) or nil
      return out
    end
    nears = { level, table.unpack(nears) }
    hit = next_hit(o, level, question.miss, classes, width)
    if o.asked_after and #nears == 1 and hit and hit.high + slack < slowest and is_translation(o, hit, question.miss) then
      out.translation = recover.undecided("lines that the level before holds take as long, each in a page of its own")
      return out
    end
  end
  if hit then out.memory = latency_of(curve, hit.low, hit.high, out.farther) end
  return out
end

return M
