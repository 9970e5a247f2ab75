-- The MWP/CWP model (Hong and Kim 2009): equations 1 to 27 as functions of their parameters.
--
-- Names are the paper's own (Table 1) without the '#'; clocks, bytes, bytes a second, hertz. A pure
-- module: no samples, no device. Covered by tests/runtime/mwp_cwp_test.cpp.

local M = {}

-- Table 1 and what follows from it: { name, unit, where the value comes from }, in the order of the
-- paper's Table 2. Parameters without a default are required.
M.PARAMETERS = {
  { "Mem_LD", "clocks", "machine" },
  { "Departure_del_uncoal", "clocks", "machine" },
  { "Departure_del_coal", "clocks", "machine" },
  { "Freq", "Hz", "machine" },
  { "Mem_Bandwidth", "B/s", "machine" },
  { "Threads_per_warp", "threads", "machine", default = 32 },
  { "Issue_cycles", "clocks", "machine", default = 4 },
  { "Threads_per_block", "threads", "launch" },
  { "Blocks", "blocks", "launch" },
  { "Active_blocks_per_SM", "blocks", "occupancy" },
  { "Active_SMs", "SMs", "occupancy" },
  { "Comp_insts", "insts", "counted" },
  { "Uncoal_Mem_insts", "insts", "counted" },
  { "Coal_Mem_insts", "insts", "counted" },
  { "Synch_insts", "insts", "counted" },
  { "Coal_per_mw", "transactions", "counted", default = 1 },
  { "Uncoal_per_mw", "transactions", "counted" },
  { "Load_bytes_per_warp", "B", "counted" },
}

M.INTERMEDIATES = {
  { "Active_warps_per_SM", "warps", "Equation (20)" },
  { "Mem_insts", "insts", "Table 1" },
  { "Total_insts", "insts", "Table 1" },
  { "Mem_L_Uncoal", "clocks", "Equation (10)" },
  { "Mem_L_Coal", "clocks", "Equation (11)" },
  { "Weight_uncoal", "", "Equation (13)" },
  { "Weight_coal", "", "Equation (14)" },
  { "Departure_delay", "clocks", "Equation (15)" },
  { "Mem_L", "clocks", "Equation (12)" },
  { "MWP_Without_BW_full", "warps", "Equation (16)" },
  { "MWP_Without_BW", "warps", "Equation (17)" },
  { "BW_per_warp", "B/s", "Equation (7)" },
  { "MWP_peak_BW", "warps", "Equation (6)" },
  { "MWP", "warps", "Equation (5)" },
  { "Comp_cycles", "clocks", "Equation (19)" },
  { "Mem_cycles", "clocks", "Equation (18)" },
  { "Comp_p", "clocks", "Equation (2)" },
  { "CWP_full", "warps", "Equation (8)" },
  { "CWP", "warps", "Equation (9)" },
  { "Rep", "", "Equation (21)" },
  { "Exec_cycles_app", "clocks", nil },   -- the equation depends on the case
  { "Synch_cost", "clocks", "Equation (26)" },
  { "Exec_cycles_with_synch", "clocks", "Equation (27)" },
  { "CPI", "clocks/inst", "Equation (25)" },
}

local MAY_BE_ZERO = {
  Comp_insts = true, Uncoal_Mem_insts = true, Coal_Mem_insts = true, Synch_insts = true,
  Departure_del_coal = true, Departure_del_uncoal = true, Uncoal_per_mw = true,
  Load_bytes_per_warp = true,
}

