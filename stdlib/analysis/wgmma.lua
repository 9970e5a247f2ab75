-- wgmma(op = op, count = count, warpgroups = groups, data = data): clocks and rate of wgmma.
--
-- `op` is an axis of products, `count` the executions of each thread. What one more execution adds is
-- read from the slope, so that fence, group, wait and sums, which do not grow with it, cancel. Where
-- latency is observed, that is the time from a product to the next one that adds to the same sums; of
-- products that are each waited for (.wait), from issue to completion. Where time is observed,
-- `warpgroups` is the number of warpgroups of the grid, a column (derive groups = blocks * threads /
-- 128), and `data` the axis of what operands hold: the operations of the whole GPU in a second.
-- Covered by tests/experiments/wgmma_planted_test.cpp.

local lines = use "parts/line"
local pick = use "parts/select"

local M = {}

function M.describe() return "clocks and operations a second of a warpgroup's matrix products" end

local function same(x) return x end

-- "wgmma.sp.m64n8k32.f32.f16.ss.wait" in its parts.
local function parts_of(name)
  local words = {}
  for word in name:gmatch("[^.]+") do words[#words + 1] = word end
  local sparse = words[2] == "sp"
  if sparse then table.remove(words, 2) end
  local shape = {}
  for number in (words[2] or ""):gmatch("%d+") do shape[#shape + 1] = tonumber(number) end
  if words[1] ~= "wgmma" or #shape ~= 3 or #words < 5 then
    error(string.format("'%s' is no product of a warpgroup", name), 0)
  end
  return { sparse = sparse, m = shape[1], n = shape[2], k = shape[3], sum = words[3],
           factor = words[4], operands = words[5], waits = words[6] == "wait" }
end

-- f16 is understood where the sum is of single precision.
local function type_of(part)
  return part.sum == "f16" and "f16.f16" or part.factor
end

local function latency(input, name, samples, count)
  local part = parts_of(name)
  local key = string.format("n=%d,operands=%s", part.n, part.operands)
  if type_of(part) ~= "f16" then key = key .. ",type=" .. type_of(part) end
  local grain = lines.granularity(samples:column("latency"))
  local line = lines.fit(lines.points(samples, count, "latency", input.reduce), grain, "product")
  pick.slope(string.format("wgmma.%s%s[%s]", part.sparse and "sparse." or "",
                           part.waits and "completion" or "latency", key), "clocks", line, same,
             part.waits and "clocks for one more product that is waited for"
                        or "clocks for one more product that adds to the same sums")
end

local function throughput(input, name, samples, count, groups, data)
  local part = parts_of(name)
  local warpgroups = samples:distinct(groups)
  if #warpgroups ~= 1 then
    error("the sweep varies '" .. groups .. "': wgmma knows one size of a grid", 0)
  end
  local hertz = math.max(input.device.clock_hz, 1)
  local points = lines.in_clocks(lines.points(samples, count, "time", input.reduce), hertz)
  local line = lines.fit(points, 0, "product")
  local operations = 2 * part.m * part.n * part.k * warpgroups[1]
  local integer = part.sum == "s32"
  pick.slope(string.format("wgmma.%sthroughput[type=%s,data=%s]", part.sparse and "sparse." or "",
                           type_of(part), data), integer and "TOPS" or "TFLOPS", line,
             function(slope) return operations * hertz / slope / 1e12 end,
             string.format("one more product of %d warpgroups is %.4g operations", warpgroups[1],
                           operations))
end

function M.run(input)
  pick.only(input, "wgmma", { "op", "count", "warpgroups", "data" })
  local count = pick.axis(input, "count", "count = count")
  local op = pick.axis(input, "op", "op = op")
  if not input.args.warpgroups then
    pick.need(input.samples, "latency", "observe latency")
    for _, group in ipairs(input.samples:having("latency"):group(op)) do
      latency(input, group.key[op], group.samples, count)
    end
    return
  end
  local groups = pick.axis(input, "warpgroups", "warpgroups = groups, a column that is derived")
  local data = pick.axis(input, "data", "data = data")
  pick.need(input.samples, "time", "observe time")
  for _, group in ipairs(input.samples:having("time"):group(op, data)) do
    throughput(input, group.key[op], group.samples, count, groups, group.key[data])
  end
end

return M
