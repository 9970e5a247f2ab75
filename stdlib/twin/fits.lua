-- Values that no single finding gives: those with which the virtual GPU repeats the points of experiments. A group is
--     name    what it is called
--     runs    files and their experiments, whose points count where they were measured: those of `measures`, or all;
--             `without`: parts of the file that are left out, points that take a model long
--     fields  path and unit as in docs/devices.md; `step`s that shrink to the `grain`, between `least` and `most`.
--             Where the file has no value, each of the `tries` is a beginning; a field that has no steps takes the best
--             of its tries. "=l2.latency": the value of another field. `within`: the interval of its finding bounds it.
--             A field without a value that no try helps stays out of the file.
-- Groups are in the order in which they are fitted: later ones build on earlier ones. Covered by tests/twin/fit_test.cpp.

local TRAINING, RATES, LIMITS = "twin_training.gpx", "twin_rates.gpx", "twin_limits.gpx"

local function training(...) return { file = TRAINING, experiments = { ... } } end
local function rates(...) return { file = RATES, experiments = { ... } } end
local function limits(...) return { file = LIMITS, experiments = { ... } } end
local function measures(runs, ...)
  runs.measures = { ... }
  return runs
end
local function without(runs, ...)
  runs.without = { ... }
  return runs
end

local function clocks(path, step, grain, most, try, least)
  return { path = path, unit = "clocks", step = step, grain = grain, least = least or 0, most = most, tries = { try } }
end
local function number(path, step, grain, most, try)
  return { path = path, unit = "", step = step, grain = grain, least = grain, most = most, tries = { try } }
end
local function count(path, step, most, try)
  return { path = path, unit = "count", step = step, grain = 1, least = 1, most = most, tries = { try } }
end
local function bytes(path, step, grain)
  return { path = path, unit = "B", step = step, grain = grain, least = grain, most = 1 << 30, within = true }
end
local function choice(path, unit, tries) return { path = path, unit = unit, tries = tries } end

