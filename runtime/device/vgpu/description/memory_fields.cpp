// The memory path's part of the table of fields. Interface: fields.h.
// Covered by tests/vgpu/device_test.cpp.
#include <deque>
#include <string>

#include "runtime/device/vgpu/description/fields.h"

namespace gpx::vgpu::timing {
namespace {

using D = Description;
using Kind = FieldKind;
using Lists = std::vector<std::vector<double>>;

constexpr double kMostClocks = 1e9;  // clocks; far beyond any latency

template <typename T>
T number_as(double value) {
  return static_cast<T>(value);
}

// A name that lives as long as the table.
std::string_view path(std::string_view section, std::string_view name) {
  static std::deque<std::string> names;
  return names.emplace_back(std::string(section) + "." + std::string(name));
}

// What is said once, of L1.
std::string_view once(std::string_view section, std::string_view name, std::string_view help) {
  if (section == "l1") return help;
  static std::deque<std::string> notes;
  return notes.emplace_back("see l1." + std::string(name));
}

void append(std::vector<Field>& out, std::vector<Field> rows) {
  out.insert(out.end(), rows.begin(), rows.end());
}

D::Policy policy_of(const std::string& word) {
  return word == "fifo"       ? D::Policy::fifo
         : word == "plru"     ? D::Policy::plru
         : word == "random"   ? D::Policy::random
         : word == "weighted" ? D::Policy::weighted
                              : D::Policy::lru;
}

D::Scope scope_of(const std::string& word) {
  return word == "gpu" ? D::Scope::gpu : word == "tpc" ? D::Scope::tpc : D::Scope::sm;
}

CoalescingRule rule_of(const std::string& word) {
  return word == "cc1.0"   ? CoalescingRule::in_order
         : word == "cc1.3" ? CoalescingRule::segments
                           : CoalescingRule::lines;
}

std::uint64_t mask_of(const std::vector<double>& bits) {
  std::uint64_t mask = 0;
  for (const double bit : bits) mask |= std::uint64_t{1} << number_as<unsigned>(bit);
  return mask;
}

// `Get` finds the level in a description: D::Cache& (D&).
template <auto Get>
std::vector<Field> sets_and_policy(std::string_view section) {
  return {
      {path(section, "set_sizes"), Kind::counts, Need::optional, 1, 4096, "all equal",
       once(section, "set_sizes",
            "ways of each set, where they differ: in place of the capacity (or entries) and ways. "
            "The number of a line modulo all lines is a slot; slots are dealt to the sets in turn, "
            "while a set has room"),
       nullptr, nullptr, "",
       [](D& d, const Lists& lists) {
         for (const auto& size : lists)
           Get(d).set_sizes.push_back(number_as<std::uint32_t>(size.front()));
       }},
      {path(section, "set_bits"), Kind::bits, Need::optional, 0, 47, "modulo the number of sets",
       once(section, "set_bits",
            "address bits that make the number of a line's set, the lowest first; a list in the "
            "place of a bit is the exclusive or of its bits"),
       nullptr, nullptr, "",
       [](D& d, const Lists& lists) {
         for (const auto& bits : lists) Get(d).set_bits.push_back(mask_of(bits));
       }},
      {path(section, "policy"), Kind::word, Need::optional, 0, 0, "lru",
       once(section, "policy",
            "which line of a full set is replaced; plru: a binary tree; weighted: at random by "
            "way_probability. Random choices are fixed by the seed"),
       nullptr, [](D& d, const std::string& s) { Get(d).policy = policy_of(s); },
       "lru fifo plru random weighted"},
      {path(section, "way_probability"), Kind::reals, Need::optional, 0, 1, "none",
       once(section, "way_probability",
            "weighted: the probability of each way to be replaced; their sum is 1"),
       nullptr, nullptr, "",
       [](D& d, const Lists& lists) {
         for (const auto& value : lists) Get(d).way_probability.push_back(value.front());
       }},
  };
}

template <auto Get>
std::vector<Field> geometry(std::string_view section, double most, std::string_view line) {
  std::vector<Field> rows = {
      {path(section, "capacity"), Kind::bytes, Need::optional, 32, most, "by set_sizes",
       "a multiple of line times ways",
       [](D& d, double v) { Get(d).capacity = number_as<std::uint64_t>(v); }},
      {path(section, "line"), Kind::bytes, Need::section, 32, 4096, "", line,
       [](D& d, double v) { Get(d).line = number_as<std::uint64_t>(v); }},
      {path(section, "ways"), Kind::count, Need::optional, 1, 4096, "by set_sizes",
       "lines of a set", [](D& d, double v) { Get(d).ways = number_as<std::uint32_t>(v); }},
  };
  append(rows, sets_and_policy<Get>(section));
  return rows;
}

template <auto Get>
std::vector<Field> data_cache(std::string_view section, double most, std::string_view line,
                              std::string_view latency) {
  std::vector<Field> rows = geometry<Get>(section, most, line);
  append(rows, {{path(section, "sector"), Kind::bytes, Need::optional, 32, 4096, "the line",
                 once(section, "sector",
                      "what a miss fetches; an eighth of the line at least, no less than "
                      "coalescer.line"),
                 [](D& d, double v) { Get(d).sector = number_as<std::uint64_t>(v); }},
                {path(section, "latency"), Kind::time, Need::section, 1, kMostClocks, "", latency,
                 [](D& d, double v) { Get(d).latency = v; }},
                {path(section, "insertion"), Kind::word, Need::optional, 0, 0, "mru",
                 once(section, "insertion",
                      "where a missed line enters its set's order of recency: mru is plain LRU "
                      "replacement; with lru a line must be used again before it displaces others"),
                 nullptr,
                 [](D& d, const std::string& s) {
                   Get(d).insertion = s == "lru" ? D::Insertion::lru : D::Insertion::mru;
                 },
                 "mru lru"}});
  return rows;
}

template <auto Get>
Field scope(std::string_view section) {
  return {path(section, "scope"),
          Kind::word,
          Need::section,
          0,
          0,
          "",
          "who shares one such cache",
          nullptr,
          [](D& d, const std::string& s) { Get(d).scope = scope_of(s); },
          "sm tpc gpu"};
}

// A level of constants, code or textures.
template <auto Get>
std::vector<Field> read_only_cache(std::string_view section, std::string_view latency, double low) {
  std::vector<Field> rows = geometry<Get>(section, 0x1p30, "a power of two");
  append(rows,
         {scope<Get>(section),
          {path(section, "latency"), Kind::time, Need::section, low, kMostClocks, "", latency,
           [](D& d, double v) { Get(d).latency = v; }},
          {path(section, "bandwidth"), Kind::real, Need::optional, 0.001, 1e6, "no limit",
           "bytes a clock that it hands to the levels before it",
           [](D& d, double v) { Get(d).bandwidth = v; }},
          {path(section, "bandwidth_per_sm"), Kind::real, Need::optional, 0.001, 1e6, "no limit",
           "and of these, to one SM", [](D& d, double v) { Get(d).bandwidth_per_sm = v; }}});
  return rows;
}

template <auto Get>
std::vector<Field> tlb(std::string_view section) {
  std::vector<Field> rows = {
      {path(section, "page"), Kind::bytes, Need::section, 1024, 0x1p40, "",
       "what one entry maps; a power of two",
       [](D& d, double v) { Get(d).line = number_as<std::uint64_t>(v); }},
      {path(section, "entries"), Kind::count, Need::optional, 1, 1 << 20, "by set_sizes",
       "a multiple of ways",
       [](D& d, double v) { Get(d).capacity = number_as<std::uint64_t>(v) * Get(d).line; }},
      {path(section, "ways"), Kind::count, Need::optional, 1, 4096, "fully associative",
       "entries of a set", [](D& d, double v) { Get(d).ways = number_as<std::uint32_t>(v); }},
  };
  append(rows, sets_and_policy<Get>(section));
  append(rows, {scope<Get>(section),
                {path(section, "miss"), Kind::time, Need::section, 0, kMostClocks, "",
                 "extra time, in all, of an access that misses here and no further on; of the last "
                 "level: that walks the page tables",
                 [](D& d, double v) { Get(d).miss = v; }},
                {path(section, "miss_dram"), Kind::time, Need::optional, 0, kMostClocks, "as miss",
                 "the same where its data come from DRAM",
                 [](D& d, double v) { Get(d).miss_dram = v; }}});
  return rows;
}

template <auto Get>  // D::Behind& (D&)
std::vector<Field> behind(std::string_view section, std::string_view latency) {
  return {
      {path(section, "latency"), Kind::time, section == "constant" ? Need::always : Need::section,
       1, kMostClocks, "", latency, [](D& d, double v) { Get(d).latency = v; }},
      {path(section, "l2_latency"), Kind::time, Need::optional, 1, kMostClocks, "L2 is passed by",
       "of one that misses its own caches and finds its line in the L2 of data",
       [](D& d, double v) { Get(d).l2_latency = v; }},
  };
}

constexpr auto kL1 = [](D& d) -> D::Cache& { return *d.l1; };
constexpr auto kL2 = [](D& d) -> D::Cache& { return *d.l2; };
template <std::size_t k>
constexpr auto kConstant = [](D& d) -> D::Cache& { return *d.constant.level[k]; };
template <std::size_t k>
constexpr auto kInstruction = [](D& d) -> D::Cache& { return *d.instruction->level[k]; };
template <std::size_t k>
constexpr auto kTexture = [](D& d) -> D::Cache& { return *d.texture->level[k]; };
template <std::size_t k>
constexpr auto kTlb = [](D& d) -> D::Cache& { return *d.translation.tlb[k]; };
template <std::size_t k>
constexpr auto kTextureTlb = [](D& d) -> D::Cache& { return *d.texture_translation.tlb[k]; };
constexpr auto kConstantBehind = [](D& d) -> D::Behind& { return d.constant; };
constexpr auto kInstructionBehind = [](D& d) -> D::Behind& { return *d.instruction; };
constexpr auto kTextureBehind = [](D& d) -> D::Behind& { return *d.texture; };

std::vector<Field> load_store_fields() {
  return {
      {"coalescer.line", Kind::bytes, Need::always, 32, 4096, "",
       "lanes of a warp in the same line make one request; a power of two",
       [](D& d, double v) { d.coalescer_line = number_as<std::uint64_t>(v); }},
      {"coalescer.rule", Kind::word, Need::optional, 0, 0, "lines",
       "lines: over a whole warp; cc1.0: a half-warp's lanes in order in an aligned segment, else "
       "a "
       "request for each lane; cc1.3: the fewest segments of each half-warp",
       nullptr, [](D& d, const std::string& s) { d.coalescing = rule_of(s); }, "lines cc1.0 cc1.3"},
      {"lsu.pipelines", Kind::count, Need::always, 1, 64, "",
       "warp accesses that are coalesced and issued side by side",
       [](D& d, double v) { d.lsu.pipelines = number_as<std::uint32_t>(v); }},
      {"lsu.clocks_per_load", Kind::real, Need::always, 0, 10000, "",
       "clocks of a pipeline for each warp access",
       [](D& d, double v) { d.lsu.clocks_per_load = v; }},
      {"lsu.clocks_per_lane", Kind::real, Need::always, 0, 1000, "",
       "and for each active lane of it, merged or not",
       [](D& d, double v) { d.lsu.clocks_per_lane = v; }},
      {"lsu.writeback_per_lane", Kind::real, Need::always, 0, 1000, "",
       "clocks to write a lane's value back, one lane of a load after another",
       [](D& d, double v) { d.lsu.writeback_per_lane = v; }},
      {"mshr.entries", Kind::count, Need::section, 1, 65536, "",
       "lines that an SM may have in flight",
       [](D& d, double v) { d.mshr->entries = number_as<std::uint32_t>(v); }},
      {"mshr.merges", Kind::count, Need::section, 1, 1024, "",
       "lanes that one entry can serve; more lanes take further entries",
       [](D& d, double v) { d.mshr->merges = number_as<std::uint32_t>(v); }},
      {"prt.entries", Kind::count, Need::section, 1, 65536, "",
       "warp loads that an SM may have in flight",
       [](D& d, double v) { d.prt->entries = number_as<std::uint32_t>(v); }},
      {"prt.overflow_requests", Kind::count, Need::optional, 0, 65536, "0",
       "requests that loads which find the table full may have in flight besides it",
       [](D& d, double v) { d.prt->overflow_requests = number_as<std::uint32_t>(v); }},
  };
}

std::vector<Field> data_fields() {
  std::vector<Field> rows = data_cache<kL1>("l1", 0x1p30, "a power of two, at least coalescer.line",
                                            "of a load of one lane that finds its line in L1");
  append(
      rows,
      {{"l1.miss", Kind::time, Need::optional, 0, kMostClocks, "0 clocks",
        "extra time of a load that misses L1 and finds its line in L2, compared with one that "
        "goes around L1",
        [](D& d, double v) { d.l1->miss = v; }},
       {"l1.miss_dram", Kind::time, Need::optional, 0, kMostClocks, "as miss",
        "the same where the line comes from DRAM", [](D& d, double v) { d.l1->miss_dram = v; }}});
  append(rows, data_cache<kL2>("l2", 0x1p34, "a power of two, at least coalescer.line",
                               "of a load of one lane that finds its line in L2"));
  append(rows,
         {{"dram.latency", Kind::time, Need::always, 1, kMostClocks, "",
           "of a load of one lane that misses every cache, with no queue before it",
           [](D& d, double v) { d.dram.latency = v; }},
          {"dram.departure", Kind::time, Need::always, 0, kMostClocks, "",
           "between two lines of L2 (without L2: two requests) that leave or enter the memory",
           [](D& d, double v) { d.dram.departure = v; }},
          {"memory_queue.coalesced", Kind::time, Need::section, 0, kMostClocks, "",
           "between the departures of two transactions of coalesced accesses; fractions allowed",
           [](D& d, double v) { d.memory_queue->coalesced = v; }},
          {"memory_queue.uncoalesced", Kind::time, Need::section, 0, kMostClocks, "",
           "of two transactions of other accesses, with what a short transfer wastes",
           [](D& d, double v) { d.memory_queue->uncoalesced = v; }},
          {"memory_queue.bandwidth", Kind::real, Need::optional, 0.001, 1e6, "no limit",
           "bytes a clock that the memory delivers; each SM that has blocks gets an equal share of "
           "it for the bytes that its lanes ask for",
           [](D& d, double v) { d.memory_queue->bandwidth = v; }}});
  append(rows, tlb<kTlb<0>>("tlb_l1"));
  append(rows, tlb<kTlb<1>>("tlb_l2"));
  append(rows, tlb<kTextureTlb<0>>("texture_tlb_l1"));
  append(rows, tlb<kTextureTlb<1>>("texture_tlb_l2"));
  append(rows, {{"page_window.size", Kind::bytes, Need::section, 1024, 0x1p44, "",
                 "what the page tables that are active at once map",
                 [](D& d, double v) { d.page_window.bytes = number_as<std::uint64_t>(v); }},
                {"page_window.latency", Kind::time, Need::section, 0, kMostClocks, "",
                 "extra time, in all, of an access that misses every TLB and lies outside",
                 [](D& d, double v) { d.page_window.latency = v; }},
                {"interconnect.offsets", Kind::reals, Need::section, -1e4, 1e4, "",
                 "for each TPC: clocks by which an access that leaves the TPC takes more (or less) "
                 "than the latencies of this file say, there and back",
                 nullptr, nullptr, "", [](D& d, const Lists& lists) {
                   for (const auto& value : lists) d.interconnect_offsets.push_back(value.front());
                 }}});
  return rows;
}

std::vector<Field> shared_fields() {
  return {
      {"shared.latency", Kind::time, Need::always, 1, kMostClocks, "", "of a shared memory access",
       [](D& d, double v) { d.shared.latency = v; }},
      {"shared.banks", Kind::count, Need::optional, 1, 64, "no conflicts", "of shared memory",
       [](D& d, double v) { d.shared.banks = number_as<std::uint32_t>(v); }},
      {"shared.width", Kind::bytes, Need::optional, 4, 16, "4 B",
       "of a bank's row: lanes that want different rows of one bank are served one after another",
       [](D& d, double v) { d.shared.width = number_as<std::uint64_t>(v); }},
      {"shared.word", Kind::bytes, Need::optional, 4, 16, "4 B",
       "the mode: how many bytes lie in one bank before the next bank begins; divides width",
       [](D& d, double v) { d.shared.word = number_as<std::uint64_t>(v); }},
      {"shared.lanes", Kind::count, Need::optional, 1, 32, "32",
       "lanes that are served together; divides 32",
       [](D& d, double v) { d.shared.lanes = number_as<std::uint32_t>(v); }},
      {"shared.pass", Kind::time, Need::optional, 0, kMostClocks, "0 clocks",
       "of each pass after the first that lanes in conflict take",
       [](D& d, double v) { d.shared.pass = v; }},
      {"shared.modes", Kind::counts, Need::optional, 4, 16, "the mode is fixed",
       "bytes: the modes that a program can choose for `word`; each divides width", nullptr,
       nullptr, "",
       [](D& d, const Lists& lists) {
         for (const auto& mode : lists)
           d.shared.modes.push_back(number_as<std::uint32_t>(mode.front()));
       }},
      {"shared.splits", Kind::counts, Need::optional, 0, 1 << 24, "L1 keeps its size",
       "bytes of shared memory that a program can choose among: what it has more or less than "
       "sm.shared, the ways of L1 have less or more",
       nullptr, nullptr, "",
       [](D& d, const Lists& lists) {
         for (const auto& split : lists)
           d.shared.splits.push_back(number_as<std::uint64_t>(split.front()));
       }},
  };
}

std::vector<Field> constant_fields() {
  std::vector<Field> rows = behind<kConstantBehind>(
      "constant",
      "of a constant memory access that misses every cache of constants, less what an instruction "
      "of the unit alu takes");
  append(rows, {{"constant.clocks_per_address", Kind::real, Need::optional, 0, 1000, "0",
                 "a word goes to all lanes that want it; between one word and the next of a warp",
                 [](D& d, double v) { d.constant.clocks_per_address = v; }}});
  constexpr std::string_view kLatency =
      "of a constant memory access that finds its line here, less what an instruction of the unit "
      "alu "
      "takes";
  append(rows, read_only_cache<kConstant<0>>("constant_l1", kLatency, 1));
  append(rows, read_only_cache<kConstant<1>>("constant_l2", kLatency, 1));
  append(rows, read_only_cache<kConstant<2>>("constant_l3", kLatency, 1));
  return rows;
}

template <std::size_t k>
std::vector<Field> instruction_cache(std::string_view section) {
  constexpr std::string_view kLatency = "that a warp waits for code which is found here";
  std::vector<Field> rows = read_only_cache<kInstruction<k>>(section, kLatency, 0);
  for (Field& row : rows)
    if (row.need == Need::section && !row.path.ends_with(".latency")) {
      row.need = Need::optional;
      row.fallback = "required without same_as";
    }
  append(rows,
         {{path(section, "same_as"), Kind::word, Need::optional, 0, 0, "a cache of its own",
           "the level of the constants that it is: its geometry and scope are given there", nullptr,
           [](D& d, const std::string& s) { d.instruction->same_as[k] = s.back() - '1'; },
           "constant_l1 constant_l2 constant_l3"}});
  return rows;
}

std::vector<Field> instruction_fields() {
  std::vector<Field> rows = behind<kInstructionBehind>(
      "instruction", "that a warp waits for code which misses every cache of code");
  append(rows,
         {{"instruction.bytes", Kind::bytes, Need::optional, 4, 64, "8 B", "of an instruction",
           [](D& d, double v) { d.instruction->bytes = number_as<std::uint64_t>(v); }},
          {"instruction.fetch", Kind::bytes, Need::section, 8, 4096, "",
           "what a warp fetches at once; a power of two",
           [](D& d, double v) { d.instruction->fetch = number_as<std::uint64_t>(v); }},
          {"instruction.prefetch", Kind::bytes, Need::optional, 0, 1 << 16, "none",
           "how far ahead of a fetch code is asked for",
           [](D& d, double v) { d.instruction->prefetch = number_as<std::uint64_t>(v); }}});
  append(rows, instruction_cache<0>("instruction_l1"));
  append(rows, instruction_cache<1>("instruction_l2"));
  append(rows, instruction_cache<2>("instruction_l3"));
  return rows;
}

std::vector<Field> texture_fields() {
  std::vector<Field> rows =
      behind<kTextureBehind>("texture", "of a texture fetch that misses every cache");
  constexpr std::string_view kLatency = "of a texture fetch that finds its line here";
  append(rows, read_only_cache<kTexture<0>>("texture_l1", kLatency, 1));
  append(rows, read_only_cache<kTexture<1>>("texture_l2", kLatency, 1));
  return rows;
}

std::vector<Field> noise_fields() {
  return {
      {"noise.jitter", Kind::time, Need::section, 0, 1e6, "",
       "largest extra time of a request; uniform from 0, in whole clocks",
       [](D& d, double v) { d.noise.jitter = v; }},
      {"noise.outlier_probability", Kind::real, Need::optional, 0, 1, "0", "of a request",
       [](D& d, double v) { d.noise.outlier_probability = v; }},
      {"noise.outlier", Kind::time, Need::optional, 0, 1e6, "0 clocks",
       "extra time of such a request", [](D& d, double v) { d.noise.outlier = v; }},
  };
}

template <std::size_t k>
void make_instruction_level(D& d) {
  if (!d.instruction) d.instruction.emplace();  // its absence is a mistake of its own
  d.instruction->level[k].emplace();
}
template <std::size_t k>
void make_texture_level(D& d) {
  if (!d.texture) d.texture.emplace();
  d.texture->level[k].emplace();
}

}  // namespace

std::vector<Field> memory_fields() {
  std::vector<Field> rows = load_store_fields();
  append(rows, data_fields());
  append(rows, shared_fields());
  append(rows, constant_fields());
  append(rows, instruction_fields());
  append(rows, texture_fields());
  append(rows, noise_fields());
  return rows;
}

std::vector<Section> memory_sections() {
  return {
      {"coalescer", "from lanes to requests", nullptr},
      {"lsu", "load/store units", nullptr},
      {"mshr", "miss status holding registers; without it no limit on lines in flight",
       [](D& d) { d.mshr.emplace(); }},
      {"prt", "pending request table; without it no limit on warp loads in flight",
       [](D& d) { d.prt.emplace(); }},
      {"l1", "without it global loads are cached in L2 alone", [](D& d) { d.l1.emplace(); }},
      {"l2", "shared by all SMs; without it global memory is not cached beyond L1",
       [](D& d) { d.l2.emplace(); }},
      {"dram", "the memory behind L2", nullptr},
      {"memory_queue",
       "a queue of each SM, which what its L1 does not serve leaves one after another; without it "
       "an SM's requests leave as they come",
       [](D& d) { d.memory_queue.emplace(); }},
      {"tlb_l1",
       "the first level of the translation of global addresses, asked by what misses L1; without "
       "it translation takes no time",
       [](D& d) { d.translation.tlb[0].emplace(); }},
      {"tlb_l2", "its second level", [](D& d) { d.translation.tlb[1].emplace(); }},
      {"texture_tlb_l1", "the same for textures, asked by what misses the first texture cache",
       [](D& d) { d.texture_translation.tlb[0].emplace(); }},
      {"texture_tlb_l2", "its second level", [](D& d) { d.texture_translation.tlb[1].emplace(); }},
      {"page_window", "without it all page tables are active", [](D&) {}},
      {"interconnect", "without it the place of a TPC makes no difference", [](D&) {}},
      {"shared", "shared memory", nullptr},
      {"constant", "constant memory", nullptr},
      {"constant_l1", "without it constant memory has one latency",
       [](D& d) { d.constant.level[0].emplace(); }},
      {"constant_l2", "behind constant_l1", [](D& d) { d.constant.level[1].emplace(); }},
      {"constant_l3", "behind constant_l2", [](D& d) { d.constant.level[2].emplace(); }},
      {"instruction", "the fetch of code; without it code is always there",
       [](D& d) { d.instruction.emplace(); }},
      {"instruction_l1", "caches of code, the first level", make_instruction_level<0>},
      {"instruction_l2", "behind instruction_l1", make_instruction_level<1>},
      {"instruction_l3", "behind instruction_l2", make_instruction_level<2>},
      {"texture", "without it a texture fetch takes as long as an access that L2 serves",
       [](D& d) { d.texture.emplace(); }},
      {"texture_l1", "caches of textures, the first level", make_texture_level<0>},
      {"texture_l2", "behind texture_l1", make_texture_level<1>},
      {"noise", "without it every request takes its exact time", [](D&) {}},
  };
}

}  // namespace gpx::vgpu::timing
