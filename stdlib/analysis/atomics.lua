-- atomics(op = op, space = space, count = n, threads = 1024, of = "atomic", at = at): latency and throughput
-- of atomics.
--
-- The measure `latency` is a chain of one thread, each atomic waiting for the old value that the one
-- before it got: what one more adds is a round trip. Every other measure is a block of `threads` whose
-- atomics wait for nothing; its name says where they lie (`same` address, `line`, `apart`), and what one
-- more of each thread adds tells how many a clock the SM completes. Where time is observed, `threads` are
-- those of the grid, and the throughput is that of the GPU in a second. Findings begin with `of`. `at` is an
-- axis of places (an `offset`): their points count as repetitions, since each lies in other slices of L2.
-- Arguments that must be given: op, space, count, threads.
-- Arguments that need 4 values: count.
-- Covered by tests/runtime/inference_bandwidth_test.cpp.

local lines = use "parts/line"
local pick = use "parts/select"

local M = {}

local function timed_of(samples) return samples:has("time") and #samples:having("time") > 0 end

local function report(input, samples, measure, key, count, threads)
  local of = pick.text(input, "of", "atomic")
  local timed = timed_of(samples)
  local points = lines.points(samples, count, timed and "time" or "latency", input.reduce)
  local hertz = timed and math.max(input.device.clock_hz, 1) or 1
  if timed then lines.in_clocks(points, hertz) end
  local grain = timed and 0 or lines.step(input.samples)
  if measure == "latency" and not timed then
    return pick.slope(of .. ".latency[" .. key .. "]", "clocks", lines.fit(points, grain, "atomic"), nil,
                      "clocks for one more atomic of a chain of one thread")
  end
  -- Atomics that are loops take as many turns as the order of the lanes makes.
  local line = lines.within(points, grain, "atomic")
  pick.slope(string.format("%s.throughput[%s,at=%s]", of, key, measure), timed and "ops/s" or "ops/clock",
             line, function(slope) return threads * hertz / slope end,
             string.format("one more atomic of %d threads takes %.2f clocks%s", threads, line.slope or 0,
                           lines.caveat(line)))
end

function M.run(input)
  pick.only(input, "atomics", { "op", "space", "count", "threads", "of", "at" })
  local count = pick.axis(input, "count", "count = n")
  local op, space = pick.axis(input, "op", "op = op"), pick.axis(input, "space", "space = space")
  local threads = pick.count(input, "threads")
  if not threads then error("the argument threads must be the threads of a full block, or of the grid", 0) end
  pick.need(input.samples, "measure", "have named measures, such as latency")
  pick.no_other_axes(input, "atomics",
                     { op, space, count, input.args.at and pick.axis(input, "at", "at = at") })
  local observed = timed_of(input.samples) and "time" or "latency"
  pick.need(input.samples, observed, "observe latency or time")
  for _, group in ipairs(input.samples:having(observed):group(op, space, "measure")) do
    local key = string.format("op=%s,space=%s", group.key[op], group.key[space])
    report(input, group.samples, group.key.measure, key, count, threads)
  end
end

return M
