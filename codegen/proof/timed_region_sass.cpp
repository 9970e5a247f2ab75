// Timed region, machine code: what must hold between the clock reads whatever ptxas made of it.
// Interface: codegen/proof/timed_region.h. Covered by tests/codegen/timed_region_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "codegen/ir/region.h"
#include "codegen/proof/machine_code.h"
#include "codegen/proof/timed_region_body.h"
#include "lang/lists.h"

namespace gpx::codegen {
namespace {

// What may stand after the accesses: the sum, the comparison, and what reads the clock.
bool is_harmless(std::string_view base) {
  static constexpr std::string_view kAllowed[] = {
      "IADD3", "IADD", "VIADD",    "IMAD",    "LOP3",   "UIADD3", "ISETP",  "MOV",
      "UMOV",  "R2UR", "S2R",      "S2UR",    "CS2R",   "NOP",    "DEPBAR", "LDC",
      "LDCU",  "ULDC", "WARPSYNC", "IADD32I", "MOV32I", "XMAD"};
  return std::find(std::begin(kAllowed), std::end(kAllowed), base) != std::end(kAllowed);
}

bool is_access(const MachineLine& line) {
  static constexpr std::string_view kPlain[] = {"LDG", "STG", "LDS", "STS", "LD", "ST"};
  const bool plain =
      std::find(std::begin(kPlain), std::end(kPlain), line.base()) != std::end(kPlain);
  return line.guard.empty() && (plain || is_atomic(line));
}

bool is_load_line(const MachineLine& line) {
  return line.base() == "LDG" || line.base() == "LDS" || line.base() == "LD";
}

bool is_store_line(const MachineLine& line) {
  return line.base() == "STG" || line.base() == "STS" || line.base() == "ST";
}

bool in_shared_memory(const MachineLine& line) {
  return line.base() == "LDS" || line.base() == "STS" || line.base() == "ATOMS";
}

/// The memory of an access, as the machine names it: by a generic address it is of any block of the
/// cluster.
enum class Memory { global, shared, generic };

Memory memory_of(const MachineLine& line) {
  if (in_shared_memory(line)) return Memory::shared;
  return line.base() == "LD" || line.base() == "ST" ? Memory::generic : Memory::global;
}

Memory memory_of(Op op) {
  if (is_on_rank(op)) return Memory::generic;
  return info(op).name.find(".shared") != std::string_view::npos ? Memory::shared : Memory::global;
}

std::string_view name_of(Memory memory) {
  return memory == Memory::shared ? "shared " : memory == Memory::generic ? "generic " : "";
}

/// "ATOMG.E.ADD PT, R5, [R2.64], R7" writes R5.
std::size_t result_place(const MachineLine& line) {
  return is_atomic(line) && !line.operands.empty() && line.operands[0] == "PT" ? 1 : 0;
}

/// "IMAD.MOV.U32 R6, RZ, RZ, R4".
bool copies(const MachineLine& line) {
  return line.kind() == "MOV" || line.kind() == "IMAD.MOV" || line.kind() == "UMOV";
}

/// The loop of the rehearsals: "UIADD3 UR4, UR4, -0x1, URZ", "ISETP.NE.U32.AND P0, PT, RZ, UR4,
/// PT".
bool counts_passes(const MachineLine& line) {
  const auto& operands = line.operands;
  const auto is_zero = [](std::string_view operand) { return operand == "RZ" || operand == "URZ"; };
  if (line.base() == "ISETP") return line.has(".NE") && std::ranges::any_of(operands, is_zero);
  return operands.size() > 2 && operands[0] == operands[1] && operands[2] == "-0x1";
}

using Access = std::pair<std::uint32_t, Memory>;  ///< Bytes, and where.
using Counts = std::map<Access, std::uint32_t>;

class SassChecker {
 public:
  SassChecker(const Kernel& kernel, std::string_view sass)
      : kernel_(kernel), lines_(parse_machine_code(sass)) {
    latency_ = kernel.clocked();
    folds_ = !kernel.timed.back().operands.empty();
    for (const Instruction& instruction : kernel.timed) {
      if (is_atomic(instruction.op)) {
        ++atomics_;
        continue;
      }
      const OpInfo& op = info(instruction.op);
      const Memory memory = memory_of(instruction.op);
      if (is_load(instruction.op)) ++loads_[{op.bytes, memory}];
      if (is_store(instruction.op)) ++stores_[{op.bytes, memory}];
    }
    chained_ = is_chained(kernel);
  }

