-- A Hopper GPU by hand, for tests: it executes PTX, and its parts are where tests plant values. Numbers are those of
-- records of an H100 and, where these leave something open, of an H200. The library's devices are files of `gpx twin`.
local operations = "docs/results/h100/modern_operations.json, op.*.latency and op.*.throughput"
local routines = "docs/results/h100/modern_routines.json, op.*.latency and op.*.throughput"
local memory = "docs/results/characterize/h100_memory.json"
local h200 = "docs/results/characterize/h200_memory.json"
local tables = "docs/results/h200-memory.md"

local rates = "docs/results/h200/twin_rates.csv"
local training = "docs/results/h200/twin_training.csv"
local chip = "docs/results/h200/chip_rates.csv"
local near = "docs/results/h200/near_rates.csv"
local wgmma = "docs/results/h100/hopper_wgmma.json"
local dsmem = "docs/results/h100/hopper_dsmem.json"
local cluster = "docs/results/h100/hopper_cluster.json"
local pairs = "docs/results/h200/dsmem_pairs.csv"

-- Clocks from issue to result, and operations of threads that an SM does in a clock.
local function op(latency, rate, assumed)
  local row = { latency = latency .. " clocks", interval = 32 / rate .. " clocks" }
  if assumed then row.assumed = assumed end
  return row
end
local function griddep(clocks)
  return { latency = clocks .. " clocks", interval = clocks .. " clocks",
           source = "docs/results/hopper.md, griddepcontrol by hand (tests/gpu/grid_dependency.cu)" }
end
local function routine(latency, rate)
  local row = op(latency, rate)
  row.source = routines
  return row
end

-- How many clocks each of 66 TPCs is farther from L2 than SM 0's, where latencies were measured: means over 512 lines,
-- within 2.7 clocks in three runs. Both SMs of a TPC are equal within 0.1.
local of_tpc = {
  0, -0.2, 0.6, 0.6, 0.1, 0.8, 3.7, -0.4, 2.7, 3, 3.8, 3.6, 2.9, 3.5, 3.4, 2.5, 6.7, 11.9, 7.7, 12.5, 6.8,
  12.4, 12.3, 11.6, -5, -5.1, -4.3, -4.4, -4.9, -4.2, -2.2, -5.4, -2, -1.2, -1.4, -2.1, -1.5, -1.6, -2.5,
  1, 1.7, 1.5, 0.8, 7.4, 7.3, 6.5, -10.2, -9.3, -9.4, -9.9, -9.2, -7.3, -10.4, -7.1, -6.2, -6.4, -7.1,
  -6.5, -6.6, -7.5, 2.3, 0.5, -2.3, 0.7, -10, -7.3,
}
local offsets = { source = "docs/results/h200/l2_mean.csv, an H200: tests/gpu/l2_mean.cu" }
-- The half of L2 that is near to each TPC: 1 is the one that the beginning of a buffer lies far from.
local of_side = {
  1, 1, 0, 0, 0, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0,
  1, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 0, 1, 0, 1,
  1, 1, 1, 1,
}
local sides = { source = "docs/results/h100/l2_map.csv, groups less than 100 clocks apart; "
                         .. "atomics on the beginning of a buffer are far from SM 0 on three boards of four" }
for tpc = 0, 65 do
  offsets[tpc + 1] = of_tpc[tpc + 1]
  sides[tpc + 1] = of_side[tpc + 1]
end

-- Bits of an address, each with one 17 bits above, all but bit 21, which tells the half: a list of
-- neighbouring lines fills halves and sets evenly, as lists of 44 of 50 MB do that L2 holds.
local l2_sets = { assumed = "h200_memory.json, l2.sets: not linear, no modulo of the line's number; even as "
                            .. "global.cg.level2.reach of h100_memory.json says" }
