-- The cache that wong2010 Fig. 4 explains: 384 bytes, 3 ways, 4 sets, lines of 32 bytes.
-- No such GPU exists. All but the cache is as plain as can be, so that a latency plot shows nothing else.
local made_up = "wong2010 Fig. 4 draws a cache and nothing around it"

return {
  name = "fig4",
  title = "a device with the cache of wong2010 Fig. 4",
  clock = { "1 GHz", assumed = made_up },
  compute_capability = { "1.0", assumed = made_up },
  memory = { "1 GB", assumed = made_up },

  sm = {
    assumed = made_up,
    count = 2,
    warp_slots = 16,
    block_slots = 4,
    max_threads_per_block = 512,
    schedulers = 1,
    shared = "16 KB",
  },

  op = {
    assumed = made_up,
    alu    = { latency = "4 clocks", interval = "1 clock" },
    fp64   = { latency = "8 clocks", interval = "2 clocks" },
    sfu    = { latency = "8 clocks", interval = "2 clocks" },
    warp   = { latency = "4 clocks", interval = "1 clock" },
    branch = { latency = "4 clocks", interval = "1 clock" },
  },

  coalescer = { line = { "32 B", source = "wong2010 Fig. 4: the line" } },

  lsu = {
    assumed = made_up,
    pipelines = 1,
    clocks_per_load = 1,
    clocks_per_lane = 0,
    writeback_per_lane = 0,
  },

  l1 = {
    source = "wong2010 section III-B, Fig. 4",
    capacity = "384 B",
    line = "32 B",
    ways = 3,
    policy = "lru",
    latency = { "20 clocks", assumed = made_up },
  },

  dram = {
    assumed = made_up,
    latency = "100 clocks",
    departure = "1 clock",
  },

  shared = { latency = { "10 clocks", assumed = made_up } },
  constant = { latency = { "6 clocks", assumed = made_up } },
  barrier = { latency = { "4 clocks", assumed = made_up } },
  clock_register = { cost = { "4 clocks", assumed = made_up } },
}
