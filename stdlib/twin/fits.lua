-- Values that no single finding gives: those with which the virtual GPU repeats the points of experiments. A group is
--     name    what it is called
--     runs    files and their experiments, whose points count where they were measured
--     fields  path and unit as in docs/devices.md; `tries`: values tried first; then `step`s that shrink to the
--             `grain`, between `least` and `most`. A field without a value that no try helps stays out of the file.
-- Groups are in the order in which they are fitted: later ones build on earlier ones. Covered by tests/twin/fit_test.cpp.

local TRAINING, RATES = "twin_training.gpx", "twin_rates.gpx"

local function training(...) return { file = TRAINING, experiments = { ... } } end
local function rates(...) return { file = RATES, experiments = { ... } } end

local function clocks(path, step, grain, most, tries, least)
  return { path = path, unit = "clocks", step = step, grain = grain, least = least or 0, most = most, tries = tries }
end
local function number(path, step, grain, most, tries)
  return { path = path, unit = "", step = step, grain = grain, least = grain, most = most, tries = tries }
end
local function count(path, step, most, tries)
  return { path = path, unit = "count", step = step, grain = 1, least = 1, most = most, tries = tries }
end
local function word(path, tries) return { path = path, unit = "word", tries = tries } end

return {
  { name = "barriers", runs = { training "train_barriers", rates("twin_apart", "twin_unparted", "twin_chain", "twin_barriers") },
    fields = {
      clocks("barrier.first_per_warp", 1, 0.25, 20, { 0, 1, 2 }),
      clocks("barrier.first", 4, 1, 200, { 2, 4, 8 }, 1),
      clocks("clock_register.cost", 4, 1, 200, {}, 1),
    } },
  { name = "registers", runs = { training("train_pipes", "train_ptx") },
    fields = { word("sm.contraction", { "fused" }), number("sm.operand_reads", 0.5, 0.25, 16, { 1, 2, 3, 4 }) } },
  { name = "shared", runs = { training("train_shared", "train_shared_width", "train_shared_apart", "train_barriers") },
    fields = {
      clocks("shared.busy", 0.5, 0.125, 32, { 1 }),
      clocks("shared.partition_pass", 1, 0.25, 64, { 1, 2, 4 }),
      clocks("lsu.issue", 1, 0.25, 64, { 2, 3, 4, 8 }),
      clocks("shared.pass", 0.5, 0.125, 64, {}),
      count("store_buffer.queue", 8, 4096, { 8, 16, 32, 64 }),
    } },
  { name = "loads", runs = { training("train_threads", "train_pieces", "train_width", "train_merge", "train_diverged",
                                      "train_mixed"), rates("twin_loads", "twin_words") },
    fields = {
      clocks("lsu.split", 1, 0.1, 64, { 1 }),
      clocks("lsu.narrow", 1, 0.25, 64, { 1, 2, 4 }),
      clocks("memory_queue.uncoalesced", 0.05, 0.0125, 100),
      clocks("memory_queue.coalesced", 0.05, 0.0125, 100),
      number("memory_queue.returned", 8, 1, 4096),
      clocks("l1.missed", 0.5, 0.125, 32, { 0.5, 1 }),
    } },
  { name = "hits", runs = { training("train_stride", "train_random"), rates "twin_hits" },
    fields = {
      count("l1.banks", 0, 64, { 16, 32 }),
      clocks("l1.lookup", 0.1, 0.0125, 32, { 0.25, 1 }),
      number("l1.bandwidth", 16, 2, 1024, { 64, 128 }),
      clocks("l1.missed", 0.25, 0.0625, 32),
    } },
  { name = "stores", runs = { training("train_stores", "train_stores_wide", "train_store_load"), rates "twin_stores" },
    fields = {
      clocks("lsu.issue_store", 1, 0.25, 64, { 2, 4, 6 }),
      clocks("store_buffer.interval", 0.25, 0.0625, 64, { 0.5, 1, 2 }),
      clocks("store_buffer.line", 0.5, 0.125, 64, { 1, 2 }),
      count("store_buffer.entries", 16, 1048576, { 8, 16, 32, 64, 128, 512 }),
      count("store_buffer.queue", 8, 4096, { 8, 16, 32 }),
    } },
  { name = "atomics", runs = { training("train_atomics", "train_atomics_same", "train_atomics_stride"), rates "twin_atomics" },
    fields = {
      clocks("atomics.request", 0.5, 0.125, 64, { 1 }),
      clocks("atomics.line", 0.5, 0.125, 64, { 1 }),
      clocks("atomics.access", 0.5, 0.125, 64, { 1, 2 }),
      clocks("atomics.burst", 128, 16, 4096, { 256, 512 }),
      clocks("atomics.lane", 0.1, 0.025, 64),
      clocks("shared.atomic", 0.1, 0.025, 64),
    } },
  { name = "launches", runs = { training("train_empty", "train_copies"), rates("twin_launch", "twin_ramp", "twin_starts") },
    fields = {
      { path = "launch.overhead", unit = "us", step = 0.25, grain = 0.02, least = 0, most = 1000, tries = { 1, 2, 3, 4, 8 } },
      clocks("block_scheduler.interval", 1, 0.25, 1000, { 0, 1, 2, 4 }),
      clocks("atomics.turn", 1, 0.25, 100, { 2, 4, 8 }),
    } },
  { name = "constants", runs = { training "train_constant" },
    fields = {
      word("constant.launch", { "kept", "lost" }),
      { path = "constant_l2.line", unit = "B", tries = { 64, 128, 256, 512 } },
      clocks("constant_l1.latency", 2, 0.25, 1000, {}, 1),
      clocks("constant_l2.latency", 4, 0.5, 1000, {}, 1),
      clocks("constant.l2_latency", 32, 4, 4000, {}, 1),
      clocks("constant.latency", 32, 4, 4000, {}, 1),
    } },
  { name = "copies", runs = { training "train_async" },
    fields = {
      clocks("async_copy.interval", 2, 0.25, 100, { 4, 8, 12 }),
      clocks("async_copy.line", 1, 0.25, 100, { 1, 2 }),
      clocks("async_copy.extra", 2, 0.5, 1000),
    } },
  { name = "bulk", runs = { training "train_bulk" },
    fields = {
      clocks("bulk_copy.latency", 8, 1, 10000, {}, 1),
      clocks("bulk_copy.interval", 4, 0.5, 1000),
      number("bulk_copy.bandwidth", 8, 1, 4096),
    } },
  { name = "memory", runs = { training("train_reads", "train_scattered"), rates "twin_one_sm" },
    fields = {
      clocks("dram.dirty", 100, 12, 4000, { 100 }),
      clocks("dram.scatter", 200, 25, 4000, { 200, 600 }),
      clocks("dram.latency", 20, 5, 4000, {}, 1),
    } },
  { name = "code", runs = { training("train_code", "train_code_loop", "train_code_warps") },
    fields = {
      clocks("instruction.latency", 8, 1, 4000, {}, 1),
      number("instruction.bandwidth", 0.25, 0.03, 64, { 2, 4 }),
      { path = "instruction.prefetch", unit = "B", tries = { 0, 128, 256, 512, 1024, 2048 } },
      clocks("instruction_l2.latency", 4, 0.5, 4000),
      number("instruction_l2.bandwidth_per_sm", 0.5, 0.06, 64, { 4, 8, 16 }),
      { path = "instruction_l2.ways", unit = "count", tries = { 4, 8, 16 } },
    } },
}
