-- wgmma(op = op, count = count, warpgroups = groups, data = data): clocks and rate of wgmma.
--
-- `op` is an axis of products, `count` the executions of each thread. What one more execution adds is
-- read from the slope, so that fence, group, wait and sums, which do not grow with it, cancel. Where
-- latency is observed, that is the time from a product to the next one that adds to the same sums; of
-- products that are each waited for (.wait), from issue to completion.
--
-- With `warpgroups`, the warpgroups of the grid, a column (derive groups = blocks * threads / 128),
-- it is throughput; `data` is the axis of what operands hold, where there is one. The key has `n`,
-- `operands` and `wait` where the products differ in them. A measure of one block that observes
-- latency gives the operations of an SM in a clock: no change of the clock is in them. One that
-- observes time gives those of the whole GPU in a second; both together tell the clock under load.
-- Arguments that must be given: op, count.
-- Arguments that need 4 values: count.
-- Covered by tests/experiments/wgmma_planted_test.cpp.

local lines = use "parts/line"
local pick = use "parts/select"

local M = {}

local STEADY = 5e-4  -- of a time: what launches of one length differ by at most while the clock stays. 20 of an H200 under
                     -- load differ by 0.2 % to 10 %
local SCATTER = 0.5  -- of a mean: where points differ by more, no clock of theirs is the GPU's. Boards differ by 0.15 at most

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
  local line = lines.of(input, samples, count, "product")
  pick.slope(string.format("wgmma.%s%s[%s]", part.sparse and "sparse." or "",
                           part.waits and "completion" or "latency", key), "clocks", line, nil,
             part.waits and "clocks for one more product that is waited for"
                        or "clocks for one more product that adds to the same sums")
end

-- Operations of one more product of all warpgroups of the samples.
local function operations_of(part, samples, groups)
  local warpgroups = samples:distinct(groups)
  if #warpgroups ~= 1 then
    error("the sweep varies '" .. groups .. "': wgmma takes one size of a grid", 0)
  end
  return 2 * part.m * part.n * part.k * warpgroups[1], warpgroups[1]
end

-- What a key must say besides the type: "n", "operands", "waits", each true where products differ.
local function differences(names)
  local first, differ = parts_of(names[1]), {}
  for _, name in ipairs(names) do
    local part = parts_of(name)
    for _, field in ipairs { "n", "operands", "waits" } do
      differ[field] = differ[field] or part[field] ~= first[field]
    end
  end
  return differ
end

