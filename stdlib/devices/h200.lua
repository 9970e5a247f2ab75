-- NVIDIA H200 (Hopper GH100), as this repository's own records describe it: the SM of an H100, with
-- another memory. What stands here is of the memory; the rest is h100.lua's.
local memory = "docs/results/characterize/h200_memory.json"
local bandwidth = "docs/results/h200/twin_bandwidth.csv"
local map = "docs/results/h200/l2_map.csv"

-- Bits of an address, each with one 17 bits above, all but bit 21, as in h100.lua.
local l2_sets = { assumed = memory .. ", l2.sets: not linear, no modulo of the line's number" }
for bit = 7, 24 do
  if bit ~= 21 then l2_sets[#l2_sets + 1] = { bit, bit + 17 } end
end

-- Loads of all SMs take 240 to 333 clocks, nine of ten 254 to 310: what the TPCs' distances leave of that
-- is spread over slices as the sum of two equal parts. Neighbours are far apart.
local of_slice = { source = map .. ", load: 307 to 400 clocks, 5 % below 321, 95 % below 377" }
for i = 0, 95 do
  local part = (i * 37 % 96 + 0.5) / 96
  local from_mean = part < 0.5 and 40 * (2 * part) ^ 0.5 - 40 or 44 - 44 * (2 - 2 * part) ^ 0.5
  of_slice[i + 1] = (from_mean + 0.5) // 1
end

return {
  base = "h100",
  name = "h200",
  title = "NVIDIA H200 (Hopper GH100)",
  memory = { "150109880320 B", source = memory .. ", device" },

  launch = {
    overhead = { "2.74 us", source = "docs/results/h200/twin_rates.csv, twin_ramp: 3.58 us of one block of 16 barriers" },
  },

  -- Near half: 281.7 clocks. Lists of 30 to 57 MB: half of the lines from the other half, half from memory, 513.9.
  -- Beyond L2: 660.7. So the other half takes 180 more, and memory 566 behind the own half.
  l2 = {
    capacity = { "60 MB", source = memory .. ", device.l2_bytes" },
    set_bits = l2_sets,
    set_choice = { "modulo", assumed = "15,360 sets of a half are no power of two; 15,420 were found" },
    latency = { "281.7 clocks", source = memory .. ", l2.latency" },
  },
  l2_partitions = {
    sides = {
      1, 0, 0, 0, 1, 1, 1, 0, 1, 0, 0, 0, 1, 1, 1, 0, 1, 0, 0, 0, 1, 1, 1, 0, 1, 0, 0, 0, 1, 1, 1,
      0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 1, 0,
      1, 1, 1, 1,
      source = map .. ", groups less than 100 clocks apart; "
               .. "atomics on the beginning of a buffer are far from SM 0 on three boards of four",
    },
    extra = { 0, 180, 180, 0, assumed = "follows from three levels of " .. memory .. ": see l2" },
  },
  l2_slices = {
    count = { 96, assumed = "80 of the H100's 50 MB make 96 of 60" },
    distances = of_slice,
    bandwidth = { 46.4, source = bandwidth .. ", bandwidth.l2: 8.82 TB/s" },
  },
  dram = {
    latency = { "566 clocks", assumed = "follows from three levels of " .. memory .. ": see l2" },
    departure = { "0.0281 clocks", source = bandwidth .. ", bandwidth.dram_read: 4514 GB/s, 64 B at a time" },
    write_departure = { "0.0291 clocks", source = bandwidth .. ", bandwidth.dram_write: 4358 GB/s" },
    turn = { "0.0083 clocks", source = bandwidth .. ", bandwidth.dram_copy: 4078 GB/s, by lines" },
    dirty = { "150 clocks", source = "docs/results/h200/twin_rates.csv, twin_one_sm, one_dram: 1416 clocks" },
    lone = { "0.0452 clocks", source = "docs/results/h200/chip_rates.csv, load, 4B random of 256 MB: 22.1 sectors a clock" },
    scatter = { "600 clocks", source = memory .. ", global.latency: nine of ten between 454 and 993 clocks" },
  },
  constant = {
    latency = { "566 clocks", assumed = "as a global load: no record" },
    l2_latency = { "282 clocks", assumed = "as a global load: no record" },
  },
}
