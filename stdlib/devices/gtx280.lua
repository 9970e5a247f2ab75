-- NVIDIA GeForce GTX 280 (GT200), as wong2010 measures it.
-- A value carries its source; `assumed` says why a value was chosen where no paper gives one.

-- The interval between two warp instructions of a unit that does so many operations a clock.
local function at(operations_per_clock)
  return 32 / operations_per_clock .. " clocks"
end

local table3 = "wong2010 Table III"
local table4 = "wong2010 Table IV"

return {
  name = "gtx280",
  title = "NVIDIA GeForce GTX 280 (GT200)",
  clock = { "1.35 GHz", source = "wong2010 Table I: shader clock" },
  compute_capability = "1.3",
  memory = { "1 GB", source = "wong2010 Table I: 8 x 128 MB" },

  sm = {
    source = "wong2010 Table I",
    count = 30,
    per_tpc = 3,
    warp_slots = { 32, source = "NVIDIA CUDA Programming Guide 2.0: 1024 threads an SM" },
    block_slots = { 8, source = "NVIDIA CUDA Programming Guide 2.0" },
    max_threads_per_block = 512,
    schedulers = { 1, source = "wong2010 section II-A: a warp runs in groups of eight on eight SPs" },
    shared = "16 KB",
    -- With these two, 6 and 7 dependent warps leave the pipeline half a clock idle in nine, and 8
    -- fill it, because each then waits 8 clocks for its turn (Fig. 6).
    select_ahead = { "8 clocks", assumed = "wong2010 Fig. 6: 6 and 7 warps do not fill the pipeline, 8 do" },
    late_gap = { "0.5 clocks", assumed = "wong2010 Fig. 6: 5 warps still see the latency of one, 6 do not" },
  },

  registers = {
    source = "wong2010 section IV-E, Fig. 9",
    per_sm = 16384,
    per_thread_max = 128,
    per_thread_quantum = 4,
    thread_quantum = 64,
  },

  execution = { model = { "stack", source = "wong2010 section IV-C, Listings 3 and 4" } },

  op = {
    alu    = { latency = "24 clocks", interval = "4 clocks",  source = "wong2010 Table II: SP" },
    sfu    = { latency = "28 clocks", interval = "16 clocks", source = "wong2010 Table II: SFU" },
    fp64   = { latency = "48 clocks", interval = "32 clocks", source = "wong2010 Table II: DPU" },
    branch = { latency = "24 clocks", interval = "4 clocks",  assumed = "as any instruction of an SP" },
    warp   = { latency = "24 clocks", interval = "4 clocks",  assumed = "as any instruction of an SP" },

    -- Multiplication of 32 bits is a sequence of native instructions of 24 bits.
    ["mul.lo.u32"] = { latency = "96 clocks",  interval = at(1.7), source = table3 },
    ["mul.lo.s32"] = { latency = "96 clocks",  interval = at(1.7), source = table3 },
    ["mad.lo.u32"] = { latency = "120 clocks", interval = at(1.4), source = table3 },
    ["mad.lo.s32"] = { latency = "120 clocks", interval = at(1.4), source = table3 },
    ["mul.hi.u32"] = { latency = "144 clocks", interval = at(1.0),  source = table4 .. ": __umulhi" },
    ["mul.hi.s32"] = { latency = "180 clocks", interval = at(0.77), source = table4 .. ": __mulhi" },

    -- Subroutines.
    ["div.u32"] = { latency = "608 clocks", interval = at(0.28), source = table3 },
    ["div.s32"] = { latency = "684 clocks", interval = at(0.23), source = table3 },
    ["rem.u32"] = { latency = "728 clocks", interval = at(0.24), source = table3 },
    ["rem.s32"] = { latency = "784 clocks", interval = at(0.20), source = table3 },
    ["div.rn.f64"] = { latency = "1366 clocks", interval = at(0.063), source = table3 },

    -- Short sequences.
    ["div.full.f32"]   = { latency = "137 clocks", interval = at(1.5), source = table3 },
    ["div.rn.f32"]     = { latency = "137 clocks", interval = at(1.5),
                           assumed = "the GT200 divides floats by div.full alone" },
    ["div.approx.f32"] = { latency = "52 clocks",  interval = at(1.9), source = table4 .. ": __fdividef" },

    -- SPs and SFUs multiply side by side.
    ["mul.f32"]    = { latency = "24 clocks", interval = at(11.2), source = table3 },
    ["mul.rn.f32"] = { latency = "26 clocks", interval = at(10.4), source = table4 .. ": __fmul_rn" },
    ["mul.rz.f32"] = { latency = "26 clocks", interval = at(10.4), source = table4 .. ": __fmul_rz" },

    ["sin.approx.f32"]   = { latency = "48 clocks", interval = at(2.0), source = table4 .. ": __sinf" },
    ["cos.approx.f32"]   = { latency = "48 clocks", interval = at(2.0), source = table4 .. ": __cosf" },
    ["ex2.approx.f32"]   = { latency = "48 clocks", interval = at(2.0), source = table4 .. ": __exp2f" },
    ["lg2.approx.f32"]   = { latency = "28 clocks", interval = at(2.0), source = table4 .. ": __log2f" },
    ["rsqrt.approx.f32"] = { latency = "28 clocks", interval = at(2.0), source = table4 .. ": rsqrt" },
    ["sqrt.approx.f32"]  = { latency = "56 clocks", interval = at(2.0), source = table4 .. ": sqrt" },
    ["sqrt.rn.f32"]      = { latency = "56 clocks", interval = at(2.0),
                             assumed = "the GT200's sqrt() is a reciprocal root and a reciprocal" },
  },

  barrier = { latency = { "20 clocks", source = "wong2010 section IV-D" } },

  clock_register = {
    source = "wong2010 section IV-A",
    cost = "28 clocks",
    granularity = "2 clocks",
    domain = "tpc",
  },

  coalescer = { line = { "128 B", assumed = "the largest segment of a half-warp's access" } },

  lsu = {
    assumed = "no paper measures it",
    pipelines = 1,
    clocks_per_load = 4,
    clocks_per_lane = 0,
    writeback_per_lane = 0,
  },

  l2 = {
    assumed = "the GT200 caches no global memory: a cache of 32 lines that hardly answers sooner",
    capacity = "4 KB",
    line = "128 B",
    ways = 32,
    latency = "439 clocks",
  },

  dram = {
    latency = { "440 clocks", source = "wong2010 section IV-G: 436 to 443" },
    departure = { "1.2 clocks", assumed = "141.7 GB/s over lines of 128 B" },
  },

  shared = { latency = { "38 clocks", source = "wong2010 section IV-F" } },
  constant = { latency = { "8 clocks", source = "wong2010 section IV-J: an L1 hit" } },
}
