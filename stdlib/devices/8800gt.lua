-- NVIDIA GeForce 8800 GT (G8x, compute capability 1.1), as hong2009 describes it.
-- A value carries its source; `assumed` says why a value was chosen where the paper gives none.

local guide = "NVIDIA CUDA Programming Guide 2.1, appendix A"

return {
  name = "8800gt",
  title = "NVIDIA GeForce 8800 GT (G8x)",
  clock = { "1.5 GHz", source = "hong2009 Table 3: processor clock" },
  compute_capability = { "1.1", source = "hong2009 Table 3" },
  memory = { "512 MB", source = "hong2009 Table 3" },

  sm = {
    source = guide,
    count = { 14, source = "hong2009 Table 3" },
    per_tpc = { 2, assumed = "two SMs of a G8x share a TPC" },
    warp_slots = 24,
    block_slots = { 8, source = "hong2009 footnote 9" },
    max_threads_per_block = { 512, source = "hong2009 section 5.2" },
    schedulers = { 1, source = "hong2009 section 2.2: one instruction unit" },
    issue_interval = { "4 clocks", source = "hong2009 section 2.3: 32 threads on 8 units" },
    shared = { "16 KB", source = "hong2009 section 2.2" },
  },

  registers = {
    source = guide,
    per_sm = 8192,
    per_thread_max = { 128, assumed = "as wong2010 finds on a GT200" },
    per_thread_quantum = { 1, assumed = "the guide's occupancy rounds a block, not a thread" },
    thread_quantum = { 64, assumed = "as wong2010 finds on a GT200" },
  },

  execution = { model = { "stack", assumed = "as wong2010 finds on a GT200" } },

  op = {
    alu    = { latency = "24 clocks", interval = "4 clocks", assumed = "an SP as wong2010 Table II has it" },
    sfu    = { latency = "28 clocks", interval = "16 clocks", assumed = "an SFU as wong2010 Table II has it" },
    fp64   = { latency = "48 clocks", interval = "32 clocks", assumed = "none; as a GT200's" },
    branch = { latency = "24 clocks", interval = "4 clocks", assumed = "as any instruction of an SP" },
    warp   = { latency = "24 clocks", interval = "4 clocks", assumed = "as any instruction of an SP" },
  },

  barrier = { latency = { "20 clocks", assumed = "as wong2010 finds on a GT200" } },
  clock_register = {
    assumed = "as wong2010 finds on a GT200",
    cost = "28 clocks",
    granularity = "2 clocks",
    domain = "tpc",
  },

  coalescer = {
    source = "NVIDIA CUDA Programming Guide 2.1, section 5.1.2.1",
    line = "128 B",
    rule = "cc1.0",
  },
  lsu = {
    assumed = "no paper measures it: a warp access in the time of an instruction",
    pipelines = 1,
    clocks_per_load = 4,
    clocks_per_lane = 0,
    writeback_per_lane = 0,
  },

  -- No l1, no l2, no tlb: the paper has no cache before the memory, and measures no translation.
  dram = {
    latency = { "420 clocks", source = "hong2009 Table 6: Mem_LD, and section 5.1: as the FX 5600" },
    departure = { "0 clocks", assumed = "memory_queue has the bandwidth" },
  },
  memory_queue = {
    coalesced = { "4 clocks", source = "hong2009 Table 6, and section 5.1: as the FX 5600" },
    uncoalesced = { "10 clocks", source = "hong2009 Table 6, and section 5.1: as the FX 5600" },
    -- The data sheet's, of which a real one delivers less: no record says how much.
    bandwidth = { 57.6 / 1.5, source = "hong2009 Table 3: 57.6 GB/s at 1.5 GHz" },
  },

  shared = {
    latency = { "38 clocks", assumed = "as wong2010 finds on a GT200" },
    banks = { 16, source = "NVIDIA CUDA Programming Guide 2.1, section 5.1.2.5" },
    width = { "4 B", source = "NVIDIA CUDA Programming Guide 2.1, section 5.1.2.5" },
    lanes = { 16, source = "NVIDIA CUDA Programming Guide 2.1, section 5.1.2.5: a half-warp at once" },
    pass = { "2 clocks", assumed = "16 lanes on 8 SPs take 2 clocks" },
  },

  constant = {
    latency = { "426 clocks", assumed = "450 with the instruction of an SP" },
    clocks_per_address = { 1, assumed = "one word is broadcast a clock" },
  },
  constant_l1 = {
    capacity = { "8 KB", source = guide .. ": the cache working set of an SM" },
    line = { "64 B", assumed = "as wong2010 finds on a GT200" },
    ways = { 4, assumed = "as wong2010 finds on a GT200" },
    scope = { "sm", source = "hong2009 footnote 5" },
    latency = { "8 clocks", assumed = "as wong2010 finds on a GT200" },
  },
}
