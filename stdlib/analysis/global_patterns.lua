-- global_patterns(cache = "ca", address = "address", count = count, name = "global.pattern"): what a load
-- of global memory takes by what answers it and by what translates it (mei2014, Table 3).
--
--   1 a cache, the first TLB         4 memory, the first TLB
--   2 a cache, the second TLB        5 memory, no TLB
--   3 a cache, no TLB                6 as 5, beyond the page tables that are active
--
-- One chase of unequal strides shows all six; which access is which follows from its place in the
-- list alone, never from what it took: neighbours in a line are cached and translated, another line
-- of a page is translated, a page that was not visited yet is in no TLB. After how many pages a TLB has
-- forgotten one is asked before: the latency of visits that are so many pages apart is a stair.
-- Arguments that name measures: address.
-- Covered by tests/experiments/patterns_test.cpp.

local cache = use "cache"
local chased = use "parts/chased"
local lists = use "parts/lists"
local kinds_of = use "parts/modes"
local page_window = use "page_window"
local pick = use "parts/select"
local M = {}

local PAGE, LINE = lists.PAGE, lists.LINE
local WORD = 8                          -- a link
local MOST_LINES = 4096                 -- of a list that a cache is to answer
local SAMPLES = 128                     -- of each step, at least
local PAGES = 64                        -- of the chase where no TLB is seen
local ACCESSES = 2048                   -- of that chase
local COLD = 32768                      -- lines that tell the latencies of memory and of a line again: they
                                        -- differ by 20 % and by 5 %, the mean of so many by 0.1 %
local FAR = 32                          -- visits beyond the window
local SCATTER = 0.15                    -- of memory's latency, by which single loads may differ

local mode_of, two_modes, one_kind, alike = kinds_of.of, kinds_of.two, kinds_of.one_kind, kinds_of.alike

