-- l2_map(line = line): how far each SM is from lines of L2, and which SMs are as far from all of them.
--
-- `line` is the axis of lines, and the experiment says `place sm all`: one thread of each SM reaches
-- each of them, by an access that only the line's own half of L2 answers (an atomic: loads may be
-- answered by a copy in the SM's half): the measure `map`. The measure `two` is two such accesses in a
-- chain to the same lines: what two take less than twice one is no access's, but that of the reads of
-- the clock, and its mean over SMs and lines is subtracted.
--
-- An SM's profile is its latencies less their mean: how far it is from everything is not what tells
-- groups apart. Two SMs differ by the root of the mean square of what their profiles differ by. Both
-- factors of each square come from other repetitions, so that noise adds nothing to it. The edges of
-- the tree that joins the SMs by the least differences are put in order; where one is at least twice
-- the one before it, what the smaller ones join are groups. Of the groups of the widest gap some are
-- near to a line and the others far: those that are near to the same lines are of one partition.
-- Arguments that must be given: line.
-- Covered by tests/runtime/inference_l2_map_test.cpp and tests/experiments/l2_map_planted_test.cpp.

local pick = use "parts/select"
local sm_clock = use "parts/sm_clock"

local M = {}

local GAP = 2            -- an edge of the tree to the one before it
local LEAST_LINES = 16
local MODES_APART = 4    -- distance of near and far, in standard deviations of one of them

-- Latencies by SM and line in two halves of the repetitions: the least of each.
local function halves(samples, line)
  local sms, lines = samples:distinct("sm"), samples:distinct(line)
  table.sort(sms)
  table.sort(lines)
  local row_of, column_of = {}, {}
  for i, sm in ipairs(sms) do row_of[sm] = i end
  for i, value in ipairs(lines) do column_of[value] = i end
  local odd, even = {}, {}
  for i = 1, #sms do odd[i], even[i] = {}, {} end
  local seen, clocks = {}, samples:column("latency")
  local at_sm, at_line = samples:column("sm"), samples:column(line)
  for k, value in ipairs(clocks) do
    local s, l = row_of[at_sm[k]], column_of[at_line[k]]
    local place = (s - 1) * #lines + l
    seen[place] = (seen[place] or 0) + 1
    local half = (seen[place] % 2 == 1 and odd or even)[s]
    half[l] = math.min(half[l] or value, value)
  end
  for i = 1, #sms do
    for l = 1, #lines do
      if not even[i][l] then
        error("l2_map needs every line from every SM, twice: repeat 2 or more", 0)
      end
    end
  end
  return sms, lines, odd, even
end

local function profile(values)
  local mean, out = stats.mean(values), {}
  for i, value in ipairs(values) do out[i] = value - mean end
  return out
end

-- Mean squares of what two profiles differ by, without noise; and what noise scatters them by.
local function differences(odd, even)
  local a, b, noise, count = {}, {}, 0, #odd[1]
  for s = 1, #odd do
    a[s], b[s] = profile(odd[s]), profile(even[s])
    for l = 1, count do noise = noise + (a[s][l] - b[s][l]) ^ 2 / 2 end
  end
  local square = {}
  for s = 1, #odd do
    square[s] = {}
    for t = 1, s - 1 do
      local sum, as, bs, at, bt = 0, a[s], b[s], a[t], b[t]
      for l = 1, count do sum = sum + (as[l] - at[l]) * (bs[l] - bt[l]) end
      square[s][t] = sum / count
    end
  end
  -- A product of two differences of noise v has the deviation 2 v; a mean of n, 2 v / sqrt(n).
  return square, 3 * 2 * noise / #odd / count / math.sqrt(count)
end

