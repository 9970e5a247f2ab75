-- L1, L2, its halves and slices, and the memory behind them.
local geometry = use "geometry"

local SIDE_BIT = 21     -- the highest of the bits that tell the half, as assumed below
local HITS = 48 << 10    -- bytes of an L1 that holds a line of each of 256 threads
local L2_SLICE = 64 -- bytes a clock, as published of GA100 and GH100

local function has_l1(e) return e:peek "l1.latency" or e:peek "l1.capacity", "loads of global memory show no cache before L2" end
local function has_l2(e)
  return e:peek "l2.latency" or e:peek "l2.capacity" or e:peek "global.cg.level2.latency", "no cache before memory was seen"
end

-- L1 as loads see it: a level of `global`, or what reach gives.
local function l1_bytes(e) return e:v "l1.capacity" or e:v "global.ca.level1.reach" end
local function l2_near_bytes(e) return e:v "l2.capacity" or e:v "global.cg.level1.reach" or e:v "l2.copy_capacity" end

-- An SM's own half of L2 holds what it reads: the driver's size is twice what one SM sees.
local function is_split(e)
  local near = e:peek "l2.capacity" or e:peek "global.cg.level1.reach"
  local all = e.facts.l2_bytes or 0
  return near and all > 1.5 * near
end
local function l2_bytes(e)
  if is_split(e) then return e:fact "l2_bytes" end
  return l2_near_bytes(e) or e:fact "l2_bytes"
end

