-- latency_spread(space = "global", bytes = 4KB, stride = 128B): how much the latency of one list of
-- addresses differs between the SMs that ask for it: what lies beyond an SM is not as far from all.
-- Covered by tests/experiments/memory_planted_test.cpp.

local cache = use "cache"
local pick = use "parts/select"
local M = {}

function M.describe() return "latency of one list of addresses from each SM" end

local NAMES = { global = "global.latency.spread", texture = "tex.latency.spread",
                constant = "const.latency.spread" }
local OPERATOR = { global = "cg" }
local ACCESSES = 2048

-- Clocks a load from each SM, twice.
function M.by_sm(space, operator, bytes, list, sms)
  local passes, out = math.max(1, ACCESSES // #list), {}
  for sm = 0, sms - 1 do
    local twice = {}
    for k = 1, 2 do
      twice[k] = probe.chase { space = space, cache = operator, bytes = bytes, width = 4,
                               offsets = list, warm = 2, passes = passes, average = true, sm = sm }[1]
    end
    out[sm + 1] = twice
  end
  return out
end

-- The mean of each SM, and what two measurements of one SM differ by at most.
function M.means(by_sm)
  local means, again = {}, 0
  for i, twice in ipairs(by_sm) do
    means[i] = (twice[1] + twice[2]) / 2
    again = math.max(again, math.abs(twice[1] - twice[2]))
  end
  return means, again
end

function M.run(input)
  if not probe then error("latency_spread asks for chases of its own: it needs the device", 0) end
  pick.only(input, "latency_spread", { "space", "bytes", "stride" })
  local space = pick.text(input, "space", "global")
  local name = NAMES[space]
  if not name then error("the space '" .. space .. "' cannot be chased from each SM", 0) end
  local bytes, stride = pick.count(input, "bytes", 4096), pick.count(input, "stride", 128)
  local list = {}
  for address = 0, bytes - 4, stride do list[#list + 1] = address end
  local means, again = M.means(M.by_sm(space, OPERATOR[space], bytes, list, input.device.sm_count))
  local low, high = stats.min(means), stats.max(means)
  local seen = string.format("%.1f to %.1f clocks a load over %d SMs, address arithmetic included; " ..
                             "the same SM again differs by %.1f", low, high, #means, again)
  if high - low <= math.max(0.5, 3 * again) then
    return finding { name = name, unit = "clocks", verdict = "not_observed", note = seen }
  end
  finding { name = name, value = high - low, low = math.max(0, high - low - 2 * again),
            high = high - low + 2 * again, unit = "clocks", note = seen }
end

return M
