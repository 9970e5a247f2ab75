-- NVIDIA Tesla M2070 (Fermi GF100), as far as lashgar2015 and mei2014 describe it.
-- A value carries its source; `assumed` says why a value was chosen where no paper gives one.
return {
  name = "m2070",
  title = "NVIDIA Tesla M2070 (Fermi GF100)",
  clock = { "1150 MHz", source = "NVIDIA Tesla M2050 / M2070 board specification" },
  compute_capability = "2.0",
  memory = { "6 GB", source = "NVIDIA Tesla M2050 / M2070 board specification" },

  sm = {
    source = "NVIDIA Fermi compute architecture white paper",
    count = { 14, source = "NVIDIA Tesla M2050 / M2070 board specification" },
    warp_slots = 48,
    block_slots = 8,
    max_threads_per_block = 1024,
    schedulers = 2,
    shared = "48 KB",
  },

  registers = {
    source = "NVIDIA CUDA C Programming Guide, technical specifications of compute capability 2.0",
    per_sm = 32768,
    per_thread_max = 63,
    per_thread_quantum = { 2, source = "NVIDIA CUDA occupancy calculator, 2.0: 64 registers of a warp, and warps in pairs" },
    thread_quantum = { 64, source = "NVIDIA CUDA occupancy calculator, 2.0" },
  },

  block_scheduler = {
    interval = { "6 clocks", assumed = "blocks that all start at once end in waves; no paper shows any" },
  },

  op = {
    alu    = { latency = "18 clocks", interval = "1 clock",  assumed = "32 lanes an SM" },
    fp64   = { latency = "22 clocks", interval = "2 clocks", assumed = "16 lanes an SM" },
    sfu    = { latency = "30 clocks", interval = "8 clocks", assumed = "4 lanes an SM" },
    warp   = { latency = "26 clocks", interval = "1 clock",  assumed = "no paper measures it" },
    branch = { latency = "16 clocks", interval = "1 clock",  assumed = "no paper measures it" },
  },

  scoreboard = { loads_per_warp = { 4, source = "lashgar2015 section 4" } },

  coalescer = { line = { "128 B", source = "lashgar2015 section 3.1" } },

  lsu = {
    pipelines = { 3, source = "lashgar2015 section 3.2: 96 requests are processed in parallel" },
    clocks_per_load = { 6, assumed = "makes the small spike after 96 threads" },
    clocks_per_lane = { 0.5, assumed = "16 load/store units: two lanes of a warp a hot clock" },
    writeback_per_lane = { 0.5, assumed = "no more than the issue of a lane" },
  },

  mshr = {
    entries = { 128, source = "lashgar2015 section 5.1" },
    -- With 8 merges, 16 lanes that share a line would take two entries, and 256 threads of merger16
    -- would saturate just as those of merger8 do. With 32 they take one, and the issue of loads
    -- (64 of them hold 128 lines) is slower than the return of the first.
    merges = { 32, assumed = "lashgar2015 section 5.1: at least 8; no spike with 16 and 32" },
  },

  l1 = {
    capacity = { "16 KB", source = "mei2014 Table 4" },
    line = { "128 B", source = "mei2014 Table 4" },
    ways = { 4, source = "mei2014 Figure 8" },
    latency = { "116 clocks", source = "mei2014 Table 3, Fermi with L1, pattern 1 (GTX 560 Ti)" },
  },

  l2 = {
    capacity = { "768 KB", source = "lashgar2015 (case study) section 3.3" },
    line = { "128 B", source = "lashgar2015 section 3.1" },
    ways = { 16, assumed = "no paper measures it" },
    latency = { "371 clocks", source = "mei2014 Table 3, Fermi without L1, pattern 1 (GTX 560 Ti)" },
    insertion = { "lru", assumed = "the gap of the copy experiment stays beyond the capacity" },
  },

  dram = {
    latency = { "570 clocks", source = "Anderson 2012, cited in lashgar2015 section 6" },
    -- 128 B at 85.4 % (Anderson 2012, cited in lashgar2015 section 6) of 150 GB/s.
    departure = { "1.15 clocks", source = "NVIDIA Tesla M2050 / M2070 board specification" },
  },

  shared = { latency = { "27 clocks", source = "Anderson 2012, cited in lashgar2015 section 6" } },
  constant = { latency = { "30 clocks", assumed = "no paper gives the M2070's" } },
  barrier = { latency = { "20 clocks", assumed = "no paper gives the M2070's" } },
  clock_register = { cost = { "22 clocks", assumed = "no paper gives the M2070's" } },

  noise = {
    assumed = "repeated launches of a real GPU differ by a few clocks, rarely by more",
    jitter = "2 clocks",
    outlier_probability = 1e-6,
    outlier = "60 clocks",
  },
}
