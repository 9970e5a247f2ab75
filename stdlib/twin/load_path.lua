-- The way from an SM's warps to L1 and L2: requests, load/store units, what is in flight, queues, stores, atomics.

local LANES, LINES = 32, 64 -- of a warp; lines of the two loads of twin_loads

-- What a further warp takes of what limits it: its turn at the barrier that ends the timed region comes on top.
local function of_warp(e, name)
  local rate = e:v(name)
  return rate and math.max(0, rate - (e:got "barrier.per_warp" or 0))
end

local function outstanding(e) return e:v "outstanding.kind" end

local function coalescer_line(e)
  return e:v "l1.sector" or e:v "l2.sector"
end

-- ---------------------------------------------------------------- load/store units
-- A load of a warp takes a pipeline for `clocks_per_load` and for each lane; a lane's value is written back in turn. Of
-- a load of one word by all lanes one request leaves, so that only the pipelines limit it; with four lanes, less.

local TWO = 2 -- loads of twin_lanes
local FEW = 4 -- lanes

local function full_load(e)
  local rate = of_warp(e, "rate.all_lanes")
  return rate and rate / TWO
end
local function few_load(e)
  local rate = of_warp(e, "rate.four_lanes")
  return rate and rate / TWO
end
-- Clocks of one more lane: of a warp alone, and of a full SM.
local function lane_alone(e) return e:v "rate.lane" end
local function lane_of_many(e)
  local all, few = full_load(e), few_load(e)
  return all and few and math.max(0, (all - few) / (LANES - FEW))
end

local SMALL = 0.02 -- clocks a lane: no lane by lane

