-- The chip: what the driver reports, the register file, schedulers, blocks, barriers, the clock.

-- Published of a compute capability (CUDA C++ programming guide, technical specifications).
local function by_capability(rows)
  return function(e)
    local has = e:capability()
    for _, row in ipairs(rows) do
      if has >= row[1] then return row[2] end
    end
  end
end
local PUBLISHED = "published of the compute capability; no finding gives it"

local function schedulers(e)
  local published = by_capability { { 30, 4 }, { 20, 2 }, { 0, 1 } }(e)
  return published
end

local ISSUED = 1.2 -- clocks: a warp that issues one instruction a clock does not wait for units

-- A warp alone uses the units of its part of the SM.
local function partitions(e)
  local alone = e:v "rate.one_warp"
  local full = e:v "op.rsqrt.approx.f32.throughput"
  if not alone or not full or full <= 0 or alone < ISSUED then return nil end
  local ratio = alone * full / 32
  for _, parts in ipairs { 4, 2 } do
    if ratio > 0.75 * parts then return parts end
  end
  return 1
end

local function execution_model(e)
  local unit = e:v "barrier.granularity"
  if unit == "thread" then return "independent" end
  if unit == "warp" then return "stack" end
end

-- Of a kernel whose blocks have no result. Blocks that report one take what their store and atomic on one line take.
local function block_interval(e)
  local hz, starts = e:fact "clock_hz", e:v "rate.starts"
  return starts and hz and starts * hz / (e:setting("most_blocks", 16384) / 8)
end

-- What a launch takes besides the barriers of its one block, less what the block does besides: it begins and ends a
-- timed region, and its result is written to L2.
local function launch_overhead(e)
  local seconds, hz = e:v "rate.launch.start", e:fact "clock_hz"
  if not seconds or not hz then return nil end
  return math.max(0, seconds * hz - (e:v "rate.chain_alone.start" or 0) - (e:got "l2.latency" or 0))
end

-- `BAR.SYNC.DEFER_BLOCKING` holds what leaves the partition alone, which machine code tells from the rest.
local function arrivals(e) return e:got "machine_code" and e:v "rate.row" and 12 or nil end

-- Warps of the virtual GPU arrive one a clock, which counts where a barrier's time is that from the last arrival.
local function barrier_per_warp(e)
  local one, full = e:v "rate.row", e:v "rate.row_of_16_warps"
  if not one or not full then return nil end
  return math.max(0, (full - one) / 15 - (e:got "barrier.queue" and 0 or 1))
end

-- A timed region takes, besides its chain, the clock's read, the test of the result and the barrier that ends it.
local function clock_cost(e)
  local besides, test = e:v "rate.chain_alone.start", e:v "op.xor.b32.latency" or e:v "rate.chain_alone"
  local barrier = e:got "barrier.latency"
  local cost = besides and test and barrier and besides - test - barrier
  return cost and cost >= 1 and cost
end

local function domain(e)
  local word = e:v "clock.domain"
  return word and ({ SM = "sm", TPC = "tpc" })[word] or word and "gpu"
end

local top = {
  { field = "clock", unit = "Hz", fact = "clock_hz" },
  { field = "compute_capability", unit = "word", fact = "compute_capability" },
  { field = "machine_code", unit = "word", optional = true, how = "its own code, whose costs were measured",
    value = function(e) return e:code() and e:fact "compute_capability" and e:code() end },
  { field = "memory", unit = "B", fact = "memory_bytes" },
}

