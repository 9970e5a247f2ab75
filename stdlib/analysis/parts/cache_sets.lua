-- A cache from minimal eviction sets: ways, sets, set function, capacity, line and policy, each with
-- what it rests on or with the reason why it is not decided (`doubt`, by name).
--
--   ways      lines of a minimal set
--   sets      1 / the share of a region's lines that the set evicts (the class of its set)
--   function  where a class is an affine space over GF(2), the parities that are constant on it; where
--             all its lines are equal modulo the sets, that; else none, and the families are named
--   policy    visits of the lines of one class (parts/set_policy.lua)
--
-- Two targets are asked, and what follows from the first is tested on the second.
-- Covered by tests/experiments/eviction_test.cpp.

local eviction = use "parts/eviction"
local eviction_class = use "parts/eviction_class"
local eviction_rest = use "parts/eviction_rest"
local gf2 = use "parts/gf2"
local lists = use "parts/lists"
local replacement = use "parts/replacement"
local set_form = use "parts/set_form"
local set_policy = use "parts/set_policy"
local ledger = use "parts/steps"
local M = {}
---@names e: Eviction, set: EvictionSet, s: SetSearch

local LINE = 128          -- bytes between the lines of a pool, until the line is known
local BYTES = 128 << 20   -- of the largest region...
local MOST_BYTES = 512 << 20   -- ...and of one for caches that half of it does not evict
local FIRST_BITS = 12     -- log2 of the lines of the first one
local SPARE = 2           -- log2 of how much larger the region of a class is than the pool
local EVENLY = 0.9        -- smaller over larger class of two targets: sets of one size, lines spread evenly
local LACKING = 1.2       -- of a class: lines of a form that it has, at most, where some are missed
local UNEVEN = 1 - EVENLY -- of a share, that a hash of unknown form may be off: a modulo of 18 bits gave some sets 10
                          -- values and others 11, and two targets had 10. Processes of an H200 have 68 to 71 lines in a class
local MANY_SETS = 256     -- from which on a share of lines tells their number; fewer are told one by one
local FEW = 8             -- further lines of a class below which a share says little...
local MANY = 32           -- ...and from which on no larger region is asked
local FEW_SETS = 64       -- sets: where there are no more, each is asked whether it has as many lines as the ways
local DRAWN = 64          -- lines for each set, of which one of every set is taken
local SIZE_TESTS = 9      -- of one list of lines: most of them decide
local WORDS = 8           -- visits to one line in a sequence that a model predicts
local TOLD = 3            -- targets whose set is taken from the function
local CHECKS = 48         -- lines that the set function must place for another target...
local ATTEMPTS, MOST_WRONG = 3, 4   -- ...in so many attempts, each of those that the one before did not place; so many at most

-- A region that `begin` makes, and a set in it: by group testing, or by what does not come to rest, which is tried as soon as
-- chance is seen to decide tests. nil: none, and why.
---@return Eviction?, EvictionSet?, string?
local function set_in(begin)
  local e = begin()
  e.rows = { asked = 0, mixed = 0, failed = 0 }
  local done, set, why = pcall(e.find, e, 0)
  e.rows = nil
  if done and set then return e, set end
  if not done and set ~= eviction.CHANCE then error(set, 0) end
  if not (why and why:find("do not evict")) then
    local at_rest, other = eviction_rest.of(e)
    if other then return at_rest, other end
  end
  if not done then
    e = begin()
    set, why = e:find(0)
  end
  return e, set, why
end

