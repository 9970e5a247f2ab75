-- latency_spread(space = "global", bytes = 4KB, stride = 128B): how much the latency of the same addresses
-- differs between the SMs that ask for them: what lies beyond an SM is not as far from all.
--
-- Of global memory without `bytes` and `stride` each SM follows links through the same lists of neighbouring
-- lines: the slices of a few lines are others in each process, and the spread of one list of 32 lines was 29.6
-- or 36 clocks on one H100. The interval is by what lists differ in. Else it is one list.
-- Covered by tests/experiments/memory_planted_test.cpp.

local line = use "parts/line"
local pick = use "parts/select"
local pointers = use "parts/pointers"
local M = {}

local NAMES = { global = "global.latency.spread", texture = "tex.latency.spread",
                constant = "const.latency.spread" }
local OPERATOR = { global = "cg" }
local ACCESSES = 2048
local LISTS, LINES = 8, 512   -- of neighbouring lines: 64 KB each, which any L2 and TLB holds
local APART = 2 << 20         -- bytes between the begins of two lists: higher address bits choose slices, too

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

-- Whether SMs differ by more than chance.
local function differ(means, again) return stats.max(means) - stats.min(means) > math.max(0.5, 3 * again) end

-- Clocks of a load of one of the lists, from one SM.
local function through(device, list, sm)
  return pointers.clocks(device, { operator = "cg", most = LISTS * APART, from = (list - 1) * APART, count = LINES,
                                   sweeps = 1, warm = LINES, loads = LINES, seed = 1, threads = 64, sm = sm })
end

-- The means of SMs over all lists, what one SM differs by when it is asked again, and by how much the spread may be
-- off because of which lines were taken. One list alone where that shows no spread.
local function over_lists(device)
  local sms, twice, lists = math.floor(device.sm_count), {}, { {} }
  for sm = 0, sms - 1 do twice[sm + 1] = { through(device, 1, sm), through(device, 1, sm) } end
  local means, again = M.means(twice)
  if not differ(means, again) then return means, again, 0 end
  lists[1] = means
  for k = 2, LISTS do
    lists[k] = {}
    for sm = 0, sms - 1 do lists[k][sm + 1] = through(device, k, sm) end
  end
  local over, near, far = {}, 1, 1
  for i = 1, sms do
    over[i] = 0
    for k = 1, LISTS do over[i] = over[i] + lists[k][i] / LISTS end
    if over[i] < over[near] then near = i end
    if over[i] > over[far] then far = i end
  end
  local spreads = {}
  for k = 1, LISTS do spreads[k] = lists[k][far] - lists[k][near] end
  return over, again, line.t99(LISTS - 1) * math.sqrt(stats.variance(spreads) / LISTS)
end

-- The same of one list, which the arguments describe.
local function of_list(input, space)
  local bytes, stride = pick.count(input, "bytes", 4096), pick.count(input, "stride", 128)
  local list = {}
  for address = 0, bytes - 4, stride do list[#list + 1] = address end
  local means, again = M.means(M.by_sm(space, OPERATOR[space], bytes, list, input.device.sm_count))
  return means, again, 0, #list
end

function M.run(input)
  if not probe then error("latency_spread runs chases of its own, which need the device", 0) end
  pick.only(input, "latency_spread", { "space", "bytes", "stride" })
  local space, args = pick.text(input, "space", "global"), input.args
  local name = NAMES[space]
  if not name then error("the space '" .. space .. "' cannot be chased from each SM", 0) end
  local many = space == "global" and not args.bytes and not args.stride and pointers.possible(input.device)
  local means, again, error, lines = (many and over_lists or of_list)(many and input.device or input, space)
  local low, high = stats.min(means), stats.max(means)
  local of = many and string.format("%d lines", LISTS * LINES)
    or string.format("%d addresses, address arithmetic included", lines)
  local seen = string.format("%.1f to %.1f clocks a load over %d SMs and %s; the same SM again differs by %.1f", low,
                             high, #means, of, again)
  if not differ(means, again) then
    return finding { name = name, unit = "clocks", verdict = "not_observed", note = seen }
  end
  error = error + 2 * again
  finding { name = name, value = high - low, low = math.max(0, high - low - error), high = high - low + error,
            unit = "clocks", note = seen }
end

return M