local function pipelines(e)
  local alone, many = lane_alone(e), lane_of_many(e)
  if not alone or not many then return nil end
  if many < SMALL or alone < SMALL then return 1 end
  return math.max(1, math.min(64, (alone / many + 0.5) // 1))
end
local function clocks_per_lane(e)
  local many, pipes = lane_of_many(e), pipelines(e)
  if not many or not pipes then return nil end
  return many < SMALL and 0 or math.min(many * pipes, lane_alone(e))
end
local function writeback(e)
  local alone, lane = lane_alone(e), clocks_per_lane(e)
  if not alone or not lane then return nil end
  return alone - lane > SMALL and alone - lane or 0
end
local function clocks_per_load(e)
  local all, lane, pipes = full_load(e), clocks_per_lane(e), pipelines(e)
  return all and lane and math.max(0, all * pipes - LANES * lane)
end

-- ---------------------------------------------------------------- the queue of an SM

-- Lines and sectors of as many requests: 64 lines of one sector, 32 of two, 16 of four.
local function by_line(e)
  local lines, sectors = e:v "rate.lines_cg", e:v "rate.sectors_cg"
  return lines and sectors and sectors < 0.9 * lines
end
local function per_line(e)
  local lines = of_warp(e, "rate.lines_cg")
  return lines and lines / LINES
end
local function returned(e)
  local sectors = of_warp(e, "rate.sectors_cg")
  if not sectors or sectors <= 0 then return nil end
  return LINES * (e:got "coalescer.line" or 32) / sectors
end

-- ---------------------------------------------------------------- stores and atomics

local function store_interval(e)
  local rate = of_warp(e, "rate.store_lines")
  return rate and rate / (4 * LANES)
end
local function store_entries(e)
  local held, each = e:v "rate.store_lines.held", 4 * LANES
  return held and math.max(1, (held * each + 0.5) // 1)
end

local WARPS = 8 -- of twin_atomics

local function atomic_request(e)
  local own = e:v "rate.own_line"
  return own and own / (WARPS * LANES)
end
local function atomic_lane(e)
  local one, request = e:v "rate.one_word", atomic_request(e)
  return one and request and math.max(0, (one / WARPS - request) / (LANES - 1))
end
local function atomic_address(e)
  local rate, hz = e:v "rate.all_on_one", e:fact "clock_hz"
  return rate and hz and rate * hz / (256 * LANES)
end

local UNIT_WARPS = 132 * 8 -- of twin_units

-- Clocks of L2 for a further reduction of each warp, over the lanes of it that share a word.
local function of_unit(name, lanes)
  return function(e)
    local rate, hz = e:v(name), e:fact "clock_hz"
    return rate and hz and rate * hz / (UNIT_WARPS * lanes)
  end
end

local FASTER = 0.75 -- of the time of one word: then two words have a unit each

-- Units are those of slices.
local function has_slices(e)
  for _, section in ipairs(use "caches") do
    if section.name == "l2_slices" then return section.when(e) end
  end
end

-- Bits of an address with which its unit changes. Where two words of a line have units of their own, each sector has.
local function unit_bits(e)
  local one = e:v "rate.unit_word"
  if not one or e:peek "rate.unit_apart_32" and e:peek "rate.unit_apart_32" < FASTER * one then return nil end
  local bits = {}
  for bit = 6, 11 do
    local two = e:peek("rate.unit_apart_" .. (1 << bit))
    if two and two < FASTER * one then bits[#bits + 1] = bit end
  end
  return #bits > 0 and has_slices(e) and bits or nil
end

return {
  { name = "coalescer", rows = {
    { field = "line", unit = "B", value = coalescer_line, how = "the bytes that a miss fetches",
      assumed = function(e) return e:capability() >= 50 and 32 or 128 end, why = "of GPUs of its age; no fill was seen" },
    { field = "rule", unit = "word", optional = true, why = "published of the compute capability",
      assumed = function(e)
        local has = e:capability()
        return has > 0 and has < 12 and "cc1.0" or has > 0 and has < 20 and "cc1.3" or nil
      end },
  } },
  { name = "lsu", rows = {
    { field = "pipelines", unit = "count", value = pipelines, how = "clocks of a lane alone over those of a full SM",
      assumed = 1, why = "the load/store units were not measured" },
    { field = "clocks_per_load", unit = "", value = clocks_per_load, how = "a warp's load less its lanes",
      assumed = 1, why = "the load/store units were not measured" },
    { field = "clocks_per_lane", unit = "", value = clocks_per_lane, how = "loads of 32 lanes and of 4",
      assumed = 0, why = "the load/store units were not measured" },
    { field = "writeback_per_lane", unit = "", value = writeback, how = "what a lane adds to a load alone, less its issue",
      assumed = 0, why = "the load/store units were not measured" },
    { field = "banks_line", unit = "clocks", optional = true, why = "L1 and shared memory have the same banks, as on an H200",
      assumed = function(e) return e:capability() >= 70 and 1 or nil end },
  } },
  { name = "mshr", when = function(e) return outstanding(e) == "MSHR", "no limit of requests in flight shows" end,
    rows = {
      { field = "entries", unit = "count", finding = "outstanding.entries", assumed = 128, why = "their number did not show" },
      { field = "merges", unit = "count", finding = "outstanding.merge", assumed = 32, why = "as many as lanes" },
    } },
  { name = "prt", when = function(e) return outstanding(e) == "PRT", "no limit of loads in flight shows" end,
    rows = {
      { field = "entries", unit = "count", finding = "outstanding.entries", assumed = 64, why = "their number did not show" },
      { field = "overflow_requests", unit = "count", optional = true, how = "requests beyond its entries' of 32 lanes",
        value = function(e)
          local requests, entries = e:v "outstanding.max_requests", e:v "outstanding.entries"
          local more = requests and entries and requests - LANES * entries
          return more and more > 0 and more < 4 * LANES and more or nil
        end },
    } },
  { name = "memory_queue", when = function(e) return not outstanding(e) and per_line(e), "requests in flight limit an SM" end,
    rows = {
      { field = "coalesced", unit = "clocks", value = per_line, how = "two loads of a warp over 64 lines" },
      { field = "uncoalesced", unit = "clocks", value = per_line, how = "two loads of a warp over 64 lines" },
      { field = "line", unit = "B", optional = true, how = "sectors of a line leave together",
        value = function(e) return by_line(e) and (e:got "l1.line" or 128) or nil end },
      { field = "returned", unit = "", optional = true, value = returned, how = "B/clock: 64 sectors over two loads of 16 lines" },
    } },
  { name = "store_buffer", when = function(e) return store_interval(e), "stores were not measured" end,
    rows = {
      { field = "entries", unit = "count", value = store_entries, how = "of 128 requests of a warp's four stores",
        assumed = 1 << 20, why = "no store waits, or from the first one on" },
      { field = "interval", unit = "clocks", value = store_interval, how = "four stores of a warp over 128 lines" },
      { field = "window", unit = "count", optional = true, assumed = function(e) return e:got "machine_code" and 24 or nil end,
        why = "as an H200's, by hand (docs/results/h200/merged_stores.csv)" },
      { field = "pending", unit = "count", optional = true, assumed = function(e) return e:got "machine_code" and 52 or nil end,
        why = "as an H200's, by hand (docs/results/h200/mechanisms.csv, mech_stores)" },
    } },
  { name = "atomics", when = function(e) return atomic_request(e), "atomics were not measured" end,
    rows = {
      { field = "request", unit = "clocks", value = atomic_request, how = "an atomic of 8 warps over 256 lines" },
      { field = "lane", unit = "clocks", value = atomic_lane, how = "8 warps on one address, by lane",
        assumed = 0, why = "one address was not measured" },
      { field = "address", unit = "clocks", value = atomic_address, how = "atomics of 256 blocks on one address",
        assumed = function(e) return atomic_lane(e) or 0 end, why = "as a lane of one SM's; of all SMs nothing was measured" },
      { field = "unit_bits", unit = "list", optional = true, value = unit_bits,
        how = "distances of two words on which all warps add in less than 0.75 of the time of one" },
      { field = "turn", unit = "clocks", optional = true, value = of_unit("rate.unit_sector", 4),
        how = "reductions of all warps on eight words of a sector, four lanes on each" },
      { field = "real", unit = "clocks", optional = true, value = of_unit("rate.unit_real", LANES),
        how = "sums of floating point of all warps on one word" },
    } },
}
