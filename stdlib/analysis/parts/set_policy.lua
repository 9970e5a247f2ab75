-- The replacement policy of one set, from visits of lines of its class: the model of parts/policies.lua that says
-- every hit and miss, of sequences that are drawn to tell it from the next best.
--
-- What the set holds before is not known, and quad-age policies never forget it: which line is in which way, and how
-- old. A homing sequence (Moore 1956) goes before, after which the state is known, whatever it was:
--   all lines of the class                       W of them are in the set
--   W times W lines, each three times in a row   all are hits, and their ages fall to 0: different ages become one
--   W times W lines in another order             where the oldest is hit last, all are equally old
--   all other lines of the class                 they fill the ways in their order: which line is in which way
--   lines of the class at random, 40 times W     where ages grow by one after a hit that makes a line new
--                                                (QLRU_H00_*_R1_U2), only these make few states of all
--   or all lines, where the ways are too many    a tree-PLRU may have kept one of the others until now
-- Where ages order ways, and a model is wrong from its first state, it is tried from others at random. Simulated from random
-- states of 4 to 24 ways each policy of the registry was found in 40 of 40 trials; without the last step and other
-- states QLRU_H00_M1_R1_U2 in 20, QLRU_H00_M2_R1_U2 in 31.
-- Covered by tests/experiments/eviction_test.cpp.

local eviction = use "parts/eviction"
local lists = use "parts/lists"
local policies = use "parts/policies"
local ledger = use "parts/steps"
local M = {}

local VISITS = 3000       -- of one sequence, after the homing sequence
local ROUNDS, LAST, STAY = 12, 4, 0.9   -- over as many lines as ways: of the last ones so many hit
local EXTRA = { 1, 2, 4 } -- lines beyond the ways that sequences have
local SETTLE = 20         -- visits a way that do not count: of a class too small for the homing sequence more is forgotten
local HOMED = 32          -- ways: of more the homing sequence would be longer than the visits; LRU needs none
local THRICE = 3          -- hits after which a line is as new as one gets (QLRU_H21)
local ALL = 0.995         -- share of visits that a policy must say: what noise leaves of 1
local WORTH = 0.9         -- below which no further visits are worth asking for; and the ways themselves are in doubt:
                          -- of 12 ways by FIFO 9 lines evict, as a visit that hits does not count, and 81 % are said
local FORGET = 40         -- random lines a way, each once or twice...
local SHORT = 6144        -- ...in visits whose numbers fit into shared memory (evict.cu): read from L2, they took lines of 24
                          -- ways, of which LRU said 84 % then
M.SHORT = SHORT
local STARTS, START = 12, 20   -- random starts that are tried, of so many visits a way at most. Simulated, of 240 sets under
                              -- QLRU_H00 the first 6 were enough
local OF_RIVAL = 60           -- of the other models in a duel, where the best one needed such a start: a class too small for the
                              -- homing sequence leaves many states. Of 27 lines of 16 ways under QLRU_H21_M1_R0_U0
                              -- QLRU_H21_M1_R1_U2 found a start that fits, and the right one none of 12
local ASKED = 3           -- times that visits of a kind are asked for until a model says all of them
local FAR = 0.3           -- share of visits said wrongly, beyond which it does not matter how many
local BEHIND = 0.1        -- of the best share: models so far behind after the first sequences are not asked again
local DRAWN, TRIED = 12, 1000   -- kinds of visits that are drawn, of which the most telling one is asked; visits that tell it
local ALIKE = 0.005       -- share of the most telling visits: models that differ in fewer are not told apart
local DUELS, WON = 4, 2   -- of the best model and the next: so many at most, and so many that the best one wins
local MOST_RUNS = #EXTRA + DUELS

-- Lines of a class with which the homing sequence works.
function M.lines(ways) return 2 * ways + 4 end

