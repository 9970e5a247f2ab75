-- NVIDIA Tesla K20 (Kepler GK110), as far as lashgar2015 and mei2014 describe it.
-- A value carries its source; `assumed` says why a value was chosen where no paper gives one.
return {
  name = "k20",
  title = "NVIDIA Tesla K20 (Kepler GK110)",
  clock = { "706 MHz", source = "NVIDIA Tesla K20 board specification" },
  compute_capability = "3.5",
  memory = { "5 GB", source = "NVIDIA Tesla K20 board specification" },

  sm = {
    source = "NVIDIA Kepler GK110 white paper",
    count = { 13, source = "NVIDIA Tesla K20 board specification" },
    warp_slots = 64,
    block_slots = 16,
    max_threads_per_block = 1024,
    schedulers = 4,
    shared = "48 KB",
  },

  registers = {
    source = "NVIDIA CUDA C Programming Guide, technical specifications of compute capability 3.5",
    per_sm = 65536,
    per_thread_max = 255,
    per_thread_quantum = { 8, source = "NVIDIA CUDA occupancy calculator, 3.5: 256 registers of a warp" },
    thread_quantum = { 32, source = "NVIDIA CUDA occupancy calculator, 3.5" },
  },

  block_scheduler = {
    interval = { "2 clocks", assumed = "blocks that all start at once end in waves; no paper shows any" },
  },

  op = {
    alu    = { latency = "9 clocks",  interval = "0.2 clocks",
               assumed = "no paper measures it; 192 lanes are six warps a clock, 160 are reached" },
    fp64   = { latency = "10 clocks", interval = "0.5 clocks", assumed = "64 lanes an SM" },
    sfu    = { latency = "18 clocks", interval = "1 clock",    assumed = "32 lanes an SM" },
    warp   = { latency = "24 clocks", interval = "1 clock",    assumed = "no paper measures it" },
    branch = { latency = "12 clocks", interval = "1 clock",    assumed = "no paper measures it" },
  },

  scoreboard = { loads_per_warp = { 3, source = "lashgar2015 section 4" } },

  coalescer = { line = { "128 B", source = "lashgar2015 section 3.1" } },

  lsu = {
    pipelines = { 8, assumed = "more than 42 warp loads must be issued before the first returns" },
    clocks_per_load = { 4, assumed = "small against the step at a full table" },
    clocks_per_lane = { 0.5, assumed = "small against the step at a full table" },
    writeback_per_lane = { 0.25, assumed = "no more than the issue of a lane" },
  },

  -- 680 threads with 2 loads and 454 threads with 3 are the last that fit: 42 full warp loads and
  -- 2 of 8 lanes, or 3 of 6 lanes. A table of warp loads alone saturates at a multiple of 32
  -- threads; up to 18 requests beside it give both numbers.
  prt = {
    entries = { 42, source = "lashgar2015 section 5.2: 680 and 454 threads hold 42 full warp loads" },
    overflow_requests = { 18, assumed = "no paper names such a structure; it fits 680 and 454" },
  },

  l2 = {
    capacity = { "1536 KB", source = "lashgar2015 (case study) section 3.3" },
    line = { "128 B", source = "lashgar2015 section 3.1" },
    ways = { 16, assumed = "no paper measures it" },
    latency = { "230 clocks", source = "mei2014 Table 3, Kepler, pattern 1" },
    insertion = { "lru", assumed = "the gap of the copy experiment stays beyond the capacity" },
  },

  dram = {
    latency = { "371 clocks", source = "mei2014 Table 3, Kepler, pattern 4" },
    departure = { "0.434 clocks", source = "NVIDIA Tesla K20 board specification: 208 GB/s" },
  },

  shared = { latency = { "48 clocks", assumed = "no paper gives the K20's" } },
  constant = { latency = { "39 clocks", assumed = "no paper gives the K20's" } },
  barrier = { latency = { "16 clocks", assumed = "no paper gives the K20's" } },
  clock_register = { cost = { "16 clocks", assumed = "no paper gives the K20's" } },

  noise = {
    assumed = "repeated launches of a real GPU differ by a few clocks, rarely by more",
    jitter = "2 clocks",
    outlier_probability = 1e-6,
    outlier = "60 clocks",
  },
}