local function checked(params)
  local p, known = {}, { printed_condition = true, as_printed = true }
  for _, row in ipairs(M.PARAMETERS) do
    local name = row[1]
    known[name] = true
    local value = params[name]
    if value == nil then value = row.default end
    if type(value) ~= "number" or value ~= value or value == math.huge then
      error("the model needs a number for " .. name, 0)
    end
    if value < 0 or (value == 0 and not MAY_BE_ZERO[name]) then
      error(string.format("%s is %g; it must be more than 0", name, value), 0)
    end
    p[name] = value
  end
  local strange = {}
  for name in pairs(params) do
    if not known[name] then strange[#strange + 1] = tostring(name) end
  end
  table.sort(strange)
  if #strange > 0 then error("the model has no parameter '" .. strange[1] .. "'", 0) end
  if p.Comp_insts + p.Uncoal_Mem_insts + p.Coal_Mem_insts == 0 then
    error("the model needs a kernel with at least one instruction", 0)
  end
  if p.Uncoal_Mem_insts > 0 and p.Uncoal_per_mw == 0 then
    error("Uncoal_per_mw is 0; uncoalesced instructions make transactions", 0)
  end
  return p
end

-- Equations (10) to (15): latency and departure delay of a warp's memory instruction. A coalesced
-- instruction of wide words makes several full transactions (Coal_per_mw > 1), which the paper's
-- micro-benchmarks do not have: they follow each other as uncoalesced ones do in Equation (10).
local function memory(r, p)
  r.Mem_L_Uncoal = p.Mem_LD + math.max(0, p.Uncoal_per_mw - 1) * p.Departure_del_uncoal
  r.Mem_L_Coal = p.Mem_LD + (p.Coal_per_mw - 1) * p.Departure_del_coal
  r.Mem_insts = p.Uncoal_Mem_insts + p.Coal_Mem_insts
  r.Weight_uncoal = r.Mem_insts > 0 and p.Uncoal_Mem_insts / r.Mem_insts or 0
  r.Weight_coal = r.Mem_insts > 0 and p.Coal_Mem_insts / r.Mem_insts or 0
  r.Mem_L = r.Mem_L_Uncoal * r.Weight_uncoal + r.Mem_L_Coal * r.Weight_coal
  r.Departure_delay = p.Departure_del_uncoal * p.Uncoal_per_mw * r.Weight_uncoal +
                      p.Departure_del_coal * p.Coal_per_mw * r.Weight_coal
end

local function rounded(value, unit)
  if value == math.huge then return value end
  return math.floor(value / unit + 0.5) * unit
end

-- Equations (5) to (7), (16), (17). `printed`: to the digits of the paper's Table 2.
local function memory_parallelism(r, p, printed)
  local N = r.Active_warps_per_SM
  r.MWP_Without_BW_full = r.Departure_delay > 0 and r.Mem_L / r.Departure_delay or math.huge
  r.BW_per_warp = r.Mem_L > 0 and p.Freq * p.Load_bytes_per_warp / r.Mem_L or 0
  if printed then
    r.MWP_Without_BW_full = rounded(r.MWP_Without_BW_full, 0.01)
    r.BW_per_warp = rounded(r.BW_per_warp, 1e6)
  end
  r.MWP_Without_BW = math.min(r.MWP_Without_BW_full, N)
  r.MWP_peak_BW = r.BW_per_warp > 0 and p.Mem_Bandwidth / (r.BW_per_warp * p.Active_SMs) or
                  math.huge
  if printed then r.MWP_peak_BW = rounded(r.MWP_peak_BW, 0.01) end
  r.MWP = math.min(r.MWP_Without_BW, r.MWP_peak_BW, N)
end

local function bound_of(r)
  local N = r.Active_warps_per_SM
  if r.MWP == N then return "warps" end
  return r.MWP == r.MWP_peak_BW and "bandwidth" or "departure delay"
end

-- Which of Equations (22) to (24) applies. The print puts Comp_cycles > Mem_cycles beside
-- CWP >= MWP, under (23); section 3.2.2 and Fig. 7 (Case 5) say that such a kernel takes its
-- computation and one memory period, which is (24), and (23) would give less than the computation
-- alone. The text is followed; `printed_condition` follows the print.
local function choose(r, printed)
  local N = r.Active_warps_per_SM
  if r.Mem_insts == 0 then return 24, "compute", "no memory instruction" end
  if r.MWP == N and r.CWP == N then
    return 22, "warps", string.format("MWP and CWP are both N = %g: too few warps", N)
  end
  if r.Comp_cycles > r.Mem_cycles then
    local why = string.format("Comp_cycles %.6g > Mem_cycles %.6g", r.Comp_cycles, r.Mem_cycles)
    return printed and 23 or 24, printed and "memory" or "compute", why
  end
  if r.CWP >= r.MWP then
    return 23, "memory", string.format("CWP %.4g >= MWP %.4g", r.CWP, r.MWP)
  end
  return 24, "compute", string.format("MWP %.4g > CWP %.4g", r.MWP, r.CWP)
end

local function cycles_by(r, equation)
  local N, MWP = r.Active_warps_per_SM, r.MWP
  if equation == 22 then return r.Mem_cycles + r.Comp_cycles + r.Comp_p * (MWP - 1) end
  if equation == 23 then return r.Mem_cycles * N / MWP + r.Comp_p * (MWP - 1) end
  return r.Mem_L + r.Comp_cycles * N
end

--- The model. `params` as in PARAMETERS; besides `as_printed` (intermediates rounded as the paper's
--- Table 2 prints them: MWP and CWP to two decimals, cycles up to a whole one) and
--- `printed_condition` (see choose()). Returns a table with all parameters and intermediates by
--- name, and `equation` (22, 23, 24), `case` ("warps", "memory", "compute"), `why`, `limit` (what
--- bounds MWP), `seconds`.
function M.model(params)
  local p = checked(params)
  local r = {}
  for name, value in pairs(p) do r[name] = value end
  local warps_per_block = math.ceil(p.Threads_per_block / p.Threads_per_warp)
  local N = warps_per_block * p.Active_blocks_per_SM
  r.Active_warps_per_SM = N
  memory(r, p)
  memory_parallelism(r, p, params.as_printed)
  r.Total_insts = p.Comp_insts + r.Mem_insts
  r.Comp_cycles = p.Issue_cycles * r.Total_insts
  r.Mem_cycles = r.Mem_L_Uncoal * p.Uncoal_Mem_insts + r.Mem_L_Coal * p.Coal_Mem_insts
  r.Comp_p = r.Mem_insts > 0 and r.Comp_cycles / r.Mem_insts or r.Comp_cycles
  r.CWP_full = (r.Mem_cycles + r.Comp_cycles) / r.Comp_cycles
  if params.as_printed then r.CWP_full = rounded(r.CWP_full, 0.01) end
  r.CWP = math.min(r.CWP_full, N)
  r.Rep = p.Blocks / (p.Active_blocks_per_SM * p.Active_SMs)
  r.equation, r.case, r.why = choose(r, params.printed_condition)
  r.limit = bound_of(r)
  r.Exec_cycles_app = cycles_by(r, r.equation) * r.Rep
  r.Synch_cost = r.Departure_delay * (r.MWP - 1) * p.Synch_insts * p.Active_blocks_per_SM * r.Rep
  if params.as_printed then
    r.Exec_cycles_app, r.Synch_cost = math.ceil(r.Exec_cycles_app), math.ceil(r.Synch_cost - 1e-6)
  end
  r.Exec_cycles_with_synch = r.Exec_cycles_app + r.Synch_cost
  r.CPI = r.Exec_cycles_with_synch / (r.Total_insts * warps_per_block * p.Blocks / p.Active_SMs)
  r.seconds = r.Exec_cycles_with_synch / p.Freq
  return r
end

--- Equations (1), (3), (4) of one SM whose warps each have `periods` memory periods of `Mem_p`
--- clocks, each after a computation period of `Comp_p`: the timelines of Figs. 5 to 8. Returns the
--- clocks, the number of the equation and why it applies.
function M.periods(p)
  local N, mem, comp = p.N, p.Mem_p * p.periods, p.Comp_p * p.periods
  local MWP, CWP = math.min(p.MWP, N), math.min((mem + comp) / comp, N)
  if MWP == N and CWP == N then
    return mem + comp + p.Comp_p * (MWP - 1), 4, "MWP and CWP are N"
  end
  if CWP >= MWP and comp <= mem then return mem * N / MWP + p.Comp_p * MWP, 1, "CWP >= MWP" end
  return p.Mem_p + comp * N, 3, comp > mem and "Comp_cycles > Mem_cycles" or "MWP > CWP"
end

local function text_of(value)
  if value == math.huge then return "no limit" end
  if value == math.floor(value) and math.abs(value) < 1e15 then
    return string.format("%d", math.floor(value))
  end
  return string.format("%.6g", value)
end

--- The result as lines of a table that reads like the paper's Table 2.
function M.table(r)
  local lines = { string.format("%-24s %-14s %s", "Model parameter", "Obtained", "Value") }
  local function line(row, from)
    local unit = row[2] ~= "" and " " .. row[2] or ""
    lines[#lines + 1] = string.format("%-24s %-14s %s%s", row[1], from, text_of(r[row[1]]), unit)
  end
  for _, row in ipairs(M.PARAMETERS) do line(row, row[3]) end
  for _, row in ipairs(M.INTERMEDIATES) do
    line(row, row[3] or string.format("Equation (%d)", r.equation))
  end
  return lines
end

return M
