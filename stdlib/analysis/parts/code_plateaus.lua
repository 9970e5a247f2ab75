-- Caches of code from one binary: clocks an instruction of a loop of straight code over its size. The curve
-- stays on a plateau while one cache holds the loop, and leaves it where that cache is full. Nothing is
-- assumed of lines and sets: prefetching hides both on recent GPUs.
-- Used by instruction_cache.lua. Covered by tests/experiments/eviction_test.cpp.

local M = {}

local PARTS, OTHER_PARTS = 260, 130   -- of the two copies, of 64 instructions each (stdlib/probes/fetch.cu)
local INSTRUCTIONS = 64
local TIMED, WARM = 4, 3              -- rounds
local REPEATS = 3
local STRIDE = 4                      -- parts between two loops whose difference is taken
local SAME = 0.06                     -- by which clocks of one plateau differ, at most
local WIDE = 1.25                     -- largest over smallest size of a plateau, at least
local FIRST = 2                       -- parts of the shortest loop
local CROWD = 0.8                     -- of a capacity, that two loops have each: together they overflow it

local function run(device, parts, other_parts, other)
  local words = probe.kernel {
    name = "fetch", arrays = {}, lists = {},
    scalars = { PARTS - parts, WARM + TIMED, TIMED, other_parts and OTHER_PARTS - other_parts or 0,
                other_parts and 400 or 0, 0, other or 0 },
    results = 5, blocks = 4 * math.floor(device.sm_count), threads = 32,
  }
  return words[1] / TIMED
end

-- Clocks of a round of so many parts alone.
function M.clocks(device, parts) return run(device, parts) end

-- Clocks of a round by parts: of REPEATS the least, which nothing else disturbed.
local function curve(device)
  local clocks = {}
  for parts = 1, PARTS do
    local least = math.huge
    for _ = 1, REPEATS do least = math.min(least, run(device, parts)) end
    clocks[parts] = least
  end
  return clocks
end

-- { low, high (parts), clocks (an instruction) }, the first one first: stretches over which each further part
-- costs the same. (A loop of more than 25 KB costs an H100 some hundred clocks more, once a round: what
-- a part adds does not show that, an average would.)
local function plateaus(clocks)
  local rate = {}
  for parts = FIRST, PARTS - STRIDE do
    rate[parts] = (clocks[parts + STRIDE] - clocks[parts]) / STRIDE / INSTRUCTIONS
  end
  local out, from = {}, FIRST
  while from <= PARTS - STRIDE do
    local to, sum, missed = from, rate[from], 0
    for k = from + 1, PARTS - STRIDE do
      local mean = sum / (to - from + 1)
      if math.abs(rate[k] - mean) <= SAME * mean then
        sum, to, missed = sum + rate[k] * (k - to), k, 0
      else
        missed = missed + 1
        if missed > STRIDE + 1 then break end   -- one event shows in STRIDE differences
      end
    end
    local mean, last = sum / (to - from + 1), out[#out]
    if to >= WIDE * from and (not last or mean > (1 + 2 * SAME) * last.clocks) then
      out[#out + 1] = { low = from, high = to + STRIDE, clocks = mean }
    end
    from = to > from and to or from + 1
  end
  -- A plateau may go on behind one event: up to the last part that costs no more, at most.
  for i, each in ipairs(out) do
    each.most = each.high
    for k = each.high, (out[i + 1] and out[i + 1].low or 0) - STRIDE do
      if rate[k] and rate[k] <= (1 + SAME) * each.clocks then each.most = k + STRIDE end
    end
  end
  return out
end

-- The SMs whose loops overflow a level together with SM 0's: a list; nil: the copies are too small for it.
function M.shared_by(device, plateau, next_clocks)
  local parts = math.floor(CROWD * plateau.most)
  if parts > OTHER_PARTS then return nil end
  local out, limit = {}, (plateau.clocks + next_clocks) / 2
  local alone = run(device, parts)
  for other = 1, math.floor(device.sm_count) - 1 do
    local more = (run(device, parts, parts, other) - alone) / parts / INSTRUCTIONS
    if more > (next_clocks - plateau.clocks) / 3 then out[#out + 1] = other end
  end
  return out, limit
end

function M.find(device)
  local found = plateaus(curve(device))
  local bytes = INSTRUCTIONS * math.floor(device.instruction_bytes)
  for i, each in ipairs(found) do
    each.bytes_low, each.bytes = each.low * bytes, each.high * bytes
    each.beyond = each.high < PARTS - STRIDE and (each.most + 1) * bytes or nil
    if found[i + 1] then each.shared = M.shared_by(device, each, found[i + 1].clocks) end
  end
  return found
end

return M
