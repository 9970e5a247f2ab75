-- constant_bandwidth(x = blocks, threads = threads, size = 24KB, bytes = 48KB): what the constant caches
-- hand over when more and more blocks ask (Wong 2010, section IV-J3). Every warp reads `bytes` in all,
-- densely and round an array of `size` bytes; warps and blocks begin apart from each other.
--
-- Which level answers, the analysis finds out by chases of its own: it is the one on whose plateau
-- `size` lies. Covered by tests/experiments/sharing_planted_test.cpp.

local cache = use "cache"
local constants = use "parts/constants"
local M = {}

local FLAT = 0.04  -- of the bandwidth: what it may grow by from point to point where it is saturated
local LEAST = 4    -- points
local GROWTH = 0.08  -- what twice the warps may get more where one SM gets no more

local function number(input, name)
  local value = input.args[name]
  if type(value) ~= "number" or value ~= value or value <= 0 then
    error("constant_bandwidth needs " .. name .. ", such as " .. name .. " = 32KB", 0)
  end
  return value
end

-- The number of the level that answers a list of so many bytes.
local function level_of(size, levels)
  local last = 0
  for _, level in ipairs(levels) do
    if size >= level.low and size <= level.high then return level.number end
    last = math.max(last, level.high)
  end
  -- A cache that all constants together do not fill has no end of its plateau.
  local found = size > last and cache.walk_around("constant")
  return found and found.larger and size <= found.most and #found.levels + 1 or nil
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

-- Blocks and B/clock of all of them, for so many threads a block.
local function curve_of(samples, input, bytes)
  local x, threads, curve = input.args.x, input.args.threads, {}
  for _, row in ipairs(samples:having("latency"):sort(x):rows()) do
    local warps = math.ceil(row[threads] / input.device.warp_size)
    curve[#curve + 1] = { blocks = row[x], rate = row[x] * warps * bytes / row.latency }
  end
  return curve
end

-- With the fewest warps, which get least into each other's way.
local function of_all(name, curve, size)
  local rates = {}
  for i, point in ipairs(curve) do rates[i] = point.rate end
  local found = plateau(curve, stats.quantile(rates, 0.75))
  if not found or found.count < LEAST then
    return finding { name = name, verdict = "not_observed",
                     note = string.format("it grows up to %d blocks and %.2f B/clock",
                       curve[#curve].blocks, curve[#curve].rate) }
  end
  local last, kept = found.first + found.count - 1, {}
  for i = found.first, last do kept[#kept + 1] = rates[i] end
  finding { name = name, value = stats.median(kept), low = stats.min(kept), high = stats.max(kept),
            unit = "B/clock",
            note = string.format("the plateau is from %d to %d blocks, with a working set of %d B",
              curve[found.first].blocks, curve[last].blocks, size) }
end

-- One block alone: twice the warps must not get more.
local function of_one(name, curves)
  local few, many = curves[#curves - 1], curves[#curves]
  if not few or few[1].blocks ~= 1 or many[1].blocks ~= 1 then return end
  local before, rate = few[1].rate, many[1].rate
  if rate > (1 + GROWTH) * before then
    return finding { name = name, verdict = "not_observed",
                     note = string.format("it grows with the warps: %.2f, then %.2f B/clock", before, rate) }
  end
  finding { name = name, value = rate, low = math.min(before, rate), high = math.max(rate, rate * rate / before),
            unit = "B/clock", note = string.format("%.3f B/clock with fewer warps", before) }
end

function M.run(input)
  if not probe then error("constant_bandwidth runs chases of its own, which need the device", 0) end
  local size, bytes = number(input, "size"), number(input, "bytes")
  local index = level_of(size, constants.levels())
  if not index then
    return finding { name = "const.bandwidth", verdict = "inconclusive",
                     note = string.format("%d B lie on no plateau of the latency: the level that serves it is "
                       .. "not known", size) }
  end
  local name = string.format("const.l%d.bandwidth", index)
  if index == 1 then
    return finding { name = name, verdict = "inconclusive",
                     note = "what the first level hands over is bounded by the chain of loads" }
  end
  local curves = {}
  local samples = input.samples:reduce(input.reduce):sort(input.args.threads)
  for _, group in ipairs(samples:group(input.args.threads)) do
    curves[#curves + 1] = curve_of(group.samples, input, bytes)
  end
  of_all(name, curves[1], size)
  of_one(name .. "_per_sm", curves)
end

return M
