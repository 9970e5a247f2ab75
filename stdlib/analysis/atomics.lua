-- atomics(op = op, space = space, count = n, threads = 1024): latency and throughput of atomics.
--
-- The measure `latency` is a chain of one thread, each atomic waiting for the old value that the one
-- before it got: what one more adds is a round trip. Every other measure is a block of `threads` whose
-- atomics wait for nothing; its name says where they lie (`same` address, `line`, `apart`), and what one
-- more of each thread adds tells how many a clock the SM completes.
-- Measures: latency.
-- Covered by tests/runtime/inference_bandwidth_test.cpp.

local lines = use "parts/line"
local pick = use "parts/select"

local M = {}

function M.describe() return "clocks of an atomic, and atomics a clock, by address" end

local function same(x) return x end

local function report(input, samples, measure, key, count, threads)
  local grain = lines.granularity(samples:column("latency"))
  local line = lines.fit(lines.points(samples, count, "latency", input.reduce), grain, "atomic")
  if measure == "latency" then
    return pick.slope("atomic.latency[" .. key .. "]", "clocks", line, same,
                      "clocks for one more atomic of a chain of one thread")
  end
  pick.slope(string.format("atomic.throughput[%s,at=%s]", key, measure), "ops/clock", line,
             function(slope) return threads / slope end,
             string.format("one more atomic of %d threads takes %.2f clocks", threads, line.slope or 0))
end

function M.run(input)
  pick.only(input, "atomics", { "op", "space", "count", "threads" })
  local count = pick.axis(input, "count", "count = n")
  local op, space = pick.axis(input, "op", "op = op"), pick.axis(input, "space", "space = space")
  local threads = pick.count(input, "threads")
  if not threads then error("the argument threads must say how many threads a full block has", 0) end
  pick.need(input.samples, "measure", "have the measure latency and others")
  pick.need(input.samples, "latency", "observe latency")
  for _, group in ipairs(input.samples:having("latency"):group(op, space, "measure")) do
    local key = string.format("op=%s,space=%s", group.key[op], group.key[space])
    report(input, group.samples, group.key.measure, key, count, threads)
  end
end

return M
