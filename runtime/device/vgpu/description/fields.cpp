// The table of fields. Interface: fields.h.
// Covered by tests/vgpu/device_test.cpp.
#include "runtime/device/vgpu/description/fields.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpx::vgpu::timing {
namespace {

using D = Description;
using Kind = FieldKind;

constexpr double kMost = 1e9;  // clocks; far beyond any latency

template <typename T>
T to(double value) {
  return static_cast<T>(value);
}

/// An optional list of clocks.
Field steps(std::string path, std::string help, std::vector<double>& (*of)(D&)) {
  return {.path = std::move(path),
          .kind = Kind::reals,
          .need = Need::optional,
          .low = 0,
          .high = kMost,
          .fallback = "none",
          .help = std::move(help),
          .list = [of](D& d, const std::vector<std::vector<double>>& lists) {
            of(d).clear();
            for (const auto& one : lists) of(d).push_back(one.front());
          }};
}

const std::vector<Field> kCoreFields = {
    {"name", Kind::text, Need::always, 0, 0, "", "the name in --device and reports", nullptr,
     [](D& d, const std::string& s) { d.name = s; }},
    {"base", Kind::text, Need::optional, 0, 0, "none",
     "a file of the same folder, without its ending, whose fields this one has unless it gives its "
     "own",
     nullptr, [](D&, const std::string&) {}},
    {"title", Kind::text, Need::optional, 0, 0, "empty", "a description, for people", nullptr,
     [](D& d, const std::string& s) { d.title = s; }},
    {"clock", Kind::frequency, Need::always, 1e6, 1e11, "", "frequency of the SM clock",
     [](D& d, double v) { d.clock_hz = v; }},
    {"compute_capability", Kind::text, Need::always, 0, 0, "", "as a driver reports it: \"3.5\"",
     nullptr, [](D& d, const std::string& s) { d.compute_capability = s; }},
    {"machine_code", Kind::text, Need::optional, 0, 0, "PTX",
     "executes the machine code for this target, such as \"sm_90a\", where NVRTC is there to make "
     "it",
     nullptr, [](D& d, const std::string& s) { d.machine_code = s; }},
    {"memory", Kind::bytes, Need::always, 1 << 20, 0x1p44, "", "size of the global memory",
     [](D& d, double v) { d.memory_bytes = to<std::uint64_t>(v); }},
    {"sm.count", Kind::count, Need::always, 1, 1023, "", "SMs of the device",
     [](D& d, double v) { d.sm.count = to<std::uint32_t>(v); }},
    {"sm.warp_slots", Kind::count, Need::always, 1, 256, "", "warps that an SM holds at once",
     [](D& d, double v) { d.sm.warp_slots = to<std::uint32_t>(v); }},
    {"sm.block_slots", Kind::count, Need::always, 1, 256, "", "blocks that an SM holds at once",
     [](D& d, double v) { d.sm.block_slots = to<std::uint32_t>(v); }},
    {"sm.max_threads_per_block", Kind::count, Need::always, 1, 8192, "", "largest block",
     [](D& d, double v) { d.sm.max_threads_per_block = to<std::uint32_t>(v); }},
    {"sm.schedulers", Kind::count, Need::always, 1, 32, "",
     "warp schedulers; each issues one warp instruction per issue_interval. Warp slot s belongs to "
     "scheduler s modulo their number",
     [](D& d, double v) { d.sm.schedulers = to<std::uint32_t>(v); }},
    {"sm.partitions", Kind::count, Need::optional, 1, 32, "1",
     "parts of an SM, each with its share of the units alu, fp64, sfu and tensor. A warp uses only "
     "the units of part slot modulo partitions",
     [](D& d, double v) { d.sm.partitions = to<std::uint32_t>(v); }},
    {"sm.issue_interval", Kind::time, Need::optional, 1, 1e6, "1 clock",
     "between two warp instructions of a scheduler, or the interval in op if that is smaller; "
     "fractions allowed",
     [](D& d, double v) { d.sm.issue_interval = v; }},
    {"sm.operand_reads", Kind::real, Need::optional, 0.25, 64, "no limit",
     "32-bit registers that a part reads in a clock for arithmetic, besides those that the "
     "instruction before has read",
     [](D& d, double v) { d.sm.operand_reads = v; }},
    {"sm.contraction", Kind::word, Need::optional, 0, 0, "none",
     "fused: a product without a rounding mode whose sum with something follows costs nothing",
     nullptr, [](D& d, const std::string& s) { d.sm.contracts = s == "fused"; }, "none fused"},
    {"sm.shared", Kind::bytes, Need::always, 0, 1 << 24, "",
     "shared memory of an SM, divided among its resident blocks",
     [](D& d, double v) { d.sm.shared_bytes = to<std::uint64_t>(v); }},
    {"sm.shared_reserved", Kind::bytes, Need::optional, 0, 1 << 24, "0 B",
     "reserved by the system in each block (CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK)",
     [](D& d, double v) { d.sm.shared_reserved = to<std::uint64_t>(v); }},
    {"sm.per_tpc", Kind::count, Need::optional, 1, 1023, "1",
     "SMs of a TPC; SM s (its %smid) belongs to TPC s / per_tpc, rounded down. Blocks fill the "
     "first SM of every TPC, then the second, and so on",
     [](D& d, double v) { d.sm.per_tpc = to<std::uint32_t>(v); }},
    {"sm.per_gpc", Kind::count, Need::optional, 1, 1023, "all",
     "TPCs of a GPC; TPC t belongs to GPC t / per_gpc, rounded down",
     [](D& d, double v) { d.sm.per_gpc = to<std::uint32_t>(v); }},
    {"sm.select_ahead", Kind::time, Need::optional, 0, 1e6, "0 clocks",
     "an instruction that was ready at least this long before its unit became free follows without "
     "a gap (loads, stores and clock reads always do)",
     [](D& d, double v) { d.sm.select_ahead = v; }},
    {"sm.late_gap", Kind::time, Need::optional, 0, 1e6, "0 clocks",
     "idle time of the unit before any other instruction; fractions allowed",
     [](D& d, double v) { d.sm.late_gap = v; }},
    {"registers.per_sm", Kind::count, Need::section, 1, 1 << 24, "",
     "32-bit registers of an SM, divided among its resident blocks",
     [](D& d, double v) { d.registers->per_sm = to<std::uint32_t>(v); }},
    {"registers.per_thread_max", Kind::count, Need::section, 1, 65536, "",
     "most registers of a thread; a kernel that uses more cannot be launched",
     [](D& d, double v) { d.registers->per_thread_max = to<std::uint32_t>(v); }},
    {"registers.per_thread_quantum", Kind::count, Need::optional, 1, 65536, "1",
     "the registers of a thread are rounded up to a multiple of this",
     [](D& d, double v) { d.registers->per_thread_quantum = to<std::uint32_t>(v); }},
    {"registers.thread_quantum", Kind::count, Need::optional, 1, 8192, "1",
     "a block's threads are rounded up to a multiple of this when registers are allocated",
     [](D& d, double v) { d.registers->thread_quantum = to<std::uint32_t>(v); }},
    {"execution.model", Kind::word, Need::section, 0, 0, "",
     "execution of a diverged warp. stack: the taken path runs first, up to the reconvergence "
     "point, and a barrier counts warps, a serialized path as one; independent: groups of lanes "
     "alternate, and a barrier counts threads",
     nullptr,
     [](D& d, const std::string& s) {
       d.execution.model = s == "stack" ? exec::Model::stack : exec::Model::independent;
     },
     "stack independent"},
    {"execution.turn", Kind::count, Need::optional, 1, 1e6, "64",
     "instructions of a group before the next group runs (model independent)",
     [](D& d, double v) { d.execution.turn = to<std::uint32_t>(v); }},
    {"block_scheduler.interval", Kind::time, Need::section, 0, 1e6, "",
     "between the starts of two blocks of a grid on any SMs; fractions allowed",
     [](D& d, double v) { d.block_interval = v; }},
    {"block_scheduler.warp", Kind::time, Need::optional, 0, 1e6, "0 clocks",
     "between the starts of two warps on an SM; fractions allowed",
     [](D& d, double v) { d.warp_interval = v; }},
    {"block_scheduler.refill", Kind::time, Need::optional, 0, 1e6, "0 clocks",
     "for which the place of a block that has ended stays empty, before the next block starts",
     [](D& d, double v) { d.block_refill = v; }},
    {"launch.overhead", Kind::time, Need::section, 0, 1e9, "",
     "time of a launch besides its blocks, as events around it measure; part of `observe time`",
     [](D& d, double v) { d.launch_overhead = v; }},
    {"launch.cold", Kind::time, Need::optional, 0, 1e9, "0 clocks",
     "additional time of a launch behind a flush of L2, whose code and arguments are not there",
     [](D& d, double v) { d.launch_cold = v; }},
    {"launch.after_accesses", Kind::time, Need::optional, 0, 1e9, "launch.overhead",
     "part of the overhead that comes after the last store or reduction; the rest, after the last "
     "warp",
     [](D& d, double v) { d.launch_after_accesses = v; }},
    {"wgmma.column", Kind::time, Need::section, 0.001, 1e6, "",
     "tensor core time per column of B, 32 bytes deep; fractions allowed",
     [](D& d, double v) { d.wgmma->column = v; }},
    {"wgmma.least", Kind::time, Need::optional, 1, 1e6, "1 clock",
     "least tensor core time of a product; fractions allowed",
     [](D& d, double v) { d.wgmma->least = v; }},
    {"wgmma.shared_bandwidth", Kind::real, Need::section, 0.001, 1e6, "",
     "B/clock; a product takes at least the time to read its tiles from shared memory: 32 bytes "
     "per row of A, unless A is in registers, and of B (64 of B if sparse)",
     [](D& d, double v) { d.wgmma->shared_bandwidth = v; }},
    {"wgmma.sparse", Kind::time, Need::optional, 0, 1e6, "0 clocks",
     "additional tensor core time of a product with sparse A",
     [](D& d, double v) { d.wgmma->sparse = v; }},
    {"wgmma.latency", Kind::time, Need::section, 1, kMost, "",
     "least time from the last column of a product to the waiting warp's next instruction",
     [](D& d, double v) { d.wgmma->latency = v; }},
    {"wgmma.sums", Kind::time, Need::optional, 0, kMost, "0 clocks",
     "alternative to `latency`: this plus `sums_column` per column; the larger one counts",
     [](D& d, double v) { d.wgmma->sums = v; }},
    {"wgmma.sums_column", Kind::time, Need::optional, 0, 1e6, "0 clocks",
     "see `sums`; fractions allowed", [](D& d, double v) { d.wgmma->sums_column = v; }},
    {"wgmma.shared_latency", Kind::time, Need::optional, 0, kMost, "0 clocks",
     "additional latency of a product with A in shared memory",
     [](D& d, double v) { d.wgmma->shared_latency = v; }},
    {"async_copy.extra", Kind::time, Need::section, 0, kMost, "",
     "from the completion of a load to the next instruction of a warp that waits for the copy",
     [](D& d, double v) { d.async_copy->extra = v; }},
    {"async_copy.interval", Kind::time, Need::optional, 0, kMost, "as lsu.issue",
     "between two copies that one part of an SM issues",
     [](D& d, double v) { d.async_copy->interval = v; }},
    {"async_copy.line", Kind::time, Need::optional, 0, kMost, "as memory_queue",
     "between two lines of a copy", [](D& d, double v) { d.async_copy->line = v; }},
    {"async_copy.narrow", Kind::time, Need::optional, 0, kMost, "as of loads",
     "of the load/store pipeline for each word of 4 bytes that a lane of a copy of less than 16 "
     "bytes brings; fractions allowed",
     [](D& d, double v) { d.async_copy->narrow = v; }},
    {"bulk_copy.latency", Kind::time, Need::section, 1, kMost, "",
     "of a load whose bytes are in the near L2, without their transfer time",
     [](D& d, double v) { d.bulk_copy->latency = v; }},
    {"bulk_copy.bandwidth", Kind::real, Need::section, 0.001, 1e6, "", "B/clock of an SM's loads",
     [](D& d, double v) { d.bulk_copy->bandwidth = v; }},
    {"bulk_copy.store_latency", Kind::time, Need::section, 1, kMost, "", "the same for a store",
     [](D& d, double v) { d.bulk_copy->store_latency = v; }},
    {"bulk_copy.store_bandwidth", Kind::real, Need::section, 0.001, 1e6, "",
     "B/clock of an SM's stores", [](D& d, double v) { d.bulk_copy->store_bandwidth = v; }},
    {"bulk_copy.l2_bandwidth", Kind::real, Need::optional, 0.001, 1e6, "no limit",
     "B/clock of all SMs' loads from L2", [](D& d, double v) { d.bulk_copy->l2_bandwidth = v; }},
    {"bulk_copy.l2_store_bandwidth", Kind::real, Need::optional, 0.001, 1e6, "no limit",
     "B/clock of all SMs' stores to L2",
     [](D& d, double v) { d.bulk_copy->l2_store_bandwidth = v; }},
    {"bulk_copy.interval", Kind::time, Need::optional, 0, kMost, "0 clocks",
     "least time between two copies of an SM; fractions allowed",
     [](D& d, double v) { d.bulk_copy->interval = v; }},
    {"bulk_copy.tensor_latency", Kind::time, Need::optional, 1, kMost, "bulk_copy.latency",
     "latency of a load of a tensor's box",
     [](D& d, double v) { d.bulk_copy->tensor_latency = v; }},
    {"bulk_copy.map", Kind::time, Need::optional, 0, kMost, "0 clocks",
     "additional latency of an SM's first box of a tensor in a launch, whose map has to come",
     [](D& d, double v) { d.bulk_copy->map = v; }},
    {"bulk_copy.row", Kind::time, Need::optional, 0, kMost, "0 clocks",
     "least time of a row of a tensor's box; fractions allowed",
     [](D& d, double v) { d.bulk_copy->row = v; }},
    {"mbarrier.arrive", Kind::time, Need::section, 1, kMost, "",
     "from an arrival to the use of its state", [](D& d, double v) { d.mbarrier->arrive = v; }},
    {"mbarrier.test", Kind::time, Need::section, 1, kMost, "",
     "from test_wait or try_wait to the use of its predicate",
     [](D& d, double v) { d.mbarrier->test = v; }},
    {"scoreboard.loads_per_warp", Kind::count, Need::section, 1, 1024, "no limit",
     "loads that a warp may have in flight; the next one waits for the oldest",
     [](D& d, double v) { d.loads_per_warp = to<std::uint32_t>(v); }},
    {"barrier.latency", Kind::time, Need::always, 1, kMost, "",
     "from the last warp's arrival to the next instruction of the block",
     [](D& d, double v) { d.barrier.latency = v; }},
    {"barrier.per_warp", Kind::time, Need::optional, 0, 1e6, "0 clocks",
     "additional time per further warp at the barrier; fractions allowed",
     [](D& d, double v) { d.barrier.per_warp = v; }},
    {"barrier.queue", Kind::count, Need::optional, 1, 1024, "a warp waits for the whole barrier",
     "arrivals, each `per_warp` behind the one before, that wait before warps do; behind a barrier "
     "a warp then computes on, and what leaves its partition waits",
     [](D& d, double v) { d.barrier.queue = to<std::uint32_t>(v); }},
    {"cluster.most", Kind::count, Need::section, 1, 16, "", "most blocks of a cluster",
     [](D& d, double v) { d.cluster->most = to<std::uint32_t>(v); }},
    {"cluster.latency", Kind::time, Need::section, 1, kMost, "",
     "of one lane's load from another block's shared memory; a fraction makes that share of the "
     "loads a clock longer",
     [](D& d, double v) { d.cluster->latency = v; }},
    steps("cluster.positions",
          "additional clocks for each of the two SMs by its position in the GPC; the last value "
          "holds for all further positions. Rank r runs on the r-th SM of its GPC that has room",
          [](D& d) -> std::vector<double>& { return d.cluster->positions; }),
    {"cluster.pairs", Kind::word, Need::optional, 0, 0, "first",
     "which TPC with room receives a cluster that fits into one TPC", nullptr,
     [](D& d, const std::string& s) { d.cluster->last_tpc = s == "last"; }, "first last"},
    {"cluster.own", Kind::time, Need::section, 1, kMost, "",
     "of a load from the block's own shared memory through a cluster address",
     [](D& d, double v) { d.cluster->own = v; }},
    {"cluster.atomic", Kind::time, Need::optional, 0, kMost, "0 clocks",
     "additional latency of an atomic", [](D& d, double v) { d.cluster->atomic = v; }},
    {"cluster.bandwidth", Kind::real, Need::optional, 0.001, 1e6, "no limit",
     "B/clock of loads and atomics in each direction of an SM",
     [](D& d, double v) { d.cluster->bandwidth = v; }},
    {"cluster.request", Kind::time, Need::optional, 0, 1e6, "0 clocks",
     "additional time per warp load on both SMs; fractions allowed",
     [](D& d, double v) { d.cluster->request = v; }},
    {"cluster.line", Kind::time, Need::optional, 0, 1e6, "0 clocks",
     "additional time of a load per row of banks that it reads; fractions allowed",
     [](D& d, double v) { d.cluster->line = v; }},
    {"cluster.store_bandwidth", Kind::real, Need::optional, 0.001, 1e6, "no limit",
     "B/clock of stores", [](D& d, double v) { d.cluster->store_bandwidth = v; }},
    {"cluster.store_request", Kind::time, Need::optional, 0, 1e6, "0 clocks",
     "additional time per warp store on both SMs; fractions allowed",
     [](D& d, double v) { d.cluster->store_request = v; }},
    {"cluster.barrier", Kind::time, Need::section, 1, kMost, "",
     "from the last arrival at barrier.cluster to the next instruction, in a cluster of one block",
     [](D& d, double v) { d.cluster->barrier = v; }},
    steps("cluster.barrier_steps",
          "additional clocks for clusters of 1, 2, up to 4, up to 8 and up to 16 blocks; the last "
          "value holds for all larger ones",
          [](D& d) -> std::vector<double>& { return d.cluster->barrier_steps; }),
    {"cluster.per_warp", Kind::time, Need::optional, 0, kMost, "0 clocks",
     "by which an SM counts the arrivals of its warps apart; fractions allowed",
     [](D& d, double v) { d.cluster->per_warp = v; }},
    {"cluster.release", Kind::time, Need::optional, 0, kMost, "0 clocks",
     "additional time of an arrival that is not relaxed, which waits for the warp's memory "
     "accesses",
     [](D& d, double v) { d.cluster->release = v; }},
    steps("cluster.release_steps",
          "additional clocks of `release` by cluster size, as in `barrier_steps`",
          [](D& d) -> std::vector<double>& { return d.cluster->release_steps; }),
    {"cluster.release_behind", Kind::time, Need::optional, 0, kMost, "all of `release`",
     "of `release`, what comes after the warp's accesses have ended; the rest passes meanwhile, in "
     "machine code",
     [](D& d, double v) { d.cluster->release_behind = v; }},
    {"cluster.release_warp", Kind::time, Need::optional, 0, kMost, "0 clocks",
     "by which an SM begins the releases of its warps apart; fractions allowed",
     [](D& d, double v) { d.cluster->release_warp = v; }},
    {"clock_register.cost", Kind::time, Need::always, 1, kMost, "",
     "from a read of the clock to the warp's next instruction",
     [](D& d, double v) { d.clock_register.cost = v; }},
    {"clock_register.granularity", Kind::time, Need::optional, 1, kMost, "1 clock",
     "step of the register", [](D& d, double v) { d.clock_register.granularity = v; }},
    {"clock_register.domain", Kind::word, Need::optional, 0, 0, "gpu",
     "scope of a counter; counters differ by fixed numbers of clocks", nullptr,
     [](D& d, const std::string& s) {
       using Domain = D::ClockRegister::Domain;
       d.clock_register.domain = s == "sm" ? Domain::sm : s == "tpc" ? Domain::tpc : Domain::gpu;
     },
     "sm tpc gpu"},
    {"watchdog.instructions", Kind::count, Need::section, 1, 1e15, "1000000000",
     "warp instructions after which a launch is stopped with an error",
     [](D& d, double v) { d.watchdog_instructions = to<std::uint64_t>(v); }},
};

const std::vector<Section> kCoreSections = {
    {"sm", "the streaming multiprocessors", nullptr},
    {"registers", "the register file; without it registers limit nothing",
     [](D& d) { add_part(d.registers); }},
    {"execution", "divergent warps; without it model stack", [](D&) {}},
    {"block_scheduler", "without it blocks start as soon as an SM has room", [](D&) {}},
    {"launch", "without it a launch takes the time of its blocks alone", [](D&) {}},
    {"op",
     "costs of instructions: one row `name = { latency = TIME, interval = TIME }` for each of the "
     "units `alu`, `fp64`, `sfu`, `branch`, `warp`, and optionally `tensor`, without which matrix "
     "products are refused. An instruction that differs from its unit has a row of its own, by "
     "name (`[\"mul.lo\"]`), name and type (`[\"mul.lo.u32\"]`), rounding (`[\"mul.rn.f32\"]`) or, "
     "for atomics, space (`[\"atom.shared.add.u32\"]`); the most specific row applies. `latency` "
     "runs from issue to result, for a branch to the warp's next instruction. `interval` separates "
     "two warp instructions on a unit of an SM; fractions are allowed",
     nullptr},
    {"wgmma",
     "matrix products of a warpgroup (wgmma) on the tensor cores of its warps' schedulers; without "
     "it they are refused",
     [](D& d) { add_part(d.wgmma); }},
    {"async_copy",
     "copies of 4, 8 or 16 bytes per thread from global to shared memory (cp.async); without it "
     "they are refused",
     [](D& d) { add_part(d.async_copy); }},
    {"bulk_copy",
     "bulk copies between global and shared memory (cp.async.bulk), one at a time in each SM; "
     "without it they are refused",
     [](D& d) { add_part(d.bulk_copy); }},
    {"mbarrier", "mbarriers in shared memory; without it they are refused",
     [](D& d) { add_part(d.mbarrier); }},
    {"scoreboard", "limit of loads in flight; without it there is none", [](D&) {}},
    {"barrier", "barriers of a block (bar.sync)", nullptr},
    {"cluster",
     "clusters of blocks that reach each other's shared memory; without it they are refused",
     [](D& d) { add_part(d.cluster); }},
    {"clock_register", "%clock and %clock64", nullptr},
    {"watchdog", "limit for kernels that do not end", [](D&) {}},
};

template <typename T>
std::vector<T> joined(std::vector<T> first, const std::vector<T>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

const std::vector<Field>& fields() {
  static const std::vector<Field> all = joined(kCoreFields, memory_fields());
  return all;
}
const std::vector<Section>& sections() {
  static const std::vector<Section> all = joined(kCoreSections, memory_sections());
  return all;
}

std::vector<std::string> words_of(const Field& field) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < field.words.size();) {
    const std::size_t end = std::min(field.words.find(' ', begin), field.words.size());
    words.push_back(field.words.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::string_view expected(FieldKind kind) {
  switch (kind) {
    case Kind::count: return "a whole number";
    case Kind::real: return "a number";
    case Kind::bytes: return "bytes, such as \"128 B\" or \"1536 KB\"";
    case Kind::frequency: return "a frequency, such as \"706 MHz\"";
    case Kind::time: return "a time, such as \"230 clocks\" or \"12 ns\"";
    case Kind::text: return "a text";
    case Kind::word: return "a word";
    case Kind::counts: return "a list of whole numbers, such as { 17, 8, 8 }";
    case Kind::reals: return "a list of numbers, such as { 0.5, 0.25, 0.25 }";
    case Kind::bits: return "a list of address bits, such as { 7, 8 } or { {7, 13}, {8, 14} }";
    case Kind::rows: return "a list of lists of numbers, such as { {0, 12}, {12, 0} }";
  }
  return "";
}

std::optional<Measure> measure_of(FieldKind kind) {
  switch (kind) {
    case Kind::bytes: return Measure::bytes;
    case Kind::frequency: return Measure::frequency;
    case Kind::time: return Measure::time;
    default: return std::nullopt;
  }
}

std::string format_value(FieldKind kind, double value) {
  if (const auto measure = measure_of(kind)) return format_quantity(*measure, value);
  return fmt::format("{:.12g}", value);
}

}  // namespace gpx::vgpu::timing
