-- mbarrier(op = op, count = n): operations on an mbarrier.
--
-- `op` is an axis of operations, `count` that of their executions in a chain of one thread. What one more
-- execution adds is read from the slope. An arrival gives a state, and nothing that an arrival takes can be
-- one: its latency is that of an arrival and a test of its state, minus that of a test.
-- Arguments that name measures: measure.
-- Arguments that must be given: op, count.
-- Arguments that need 4 values: count.
-- Covered by tests/experiments/async_planted_test.cpp.

local lines = use "parts/line"
local pick = use "parts/select"

local M = {}

function M.run(input)
  pick.only(input, "mbarrier", { "op", "count", "measure" })
  local op, count = pick.axis(input, "op", "op = op"), pick.axis(input, "count", "count = n")
  pick.need(input.samples, "latency", "observe latency")
  pick.no_other_axes(input, "mbarrier", { op, count })
  local samples, found = pick.only_measure(input, "mbarrier", "latency"), {}
  for _, group in ipairs(samples:having("latency"):group(op)) do
    local name = group.key[op]
    found[name] = lines.of(input, group.samples, count, "execution")
    pick.slope(name, "clocks", found[name], nil, "clocks for one more in a chain")
  end
  local pair, test = found["mbarrier.arrive.test_wait"], found["mbarrier.test_wait"]
  if not pair or not test then return end
  pick.slope("mbarrier.arrive", "clocks", lines.minus(pair, test), nil, "an arrival and a test of its state, minus a test")
end

return M
