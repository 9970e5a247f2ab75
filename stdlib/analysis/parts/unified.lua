-- Whether textures are read through L1, as on GPUs since 2017: see stdlib/probes/unified.cu.
-- Used by cache.lua and tlb.lua. Covered by tests/experiments/eviction_test.cpp.

local M = {}

local LINE = 128
local MOST = 1 << 13      -- lines of global memory: 1 MB, more than any L1 holds and less than L2
local SLOWER = 1.5        -- times: an evicted texel

-- Clocks of a texel's read after so many lines.
local function after(lines, device)
  local words = probe.kernel {
    name = "unified", arrays = { MOST * LINE }, textures = { 4096 }, lists = {},
    scalars = { lines, LINE, 0x5a5a5a5b }, results = 2,
    threads = math.min(1024, math.floor(device.max_threads_per_block)),
  }
  return words[2]
end

-- true, the lines of global memory that evict a texel; false where even 1 MB of them does not; nil where
-- that cannot be told.
function M.textures_in_l1(device)
  local function evicted(lines)
    local slow = 0
    for _ = 1, 3 do
      if after(lines, device) > SLOWER * after(0, device) then slow = slow + 1 end
    end
    return slow == 3
  end
  if evicted(8) then return nil end
  if not evicted(MOST) then return false end
  local low, high = 8, MOST
  while high - low > low // 16 + 1 do
    local middle = (low + high) // 2
    if evicted(middle) then high = middle else low = middle end
  end
  return true, high
end

return M
