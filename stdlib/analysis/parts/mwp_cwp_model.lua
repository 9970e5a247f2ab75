-- The timelines of the MWP/CWP model (Hong and Kim 2009): Equations (1), (3) and (4). Equations (2)
-- and (5) to (27) are equations.mwp_cwp.
--
-- A pure module: no samples, no device. Covered by tests/runtime/mwp_cwp_test.cpp.

local M = {}

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

return M
