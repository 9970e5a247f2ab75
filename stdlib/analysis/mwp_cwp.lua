-- mwp_cwp(Mem_LD = 420, Departure_del_uncoal = 10, ...): the MWP/CWP model (Hong and Kim 2009).
--
-- On samples that are launches of kernels from files, with their counts, it predicts each and holds
-- it against what was measured; the arguments are then the machine's parameters. On any other
-- samples all parameters are arguments, and it works the example out as the paper's Table 2 does.
-- Covered by tests/runtime/mwp_cwp_test.cpp.

local pick = use "parts/select"
local rows = use "parts/mwp_cwp_rows"

local M = {}

-- The arguments that are numbers, by the model's names; `error` names the finding.
local function numbers(input, known)
  pick.only(input, "mwp_cwp", { "error", table.unpack(known) })
  return rows.numbers(input.args, known)
end

-- Two decimals of an MWP can be 0: such a number is left out.
local function as_printed(found)
  if found.value == found.value and math.abs(found.value) < math.huge then finding(found) end
end

local function unit_of(unit) return unit ~= "" and unit or nil end

local function example(input)
  local parameters, intermediates = equations.mwp_cwp_names()
  local names = {}
  for _, row in ipairs(parameters) do names[#names + 1] = row[1] end
  local params = numbers(input, names)
  local exact = equations.mwp_cwp(params)
  params.as_printed = true
  local printed = equations.mwp_cwp(params)
  for _, line in ipairs(exact.table) do print(line) end
  local why = string.format("%s; Equation (%d)", exact.why, exact.equation)
  finding { name = "model.cycles", value = exact.Exec_cycles_with_synch, unit = "clocks", note = why,
            modelled = true }
  as_printed { name = "model.cycles[rounding=printed]", value = printed.Exec_cycles_with_synch,
               unit = "clocks", modelled = true,
               note = "with what the paper's Table 2 prints: MWP to two decimals, cycles rounded up" }
  finding { name = "model.case", value = exact.case, note = why, modelled = true }
  for _, row in ipairs(intermediates) do
    if exact[row[1]] ~= math.huge then
      finding { name = "model." .. row[1], value = exact[row[1]], unit = unit_of(row[2]),
                note = row[3] ~= "" and row[3] or why, modelled = true }
      as_printed { name = "model." .. row[1] .. "[rounding=printed]", value = printed[row[1]],
                   unit = unit_of(row[2]), note = "as the paper's Table 2 rounds", modelled = true }
    end
  end
end

function M.run(input)
  if not rows.has_counts(input.samples) then return example(input) end
  local machine = numbers(input, rows.MACHINE)
  local name = pick.text(input, "error", "kernels")
  local judged = rows.judge(rows.points(input, input.samples), machine, input.device)
  if #judged == 0 then error("no launch has a time", 0) end
  rows.print_table(input.samples, judged)
  rows.report_error(name, input.samples, judged)
end

return M
