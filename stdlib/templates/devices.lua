-- How do two devices compare in the same experiment?
--
-- gpx lua devices.lua runs one text on each device and draws both curves in one figure.
local devices = { "k20", "m2070" } -- models; "cuda" is the GPU of this machine
local text = [[
  experiment loads {
    sweep   n 1..8, threads in [32, 256]
    repeat  3
    < load unique(128B) x n >
  }]]

local curves = {}
for _, device in ipairs(devices) do
  local run = gpx.run(text, { device = device })
  local one = run.curves:where { threads = 256 }
  curves[#curves + 1] = { label = device, x = one:column "n", y = one:column "latency" }
end
print(gpx.plot { x = "n", y = "latency", y_unit = "clocks", curves = curves })
for i, n in ipairs(curves[1].x) do
  print(string.format("n = %d: %s takes %.2f times as long as %s", n, devices[2],
                      curves[2].y[i] / curves[1].y[i], devices[1]))
end