return {
  { name = "barriers", runs = { training "train_barriers", rates("twin_chain", "twin_barriers") },
    fields = {
      clocks("clock_register.cost", 4, 1, 200, nil, 1),
    } },
  { name = "registers", runs = { training("train_pipes", "train_ptx") },
    fields = { choice("sm.contraction", "word", { "fused" }), number("sm.operand_reads", 1, 1, 16, 2) } }, -- whole registers a clock
  { name = "shared", runs = { measures(training("train_shared", "train_shared_width", "train_shared_apart"),
                                       "loads", "wide8", "wide16"),
                              measures(rates "twin_shared", "shared_words", "shared_pairs") },
    fields = {
      clocks("lsu.issue", 1, 0.25, 64, 4),
      clocks("shared.returned", 0.5, 0.125, 64, 3),
    } },
  { name = "stores", runs = { training("train_stores", "train_stores_wide", "train_store_load"), rates "twin_stores",
                              measures(training("train_shared", "train_shared_width"), "stores"),
                              measures(rates "twin_shared", "shared_stores") },
    fields = {
      clocks("lsu.registers", 0.5, 0.125, 16, 2),
      clocks("lsu.read", 2, 1, 200, 2),
      clocks("lsu.issue_store", 1, 0.25, 64, 4),
      clocks("store_buffer.interval", 0.25, 0.0625, 64, 1),
      clocks("store_buffer.line", 0.5, 0.125, 64, 1),
      count("store_buffer.entries", 16, 1048576),
      count("store_buffer.queue", 8, 4096, 16),
    } },
  { name = "loads", runs = { training("train_threads", "train_pieces", "train_width", "train_merge", "train_diverged",
                                      "train_mixed"), rates("twin_loads", "twin_words") },
    fields = {
      clocks("lsu.split", 1, 0.1, 64, 1),
      clocks("lsu.narrow", 1, 0.25, 64, 2),
      clocks("memory_queue.uncoalesced", 0.05, 0.0125, 100),
      clocks("memory_queue.coalesced", 0.05, 0.0125, 100),
      number("memory_queue.returned", 8, 1, 4096),
      number("l1.bandwidth", 16, 2, 1024, 128),
      clocks("l1.missed", 0.5, 0.125, 32, 1),
    } },
  { name = "hits", runs = { training("train_stride", "train_random"), rates "twin_hits" },
    fields = {
      choice("l1.banks", "count", { 16, 32 }),
      choice("l1.tag_banks", "count", { 4 }),
      clocks("l1.lookup", 0.1, 0.0125, 32, 0.25),
      clocks("l1.missed", 0.25, 0.0625, 32, 1),
    } },
  { name = "slices", runs = { without(measures(limits "twin_random", "random_loads", "random_stores", "part_stores"),
                                      ", 12", ", 20"), measures(rates "twin_l2", "l2_write") },
    fields = {
      clocks("l2_slices.store", 0.25, 0.03125, 64, 1.25),
      clocks("l2_slices.request", 0.25, 0.03125, 64),
      clocks("l2_slices.store_request", 0.25, 0.03125, 64),
      clocks("l2_slices.partial", 0.25, 0.03125, 64),
    } },
  { name = "atomics", runs = { training("train_atomics", "train_atomics_same", "train_atomics_stride", "train_reductions"), rates "twin_atomics",
                                measures(training "train_scattered", "atomics") },
    fields = {
      clocks("atomics.request", 0.5, 0.125, 64),
      clocks("atomics.lane", 0.1, 0.025, 64),
      clocks("atomics.line", 0.5, 0.125, 64, 1),
      clocks("atomics.access", 0.5, 0.125, 64, 1),
      clocks("atomics.burst", 128, 16, 4096, 256),
      count("atomics.queue", 4, 1024, 24),
      clocks("shared.atomic", 0.1, 0.025, 64),
    } },
  { name = "launches", runs = { training("train_empty", "train_copies"), { file = "l2_capacity.gpx", experiments = { "fermi_l2" } },
                                rates("twin_launch", "twin_ramp", "twin_waves"), limits "twin_cold",
                                without(measures(rates "twin_l2", "l2_write"), ", 12", ", 16", ", 20") },
    fields = {
      clocks("launch.overhead", 400, 20, 1000000, 5000),
      clocks("launch.after_accesses", 400, 20, 1000000, 4000),
      clocks("block_scheduler.refill", 100, 10, 1000000, 300),
      clocks("launch.cold", 400, 20, 1000000, 1000),
      clocks("atomics.after_store", 2, 0.25, 64, 8),
    } },
  { name = "constants", runs = { training "train_constant" },
    fields = {
      choice("constant.launch", "word", { "lost" }),
      choice("constant_l2.line", "B", { 128, 256, 512 }),
      choice("constant_l2.ways", "count", { 16 }),
      clocks("constant.l2_latency", 32, 4, 4000, "=l2.latency", 1),
      clocks("constant_l1.latency", 2, 0.25, 1000, nil, 1),
      clocks("constant_l2.latency", 4, 0.5, 1000, nil, 1),
    } },
  { name = "copies", runs = { training "train_async" },
    fields = {
      clocks("async_copy.interval", 2, 0.25, 100, 8),
      clocks("async_copy.line", 1, 0.25, 100, 1),
      clocks("async_copy.narrow", 0.5, 0.25, 16, 2),
      clocks("async_copy.extra", 2, 0.5, 1000),
    } },
  { name = "bulk", runs = { training "train_bulk", limits "twin_tensor" },
    fields = {
      clocks("bulk_copy.map", 32, 4, 4000, 0),
      clocks("bulk_copy.latency", 8, 1, 10000, nil, 1),
      clocks("bulk_copy.interval", 4, 0.5, 1000),
      number("bulk_copy.bandwidth", 8, 1, 4096),
    } },
  { name = "clusters", runs = { { file = "hopper_cluster.gpx", experiments = { "hopper_cluster" } },
                               training("train_dsmem_load", "train_remote") },
    fields = {
      clocks("cluster.request", 0.5, 0.125, 64, 1),
      clocks("cluster.line", 0.5, 0.125, 64, 1),
      number("cluster.bandwidth", 4, 0.5, 1024, 16),
      clocks("cluster.barrier", 4, 0.5, 10000, nil, 1),
      clocks("cluster.release", 8, 0.5, 10000),
    } },
  { name = "memory", runs = { training("train_reads", "train_scattered"), rates "twin_one_sm", limits "twin_under_way" },
    fields = {
      { path = "l2.dirty", unit = "", step = 0.1, grain = 0.02, least = 0.02, most = 1, tries = { 0.3 } },
      { path = "dram.banks", unit = "count", step = 512, grain = 128, least = 128, most = 65536, tries = { 2048 } },
      clocks("dram.bank", 8, 2, 1000),
      clocks("dram.dirty", 100, 12, 4000, 100),
      clocks("dram.refresh", 100, 25, 4000, 400),
      clocks("dram.refresh_every", 1000, 250, 40000, 4000, 1000),
    } },
  { name = "writes", runs = { limits("twin_written", "twin_many") },
    fields = { { path = "dram.gather", unit = "count", step = 8, grain = 4, least = 4, most = 4096, tries = { 16 } } } },
  { name = "code", runs = { without(training("train_code", "train_code_loop", "train_code_warps"), ", 4000, 5500", ", 8500, 11000") },
    fields = {
      choice("instruction.prefetch", "B", { 256, 1024, 2048 }),
      choice("instruction_l2.ways", "count", { 16 }),
      clocks("instruction.latency", 8, 1, 4000, nil, 1),
      number("instruction.bandwidth", 0.25, 0.03125, 64),
      clocks("instruction_l2.latency", 4, 0.5, 4000),
      number("instruction_l2.bandwidth_per_sm", 0.5, 0.0625, 64, 8),
      bytes("instruction_l1.capacity", 4096, 2048),
      bytes("instruction_l2.capacity", 4096, 2048),
    } },
}
