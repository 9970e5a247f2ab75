-- How do two devices compare?
--
-- A script runs one experiment on each device and draws both curves in one figure. Clock periods
-- differ between devices, so the script divides by `run.device.clock_hz` and compares nanoseconds.
local devices = { "k20", "m2070" } -- models; "cuda" is the GPU of this machine
local text = [[
  experiment loads {
    sweep   n 1..8, threads in [32, 256]
    repeat  10
    < load unique(128B) x n >
  }]]

local runs, unit = {}, "ns"
for i, device in ipairs(devices) do
  runs[i] = gpx.run(text, { device = device })
  if runs[i].device.clock_hz == 0 then unit = "clocks" end
end
local curves = {}
for i, run in ipairs(runs) do
  local one = run.curves:where { threads = 256 }
  local scale = unit == "ns" and 1e9 / run.device.clock_hz or 1
  local y = {}
  for k, clocks in ipairs(one:column "latency") do y[k] = clocks * scale end
  curves[i] = { label = devices[i], x = one:column "n", y = y }
end
print(gpx.plot { x = "n", y = "latency", y_unit = unit, curves = curves })
for i, n in ipairs(curves[1].x) do
  print(string.format("n = %d: %s %.0f %s, %s %.0f %s, %.2f times as many", n, devices[1],
                      curves[1].y[i], unit, devices[2], curves[2].y[i], unit,
                      curves[2].y[i] / curves[1].y[i]))
end