-- An L2 whose sets no bits select: those of a line's number, each with one 17 above, modulo the sets; without the
-- highest of them that tells the half. Neighbouring lines fill halves and sets evenly so: sets differ by one line
-- of 256, and shares of lines tell their number, as they do on the GPU.
local function l2_set_bits(e)
  if e:peek "l2.set_bits" or not e:peek "l2.sets" and not is_split(e) then return nil end
  local note = e.by["l2.sets"] and e.by["l2.sets"].note or ""
  if not is_split(e) and not note:find("not linear", 1, true) then return nil end
  local list, bit = {}, 7
  local sets = e:got "l2.capacity" / (e:got "l2.line" * e:got "l2.ways")
  while 2 ^ #list < 256 * sets and bit + 17 <= 47 do   -- 47: the highest bit of an address
    if bit ~= SIDE_BIT then list[#list + 1] = { bit, bit + 17 } end
    bit = bit + 1
  end
  return list
end

local function l2_hit(e) return e:v "global.cg.level1.latency" or e:v "l2.latency" or e:v "tlb.l1.latency" end
local function behind_all(e)
  return e:v "global.cg.level3.latency" or e:v "miss.latency" or e:v "global.latency"
end

-- Three plateaus of a split L2: near a, beyond the near half (a + far + d) / 2, beyond both d + far / 2.
local function far_extra(e)
  local a, middle, b = l2_hit(e), e:v "global.cg.level2.latency", behind_all(e)
  if not a or not middle or not b then return nil end
  local far = 2 * (2 * middle - a - b)
  return far > 0 and far or nil
end
-- Whether the first SM is far from the beginning of a buffer: what an atomic of two warps there takes, more than L2 and
-- its 64 lanes on one address.
local function first_is_far(e)
  local short, long = e:v "train_atomics_same[measure=chain, n=2, threads=64]", e:v "train_atomics_same[measure=chain, n=6, threads=64]"
  local each = short and long and (long - short) / 4
  local near = each and l2_hit(e) and l2_hit(e) + 64 * (e:got "atomics.address" or 0)
  return near and each > near + (far_extra(e) or 0) / 2
end
-- Then the first half of the TPCs has the other side than where a file does not say.
local function sides(e)
  if not first_is_far(e) then return nil end
  local tpcs, list = e:got "sm.count" // (e:got "sm.per_tpc" or 1), {}
  for i = 1, tpcs do list[i] = i <= tpcs // 2 and 1 or 0 end
  return list
end
local function dram_latency(e)
  local b = behind_all(e)
  if not b then return nil end
  if is_split(e) then b = b - (far_extra(e) or 0) / 2 end
  return math.max(b, (e:got "l2.latency" or e:got "l1.latency" or 0) + 1)
end

-- What a load through L1 takes more than one past it; below two clocks it is no more than the scatter of both.
local function l1_miss(e)
  local through, past = e:v "global.ca.level2.latency", e:v "global.cg.level1.latency"
  local more = through and past and through - past
  return more and more >= 2 and more or nil
end

local function texture_extra(e)
  if not e:absent "tex.l1.capacity" and not e:absent "tex.l1.line" then return nil end
  local texel, shift = e:v "rate.texel", e:v "op.shr.u32.latency"
  return texel and math.max(0, texel - (shift or 0) - (e:got "l1.latency" or 0))
end

local function per_clock(e, name)
  local rate, hz = e:v(name), e:fact "clock_hz"
  return rate and hz and rate / hz
end

local l1 = geometry.with(geometry.rows { section = "l1", prefix = "l1.", line = "line", size = "capacity", bytes = l1_bytes,
                             assumed_size = 32 << 10, ways = 4, line_assumed = 128, why = "as most GPUs; not measured" }, {
  { field = "sector", unit = "B", finding = "l1.sector", optional = true },
  { field = "latency", unit = "clocks", finding = { "l1.latency", "global.ca.level1.latency" }, assumed = 30,
    why = "no latency of L1 was measured" },
  { field = "miss", unit = "clocks", value = l1_miss, optional = true, how = "their difference" },
  { field = "lookup", unit = "clocks", optional = true, how = "a load of eight warps in 32 lines each, over 256",
    value = function(e)
      local eight = (e:got "l1.capacity" or 0) >= HITS and e:v "rate.hit_apart"
      return eight and eight / 256
    end },
  { field = "bandwidth", unit = "", optional = true, how = "B/clock of words side by side",
    value = function(e) local eight = e:v "rate.hit_words"; return eight and 8 * 128 / eight end },
  { field = "texture_extra", unit = "clocks", value = texture_extra, optional = true,
    how = "a texel, less the shift of its address and L1" },
  { field = "stores", unit = "word", optional = true, why = "as an H200's, by hand (docs/results/h200/store_load.csv)",
    assumed = function(e) return e:capability() == 90 and "kept" or nil end },
  { field = "unified", unit = "B", optional = true, why = "published of the compute capability: L1 and shared memory of an SM",
    assumed = function(e) return geometry.splits(e) and geometry.UNIFIED or nil end },
  { field = "unused", unit = "B", optional = true, why = "as an H200's, by hand (docs/results/h200/l1_splits.csv)",
    assumed = function(e) return geometry.splits(e) and 4096 or nil end },
  { field = "local_sooner", unit = "clocks", optional = true,
    why = "as an H200's, by hand (docs/results/h200/sealed.csv and unseen.csv, chases through local memory)",
    assumed = function(e) return e:capability() == 90 and e:got "machine_code" and 4 or nil end },
  { field = "local", unit = "word", optional = true, why = "as an H200's, by its counters; no experiment of the twin has local memory",
    assumed = function(e) return e:capability() >= 70 and "through" or nil end },
})

-- A word of each sector takes memory more than the sectors would that are written.
local FILLED, PARTS_BLOCK = 1.4, 256 * 32 -- bytes of the sectors of a block of twin_parts
local function part_stores(e)
  local each, rate = e:v "rate.row_parts", e:peek "bandwidth.dram_write"
  if not each or not rate or not e:got "l2.sector" then return nil end
  return e:v "bandwidth.dram_write" * each > FILLED * PARTS_BLOCK and "filled" or nil
end

local l2 = geometry.with(geometry.rows { section = "l2", prefix = "l2.", line = "line", size = "capacity", bytes = l2_bytes, memory = true,
                             assumed_size = 1 << 20, ways = 16, line_assumed = 128, why = "as most GPUs; not measured",
                             set_bits = l2_set_bits }, {
  { field = "sector", unit = "B", finding = "l2.sector", optional = true },
  { field = "set_choice", unit = "word", optional = true, why = "the bits of the sets are taken modulo their number",
    assumed = function(e) return l2_set_bits(e) and "modulo" or nil end },
  { field = "latency", unit = "clocks", memory = true, assumed = 200, why = "no latency of L2 was measured",
    value = function(e)
      local hit = l2_hit(e)
      return hit and math.max(hit, (has_l1(e) and e:got "l1.latency" or 0) + 1)
    end },
  { field = "dirty", unit = "", optional = true }, -- a fit finds it
  { field = "part_stores", unit = "word", optional = true, value = part_stores,
    how = "a word of each sector takes more than the sectors that are written" },
})


-- What an L2 that is too small for what is read hands over is the memory's rate.
local FASTER = 1.2
local function l2_rate(e)
  local rate = per_clock(e, "bandwidth.l2_read") or per_clock(e, "bandwidth.l2")
  local memory = e:peek "bandwidth.dram_read"
  if not rate or memory and rate * e.facts.clock_hz < FASTER * memory then return nil end
  return rate
end

-- Slices of the GPUs that NVIDIA has published them of: 80 for the 40 MB of a GA100, 96 for the 60 MB of a GH100.
local GH100_SLICE = 640 << 10
local function slices(e)
  if e:capability() == 90 and e.facts.l2_bytes then return math.max(1, e.facts.l2_bytes // GH100_SLICE) end
  local rate = l2_rate(e)
  return rate and math.max(1, math.tointeger((rate / L2_SLICE + 0.5) // 1))
end

local RANDOM = 132 * 512 -- threads of twin_random

-- Clocks of all of L2, or of memory, for a word of each thread.
local function of_word(e, name)
  local rate, hz = e:v(name), e:fact "clock_hz"
  return rate and hz and rate * hz / RANDOM
end
local function of_slice(name)
  return function(e)
    local each = of_word(e, name)
    return each and each * e:got "l2_slices.count"
  end
end
local function slice_store(e)
  local rate = per_clock(e, "bandwidth.l2_write")
  return rate and e:got "l2_slices.count" * e:got "coalescer.line" / rate
end
-- A fill takes b, and one that opens its row a more: b + a where each word is in a row of its own, departure = b + a *
-- sector / row where all of the row is read. Of the rows that could be, the one by which words of each 256 B take what
-- they do: b + a * 256 / row. Rows of less cannot be told from those of 256 B.
local ROW_WORDS, NEAR, FAR = 4 * 256, 256, 1024 -- words of a step of twin_rows, bytes to a word
local function of_row(e, name)
  local rate, hz = e:v(name), e:fact "clock_hz"
  return rate and hz and rate * hz / ROW_WORDS
end
local function opening(apart, whole, sector, bytes) return (apart - whole) / (1 - sector / bytes) end
local function row(e)
  local near, apart, whole = of_row(e, "rate.row_near"), of_row(e, "rate.row_apart"), e:got "dram.departure"
  local sector, bytes, best, least = e:got "l2.sector", math.max(NEAR, e:got "l2.line"), nil, math.huge
  if not near or not apart or not sector or apart <= 1.1 * whole then return nil end
  while bytes <= FAR do
    local a = opening(apart, whole, sector, bytes)
    local off = math.abs(apart - a + a * NEAR / bytes - near)
    if off < least then best, least = bytes, off end
    bytes = 2 * bytes
  end
  return best
end
local function activate(e)
  local apart, bytes = of_row(e, "rate.row_apart"), e:got "dram.row"
  return apart and bytes and opening(apart, e:got "dram.departure", e:got "l2.sector", bytes)
end

-- What a word of each line takes that is stored: its sector is read, then written.
local LINE, LINES_BLOCK = 128, 256 -- bytes to a word, words of a block of twin_parts
local function least(e)
  local each, hz, sector, bytes = e:v "rate.row_lines", e:fact "clock_hz", e:got "l2.sector", e:got "dram.row"
  if not each or not hz or not sector or e:got "l2.part_stores" ~= "filled" then return nil end
  local opened = bytes and e:got "dram.activate" / bytes or 0 -- by byte
  local fills = (each * hz / LINES_BLOCK / 2 - opened * LINE) / (e:got "dram.departure" - opened * sector)
  return fills > 1 and fills or nil
end

local APART = 8 -- clocks between the nearest and the farthest line that are no scatter of one distance

local function coprime(a, b)
  while b ~= 0 do a, b = b, a % b end
  return a == 1
end

-- The interval of L2's latency holds the lines of all slices, near and far: their distances from the mean are taken as
-- the sum of two equal parts, neighbours far apart.
local function slice_distances(e)
  local hit = e:find "l2.latency"
  if not hit or not hit.low or not hit.high or hit.high - hit.low < APART then return nil end
  local half, count, list = (hit.high - hit.low) / 2, e:got "l2_slices.count", {}
  local step = math.max(1, (0.41 * count) // 1)
  while not coprime(step, count) do step = step + 1 end
  for i = 0, count - 1 do
    local part = (i * step % count + 0.5) / count
    local from = part < 0.5 and half * (2 * part) ^ 0.5 - half or half - half * (2 - 2 * part) ^ 0.5
    list[i + 1] = (from + 0.5) // 1
  end
  return list
end

local function fill_bytes(e) return e:got "l2.sector" or e:got "l2.line" or e:got "coalescer.line" end
local function departure(name, other)
  return function(e)
    local rate = per_clock(e, name) or other and per_clock(e, other)
    local bytes = e.rows["l2.line"] and has_l2(e) and fill_bytes(e) or e:got "coalescer.line"
    return rate and bytes / rate
  end
end
-- A copy reads and writes in turn: n of each take n (read + write + 2 turn).
local function turn(e)
  local copy, read, write = per_clock(e, "bandwidth.dram_copy"), e:got "dram.departure", e:got "dram.write_departure"
  if not copy or not read or not write then return nil end
  local more = fill_bytes(e) / copy - (read + write) / 2
  return more > 0.02 * read and more or nil
end

return {
  { name = "l1", rows = l1, when = has_l1 },
  { name = "l2", rows = l2, when = has_l2 },
  { name = "l2_partitions", memory = true, when = function(e) return has_l2(e) and is_split(e) and far_extra(e), "L2 looks like one cache" end,
    rows = {
      { field = "side_bits", unit = "bits", why = "a half has no finding; parity of bits above those of its sets",
        assumed = function() return { { 12, 13, 16, 17, 19, 21 } } end },
      { field = "extra", unit = "list", memory = true, how = "from the plateaus: near, half far, beyond",
        value = function(e) local far = far_extra(e); return far and { 0, far, far, 0 } end },
      { field = "sides", unit = "list", each = "sm.count", optional = true, value = sides,
        how = "an atomic of the first SM on the beginning of a buffer takes the way to the other half" },
      { field = "far_hit", unit = "word", why = "one SM sees half of what the driver reports; what stores do, as on an H200",
        assumed = function(e) return e:capability() == 90 and "kept" or "copy" end },
    } },
  { name = "l2_slices", when = function(e) return has_l2(e) and l2_rate(e), "no bandwidth of L2 above that of memory was measured" end,
    rows = {
      { field = "count", unit = "count", assumed = slices,
        why = "640 KB each, as published of GH100; before it 64 B a clock each, as of GA100" },
      { field = "bandwidth", unit = "", memory = true, how = "B/clock of all over the slices",
        value = function(e) local rate = l2_rate(e); return rate and rate / e:got "l2_slices.count" end },
      { field = "request", unit = "clocks", slices = true, optional = true, value = of_slice "rate.random_loads",
        how = "loads of words at random by all SMs" },
      { field = "store_request", unit = "clocks", slices = true, optional = true, value = of_slice "rate.random_stores",
        how = "stores of words at random by all SMs" },
      { field = "store", unit = "clocks", memory = true, slices = true, optional = true, value = slice_store, how = "a sector of what all SMs write" },
      { field = "partial", unit = "clocks", slices = true, optional = true, value = of_slice "rate.part_stores",
        how = "stores of a word of each sector by all SMs" },
      { field = "shared", unit = "", optional = true, why = "as of an H200, by hand (docs/results/h200/l2_mix.csv)",
        assumed = function(e) return e:capability() == 90 and 0.2 or nil end },
      { field = "distances", unit = "list", each = "l2_slices.count", optional = true, value = slice_distances,
        how = "spread over the slices, neighbours far apart" },
    } },
  { name = "dram", rows = {
    { field = "latency", unit = "clocks", memory = true, value = dram_latency, how = "of a load that misses all levels",
      assumed = 600, why = "no miss latency was measured" },
    { field = "departure", unit = "clocks", memory = true, channels = true, value = departure("bandwidth.dram_read", "memory.bandwidth"),
      how = "a fill over the bytes read in a clock", assumed = 0.1, why = "no bandwidth of memory was measured" },
    { field = "write_departure", unit = "clocks", memory = true, channels = true, value = departure "bandwidth.dram_write", optional = true,
      how = "a fill over the bytes written in a clock" },
    { field = "row", unit = "B", value = row, optional = true, how = "a word of each 256 B, of each 1 KB, and whole lines" },
    { field = "activate", unit = "clocks", memory = true, channels = true, value = activate, optional = true, how = "a word of each 1 KB, less one of a whole row" },
    { field = "least", unit = "", value = least, optional = true, how = "a word of each line that is stored, less its share of a row",
      why = "as of an H200, by hand (docs/results/h200/l2_mix.csv)",
      assumed = function(e) return e:capability() == 90 and e:got "l2.part_stores" == "filled" and not e:find "rate.row_lines" and 1.3 or nil end },
    { field = "banks", unit = "count", memory = true, slices = true, optional = true }, -- a fit finds them
    { field = "turn", unit = "clocks", memory = true, channels = true, value = turn, optional = true, how = "what a copy takes more than its halves" },
  } },
}
