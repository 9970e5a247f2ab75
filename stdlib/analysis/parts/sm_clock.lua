-- The SM clock while an analysis runs, just after its samples: see stdlib/probes/sm_clock.cu. L2, the memory and the
-- link to another GPU have clocks of their own. Where the SM's goes up by a step (15 MHz of 1980, 0.8 %), a load that
-- these answer takes more of its clocks: 1578.7 at 1980 MHz, 1589.8 at 1995, and 797 ns both times.
-- Used by l2_map.lua and p2p.lua. Covered by tests/experiments/l2_map_planted_test.cpp.

local M = {}

local SPIN = 2000000   -- clocks: the timer counts in steps of a microsecond at most, 0.1 % of so many
local TIMES = 3        -- the median of them

-- Hz; nil: no device that runs kernels is at hand.
---@return number?
function M.hertz(device)
  if not probe or device.max_threads_per_block == 0 then return nil end
  local all = {}
  for i = 1, TIMES do
    local words = probe.kernel { name = "sm_clock", arrays = {}, lists = {}, scalars = { SPIN }, results = 2, threads = 1 }
    all[i] = 1e9 * words[1] / words[2]
  end
  return stats.median(all)
end

-- States it as a finding.
function M.report(name, device)
  local hertz = M.hertz(device)
  if not hertz then return end
  finding { name = name, value = hertz, unit = "Hz",
            note = "the SM clock just after the samples, by %globaltimer: what other clocks decide takes other numbers of " ..
                   "clocks at another one" }
end

return M
