// Timed region: what of its PTX follows from the kernel alone. How an op is spelled, what the end
// clock waits for, where a long chain is cut. The emitter writes by these rules, and the proof
// expects by them. Covered by tests/codegen/emit_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/ir/kernel.h"

namespace gpx::codegen {

/// The text of an op of the table, with {0}, {1}, {r}, {i}, {c}, {n} replaced.
template <typename Spell>
std::string spell(const Instruction& instruction, Spell&& operand) {
  std::string made;
  const std::string_view spelling = info(instruction.op).spelling;
  for (std::size_t i = 0; i < spelling.size(); ++i) {
    if (spelling[i] != '{' || i + 2 >= spelling.size() || spelling[i + 2] != '}') {
      made += spelling[i];
      continue;
    }
    const char what = spelling[i + 1];
    if (what == 'r') made += operand(instruction.result);
    if (what == 'i') made += std::to_string(instruction.immediate);
    if (what == 'j') made += std::to_string(instruction.target);
    if (what == 'k') made += std::to_string(instruction.count);
    if (what == 'c') made += cache_suffix(instruction.cache);
    if (what == 'n') made += instruction.name;
    if (what >= '0' && what <= '9')
      made += operand(instruction.operands[static_cast<std::size_t>(what - '0')]);
    i += 2;
  }
  return made;
}

/// The two instructions of a barrier of the cluster.
std::vector<std::string> cluster_barrier(Op op);

/// Of what copies in bulk: thread 0 of the block issues (`elected`); all wait for the phase of the
/// mbarrier whose shared address `full` is, and count phases in `parity`.
struct BulkOperands {
  std::string full = {};
  std::string global = {},
              shared = {};      ///< Addresses; of what is no copy none, of a tensor its map.
  std::string coordinate = {};  ///< Of a tensor's box, the first.
  std::uint32_t number = 0;     ///< Of the construct: labels end with it.
};
/// The PTX of an instruction for which is_bulk() holds; a label ends with a colon.
std::vector<std::string> bulk_lines(const Instruction& instruction, const BulkOperands& operands);
/// What stands before the region of a kernel that copies in bulk.
std::vector<std::string> bulk_starts(const Kernel& kernel);
bool has_bulk(const Kernel& kernel);
/// Some bulk copy of it signals the mbarrier.
bool has_bulk_loads(const Kernel& kernel);
bool has_copies(const Kernel& kernel);
/// The parameters that are tensor maps, each once.
std::vector<std::string> tensor_maps(const Kernel& kernel);
/// Whether the region reads the clock between the loads and the sum of what they loaded.
bool needs_order(const Kernel& kernel);
/// Whether the region adds up values that the end clock waits for.
bool has_sum(const Kernel& kernel);
/// `into` = `into` + `term`.
struct Addition {
  std::string into, term;
};
/// Of words of shared memory: partial sums that do not wait for each other, then the partial sums
/// pair by pair into the first word. A chain of additions takes longer than the loads (5 to 24
/// clocks each) and hides their conflicts; what remains behind the last load does not grow with
/// their number. Empty for other regions, whose words are summed up one after another.
std::vector<Addition> partial_sums(const Kernel& kernel, const std::vector<std::string>& words);
/// The result slot that stores which never happen go to; where blocks meet lies behind it.
std::uint32_t sink_slot(const Kernel& kernel);
/// Instructions of this kind in the timed region, in the text's order.
std::vector<const Instruction*> all_of(const Kernel& kernel, Op op);

/// The shared variables of a kernel, words of 32 bits in the order of the setup.
struct SharedWords {
  explicit SharedWords(const Kernel& kernel);
  std::uint32_t offset(std::string_view name) const;  ///< Bytes from the first.
  std::vector<const Instruction*> words;              ///< Op::shared of the setup, in order.
};

/// The time that ptxas takes for straight code grows with its square from about 1000 instructions
/// on: 4096 additions take 0.42 s in one block, 0.15 s in eight (NVRTC 13.0, sm_90). Where a block
/// ends an execution takes up to 2 clocks more, so what compiles quickly stays in one.
constexpr std::uint32_t kBlockLines = 512;
/// Blocks behind the first that the lines of a kernel's operations are cut into: 0 where they are
/// few or something else is timed. ptxas copies a chain of guarded special functions at its cuts.
std::uint32_t count_landings(const Kernel& kernel);

}  // namespace gpx::codegen
