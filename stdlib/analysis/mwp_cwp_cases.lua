-- mwp_cwp_cases(case = case, warps = warps, periods = periods, MWP = 2): whole timelines of an SM
-- against Equations (1), (3) and (4) of the MWP/CWP model (Hong and Kim 2009, Figs. 5 to 8).
--
-- Four measures at each point of the sweep: `case`, all warps; `single`, one of them alone;
-- `compute`, one alone without its loads; `nothing`, a launch without a period. The last three say
-- what a computation period and a memory period take.
-- Measures: case, single, compute, nothing.
-- Arguments that must be given: case, warps, periods, MWP.
-- Covered by tests/runtime/mwp_cwp_test.cpp.

local model = use "parts/mwp_cwp_model"
local pick = use "parts/select"

local M = {}

-- Clocks of each point of a measure, by the value of `axis`.
local function clocks_of(input, measure, axis)
  local result = {}
  for _, row in ipairs(pick.measure(input.samples, measure):having("time"):reduce(input.reduce):rows()) do
    result[row[axis]] = { clocks = row.time * input.device.clock_hz, row = row }
  end
  return result
end

function M.run(input)
  pick.only(input, "mwp_cwp_cases", { "case", "warps", "periods", "MWP" })
  local case = pick.axis(input, "case", "case = case")
  local warps = pick.axis(input, "warps", "warps = warps")
  local periods = pick.axis(input, "periods", "periods = periods")
  local MWP = pick.count(input, "MWP")
  if not MWP then error("the argument MWP must be the number of memory warps that an SM serves", 0) end
  pick.need(input.samples, "time", "observe time")
  local all = clocks_of(input, "case", case)
  local single, compute = clocks_of(input, "single", case), clocks_of(input, "compute", case)
  local nothing = clocks_of(input, "nothing", case)
  for _, number in ipairs(input.samples:distinct(case)) do
    local name = string.format("model.case[%s=%.15g]", case, number)
    local one, alone, off, empty = all[number], single[number], compute[number], nothing[number]
    if not (one and alone and off and empty) then
      pick.inconclusive(name, "clocks", "a measure has no time")
    else
      local count = one.row[periods]
      local Comp_p, Mem_p = (off.clocks - empty.clocks) / count, (alone.clocks - off.clocks) / count
      local expected, equation, why = model.periods {
        N = one.row[warps], MWP = MWP, periods = count, Comp_p = Comp_p, Mem_p = Mem_p }
      expected = expected + empty.clocks
      finding { name = name, value = one.clocks, unit = "clocks",
                note = string.format("Equation (%d): %.0f clocks (%+.1f %%), as %s; computation " ..
                                     "periods of %.0f clocks, memory periods of %.0f", equation,
                                     expected, 100 * (expected / one.clocks - 1), why, Comp_p, Mem_p),
                evidence = { { [case] = number } } }
      finding { name = string.format("model.case.predicted[%s=%.15g]", case, number), value = expected,
                unit = "clocks", note = string.format("Equation (%d)", equation), modelled = true }
    end
  end
end

return M
