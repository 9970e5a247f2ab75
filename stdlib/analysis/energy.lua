-- energy(op = op, count = executions, bits = bits): joules above idle, and the clock under load.
--
-- `op` is an axis of operations and `count` a column of the executions of a launch. Or `bits` is a
-- column of what a launch moves, and each measure a level of memory. From the energy of a launch that of the
-- idle board in the same time is subtracted: what is left is shared out. What a busy board leaks more
-- than an idle one is in it, so it is no energy of a unit alone. The interval is that of the mean of
-- the repetitions, each between two steps of the counter, and no less than boards drift.
-- Covered by tests/runtime/inference_energy_test.cpp.

local lines = use "parts/line"
local pick = use "parts/select"

local M = {}

local DRIFT = 0.02  -- of a value: two runs in a row of one warm H100 differed by up to 3.4 %, as its temperature did. And
                    -- when the counter advanced is known to a hundredth of a second

-- Mean and half of its interval.
local function mean_of(values)
  local mean = stats.mean(values)
  if #values < 2 then return mean, nil end
  local error = lines.t99(#values - 1) * math.sqrt(stats.variance(values) / #values)
  return mean, math.max(error, DRIFT * math.abs(mean))
end

local function report(name, unit, values, note)
  local mean, half = mean_of(values)
  if not half then
    return pick.inconclusive(name, unit, "one repetition has no interval: repeat 3")
  end
  if mean <= half then
    return pick.inconclusive(name, unit, string.format("%.4g ± %.2g %s: no more than nothing", mean,
                                                       half, unit))
  end
  finding { name = name, unit = unit, value = mean, low = mean - half, high = mean + half,
            confidence = 0.99, note = note }
end

-- One load: findings of its energy by `count`, its power and its clock. `sms` share it.
local function load(samples, name, key, unit, count, sms)
  local time, energy = samples:column("time"), samples:column("energy")
  local idle, clock = samples:column("idle_power"), samples:column("sm_clock")
  local counts = samples:column(count)
  local each, watts, mhz = {}, {}, {}
  for i, joules in ipairs(energy) do
    each[i] = (joules - idle[i] * time[i]) / counts[i] * 1e12
    watts[i] = joules / time[i]
    mhz[#mhz + 1] = clock[i] == clock[i] and clock[i] / 1e6 or nil
  end
  local power = stats.mean(watts)
  local rate = #mhz > 0 and string.format(", %.3g of an SM in a clock",
                                          stats.mean(counts) / stats.mean(time) / sms / stats.mean(mhz) / 1e6) or ""
  report(name, unit, each,
         string.format("%.0f W under load, %.0f W idle, which is subtracted; launches of %.3g ms%s", power,
                       stats.mean(idle), 1e3 * stats.mean(time), rate))
  report(string.format("power.under_load[pipe=%s]", key), "W", watts,
         string.format("of the board; %.0f W idle", stats.mean(idle)))
  if #mhz > 0 then
    report(string.format("clock.under_load[pipe=%s]", key), "MHz", mhz,
           string.format("of the SMs, as NVML reports, at %.0f W", power))
  end
end

function M.run(input)
  pick.only(input, "energy", { "op", "count", "bits" })
  pick.need(input.samples, "energy", "observe energy")
  local samples = input.samples:having("energy")
  if input.args.bits then
    pick.need(samples, "measure", "have a measure for each level")
    local bits = pick.axis(input, "bits", "bits = bits, a column that is derived")
    for _, group in ipairs(samples:group("measure")) do
      local level = group.key.measure
      load(group.samples, string.format("energy.level[level=%s]", level), level, "pJ/bit", bits, input.device.sm_count)
    end
    return
  end
  local op = pick.axis(input, "op", "op = op")
  local count = pick.axis(input, "count", "count = executions, a column that is derived")
  for _, group in ipairs(samples:group(op)) do
    local name = group.key[op]
    load(group.samples, string.format("energy.op[op=%s]", name), name, "pJ", count, input.device.sm_count)
  end
end

return M
