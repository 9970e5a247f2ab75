// The table of fields, and the reference that is made of it. Interface: fields.h.
// Covered by tests/vgpu/device_test.cpp.
#include "runtime/device/vgpu/description/fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace gpx::vgpu::timing {
namespace {

using D = Description;
using Kind = FieldKind;

constexpr std::string_view kTableHead =
    "| field | type | range | if absent | meaning |\n|---|---|---|---|---|\n";
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
    {"name", Kind::text, Need::always, 0, 0, "", "what --device and reports call it", nullptr,
     [](D& d, const std::string& s) { d.name = s; }},
    {"title", Kind::text, Need::optional, 0, 0, "empty", "what it models, for people", nullptr,
     [](D& d, const std::string& s) { d.title = s; }},
    {"clock", Kind::frequency, Need::always, 1e6, 1e11, "", "frequency of the SM clock",
     [](D& d, double v) { d.clock_hz = v; }},
    {"compute_capability", Kind::text, Need::always, 0, 0, "", "as a driver reports it, \"3.5\"",
     nullptr, [](D& d, const std::string& s) { d.compute_capability = s; }},
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
     "warp schedulers; each issues one warp instruction in issue_interval, warp slot s belongs to "
     "scheduler s modulo their number",
     [](D& d, double v) { d.sm.schedulers = to<std::uint32_t>(v); }},
    {"sm.partitions", Kind::count, Need::optional, 1, 32, "1",
     "parts of an SM, each with a share of the units alu, fp64, sfu and tensor: a warp has that of "
     "its own part alone, which is its slot modulo their number",
     [](D& d, double v) { d.sm.partitions = to<std::uint32_t>(v); }},
    {"sm.issue_interval", Kind::time, Need::optional, 1, 1e6, "1 clock",
     "between two warp instructions of a scheduler; one whose row in op has a smaller interval "
     "takes "
     "that; fractions allowed",
     [](D& d, double v) { d.sm.issue_interval = v; }},
    {"sm.shared", Kind::bytes, Need::always, 0, 1 << 24, "",
     "shared memory of an SM, for the blocks that it holds at once",
     [](D& d, double v) { d.sm.shared_bytes = to<std::uint64_t>(v); }},
    {"sm.shared_reserved", Kind::bytes, Need::optional, 0, 1 << 24, "0 B",
     "that the system takes of each block beside the kernel's own: as "
     "CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK says of a GPU",
     [](D& d, double v) { d.sm.shared_reserved = to<std::uint64_t>(v); }},
    {"sm.per_tpc", Kind::count, Need::optional, 1, 1023, "1",
     "SMs of a TPC; SM s (its %smid) belongs to TPC s / per_tpc, rounded down. Blocks go to an SM "
     "of each TPC first, then to the next one of each",
     [](D& d, double v) { d.sm.per_tpc = to<std::uint32_t>(v); }},
    {"sm.per_gpc", Kind::count, Need::optional, 1, 1023, "all",
     "TPCs of a GPC; TPC t belongs to GPC t / per_gpc, rounded down",
     [](D& d, double v) { d.sm.per_gpc = to<std::uint32_t>(v); }},
    {"sm.select_ahead", Kind::time, Need::optional, 0, 1e6, "0 clocks",
     "an instruction that has been ready that long when its unit becomes free was chosen in time "
     "(loads, stores and clock reads always are)",
     [](D& d, double v) { d.sm.select_ahead = v; }},
    {"sm.late_gap", Kind::time, Need::optional, 0, 1e6, "0 clocks",
     "one that was not chosen in time leaves the unit idle so long after the one before it; "
     "fractions allowed",
     [](D& d, double v) { d.sm.late_gap = v; }},
    {"registers.per_sm", Kind::count, Need::section, 1, 1 << 24, "",
     "32-bit registers of an SM, for the blocks that it holds at once",
     [](D& d, double v) { d.registers->per_sm = to<std::uint32_t>(v); }},
    {"registers.per_thread_max", Kind::count, Need::section, 1, 65536, "",
     "a kernel whose threads use more cannot be launched",
     [](D& d, double v) { d.registers->per_thread_max = to<std::uint32_t>(v); }},
    {"registers.per_thread_quantum", Kind::count, Need::optional, 1, 65536, "1",
     "the registers of a thread are rounded up to a multiple of it",
     [](D& d, double v) { d.registers->per_thread_quantum = to<std::uint32_t>(v); }},
    {"registers.thread_quantum", Kind::count, Need::optional, 1, 8192, "1",
     "a block takes registers for its threads, rounded up to a multiple of it",
     [](D& d, double v) { d.registers->thread_quantum = to<std::uint32_t>(v); }},
    {"execution.model", Kind::word, Need::section, 0, 0, "",
     "of a diverged warp. stack: the taken path runs first, up to where the branch meets, and a "
     "barrier counts warps, a serialized path as one; independent: groups of lanes take turns, and "
     "a barrier counts threads",
     nullptr,
     [](D& d, const std::string& s) {
       d.execution.model = s == "stack" ? exec::Model::stack : exec::Model::independent;
     },
     "stack independent"},
    {"execution.turn", Kind::count, Need::optional, 1, 1e6, "64",
     "instructions of a group before the next one has its turn (model independent)",
     [](D& d, double v) { d.execution.turn = to<std::uint32_t>(v); }},
    {"block_scheduler.interval", Kind::time, Need::section, 0, 1e6, "",
     "between the starts of two blocks of a grid, over all SMs; fractions allowed",
     [](D& d, double v) { d.block_interval = v; }},
    {"wgmma.column", Kind::time, Need::section, 0.001, 1e6, "",
     "a column of B, 32 bytes deep, takes the tensor cores so long; fractions allowed",
     [](D& d, double v) { d.wgmma->column = v; }},
    {"wgmma.least", Kind::time, Need::optional, 1, 1e6, "1 clock",
     "no product takes them less; fractions allowed", [](D& d, double v) { d.wgmma->least = v; }},
    {"wgmma.shared_bandwidth", Kind::real, Need::section, 0.001, 1e6, "",
     "B/clock: a product takes at least as long as its tiles in shared memory: 32 bytes of each "
     "row of A, unless A is in registers, and of B (of a sparse product 64 of B)",
     [](D& d, double v) { d.wgmma->shared_bandwidth = v; }},
    {"wgmma.sparse", Kind::time, Need::optional, 0, 1e6, "0 clocks",
     "so much longer a product whose A is sparse takes them",
     [](D& d, double v) { d.wgmma->sparse = v; }},
    {"wgmma.latency", Kind::time, Need::section, 1, kMost, "",
     "from the last column of a product to the next instruction of who waited, at least",
     [](D& d, double v) { d.wgmma->latency = v; }},
    {"wgmma.sums", Kind::time, Need::optional, 0, kMost, "0 clocks",
     "the same, where it is more than `latency`: so long and `sums_column` for each column",
     [](D& d, double v) { d.wgmma->sums = v; }},
    {"wgmma.sums_column", Kind::time, Need::optional, 0, 1e6, "0 clocks",
     "see `sums`; fractions allowed", [](D& d, double v) { d.wgmma->sums_column = v; }},
    {"wgmma.shared_latency", Kind::time, Need::optional, 0, kMost, "0 clocks",
     "who waited for a product whose A is in shared memory goes on so much later",
     [](D& d, double v) { d.wgmma->shared_latency = v; }},
    {"async_copy.extra", Kind::time, Need::section, 0, kMost, "",
     "from when a load would have its value to the next instruction of who waited for the copy",
     [](D& d, double v) { d.async_copy->extra = v; }},
    {"bulk_copy.latency", Kind::time, Need::section, 1, kMost, "",
     "from the issue of a load to its end, without the time of its bytes, if they lie in the "
     "nearest L2",
     [](D& d, double v) { d.bulk_copy->latency = v; }},
    {"bulk_copy.bandwidth", Kind::real, Need::section, 0.001, 1e6, "", "B/clock of loads of an SM",
     [](D& d, double v) { d.bulk_copy->bandwidth = v; }},
    {"bulk_copy.store_latency", Kind::time, Need::section, 1, kMost, "", "the same of a store",
     [](D& d, double v) { d.bulk_copy->store_latency = v; }},
    {"bulk_copy.store_bandwidth", Kind::real, Need::section, 0.001, 1e6, "",
     "B/clock of stores of an SM", [](D& d, double v) { d.bulk_copy->store_bandwidth = v; }},
    {"bulk_copy.l2_bandwidth", Kind::real, Need::optional, 0.001, 1e6, "no limit",
     "B/clock of loads of all SMs together from L2",
     [](D& d, double v) { d.bulk_copy->l2_bandwidth = v; }},
    {"bulk_copy.l2_store_bandwidth", Kind::real, Need::optional, 0.001, 1e6, "no limit",
     "B/clock of stores of all SMs together to L2",
     [](D& d, double v) { d.bulk_copy->l2_store_bandwidth = v; }},
    {"bulk_copy.interval", Kind::time, Need::optional, 0, kMost, "0 clocks",
     "between two copies of an SM, however small; fractions allowed",
     [](D& d, double v) { d.bulk_copy->interval = v; }},
    {"bulk_copy.tensor_latency", Kind::time, Need::optional, 1, kMost, "bulk_copy.latency",
     "`latency` of a load of a tensor's box",
     [](D& d, double v) { d.bulk_copy->tensor_latency = v; }},
    {"bulk_copy.row", Kind::time, Need::optional, 0, kMost, "0 clocks",
     "of the engine for a row of a tensor's box, if its bytes take less; fractions allowed",
     [](D& d, double v) { d.bulk_copy->row = v; }},
    {"mbarrier.arrive", Kind::time, Need::section, 1, kMost, "",
     "from an arrival to what needs its state", [](D& d, double v) { d.mbarrier->arrive = v; }},
    {"mbarrier.test", Kind::time, Need::section, 1, kMost, "",
     "from test_wait or try_wait to what needs its predicate",
     [](D& d, double v) { d.mbarrier->test = v; }},
    {"scoreboard.loads_per_warp", Kind::count, Need::section, 1, 1024, "no limit",
     "loads that a warp may have in flight: the next one waits until the oldest has returned",
     [](D& d, double v) { d.loads_per_warp = to<std::uint32_t>(v); }},
    {"barrier.latency", Kind::time, Need::always, 1, kMost, "",
     "from the last warp's arrival to the next instruction of the block",
     [](D& d, double v) { d.barrier.latency = v; }},
    {"barrier.per_warp", Kind::time, Need::optional, 0, 1e6, "0 clocks",
     "more for each further warp that waited there; fractions allowed",
     [](D& d, double v) { d.barrier.per_warp = v; }},
    {"cluster.most", Kind::count, Need::section, 1, 16, "", "blocks of a cluster",
     [](D& d, double v) { d.cluster->most = to<std::uint32_t>(v); }},
    {"cluster.latency", Kind::time, Need::section, 1, kMost, "",
     "of a load from another block's shared memory, as one lane sees it from issue to result; of "
     "fractions every so many loads one is a clock longer",
     [](D& d, double v) { d.cluster->latency = v; }},
    steps("cluster.positions",
          "more clocks for each of the two SMs, by its place in their GPC: of its first SM, its "
          "second, and so on; the last one stands for all beyond. Rank r takes the r-th SM of its "
          "GPC that has room",
          [](D& d) -> std::vector<double>& { return d.cluster->positions; }),
    {"cluster.pairs", Kind::word, Need::optional, 0, 0, "first",
     "the TPC of its GPC with room that a cluster takes whose blocks are no more than a TPC's SMs",
     nullptr, [](D& d, const std::string& s) { d.cluster->last_tpc = s == "last"; }, "first last"},
    {"cluster.own", Kind::time, Need::section, 1, kMost, "",
     "of a load from the block's own shared memory by an address of the cluster",
     [](D& d, double v) { d.cluster->own = v; }},
    {"cluster.atomic", Kind::time, Need::optional, 0, kMost, "0 clocks", "more of an atomic",
     [](D& d, double v) { d.cluster->atomic = v; }},
    {"cluster.bandwidth", Kind::real, Need::optional, 0.001, 1e6, "no limit",
     "B/clock of loads and atomics that an SM sends to others, and that it receives",
     [](D& d, double v) { d.cluster->bandwidth = v; }},
    {"cluster.request", Kind::time, Need::optional, 0, 1e6, "0 clocks",
     "each load of a warp keeps both SMs busy so much longer; fractions allowed",
     [](D& d, double v) { d.cluster->request = v; }},
    {"cluster.store_bandwidth", Kind::real, Need::optional, 0.001, 1e6, "no limit",
     "B/clock of stores", [](D& d, double v) { d.cluster->store_bandwidth = v; }},
    {"cluster.store_request", Kind::time, Need::optional, 0, 1e6, "0 clocks",
     "each store of a warp keeps both SMs busy so much longer; fractions allowed",
     [](D& d, double v) { d.cluster->store_request = v; }},
    {"cluster.barrier", Kind::time, Need::section, 1, kMost, "",
     "from the last arrival at barrier.cluster to the next instruction, in a cluster of one block",
     [](D& d, double v) { d.cluster->barrier = v; }},
    steps("cluster.barrier_steps",
          "more clocks by the blocks of the cluster: of 1, 2, up to 4, up to 8, up to 16; the last "
          "one stands for all beyond",
          [](D& d) -> std::vector<double>& { return d.cluster->barrier_steps; }),
    {"cluster.release", Kind::time, Need::optional, 0, kMost, "0 clocks",
     "more before an arrival that is not relaxed counts: it waits for the warp's memory accesses",
     [](D& d, double v) { d.cluster->release = v; }},
    steps("cluster.release_steps", "more clocks of that by the blocks, as `barrier_steps`",
          [](D& d) -> std::vector<double>& { return d.cluster->release_steps; }),
    {"clock_register.cost", Kind::time, Need::always, 1, kMost, "",
     "from a read of the clock to the warp's next instruction",
     [](D& d, double v) { d.clock_register.cost = v; }},
    {"clock_register.granularity", Kind::time, Need::optional, 1, kMost, "1 clock",
     "the register advances in steps of that",
     [](D& d, double v) { d.clock_register.granularity = v; }},
    {"clock_register.domain", Kind::word, Need::optional, 0, 0, "gpu",
     "what shares a counter; the counters of two SMs or TPCs differ by a fixed number of clocks",
     nullptr,
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
    {"execution", "without it model stack", [](D&) {}},
    {"block_scheduler", "without it blocks start as soon as an SM has room", [](D&) {}},
    {"op",
     "what instructions cost: one row `name = { latency = TIME, interval = TIME }` for each of the "
     "units `alu`, `fp64`, `sfu`, `branch`, `warp`, and `tensor` where the device has one: "
     "without it an experiment with matrix products is refused. And for any instruction that "
     "differs from its unit: by its name (`[\"mul.lo\"]`), by name and type (`[\"mul.lo.u32\"]`), "
     "and where PTX "
     "has them by rounding (`[\"mul.rn.f32\"]`) or, for atomics, by space "
     "(`[\"atom.shared.add.u32\"]`); the most specific row counts. `latency`: from issue to "
     "result; of a branch, to the warp's next "
     "instruction. `interval`: between two warp instructions on the unit of an SM, fractions "
     "allowed",
     nullptr},
    {"wgmma",
     "matrix products of a warpgroup (wgmma), each of whose warps has the tensor core of its "
     "scheduler; without it an experiment with them is refused",
     [](D& d) { add_part(d.wgmma); }},
    {"async_copy",
     "copies of 4, 8 or 16 bytes of each thread from global to shared memory (cp.async); without "
     "it "
     "an experiment with them is refused",
     [](D& d) { add_part(d.async_copy); }},
    {"bulk_copy",
     "copies of many bytes between global and shared memory (cp.async.bulk), one after the other "
     "in "
     "each SM; without it an experiment with them is refused",
     [](D& d) { add_part(d.bulk_copy); }},
    {"mbarrier", "mbarriers in shared memory; without it an experiment with them is refused",
     [](D& d) { add_part(d.mbarrier); }},
    {"scoreboard", "without it a warp may have any number of loads in flight", [](D&) {}},
    {"barrier", "bar.sync and its kin", nullptr},
    {"cluster",
     "clusters: blocks of one GPC that reach each other's shared memory; without it a launch in "
     "clusters is refused",
     [](D& d) { add_part(d.cluster); }},
    {"clock_register", "%clock and %clock64", nullptr},
    {"watchdog", "against kernels that do not end", [](D&) {}},
};

