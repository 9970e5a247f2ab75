-- mwp_cwp_timeline(case = case, warps = warps, periods = periods, watched = watched, stage = stage):
-- when each warp of an SM computes, waits for its memory, or for another warp (Hong and Kim 2009,
-- Figs. 5 to 8).
--
-- Launches of watched_periods (stdlib/kernels/periods.cu): each takes as long as the watched warp
-- came to a stage, and a count; stage 0 is before the first period, 2p - 1 and 2p are when period p
-- has computed and loaded. Covered by tests/experiments/hk_test.cpp.

local pick = use "parts/select"

local M = {}

local WIDTH = 72

-- ends[case][warp][stage]: clocks; and one row of each case.
local function collect(input, axes)
  local ends, rows = {}, {}
  for _, row in ipairs(input.samples:having("time"):reduce(input.reduce):rows()) do
    local case, warp = row[axes.case], row[axes.watched]
    rows[case] = row
    ends[case] = ends[case] or {}
    ends[case][warp] = ends[case][warp] or {}
    ends[case][warp][row[axes.stage]] = row.time * input.device.clock_hz
  end
  return ends, rows
end

-- { computed, loaded } of each period, from the beginning of the case; nil where one is missing.
local function periods_of(stages, periods)
  local done = {}
  for period = 1, periods do
    local computed, loaded = stages[2 * period - 1], stages[2 * period]
    if not (stages[0] and computed and loaded) then return nil end
    done[period] = { computed = computed - stages[0], loaded = loaded - stages[0] }
  end
  return done
end

-- C where it computes, M where its load is under way, . where it waits. A period's own clocks are
-- those that the first warp's first period takes, which nothing hinders.
local function line_of(done, own, clocks)
  local cells = {}
  local function fill(mark, from, to)
    for i = math.floor(from / clocks * WIDTH + 0.5) + 1, math.floor(to / clocks * WIDTH + 0.5) do
      cells[i] = mark
    end
  end
  local before = 0
  for _, period in ipairs(done) do
    fill(".", before, period.loaded)
    fill("C", math.max(before, period.computed - own.computed), period.computed)
    fill("M", math.max(period.computed, period.loaded - own.loaded), period.loaded)
    before = period.loaded
  end
  return table.concat(cells)
end

local function draw(name, timelines)
  local own, clocks = {}, 0
  for _, done in ipairs(timelines) do clocks = math.max(clocks, done[#done].loaded) end
  local first = timelines[1][1]
  own.computed, own.loaded = first.computed, first.loaded - first.computed
  print(string.format("case %s: %.0f clocks; C computes, the first warp for %.0f clocks; M a load " ..
                      "is under way, its first for %.0f; . waits", name, clocks, own.computed, own.loaded))
  for warp, done in ipairs(timelines) do
    print(string.format("warp %d |%s", warp - 1, line_of(done, own, clocks)))
  end
  return clocks
end

function M.run(input)
  local names = { "case", "warps", "periods", "watched", "stage" }
  pick.only(input, "mwp_cwp_timeline", names)
  local axes = {}
  for _, name in ipairs(names) do axes[name] = pick.axis(input, name, name .. " = " .. name) end
  pick.need(input.samples, "time", "observe time")
  local ends, rows = collect(input, axes)
  for _, case in ipairs(input.samples:distinct(axes.case)) do
    local row, timelines = rows[case], {}
    local name = string.format("model.timeline[case=%.15g]", case)
    for warp = 0, row and row[axes.warps] - 1 or -1 do
      timelines[#timelines + 1] = periods_of(ends[case][warp] or {}, row[axes.periods])
    end
    if not row or #timelines < row[axes.warps] then
      pick.inconclusive(name, "clocks", "a warp or a stage was not watched")
    else
      finding { name = name, value = draw(string.format("%.15g", case), timelines), unit = "clocks",
                note = string.format("when the last of %g warps has its last load",
                                     row[axes.warps]), evidence = { { [axes.case] = case } } }
    end
  end
end

return M
