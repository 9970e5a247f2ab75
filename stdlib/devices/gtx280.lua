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

  -- The memory path. Latencies are those of TPC 0, which are the means over the TPCs.

  coalescer = {
    source = "NVIDIA CUDA Programming Guide 2.1 section 5.1.2.1",
    line = "128 B",
    rule = "cc1.3",
  },

  lsu = {
    assumed = "no paper measures it",
    pipelines = 1,
    clocks_per_load = 4,
    clocks_per_lane = 0,
    writeback_per_lane = 0,
  },

  -- No l1 and no l2: global memory is not cached (wong2010 section IV-G).
  dram = {
    latency = { "440 clocks", source = "wong2010 section IV-I1, Fig. 13: no TLB miss" },
    departure = { "0 clocks", assumed = "memory_queue has the bandwidth" },
  },
  memory_queue = {
    source = "hong2009 Table 6",
    coalesced = "4 clocks",
    uncoalesced = "40 clocks",
    -- The data sheet's, of which a real one delivers less: no record says how much.
    bandwidth = { 141.7 / 1.35, source = "hong2009 Table 3: 141.7 GB/s; wong2010 Table I: 1.35 GHz" },
  },

  interconnect = {
    offsets = {
      0, -4, 3, -2, 2, -3, 1, 3, -1, 1,
      assumed = "wong2010 section IV-G: 436 to 443 clocks; no paper says which TPC is how far",
    },
  },

  tlb_l1 = {
    source = "wong2010 section IV-I1, Figs. 13 and 14",
    page = "512 KB",
    entries = 16,
    ways = 16,
    scope = { "gpu", assumed = "no paper says where the TLBs are" },
    miss = { "47 clocks", source = "wong2010 section IV-I1: 487 clocks, not 440" },
  },
  tlb_l2 = {
    source = "wong2010 section IV-I1, Figs. 13 and 15",
    page = "4 KB",
    entries = 8192,
    ways = 8,
    scope = { "gpu", assumed = "no paper says where the TLBs are" },
    miss = { "258 clocks", source = "wong2010 section IV-I1: 698 clocks, not 440" },
  },

  -- As section IV-J gives them: without the 24 clocks of the load, an instruction of an SP, and without
  -- those of the address before it.
  constant = {
    latency = { "476 clocks", source = "wong2010 section IV-J" },
    clocks_per_address = { 1, assumed = "one word is broadcast a clock" },
  },
  constant_l1 = {
    source = "wong2010 section IV-J1, Fig. 18",
    capacity = "2 KB",
    line = "64 B",
    ways = 4,
    scope = "sm",
    latency = { "8 clocks", source = "wong2010 section IV-J" },
  },
  constant_l2 = {
    source = "wong2010 section IV-J2, Fig. 17",
    capacity = "8 KB",
    line = "256 B",
    ways = 4,
    scope = "tpc",
    latency = { "81 clocks", source = "wong2010 section IV-J" },
  },
  constant_l3 = {
    source = "wong2010 section IV-J3, Figs. 17 and 19",
    capacity = "32 KB",
    line = "256 B",
    ways = 8,
    scope = "gpu",
    latency = { "220 clocks", source = "wong2010 section IV-J" },
    bandwidth = 9.75,
    bandwidth_per_sm = 1.2,
  },

  instruction = {
    bytes = { "8 B", source = "wong2010 section IV-K: abs has 8 bytes" },
    fetch = { "64 B", source = "wong2010 section IV-K4, Fig. 24" },
    prefetch = { "256 B", assumed = "one line ahead hides the second level from one warp, as in Fig. 22" },
    latency = { "476 clocks", assumed = "as a constant, section IV-J" },
  },
  instruction_l1 = {
    source = "wong2010 section IV-K1, Fig. 23",
    capacity = "4 KB",
    line = "256 B",
    ways = 4,
    scope = "sm",
    latency = { "0 clocks", assumed = "a fetch that hits is hidden" },
  },
  instruction_l2 = {
    same_as = { "constant_l2", source = "wong2010 section IV-J5, Fig. 21" },
    latency = { "81 clocks", assumed = "as a constant, section IV-J" },
  },
  instruction_l3 = {
    same_as = { "constant_l3", source = "wong2010 section IV-J5, Fig. 21" },
    latency = { "220 clocks", assumed = "as a constant, section IV-J" },
  },

  texture = { latency = { "497 clocks", source = "wong2010 section IV-I2: a TLB hit; section IV-H says 499" } },
  texture_l1 = {
    source = "wong2010 section IV-H1, Fig. 11",
    capacity = "5 KB",
    line = "32 B",
    ways = 20,
    scope = { "tpc", source = "mei2014 Table 1: texture units are of a TPC" },
    latency = "261 clocks",
  },
  texture_l2 = {
    source = "wong2010 section IV-H2, Figs. 10 and 12",
    capacity = "256 KB",
    line = "256 B",
    ways = 8,
    scope = "gpu",
    latency = { "371 clocks", source = "wong2010 Table V" },
  },
  texture_tlb_l1 = {
    source = "wong2010 section IV-I2, Fig. 16",
    page = "512 KB",
    entries = 16,
    ways = 16,
    scope = { "gpu", assumed = "no paper says where the TLBs are" },
    miss = { "47 clocks", source = "wong2010 section IV-I2: 544 clocks, not 497" },
  },
  texture_tlb_l2 = {
    source = "wong2010 section IV-I2, Fig. 16",
    page = "4 KB",
    entries = 4096,
    ways = 8,
    scope = { "gpu", assumed = "no paper says where the TLBs are" },
    miss = { "256 clocks", source = "wong2010 section IV-I2: 753 clocks, not 497" },
  },

  shared = {
    latency = { "38 clocks", source = "wong2010 section IV-F" },
    banks = { 16, source = "mei2014 Table 1" },
    width = { "4 B", source = "mei2014 Table 1" },
    lanes = { 16, source = "NVIDIA CUDA Programming Guide 2.0: a half-warp at once" },
    pass = { "2 clocks", assumed = "16 lanes on 8 SPs take 2 clocks" },
  },
}
