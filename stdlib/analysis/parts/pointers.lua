-- What a load takes by links that are addresses (probes/footprint.cu): no arithmetic stands between two loads, so that
-- nothing has to be taken off, but the clock or two of the load's own issue. Of one SM, and as the mean over all SMs.
--
-- SMs lie at different distances from a slice of L2, and slices from an SM: on an H200 the means of SMs are 272 to 296
-- clocks, and a few lines of one SM 282 to 296. The mean of all is the same within 0.2 %, wherever the lines lie, and on
-- two boards.
-- Used by cache.lua, latency_spread.lua, reach.lua and tlb.lua. Covered by tests/experiments/h100_test.cpp.

local ledger = use "parts/steps"
local M = {}

local LINES = 2048     -- that all SMs sweep; slices differ by 5 %, the mean of so many lines by 0.12 %
local PART = 512       -- of them, that one SM follows links through, another choice on each
local HITS = 2560      -- loads of them that count
local ROOM = 8         -- times the lines that are asked about, a cache holds
local STRAIGHT = 512   -- loads between two branches (kStraight of the kernel), whose code the first ones fetch
local THREADS = 64     -- of a block where few lines are swept: all but one wait
local NEVER = 0x5a5a5a5b
local SAME = 1         -- clocks that SMs differ by at least: else one of them stands for all

M.LINE = 128           -- bytes between two lines
M.SWEPT = LINES * M.LINE   -- bytes that all SMs sweep

---@class PointerChase
---@field operator string     -- of the loads
---@field most integer        -- bytes of the array...
---@field from integer?       -- ...and where in it the working set begins; 0
---@field count integer       -- lines of the working set
---@field part integer?       -- of them that one thread follows; all
---@field sweeps integer      -- of all lines, before
---@field warm integer        -- loads that do not count, at least...
---@field loads integer       -- ...and that do
---@field seed integer        -- of the order of the lines
---@field threads integer?    -- of the block that sweeps
---@field sm integer?

-- Whether a device runs such a kernel: one that is a model of chases alone reports no threads.
function M.possible(device) return device.max_threads_per_block > 0 end

-- The least multiple of STRAIGHT that is not less.
local function straight(loads) return (loads + STRAIGHT - 1) // STRAIGHT * STRAIGHT end

-- Clocks of so many loads, and how many they are.
---@param chase PointerChase
---@return number, integer
local function timed(device, chase)
  local part, bits, sm = chase.part or chase.count, 1, chase.sm or 0
  while 1 << bits < chase.count do bits = bits + 1 end
  local loads = straight(chase.loads)
  local words = probe.kernel {
    name = "footprint", defines = { OPERATOR = chase.operator }, arrays = { chase.most }, bare = true, lists = {},
    results = 4,
    scalars = { chase.count, bits, chase.seed, M.LINE, chase.sweeps, part, straight(chase.warm), loads, sm, NEVER,
                chase.from or 0 },
    blocks = 2 * math.floor(device.sm_count), fewer = sm == 0 and 1 or 0,
    threads = chase.threads or math.min(1024, math.floor(device.max_threads_per_block)),
  }
  if words[3] ~= words[4] then error("the links of a working set did not lead back to the first", 0) end
  return words[1], loads
end

-- Clocks of a load.
---@param chase PointerChase
---@return number
function M.clocks(device, chase)
  local clocks, loads = timed(device, chase)
  return clocks / loads
end

-- The lines that a cache of so many bytes, where they are known, holds many times over; nil: fewer than PART.
local function lines_in(capacity)
  local lines = math.min(LINES, (capacity or math.huge) // (ROOM * M.LINE))
  return lines >= PART and lines or nil
end

-- What a load of this operator takes that the nearest cache answers; nil: it cannot be asked. Of one line, which no
-- cache drops while nothing else is loaded: several may be too many for one set, whatever the cache holds in all.
function M.nearest(device, operator)
  if not M.possible(device) then return nil end
  local function of(loads)
    return timed(device, { operator = operator, most = M.LINE, count = 1, sweeps = 2, warm = 1, loads = loads, seed = 1,
                           threads = THREADS })
  end
  local clocks, loads = of(HITS)
  local few_clocks, few = of(STRAIGHT)   -- what reading the clock costs is in both
  return (clocks - few_clocks) / (loads - few)
end

---@class OverSms
---@field value number      -- clocks of a load: the mean
---@field low number        -- of the nearest SM...
---@field high number       -- ...and of the farthest
---@field first number      -- of SM 0
---@field sms integer
---@field shown Shown?

-- What a load that L2 answers takes, over all SMs; nil: SMs do not differ, or cannot be asked.
---@return OverSms?
function M.over_sms(device, capacity)
  local lines = M.possible(device) and lines_in(capacity)
  if not lines then return nil end
  local means, before = {}, ledger.now()
  for sm = 0, math.floor(device.sm_count) - 1 do
    means[sm + 1] = M.clocks(device, { operator = "cg", most = lines * M.LINE, count = lines, part = PART, sweeps = 1,
                                       warm = PART, loads = PART, seed = 1 + sm, threads = THREADS, sm = sm })
  end
  local low, high = stats.min(means), stats.max(means)
  if high - low < SAME then return nil end
  local points = {}
  for sm, mean in ipairs(means) do points[sm] = { sm - 1, mean } end
  return { value = stats.mean(means), low = low, high = high, first = means[1], sms = #means,
           shown = ledger.since(before, "latency by SM, of links that are addresses", "SM", "clocks", points) }
end

-- For people.
function M.text(over)
  return string.format("the mean over %d SMs and %d lines; of one SM %.1f to %.1f clocks", over.sms, LINES, over.low,
                       over.high)
end

return M
