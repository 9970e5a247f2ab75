-- An SM that serves 8 memory warps at a time, as the model's timelines have it (hong2009 Figs. 5 to
-- 8): a computation period is one square root, a memory period one load. Everything else costs next
-- to nothing.

return {
  name = "mwp8",
  title = "an SM with a memory warp parallelism of 8",
  clock = { "1 GHz", source = "hong2009 section 3.6" },
  compute_capability = { "1.0", source = "hong2009 Table 3" },
  memory = { "1 GB", assumed = "more than any timeline needs" },
  sm = {
    assumed = "an SM for warps that do not hinder one another but in the square roots",
    count = 1,
    warp_slots = 8,
    block_slots = 8,
    max_threads_per_block = 256,
    schedulers = 8,
    shared = "16 KB",
  },
  op = {
    assumed = "next to nothing",
    alu    = { latency = "1 clock", interval = "0.125 clocks" },
    sfu    = { latency = "1 clock", interval = "0.125 clocks" },
    fp64   = { latency = "1 clock", interval = "0.125 clocks" },
    branch = { latency = "1 clock", interval = "0.125 clocks" },
    warp   = { latency = "1 clock", interval = "0.125 clocks" },
    ["sqrt.rn.f32"] = { latency = "1600 clocks", interval = "1600 clocks",
                        source = "hong2009 section 3.2.1: a third of a memory period" },
  },
  barrier = { latency = { "1 clock", assumed = "next to nothing" } },
  clock_register = { cost = { "1 clock", assumed = "next to nothing" } },
  coalescer = { line = { "128 B", source = "hong2009 Table 2: 128 B a warp" } },
  lsu = {
    assumed = "next to nothing",
    pipelines = 1,
    clocks_per_load = 0,
    clocks_per_lane = 0,
    writeback_per_lane = 0,
  },
  prt = { entries = { 8, source = "hong2009 section 3.2: Cases 3, 4 and 5" } },
  dram = {
    latency = { "4800 clocks", assumed = "three computation periods; so long that a loop's own clocks do not show" },
    departure = { "0 clocks", assumed = "the table alone limits" },
  },
  shared = { latency = { "1 clock", assumed = "next to nothing" } },
  constant = { latency = { "1 clock", assumed = "next to nothing" } },
}