  RegionReport run() {
    if (find() && no_loops() && no_spill() && contents() && count() && order() && barriers() &&
        nothing_else()) {
      report_.verdict = RegionReport::Verdict::verified;
      const std::uint32_t accesses = count_of(loads_) + count_of(stores_) + atomics_;
      report_.reason = fmt::format(
          "{} accesses in the machine code, and {} other instructions before the end clock",
          accesses, end_ - begin_ - accesses);
    }
    return std::move(report_);
  }

 private:
  template <typename... Args>
  bool refuse(fmt::format_string<Args...> text, Args&&... args) {
    report_.verdict = RegionReport::Verdict::refused;
    report_.reason = "machine code: " + fmt::format(text, std::forward<Args>(args)...);
    return false;
  }

  template <typename... Args>
  bool doubt(fmt::format_string<Args...> text, Args&&... args) {
    report_.verdict = RegionReport::Verdict::unverified;
    report_.reason = "machine code: " + fmt::format(text, std::forward<Args>(args)...);
    return false;
  }

  // The region lies between the first and the last clock read; where nothing reads the clock twice
  // (time), from the first access to the store that the sum decides on.
  bool find() {
    std::vector<std::size_t> clocks, accesses;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (reads_clock(lines_[i])) clocks.push_back(i);
      // What is observed goes to the results by atomics of the kernel's own.
      const bool own = is_atomic(lines_[i]) && (atomics_ == 0 || clocks.size() >= 2);
      // A placed block claims its SM and meets the others before the region begins.
      const bool finds_place = kernel_.placed && latency_ && clocks.empty();
      if (is_access(lines_[i]) && !own && !finds_place) accesses.push_back(i);
    }
    if (lines_.empty()) return refuse("there is none");
    if (latency_ && clocks.size() < 2) return refuse("{} clock reads", clocks.size());
    without_fill(accesses, clocks);
    const bool empty = accesses.empty();
    if (empty && (atomics_ > 0 || !loads_.empty() || !stores_.empty()))
      return refuse("no access to memory");
    if (empty && !latency_) return true;  // nothing was asked for, and nothing is there
    begin_ = latency_ ? clocks.front() + 1 : accesses.front();
    end_ = latency_ ? clocks.back() : accesses.back() + 1;
    if (!latency_ && folds_)
      while (end_ < lines_.size() && lines_[end_].base() != "STG") ++end_;
    if (!latency_ && folds_ && end_ < lines_.size()) ++end_;
    for (std::size_t i = begin_; i < end_; ++i)
      report_.listing += fmt::format("{}\n", lines_[i].text);
    const auto in_region = [&](std::size_t i) { return i >= begin_ && i < end_; };
    for (std::size_t i : accesses)
      if (!in_region(i)) return refuse("'{}' is outside the clock reads", lines_[i].text);
    first_ = empty ? begin_ : accesses.front();
    last_ = empty ? begin_ : accesses.back();
    return true;
  }

  // What the kernel fills its shared memory with: before the start clock, or before the barrier
  // that ends it.
  void without_fill(std::vector<std::size_t>& accesses, const std::vector<std::size_t>& clocks) {
    if (kernel_.memories.empty()) return;
    std::size_t begin = 0;
    if (latency_)
      begin = clocks.front();
    else
      for (std::size_t i = 0; i < lines_.size(); ++i)
        if (is_barrier(lines_[i])) begin = i;
    std::erase_if(accesses, [&](std::size_t i) {
      return i < begin && in_shared_memory(lines_[i]) && lines_[i].base() == "STS";
    });
  }

  // Where the machine has no such atomic, it tries until none came between.
  bool no_loops() {
    for (std::size_t i = begin_; i < end_ && atomics_ > 0; ++i)
      if (is_control(lines_[i]))
        return doubt("an atomic has branches of its own ('{}')", lines_[i].text);
    return true;
  }

  // Registers that are spilled and read back before the start clock do no harm.
  bool no_spill() {
    for (std::size_t i = begin_; i < end_; ++i)
      if (lines_[i].base() == "LDL" || lines_[i].base() == "STL")
        return refuse("registers are spilled to memory ('{}')", lines_[i].text);
    return true;
  }

