-- What eviction sets tell of a level of global memory beside lists at rest: they agree, fill what lists left open, or
-- put both in doubt.
-- Used by cache.lua. Covered by tests/experiments/eviction_test.cpp and tests/bench/recover_test.cpp.

local cache_sets = use "parts/cache_sets"
local levels = use "parts/levels"
local policies = use "parts/policies"
local ledger = use "parts/steps"
local M = {}
---@names level: Level

-- Whether two ways to a geometry name the same one.
local function agree(level, sets)
  if level.ways and level.ways ~= sets.ways then return false end
  local low, high = sets.sets_low or sets.sets, sets.sets_high or sets.sets
  return not (level.sets and low) or level.sets >= low and level.sets <= high
end

-- Two ways to one quantity that name two values: neither is a finding.
local function contradict(level, sets)
  local function geometry(of)
    return of.sets and string.format("%d sets of %d lines", of.sets, of.ways)
      or string.format("sets of %d lines", of.ways)
  end
  local why = string.format("resident working sets show %s, eviction sets %s", geometry(level), geometry(sets))
  for _, what in ipairs { "capacity", "ways", "sets", "policy" } do
    level[what], level.doubt[what] = nil, why
  end
  level.counted, level.set_function, level.fn, level.set_sizes = nil, nil, nil, nil
end

-- Policies that lists at rest, whose sequences are short, take for each other, from so many ways on: of 12 ways SLRU-2 was
-- stated for AGED-2, of 32 LRU.
local CLOSE = { ["SLRU-1"] = 8, ["SLRU-2"] = 8, ["SLRU-half"] = 8, ["AGED-2"] = 8, LRU = 24 }

-- Quad-age policies differ from each other and from SRRIP in few of such visits, at any number of ways: of 16 ways M1 was
-- stated for M2 (2 of 185 devices), SRRIP for QLRU_H00_M2, of 48 ways NRU for QLRU_H00_M2_R1_U2.
local function policy_in_question(level)
  local name = level.policy and level.policy.name
  local ways = name and (CLOSE[name] or policies.is_by_way(name) and 2)
  return level.ways and ways and level.ways >= ways and not level.policy.visited
end

-- Sequences of thousands of visits from a known state say more than lists at rest, which visit few lines and try what
-- the set held before: where they say no policy, it is not decided.
local function question_policy(level, sets)
  local name = level.policy.name
  level.policy = not sets.why and agree(level, sets) and sets.policy or nil
  if not level.policy then
    level.doubt.policy = string.format("resident working sets: %s; eviction sets: %s", name,
                                       sets.policy and sets.policy.name or sets.doubt.policy or sets.why)
  end
end

-- Where no eviction sets can be asked.
function M.question_quad_age(level)
  local name = level.policy and level.policy.name
  if not name or not policies.is_quad_age(name) then return end
  level.policy = nil
  level.doubt.policy = name .. " or another quad-age policy: too few accesses to one set to distinguish them"
end

local function ask_sets(level, operator, device)
  -- Of sets that hold unequal numbers of lines, two eviction sets tell neither all sizes nor how many sets there are.
  if level.set_sizes and level.set_sizes[1] ~= level.set_sizes[#level.set_sizes] then return end
  local known = level.ways and level.sets and not level.doubt.policy
  if known and not policy_in_question(level) then return end
  local sets = cache_sets.recover(operator, device, level.line)
  ledger.append(level.steps, sets.steps)
  if known then return question_policy(level, sets) end
  if sets.why then
    if not level.ways then level.policy = nil end
    for _, what in ipairs { "ways", "sets", "policy" } do
      if level.doubt[what] then level.doubt[what] = level.doubt[what] .. "; eviction sets: " .. sets.why end
    end
    return
  end
  if not agree(level, sets) then return contradict(level, sets) end
  -- What lists found of a set whose ways they do not know holds as little.
  if not level.ways or level.policy and level.policy.doubt then level.policy = nil end
  if not (level.ways and level.sets) then
    level.ways, level.sets, level.set_function, level.within = sets.ways, sets.sets, sets.set_function, sets.within
    level.sets_low, level.sets_high = sets.sets_low, sets.sets_high
    level.line = level.line or sets.line
    level.capacity = level.capacity or sets.capacity
    level.capacity_low, level.capacity_high = sets.capacity_low, sets.capacity_high
    level.counted = sets.counted
    for what, why in pairs(sets.doubt) do level.doubt[what] = why end
  end
  level.policy = level.policy or sets.policy
  if not level.policy and level.doubt.policy and sets.doubt.policy and level.doubt.policy ~= sets.doubt.policy then
    level.doubt.policy = level.doubt.policy .. "; eviction sets: " .. sets.doubt.policy
  end
end

-- Minimal eviction sets, for a level of global memory that the search of resting lists did not decide. If they do not
-- decide it either, that search runs to its end.
function M.by_eviction(level, operator, device)
  ask_sets(level, operator, device)
  if level.ways and level.sets then return end
  if not levels.ask_within_less(level) then
    if not level.unfinished then return end
    levels.finish(level)
  end
  if level.policy and policy_in_question(level) then question_policy(level, { why = "none was found", doubt = {} }) end
end

return M
