-- Time stamps: rows of block, thread, stamp, clock, sm as `observe timeline` gives them.
--
-- %clock has 32 bits and runs over every few seconds: only differences are used.
-- Covered by tests/runtime/inference_timeline_test.cpp.

local pick = use "parts/select"

local M = {}

local TURN = 2 ^ 32

-- Clocks from stamp `b` to stamp `a`, from -2^31 to 2^31.
function M.ticks(a, b)
  local difference = (a - b) % TURN
  return difference >= TURN / 2 and difference - TURN or difference
end

-- The measure's rows that are stamps; an error where the samples are no timeline.
function M.stamps(samples, measure)
  for _, column in ipairs { "block", "thread", "stamp", "clock", "sm" } do
    pick.need(samples, column, "observe timeline")
  end
  return pick.measure(samples, measure):having("clock")
end

-- The threads of one launch in order of block and thread: { block, thread, sm, at }, where `at` has
-- the clock of each stamp by its label.
function M.threads(launch)
  local list, known = {}, {}
  for _, row in ipairs(launch:rows()) do
    local key = row.block .. ":" .. row.thread
    local one = known[key]
    if not one then
      one = { block = row.block, thread = row.thread, sm = row.sm, at = {} }
      known[key], list[#list + 1] = one, one
    end
    one.at[row.stamp] = row.clock
  end
  table.sort(list, function(a, b)
    if a.block ~= b.block then return a.block < b.block end
    return a.thread < b.thread
  end)
  return list
end

-- The labels of the stamps, in the order of the text: the records run through them in that order.
function M.labels(stamps) return stamps:distinct("stamp") end

return M
