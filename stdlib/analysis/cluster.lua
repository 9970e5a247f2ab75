-- cluster(cluster = size, count = n, rank = to, bytes = bytes): distributed shared memory, and the
--         barrier of a cluster.
--
-- `cluster` is the axis of blocks in a cluster, `count` that of what is timed. What one more of them adds
-- is read from the slope, so that what does not grow with it cancels.
--   rank   the axis of the block that is reached: latency of a chase by one thread
--   bytes  every measure is a direction, and its name the key `op`: bytes a clock that an SM moves
--   none   barriers in a row; the measure `barrier` is the cluster's own, any other one has its name as
--          the key `kind`
-- Arguments that must be given: cluster, count.
-- Arguments that need 4 values: count.
-- Covered by tests/experiments/cluster_planted_test.cpp.

local lines = use "parts/line"
local pick = use "parts/select"

local M = {}

local function latency(input, group, axes)
  local name = string.format("dsmem.latency[cluster=%d,rank=%d]", group.key[axes.cluster],
                             group.key[axes.rank])
  pick.slope(name, "clocks", lines.of(input, group.samples, axes.count, "load"), nil,
             "clocks for one more load of a chase through that block's shared memory")
end

local function bandwidth(input, group, axes)
  local cluster = group.key[axes.cluster]
  local name = string.format("dsmem.bandwidth[cluster=%d,op=%s]", cluster, group.key.measure)
  local added = lines.added(group.samples, axes.count, "bytes")
  if not added then return pick.inconclusive(name, "B/clk", "there is one number of accesses") end
  local step = added / cluster   -- of one block
  -- Writes of 16 B lie up to 206 of 11,300 clocks off their line on an H100, by turns of 12 accesses and alike in
  -- each run: the halves of the line differ by about what counts as bent. The slope of all points differs by 0.1 %.
  local line = lines.loosened(lines.of(input, group.samples, axes.count, "access"), "access")
  pick.slope(name, "B/clk", line, function(slope) return step / slope end,
             string.format("one more access of each thread moves %.0f B of each SM, all of them in flight at once%s",
                           step, lines.caveat(line)))
end

local function barrier(input, group, axes)
  local kind = group.key.measure
  local own = kind == nil or kind == "barrier"
  local name = string.format("cluster.barrier[cluster=%d%s]", group.key[axes.cluster],
                             own and "" or ",kind=" .. kind)
  pick.slope(name, "clocks", lines.of(input, group.samples, axes.count, "barrier"), nil,
             "clocks for one more barrier of the cluster")
end

function M.run(input)
  pick.only(input, "cluster", { "cluster", "count", "rank", "bytes" })
  local axes = { cluster = pick.axis(input, "cluster", "cluster = size"),
                 count = pick.axis(input, "count", "count = n") }
  local report, by = barrier, { axes.cluster }
  if input.args.rank then
    axes.rank = pick.axis(input, "rank", "rank = to")
    report, by[2] = latency, axes.rank
  elseif input.args.bytes then
    pick.need(input.samples, "bytes", "name bytes: cluster(..., bytes = bytes)")
    pick.need(input.samples, "measure", "have a measure for each direction")
    report = bandwidth
  end
  pick.need(input.samples, "latency", "observe latency")
  if input.samples:has("measure") and not axes.rank then by[#by + 1] = "measure" end
  for _, group in ipairs(input.samples:having("latency"):group(table.unpack(by))) do
    report(input, group, axes)
  end
end

return M
