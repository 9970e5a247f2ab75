-- Of planted latencies: how often parts/modes says one mode, two, or neither.
local modes = use "parts/modes"

local M = {}

local state = 1
local function random()
  state = (state * 1103515245 + 12345) % 2 ^ 31
  return (state >> 8) / 2 ^ 23
end

-- `shares` of values about `centers`, each within `width`, and some anywhere.
local function planted(count, centers, shares, width, stray)
  local values = {}
  for i = 1, count do
    local at, k = random(), 1
    while k < #shares and at > shares[k] do at, k = at - shares[k], k + 1 end
    values[i] = random() < stray and 2000 * random() or centers[k] + width * (random() - 0.5)
  end
  return values
end

function M.run()
  local cases = {
    one = { { 300 }, { 1 } }, two = { { 45, 57 }, { 0.5, 0.5 } }, uneven = { { 282, 514 }, { 0.7, 0.3 } },
    rare = { { 45, 57 }, { 0.92, 0.08 } }, three = { { 40, 80, 120 }, { 0.34, 0.33, 0.33 } },
  }
  for _, name in ipairs { "one", "two", "uneven", "rare", "three" } do
    local told = 0
    for seed = 1, 200 do
      state = seed * 7919
      local values = planted(128, cases[name][1], cases[name][2], 4, 0.02)
      local two = modes.two(values)
      if two then
        told = told + 1
        for k, mode in ipairs(two) do
          if math.abs(mode.mean - cases[name][1][k]) > 2 then error("a mode is elsewhere: " .. mode.mean) end
        end
      end
    end
    finding { name = name, value = told / 200 }
  end
end

return M