-- The edges of the tree of least differences, in order.
local function tree(square)
  local function between(s, t) return s > t and square[s][t] or square[t][s] end
  local nearest, from, inside, edges = {}, {}, { true }, {}
  for t = 2, #square do nearest[t], from[t] = between(1, t), 1 end
  for _ = 2, #square do
    local best
    for t = 2, #square do
      if not inside[t] and (not best or nearest[t] < nearest[best]) then best = t end
    end
    inside[best] = true
    edges[#edges + 1] = { size = math.max(0, nearest[best]), best, from[best] }
    for t = 2, #square do
      if not inside[t] and between(best, t) < nearest[t] then
        nearest[t], from[t] = between(best, t), best
      end
    end
  end
  table.sort(edges, function(x, y) return x.size < y.size end)
  return edges
end

-- SMs that the first `kept` edges join: lists of their places, in order.
local function joined(edges, kept, count)
  local group = {}
  for s = 1, count do group[s] = s end
  for i = 1, kept do
    local old, new = group[edges[i][1]], group[edges[i][2]]
    for s = 1, count do if group[s] == old then group[s] = new end end
  end
  local lists, place = {}, {}
  for s = 1, count do
    if not place[group[s]] then
      lists[#lists + 1] = {}
      place[group[s]] = lists[#lists]
    end
    table.insert(place[group[s]], s)
  end
  return lists
end

-- Numbers of edges that are kept where the next one is far larger, from the coarsest cut on.
local function cuts(edges, floor)
  local found = {}
  for kept = #edges - 1, 0, -1 do
    local below = kept > 0 and edges[kept].size or 0
    if edges[kept + 1].size >= GAP ^ 2 * math.max(below, floor) then found[#found + 1] = kept end
  end
  return found
end

-- Two modes of numbers: the widest gap between neighbours divides them. Means and deviation.
local function modes(values)
  local sorted = {}
  for i, value in ipairs(values) do sorted[i] = value end
  table.sort(sorted)
  local at = 1
  for i = 1, #sorted - 1 do
    if sorted[i + 1] - sorted[i] > sorted[at + 1] - sorted[at] then at = i end
  end
  local low, high = { table.unpack(sorted, 1, at) }, { table.unpack(sorted, at + 1) }
  local apart = stats.mean(high) - stats.mean(low)
  local within = 0
  for _, part in ipairs { low, high } do
    local mean = stats.mean(part)
    for _, value in ipairs(part) do within = within + (value - mean) ^ 2 end
  end
  return { limit = (sorted[at] + sorted[at + 1]) / 2, apart = apart,
           clear = apart > MODES_APART * math.sqrt(within / #sorted) }
end

-- "SMs 0-3, 8"
local function named(list, sms)
  local parts, i = {}, 1
  while i <= #list do
    local k = i
    while list[k + 1] and sms[list[k + 1]] == sms[list[k]] + 1 do k = k + 1 end
    parts[#parts + 1] = k > i and string.format("%d-%d", sms[list[i]], sms[list[k]])
                        or string.format("%d", sms[list[i]])
    i = k + 1
  end
  return table.concat(parts, ", ")
end

local function sizes(groups)
  local all = {}
  for i, group in ipairs(groups) do all[i] = #group end
  table.sort(all)
  return table.concat(all, ", ")
end

-- Which lines a group is near to, as a text of 0 and 1; nil: all are about as far.
local function near_lines(group, latency, count)
  local means = {}
  for l = 1, count do
    local sum = 0
    for _, s in ipairs(group) do sum = sum + latency[s][l] end
    means[l] = sum / #group
  end
  local two = modes(means)
  if not two.clear then return nil end
  local text = {}
  for l = 1, count do text[l] = means[l] < two.limit and "1" or "0" end
  return table.concat(text)
end

-- Groups that are near to the same lines, together; nil where no group has near and far ones.
local function partitions(groups, latency, count)
  local by, list, near = {}, {}, {}
  for _, group in ipairs(groups) do
    local text = near_lines(group, latency, count)
    if not text then return nil end
    if not by[text] then
      by[text] = {}
      list[#list + 1], near[#near + 1] = by[text], text
    end
    for _, s in ipairs(group) do table.insert(by[text], s) end
  end
  for _, one in ipairs(list) do table.sort(one) end
  return list, near
end

local function report_sides(list, near, latency, sms, empty)
  local close, far = {}, {}
  for i, one in ipairs(list) do
    for _, s in ipairs(one) do
      for l = 1, #near[i] do
        local into = near[i]:sub(l, l) == "1" and close or far
        into[#into + 1] = latency[s][l] - empty
      end
    end
  end
  local parts = {}
  for i, one in ipairs(list) do
    local share = select(2, near[i]:gsub("1", "")) / #near[i]
    parts[i] = string.format("%d SMs near to %.0f %% of the lines (%s)", #one, 100 * share, named(one, sms))
  end
  finding { name = "l2.map.partitions", value = #list, low = #list, high = #list,
            note = table.concat(parts, "; ") }
  for _, each in ipairs { { "near", close }, { "far", far } } do
    local values = each[2]
    finding { name = "l2.map." .. each[1], unit = "clocks", value = stats.mean(values),
              low = stats.quantile(values, 0.05), high = stats.quantile(values, 0.95),
              note = string.format("the mean of SMs and lines, and from 5 to 95 %% of them; minus %.0f clocks of the " ..
                                   "reads of the clock", empty) }
  end
end

local function report_groups(found, edges, sms, floor)
  local count = #sms
  if #found == 0 then
    return finding { name = "l2.map.groups", verdict = "not_observed",
                     note = string.format("the distances separate no group of SMs: they differ " ..
                                          "by up to %.1f clocks, evenly", math.sqrt(edges[#edges].size)) }
  end
  for level, kept in ipairs(found) do
    local groups = joined(edges, kept, count)
    local names = {}
    for i, group in ipairs(groups) do names[i] = named(group, sms) end
    local within = kept > 0 and math.sqrt(edges[kept].size) or 0
    finding { name = string.format("l2.map.groups[level=%d]", level), value = #groups, low = #groups,
              high = #groups,
              note = string.format("of %s SMs: %.1f clocks apart, neighbours in a group at most %.1f (noise %.1f): %s",
                                   sizes(groups), math.sqrt(edges[kept + 1].size), within,
                                   math.sqrt(floor), table.concat(names, "; ")) }
  end
end

-- What reading the clock takes: twice one access less two, the mean over the SMs and lines that both have. At one
-- line it was 14.2 to 15.2 clocks in three processes of an H100.
local function clock_reads(one, two)
  return 2 * stats.mean(one:column("latency")) - stats.mean(two:column("latency"))
end

function M.run(input)
  pick.only(input, "l2_map", { "line" })
  local line = pick.axis(input, "line", "line = line")
  pick.need(input.samples, "sm", "say place sm all")
  pick.need(input.samples, "latency", "observe latency")
  local samples = input.samples:having("latency")
  local empty = 0
  if samples:has("measure") then
    local both = samples
    samples = pick.measure(both, "map")
    empty = clock_reads(samples, pick.measure(both, "two"))
  end
  local sms, lines, odd, even = halves(samples, line)
  if #sms < 2 or #lines < LEAST_LINES then
    return pick.inconclusive("l2.map", "", string.format("%d SMs and %d lines: 2 and %d are needed",
                                                          #sms, #lines, LEAST_LINES))
  end
  local square, floor = differences(odd, even)
  local edges = tree(square)
  local found = cuts(edges, math.max(floor, 0.25))
  local latency = {}
  for s = 1, #sms do
    latency[s] = {}
    for l = 1, #lines do latency[s][l] = math.min(odd[s][l], even[s][l]) end
  end
  local coarse = #found > 0 and joined(edges, found[1], #sms) or joined(edges, #edges, #sms)
  local list, near = partitions(coarse, latency, #lines)
  local all = {}
  for s = 1, #sms do for l = 1, #lines do all[#all + 1] = latency[s][l] - empty end end
  finding { name = "l2.map", unit = "clocks", value = stats.mean(all), low = stats.min(all),
            high = stats.max(all),
            note = string.format("%d lines from each of %d SMs: the mean, the least and the most", #lines,
                                 #sms) }
  if list and #list > 1 then
    report_sides(list, near, latency, sms, empty)
  else
    finding { name = "l2.map.partitions", verdict = "not_observed",
              note = "no groups of SMs are near to different lines" }
  end
  report_groups(found, edges, sms, floor)
  sm_clock.report("l2.map.clock", input.device)
end

return M