local function key_of(part, what, axes, data)
  local key = {}
  if axes.differ.n then key[#key + 1] = "n=" .. part.n end
  if axes.differ.operands then key[#key + 1] = "operands=" .. part.operands end
  if axes.differ.waits then key[#key + 1] = "wait=" .. tostring(part.waits) end
  key[#key + 1] = "type=" .. type_of(part)
  if data then key[#key + 1] = "data=" .. data end
  return string.format("wgmma.%s%s[%s]", part.sparse and "sparse." or "", what, table.concat(key, ","))
end

-- Of one block on an SM of its own. The line, and what one more product is.
local function rate(input, part, samples, axes, data)
  local operations = operations_of(part, samples, axes.groups)
  local line = lines.of(input, samples, axes.count, "product")
  pick.slope(key_of(part, "rate", axes, data), "/clk", line, function(slope) return operations / slope end,
             string.format("one more product of its warpgroups is %.4g operations of an SM",
                           operations))
  return line, operations
end

-- "at 1612 MHz": the clock of SMs that do what one SM was seen to do in a clock.
local function clock_text(input, own, per_second, blocks)
  if not own or own.line.why then return "" end
  local sms = math.min(input.device.sm_count, blocks)
  return string.format(", at %.0f MHz: %d SMs of %.4g operations in a clock",
                       per_second / sms / (own.operations / own.line.slope) / 1e6, sms,
                       own.operations / own.line.slope)
end

-- Points in clocks of the highest clock. A clock that changes from launch to launch scatters the repetitions; their mean
-- is the value.
local function by_time(input, samples, axes)
  return lines.in_clocks(lines.points(samples, axes.count, "time", "mean"), math.max(input.device.clock_hz, 1))
end

-- What a launch takes besides its products, in products, by the points of one kind of contents: { offset, line, steady }
-- or { why }. The clock cancels. But longer launches draw more power: where their clock is lower, the line is steeper and begins lower.
local function besides(points)
  local line, scatter = lines.fit(points, 0, "product"), 0
  if (line.low or 0) <= 0 then return { points = points, why = line.why } end
  for _, point in ipairs(points) do scatter = math.max(scatter, point.range / point.y) end
  return { points = points, line = line, steady = scatter <= STEADY and not line.why,
           offset = math.max(0, line.intercept / line.slope) }
end

-- Clocks of one more product. Where the clock changes: the mean of what the points give each by itself, with what
-- launches take besides. That is the most that any contents show, as the clock makes it less; the interval takes their
-- own, too. A line through the points would take a clock that changes with the length of the launches for products.
local function by_points(own, most)
  if own.steady then return own.line end
  local each, all = {}, {}
  for i, point in ipairs(own.points) do
    each[i] = point.y / (point.x + most)
    all[#all + 1], all[#all + 2] = each[i], point.y / (point.x + (own.offset or most))
  end
  local line = { slope = stats.mean(each), low = stats.min(all), high = stats.max(all), range = true }
  if line.high - line.low > SCATTER * line.slope then
    line.why = string.format("the clock changes too much: %.0f to %.0f clocks for one more product", line.low, line.high)
  else
    line.steps = { string.format("launches of %d lengths, each of which takes the time of %.1f products besides its own",
                                 #own.points, most),
                   "the value is the mean of them, the interval from the least to the most" }
  end
  return line
end

local function throughput(input, part, line, samples, axes, data, own)
  local operations, warpgroups = operations_of(part, samples, axes.groups)
  local hertz = math.max(input.device.clock_hz, 1)
  local clock = ""
  if not line.why then
    local blocks = own and warpgroups / own.warpgroups or 0
    clock = clock_text(input, own, operations * hertz / line.slope, blocks)
  end
  pick.slope(key_of(part, "throughput", axes, data), part.sum == "s32" and "TOPS" or "TFLOPS", line,
             function(slope) return operations * hertz / slope / 1e12 end,
             string.format("one more product of %d warpgroups is %.4g operations%s%s", warpgroups, operations, clock,
                           line.steps and "; mean and range of launches by length" or ""))
end

-- The groups of one operation, one for each contents.
local function of_operation(input, groups, op, axes, data)
  local timed, most = {}, nil
  for i, group in ipairs(groups) do
    if group.samples:has("time") then
      timed[i] = besides(by_time(input, group.samples:having("time"), axes))
      most = timed[i].offset and math.max(most or 0, timed[i].offset) or most
    end
  end
  for i, group in ipairs(groups) do
    local part, contents, own = parts_of(group.key[op]), data and group.key[data], nil
    if group.samples:has("latency") then
      local samples = group.samples:having("latency")
      own = { warpgroups = samples:distinct(axes.groups)[1] }
      own.line, own.operations = rate(input, part, samples, axes, contents)
    end
    if timed[i] then
      local line = most and by_points(timed[i], most) or { why = timed[i].why }
      throughput(input, part, line, group.samples:having("time"), axes, contents, own)
    end
  end
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
  local axes = { count = count,
                 groups = pick.axis(input, "warpgroups", "warpgroups = groups, a column that is derived") }
  local data = input.args.data ~= nil and pick.axis(input, "data", "data = data") or nil
  axes.differ = differences(input.samples:distinct(op))
  if not input.samples:has("time") then pick.need(input.samples, "latency", "observe latency or time") end
  for _, operation in ipairs(input.samples:group(op)) do
    of_operation(input, data and operation.samples:group(op, data) or operation.samples:group(op), op, axes, data)
  end
end

return M