-- The homing sequence of a class of so many lines.
local function homing(ways, lines)
  local order = {}
  for x = 1, lines do order[x] = x end
  for _, times in ipairs(ways <= HOMED and { THRICE, 1 } or {}) do
    for _ = 1, ways do
      for _, x in ipairs(lists.shuffle(lists.slice(order, 1, math.min(ways, lines)))) do
        for _ = 1, times do order[#order + 1] = x end
      end
    end
  end
  for x = ways + 1, lines do order[#order + 1] = x end
  local at_random = math.min(FORGET * ways, (SHORT - VISITS - #order) // 2)
  for x = 1, at_random < lines and lines or 0 do order[#order + 1] = x end
  for _ = 1, at_random do
    local x = math.random(lines)
    for _ = 1, math.random(2) do order[#order + 1] = x end
  end
  return order
end

---@class VisitedSet
---@field order integer[]    -- lines of a class, by number: the homing sequence, then visits
---@field first integer      -- how long the homing sequence is
---@field hits boolean[]     -- by their place in `order`

---@class VisitKind
---@field lines integer   -- of the class, its first ones, that are visited
---@field stay number     -- share of the visits that go to one of the last two: it hits
---@field scan number     -- share that goes to the next line in turn: all lines, where it comes near 1
---@field within number   -- share of the others that goes to as many lines as the set holds: many hits between misses

-- So many visits at random, behind `order`.
local function add_visits(order, ways, kind, count)
  local first, next_one = #order, 0
  for i = first + 1, first + count do
    local drawn = math.random()
    if drawn < kind.stay and i > first + 2 then
      order[i] = order[i - math.random(2)]
    elseif drawn < kind.stay + kind.scan then
      next_one = next_one % kind.lines + 1
      order[i] = next_one
    else
      order[i] = math.random(math.random() < kind.within and ways or kind.lines)
    end
  end
end

-- Visits at random, behind a homing sequence.
local function random_visits(ways, of_class, kind)
  local order = homing(ways, of_class)
  local first = #order
  add_visits(order, ways, kind, math.min(VISITS, SHORT - first))   -- of 32 ways the homing sequence takes 4,200
  return { order = order, first = first }
end

local function drawn_kind(ways, of_class)
  local kind = { lines = math.min(of_class, ways + math.random(ways)), stay = 0.8 * math.random(), scan = 0, within = 0 }
  local which = math.random(3)
  if which == 1 then kind.within = math.random() end
  if which == 2 then   -- hits are few: what they do shows for long. AGED-2 and SLRU-2 of 32 ways differ in nothing else
    kind.lines, kind.stay = math.min(of_class, ways + math.random(4)), 0.5 * math.random()
    kind.scan = 1 - kind.stay
  end
  return kind
end

local function counted_visits(ways, run) return #run.order - run.first - SETTLE * ways end

-- The share of a run's visits that a model says; where it says more than `most` wrongly, at most that.
local function share_of(model, ways, run, most)
  local wrong, hits = 0, run.hits
  local uncounted = run.first + SETTLE * ways
  for i, x in ipairs(run.order) do
    if model(x) ~= hits[i] and i > uncounted then
      wrong = wrong + 1
      if wrong > most then break end
    end
  end
  return 1 - wrong / counted_visits(ways, run)
end

-- A model of a set that may be in any of its states.
local function in_some_state(row, ways)
  local model, lines = row.make(ways), M.lines(ways)
  for _ = 1, math.random(START * ways) do model(math.random(lines)) end
  return model
end

-- The share that a model says from the first start that fits: what the run before left, then `starts` at random.
---@param each PolicyModel
local function share_from_any_start(each, ways, run, starts)
  if not each.row.by_way then return each.share end
  local most = (1 - ALL) * counted_visits(ways, run)
  for k = each.left and 0 or 1, starts do
    local model = k == 0 and each.left or in_some_state(each.row, ways)
    local share = share_of(model, ways, run, most)
    if share >= ALL then
      each.model, each.by_chance = model, true
      return share
    end
  end
  return each.share
end

---@class PolicyModel
---@field row PolicyRow
---@field name string
---@field place integer             -- in the registry
---@field share number              -- of the last run's visits that it says
---@field runs integer
---@field sum number                -- of the runs' shares
---@field mean number
---@field model fun(line): boolean  -- as the last run left it
---@field left? fun(line): boolean  -- as the run before did; nil: there was none
---@field by_chance? boolean        -- it did not say all of some run from its first start

-- Whether a model may still say ALL of all runs.
local function may_say_all(each) return each.sum + MOST_RUNS - each.runs >= ALL * MOST_RUNS end

-- Whether a model says all of a run, or none can any more. Other starts are tried where none does from the first, and of
-- models that said all of the runs before; of all models, where the one that seems best needed such a start.
---@param models PolicyModel[]
---@param best PolicyModel?
local function judge(models, ways, run, best)
  local most, hopeless = 0, true
  for _, each in ipairs(models) do
    each.left, each.model = each.model, each.row.make(ways)
    each.share = share_of(each.model, ways, run, FAR * counted_visits(ways, run))
    most = math.max(most, each.share)
  end
  local said = most >= ALL
  for _, each in ipairs(models) do
    local hope = may_say_all(each)
    if each.share < ALL and hope and (not said or each.runs > 0 and each.mean >= ALL) then
      each.share = share_from_any_start(each, ways, run, STARTS)
    end
    most, hopeless = math.max(most, each.share), hopeless and not hope
  end
  for _, each in ipairs(best and best.by_chance and models or {}) do
    if each.share < ALL then each.share = share_from_any_start(each, ways, run, OF_RIVAL) end
  end
  return hopeless or most >= ALL
end

-- Visits that `draw` gives are asked for, others of their kind where no model says all; the shares of the last ones
-- are added to those of the models, the best first.
---@param models PolicyModel[]
---@param best PolicyModel?  -- in a duel
local function ask(e, class, ways, models, draw, best)
  for _ = 1, ASKED do
    local visits = draw()
    visits.hits = e:visit(class, visits.order)
    if judge(models, ways, visits, best) then break end
  end
  for _, each in ipairs(models) do
    each.runs, each.sum = each.runs + 1, each.sum + each.share
    each.mean = each.sum / each.runs
  end
  table.sort(models, function(a, b) return a.mean > b.mean or a.mean == b.mean and a.name < b.name end)
end

local function near_the_best(models)
  local out = {}
  for _, each in ipairs(models) do
    if each.mean >= models[1].mean - BEHIND then out[#out + 1] = each end
  end
  return out
end

-- In how many visits behind the first ones two models differ.
local function differing(a, b, ways, order, first)
  local one, other, count = a.make(ways), b.make(ways), 0
  for i, x in ipairs(order) do
    if one(x) ~= other(x) and i > first then count = count + 1 end
  end
  return count
end

-- Visits on which two models differ most, of some kinds that are drawn, with the share on which they do. A few visits tell
-- the kind; where all that they tell is that the models hardly differ, all are drawn.
local function telling_visits(a, b, ways, of_class)
  local best, most = nil, -1
  for _ = 1, DRAWN do
    local kind, order = drawn_kind(ways, of_class), {}
    add_visits(order, ways, kind, TRIED)
    local count = differing(a, b, ways, order, TRIED // 3)
    if count > most then best, most = kind, count end
  end
  local visits = random_visits(ways, of_class, best)
  most = differing(a, b, ways, visits.order, visits.first)
  for _ = 1, most < ALIKE * VISITS and DRAWN or 0 do
    local other = random_visits(ways, of_class, drawn_kind(ways, of_class))
    local count = differing(a, b, ways, other.order, other.first)
    if count > most then visits, most = other, count end
  end
  return visits, most / VISITS
end

-- Two models that are left, on visits that tell them apart. Whether the first won, and what both say; nil, and the share
-- on which they differ: no visits do.
local function duel(e, class, ways, models)
  local best, rival = models[1], models[2]
  local visits, differ = telling_visits(best.row, rival.row, ways, #class)
  if differ < ALIKE then return nil, differ end
  ask(e, class, ways, models, function()
    local drawn = visits or telling_visits(best.row, rival.row, ways, #class)
    visits = nil
    return drawn
  end, best)
  if best.by_chance and best.share >= ALL then
    for i, each in ipairs(models) do
      if each ~= best and each.share >= ALL then
        table.remove(models, i)
        table.insert(models, 2, each)
        return nil, differ
      end
    end
  end
  return best.share >= ALL and best.share - rival.share >= differ / 2, best.share, rival.share
end

-- The best model stands for the next one, too, which no visits tell from it: by its name where they are the same one,
-- of quad-age policies by what their names have in common, else by both.
local function merge(models, differ)
  local best, rival = models[1], table.remove(models, 2)
  local common = policies.common_name(best.name, rival.name)
  if common then
    best.name = common
  elseif differ > 0 then
    best.name, best.several = best.name .. " or " .. rival.name, true
  elseif rival.place < best.place then   -- the first of the registry is the one that people know
    best.name, best.place = rival.name, rival.place
  end
end

-- The best models with their shares, for people.
local SHOWN = 4
local function said(models)
  local parts = {}
  for i = 1, math.min(SHOWN, #models) do parts[i] = string.format("%s %.1f %%", models[i].name, 100 * models[i].mean) end
  return table.concat(parts, ", ")
end

-- The same tests where the line of the page that is translated before a visit is none of the set: as many lines as ways
-- stay then. Of 8 sets of lines of 64 B all lines 2 KB apart are in one, and no model said more than 88 % of the visits.
local function translated_elsewhere(e, class, ways)
  local other, order = eviction.resized(e, e.bits), {}
  for i = 1, ROUNDS * ways do order[i] = (i - 1) % ways + 1 end
  while other.near >= e.line do
    local hits, stay = other:visit(class, order), 0
    for i = #order - LAST * ways + 1, #order do stay = stay + (hits[i] and 1 or 0) end
    if stay >= STAY * LAST * ways then return other end
    other.near = other.near // 2
  end
  return e
end

-- The shares, to be drawn.
local function shares_shown(before, models)
  local points, names = {}, {}
  for i, each in ipairs(models) do
    points[i] = { i, each.mean }
    if i <= SHOWN then names[i] = i .. " " .. each.name end
  end
  return ledger.since(before, "share of hits and misses that each model predicts: " .. table.concat(names, ", "),
                      "model, the best first", "share", points)
end

-- Sets policy, or why it is in doubt (doubt.policy), in `out`; `why` where the ways are. Steps are added to `out`.
function M.find(e, whole_class, ways, out)
  local class = {}
  for i = 1, math.min(#whole_class, M.lines(ways)) do class[i] = whole_class[i] end
  if ways == 1 or #class < ways + 2 then
    out.doubt.policy = ways == 1 and "one way" or "too few lines of one set were found"
    return
  end
  local before = ledger.now()
  e = translated_elsewhere(e, class, ways)
  local models = {}
  for place, row in ipairs(policies.rows) do
    if row.make(ways) then models[#models + 1] = { row = row, name = row.name, place = place, runs = 0, sum = 0 } end
  end
  for _, extra in ipairs(EXTRA) do
    if #class >= ways + extra then
      local kind = { lines = ways + extra, stay = 0, scan = 0, within = 0 }
      ask(e, class, ways, models, function() return random_visits(ways, #class, kind) end)
      models = near_the_best(models)
    end
  end
  out.steps = out.steps or ledger.new()
  local function say(text, ...) ledger.say(out.steps, "policy: " .. string.format(text, ...), { "policy" }) end
  ledger.show(out.steps, { "policy" }, shares_shown(before, models))
  say("of the hits and misses of %d sequences of %d visits to %d ways: %s; %d other models are behind", models[1].runs, VISITS,
      ways, said(models), #policies.rows - #models)
  local next_best = models[2]
  local fresh, fresh_next, won, fought = 0, 0, 0, 0
  while fought < DUELS and won < WON and models[2] and models[1].mean >= WORTH do
    local first, own, others = duel(e, class, ways, models)
    if first == nil then
      say("%s and %s differ in %.1f %% of the most decisive visits: they are not distinguished", models[1].name, models[2].name,
          100 * own)
      merge(models, own)
    else
      say("visits on which the two best differ most: %.1f %% by the first, %.1f %% by the second", 100 * own, 100 * others)
      fought = fought + 1
      if first then fresh, fresh_next, won = fresh + own, fresh_next + others, won + 1 end
    end
  end
  local best, rival = models[1], models[2] or next_best
  if best.mean >= ALL and best.several then
    out.doubt.policy = best.name .. ": no visits distinguish them"
    return
  end
  if best.mean >= ALL and (won == WON or not models[2]) then
    out.policy = { name = best.name, note = won > 0 and string.format(
      "%s predicts %.2f %% of the hits and misses of %d sequences that were drawn to distinguish it from " ..
      "the next best, which predicts %.1f %%", best.name, 100 * fresh / won, won, 100 * fresh_next / won)
      or string.format("%s predicts %.2f %% of the hits and misses, no other policy nearly as many", best.name, 100 * best.mean) }
    return
  end
  out.doubt.policy = string.format("no model predicts every hit and miss: %s %.1f %%", best.name, 100 * best.mean)
    .. (rival and string.format(", %s %.1f %%", rival.name, 100 * rival.mean) or "")
  if best.mean < WORTH then
    out.why = string.format("no replacement policy with %d ways predicts %.0f %% of the hits and misses: fewer lines than ways may evict",
                            ways, 100 * WORTH)
  end
end

return M
