-- mwp_cwp_synch(with = "tiled", without = "free", Mem_LD = 420, ...): what a kernel's barriers cost,
-- measured and as Equation (26) of the MWP/CWP model has it (Hong and Kim 2009, section 3.4.6).
--
-- Two measures of one kernel: with its barriers, and without them.
-- Arguments that name measures: with, without.
-- Covered by tests/experiments/hk_test.cpp.

local rows = use "parts/mwp_cwp_rows"
local pick = use "parts/select"

local M = {}

-- What tells a point apart beside its measure.
local function point_of(samples, row) return rows.key(samples, row, "measure") end

local function judged_of(input, measure, machine)
  local all = {}
  local points = rows.points(input, pick.measure(input.samples, measure))
  for _, one in ipairs(rows.judge(points, machine, input.device)) do
    all[(point_of(input.samples, one.row))] = one
  end
  return all, points
end

function M.run(input)
  pick.only(input, "mwp_cwp_synch", { "with", "without", table.unpack(rows.MACHINE) })
  local machine = rows.numbers(input.args, rows.MACHINE)
  local with, points = judged_of(input, pick.text(input, "with", "with"), machine)
  local without = judged_of(input, pick.text(input, "without", "without"), machine)
  local own, added, count = 0, 0, 0
  print(string.format("%-24s %9s %10s %10s   error of the model:", "what barriers add", "an SM",
                      "measured", "Eq. (26)"))
  print(string.format("%-24s %9s %10s %10s %10s %10s %14s", "", "", "", "", "no barrier", "barriers",
                      "no Synch_cost"))
  for _, row in ipairs(points) do
    local name, cells = point_of(input.samples, row)
    local one, free = with[name], without[name]
    if free then
      local measured = one.row.clocks / free.row.clocks - 1
      local r = one.result
      local predicted = r.Synch_cost / r.Exec_cycles_app
      local rest = r.Exec_cycles_app / r.Exec_cycles_with_synch * one.predicted / one.cpi - 1
      print(string.format("%-24s %3g x %g w. %+9.1f%% %+9.1f%% %+9.1f%% %+9.1f%% %+13.1f%%", name,
                          r.Active_blocks_per_SM, row.warps_per_block, 100 * measured,
                          100 * predicted, 100 * free.error, 100 * one.error, 100 * rest))
      finding { name = string.format("model.synch.measured[%s]", name), value = measured,
                note = "clocks that the barriers add, as a fraction of those without them",
                evidence = { cells } }
      finding { name = string.format("model.synch.predicted[%s]", name), value = predicted,
                note = string.format("Equation (26): %g barriers, MWP %.2f, %g blocks an SM",
                                     r.Synch_insts, r.MWP, r.Active_blocks_per_SM), modelled = true }
      own, added, count = own + math.abs(free.error), added + math.abs(one.error), count + 1
    end
  end
  if count == 0 then error("no launch has a time with and without its barriers", 0) end
  finding { name = "model.error.synch[barriers=with]", value = added / count,
            note = string.format("mean of the absolute error of CPI over %d launches", count) }
  finding { name = "model.error.synch[barriers=without]", value = own / count,
            note = "of the same kernel without its barriers" }
end

return M
