// The memory path's part of the table of fields. Interface: fields.h.
// Covered by tests/vgpu/device_test.cpp.
#include <string>

#include "runtime/device/vgpu/description/cache_fields.h"

namespace gpx::vgpu::timing {
namespace {

using D = Description;
using Kind = FieldKind;
using Lists = std::vector<std::vector<double>>;

template <typename T>
T number_as(double value) {
  return static_cast<T>(value);
}

CoalescingRule rule_of(const std::string& word) {
  return word == "cc1.0"   ? CoalescingRule::in_order
         : word == "cc1.3" ? CoalescingRule::segments
                           : CoalescingRule::lines;
}

CacheOf constant_level(std::size_t k) {
  return [k](D& d) -> D::Cache& { return *d.constant.level[k]; };
}
CacheOf instruction_level(std::size_t k) {
  return [k](D& d) -> D::Cache& { return *d.instruction->level[k]; };
}
CacheOf texture_level(std::size_t k) {
  return [k](D& d) -> D::Cache& { return *d.texture->level[k]; };
}
CacheOf tlb_level(D::Translation D::*translation, std::size_t k) {
  return [=](D& d) -> D::Cache& { return *(d.*translation).tlb[k]; };
}

std::vector<Field> load_store_fields() {
  return {
      {"coalescer.line", Kind::bytes, Need::always, 32, 4096, "",
       "lanes in one line make one request; a power of two",
       [](D& d, double v) { d.coalescer_line = number_as<std::uint64_t>(v); }},
      {"coalescer.rule", Kind::word, Need::optional, 0, 0, "lines",
       "lines: per warp; cc1.0: one request for a half-warp whose lanes are in order in an aligned "
       "segment, else one per lane; cc1.3: the fewest segments per half-warp",
       nullptr, [](D& d, const std::string& s) { d.coalescing = rule_of(s); }, "lines cc1.0 cc1.3"},
      {"lsu.pipelines", Kind::count, Need::always, 1, 64, "",
       "warp accesses that are coalesced and issued in parallel",
       [](D& d, double v) { d.lsu.pipelines = number_as<std::uint32_t>(v); }},
      {"lsu.clocks_per_load", Kind::real, Need::always, 0, 10000, "",
       "pipeline clocks per warp access", [](D& d, double v) { d.lsu.clocks_per_load = v; }},
      {"lsu.clocks_per_lane", Kind::real, Need::always, 0, 1000, "",
       "additional pipeline clocks per active lane, merged or not",
       [](D& d, double v) { d.lsu.clocks_per_lane = v; }},
      {"lsu.writeback_per_lane", Kind::real, Need::always, 0, 1000, "",
       "clocks to write back a lane's value; lanes of a load are written one after another",
       [](D& d, double v) { d.lsu.writeback_per_lane = v; }},
      {"lsu.issue", Kind::time, Need::optional, 0, 10000, "no limit",
       "between two accesses to global or shared memory that one part of an SM issues",
       [](D& d, double v) { d.lsu.issue = v; }},
      {"lsu.issue_store", Kind::time, Need::optional, 0, 10000, "as issue",
       "the same for stores to global memory", [](D& d, double v) { d.lsu.issue_store = v; }},
      {"lsu.registers", Kind::time, Need::optional, 0, 10000, "issue and issue_store count",
       "machine code: what a part of an SM takes to read a register of an access",
       [](D& d, double v) { d.lsu.registers = v; }},
      {"lsu.read", Kind::time, Need::optional, 0, 10000, "0 clocks",
       "machine code: from when an access has read its registers to when the scoreboard releases "
       "them",
       [](D& d, double v) { d.lsu.read = v; }},
      {"lsu.split", Kind::time, Need::optional, 0, 10000, "0 clocks",
       "additional latency of a load that misses L1 per further line; fractions allowed",
       [](D& d, double v) { d.lsu.split = v; }},
      {"lsu.narrow", Kind::time, Need::optional, 0, 10000, "0 clocks",
       "least pipeline time of a load of words of less than 4 B",
       [](D& d, double v) { d.lsu.narrow = v; }},
      {"lsu.banks_line", Kind::time, Need::optional, 0, 10000, "0 clocks",
       "time that each pass of a load of global memory keeps the banks of shared memory: a pass of "
       "L1's banks, a line of a load past L1",
       [](D& d, double v) { d.lsu.banks_line = v; }},
      {"mshr.entries", Kind::count, Need::section, 1, 65536, "",
       "lines that an SM may have in flight",
       [](D& d, double v) { d.mshr->entries = number_as<std::uint32_t>(v); }},
      {"mshr.merges", Kind::count, Need::section, 1, 1024, "",
       "lanes per entry; more lanes need further entries",
       [](D& d, double v) { d.mshr->merges = number_as<std::uint32_t>(v); }},
      {"prt.entries", Kind::count, Need::section, 1, 65536, "",
       "warp loads that an SM may have in flight",
       [](D& d, double v) { d.prt->entries = number_as<std::uint32_t>(v); }},
      {"prt.overflow_requests", Kind::count, Need::optional, 0, 65536, "0",
       "further requests in flight from loads that find the table full",
       [](D& d, double v) { d.prt->overflow_requests = number_as<std::uint32_t>(v); }},
  };
}

std::vector<Field> data_fields() {
  std::vector<Field> rows = data_cache_fields(
      "l1", [](D& d) -> D::Cache& { return *d.l1; }, 0x1p30,
      "a power of two, at least coalescer.line", "hit latency of one lane's load");
  append(rows,
         {{"l1.miss", Kind::time, Need::optional, 0, kMostClocks, "0 clocks",
           "additional latency of a load that misses L1 and hits L2, compared with one that "
           "bypasses L1",
           [](D& d, double v) { d.l1->miss = v; }},
          {"l1.miss_dram", Kind::time, Need::optional, 0, kMostClocks, "as miss",
           "the same for a line from DRAM", [](D& d, double v) { d.l1->miss_dram = v; }},
          {"l1.lookup", Kind::time, Need::optional, 0, kMostClocks, "0 clocks",
           "pipeline time per line of a warp's load; fractions allowed",
           [](D& d, double v) { d.l1->lookup = v; }},
          {"l1.missed", Kind::time, Need::optional, 0, kMostClocks, "as lookup",
           "pipeline time per line that misses or is in flight; fractions allowed",
           [](D& d, double v) { d.l1->missed = v; }},
          {"l1.tag_banks", Kind::count, Need::optional, 1, kMostBanks, "1",
           "banks of tags, by the line's number: a load takes lookup for each line and bank, as "
           "often as the busiest bank has lines",
           [](D& d, double v) { d.l1->tag_banks = number_as<std::uint32_t>(v); }},
          {"l1.banks", Kind::count, Need::optional, 1, kMostBanks, "no conflicts",
           "banks of 4 B, as those of shared memory, from which a load that hits reads",
           [](D& d, double v) { d.l1->banks = number_as<std::uint32_t>(v); }},
          {"l1.bandwidth", Kind::real, Need::optional, 0.001, 1e6, "no limit", "B/clock to its SM",
           [](D& d, double v) { d.l1->bandwidth = v; }},
          {"l1.texture_extra", Kind::time, Need::optional, 0, kMostClocks,
           "textures have caches of their own",
           "textures are read through L1 (and there is no section texture): additional "
           "clocks of a fetch over a load",
           [](D& d, double v) { d.unified_texture = v; }},
          {"l1.unified", Kind::bytes, Need::optional, 0, 1 << 24, "L1 has all of its capacity",
           "bytes that shared memory and the data of L1 divide between them: of each launch the "
           "smallest of shared.splits that holds its blocks, and the rest",
           [](D& d, double v) { d.l1_unified = number_as<std::uint64_t>(v); }},
          {"l1.unused", Kind::bytes, Need::optional, 0, 1 << 24, "0 B",
           "bytes of l1.unified that neither has",
           [](D& d, double v) { d.l1_unused = number_as<std::uint64_t>(v); }},
          {"l1.stores", Kind::word, Need::optional, 0, 0, "absent",
           "a sector that is stored to: dropped from L1, or kept there if it is in L1 or is stored "
           "to whole",
           nullptr, [](D& d, const std::string& s) { d.l1_stores = s == "kept"; }, "absent kept"},
          {"l1.local", Kind::word, Need::optional, 0, 0, "absent",
           "local memory: in no cache (an access takes an L2 hit), or in L1, from which "
           "stores go on to L2",
           nullptr, [](D& d, const std::string& s) { d.cached_local = s == "through"; },
           "absent through"},
          {"l1.local_sooner", Kind::time, Need::optional, 0, kMostClocks, "0 clocks",
           "by which a load of local memory that L1 has is there before one of global memory",
           [](D& d, double v) { d.local_sooner = v; }}});
  append(rows, data_cache_fields(
                   "l2", [](D& d) -> D::Cache& { return *d.l2; }, 0x1p34,
                   "a power of two, at least coalescer.line", "hit latency of one lane's load"));
  append(
      rows,
      {{"dram.latency", Kind::time, Need::always, 1, kMostClocks, "",
        "of one lane's load that misses every cache, without queueing",
        [](D& d, double v) { d.dram.latency = v; }},
       {"dram.departure", Kind::time, Need::always, 0, kMostClocks, "",
        "between two fills of L2 (sectors, or lines; without L2, requests) from or to memory",
        [](D& d, double v) { d.dram.departure = v; }},
       {"dram.write_departure", Kind::time, Need::optional, 0, kMostClocks, "as departure",
        "the same for writes", [](D& d, double v) { d.dram.write_departure = v; }},
       {"dram.turn", Kind::time, Need::optional, 0, kMostClocks, "0 clocks",
        "additional time between a read and a write; fractions allowed",
        [](D& d, double v) { d.dram.turn = v; }},
       {"dram.dirty", Kind::time, Need::optional, 0, kMostClocks, "0 clocks",
        "additional latency of a line whose place in L2 a dirty one has",
        [](D& d, double v) { d.dram.dirty = v; }},
       {"dram.row", Kind::bytes, Need::optional, 32, 0x1p20, "activations take no time",
        "that one activation opens: what follows in it departs without another one",
        [](D& d, double v) { d.dram.row = number_as<std::uint64_t>(v); }},
       {"dram.activate", Kind::time, Need::optional, 0, kMostClocks, "0 clocks",
        "additional time of a fill whose row is not open; departure is that of rows filled whole; "
        "fractions allowed",
        [](D& d, double v) { d.dram.activate = v; }},
       {"dram.least", Kind::real, Need::optional, 0.5, 64, "whole sectors",
        "fills whose time stored parts of a line take at least; beyond, they take it by their "
        "bytes",
        [](D& d, double v) { d.dram.least = v; }},
       {"dram.banks", Kind::count, Need::optional, 1, 0x1p16, "reads wait for none",
        "banks to which lines are hashed: a read waits for earlier reads of its bank, and for the "
        "end of its refresh",
        [](D& d, double v) { d.dram.banks = number_as<unsigned>(v); }},
       {"dram.bank", Kind::time, Need::optional, 0, kMostClocks, "as fast as departure, in all",
        "for which a fill occupies its bank; fractions allowed",
        [](D& d, double v) { d.dram.bank = v; }},
       {"dram.gather", Kind::count, Need::optional, 1, 4096, "reads wait for no write",
        "fills of writes that a bank collects and then performs at once; reads of its lines wait",
        [](D& d, double v) { d.dram.gather = number_as<unsigned>(v); }},
       {"l2.part_stores", Kind::word, Need::optional, 0, 0, "absent",
        "a sector that stores have brought in part: it leaves L2 as it is, or is filled from "
        "memory "
        "first",
        nullptr, [](D& d, const std::string& s) { d.l2_fills = s == "filled"; }, "absent filled"},
       {"l2.dirty", Kind::real, Need::optional, 0, 1, "0",
        "part of the lines behind a flush that memory has not yet: they are written when they "
        "leave",
        [](D& d, double v) {
          if (d.l2) d.l2->dirty = v;
        }},
       {"dram.refresh", Kind::time, Need::optional, 0, kMostClocks, "0 clocks",
        "how long a line is refreshed: a read waits for the end; latency is the mean with these "
        "waits",
        [](D& d, double v) { d.dram.refresh = v; }},
       {"dram.refresh_every", Kind::time, Need::optional, 1, kMostClocks, "10 times refresh",
        "from one refresh of a line to its next", [](D& d, double v) { d.dram.refresh_every = v; }},
       {"l2_partitions.side_bits", Kind::bits, Need::section, 0, 47, "",
        "one item: the address bits whose exclusive or is the side of an address", nullptr, nullptr,
        "",
        [](D& d, const Lists& lists) {
          for (const auto& bits : lists)
            if (d.l2) d.l2->side_bits |= mask_of(bits);
        }},
       {"l2_partitions.sides", Kind::counts, Need::optional, 0, 1, "half of the TPCs each",
        "the side of each TPC", nullptr, nullptr, "",
        [](D& d, const Lists& lists) {
          for (const auto& side : lists)
            d.partitions->sides.push_back(number_as<std::uint32_t>(side.front()));
        }},
       {"l2_partitions.extra", Kind::reals, Need::section, 0, 1e6, "",
        "four numbers: additional round-trip clocks by side of the SM and of the address: 0 to "
        "0, 0 to 1, 1 to 0, 1 to 1",
        nullptr, nullptr, "",
        [](D& d, const Lists& lists) {
          for (std::size_t i = 0; i < lists.size() && i < 4; ++i)
            d.partitions->extra[i] = lists[i].front();
          d.partitions->given = lists.size();
        }},
       {"l2_partitions.far_hit", Kind::word, Need::optional, 0, 0, "nothing",
        "what an access to the other side leaves in the SM's own partition: nothing, or a copy "
        "that serves later loads until a store or an atomic changes the line; a copy that is kept "
        "outlives stores from its own side",
        nullptr,
        [](D& d, const std::string& s) {
          d.partitions->copies = s != "nothing";
          d.partitions->keeps_copies = s == "kept";
        },
        "nothing copy kept"},
       {"l2_partitions.bandwidth", Kind::real, Need::optional, 0.001, 1e6, "no limit",
        "B/clock from each partition to the SMs of the other partition",
        [](D& d, double v) { d.partitions->bandwidth = v; }}});
  for (std::size_t k = 0; k < D::Translation{}.tlb.size(); ++k)
    append(rows, tlb_fields(level_name("tlb", k), tlb_level(&D::translation, k)));
  for (std::size_t k = 0; k < D::Translation{}.tlb.size(); ++k)
    append(rows, tlb_fields(level_name("texture_tlb", k), tlb_level(&D::texture_translation, k)));
  append(rows,
         {{"page_window.size", Kind::bytes, Need::section, 1024, 0x1p44, "",
           "bytes mapped by the active page tables",
           [](D& d, double v) { d.page_window.bytes = number_as<std::uint64_t>(v); }},
          {"page_window.latency", Kind::time, Need::section, 0, kMostClocks, "",
           "total additional latency of an access that misses every TLB and lies outside",
           [](D& d, double v) { d.page_window.latency = v; }},
          {"interconnect.offsets", Kind::reals, Need::optional, -1e4, 1e4, "none",
           "per TPC: round-trip clocks added to (or taken from) the latencies of this file for an "
           "access that leaves the TPC",
           nullptr, nullptr, "",
           [](D& d, const Lists& lists) {
             for (const auto& value : lists) d.interconnect_offsets.push_back(value.front());
           }},
          {"interconnect.slice_bits", Kind::bits, Need::optional, 0, 47, "one slice",
           "address bits that form the number of an address's L2 slice, as in set_bits, modulo the "
           "slices of interconnect.distances",
           nullptr, nullptr, "",
           [](D& d, const Lists& lists) {
             for (const auto& bits : lists) d.slice_bits.push_back(mask_of(bits));
           }},
          {"interconnect.distances", Kind::rows, Need::optional, 0, 1e4, "none",
           "per TPC a list with one number per slice of L2: additional round-trip clocks of an "
           "access between the two",
           nullptr, nullptr, "", [](D& d, const Lists& lists) { d.slice_distances = lists; }}});
  return rows;
}

std::vector<Field> shared_fields() {
  return {
      {"shared.latency", Kind::time, Need::always, 1, kMostClocks, "", "latency of an access",
       [](D& d, double v) { d.shared.latency = v; }},
      {"shared.banks", Kind::count, Need::optional, 1, 64, "no conflicts", "banks",
       [](D& d, double v) { d.shared.banks = number_as<std::uint32_t>(v); }},
      {"shared.width", Kind::bytes, Need::optional, 4, 16, "4 B",
       "width of a bank's row; different rows of one bank are served one after another",
       [](D& d, double v) { d.shared.width = number_as<std::uint64_t>(v); }},
      {"shared.word", Kind::bytes, Need::optional, 4, 16, "4 B",
       "bytes in one bank before the next bank begins (the mode); divides width",
       [](D& d, double v) { d.shared.word = number_as<std::uint64_t>(v); }},
      {"shared.lanes", Kind::count, Need::optional, 1, 32, "32",
       "lanes served together; divides 32",
       [](D& d, double v) { d.shared.lanes = number_as<std::uint32_t>(v); }},
      {"shared.group", Kind::bytes, Need::optional, 32, 4096, "no limit",
       "bytes of all lanes that a pass serves; words of 8 B and more make groups of lanes, of "
       "which two are one where each lane shares its word with a neighbour (lane ^ 1 or lane ^ 2)",
       [](D& d, double v) { d.shared.group = number_as<std::uint64_t>(v); }},
      {"shared.pass", Kind::time, Need::optional, 0, kMostClocks, "0 clocks",
       "latency of each further pass of conflicting lanes; with partition_pass that is it",
       [](D& d, double v) { d.shared.pass = v; }},
      {"shared.busy", Kind::time, Need::optional, 0, kMostClocks, "as pass",
       "time that each pass occupies the banks; fractions allowed",
       [](D& d, double v) { d.shared.busy = v; }},
      {"shared.atomic", Kind::time, Need::optional, 0, kMostClocks, "0 clocks",
       "time that each lane of an atomic occupies its bank, also on the same word; fractions "
       "allowed",
       [](D& d, double v) { d.shared.atomic = v; }},
      {"shared.partition_pass", Kind::time, Need::optional, 0, kMostClocks, "0 clocks",
       "time that each pass occupies the part of the SM whose warp it serves, to its last value",
       [](D& d, double v) { d.shared.partition_pass = v; }},
      {"shared.returned", Kind::time, Need::optional, 0, kMostClocks, "as lsu.issue",
       "time in which a word of each lane of a load comes back to a part of the SM",
       [](D& d, double v) { d.shared.returned = v; }},
      {"shared.modes", Kind::counts, Need::optional, 4, 16, "the mode is fixed",
       "values of `word`, in bytes, that a program can choose; each divides width", nullptr,
       nullptr, "",
       [](D& d, const Lists& lists) {
         for (const auto& mode : lists)
           d.shared.modes.push_back(number_as<std::uint32_t>(mode.front()));
       }},
      {"shared.splits", Kind::counts, Need::optional, 0, 1 << 24, "L1 keeps its size",
       "sizes of shared memory that a program can choose; the ways of L1 shrink or grow by the "
       "difference from sm.shared, or with l1.unified its data",
       nullptr, nullptr, "",
       [](D& d, const Lists& lists) {
         for (const auto& split : lists)
           d.shared.splits.push_back(number_as<std::uint64_t>(split.front()));
       }},
  };
}

std::vector<Field> constant_fields() {
  std::vector<Field> rows = behind_fields(
      "constant", [](D& d) -> D::Behind& { return d.constant; },
      "of an access that misses every constant cache, minus that of the unit alu");
  append(
      rows,
      {{"constant.clocks_per_address", Kind::real, Need::optional, 0, 1000, "0",
        "clocks between two words of a warp's access; a word serves all lanes that read it",
        [](D& d, double v) { d.constant.clocks_per_address = v; }},
       {"constant.pass", Kind::time, Need::optional, 0, kMostClocks, "0 clocks",
        "SM time for each address of a warp's access, however wide, one access after another; "
        "fractions allowed",
        [](D& d, double v) { d.constant.pass = v; }},
       {"constant.uniform", Kind::bytes, Need::optional, 0, 1 << 16, "as other loads",
        "bytes of the lines that an SM has at hand for uniform loads of machine code; other lines "
        "come from behind the first level, and the warp waits",
        [](D& d, double v) { d.constant.uniform = number_as<std::uint64_t>(v); }},
       {"constant.launch", Kind::word, Need::optional, 0, 0, "kept",
        "what a launch does to the lines of constant caches: they are kept, or lost", nullptr,
        [](D& d, const std::string& s) { d.constant.lost = s == "lost"; }, "kept lost"}});
  const std::string latency = "hit latency, minus that of the unit alu";
  for (std::size_t k = 0; k < D::Constant{}.level.size(); ++k)
    append(rows, read_only_cache_fields(level_name("constant", k), constant_level(k), latency, 1));
  return rows;
}

std::vector<Field> instruction_cache(std::size_t k) {
  const std::string section = level_name("instruction", k);
  const std::string latency = "time that a warp waits for a fetch that hits here";
  std::vector<Field> rows = read_only_cache_fields(section, instruction_level(k), latency, 0);
  for (Field& row : rows)
    if (row.need == Need::section && !row.path.ends_with(".latency")) {
      row.need = Need::optional;
      row.fallback = "required without same_as";
    }
  append(rows,
         {{field_path(section, "same_as"), Kind::word, Need::optional, 0, 0, "a cache of its own",
           "the constant cache that this level is part of, which defines geometry and scope",
           nullptr, [k](D& d, const std::string& s) { d.instruction->same_as[k] = s.back() - '1'; },
           "constant_l1 constant_l2 constant_l3"}});
  return rows;
}

std::vector<Field> instruction_fields() {
  std::vector<Field> rows = behind_fields(
      "instruction", [](D& d) -> D::Behind& { return *d.instruction; },
      "time that a warp waits for a fetch that misses every instruction cache");
  append(rows,
         {{"instruction.bytes", Kind::bytes, Need::optional, 4, 64, "8 B", "size of an instruction",
           [](D& d, double v) { d.instruction->bytes = number_as<std::uint64_t>(v); }},
          {"instruction.fetch", Kind::bytes, Need::section, 8, 4096, "",
           "bytes per fetch of a warp; a power of two",
           [](D& d, double v) { d.instruction->fetch = number_as<std::uint64_t>(v); }},
          {"instruction.prefetch", Kind::bytes, Need::optional, 0, 1 << 16, "none",
           "distance of the prefetch ahead of a fetch",
           [](D& d, double v) { d.instruction->prefetch = number_as<std::uint64_t>(v); }},
          {"instruction.bandwidth", Kind::real, Need::optional, 0.001, 1e6, "no limit",
           "B/clock to one SM of code that misses every instruction cache",
           [](D& d, double v) { d.instruction->bandwidth = v; }}});
  for (std::size_t k = 0; k < D::Instruction{}.level.size(); ++k)
    append(rows, instruction_cache(k));
  return rows;
}

std::vector<Field> texture_fields() {
  std::vector<Field> rows = behind_fields(
      "texture", [](D& d) -> D::Behind& { return *d.texture; },
      "of a fetch that misses every cache");
  const std::string latency = "hit latency";
  for (std::size_t k = 0; k < D::Texture{}.level.size(); ++k)
    append(rows, read_only_cache_fields(level_name("texture", k), texture_level(k), latency, 1));
  return rows;
}

std::vector<Field> noise_fields() {
  return {
      {"noise.jitter", Kind::time, Need::section, 0, 1e6, "",
       "largest additional latency of a request; uniform from 0, in whole clocks",
       [](D& d, double v) { d.noise.jitter = v; }},
      {"noise.outlier_probability", Kind::real, Need::optional, 0, 1, "0",
       "probability per request", [](D& d, double v) { d.noise.outlier_probability = v; }},
      {"noise.outlier", Kind::time, Need::optional, 0, 1e6, "0 clocks",
       "additional latency of such a request", [](D& d, double v) { d.noise.outlier = v; }},
  };
}

std::vector<Field> tenant_fields() {
  return {
      {"tenant.duty", Kind::real, Need::section, 0.001, 1, "", "fraction of time spent in bursts",
       [](D& d, double v) { d.tenant->duty = v; }},
      {"tenant.burst", Kind::time, Need::section, 100, 1e12, "",
       "mean length of a burst; lengths and pauses are exponentially distributed",
       [](D& d, double v) { d.tenant->burst = v; }},
      {"tenant.slice", Kind::time, Need::optional, 0, 1e9, "0 clocks",
       "time slice in which only the tenant runs, alternating with slices without it; 0: it runs "
       "concurrently with other kernels",
       [](D& d, double v) { d.tenant->slice = v; }},
      {"tenant.latency", Kind::time, Need::optional, 0, 1e6, "0 clocks",
       "largest additional latency of a request during a burst; uniform from 0",
       [](D& d, double v) { d.tenant->latency = v; }},
      {"tenant.lines", Kind::count, Need::optional, 0, 1e9, "0",
       "lines that it loads into L2 per slice, or without slices per 1000 clocks of a burst",
       [](D& d, double v) { d.tenant->lines = static_cast<std::uint64_t>(v); }},
      {"tenant.memory", Kind::bytes, Need::optional, 0, 1e15, "0 B", "allocated memory",
       [](D& d, double v) { d.tenant->memory = static_cast<std::uint64_t>(v); }},
      {"tenant.listed", Kind::count, Need::optional, 0, 1, "0",
       "1: the driver lists its process and its utilization",
       [](D& d, double v) { d.tenant->listed = v != 0; }},
      {"tenant.seed", Kind::count, Need::optional, 0, 1e9, "0",
       "seed of the lengths of bursts and pauses",
       [](D& d, double v) { d.tenant->seed = static_cast<std::uint64_t>(v); }},
  };
}

// A level whose hierarchy has no section of its own is a mistake that the checks report.
void make_instruction_level(D& d, std::size_t k) {
  if (!d.instruction) add_part(d.instruction);
  add_part(d.instruction->level[k]);
}
void make_texture_level(D& d, std::size_t k) {
  if (!d.texture) add_part(d.texture);
  add_part(d.texture->level[k]);
}

// Sections of the levels of a hierarchy, each behind the one before it.
void append_levels(std::vector<Section>& out, std::string_view hierarchy, std::size_t levels,
                   std::string_view first, const std::function<void(D&, std::size_t)>& make) {
  for (std::size_t k = 0; k < levels; ++k)
    out.push_back({level_name(hierarchy, k),
                   k == 0 ? std::string(first) : "behind " + level_name(hierarchy, k - 1),
                   [make, k](D& d) { make(d, k); }});
}

}  // namespace

std::vector<Field> memory_fields() {
  std::vector<Field> rows = load_store_fields();
  append(rows, data_fields());
  append(rows, queue_fields());
  append(rows, shared_fields());
  append(rows, constant_fields());
  append(rows, instruction_fields());
  append(rows, texture_fields());
  append(rows, noise_fields());
  append(rows, tenant_fields());
  return rows;
}

std::vector<Section> memory_sections() {
  std::vector<Section> all = {
      {"coalescer", "combines lanes into requests", nullptr},
      {"lsu", "load/store units", nullptr},
      {"mshr", "miss status holding registers; without them lines in flight are unlimited",
       [](D& d) { add_part(d.mshr); }},
      {"prt", "pending request table; without it warp loads in flight are unlimited",
       [](D& d) { add_part(d.prt); }},
      {"l1", "without it global loads are cached only in L2", [](D& d) { add_part(d.l1); }},
      {"l2", "shared by all SMs; without it global memory is not cached beyond L1",
       [](D& d) { add_part(d.l2); }},
      {"l2_partitions", "without it L2 is one cache at equal distance from every SM",
       [](D& d) { add_part(d.partitions); }},
      {"l2_slices", "queues of L2; without it requests do not wait for each other there",
       [](D& d) { add_part(d.slices); }},
      {"dram", "the memory behind L2", nullptr},
      {"memory_queue",
       "a queue per SM that serializes requests that miss L1; without it they leave at once",
       [](D& d) { add_part(d.memory_queue); }},
      {"store_buffer", "global stores of an SM; without it no warp waits for a store",
       [](D& d) { add_part(d.store_buffer); }},
      {"atomics", "serialization of atomics on global memory; without it they queue like stores",
       [](D& d) { add_part(d.atomics); }}};
  append_levels(
      all, "tlb", D::Translation{}.tlb.size(),
      "first TLB of global memory, accessed on L1 misses; without it translation takes no time",
      [](D& d, std::size_t k) { add_part(d.translation.tlb[k]); });
  append_levels(all, "texture_tlb", D::Translation{}.tlb.size(),
                "first TLB of textures, accessed on misses of the first texture cache",
                [](D& d, std::size_t k) { add_part(d.texture_translation.tlb[k]); });
  all.insert(all.end(),
             {{"page_window", "without it all page tables are active", [](D&) {}},
              {"interconnect", "without it the position of a TPC makes no difference", [](D&) {}},
              {"shared", "shared memory", nullptr},
              {"constant", "constant memory", nullptr}});
  append_levels(all, "constant", D::Constant{}.level.size(),
                "first constant cache; without it constant memory has one latency",
                [](D& d, std::size_t k) { add_part(d.constant.level[k]); });
  all.push_back({"instruction", "instruction fetch; without it code is always resident",
                 [](D& d) { add_part(d.instruction); }});
  append_levels(all, "instruction", D::Instruction{}.level.size(), "first instruction cache",
                make_instruction_level);
  all.push_back({"texture", "without it a texture fetch has the latency of an L2 hit",
                 [](D& d) { add_part(d.texture); }});
  append_levels(all, "texture", D::Texture{}.level.size(), "first texture cache",
                make_texture_level);
  all.push_back({"noise", "without it timing is exact", [](D&) {}});
  all.push_back({"tenant", "another process on the device", [](D& d) { add_part(d.tenant); }});
  return all;
}

}  // namespace gpx::vgpu::timing
