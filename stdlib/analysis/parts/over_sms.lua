-- What a load that L2 answers takes, over all SMs and many lines. SMs lie at different distances from a slice of L2, and
-- slices from an SM: on an H200 the means of SMs are 272 to 296 clocks, and a few lines of one SM 282 to 296. The mean
-- of all is the same within 0.2 %, wherever the lines lie.
-- Used by cache.lua, reach.lua and tlb.lua. Covered by tests/experiments/memory_planted_test.cpp.

local M = {}

local LINE = 128
local LINES = 2048     -- that all SMs sweep; slices differ by 5 %, the mean of so many lines by 0.12 %
local PART = 512       -- of them, that one SM follows links through, another choice on each
local ROOM = 8         -- times the lines that L2 holds at least
local THREADS = 64     -- of a block: all but one wait
local NEVER = 0x5a5a5a5b
local SAME = 1         -- clocks that SMs differ by at least: else one of them stands for all

local function bits_of(count)
  local bits = 1
  while 1 << bits < count do bits = bits + 1 end
  return bits
end

-- Clocks of a load on each SM, with the arithmetic of its address; nil: the device runs no kernels, or `capacity`, the
-- bytes of L2 where they are known, is too small.
local function by_sm(device, capacity)
  local lines = math.min(LINES, (capacity or math.huge) // (ROOM * LINE))
  if device.max_threads_per_block <= 0 or lines < PART then return nil end
  local out = {}
  for sm = 0, math.floor(device.sm_count) - 1 do
    local words = probe.kernel {
      name = "footprint", arrays = { lines * LINE }, bare = true, lists = {}, results = 4,
      scalars = { lines, bits_of(lines), 1 + sm, LINE, 1, PART, 1, 2, sm, NEVER },
      blocks = 2 * math.floor(device.sm_count), threads = THREADS,
    }
    out[sm + 1] = words[1] / PART
  end
  return out
end

---@class OverSms
---@field value number      -- clocks of a load, with the arithmetic of its address: the mean
---@field low number        -- of the nearest SM...
---@field high number       -- ...and of the farthest
---@field sms integer

-- The mean over all SMs; nil: SMs do not differ, or cannot be asked.
---@return OverSms?
function M.l2(device, capacity)
  local means = by_sm(device, capacity)
  if not means or stats.max(means) - stats.min(means) < SAME then return nil end
  return { value = stats.mean(means), low = stats.min(means), high = stats.max(means), sms = #means }
end

-- For people.
function M.text(over, off)
  return string.format("the mean over %d SMs and %d lines; of one SM %.1f to %.1f clocks", over.sms, LINES, over.low - off,
                       over.high - off)
end

return M
