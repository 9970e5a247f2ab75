-- What lies near the SM, and translation: shared memory, constants, textures, code, TLBs.
local geometry = use "geometry"

local SHARED_WARPS = 8 -- of twin_shared

local function rated(name, divisor)
  return function(e) local rate = e:v(name); return rate and rate / divisor end
end

-- Clocks that a pass keeps the banks: at most what a load and what a store of all warps take.
local function busy(e)
  if not e:v "shared.banks" then return nil end
  local loads, stores = e:v "rate.shared_words", e:v "rate.shared_stores"
  if not loads and not stores then return nil end
  return math.min(loads or math.huge, stores or math.huge) / SHARED_WARPS
end

local shared = {
  { field = "latency", unit = "clocks", finding = "shared.latency", assumed = 30, why = "shared memory was not measured" },
  { field = "banks", unit = "count", finding = "shared.banks", optional = true },
  { field = "width", unit = "B", finding = "shared.bank_width", optional = true },
  { field = "word", unit = "B", finding = "shared.bank_word", optional = true },
  { field = "lanes", unit = "count", finding = "shared.lanes_at_once", optional = true },
  { field = "group", unit = "B", optional = true, why = "wide words take a pass for each 128 B, as on an H200",
    assumed = function(e) return e:capability() >= 70 and 128 or nil end },
  { field = "pass", unit = "clocks", finding = "shared.conflict", optional = true },
  { field = "busy", unit = "clocks", optional = true, how = "a load or a store of 8 warps over 8, whichever is less", value = busy },
  { field = "partition_pass", unit = "clocks", optional = true, how = "a further pass of one warp, where the banks take less",
    value = function(e)
      local banks, own = busy(e), e:v "shared.conflict"
      return banks and own and own > banks and (e:got "sm.partitions" or 1) > 1 and own or nil
    end },
  { field = "atomic", unit = "clocks", optional = true, how = "an atomic of 8 warps in one bank, over its 256 lanes",
    value = function(e) return e:v "shared.banks" and rated("rate.shared_bank", SHARED_WARPS * 32)(e) end },
  { field = "splits", unit = "list", optional = true, assumed = geometry.splits, why = "published of the compute capability" },
}

-- Whether a level and all above it show, by a finding of each.
local function levels_to(k, space, what, why)
  return function(e)
    for level = 1, k do
      if not e:peek(string.format("%s.l%d.%s", space, level, what)) then return false, why end
    end
    return true
  end
end

-- ---------------------------------------------------------------- constants, textures

local function level(name, prefix, more, o)
  return geometry.with(geometry.rows { section = name, prefix = prefix, line = "line", size = "capacity",
                                       bytes = o.bytes or function(e) return e:v(prefix .. "capacity") end,
                                       assumed_size = o.size, ways = o.ways, line_assumed = o.line, why = o.why }, more)
end

local CONSTANT_WARPS = 16 -- of twin_constant_lines

-- Clocks of an SM for one of the lines that its warps ask for.
local function line_clocks(e, name)
  local seconds, hz = e:v(name), e:fact "clock_hz"
  return seconds and hz and seconds * hz / CONSTANT_WARPS
end

-- All SMs that a copy of the level serves ask at once: what they get together.
local function line_bandwidth(e)
  local clocks, scope = line_clocks(e, "rate.constant_line_of_all"), e:got "constant_l2.scope"
  if not clocks or scope == "sm" then return nil end
  local sms = scope == "gpu" and e:got "sm.count" or
              scope == "tpc" and (e:got "sm.per_tpc" or 1) or (e:got "sm.per_gpc" or 1) * (e:got "sm.per_tpc" or 1)
  return e:got "constant_l1.line" * math.min(sms, e:got "sm.count") / clocks
end

local function line_bandwidth_per_sm(e)
  local clocks = line_clocks(e, "rate.constant_line")
  return clocks and e:got "constant_l1.line" / clocks
end