-- Bytes of arrays whose regions are asked, in turn.
local function arrays(attempt)
  local room = 1 << lists.log2(probe.most_bytes("global") // 2)
  local small, large = math.min(BYTES, room), math.min(MOST_BYTES, room)
  return (attempt.large or small == large) and { large } or { small, large }
end

-- The smallest region whose half evicts a target, and the target's set; nil, and why.
---@param attempt SetAttempt
local function search(operator, device, line, attempt)
  local why
  local from = attempt.large and lists.log2(BYTES // line) or FIRST_BITS
  for _, bytes in ipairs(arrays(attempt)) do
    local last = lists.log2(bytes // line)
    for bits = from, last, 2 do
      local e, set
      e, set, why = set_in(function()
        local region = eviction.new(operator, line, bits, bytes, device)
        region.row, region.near, region.spread = attempt.steady and 2, attempt.near or region.near, attempt.spread
        return region
      end)
      if set then return e, set end
      if not why:find("do not evict") then return nil, why end
    end
    from = last + 2
  end
  return nil, why
end

-- The class with the lines that it lacks of a set of a known form, and that are evicted when they are asked again.
local function completed(e, set, class)
  local first, differences, has = class[1], {}, {}
  for i = 2, #class do differences[i - 1] = class[i] ~ first end
  for _, x in ipairs(class) do has[x] = true end
  local rows, dimensions = gf2.basis(differences)
  if 1 << dimensions == #class or 1 << dimensions > LACKING * #class then return class end
  local span, lacking = { first }, {}
  for _, row in pairs(rows) do
    for i = 1, #span do span[#span + 1] = span[i] ~ row end
  end
  for _, x in ipairs(span) do
    if not has[x] then lacking[#lacking + 1] = x end
  end
  local whole = {}
  for i, x in ipairs(class) do whole[i] = x end
  for _, x in ipairs(eviction_class.evicted(e, set, lacking)) do whole[#whole + 1] = x end
  table.sort(whole)
  return whole
end

local SHOWN = 6   -- addresses of a set that a step gives

-- A set of another target that the function tells, where it is confirmed as every set that was searched.
local function told_by(e, fn, set, class)
  for attempt = 1, TOLD do
    local target, lines, all = e:element(attempt), {}, {}
    for k = 1, #class - 1 do all[#all + 1] = set_form.fellow(fn, class, target, k, e.bits) end
    for i = 1, math.min(#set.lines, #all) do
      lines[i] = table.remove(all, math.random(#all))
    end
    local other = { target = target, lines = lines }
    if #lines == #set.lines and not set_form.same_set(fn, target, set.target) and e:confirmed(other) then return other end
  end
  return nil
end

-- Whether the function places lines for another target: those of its class, and others. The pool has other lines of the
-- class beside the set's: SRRIP keeps a line that was hit, and fewer would not evict it.
local function holds(e, fn, set, class)
  local targets, expected, own, pool = {}, {}, {}, {}
  local spare = math.min(#set.lines // 2, (#class - #set.lines - 1) // 2)   -- of a small class half is left to be placed
  for i, line in ipairs(set.lines) do own[line], pool[i] = true, line end
  local function check(x, want)
    targets[#targets + 1], expected[#expected + 1] = x * e.line, want
  end
  for k = 1, #class - 1 do
    local x = set_form.fellow(fn, class, set.target, k, e.bits)
    local further = x and not own[x]
    if further and #pool < #set.lines + spare then pool[#pool + 1] = x
    elseif further and #targets < CHECKS // 2 then check(x, true) end
  end
  local element = 0x1234
  while fn.sets > 1 and #targets < CHECKS do   -- of one set all lines are members
    local x = e:element(element)
    element = element + 7
    if not set_form.same_set(fn, x, set.target) then check(x, false) end
  end
  -- A policy that spares a line at times, and noise, make one wrong: those are asked again.
  for _ = 1, ATTEMPTS do
    local wrong, wanted = {}, {}
    for i, late in ipairs(e:late(targets, e:ask(eviction.pool_of(pool), targets, { passes = e.passes or eviction_class.PASSES }))) do
      if late ~= expected[i] then wrong[#wrong + 1], wanted[#wanted + 1] = targets[i], expected[i] end
    end
    if #wrong == 0 then return true end
    if #wrong > MOST_WRONG then return false end
    targets, expected = wrong, wanted
  end
  return false
end

-- One line of each set that a function tells.
local function one_of_each(e, fn)
  local out, number = {}, 0
  while #out < fn.sets and number < DRAWN * fn.sets do
    number = number + 1
    local x, new = e:element(number), true
    for _, other in ipairs(out) do new = new and not set_form.same_set(fn, x, other) end
    if new then out[#out + 1] = x end
  end
  return out
end

-- Whether most of some tests evict the target.
local function mostly(e, lines, target, steady)
  local before = e.steady
  e.steady = steady
  local _, slow = e:evicts(eviction.pool_of(lines), target, SIZE_TESTS)
  e.steady = before
  return 2 * slow > SIZE_TESTS
end

-- A line whose set has more or fewer lines than the ways; nil: none of a few sets has. Of ten sets one had 20 lines, one
-- 14, and all others 12, as had the two that were searched. Whether fewer lines than ways evict is asked by tests that
-- follow each other, as what a set held before may help.
local function of_another_size(e, fn, class, ways)
  for _, target in ipairs(fn.sets <= FEW_SETS and one_of_each(e, fn) or {}) do
    local all, evicts = {}, false
    for k = 1, #class - 1 do all[#all + 1] = set_form.fellow(fn, class, target, k, e.bits) end
    for _ = 1, #all >= ways and TOLD or 0 do
      local some = lists.slice(lists.shuffle(all), 1, ways)
      evicts = evicts or mostly(e, some, target, true) or mostly(e, some, target, false)
    end
    if #all >= ways and (not evicts or mostly(e, lists.slice(all, 1, ways - 1), target, true)) then return target end
  end
  return nil
end

-- Which ways give up their lines, where no model predicts it: from visits that are observed in one launch.
local function by_victims(e, class, ways)
  local function trace(sequence, warm, passes)
    local order, hits = {}, {}
    for i = 1, math.min(set_policy.SHORT, #sequence * (warm + passes)) do order[i] = sequence[(i - 1) % #sequence + 1] end
    local observed = e:visit(class, order)
    for i = #sequence * warm + 1, #order do hits[i - #sequence * warm] = observed[i] end
    return hits
  end
  return replacement.policy { ways = ways, words = WORDS, spare = 0, trace = trace, stride = 1, apart = 0,
                              kept = set_policy.SHORT - set_policy.SHORT // 4 }
end

-- Ways and policy. Of a policy that resists scans (QLRU_H11_M2) more lines than ways may be needed to evict a target:
-- sets of two targets differ in size, and the ways are those with which a policy predicts the visits.
local function decide_ways(e, class, sizes, out)
  local first
  for _, ways in ipairs(sizes) do
    local try = { doubt = {}, steps = out.steps }
    set_policy.find(e, class, ways, try)
    first = first or try
    if try.policy then
      out.ways, out.policy = ways, try.policy
      return
    end
  end
  if e.passes then   -- sets at rest have as many lines as ways, whatever the policy
    out.ways, out.policy = sizes[1], by_victims(e, class, sizes[1])
    out.doubt.policy = out.policy.doubt
    if out.policy.doubt then out.policy = nil end
    return
  end
  out.why, out.doubt.policy = first.why, first.doubt.policy
end

-- The policy of a set of which these lines (addresses below `bytes`) are known: { name, note, visited }; nil: none fits.
-- The second value: the steps to it.
function M.policy_of(operator, device, bytes, line, addresses, ways)
  local e = eviction.new(operator, line, lists.log2(bytes // line), bytes, device)
  local class, out = {}, { doubt = {} }
  for i, address in ipairs(addresses) do class[i] = address // line end
  e:calibrate()
  set_policy.find(e, class, ways, out)
  if out.policy then out.policy.visited = true end
  return out.policy, out.steps or ledger.new()
end

-- The same where a line is several of its elements: of those, which share a test, the first one that is loaded would
-- answer the others, so that half of a class was missed, now and then.
local function by_lines(e, set, line)
  local each = line // e.line
  local lines = {}
  for i, element in ipairs(set.lines) do lines[i] = element // each end
  local other = eviction.resized(e, e.bits - lists.log2(each))
  other.line = line
  return other, { target = set.target // each, lines = lines, pool = math.max(1, set.pool // each),
                  hold = math.max(1, set.hold // each), evicted = set.evicted, asked = set.asked }
end

-- Bytes to another line of a target's page that is not of its set: of few sets the one that is loaded before a target may
-- be, and then the set is one short: 47 lines of 48 ways. nil: the set evicts with any.
local function near_elsewhere(e, set)
  local other = eviction.resized(e, e.bits)
  while other.near > 2 * e.line do
    other.near = other.near // 2
    if not other:surely_evicts(eviction.pool_of(set.lines), set.target) then return other.near end
  end
  return nil
end

---@class SetAttempt           what an attempt to recover a cache begins with
---@field line integer?         -- bytes, where they are known
---@field steps Steps?          -- of attempts before this one
---@field steady boolean?       -- one of these found a set that was none: tests follow each other from the first one on
---@field large boolean?        -- one of these found too few lines of a set: in the largest region are more
---@field near integer?         -- as Eviction has it; nil: its own
---@field spread boolean?       -- in one of these two targets had classes of different size: as Eviction has it

---@class SetSearch            one attempt
---@field operator string       -- the loads'
---@field device table
---@field e Eviction
---@field set EvictionSet       -- of the first target...
---@field other EvictionSet?    -- ...and of the second one
---@field class integer[]       -- elements of the first target's set
---@field bits integer          -- log2 of the elements among which they were found
---@field fn SetForm?
---@field out table             -- what is known of the cache; `doubt`: why something is not

-- An attempt like this one, but for some fields.
---@return SetAttempt
local function but_for(attempt, fields)
  local out = {}
  for name, value in pairs(attempt) do out[name] = value end
  for name, value in pairs(fields) do out[name] = value end
  return out
end

local function say(s, text, ...) ledger.say(s.out.steps, "eviction sets: " .. string.format(text, ...)) end

-- What was found of a set, for people.
local function say_set(s, e, set)
  local at = {}
  for i = 1, math.min(SHOWN, #set.lines) do at[i] = string.format("0x%x", set.lines[i] * e.line) end
  if #set.lines > SHOWN then at[#at + 1] = "…" end
  say(s, "the line at 0x%x of an array of %d MB, loads .%s: a pool of %d lines of %d B evicts it, and so do %d of them " ..
      "(%s): in %d of %d tests with all of them, in 1 of 10 at most without any one", set.target * e.line, e.bytes >> 20,
      e.operator, set.pool or #set.lines, e.line, #set.lines, table.concat(at, ", "), set.evicted, set.asked)
  ledger.show(s.out.steps, { "ways" }, set.shown)
end

-- Ways, sets and capacity are not known, for this reason; further names the same.
local function doubt_ways(out, why, ...)
  out.ways = nil
  for _, name in ipairs { "ways", "sets", "capacity", ... } do out.doubt[name] = why end
end

-- A step of an attempt returns true where the attempt ends: `again` is the next one; nil: `out` is what is known.
---@return boolean?, SetAttempt?

-- A minimal set of a first target, and its line.
local function find_set(s, attempt)
  local out = s.out
  s.e, s.set = search(s.operator, s.device, attempt.line or LINE, attempt)
  if not s.e then
    out.why = s.set
    say(s, "%s", s.set)
    return true
  end
  say_set(s, s.e, s.set)
  local elsewhere = not attempt.near and near_elsewhere(s.e, s.set)
  if elsewhere then
    say(s, "they do not where another line of its page is loaded before it, %d B from it: tested again that way", elsewhere)
    return true, but_for(attempt, { near = elsewhere })
  end
  out.ways, out.hit_clocks, out.tests = #s.set.lines, s.e.hit, s.e
  out.line = attempt.line or s.e:line_of(s.set)
  if not out.line then
    out.why = string.format("a set still evicts where all its lines are moved by %d B: pages of a translation buffer, " ..
                            "or no set", eviction.MOST_LINE)
    out.ways = nil
    say(s, "%s", out.why)
    return true
  end
  -- Lines are smaller than the distance of the pool's: ask again by them.
  if out.line < s.e.line then return true, but_for(attempt, { line = out.line }) end
end

-- The class of the first target: as many lines of its set as tell something.
local function find_class(s, attempt)
  local out = s.out
  s.e, s.set = by_lines(s.e, s.set, out.line)
  local most = lists.log2(s.e.bytes // s.e.line)
  local before, sizes_of, class = ledger.now(), {}, nil
  for bits = math.min(most, lists.log2(s.set.hold) + SPARE), most do
    s.bits, s.e = bits, eviction.resized(s.e, bits)
    class = eviction_class.of(s.e, s.set, bits, class)
    sizes_of[1 << bits] = #class
    if #class >= math.max(MANY, set_policy.lines(out.ways)) then break end
  end
  s.class = completed(s.e, s.set, class)
  out.set, out.class, out.bits = s.set, s.class, s.bits
  say(s, "of %d lines of %d MB these evict %d: its class", 1 << s.bits, (s.e.line << s.bits) >> 20, #s.class)
  ledger.show(out.steps, { "sets", "capacity" }, ledger.since(before, "lines of a region that the set evicts: its class",
    "lines of the region", "lines of the class", ledger.points(sizes_of)))
  local further = #s.class - #s.set.lines - 1
  if further >= FEW then return end
  if not attempt.large and #arrays(attempt) > 1 and 1 << s.bits >= s.e.bytes // s.e.line then
    say(s, "too few for a share: in a larger array there are more")
    return true, but_for(attempt, { steps = out.steps, large = true })
  end
  -- So many lines have many times the set's own in its set. What evicts no other line is no set: a tree-PLRU of 16
  -- ways, of which other tests filled some, gave up a target for 14 of its lines between 20 others in one order.
  if not attempt.steady then return true, but_for(attempt, { steps = out.steps, steady = true }) end
  doubt_ways(out, string.format("of %d lines only %d were found in one set with those that identify it: " ..
                                "too few for a share", 1 << s.bits, further))
  out.doubt.policy = "too few lines of one set were found"
  return true
end

-- The set of a second target; ways and policy of both.
local function find_ways(s, attempt)
  local out, tried = s.out
  s.fn, tried = set_form.of(s.class, s.bits)
  say(s, "%s", tried)
  s.e.ways = out.ways
  s.other = s.fn and told_by(s.e, s.fn, s.set, s.class) or s.e:find(1)
  if s.other then say_set(s, s.e, s.other) end
  local sizes = { #s.set.lines }
  if s.other and #s.other.lines ~= #s.set.lines then sizes[2] = #s.other.lines end
  table.sort(sizes)
  decide_ways(s.e, s.class, sizes, out)
  -- Other lines that its set holds may let more lines than ways be needed: 31 for 16 ways under QLRU_H00_M2.
  if not sizes[2] or out.policy then return end
  if not attempt.steady then return true, but_for(attempt, { steps = out.steps, steady = true }) end
  doubt_ways(out, string.format("minimal eviction sets of two targets have %d and %d lines, and no replacement policy of " ..
                                "so many ways predicts the visits", sizes[1], sizes[2]))
  return true
end

-- Whether the function of the first target's class holds for the second one; second, the class of that, where it was asked.
---@return boolean?, integer[]?
local function function_holds(s)
  local fn, other = s.fn, s.other
  local fits = fn and other and holds(s.e, fn, other, s.class)
  local second = not fits and other and (s.out.policy or #other.lines == s.out.ways)
    and eviction_class.of(s.e, other, s.bits)
  if not fn then return false, second end
  say(s, fits and "it places %d lines for the second target" or "of %d lines for the second target it places some wrongly",
      CHECKS)
  local again = second and set_form.of(second, s.bits)
  fits = fits or again and set_form.same_form(fn, again)
  if again then say(s, fits and "the second target's class has the same one" or "the second target's class has another one") end
  return fits, second
end

-- Sets by their share of lines, of two classes.
local function sets_by_share(s, second, attempt)
  local out, share, first_count, second_count = s.out, 1 << s.bits, #s.class, second and #second or 0
  local least, most = math.min(first_count, second_count), math.max(first_count, second_count)
  say(s, "the classes of two targets have %d and %d lines of %d", first_count, second_count, share)
  if least > 0 and least < EVENLY * most and not attempt.spread then
    return true, but_for(attempt, { steps = out.steps, spread = true })
  end
  if least < EVENLY * most or share / most < MANY_SETS then
    out.doubt.sets = "no function over GF(2) and no modulo describes which lines share a set, and shares of " ..
                     "lines do not determine the number of sets"
    out.doubt.capacity = out.doubt.sets
    return true
  end
  out.sets = math.floor(share / ((least + most) / 2) + 0.5)
  -- A hash need not spread lines evenly, and a line may be missed.
  out.sets_low = math.floor(share / (most * (1 + UNEVEN) + 1))
  out.sets_high = math.ceil(share / math.max(1, least * (1 - UNEVEN) - 1))
  -- Where it is not known which line leaves, some of a class may be missed, and no function fits what is left.
  out.set_function = string.format("1 of %d to %d lines of %d MB are in a set", math.floor(share / most),
                                   math.ceil(share / least), (s.e.line << s.bits) >> 20) ..
    (s.fn and "; what identifies the lines of one target's set does not identify another's"
     or out.policy and "; not linear over GF(2), not a modulo of the line's number"
     or "; no function over GF(2) and no modulo was found, and the replacement policy is not known")
end

-- Sets: by their function, where it holds for another target and all sets are of one size, or by their share.
local function find_sets(s, attempt)
  local out = s.out
  out.within = s.e.line << s.bits
  local fits, second = function_holds(s)
  if not fits then return sets_by_share(s, second, attempt) end
  local odd = of_another_size(s.e, s.fn, s.class, out.ways)
  if odd then
    doubt_ways(out, string.format("minimal sets of two targets have %d lines, but the set of the line at 0x%x needs " ..
                                  "more or fewer: sets may hold unequal numbers of lines", out.ways, odd * s.e.line), "policy")
    out.policy = nil
    say(s, "%s", out.doubt.ways)
    return true
  end
  out.fn, out.sets, out.set_function = s.fn, s.fn.sets, set_form.text(s.fn, s.e.line)
end

local function find_capacity(s)
  local out = s.out
  local bytes = out.ways * out.line
  out.capacity = out.sets * bytes
  out.counted = string.format("%d sets of %d lines of %d B", out.sets, out.ways, out.line)
  if out.sets_low then out.capacity_low, out.capacity_high = out.sets_low * bytes, out.sets_high * bytes end
end

local STEPS = { find_set, find_class, find_ways, find_sets, find_capacity }

-- The cache that answers loads of this operator. `line`: where it is known.
function M.recover(operator, device, line)
  local attempt = { line = line }
  while true do
    local s = { operator = operator, device = device,
                out = { doubt = {}, told = {}, steps = attempt.steps or ledger.new() } }
    local again
    for _, step in ipairs(STEPS) do
      local ended
      ended, again = step(s, attempt)
      if ended then break end
    end
    if not again then return s.out end
    attempt = again
  end
end

return M
