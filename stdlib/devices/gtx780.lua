-- NVIDIA GeForce GTX 780 (Kepler GK110), as far as mei2014 describes it.
-- A value carries its source; `assumed` says why a value was chosen where no paper gives one.
return {
  name = "gtx780",
  title = "NVIDIA GeForce GTX 780 (Kepler GK110)",
  clock = { "863 MHz", source = "NVIDIA GeForce GTX 780 specification: base clock" },
  compute_capability = { "3.5", source = "mei2014 Table 1" },
  memory = { "3071 MB", source = "mei2014 Table 1" },

  sm = {
    source = "NVIDIA Kepler GK110 white paper",
    count = { 12, source = "NVIDIA GeForce GTX 780 specification" },
    warp_slots = 64,
    block_slots = 16,
    max_threads_per_block = 1024,
    schedulers = 4,
    shared = { "48 KB", source = "mei2014 Table 1" },
  },

  registers = {
    source = "NVIDIA CUDA C Programming Guide, technical specifications of compute capability 3.5",
    per_sm = 65536,
    per_thread_max = 255,
    per_thread_quantum = { 8, source = "NVIDIA CUDA occupancy calculator, 3.5: 256 registers of a warp" },
    thread_quantum = { 32, source = "NVIDIA CUDA occupancy calculator, 3.5" },
  },

  block_scheduler = {
    interval = { "2 clocks", assumed = "as the k20's" },
  },

  op = {
    alu    = { latency = "9 clocks",  interval = "0.2 clocks",
               assumed = "no paper measures it; 192 lanes are six warps a clock, 160 are reached" },
    fp64   = { latency = "10 clocks", interval = "4 clocks",   assumed = "8 lanes an SM" },
    sfu    = { latency = "18 clocks", interval = "1 clock",    assumed = "32 lanes an SM" },
    warp   = { latency = "24 clocks", interval = "1 clock",    assumed = "no paper measures it" },
    branch = { latency = "12 clocks", interval = "1 clock",    assumed = "no paper measures it" },
  },

  scoreboard = { loads_per_warp = { 3, source = "lashgar2015 section 4 (K20)" } },

  coalescer = { line = { "128 B", assumed = "as the k20's" } },

  lsu = {
    assumed = "as the k20's",
    pipelines = 8,
    clocks_per_load = 4,
    clocks_per_lane = 0.5,
    writeback_per_lane = 0.25,
  },

  prt = {
    assumed = "as the k20's",
    entries = 42,
    overflow_requests = 18,
  },

  -- No l1: Kepler's is for local memory (mei2014 section 2).
  l2 = {
    capacity = { "1536 KB", source = "mei2014 Table 1" },
    line = { "128 B", assumed = "as the k20's" },
    ways = { 12, assumed = "no paper measures it" },
    set_bits = {
      { 7, 17, 27 }, { 8, 18, 28 }, { 9, 19, 29 }, { 10, 20, 30 }, { 11, 21, 31 },
      { 12, 22, 32 }, { 13, 23, 33 }, { 14, 24, 34 }, { 15, 25, 35 }, { 16, 26, 36 },
      assumed = "mei2014 section 5 finds L2 complex; words 2 MB apart stay in it (Table 3, pattern 3)",
    },
    latency = { "230 clocks", source = "mei2014 Table 3, Kepler, pattern 1" },
  },

  dram = {
    latency = { "371 clocks", source = "mei2014 Table 3, Kepler, pattern 4" },
    -- The data sheet's, of which a real one delivers less: no record says how much.
    departure = { "0.383 clocks", source = "NVIDIA GeForce GTX 780 specification: 288.4 GB/s" },
  },

  tlb_l1 = {
    source = "mei2014 Table 4: 32 MB, 2 MB an entry, one set",
    page = "2 MB",
    entries = 16,
    ways = 16,
    scope = { "gpu", source = "mei2014 section 4.2: off-chip, shared by all SMs" },
    miss = { "6 clocks", source = "mei2014 Table 3, Kepler: pattern 2 against pattern 1" },
  },
  tlb_l2 = {
    source = "mei2014 Table 4 and Fig. 10: 130 MB, 2 MB an entry",
    page = "2 MB",
    set_sizes = { 17, 8, 8, 8, 8, 8, 8 },
    scope = { "gpu", source = "mei2014 section 4.2: off-chip, shared by all SMs" },
    miss = { "59 clocks", source = "mei2014 Table 3, Kepler: pattern 3 against pattern 1" },
    miss_dram = { "363 clocks", source = "mei2014 Table 3, Kepler: pattern 5 against pattern 4" },
  },

  page_window = {
    size = { "512 MB", source = "mei2014 section 4.2" },
    latency = { "629 clocks", source = "mei2014 Table 3, Kepler: pattern 6 against pattern 4" },
  },

  texture = {
    l2_latency = { "220 clocks", source = "mei2014 Table 5: L1 miss, L2 hit" },
    latency = { "361 clocks", assumed = "as much more than L2 as a global load: mei2014 Table 3" },
  },
  texture_l1 = {
    source = "mei2014 section 4.3, Fig. 12",
    capacity = "12 KB",
    line = "32 B",
    ways = 96,
    set_bits = { 7, 8 },
    scope = { "sm", source = "mei2014 Table 1" },
    latency = { "110 clocks", source = "mei2014 Table 5: L1 hit" },
  },

  shared = {
    latency = { "48 clocks", assumed = "mei2014 Fig. 7 has no number in its text" },
    banks = { 32, source = "mei2014 Table 1" },
    width = { "8 B", source = "mei2014 section 4.1, Fig. 6: two words are a bank's row" },
    word = { "4 B", source = "mei2014 section 4.1: the mode of 4 bytes" },
    modes = { 4, 8, source = "mei2014 section 4.1: cudaDeviceSetSharedMemConfig" },
    busy = { "1 clock", assumed = "32 load/store units serve 32 lanes; mei2014 has latencies alone" },
    pass = { "32 clocks", assumed = "mei2014 Fig. 7 has no number in its text" },
  },

  constant = { latency = { "39 clocks", assumed = "no paper gives it" } },
  barrier = { latency = { "16 clocks", assumed = "no paper gives it" } },
  clock_register = { cost = { "16 clocks", assumed = "no paper gives it" } },

  noise = {
    assumed = "repeated launches of a real GPU differ by a few clocks, rarely by more",
    jitter = "2 clocks",
    outlier_probability = 1e-6,
    outlier = "60 clocks",
  },
}
