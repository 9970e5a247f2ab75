-- Clocks of a chase's load from what was observed: an average over a region counts what stands around
-- it, an access observed by itself the reading of the clock, and a global one the addition of its
-- address. Used by tlb.lua, global_latency.lua and global_patterns.lua. Covered by
-- tests/experiments/memory_planted_test.cpp.

local line = use "parts/line"
local pick = use "parts/select"
local M = {}

-- How often the arithmetic stands between two loads in the machine code of a real GPU, at least and at
-- most. The halves of a global address are added one after the other, the upper one with the carry of
-- the lower; the place of constants may be part of the load.
local IN_MACHINE_CODE = { global = { 1, 2 }, constant = { 0, 1 } }

-- A load of a constant is itself an instruction of the same pipeline: it is taken off too, as wong2010 does
-- (section IV-J), so that what is left is the memory's.
local OF_THE_LOAD = { constant = 1 }

local function slope(samples, name, count, how)
  local rows = pick.measure(samples, name):having("latency")
  return line.fit(line.points(rows, count, "latency", how), line.granularity(rows:column("latency")),
                  "execution")
end

-- The clocks by which the address of each access delays it: a measure of the same arithmetic alone,
-- over the axis `count`. { clocks, error, note }; 0 clocks where no such measure is named.
function M.address(input)
  local name = input.args.address
  if name == nil then return { clocks = 0, error = 0, note = "with the addition of its address" } end
  local fit = slope(input.samples, name, pick.axis(input, "count", "count"), input.reduce)
  if fit.why then error("the measure '" .. tostring(name) .. "': " .. fit.why, 0) end
  local error = math.max(fit.slope - fit.low, fit.high - fit.slope)
  local space = input.args.space or "global"
  local own, both = OF_THE_LOAD[space] or 0, OF_THE_LOAD[space] and " and the load itself" or ""
  local steps = input.device.code == "SASS" and IN_MACHINE_CODE[space]
  if steps then
    return { clocks = (own + (steps[1] + steps[2]) / 2) * fit.slope,
             error = (1 + own) * error + (steps[2] - steps[1]) / 2 * fit.slope,
             note = string.format("minus %d to %d steps of %.1f clocks of address arithmetic%s, measured " ..
                                  "separately", own + steps[1], own + steps[2], fit.slope, both) }
  end
  return { clocks = (1 + own) * fit.slope, error = (1 + own) * error,
           note = string.format("minus %.1f clocks of address arithmetic%s, measured separately",
                                (1 + own) * fit.slope, both) }
end

-- The step in which the latencies that were observed differ.
local function step_of(latencies)
  local low, differences = stats.min(latencies), {}
  for i, latency in ipairs(latencies) do differences[i] = latency - low end
  return line.granularity(differences)
end

-- Clocks of a load of one address that always hits, with the addition of its address: the slope over the passes leaves
-- out how a chase begins and ends. average(list, passes) as in cache.asks().
local FEW_PASSES, MANY_PASSES = 1024, 3072
function M.hit(average)
  local many, few = average({ 0 }, MANY_PASSES) * MANY_PASSES, average({ 0 }, FEW_PASSES) * FEW_PASSES
  return (many - few) / (MANY_PASSES - FEW_PASSES)
end

-- What it costs to observe one access by itself: { clocks, error }, from one address that always hits.
-- ask as in cache.asks(); average(list, passes); seen: further latencies, which show the clock's step.
function M.overhead(ask, average, seen)
  local load = M.hit(average)
  local each = ask({ 0 }, 4, 512)
  -- A clock that advances in larger steps may be read at any phase of one.
  local all = {}
  for _, list in ipairs { each, seen } do
    for _, latency in ipairs(list) do all[#all + 1] = latency end
  end
  local step = step_of(all)
  return { clocks = stats.mean(each) - load,
           error = 3 * math.sqrt(stats.variance(each) / #each) + (step > 1 and step or 0.1) }
end

return M