  bool contents() {
    for (std::size_t i = begin_; i < end_; ++i) {
      const MachineLine& line = lines_[i];
      const bool sink = !line.guard.empty() && line.base() == "STG";
      if (is_control(line)) return refuse("'{}' branches", line.text);
      if (!is_access(line) && !sink && !is_barrier(line) && !is_harmless(line.base())) {
        // What an assembler makes of shared addresses and of atomics is not all known.
        if (atomics_ > 0 || !kernel_.memories.empty())
          return doubt("'{}' stands among the accesses", line.text);
        return refuse("'{}' has no reason to be timed", line.text);
      }
      // An address that is copied ahead of the first access takes as long however many there are.
      if (takes_pass(line) || (i < first_ && copies(line))) continue;
      if (i < last_ && !is_access(line) && !reads_clock(line) && line.base() != "NOP")
        others_ += fmt::format("{}'{}'", others_.empty() ? "" : ", ", line.text);
    }
    return true;
  }

  static std::uint32_t count_of(const Counts& counts) {
    std::uint32_t all = 0;
    for (const auto& [access, count] : counts) all += count;
    return all;
  }

  // One subtraction and one comparison at most, wherever the assembler puts them.
  bool takes_pass(const MachineLine& line) {
    if (!kernel_.rehearses() || !counts_passes(line)) return false;
    const bool first = std::ranges::none_of(
        passes_, [&](const MachineLine* known) { return known->base() == line.base(); });
    if (first) passes_.push_back(&line);
    return first;
  }

  bool count() {
    Counts loads, stores;
    std::uint32_t atomics = 0;
    for (std::size_t i = begin_; i < end_; ++i) {
      if (!is_access(lines_[i])) continue;
      if (is_atomic(lines_[i]))
        ++atomics;
      else
        ++(is_load_line(lines_[i]) ? loads : stores)[{bytes_of(lines_[i]), memory_of(lines_[i])}];
    }
    if (atomics != atomics_) return refuse("{} atomics instead of {}", atomics, atomics_);
    return count("loads", loads, loads_) && count("stores", stores, stores_);
  }

  bool count(const char* what, Counts& found, Counts& wanted) {
    for (const Memory memory : {Memory::global, Memory::shared, Memory::generic})
      for (std::uint32_t bytes : {1u, 2u, 4u, 8u, 16u})
        if (const Access access{bytes, memory}; found[access] != wanted[access])
          return refuse("{} {}{} of {}B instead of {}", found[access], name_of(memory), what, bytes,
                        wanted[access]);
    return true;
  }

  // Follows each loaded register from its load to its first use.
  bool order() {
    std::set<int> waiting;
    for (std::size_t i = begin_; i < end_; ++i) {
      const MachineLine& line = lines_[i];
      const std::size_t result = result_place(line);
      const bool has_result = !is_store_line(line) && line.operands.size() > result &&
                              line.operands[result].starts_with('R') &&
                              (!is_atomic(line) || line.operands[result] != "RZ") &&
                              !line.base().starts_with("RED");
      const bool load = is_access(line) && has_result && !is_store_line(line);
      bool waits = false;
      for (std::size_t o = has_result ? result + 1 : result; o < line.operands.size(); ++o)
        for (int reg : used(line, o)) {
          if (waiting.count(reg) == 0) continue;
          waits = true;
          // The assembler moves an old value where the next atomic wants it: that is timed, too.
          if (i <= last_ && chained_ && is_arithmetic(line))
            return doubt("'{}' stands between two atomics of a chain", line.text);
          if (i <= last_ && is_atomic(lines_[first_]) && is_arithmetic(line))
            return doubt("'{}' waits for an atomic before the last one", line.text);
          if (i <= last_ && !is_store_line(line) && !(chained_ && is_atomic(line)))
            return refuse("'{}' waits for a load before the last access", line.text);
          if (!(chained_ && is_atomic(line))) waiting.erase(reg);
          last_use_ = i;
        }
      if (chained_ && is_atomic(line) && i != first_ && !waits)
        return refuse("'{}' does not wait for the atomic before it", line.text);
      if (chained_ && is_atomic(line)) waiting.clear();
      if (!has_result) continue;
      const std::vector<int> results = written(line);
      if (load && results.empty()) return refuse("'{}' throws its value away", line.text);
      for (int reg : results) {
        if (waiting.count(reg) > 0) return refuse("'{}' overwrites a loaded value", line.text);
        if (load) waiting.insert(reg);
      }
    }
    if (!waiting.empty())
      return refuse("the end clock does not depend on R{}, which is loaded", *waiting.begin());
    return true;
  }

