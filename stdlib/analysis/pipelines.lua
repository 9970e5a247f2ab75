-- pipelines(op = op, count = count, threads = 512, streams = 1, ...): latency and throughput of operations.
-- `threads` is a number, or a column of the samples: `derive lanes = threads`, threads = lanes.
--
-- Two measures over the same sweep: `latency`, a dependent chain of one thread, and `throughput`, a
-- full block. What one more execution adds is read from the slope over `count`, so that everything
-- that does not grow with it cancels. How many dependent chains each thread of the full block has is
-- `streams`: what few of them reach need not be all that the pipe can do. Any other argument names a
-- pipe and the operation that stands for it: sp = "add.u32".
-- Measures: latency, throughput.
-- Arguments that must be given: op, count.
-- Arguments that need 4 values: count.
-- Covered by tests/runtime/inference_pipelines_test.cpp.

local lines = use "parts/line"
local pick = use "parts/select"

local M = {}

-- An execution of the full block that takes no longer than the chain's own latency (within 10 %)
-- says that the warps wait for themselves and not for the pipe.
local UNFILLED = 1.1

local KNOWN = { op = true, count = true, threads = true, streams = true }

-- The only value that a column has in these rows.
local function only_value(samples, column)
  local values = samples:distinct(column)
  if #values ~= 1 then
    error("the sweep varies '" .. column .. "': pipelines takes one size of a block", 0)
  end
  return values[1]
end

-- Threads of the full block: an argument, or a column (an axis, or derived), which also tells those
-- of the chain.
local function threads_of(input)
  local full = pick.measure(input.samples, "throughput")
  if type(input.args.threads) == "string" then
    local column = pick.axis(input, "threads", "threads = 512, or threads = threads")
    local chain = only_value(pick.measure(input.samples, "latency"), column)
    if chain > input.device.warp_size then
      error(string.format("the measure latency has %g threads: a chain is of one warp at most",
                          chain), 0)
    end
    return only_value(full, column)
  end
  local threads = pick.count(input, "threads")
  if not threads then
    error("the argument threads must be the threads of the throughput's block", 0)
  end
  return threads
end

-- The pipes that the arguments name, sorted: { name, op }.
local function pipes_of(input, operations)
  local known, pipes = {}, {}
  for _, op in ipairs(operations) do known[op] = true end
  for name, op in pairs(input.args) do
    if not KNOWN[name] then
      if not known[op] then
        error(string.format("the argument %s must name a measured operation, such as \"%s\"", name,
                            operations[1]), 0)
      end
      pipes[#pipes + 1] = { name = name, op = op }
    end
  end
  table.sort(pipes, function(a, b) return a.name < b.name end)
  return pipes
end

-- The lines of one operation over `count`: its chain's and the full block's. What warps that compete take depends on
-- the order in which they come.
local function measured(input, samples, count, grain)
  local function line(measure, fit)
    return lines.of(input, pick.measure(samples, measure), count, "execution", fit, grain)
  end
  return { latency = line("latency"), throughput = line("throughput", lines.within) }
end

local function check_filled(one, streams)
  local chain, block = one.latency, one.throughput
  if chain.why or block.why or block.slope > UNFILLED * chain.slope / streams then return end
  block.why = string.format("an execution of the full block takes %.2f clocks, no more than the " ..
                            "chain's %.2f over %d streams: its warps do not fill the pipe",
                            block.slope, chain.slope, streams)
end

local function report(prefix, one, threads, streams, axis, op)
  local function evidence(measure) return { { measure = measure, [axis or "measure"] = axis and op or measure } } end
  pick.slope(prefix .. ".latency", "clocks", one.latency, nil, "clocks for one more execution " ..
               "in a dependent chain of one thread", evidence("latency"))
  pick.slope(prefix .. ".throughput", "ops/clock", one.throughput,
               function(slope) return threads / slope end,
               string.format("one more execution of %d threads of %s takes %.3f clocks%s", threads,
                             streams == 1 and "one chain" or string.format("%d chains", streams),
                             one.throughput.slope or 0, lines.caveat(one.throughput)), evidence("throughput"))
end

function M.run(input)
  local count = pick.axis(input, "count", "count = count")
  local op = input.args.op
  if type(op) ~= "string" then
    error("the argument op must name the axis of operations, or one operation", 0)
  end
  local is_axis = input.samples:has(op)
  local known = { op, count }
  if type(input.args.threads) == "string" then known[3] = input.args.threads end
  pick.no_other_axes(input, "pipelines", known)
  pick.need(input.samples, "measure", "have the measures latency and throughput")
  pick.need(input.samples, "latency", "observe latency")
  local threads = threads_of(input)
  local streams = pick.count(input, "streams", 1)
  local operations = is_axis and input.samples:distinct(op) or { op }
  local pipes = pipes_of(input, operations)
  local grain = lines.granularity(input.samples:column("latency"))
  local found = {}
  for _, name in ipairs(operations) do
    local samples = input.samples
    if is_axis then samples = samples:filter(function(row) return row[op] == name end) end
    local one = measured(input, samples, count, grain)
    check_filled(one, streams)
    found[name] = one
    report("op." .. name, one, threads, streams, is_axis and op, name)
  end
  for _, pipe in ipairs(pipes) do
    local one = found[pipe.op]
    report("pipe." .. pipe.name, one, threads, streams, is_axis and op, pipe.op)
    local warps = threads / input.device.warp_size
    pick.slope("pipe." .. pipe.name .. ".issue", "clocks", one.throughput,
                 function(slope) return slope / warps end,
                 "clocks between two warps of a full pipe, by " .. pipe.op)
  end
end

return M