local sm = {
  { field = "count", unit = "count", fact = "sm_count" },
  { field = "warp_slots", unit = "count", how = "threads of an SM over 32",
    value = function(e) local most = e:fact "max_threads_per_sm"; return most and most // 32 end },
  { field = "block_slots", unit = "count", fact = "max_blocks_per_sm",
    assumed = by_capability { { 90, 32 }, { 89, 24 }, { 86, 16 }, { 80, 32 }, { 75, 16 }, { 50, 32 }, { 30, 16 }, { 0, 8 } },
    why = PUBLISHED },
  { field = "max_threads_per_block", unit = "count", fact = "max_threads_per_block" },
  { field = "schedulers", unit = "count", assumed = schedulers, why = PUBLISHED },
  { field = "partitions", unit = "count", value = partitions, optional = true,
    how = "what one warp waits for a special function, over what an SM takes for it" },
  { field = "shared", unit = "B", fact = "shared_per_sm", assumed = 48 << 10, why = PUBLISHED },
  { field = "shared_reserved", unit = "B", fact = "reserved_shared_per_block", optional = true },
  { field = "per_tpc", unit = "count", assumed = by_capability { { 60, 2 }, { 0, 1 } },
    why = "two SMs in all GPUs since Pascal; no finding gives it" },
  { field = "per_gpc", unit = "count", optional = true, how = "SMs that share the second level of constants",
    value = function(e)
      local scope = e:v "const.l2.scope"
      local sms = type(scope) == "string" and tonumber(scope:match "^(%d+) SMs")
      return sms and math.max(1, math.ceil(sms / e:got "sm.per_tpc"))
    end },
}

local registers = {
  { field = "per_sm", unit = "count", fact = "registers_per_sm" },
  { field = "per_thread_max", unit = "count", assumed = by_capability { { 35, 255 }, { 20, 63 }, { 0, 124 } },
    why = PUBLISHED },
  { field = "per_thread_quantum", unit = "count", finding = "regfile.register_quantum", assumed = 8,
    why = "whole allocation units of a warp; the register file was not measured" },
  { field = "thread_quantum", unit = "count", finding = "regfile.thread_quantum", assumed = 32,
    why = "whole warps; the register file was not measured" },
}

local execution = {
  { field = "model", unit = "word", value = execution_model, how = "what a barrier waits for",
    assumed = function(e) return e:capability() >= 70 and "independent" or "stack" end,
    why = "independent threads since Volta; no finding gives it" },
  { field = "turn", unit = "count", optional = true,
    assumed = function(e) return e:got "execution.model" == "independent" and 1000 or nil end,
    why = "paths of some hundred instructions run one after another on an H100" },
}

return {
  { name = "", rows = top },
  { name = "sm", rows = sm },
  { name = "registers", rows = registers, when = function(e) return e:fact "registers_per_sm" end },
  { name = "execution", rows = execution },
  { name = "block_scheduler", when = function(e) return block_interval(e) end,
    rows = {
      { field = "interval", unit = "clocks", value = block_interval, how = "by block" },
      { field = "warp", unit = "clocks", optional = true, assumed = function(e) return e:capability() >= 90 and 2 or nil end,
        why = "as an H200's, by hand (docs/results/h200/block_starts.csv)" },
    } },
  { name = "launch", when = function(e) return launch_overhead(e) end,
    rows = { { field = "overhead", unit = "clocks", value = launch_overhead, how = "of one block, less its barriers, its timed region and the way to L2" } } },
  { name = "scoreboard", when = function(e) return e:v "scoreboard.loads_per_warp", "no warp waited for its own loads" end,
    rows = { { field = "loads_per_warp", unit = "count", finding = "scoreboard.loads_per_warp" } } },
  { name = "barrier", rows = {
    { field = "latency", unit = "clocks", finding = { "rate.row", "barrier.latency", "op.bar.sync.latency" },
      assumed = 20, why = "no barrier was measured" },
    { field = "queue", unit = "count", optional = true, assumed = arrivals,
      why = "as on an H200 (docs/results/h200/mechanisms.csv)" },
    { field = "per_warp", unit = "clocks", value = barrier_per_warp, optional = true, how = "their difference over 15" },
  } },
  { name = "clock_register", rows = {
    { field = "cost", unit = "clocks", value = clock_cost, finding = "clock.overhead",
      how = "what a chain takes besides, less the test of its result and a barrier", assumed = 8, why = "the clock was not measured" },
    { field = "granularity", unit = "clocks", finding = "clock.granularity", optional = true },
    { field = "domain", unit = "word", value = domain, optional = true, how = "who shares one" },
  } },
}