-- The largest cycle of lines whose uniform loads take what those of one line do.
local UNIFORM = { 64, 128, 256, 512, 1024 }
local function uniform_bytes(e)
  local least, most = e:v "rate.uniform_64", nil
  for _, bytes in ipairs(UNIFORM) do
    local rate = e:v("rate.uniform_" .. bytes)
    if not rate or rate > 1.2 * least then break end
    most = bytes
  end
  return most ~= UNIFORM[#UNIFORM] and most or nil
end

local function constant_level(k, size)
  local name, prefix = "constant_l" .. k, "const.l" .. k .. "."
  return { name = name, when = levels_to(k, "const", "latency", "no such level of constants shows"),
    rows = level(name, prefix, {
      { field = "scope", unit = "word", value = function(e) return geometry.scope(e, prefix .. "scope") end,
        assumed = k == 1 and "sm" or "gpu", why = "nothing says who shares it" },
      { field = "latency", unit = "clocks", finding = prefix .. "latency" },
      { field = "bandwidth", unit = "", optional = true, how = "lines of all SMs that share it",
        finding = prefix .. "bandwidth", value = k == 2 and line_bandwidth or nil },
      { field = "bandwidth_per_sm", unit = "", optional = true, how = "lines of one SM",
        finding = prefix .. "bandwidth_per_sm", value = k == 2 and line_bandwidth_per_sm or nil },
    }, { size = size, ways = 4, line = 64, why = "it holds all that was read, or its geometry did not show" }) }
end

local function highest(e, names)
  local most
  for _, name in ipairs(names) do
    local value = e:v(name)
    if value and (not most or value > most) then most = value end
  end
  return most
end

-- The levels that a device file has: what memory serves is slower than each.
local CONSTANTS = { "const.l3.latency", "const.l2.latency", "const.l1.latency" }
local function constant_memory(e)
  local above = highest(e, CONSTANTS)
  local seen = e:v "const.miss.latency" or e:v "const.latency" or above and e:got "dram.latency"
  return seen and math.max(seen, (above or 0) + 1)
end

local function tex_level(k)
  local name, prefix = "texture_l" .. k, "tex.l" .. k .. "."
  return { name = name, when = function(e) return e:v(prefix .. "latency"), "no such level of textures shows" end,
    rows = level(name, prefix, {
      { field = "scope", unit = "word", assumed = k == 1 and "sm" or "gpu", why = "nothing says who shares it" },
      { field = "latency", unit = "clocks", finding = prefix .. "latency" },
    }, { size = 12 << 10, ways = 4, line = 32, why = "its geometry did not show" }) }
end

local function texture_memory(e)
  local above = highest(e, { "tex.l3.latency", "tex.l2.latency", "tex.l1.latency" })
  return above and math.max(e:v "tex.miss.latency" or 0, above + 1)
end

-- ---------------------------------------------------------------- code

local FETCH = 128 -- bytes

local function per_fetch(e) return e:got "instruction.fetch" / e:got "instruction.bytes" end

-- A loop that a level holds takes its interval for each instruction; what it takes more than the first level's is the
-- wait of a fetch.
local function code_wait(name)
  return function(e)
    local here, first = e:v(name), e:v "inst.l1.interval" or e:v "op.xor.b32.latency"
    if not here or not first then return nil end
    return math.max(0, (here - first) * per_fetch(e))
  end
end

-- Of the slowest level: what is beyond takes longer.
local function code_above(e) return e:peek "inst.l1.capacity" and e:peek "inst.l2.capacity" and e:got "instruction_l2.latency" or 0 end

local function beyond_code(e)
  local wait = code_wait "rate.straight" (e)
  return wait and math.max(code_above(e) + 1, wait)
end

-- Where `inst.l1` did not show: straight code that a chain of operations waits for.
local function code_bytes(prefix)
  return function(e)
    local reach = e:peek "inst.l1.capacity" == nil and prefix == "inst.l1." and e:v "rate.straight.reach"
    return e:v(prefix .. "capacity") or reach and reach * e:got "instruction.bytes"
  end
end
local function has_code(e) return e:peek "inst.l1.capacity" or e:peek "rate.straight.reach", "no cache of code shows" end

local function code_level(k)
  local name, prefix = "instruction_l" .. k, "inst.l" .. k .. "."
  local rows = level(name, prefix, {
    { field = "scope", unit = "word", value = function(e) return geometry.scope(e, prefix .. "scope") end,
      assumed = k == 1 and "sm" or "gpu", why = "nothing says who shares it" },
    { field = "latency", unit = "clocks", how = "what an instruction takes more than in the first level, by the fetch",
      value = k > 1 and code_wait(prefix .. "interval") or nil, assumed = 0, why = "the wait of the first level is in its issue" },
  }, { size = 32 << 10, ways = 4, line = 128, why = "its geometry did not show", bytes = code_bytes(prefix) })
  local there = k == 1 and has_code or levels_to(k, "inst", "capacity", "no such level of code shows")
  return { name = name, when = there, rows = rows }
end

-- ---------------------------------------------------------------- TLBs

local function tlb_miss(next_latency)
  return function(e)
    local hit, next_one = e:v "tlb.l1.latency", nil
    for _, name in ipairs(next_latency) do next_one = next_one or e:v(name) end
    return hit and next_one and math.max(0, next_one - hit)
  end
end

local function tlb(k, miss, scope)
  local name, prefix = "tlb_l" .. k, "tlb.l" .. k .. "."
  return { name = name, when = levels_to(k, "tlb", "entries", "no such level of translation shows"),
    rows = geometry.with(geometry.rows { section = name, prefix = prefix, line = "page", size = "entries",
                                         bytes = function(e) return e:v(prefix .. "entries") end,
                                         line_assumed = 2 << 20, why = "its page did not show" }, {
      { field = "scope", unit = "word", assumed = scope, why = "nothing says who shares it" },
      { field = "miss", unit = "clocks", value = tlb_miss(miss), how = "latencies of their hits",
        assumed = 0, why = "no latency of a miss was measured" },
    }) }
end

return {
  { name = "tlb_l1", rows = tlb(1, { "tlb.l2.latency", "tlb.miss.latency" }, "sm").rows, when = tlb(1, {}, "sm").when },
  tlb(2, { "tlb.l3.latency", "tlb.miss.latency" }, "gpu"),
  { name = "shared", rows = shared },
  { name = "constant", rows = {
    { field = "latency", unit = "clocks", value = constant_memory, assumed = 300, why = "constants were not measured" },
    { field = "l2_latency", unit = "clocks", finding = "const.l3.latency", optional = true },
    { field = "clocks_per_address", unit = "", optional = true, how = "a chain of 32 addresses less one of one, over 31",
      value = function(e)
        local lanes, same = e:v "rate.constant_lanes", e:v "rate.constant_same"
        return lanes and same and math.max(0, (lanes - same) / 31)
      end },
    { field = "uniform", unit = "B", optional = true, value = uniform_bytes,
      how = "the largest cycle of lines that takes what one line does" },
    { field = "pass", unit = "clocks", why = "as an H200's, by hand (docs/results/h200/near_rates.csv); no experiment of the twin tells it",
      assumed = function(e) return e:capability() == 90 and 2.15 or nil end },
  } },
  constant_level(1, 2 << 10),
  constant_level(2, 64 << 10),
  { name = "texture", when = function(e) return e:v "tex.l1.latency" and texture_memory(e), "textures have no caches of their own" end,
    rows = {
      { field = "latency", unit = "clocks", value = texture_memory },
      { field = "l2_latency", unit = "clocks", finding = "tex.l2.latency", optional = true },
    } },
  tex_level(1),
  { name = "instruction", when = has_code,
    rows = {
      { field = "bytes", unit = "B", fact = "instruction_bytes", assumed = 16, why = "of all GPUs since Volta" },
      { field = "fetch", unit = "B", finding = "inst.fetch", assumed = FETCH, why = "a line; what a warp fetches at once did not show" },
      { field = "latency", unit = "clocks", value = beyond_code, how = "what an instruction takes more beyond the caches, by the fetch",
        assumed = function(e) return code_above(e) + 1 end, why = "code beyond the caches was not measured" },
      { field = "prefetch", unit = "B", optional = true, why = "a chain runs through code that the first levels do not hold",
        assumed = function(e) return not e:peek "inst.l1.capacity" and 1024 or nil end },
      { field = "bandwidth", unit = "", optional = true, how = "an instruction over its clocks beyond the caches",
        value = function(e)
          local each = e:v "rate.straight"
          return each and e:got "instruction.bytes" / each
        end },
    } },
  code_level(1),
  code_level(2),
}
