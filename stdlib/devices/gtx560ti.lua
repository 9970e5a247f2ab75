-- NVIDIA GeForce GTX 560 Ti (Fermi GF114), as far as mei2014 describes it.
-- A value carries its source; `assumed` says why a value was chosen where no paper gives one.
return {
  name = "gtx560ti",
  title = "NVIDIA GeForce GTX 560 Ti (Fermi GF114)",
  clock = { "1645 MHz", source = "NVIDIA GeForce GTX 560 Ti specification: processor clock" },
  compute_capability = { "2.1", source = "mei2014 Table 1" },
  memory = { "1024 MB", source = "mei2014 Table 1" },

  sm = {
    source = "NVIDIA GeForce GTX 560 Ti specification",
    count = 8,
    warp_slots = 48,
    block_slots = 8,
    max_threads_per_block = 1024,
    schedulers = 2,
    shared = { "48 KB", source = "mei2014 Table 1, with an L1 of 16 KB" },
  },

  registers = {
    source = "NVIDIA CUDA C Programming Guide, technical specifications of compute capability 2.1",
    per_sm = 32768,
    per_thread_max = 63,
    per_thread_quantum = { 2, source = "NVIDIA CUDA occupancy calculator, 2.1: 64 registers of a warp, and warps in pairs" },
    thread_quantum = { 64, source = "NVIDIA CUDA occupancy calculator, 2.1" },
  },

  block_scheduler = {
    interval = { "6 clocks", assumed = "as the m2070's" },
  },

  op = {
    alu    = { latency = "18 clocks", interval = "0.67 clocks", assumed = "48 lanes an SM" },
    fp64   = { latency = "22 clocks", interval = "8 clocks",    assumed = "4 lanes an SM" },
    sfu    = { latency = "30 clocks", interval = "4 clocks",    assumed = "8 lanes an SM" },
    warp   = { latency = "26 clocks", interval = "1 clock",     assumed = "no paper measures it" },
    branch = { latency = "16 clocks", interval = "1 clock",     assumed = "no paper measures it" },
  },

  scoreboard = { loads_per_warp = { 4, source = "lashgar2015 section 4" } },

  coalescer = { line = { "128 B", source = "mei2014 Table 4: the line of L1" } },

  lsu = {
    assumed = "as the m2070's",
    pipelines = 3,
    clocks_per_load = 6,
    clocks_per_lane = 0.5,
    writeback_per_lane = 0.5,
  },

  mshr = {
    assumed = "as the m2070's",
    entries = 128,
    merges = 32,
  },

  -- Fig. 9's miss rate tops at 50 %; with these probabilities, drawn independently, 5 lines of a set
  -- miss 40 % and 6 lines 60 %.
  l1 = {
    source = "mei2014 section 4.2, Fig. 8, Table 4",
    capacity = "16 KB",
    line = "128 B",
    ways = 4,
    policy = "weighted",
    way_probability = { 1/6, 1/2, 1/6, 1/6 },
    latency = { "116 clocks", source = "mei2014 Table 3, L1 enabled, pattern 1" },
    -- Pattern 2 visits 2 MB apart, which is one set of L1: its data are in L2, as Table 5 says.
    miss = { "6 clocks", source = "mei2014 Table 3: L1 enabled against disabled, patterns 2 and 3" },
    miss_dram = { "15 clocks", source = "mei2014 Table 3: the same, patterns 4 and 5: 16 and 14" },
  },

  l2 = {
    capacity = { "512 KB", source = "mei2014 Table 1" },
    line = { "128 B", assumed = "as L1's" },
    ways = { 16, assumed = "no paper measures it" },
    set_bits = {
      { 7, 15, 23, 31 }, { 8, 16, 24, 32 }, { 9, 17, 25, 33 }, { 10, 18, 26, 34 },
      { 11, 19, 27, 35 }, { 12, 20, 28, 36 }, { 13, 21, 29, 37 }, { 14, 22, 30, 38 },
      assumed = "mei2014 section 5 finds L2 complex; words 2 MB apart stay in it (Table 3, pattern 3)",
    },
    latency = { "371 clocks", source = "mei2014 Table 3, L1 disabled, pattern 1" },
  },

  dram = {
    latency = { "639 clocks", source = "mei2014 Table 3, L1 disabled, pattern 4" },
    -- The data sheet's, of which a real one delivers less: no record says how much.
    departure = { "1.64 clocks", source = "NVIDIA GeForce GTX 560 Ti specification: 128 GB/s" },
  },

  tlb_l1 = {
    source = "mei2014 Table 4: 32 MB, 2 MB an entry, one set",
    page = "2 MB",
    entries = 16,
    ways = 16,
    scope = { "gpu", source = "mei2014 section 4.2: off-chip, shared by all SMs" },
    miss = { "27 clocks", source = "mei2014 Table 3, L1 disabled: pattern 2 against pattern 1" },
  },
  tlb_l2 = {
    source = "mei2014 Table 4 and Fig. 10: 130 MB, 2 MB an entry",
    page = "2 MB",
    set_sizes = { 17, 8, 8, 8, 8, 8, 8 },
    scope = { "gpu", source = "mei2014 section 4.2: off-chip, shared by all SMs" },
    miss = { "111 clocks", source = "mei2014 Table 3, L1 disabled: pattern 3 against pattern 1" },
    miss_dram = { "606 clocks", source = "mei2014 Table 3, L1 disabled: pattern 5 against pattern 4" },
  },

  texture = {
    l2_latency = { "470 clocks", source = "mei2014 Table 5: L1 miss, L2 hit" },
    latency = { "738 clocks", assumed = "as much more than L2 as a global load: mei2014 Table 3" },
  },
  texture_l1 = {
    source = "mei2014 section 4.3, Fig. 12",
    capacity = "12 KB",
    line = "32 B",
    ways = 96,
    set_bits = { 7, 8 },
    scope = { "sm", source = "mei2014 Table 1" },
    latency = { "240 clocks", source = "mei2014 Table 5: L1 hit" },
  },

  shared = {
    source = "mei2014 section 4.1, Fig. 5",
    latency = "50 clocks",
    banks = { 32, source = "mei2014 Table 1" },
    width = { "4 B", source = "mei2014 Table 1" },
    busy = { "2 clocks", assumed = "16 load/store units serve 32 lanes; mei2014 has latencies alone" },
    pass = "37.4 clocks", -- 88 in two passes, 1210 in 32
  },

  constant = { latency = { "30 clocks", assumed = "no paper gives it" } },
  barrier = { latency = { "20 clocks", assumed = "no paper gives it" } },
  clock_register = { cost = { "22 clocks", assumed = "no paper gives it" } },

  noise = {
    assumed = "repeated launches of a real GPU differ by a few clocks, rarely by more",
    jitter = "2 clocks",
    outlier_probability = 1e-6,
    outlier = "60 clocks",
  },
}
