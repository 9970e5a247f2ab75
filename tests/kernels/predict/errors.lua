-- The share of the measured kernels (stdlib/predict/errors.csv) whose prediction is within an error, as SVG:
-- gpx lua --trust tests/kernels/predict/errors.lua > docs/pictures/predict-errors.svg
local errors = {}
for line in io.lines("stdlib/predict/errors.csv") do
  local ratio = tonumber(line:match("([^,]+)$"))
  if ratio then errors[#errors + 1] = 100 * math.abs(math.exp(ratio) - 1) end
end
table.sort(errors)
local x, y = {}, {}
for i, e in ipairs(errors) do
  x[i], y[i] = math.max(e, 0.1), 100 * i / #errors
end
print(gpx.plot { x = "error of the prediction (%)", y = "kernels within it (%)", logx = true, format = "svg",
                 title = "gpx predict against " .. #errors .. " measured kernels of an H200",
                 curves = { { label = "training kernels", x = x, y = y } } })
