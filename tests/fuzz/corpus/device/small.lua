local a, c = "fig4", "4 clocks"
local x = {c, assumed = a}
return {
 name = a, title = a, clock = {"1 GHz", assumed = a},
 compute_capability = {"1.0", assumed = a}, memory = {"1 GB", assumed = a},
 sm = {assumed = a, count = 2, warp_slots = 16, block_slots = 4,
  max_threads_per_block = 512, schedulers = 1, shared = "16 KB"},
 op = {assumed = a, alu = {latency = c, interval = c}, fp64 = {latency = c, interval = c},
  sfu = {latency = c, interval = c}, warp = {latency = c, interval = c},
  branch = {latency = c, interval = c}},
 coalescer = {line = {"32 B", source = a}},
 lsu = {assumed = a, pipelines = 1, clocks_per_load = 1, clocks_per_lane = 0,
  writeback_per_lane = 0},
 l1 = {source = a, capacity = "384 B", line = "32 B", ways = 3, policy = "lru", latency = c},
 dram = {assumed = a, latency = "9 clocks", departure = c},
 shared = {latency = x}, constant = {latency = x}, barrier = {latency = x},
 clock_register = {cost = x},
}
