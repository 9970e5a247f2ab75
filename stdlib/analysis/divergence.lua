-- divergence(increasing = "increasing", decreasing = "decreasing"): how a warp runs the paths of a
-- branch that its threads take differently.
--
-- Both measures are timelines of a chain `if (lane == c0) ... else if (lane == c1) ...` in which
-- every thread stamps the start and the end of its path; in one the values increase, in the other
-- they decrease (Wong 2010, Listing 3). `decreasing` may be left out: then the order is not
-- explained.
-- Arguments that name measures: increasing, decreasing.
-- Covered by tests/runtime/inference_timeline_test.cpp.

local lines = use "parts/line"
local pick = use "parts/select"
local timeline = use "parts/timeline"

local M = {}

-- The paths of each warp of a launch, in the order in which they began: { from, to, lane }.
local function warps_of(launch, first, last, lanes)
  local warps = {}
  for _, one in ipairs(timeline.threads(launch)) do
    if one.at[first] and one.at[last] then
      local key = one.block * 65536 + one.thread // lanes
      local warp = warps[key] or { paths = {}, sm = one.sm, base = one.at[first] }
      warps[key] = warp
      table.insert(warp.paths, { from = timeline.ticks(one.at[first], warp.base),
                                 to = timeline.ticks(one.at[last], warp.base),
                                 lane = one.thread % lanes })
    end
  end
  local list = {}
  for _, warp in pairs(warps) do
    table.sort(warp.paths, function(a, b)
      if a.from ~= b.from then return a.from < b.from end
      return a.lane < b.lane
    end)
    list[#list + 1] = warp
  end
  return list
end

-- Pairs of neighbours in time of which one ends before the other begins, and pairs that overlap by
-- more than half of the shorter one.
local function count_pairs(paths, grain, counts)
  for i = 2, #paths do
    local one, other = paths[i - 1], paths[i]
    local overlap = math.min(one.to, other.to) - other.from
    local shorter = math.min(one.to - one.from, other.to - other.from)
    counts.all = counts.all + 1
    if overlap <= grain then
      counts.serial = counts.serial + 1
    elseif overlap > shorter / 2 then
      counts.together = counts.together + 1
    end
  end
end

-- "31..0", "0..31", or "mixed" for any other order; nil where two paths began at the same time.
local function order_of(paths)
  local up, down = true, true
  for i = 2, #paths do
    if paths[i].from == paths[i - 1].from then return nil end
    up = up and paths[i].lane > paths[i - 1].lane
    down = down and paths[i].lane < paths[i - 1].lane
  end
  local text = string.format("%d..%d", paths[1].lane, paths[#paths].lane)
  return (up or down) and text or "mixed", up and "up" or down and "down" or "mixed"
end

-- Two warps of one launch whose paths were under way at the same time, on one SM.
local function warps_overlap(warps)
  for i, a in ipairs(warps) do
    for k = i + 1, #warps do
      local b = warps[k]
      if a.sm == b.sm then
        local shift = timeline.ticks(b.base, a.base)
        local last_a, last_b = a.paths[#a.paths].to, b.paths[#b.paths].to + shift
        if b.paths[1].from + shift < last_a and a.paths[1].from < last_b then return true end
      end
    end
  end
  return false
end

-- What all launches of a measure show: counts of pairs, and the order if it is always the same.
local function observe(input, measure)
  local stamps = timeline.stamps(input.samples, measure)
  local labels = timeline.labels(stamps)
  if #labels ~= 2 then
    error(string.format("the measure '%s' must stamp the start and the end of each path, and " ..
                        "nothing else", measure), 0)
  end
  local grain = lines.granularity(stamps:column("clock"))
  local seen = { counts = { all = 0, serial = 0, together = 0 }, overlap = false, several = false }
  for _, launch in ipairs(pick.launches(stamps)) do
    local warps = warps_of(launch.samples, labels[1], labels[2], input.device.warp_size)
    seen.several = seen.several or #warps > 1
    seen.overlap = seen.overlap or warps_overlap(warps)
    for _, warp in ipairs(warps) do
      count_pairs(warp.paths, grain, seen.counts)
      local order, direction = order_of(warp.paths)
      if seen.order and seen.order ~= order then order, direction = "mixed", "mixed" end
      if order then seen.order, seen.direction = order, direction end
      seen.unordered = seen.unordered or not order
    end
  end
  return seen
end

local function report_serialized(seen, evidence)
  local name, counts = "divergence.serialized", seen.counts
  if counts.all == 0 then
    return pick.inconclusive(name, nil, "no warp had two paths", evidence)
  end
  local note = string.format("of %d paths, %d began after the one before had ended, %d ran at " ..
                             "the same time", counts.all, counts.serial, counts.together)
  if counts.serial == counts.all then
    finding { name = name, value = true, confidence = 0.99, note = note, evidence = evidence }
  elseif counts.together == counts.all then
    finding { name = name, value = false, confidence = 0.99, note = note, evidence = evidence }
  else
    pick.inconclusive(name, nil, note, evidence)
  end
end

local function report_order(name, seen, evidence)
  if seen.unordered or not seen.order then
    return finding { name = name, verdict = "not_observed", evidence = evidence,
                     note = "paths began at the same time" }
  end
  finding { name = name, value = seen.order, evidence = evidence,
            note = "lanes in the order in which their paths began" }
end

-- The chain decides where reversing it reverses the order; the lane where it changes nothing.
local function report_stack(up, down)
  local name = "divergence.stack"
  if up.unordered or down.unordered or not up.order or not down.order then
    return finding { name = name, verdict = "not_observed", note = "paths began at the same time" }
  end
  local note = string.format("increasing values: %s, decreasing values: %s", up.order, down.order)
  if up.direction == "mixed" or down.direction == "mixed" then
    return pick.inconclusive(name, nil, note)
  end
  finding { name = name, value = up.direction ~= down.direction, note = note }
  if up.direction == down.direction then return end
  finding { name = "divergence.first", value = up.direction == "down" and "taken" or "fall-through",
            note = "what runs first where each test of the chain branches to the next one" }
end

function M.run(input)
  pick.only(input, "divergence", { "increasing", "decreasing" })
  pick.need(input.samples, "stamp", "observe timeline")
  local increasing = pick.text(input, "increasing", "increasing")
  local up = observe(input, increasing)
  local evidence = { pick.point(input.samples, { measure = increasing }) }
  report_serialized(up, evidence)
  if up.several then
    finding { name = "divergence.warps_overlap", value = up.overlap,
              note = "whether paths of two warps of an SM were under way at the same time" }
  end
  report_order("divergence.order", up, evidence)
  local decreasing = pick.text(input, "decreasing")
  if not decreasing then return end
  local down = observe(input, decreasing)
  report_order(string.format("divergence.order[measure=%s]", decreasing), down,
               { pick.point(input.samples, { measure = decreasing }) })
  report_stack(up, down)
end

return M
