-- Launches of kernels as the model sees them: parameters from samples, measured against predicted.
-- Covered by tests/runtime/mwp_cwp_test.cpp.

local launch_rows = use "parts/launch_rows"

local M = {}

-- What a launch of a kernel must have been observed with.
local COLUMNS = {
  "clocks", "comp_insts", "coal_mem_insts", "uncoal_mem_insts", "sync_insts", "coal_per_mw",
  "uncoal_per_mw", "load_bytes_per_warp", "warps_per_block", "blocks", "active_blocks_per_sm",
  "active_sms",
}

-- The machine's parameters, which the launch does not say.
M.MACHINE = { "Mem_LD", "Departure_del_uncoal", "Departure_del_coal", "Mem_Bandwidth", "Issue_cycles" }

-- Those of some arguments that are given: numbers, by their names.
function M.numbers(args, names)
  local out = {}
  for _, name in ipairs(names) do
    if args[name] ~= nil and type(args[name]) ~= "number" then error("the argument " .. name .. " must be a number", 0) end
    out[name] = args[name]
  end
  return out
end

function M.has_counts(samples) return samples:has("comp_insts") end

-- One row for each point of the sweep, repetitions reduced; rows without a time are left out.
function M.points(input, samples)
  for _, name in ipairs(COLUMNS) do
    if not samples:has(name) then
      error("the samples have no column '" .. name .. "': the model needs launches of a kernel " ..
            "from a file, with their counts", 0)
    end
  end
  return samples:having("clocks"):reduce(input.reduce):rows()
end

-- The model's parameters of a row. `machine`: those that the launch does not say.
function M.params(row, machine, device)
  local p = {
    Freq = device.clock_hz,
    Threads_per_warp = device.warp_size,
    Threads_per_block = row.warps_per_block * device.warp_size,
    Blocks = row.blocks,
    Active_SMs = row.active_sms,
    -- A grid that does not fill the SMs leaves them with fewer than they could hold.
    Active_blocks_per_SM = math.min(row.active_blocks_per_sm, math.ceil(row.blocks / row.active_sms)),
    Comp_insts = row.comp_insts,
    Coal_Mem_insts = row.coal_mem_insts,
    Uncoal_Mem_insts = row.uncoal_mem_insts,
    Synch_insts = row.sync_insts,
    Coal_per_mw = math.max(1, row.coal_per_mw),
    Uncoal_per_mw = row.uncoal_per_mw,
    Load_bytes_per_warp = row.load_bytes_per_warp,
  }
  for name, value in pairs(machine) do p[name] = value end
  return p
end

-- Predictions of all rows: { row, result, cpi (measured), predicted, error (relative, signed) }.
function M.judge(rows, machine, device)
  local judged = {}
  for _, row in ipairs(rows) do
    local result = equations.mwp_cwp(M.params(row, machine, device))
    local cpi = row.clocks * result.CPI / result.Exec_cycles_with_synch
    judged[#judged + 1] = { row = row, result = result, cpi = cpi, predicted = result.CPI,
                            error = result.CPI / cpi - 1 }
  end
  return judged
end

-- The geometric mean of the absolute errors. An error below 0.1 % counts as that: one that happens
-- to be zero would make the mean zero.
function M.geometric_mean(judged)
  local sum, worst, mean = 0, judged[1], 0
  for _, one in ipairs(judged) do
    local size = math.abs(one.error)
    sum, mean = sum + math.log(math.max(size, 1e-3)), mean + size / #judged
    if size > math.abs(worst.error) then worst = one end
  end
  return math.exp(sum / #judged), mean, worst
end

M.key = launch_rows.key

-- m measured, p predicted, * both, on a logarithmic scale of `width` places from `low` to `high`.
local function mark(one, low, high, width)
  local function place(value)
    local share = high > low and math.log(value / low) / math.log(high / low) or 0
    return math.floor(share * (width - 1) + 0.5) + 1
  end
  local m, p = place(one.cpi), place(one.predicted)
  local cells = {}
  for i = 1, width do
    cells[i] = (i == m and i == p and "*") or (i == m and "m") or (i == p and "p") or "."
  end
  return table.concat(cells)
end

-- A table of measured and predicted, and a plot of the two.
function M.print_table(samples, judged)
  local low, high, width = math.huge, 0, 0
  for _, one in ipairs(judged) do
    low = math.min(low, one.cpi, one.predicted)
    high = math.max(high, one.cpi, one.predicted)
    width = math.max(width, #M.key(samples, one.row))
  end
  print(string.format("%-" .. width .. "s %9s %9s %7s %6s %6s %5s  case     CPI from %.3g to %.3g: " ..
                      "m measured, p predicted", "", "CPI", "predicted", "error", "MWP", "CWP", "N",
                      low, high))
  for _, one in ipairs(judged) do
    local r = one.result
    print(string.format("%-" .. width .. "s %9.2f %9.2f %+6.1f%% %6.2f %6.2f %5g  %-7s  %s",
                        M.key(samples, one.row), one.cpi, one.predicted, 100 * one.error,
                        math.min(r.MWP, 999), r.CWP, r.Active_warps_per_SM, r.case,
                        mark(one, low, high, 40)))
  end
end

-- What the error would be without Equation (26); "" where no kernel synchronizes.
local function without_synch(judged)
  local some, sum = 0, 0
  for _, one in ipairs(judged) do
    if one.result.Synch_insts > 0 then
      local share = one.result.Exec_cycles_app / one.result.Exec_cycles_with_synch
      some, sum = some + 1, sum + math.abs(one.predicted * share / one.cpi - 1)
    end
  end
  if some == 0 then return "" end
  return string.format("; without Synch_cost the mean of the %d that synchronize is %.1f %%", some,
                       100 * sum / some)
end

-- model.error.NAME, and one for each measure where there are several.
function M.report_error(name, samples, judged)
  local function report(finding_name, some)
    local geometric, mean, worst = M.geometric_mean(some)
    finding { name = finding_name, value = geometric,
              note = string.format("geometric mean of the absolute error of CPI over %d launches; " ..
                                   "mean %.1f %%, worst %+.1f %% (%s)%s", #some, 100 * mean,
                                   100 * worst.error, M.key(samples, worst.row),
                                   without_synch(some)) }
  end
  report("model.error." .. name, judged)
  if not samples:has("measure") then return end
  for _, measure in ipairs(samples:distinct("measure")) do
    local some = {}
    for _, one in ipairs(judged) do
      if one.row.measure == measure then some[#some + 1] = one end
    end
    if #some > 0 and #some < #judged then
      report(string.format("model.error.%s[measure=%s]", name, measure), some)
    end
  end
end

return M