for bit = 7, 24 do
  if bit ~= 21 then l2_sets[#l2_sets + 1] = { bit, bit + 17 } end
end

-- Loads of all SMs take 243 to 334 clocks, nine of ten 257 to 312: what the TPCs' distances leave of that
-- is spread over slices as the sum of two equal parts, 38 clocks to either side. Neighbours are far apart.
local of_slice = { source = "docs/results/h100/l2_map.csv, load: 307 to 398 clocks, 5 % below 321, 95 % below 376" }
for i = 0, 79 do
  local part = (i * 33 % 80 + 0.5) / 80
  local from_mean = part < 0.5 and 38 * (2 * part) ^ 0.5 - 38 or 38 - 38 * (2 - 2 * part) ^ 0.5
  of_slice[i + 1] = (from_mean + 0.5) // 1
end

return {
  name = "hopper",
  title = "A Hopper GPU by hand",
  clock = { "1.98 GHz", source = "docs/results/README.md: SM clock" },
  compute_capability = { "9.0", source = memory .. ", device" },
  memory = { "85017493504 B", source = memory .. ", device" },

  sm = {
    source = memory .. ", device",
    count = 132,
    warp_slots = 64,
    block_slots = { 32, source = h200 .. ", device.max_blocks_per_sm" },
    max_threads_per_block = 1024,
    schedulers = { 4, source = "h100/modern_operations.json, pipe.fma.issue: four warps a clock" },
    contraction = { "fused", source = training .. ", train_ptx, fused: 4.25 clocks of a product and a sum" },
    operand_reads = { 2, source = training .. ", train_pipes, chained: fma.rn.f32 at half its rate, fma.rn.f64 at two "
                                   .. "thirds, operations of two operands at all of theirs" },
    partitions = { 4, assumed = "a quarter of the units for each scheduler, as NVIDIA draws its SMs since Maxwell; no "
                                .. "record has the rate of one warp" },
    shared = { "228 KB", source = h200 .. ", device.shared_per_sm" },
    shared_reserved = { "1 KB", source = h200 .. ", device.reserved_shared_per_block" },
    per_tpc = { 2, assumed = tables .. ": the first instruction cache is of a TPC; two SMs in all recent GPUs" },
    per_gpc = { 9, assumed = tables .. ": GPCs have 16 or 18 SMs; here all have 18 but the last" },
  },

  registers = {
    source = "docs/results/README.md, Operations: 65,536 registers in steps of 8 a thread, 24 to 255",
    per_sm = 65536,
    per_thread_max = 255,
    per_thread_quantum = 8,
    thread_quantum = { 32, assumed = "whole warps" },
  },

  execution = {
    model = { "independent", source = "docs/results/h100/gt200_listings.json, simt.listing4 and barrier.granularity" },
    turn = { 1000, assumed = "gt200_divergence.json, divergence.serialized: paths of up to some hundred "
                             .. "instructions run one after another" },
  },

  block_scheduler = {
    interval = { "1.2 clocks", source = chip .. ", nothing: 1.21 clocks from 32,000 to 65,000 blocks of 32 to 512 threads" },
  },
  launch = {
    overhead = { "3.3 us", source = "tests/data/h100_small_copies.csv: 3.6 to 3.9 us of a warm copy of 64 KB, less its blocks" },
  },

  op = {
    source = operations,
    alu    = op(4, 64.3),
    fp64   = op(8, 59.2),
    sfu    = op(17, 16.03),
    warp   = op(26, 31.5),
    tensor = op(24, 21.14),
    branch = op(12, 32, "no record; half a scheduler's rate"),

    -- Pipes of machine code: the latency of results that scoreboards protect, and threads a clock.
    -- From docs/results/operations/h100.json, whose rows name the instructions of each operation.
    ["sass.alu"]        = op(4, 64),      -- lop3.b32, min.u32, selp.b32: 63.6 to 64.1
    ["sass.fma"]        = op(4, 64),      -- of either pipe: fma.rn.f32, 127.4 with both
    ["sass.imad"]       = op(4, 64),      -- mad.lo.u32
    ["sass.wide"]       = op(9, 32),      -- mul.hi.u32
    ["sass.half"]       = op(4, 64),      -- add.f16
    ["sass.half.mma"]   = op(4, 64),      -- add.f16x2 takes this pipe and sass.half in turn: 127
    ["sass.fp64"]       = op(8, 64),      -- add.f64, mul.f64
    ["sass.dfma"]       = op(8, 58.65),   -- fma.rn.f64
    ["sass.mufu"]       = op(17, 16),     -- ex2.approx.f32
    ["sass.convert"]    = op(17, 16),     -- popc.b32; div.u32 shows that it is one pipe with sass.mufu
    ["sass.convert.64"] = op(19, 14.22),  -- cvt.rni.f64
    ["sass.uniform"]    = op(4, 64, "two clocks of a partition"),
    ["sass.memory"]     = op(1, 64, "one instruction each two clocks of a partition"),
    ["sass.memory.store.1"] = op(5, 32),  -- stmatrix.x1 less ldmatrix.x1
    ["sass.memory.store.2"] = op(9, 16),
    ["sass.memory.store.4"] = op(17, 8),
    ["sass.memory.sync"]    = op(36, 8),  -- mbarrier.test_wait
    ["sass.memory.sync.lane"] = op(24, 3.32),  -- mbarrier.arrive.test_wait, by further lanes
    ["sass.shuffle"]    = op(26, 31.5),   -- shfl.bfly.b32
    ["sass.match.any"]  = op(369, 0.5),   -- match.any.b32
    ["sass.match.any.64"] = op(435, 0.25),  -- match.any.b64
    ["sass.match.all"]  = op(28, 15.85),  -- match.all.b32
    ["sass.redux"]      = op(38, 15.84),  -- redux.add.u32, less a move from a uniform register
    ["sass.atoms"]      = op(26, 31),     -- atom.shared.add.u32
    ["sass.atoms.cas"]  = op(30, 15.76),  -- atom.shared.cas.b32
    ["sass.constant"]   = op(30, 64, "no record; a constant that is at hand"),
    ["sass.special"]    = op(20, 32, "no record of the latency; the rate is that of clock"),
    ["sass.special.uniform"] = op(33, 32, "by hand (docs/results/h200/mechanisms.csv, nosync)"),
    ["sass.branch"]     = op(5, 64),      -- activemask.b32 with one, elect.sync with two
    ["sass.branch.sync"] = op(13, 64),    -- div.rn.f32 less 44 clocks of others
    ["sass.alu.clock"]  = op(4, 31.33),   -- clock less 13 clocks of a comparison
    ["sass.special.signal"] = op(8, 32),  -- griddepcontrol.launch_dependents
    ["sass.branch.register"] = op(40, 25.6, "by hand (docs/results/h200/near_paths.csv, call)"),

    -- Products of matrices by the shape in the opcode: mma.m16n8k16 is HMMA.16816.
    ["sass.hmma.1684"]      = op(17, 32.23),
    ["sass.hmma.1688"]      = op(17, 32.4),
    ["sass.hmma.1688.tf32"] = op(24, 21.36),
    ["sass.hmma.16816"]     = op(24, 21.5),
    ["sass.hmma.sp.1688"]   = op(17, 21.4),
    ["sass.hmma.sp.16816"]  = op(17, 21.4),
    ["sass.hmma.sp.16816.tf32"] = op(24, 16.03),
    ["sass.hmma.sp.16832"]  = op(24, 16),
    ["sass.imma.8816"]      = op(14, 31.85),
    ["sass.imma.8832"]      = op(14, 31.85, "no record: as sass.imma.8816"),
    ["sass.imma.16816"]     = op(17, 31.95),
    ["sass.imma.16832"]     = op(24, 21.4),
    ["sass.imma.16864"]     = op(24, 21.4, "no record: as sass.imma.16832"),
    ["sass.imma.sp.16832"]  = op(17, 21.34),
    ["sass.imma.sp.16864"]  = op(24, 16),
    ["sass.bmma.88128"]     = op(14, 31.95),
    ["sass.bmma.168128"]    = op(17, 31.68),
    ["sass.bmma.168256"]    = op(24, 21.43),
    ["sass.dmma.8x8x4"]     = op(26, 8.03),
    ["sass.dmma.16x8x4"]    = op(34, 7.9),
    ["sass.dmma.16x8x8"]    = op(50, 3.99),
    ["sass.dmma.16x8x16"]   = op(82, 2),

    -- Integers. The assembler gives additions, and shifts by one, to two pipes in turn.
    ["add.u32"] = op(5, 127.5),
    ["sub.s32"] = op(5, 127.4),
    ["add.s32"] = op(5, 127.5, "as add.u32"),
    ["sub.u32"] = op(5, 127.5, "as sub.s32"),
    ["add.u64"] = op(9, 64, "docs/results/README.md: 9.0 clocks in a chase; half of add.u32's rate: two words"),
    ["add.s64"] = op(9, 64, "as add.u64"),
    ["sub.u64"] = op(9, 64, "as add.u64"),
    ["sub.s64"] = op(9, 64, "as add.u64"),
    ["min.u32"] = op(4, 64.15),
    ["max.s32"] = op(4, 63.6),
    ["mul.lo.u32"] = op(4, 63.2),
    ["mul.lo.s32"] = op(4, 63.2, "as mul.lo.u32"),
    ["mad.lo.u32"] = op(4, 63.9),
    ["mad.lo.s32"] = op(4, 63.9, "as mad.lo.u32"),
    ["mul.hi.u32"] = op(9, 31.8),
    ["mul.hi.s32"] = op(9, 31.8, "as mul.hi.u32"),
    ["mad.hi.u32"] = op(9, 31.8, "as mul.hi.u32"),
    -- 16.5 clocks recorded; results come at whole ones.
    ["mad.wide.u32"] = op(16.5, 25.5),
    ["mad.wide.s32"] = op(16.5, 25.5, "as mad.wide.u32"),
    ["mul.wide.u32"] = op(16.5, 25.5, "as mad.wide.u32"),
    ["mul.wide.s32"] = op(16.5, 25.5, "as mad.wide.u32"),
    ["mul.lo.u64"] = op(17, 15.98),
    ["mul.lo.s64"] = op(17, 15.98, "as mul.lo.u64"),
    ["mad.lo.u64"] = op(17, 15.98, "as mul.lo.u64"),
    ["mad.lo.s64"] = op(17, 15.98, "as mul.lo.u64"),
    ["mul.hi.u64"] = op(17, 15.98, "as mul.lo.u64, which has fewer products"),
    ["mul24.lo.u32"] = op(10, 62.1),
    ["mul24.lo.s32"] = op(10, 62.1, "as mul24.lo.u32"),
    ["sad.u32"] = op(4, 63.9),
    ["dp4a.u32.u32"] = op(4, 63.2),
    ["dp2a.lo.u32.u32"] = op(4, 63.2),
    ["min.s16x2"] = op(4, 63.8, "no record: as min.u32"),
    ["max.s16x2"] = op(4, 63.6, "no record: as max.s32"),
    ["vabsdiff4.u32.u32"] = op(8, 32, "no record: one machine instruction, and an addition"),
    ["and.b32"] = op(4, 64.2),
    ["or.b32"] = op(4, 63.9),
    ["xor.b32"] = op(4, 64.3),
    ["shl.b32"] = op(4, 64),
    ["shr.u32"] = op(4, 63.7),
    ["shr.s32"] = op(4, 63.8),
    ["shf.l.b32"] = op(4, 63.7),
    ["lop3.b32"] = op(4, 63.7),
    ["prmt.b32"] = op(4, 63.8),
    ["selp.b32"] = op(4, 64.1),
    ["bfe.u32"] = op(8, 16.01),
    ["bfe.s32"] = op(8, 16.01, "as bfe.u32"),
    ["bfi.b32"] = op(8, 16.01, "as bfe.u32: no record"),
    ["popc.b32"] = op(17, 16.01),
    ["clz.b32"] = op(23, 15.99),
    ["brev.b32"] = op(17, 16),
    ["bfind.u32"] = op(17, 16.01),
    ["bfind.s32"] = op(17, 16.01, "as bfind.u32"),
    ["div.u32"] = routine(129.5, 4.61),
    ["rem.u32"] = routine(127, 4.6),
    ["rem.s32"] = routine(137.6, 4.21),
    ["div.s32"] = op(137.3, 4.21, "h100/modern_routines.json has its latency; its rate is inconclusive: as rem.s32"),
    ["div.u64"] = op(129.5, 4.61, "no record: as div.u32, which takes less"),
    ["div.s64"] = op(137.3, 4.21, "no record: as div.s32, which takes less"),
    ["rem.u64"] = op(127, 4.6, "no record: as rem.u32, which takes less"),
    ["rem.s64"] = op(137.6, 4.21, "no record: as rem.s32, which takes less"),

    -- Single precision.
    ["add.f32"] = op(4, 128.2),
    ["sub.f32"] = op(4, 128.2, "as add.f32"),
    ["mul.f32"] = op(4, 128.8),
    ["fma.f32"] = op(4, 126.7),
    ["mad.f32"] = op(4, 126.7, "as fma.rn.f32: the same machine instruction"),
    ["min.f32"] = op(4, 63.8),
    ["max.f32"] = op(4, 63.7),
    ["sin.approx.f32"] = op(23, 16.01),
    ["cos.approx.f32"] = op(23, 16.04),
    ["ex2.approx.f32"] = op(17, 16.04),
    ["lg2.approx.f32"] = op(17, 16),
    ["rcp.approx.f32"] = op(17, 16),
    ["rsqrt.approx.f32"] = op(17, 16.03),
    ["sqrt.approx.f32"] = op(17, 15.95),
    ["tanh.approx.f32"] = op(17, 16.01),
    ["cvt.f32.f32"] = op(17, 15.95),
    ["cvt.s32.f32"] = op(12, 16, "docs/results/h200/twin_training.csv, train_chains: 23 clocks there and back"),
    ["cvt.f32.s32"] = op(11, 16, "as cvt.s32.f32"),
    ["cvt.u32.f32"] = op(12, 16, "as cvt.s32.f32"),
    ["cvt.f32.u32"] = op(11, 16, "as cvt.s32.f32"),
    ["div.approx.f32"] = routine(23, 15.89),
    ["div.full.f32"] = routine(45, 14.88),
    ["div.f32"] = routine(57.1, 7.4),
    ["sqrt.f32"] = routine(55.2, 11.31),
    ["rcp.f32"] = op(55.2, 11.31, "no record: as sqrt.rn.f32, which iterates likewise"),

    -- Double precision.
    ["add.f64"] = op(8, 64.2),
    ["sub.f64"] = op(8, 64.2, "as add.f64"),
    ["mul.f64"] = op(8, 63.7),
    ["fma.f64"] = op(8, 59.2),
    ["min.f64"] = op(25, 14.88),
    ["max.f64"] = op(25, 14.88),
    ["div.f64"] = routine(124, 4.98),
    ["sqrt.f64"] = op(124, 4.98, "no record: as div.rn.f64"),
    ["rcp.f64"] = op(124, 4.98, "no record: as div.rn.f64"),

    -- Pairs of half precision and bfloat.
    ["add.f16x2"] = op(8, 87.4),
    ["sub.f16x2"] = op(8, 87.4, "as add.f16x2"),
    ["mul.f16x2"] = op(8, 87.5),
    ["fma.f16x2"] = op(8, 85.4),
    ["add.bf16x2"] = op(8, 87.5),
    ["sub.bf16x2"] = op(8, 87.5, "as add.bf16x2"),
    ["mul.bf16x2"] = op(8, 87.5),
    ["fma.bf16x2"] = op(8, 84.2),
    ["add.f16"] = op(8, 87.4, "as add.f16x2"),
    ["mul.f16"] = op(8, 87.5, "as mul.f16x2"),
    ["fma.f16"] = op(8, 85.4, "as fma.f16x2"),
    ["add.bf16"] = op(8, 87.5, "as add.bf16x2"),
    ["mul.bf16"] = op(8, 87.5, "as mul.bf16x2"),
    ["fma.bf16"] = op(8, 84.2, "as fma.bf16x2"),

    -- The lanes of a warp. A ballot's 17 clocks are recorded with the comparison before it.
    ["shfl.sync.bfly.b32"] = op(26, 31.5),
    ["shfl.sync.idx.b32"] = op(26, 31.6),
    ["vote.sync.ballot.b32"] = op(13, 31.6, "op.vote.ballot.b32 less 4 clocks of its comparison"),
    ["match.any.sync.b32"] = op(369, 0.5),
    ["match.all.sync.b32"] = op(28, 15.79),
    ["redux.sync.add.u32"] = op(44, 15.77),
    ["redux.sync.min.u32"] = op(44, 15.68),

    -- Of one warp, with no grid to wait for and none that depends: by hand, on an H200.
    ["griddepcontrol.wait"] = griddep(1),
    ["griddepcontrol.launch_dependents"] = griddep(8),

    -- Shared memory, each lane its own word.
    ["atom.shared.add.u32"] = op(26, 32.25),
    ["atom.shared.exch.b32"] = op(26, 32.05),
    ["atom.shared.cas.b32"] = op(30, 16.06),

    -- Matrix products: a thread's share counts, 32 to a product.
    ["mma.m16n8k16.f16.f16"] = op(24, 21.88),
    ["mma.m16n8k16.f32.f16"] = op(24, 21.14),
    ["mma.m16n8k16.f32.bf16"] = op(24, 21.21),
    ["mma.m16n8k8.f32.tf32"] = op(24, 21.21),
    ["mma.m16n8k8.f32.f16"] = op(17, 26, "docs/results/h200/twin_training.csv, train_matrix: 17.5 clocks, 32 warps 4.9"),
    ["mma.m16n8k8.f32.bf16"] = op(17, 26, "as mma.m16n8k8.f32.f16"),
    ["mma.m8n8k4.f64.f64"] = op(25, 7.8, "docs/results/h200/twin_training.csv, train_matrix: 32 warps 16.4"),
    ["mma.m16n8k32.s32.s8"] = op(24, 21.34),
    ["wmma.mma.f32.f16"] = op(27, 10.57, "no record: two mma.m16n8k16, one behind the other"),
    ["wmma.mma.f16.f16"] = op(27, 10.94, "as wmma.mma.f32.f16"),
    ["wmma.mma.f32.bf16"] = op(27, 10.6, "as wmma.mma.f32.f16"),
    ["wmma.mma.f32.tf32"] = op(27, 10.6, "no record: two mma.m16n8k8"),
    ["wmma.mma.s32.s8"] = op(27, 10.6, "as wmma.mma.f32.f16: half of the columns of mma.m16n8k32, twice as many"),
    ["wmma.mma.s32.u8"] = op(27, 10.6, "as wmma.mma.s32.s8"),
  },

  coalescer = { line = { "32 B", source = memory .. ", l1.sector: what a request brings" } },

  lsu = {
    assumed = "a warp's 128 bytes in a clock: no record of L1's bandwidth; the memory queue spaces what leaves the SM",
    pipelines = 1,
    clocks_per_load = 1,
    clocks_per_lane = 0,
    writeback_per_lane = 0,
    issue = { "3.5 clocks", source = training .. ", train_shared_width: 3.4 to 4 clocks of a load of a warp, by word" },
    banks_line = { "1 clock", source = "docs/results/h200/shared_pipe.csv: 1.04 clocks of each of four passes of a load "
                                       .. "beside loads of shared memory" },
    split = { "0.9 clocks", source = training .. ", train_pieces: 64 B apart 32 clocks more than the queues explain" },
    narrow = { "2 clocks", source = training .. ", train_width, dense_cg: 2.1 clocks of a load of bytes" },
    issue_store = { "6 clocks", source = training .. ", train_stores: 20 clocks of one store, 50 of six" },
  },

  -- No mshr, no prt, no scoreboard: docs/results/h100/kepler_prt.json and scoreboard_limit.json find no
  -- limit up to 3072 requests, and 12 loads of a warp.
  memory_queue = {
    uncoalesced = { "1.013 clocks", source = "docs/results/h100/kepler_prt.json, outstanding.slope[n=3]: 1.034, less "
                                             .. "the barrier's 2 clocks for 96 requests of a warp" },
    coalesced = { "1.013 clocks", assumed = "as uncoalesced: a line is asked for once, whatever its lanes want of it" },
    line = { "128 B", source = "docs/results/h100/hopper_async.json, cp_async.bandwidth[cache=cg]: 121.6 B/clk of 16-byte "
                               .. "copies, which 32 B a clock would not give" },
    returned = { 121.6, source = "docs/results/h100/hopper_async.json, cp_async.bandwidth[cache=cg]: 118.8 to 124.4" },
  },
  store_buffer = {
    queue = { 22, source = rates .. ", rate.store_lines.held: 5.8 warps of four stores" },
    line = { "1 clock", source = training .. ", train_stores, six: 64, 48, 40 and 20 clocks for 32 sectors of 32, 16 and 8 lines, "
                               .. "and 16 of 4" },
    entries = { 40, source = training .. ", train_stores, six: words side by side wait from the 36th store on" },
    interval = { "1 clock", assumed = "docs/results/hopper.md, HO5: bulk stores of 32 B/clk of an SM; of other stores "
                                      .. "there is no record" },
  },

  l1 = {
    capacity = { "256 KB", source = h200 .. ", l1.capacity" },
    line = { "128 B", source = memory .. ", l1.line" },
    sector = { "32 B", source = memory .. ", l1.sector" },
    ways = { 4, source = h200 .. ", l1.ways" },
    set_bits = {
      { 7, 16, 17, 19, 20 }, { 8, 17, 18 }, { 9, 18 }, { 10, 17, 19, 20 }, { 11, 16, 17, 18, 20 },
      { 12, 16, 18, 20 }, { 13, 16, 18, 19 }, 14, { 15, 18, 19 },
      source = h200 .. ", l1.sets: parities, the same on three boards",
    },
    policy = { "aged", source = h200 .. ", l1.policy: every visit of three sequences by hand" },
    latency = { "32 clocks", source = tables .. ": 32.0 by hand; docs/results/README.md: the same on an H100" },
    bandwidth = { 128, source = "docs/results/h100/hopper_bandwidth.json, bandwidth.l1: 127.6 B/clk of an SM" },
    missed = { "1 clock", assumed = "as memory_queue's: loads that hit wait behind those that miss (train_stride)" },
    banks = { 32, source = rates .. ", twin_hits: a line of each lane takes 32 clocks of a load, half a line 16" },
    ["local"] = { "through", source = "docs/results/predict/h200/counters.csv, count_digits_16: L2 sees the sectors of all "
                                    .. "stores to local memory and of no load" },
    lookup = { "0.35 clocks", assumed = "four tags a clock, as NVIDIA says of Volta (forums.developer.nvidia.com/t/49571, "
                                       .. "of L1: t/312884); no record of an H100's hits in many lines" },
    texture_extra = { "58 clocks", source = memory .. ", tex.latency.spread: 94 clocks, less a shift of 4 and L1's 32" },
  },

  -- An SM's own half holds what its SMs read, from either half. A list of 32 to 44 MB misses it
  -- throughout: half of the lines come from the other half, half from memory. Then
  --   near half: a = 271.4; lists of 32 to 44 MB: (a + x + d) / 2 = 517.7; beyond L2: d + x / 2 = 675.1
  -- with x what the other half takes more and d memory behind the own half: x = 178, d = 586.
  l2 = {
    capacity = { "50 MB", source = "docs/results/README.md: this GPU's 50 MB" },
    line = { "128 B", source = memory .. ", l2.line" },
    sector = { "64 B", source = memory .. ", l2.sector: as the driver is set" },
    ways = { 16, source = h200 .. ", l2.ways" },
    set_bits = l2_sets,
    set_choice = { "modulo", assumed = "12,800 sets of a half are no power of two" },
    policy = { "lru", source = h200 .. ", l2.policy" },
    latency = { "271 clocks", source = memory .. ", global.cg.level1.latency" },
  },
  l2_partitions = {
    side_bits = { { 12, 13, 16, 17, 19, 21 }, assumed = "no record; parity of address & 0x2B3000, of a public program" },
    sides = sides,
    extra = { 0, 178, 178, 0, assumed = "follows from three levels of " .. memory .. ": see above" },
    far_hit = { "copy", assumed = memory .. ", global.cg.level1.reach: lists of 21 MB are near throughout" },
  },

  l2_slices = {
    count = { 80, assumed = "published of the whole GH100; no record" },
    distances = of_slice,
    request = { "1.25 clocks", source = chip .. ", load, 4B random: 69 to 77 sectors a clock of 96 slices" },
    store_request = { "2.5 clocks", source = chip .. ", store, 4B to 32B random: 37 to 38 sectors a clock of 96 slices" },
    store = { "1.2 clocks", source = chip .. ", stream_write of 8 and of 32 MB: 5.17 TB/s" },
    partial = { "1.6 clocks", source = chip .. ", store and red, 4B by 32: 58 sectors a clock of 96 slices" },
    bandwidth = { 47, source = "docs/results/h100/hopper_bandwidth.json, bandwidth.l2: 7.44 TB/s, 3756 B/clk of all" },
  },

  dram = {
    latency = { "586 clocks", assumed = "follows from three levels of " .. memory .. ": see l2" },
    departure = { "0.0415 clocks", source = "docs/results/h100/hopper_bandwidth.json: 3042 GB/s (2948 to 3141) read, 64 B at a time" },
    write_departure = { "0.039 clocks", source = "docs/results/h100/hopper_bandwidth.json: 3251 GB/s (3221 to 3281) written" },
    turn = { "0.012 clocks", source = "docs/results/h100/hopper_bandwidth.json: 2891 GB/s (2862 to 2920) copied, by lines" },
  },

  -- 16 warps of an SM on one address complete 0.4993 a clock, on words 8 B apart, which are eight
  -- requests of a warp, 2.6897. 65,536 threads of all SMs complete 1.365 reductions a ns on one
  -- address (samples of hopper_reductions): 0.69 a clock. Atomics are taken to queue as they do.
  atomics = {
    source = "docs/results/h100/hopper_atomics.json, atomic.throughput[op=atom.add.u32,space=global]",
    access = "1.7 clocks",
    line = "1 clock",
    request = "1 clock",
    burst = { "536 clocks", source = training .. ", train_atomics" },
    turn = { "1.2 clocks", source = near .. ", red, lanes 32 distinct 8 and 32: 1.17 and 1.26" },
    unit_bits = { 8, 10, 11, source = near .. ", red, places 2: as slow as one place where 128 and 512 B apart, and twice "
                                          .. "as fast 256, 1024 and 2048 B" },
    real = { "3.474 clocks", source = "docs/results/h200/hopper_atomics.json, hopper_reductions, red.add.f32, f64 and f16x2, same" },
    lane = "1.948 clocks",
    address = { "1.447 clocks", assumed = "docs/results/h100/hopper_atomics.json, hopper_reductions, red.add.u32, same: "
                                         .. "reductions; 1.36 a ns of atomics by hand in docs/results/hopper.md, HO18" },
  },

  tlb_l1 = {
    source = h200 .. ", tlb.l1.*",
    page = "16 MB",
    entries = 16,
    ways = 16,
    scope = { "tpc", assumed = "published of Turing and Ampere; no record" },
    miss = { "10 clocks", source = tables .. ": extra clocks of a miss" },
  },
  tlb_l2 = {
    source = h200 .. ", tlb.l2.*",
    page = "32 MB",
    entries = 2048,
    ways = 8,
    scope = { "gpc", assumed = "published of Turing and Ampere; no record" },
    miss = { "99 clocks", source = tables .. ": 10, then 89 more" },
  },

  interconnect = { offsets = offsets },

  shared = {
    source = memory .. ", shared.*",
    latency = "23 clocks",
    banks = 32,
    width = "4 B",
    word = "4 B",
    lanes = 32,
    group = { "128 B", source = "docs/results/h200/shared_pipe.csv: loads of 16 B a lane take 4.2 clocks, 2.15 of one word" },
    pass = "2 clocks",
    partition_pass = { "2 clocks", source = training .. ", train_shared: 64 clocks of a load of 32 passes of one warp" },
    busy = { "1 clock", source = "docs/results/hopper.md, HO15, an H100: stores of 127 B/clk of an SM, a pass each" },
    atomic = { "1 clock", source = "docs/results/h100/hopper_atomics.json, atomic.throughput[space=shared]: 0.996 on one "
                                   .. "address, 14.9 in two lanes of each bank" },
  },

  constant = {
    latency = { "586 clocks", assumed = "as a global load: no record" },
    l2_latency = { "271 clocks", assumed = "as a global load: no record" },
    pass = { "2.15 clocks", source = near .. ", constant, in a row: 2.4 clocks of one word, 69.1 of 32" },
    launch = { "lost", source = training .. ", train_constant: a line of 256 B misses once in each launch" },
  },
  constant_l1 = {
    source = memory .. ", const.l1.*",
    capacity = "2 KB",
    line = "64 B",
    ways = 4,
    set_bits = { 6, 7, 8 },
    policy = "plru",
    scope = "sm",
    latency = "16.7 clocks",
  },
  constant_l2 = {
    capacity = { "64 KB", assumed = h200 .. ", const.l2.latency: more than 40 KB; all of constant memory" },
    line = { "256 B", assumed = "of twin_training.csv, train_constant: a miss for each 256 B" },
    ways = { 16, assumed = "no record" },
    scope = { "gpc", source = h200 .. ", const.l2.scope: 16 SMs" },
    latency = { "86.7 clocks", source = h200 .. ", const.l2.latency" },
    bandwidth_per_sm = { 1.42, source = near .. ", constant, 8192 words of 32 warps: 21.3 clocks, of 0.44 lines of 64 B" },
  },

  -- Clocks beyond the 1.21 an instruction of the first level, for 8 instructions at a time, where nothing
  -- was fetched ahead; code that was comes as fast as the levels hand it over.
  instruction = {
    bytes = { "16 B", source = h200 .. ", device.instruction_bytes" },
    fetch = { "128 B", assumed = "inst.fetch is inconclusive: a line" },
    latency = { "36 clocks", source = tables .. ", code, beyond: 5.75 clocks an instruction" },
    bandwidth = { 2.783, source = tables .. ", code, beyond: 5.75 clocks an instruction of 16 B" },
    prefetch = { "1 KB", assumed = tables .. ", inst.fetch is inconclusive because something is fetched ahead: as many lines "
                                   .. "as hide the way to the far half of L2" },
  },
  instruction_l1 = {
    capacity = { "32 KB", source = tables .. ", code, first level: 25 to 32 KB by hand" },
    line = { "128 B", assumed = "as instruction.fetch" },
    ways = { 4, assumed = "no record" },
    scope = { "tpc", source = tables .. ", code, first level" },
    latency = { "0 clocks", assumed = "1.21 clocks an instruction are little more than its issue" },
  },
  instruction_l2 = {
    capacity = { "128 KB", source = tables .. ", code, second level: 112 to 128 KB by hand" },
    line = { "128 B", assumed = "as instruction.fetch" },
    ways = { 16, source = training .. ", train_code_loop: of a loop of 140 KB nothing hits" },
    scope = { "gpc", source = tables .. ", code, second level: of 16 SMs" },
    latency = { "10 clocks", source = tables .. ", code, second level: 2.41 clocks an instruction" },
    bandwidth_per_sm = { 6.639, source = tables .. ", code, second level: 2.41 clocks an instruction of 16 B" },
  },

  -- The record has N 8 to 256: max(N / 2, 13) clocks with A in registers, else no less than 16 + N / 4,
  -- what both tiles take at 128 bytes a clock; sparse products two clocks more. A sum can be read
  -- after N / 2 + max(34, 25 + N / 8) clocks, ten later with A in shared memory.
  wgmma = {
    source = wgmma .. ", wgmma.latency and wgmma.completion",
    column = "0.5 clocks",
    least = "13 clocks",
    shared_bandwidth = 128,
    sparse = { "2 clocks", source = wgmma .. ", wgmma.sparse.latency: 146 and 130 for N 256" },
    latency = "34 clocks",
    sums = "25 clocks",
    sums_column = "0.125 clocks",
    shared_latency = "10 clocks",
  },

  -- The SM of an H200 is the same.
  async_copy = {
    interval = { "8.8 clocks", source = training .. ", train_async, words: 2.2 clocks of a copy of an SM" },
    extra = { "19 clocks", source = "docs/results/h200/hopper_async.json, cp_async.latency[bytes=16]: 52.0, a load 33 here" },
  },
  bulk_copy = {
    source = "docs/results/h200/hopper_tma.json, tma.latency by bytes: 314.6 to 640.5, stores 41.5 to 1066; 15 clocks "
             .. "of a load are its announcement and the wait",
    latency = "280 clocks",
    bandwidth = 100,
    store_latency = "40 clocks",
    store_bandwidth = 32,
    l2_bandwidth = { 4356, source = "docs/results/hopper.md, HO5, an H200: of 132 blocks at once 33 B/clk an SM" },
    l2_store_bandwidth = { 2112, source = "docs/results/hopper.md, HO5, an H200: of 132 blocks at once 16 B/clk an SM" },
    interval = { "18 clocks", source = "docs/results/hopper.md: copies of 256 B by hand, 13.9 B/clk" },
    tensor_latency = { "290 clocks", source = "docs/results/h200/hopper_tma.json, tma.latency[box=two]: 331 to 612" },
    row = { "1 clock", source = "docs/results/h200/hopper_tma.json, tma.latency[box=narrow]: 1.00 for a row of 16 B" },
  },
  mbarrier = {
    source = "docs/results/h200/hopper_mbarrier.json, mbarrier.arrive and test_wait",
    arrive = "31 clocks",
    test = "36 clocks",
  },

  barrier = {
    source = "docs/results/h100/gt200_barrier.json, barrier.latency: 14 clocks apart for one warp, 44 for 16",
    latency = "14 clocks",
    per_warp = "2 clocks",
    queue = { 12, assumed = "as an H200's, by hand (docs/results/h200/mechanisms.csv)" },
  },
  -- A load takes what the places of both SMs in their GPC take: the record has those from the first
  -- SM, and dsmem_pairs.csv says which part of 203.5 clocks is the first SM's.
  cluster = {
    most = { 16, source = "NVIDIA CUDA C++ programming guide: 8 blocks are portable, an H100 allows 16" },
    latency = { "173 clocks", source = pairs .. ": no SM is nearer than the nearest" },
    positions = {
      17, 13.5, 12, 10, 9, 12, 12.5, 8.5, 7, 5, 3, 6, 7.5, 3.5, 2, 0, 5.5, 5,
      source = dsmem .. ", dsmem.latency[cluster=16]; the last two, 10.5 in all, [cluster=2]",
    },
    pairs = { "last", source = pairs .. ": clusters of two blocks run on SMs 120 to 131 first" },
    own = { "26 clocks", source = dsmem .. ", dsmem.latency[cluster=2,rank=0]" },
    bandwidth = { 17.5, source = dsmem .. ", dsmem.bandwidth[cluster=2]: 12.2 B/clk in words, 15.7 in 16 bytes" },
    request = { "3.2 clocks", source = dsmem .. ", dsmem.bandwidth[cluster=2]: see bandwidth" },
    store_bandwidth = { 22.8, source = "docs/results/h200/hopper_dsmem.json, dsmem.bandwidth[cluster=2]: 12.9 B/clk "
                                       .. "in words, 19.1 in 16 bytes; 13.9 and 18.8 on an H100" },
    store_request = { "4.3 clocks", source = "docs/results/h200/hopper_dsmem.json: see store_bandwidth" },
    barrier = { "58 clocks", source = cluster .. ", cluster.barrier[cluster=1,kind=relaxed]" },
    barrier_steps = { 0, 1, 5, 9, 9, source = cluster .. ", cluster.barrier[kind=relaxed]" },
    release = { "671 clocks", source = cluster .. ", cluster.barrier[cluster=1]: 728 (729 once), less the relaxed one" },
    release_steps = { 0, 23, 25, 62, 142, source = cluster .. ", cluster.barrier: 749 to 885, within 6 of 753, 759, 800, 880" },
  },
  clock_register = {
    cost = { "8 clocks", source = "h100/modern_operations.json, samples: 64 dependent xor take 272 clocks, 16 more than theirs, "
                                  .. "of which the test of the result takes 4 and the last barrier 4" },
  },

  noise = {
    assumed = "repeated launches of a real GPU differ by a few clocks, rarely by more",
    jitter = "2 clocks",
    outlier_probability = 1e-6,
    outlier = "60 clocks",
  },
}