std::string_view type_name(FieldKind kind) {
  switch (kind) {
    case Kind::count:
      return "whole number";
    case Kind::real:
      return "number";
    case Kind::bytes:
      return "bytes";
    case Kind::frequency:
      return "frequency";
    case Kind::time:
      return "time";
    case Kind::text:
      return "text";
    case Kind::word:
      return "word";
    case Kind::counts:
      return "list of whole numbers";
    case Kind::reals:
      return "list of numbers";
    case Kind::bits:
      return "list of bits";
    case Kind::rows:
      return "list of lists of numbers";
  }
  return "";
}

template <typename T>
std::vector<T> joined(std::vector<T> first, const std::vector<T>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

std::string row_of(const Field& field) {
  const std::string name = field.path.substr(field.path.find('.') + 1);
  std::string range;
  if (field.path.ends_with(".policy")) {
    range = "a [replacement policy](#replacement-policies)";
  } else if (field.kind == Kind::word) {
    range = fmt::format("{}", fmt::join(words_of(field), " or "));
  } else if (field.kind != Kind::text) {
    range = format_value(field.kind, field.low) + " to " + format_value(field.kind, field.high);
  }
  return fmt::format("| `{}` | {} | {} | {} | {} |\n", name, type_name(field.kind), range,
                     field.need == Need::optional ? field.fallback : "required", field.help);
}

// The fields of a policy are those of every cache: they are shown once, as those of L1.
std::string policy_reference() {
  std::string out =
      "\n### Replacement policies\n\n"
      "The field `policy` of any cache or TLB. A free way is taken first.\n\n"
      "| policy | which line of a full set is replaced | fields of its own |\n|---|---|---|\n";
  const auto name = [](const PolicyField& field) { return fmt::format("`{}`", field.name); };
  for (const Policy* policy : policies()) {
    std::vector<std::string> names;
    std::ranges::transform(policy->fields, std::back_inserter(names), name);
    out += fmt::format("| `{}` | {} | {} |\n", policy->name, policy->help,
                       names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")));
  }
  out += fmt::format("\n{}", kTableHead);
  for (const Field& field : fields())
    if (field.of_policy && field.path.starts_with("l1.")) out += row_of(field);
  return out;
}

bool in_section(const Field& field, std::string_view section) {
  const std::size_t dot = field.path.find('.');
  return section.empty() ? dot == std::string::npos
                         : dot == section.size() && field.path.substr(0, dot) == section;
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
    case Kind::count:
      return "a whole number";
    case Kind::real:
      return "a number";
    case Kind::bytes:
      return "bytes, such as \"128 B\" or \"1536 KB\"";
    case Kind::frequency:
      return "a frequency, such as \"706 MHz\"";
    case Kind::time:
      return "a time, such as \"230 clocks\" or \"12 ns\"";
    case Kind::text:
      return "a text";
    case Kind::word:
      return "a word";
    case Kind::counts:
      return "a list of whole numbers, such as { 17, 8, 8 }";
    case Kind::reals:
      return "a list of numbers, such as { 0.5, 0.25, 0.25 }";
    case Kind::bits:
      return "a list of address bits, such as { 7, 8 } or { {7, 13}, {8, 14} }";
    case Kind::rows:
      return "a list of lists of numbers, such as { {0, 12}, {12, 0} }";
  }
  return "";
}

std::optional<Measure> measure_of(FieldKind kind) {
  switch (kind) {
    case Kind::bytes:
      return Measure::bytes;
    case Kind::frequency:
      return Measure::frequency;
    case Kind::time:
      return Measure::time;
    default:
      return std::nullopt;
  }
}

std::string format_value(FieldKind kind, double value) {
  if (const auto measure = measure_of(kind)) return format_quantity(*measure, value);
  return fmt::format("{:.12g}", value);
}

namespace {

// The text in lines of at most 100 columns, broken at spaces.
std::string paragraph(std::string text) {
  constexpr std::size_t kColumns = 100;
  for (std::size_t line = 0; text.size() - line > kColumns;) {
    const std::size_t space = text.rfind(' ', line + kColumns);
    if (space == std::string::npos || space <= line) break;
    text[space] = '\n';
    line = space + 1;
  }
  return text;
}

}  // namespace

std::string field_reference() {
  std::string out = "### The device\n\n";
  out += kTableHead;
  for (const Field& field : fields())
    if (in_section(field, "")) out += row_of(field);
  for (const Section& section : sections()) {
    out += fmt::format("\n### `{}`{}\n\n{}\n", section.name, section.make ? " (optional)" : "",
                       paragraph(fmt::format("{}.", section.help)));
    if (section.name == "op") continue;
    out += fmt::format("\n{}", kTableHead);
    for (const Field& field : fields())
      if (in_section(field, section.name) && !field.of_policy) out += row_of(field);
  }
  return out + policy_reference();
}

}  // namespace gpx::vgpu::timing
