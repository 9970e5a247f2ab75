-- constant_bandwidth(x = blocks, size = 32KB, bytes = …): what the constant caches hand over when more
-- and more blocks ask (Wong 2010, section IV-J3). Every block reads `bytes` in all, densely and
-- round an array of `size` bytes; the blocks begin apart from each other.
--
-- Which level answers, the analysis finds out by chases of its own: it is the one on whose plateau
-- `size` lies. Covered by tests/experiments/sharing_planted_test.cpp.

local constants = use "parts/constants"
local M = {}

local FLAT = 0.04  -- of the bandwidth: what it may grow by from point to point where it is saturated
local LEAST = 4    -- points

function M.describe() return "bandwidth of a constant cache against blocks" end

local function number(input, name)
  local value = input.args[name]
  if type(value) ~= "number" or not (value > 0) then
    error("constant_bandwidth needs " .. name .. ", such as " .. name .. " = 32KB", 0)
  end
  return value
end

-- The number of the level that answers a list of so many bytes.
local function level_of(size, levels)
  for i, level in ipairs(levels) do
    if size >= level.low and size <= level.high then return i, level end
  end
end

-- The longest stretch over which the bandwidth stays, and stays near the highest.
local function plateau(curve, highest)
  local best, from
  for i = 1, #curve + 1 do
    local inside = curve[i] and curve[i].rate >= (1 - FLAT) * highest
    if inside and not from then from = i end
    if not inside and from then
      if not best or i - from > best.count then best = { first = from, count = i - from } end
      from = nil
    end
  end
  return best
end

function M.run(input)
  if not probe then error("constant_bandwidth asks for chases of its own: it needs the device", 0) end
  local x, size, bytes = input.args.x, number(input, "size"), number(input, "bytes")
  local curve = {}
  for _, row in ipairs(input.samples:reduce(input.reduce):having("latency"):sort(x):rows()) do
    curve[#curve + 1] = { blocks = row[x], rate = row[x] * bytes / row.latency }
  end
  local index = level_of(size, constants.levels())
  if not index then
    return finding { name = "const.bandwidth", verdict = "inconclusive",
                     note = string.format("%d B lie on no plateau of the latency: which level answers is "
                       .. "not known", size) }
  end
  local name = string.format("const.l%d.bandwidth", index)
  if index == 1 then
    return finding { name = name, verdict = "inconclusive",
                     note = "what the first level hands over is bounded by the chain of loads" }
  end
  -- Neighbours that agree: a single point that is high is chance, or blocks that meet in a nearer cache.
  local rates = {}
  for i, point in ipairs(curve) do rates[i] = point.rate end
  local highest = stats.quantile(rates, 0.75)
  local found = plateau(curve, highest)
  local last = found and found.first + found.count - 1
  if not found or found.count < LEAST then
    return finding { name = name, verdict = "not_observed",
                     note = string.format("it grows up to %d blocks and %.2f B/clock", curve[#curve].blocks,
                       curve[#curve].rate) }
  end
  local kept = {}
  for i = found.first, last do kept[#kept + 1] = rates[i] end
  finding { name = name, value = stats.median(kept), low = stats.min(kept), high = stats.max(kept),
            unit = "B/clock",
            note = string.format("%g to %g blocks, each SM with its own part of %d B at a time",
              curve[found.first].blocks, curve[last].blocks, size) }
  if curve[1].blocks == 1 then
    finding { name = name .. "_per_sm", value = curve[1].rate, unit = "B/clock",
              note = "one block with as many warps as there are" }
  end
end

return M