  // Each atomic takes what the one before it gave.
  static bool is_chained(const Kernel& kernel) {
    for (const Instruction& one : kernel.timed)
      for (const Instruction& other : kernel.timed)
        if (is_atomic(one.op) && is_atomic(other.op) && contains(other.operands, one.result))
          return true;
    return false;
  }

  // A store of 64 or 128 bits names the first of its registers.
  static std::vector<int> used(const MachineLine& line, std::size_t operand) {
    std::vector<int> regs = registers_of(line.operands[operand]);
    if (is_store_line(line) && operand == 1 && regs.size() == 1)
      for (int more = 1; more < static_cast<int>(bytes_of(line) / 4); ++more)
        regs.push_back(regs[0] + more);
    return regs;
  }

  // The second word of an atomic comes with the first, and nobody needs it.
  static std::vector<int> written(const MachineLine& line) {
    std::vector<int> regs = registers_of(line.operands[result_place(line)]);
    std::uint32_t words = 1;
    if (is_load_line(line)) words = std::max(1u, bytes_of(line) / 4);
    if (line.has(".WIDE") || (line.base() == "CS2R" && !line.has(".32"))) words = 2;
    if (regs.size() == 1)
      for (std::uint32_t more = 1; more < words; ++more)
        regs.push_back(regs[0] + static_cast<int>(more));
    return regs;
  }

  // The barrier's guard is computed behind the last use of a loaded value.
  bool waits(std::size_t barrier) const {
    std::string_view guard = lines_[barrier].guard;
    guard.remove_prefix(std::min(guard.find('P'), guard.size()));
    if (guard.empty()) return false;
    for (std::size_t i = last_use_; i < barrier; ++i)
      if (!lines_[i].operands.empty() && lines_[i].operands[0] == guard) return true;
    return false;
  }

  bool barriers() {
    if (!latency_) return true;
    const auto is_barrier_at = [this](std::size_t i) { return is_barrier(lines_[i]); };
    std::size_t before = begin_ - 1;
    while (before > 0 && !is_barrier_at(before)) --before;
    if (!is_barrier_at(before)) return refuse("no barrier before the start clock");
    std::size_t after = end_;
    while (after > begin_ && !is_barrier_at(after - 1)) --after;
    const auto within = static_cast<std::uint32_t>(
        std::count_if(lines_.begin() + static_cast<std::ptrdiff_t>(begin_),
                      lines_.begin() + static_cast<std::ptrdiff_t>(end_), is_barrier));
    if (within > 1) return refuse("{} barriers before the end clock", within);
    if (after == begin_ || after - 1 < std::max(last_use_, last_))
      return refuse("no barrier between the last use of a value and the end clock");
    if (folds_ && !waits(after - 1))
      return refuse("the barrier before the end clock does not wait for the values");
    return true;
  }

  // Among the accesses nothing; behind them the additions and the comparison that the sum takes.
  bool nothing_else() {
    if (!others_.empty()) return doubt("{} stands among the accesses", others_);
    const auto region = std::span(lines_).subspan(begin_, end_ - begin_);
    if (const MachineLine* repeated = find_repeated(region))
      return doubt("'{}' stands there twice", repeated->text);
    std::uint32_t additions = 0, comparisons = 0, terms = needs_order(kernel_) ? 1 : 0;
    for (const MachineLine& line : region) {
      if (contains(passes_, &line)) continue;
      additions += additions_of(line);
      comparisons += line.base() == "ISETP" ? 1 : 0;
    }
    for (std::uint32_t value : kernel_.timed.back().operands)
      terms += words(kernel_.registers[value].type);
    // Where the whole grid is timed, what comes after the values may be anywhere.
    if (latency_ && folds_ && (additions + 1 != terms || comparisons != 1))
      return doubt("{} additions and {} comparisons instead of {} and 1", additions, comparisons,
                   terms - 1);
    return true;
  }

  const Kernel& kernel_;
  std::vector<MachineLine> lines_;
  bool latency_ = true, folds_ = true, chained_ = false;
  std::uint32_t atomics_ = 0;  // Expected.
  Counts loads_, stores_;      // Expected.
  std::size_t begin_ = 0, end_ = 0, first_ = 0, last_ = 0, last_use_ = 0;
  std::string others_;
  std::vector<const MachineLine*> passes_;  // Of the loop of rehearsals, in the region.
  RegionReport report_;
};

}  // namespace

RegionReport check_sass(const Kernel& kernel, std::string_view sass) {
  return only_accesses(kernel) ? SassChecker(kernel, sass).run() : check_sass_body(kernel, sass);
}

}  // namespace gpx::codegen