-- Word `word` of line `j` of the `lines` that are visited in page `k`: those of one page within 4 KB, and
-- all of them over the sets of a data cache. Fewer lines are some of those of more.
local function place(plan, k, j, lines, word)
  local slots = PAGE // LINE
  return k * plan.stride + k % math.min(16, plan.stride // PAGE) * PAGE +
         (k * 7 + j * (slots // lines)) % slots * LINE + word * WORD
end

-- How many lines are visited in each of so many pages: as many in all as a nearest cache cannot hold.
local function lines_in(plan, pages)
  local lines = 2
  while lines < PAGE // LINE and lines * pages < plan.total do lines = lines * 2 end
  return lines
end

-- Latencies of `pages` pages visited in turn, at rest: of the first access to each, which translation may
-- delay, and of the others.
local function visits(ask, plan, pages)
  local list, first, others, lines = {}, {}, {}, lines_in(plan, pages)
  for k = 0, pages - 1 do
    for j = 0, lines - 1 do list[#list + 1] = place(plan, k, j, lines, 0) end
  end
  for i, latency in ipairs(ask(list, 2, (SAMPLES + pages - 1) // pages)) do
    local kind = (i - 1) % lines == 0 and first or others
    kind[#kind + 1] = latency
  end
  return mode_of(first), mode_of(others)
end

-- The stair: { mode, pages (the most apart that take so long) } of each step, for as many pages as the
-- others say that a cache answers. Where a nearest cache must be passed by with so many lines that the
-- first TLB has forgotten their pages too, the others stand for the lowest step, with no pages.
local function stair(ask, plan, bytes, answered)
  local steps, pages, seen = {}, 1, false
  while pages * plan.stride <= bytes and 2 * pages <= MOST_LINES do
    local first, others = visits(ask, plan, pages)
    if answered(others) then
      local top, width = steps[#steps], others.high - others.low
      local clean = one_kind(first) and first.high - first.low <= 1.15 * width + 2
      if clean and not top and (plan.total > 0 or alike(first, others)) then
        top = { mode = others, pages = 0 }
        steps[1] = top
      end
      if clean and top and alike(first, top.mode) then
        top.pages = pages
      elseif clean and top and first.mean > top.mode.mean then
        steps[#steps + 1] = { mode = first, pages = pages }
      end
      seen = true
    elseif seen then
      break
    end
    pages = pages * 2
  end
  return steps
end

-- How to visit pages so that the stair has most steps: as far apart as shows them.
local function plan_for(ask, bytes, has_l1, answered)
  local best, stride = { steps = {} }, PAGE
  while stride * PAGES <= bytes do stride = stride * 2 end
  best.stride, best.total = stride // 2, 0
  while stride > PAGE and #best.steps < 3 do
    stride = math.max(PAGE, stride // 4)
    for _, total in ipairs(has_l1 and { 256, 512, 1024, 2048 } or { 0 }) do
      local plan = { stride = stride, total = total }
      plan.steps = stair(ask, plan, bytes, answered)
      if #plan.steps > #best.steps then best = plan end
    end
  end
  return best
end

-- The chase: its addresses, and the pattern of each, 0 for those that lead to others. `fresh`: lines that
-- are visited in between, so that neither L1 nor a TLB still has what is to come. L2 is flushed before.
local function the_chase(plan, fresh, far, bytes)
  local list, kinds = {}, {}
  local function visit(kind, address) list[#list + 1], kinds[#kinds + 1] = address, kind end
  local function round(count, word, kind)
    local lines = lines_in(plan, count)
    for k = 0, count - 1 do
      for j = 0, lines - 1 do visit(j == 0 and k > 0 and kind or 0, place(plan, k, j, lines, word)) end
    end
  end
  local between = plan.between or 1
  for k = 0, plan.pages - 1 do
    local lines = lines_in(plan, k < between and between or plan.pages)
    for j = 0, lines - 1 do
      visit(k == 0 and 0 or j == 0 and 5 or 4, place(plan, k, j, lines, 0))
      if k >= between then visit(1, place(plan, k, j, lines, 2)) end
    end
    if k == 0 then for _, address in ipairs(fresh) do visit(0, address) end end
  end
  if #plan.steps > 1 then round(plan.pages, 1, 3) end
  if plan.between then
    round(plan.between, 2, 0)
    round(plan.between, 3, 2)
  end
  for i = 0, far - 1 do
    visit(0, place(plan, plan.pages + i, 0, 1, 0))
    visit(6, (bytes // plan.stride - 1 - i) * plan.stride)
  end
  return list, kinds
end

-- The mode of each pattern in one chase, or its two modes. `around`: latencies of many lines of memory that are
-- translated, and of each again, which are of the patterns 4 and 1, too: few of the chase may be.
local function measure(first_visits, plan, fresh, far, bytes, around)
  local list, kinds = the_chase(plan, fresh, far, bytes)
  local function copy(values) return lists.slice(values, 1, #values) end
  local values, modes = { copy(around.repeated), {}, {}, copy(around.cold), {}, {} }, {}
  for i, latency in ipairs(first_visits(list)) do
    local of = values[kinds[i]]
    if of then of[#of + 1] = latency end
  end
  for k = 1, 6 do
    modes[k] = mode_of(values[k])
    modes[k].two = two_modes(values[k])
  end
  return modes, #list
end

-- What the stair leaves open about the patterns 2 and 3. `whole`: how much longer an access to memory takes
-- whose page is in no TLB; nil where that is not known.
local function doubt_stair(doubt, steps, whole)
  if #steps <= 1 then
    for k = 2, 3 do
      doubt(k, whole == 0 and "not_observed" or "inconclusive",
            steps[1] and string.format("visits to up to %d pages in turn have one latency of translation", steps[1].pages) or
            whole == 0 and "a page's first visit has the latency of later ones" or
            "visits to pages in turn have no one latency")
    end
  elseif #steps == 2 then
    local more = steps[2].mode.mean - steps[1].mode.mean
    -- Where what no TLB has takes as much longer, what was missed is the last one.
    if whole and steps[1].pages > 0 and math.abs(whole - more) <= 3 then
      return doubt(2, "not_observed", "a miss in the first TLB costs as much as a miss in all")
    end
    for k = 2, 3 do
      doubt(k, "inconclusive", string.format("one TLB is missed, with %.0f clocks more; whether another " ..
                                             "one hits then is not visible", more))
    end
  elseif #steps > 3 then
    for k = 2, 3 do
      doubt(k, "inconclusive", string.format("the stair of translations has %d steps", #steps))
    end
  end
end

-- Where single loads differ with their distance by more than translation costs, they do not tell it. Averages
-- do (tlb.lua), and the patterns that only translation tells apart are not reported.
local function too_scattered(modes)
  local memory, two = modes[4], modes[4].two
  if not memory.low then return false end
  local low, high = two and two[1].low or memory.low, two and two[2].high or memory.high
  return high - low > SCATTER * memory.mean
end

-- Why a pattern has no value: { verdict, note }, by its number. Without a verdict it is not reported.
local function doubts_of(plan, modes, cached, window, far)
  local out, whole = {}, nil
  if too_scattered(modes) then out[2], out[3], out[5] = {}, {}, {} end
  local function doubt(k, verdict, note) out[k] = out[k] or { verdict = verdict, note = note } end
  if one_kind(modes[5]) and one_kind(modes[4]) then
    whole = alike(modes[5], modes[4]) and 0 or modes[5].mean - modes[4].mean
  end
  for k = 1, cached and 0 or 3 do doubt(k, "not_observed", "no cache hits: an address has the same latency again") end
  doubt_stair(doubt, plan.steps, whole)
  if whole == 0 then
    doubt(5, "not_observed", "a page that was not visited before has the latency of one that was")
  end
  if not window.size then doubt(6, window.verdict, window.note) end
  if far < 4 then doubt(6, "inconclusive", "memory does not reach far enough beyond the window") end
  for k = 1, 6 do
    if not one_kind(modes[k]) and not modes[k].two then
      doubt(k, "inconclusive", modes[k].low and string.format(
        "of %.0f accesses only %.0f %% are of one kind, %.0f to %.0f clocks, others about %.0f",
        modes[k].count / modes[k].share, 100 * modes[k].share, modes[k].low, modes[k].high, modes[k].others) or string.format("only %d accesses", modes[k].count))
    end
  end
  return out
end

local WHAT = { "again in a line", "cached, the page visited %d pages ago", "cached, the page visited %d pages ago",
               "another line of a page", "a page's first visit", "a page's first visit, out of the window" }

local function report(name, plan, modes, doubts, off, error, length)
  local apart = { [2] = plan.between, [3] = plan.pages }
  local function aside(k)
    return k == 4 and too_scattered(modes) and "; translation costs less than they differ: see tlb" or ""
  end
  for k = 1, 6 do
    local this, mode, doubt = string.format("%s[%d]", name, k), modes[k], doubts[k]
    if doubt and doubt.verdict then
      finding { name = this, unit = "clocks", verdict = doubt.verdict, note = doubt.note }
    elseif not doubt and mode.two then
      local fast, slow = mode.two[1], mode.two[2]
      local share = fast.count / (fast.count + slow.count)
      finding { name = this, value = share * fast.mean + (1 - share) * slow.mean - off, unit = "clocks",
                low = fast.low - off - error, high = slow.high - off + error,
                note = string.format("mean of two modes: %.1f clocks (%.0f %%) and %.1f clocks (%.0f %%)%s",
                                     fast.mean - off, 100 * fast.share, slow.mean - off, 100 * slow.share, aside(k)) }
    elseif not doubt then
      local what = apart[k] and string.format(WHAT[k], apart[k]) or WHAT[k]
      finding { name = this, value = mode.mean - off, unit = "clocks", low = mode.low - off - error,
                high = mode.high - off + error,
                note = string.format("%s: %d of %.0f accesses%s%s", what, mode.count, mode.count / mode.share,
                                     (k == 1 or k == 4) and "" or string.format(" of a chase of %d", length),
                                     aside(k)) }
    end
  end
end

-- Latencies of lines of memory whose pages are translated, and of another word of each line just behind it.
local function line_twice(bytes, first_visits)
  local list, first, second = {}, {}, {}
  for _, address in ipairs(lists.once(0, math.min(COLD, bytes // LINE))) do
    list[#list + 1], list[#list + 2] = address, address + 2 * WORD
  end
  for i, latency in ipairs(first_visits(list)) do
    local of = i % 2 == 1 and first or second
    of[#of + 1] = latency
  end
  return lists.translated(first), second
end

-- What is known before: an address that is asked for again, and memory without any cache.
local function look_around(bytes, ask, first_visits)
  local again = mode_of(ask({ 0 }, 4, SAMPLES))
  local cold, repeated = line_twice(bytes, first_visits)
  local memory, l2 = mode_of(cold), mode_of(cache.asks("global", "cg", bytes, WORD)({ 0 }, 4, SAMPLES))
  local cached, has_l1 = not alike(again, memory), not alike(again, l2) and again.mean < l2.mean
  local function answered(others)
    if not cached or not one_kind(others) then return false end
    if not has_l1 then return alike(others, again) end
    return others.low > again.high and others.high < memory.low
  end
  return { cold = cold, repeated = repeated, cached = cached, has_l1 = has_l1, answered = answered }
end

-- How many visits beyond the window there is room for.
local function far_visits(plan, window, near, bytes)
  if not window then return 0 end
  local low = near // plan.stride - plan.pages
  local high = (bytes - window) // plan.stride - plan.pages
  return math.max(0, math.min(FAR, low, high // 2))
end

function M.run(input)
  if not probe then error("global_patterns runs chases of its own, which need the device", 0) end
  pick.only(input, "global_patterns", { "cache", "address", "count", "name" })
  local operator, address = pick.text(input, "cache", "ca"), chased.address(input)
  local bytes, window = probe.most_bytes("global"), page_window.find()
  local ask, average, first_visits = cache.asks("global", operator, bytes, WORD)
  local pages = math.max(64, math.floor(input.device.memory_bytes) >> 22)
  local near = (math.min(window.size or bytes, bytes) - pages * PAGE) // PAGE * PAGE
  local around, fresh = look_around(bytes, ask, first_visits), {}
  for k = 0, pages - 1 do fresh[k + 1] = near + k * PAGE + k * 5 % (PAGE // LINE) * LINE end
  local overhead = chased.overhead(ask, average, around.cold)
  local plan = plan_for(ask, near, around.has_l1, around.answered)
  plan.between = #plan.steps > 2 and plan.steps[2].pages or nil
  if #plan.steps > 1 then
    plan.pages = plan.steps[math.min(3, #plan.steps)].pages
  else
    plan.pages, plan.total = PAGES, math.max(ACCESSES, plan.total)   -- nothing has to stay in a cache
  end
  local far = far_visits(plan, window.size, near, bytes)
  local modes, length = measure(first_visits, plan, fresh, far, bytes, around)
  report(pick.text(input, "name", "global.pattern"), plan, modes,
         doubts_of(plan, modes, around.cached, window, far), overhead.clocks + address.clocks,
         overhead.error + address.error, length)
end

return M
