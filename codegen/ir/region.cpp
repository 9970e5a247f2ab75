// Timed region: what follows from the kernel alone. Interface: codegen/ir/region.h.
#include "codegen/ir/region.h"

#include <algorithm>

#include "codegen/ir/operation.h"
#include "lang/assert.h"
#include "lang/observe.h"

namespace gpx::codegen {

std::vector<std::string> cluster_barrier(Op op) {
  GPX_ASSERT(is_cluster_barrier(op));
  const std::string_view both = info(op).spelling;
  const std::size_t end = both.find(';') + 1;
  return {std::string(both.substr(0, end)), std::string(both.substr(end + 1))};
}

bool needs_order(const Kernel& kernel) {
  constexpr std::uint32_t kUnmixed = 12;
  GPX_ASSERT(!kernel.timed.empty() && kernel.timed.back().op == Op::await);
  if (kernel.timed.back().operands.empty()) return false;
  bool stores = false;
  for_each(kernel.timed, [&](const Instruction& i) { stores = stores || is_store(i.op); });
  std::uint32_t loaded = 0;
  for (std::uint32_t value : kernel.timed.back().operands)
    loaded += words(kernel.registers[value].type);
  return stores || loaded > kUnmixed;
}

bool has_sum(const Kernel& kernel) {
  return !kernel.timed.back().operands.empty() || !all_of(kernel, Op::operate).empty();
}

std::uint32_t sink_slot(const Kernel& kernel) {
  return static_cast<std::uint32_t>(traits_of(kernel.observe).result_slots()) + 1;
}

std::vector<const Instruction*> all_of(const Kernel& kernel, Op op) {
  std::vector<const Instruction*> found;
  for_each(kernel.timed, [&](const Instruction& i) {
    if (i.op == op) found.push_back(&i);
  });
  return found;
}

SharedWords::SharedWords(const Kernel& kernel) {
  for (const Instruction& instruction : kernel.setup)
    if (instruction.op == Op::shared) words.push_back(&instruction);
}

std::uint32_t SharedWords::offset(std::string_view name) const {
  const auto it = std::find_if(words.begin(), words.end(),
                               [&](const Instruction* word) { return word->name == name; });
  return static_cast<std::uint32_t>(4 * (it - words.begin()));
}

std::uint32_t count_landings(const Kernel& kernel) {
  constexpr std::uint32_t kLongestStraight = 2048;
  std::size_t lines = 0;
  for (const Instruction& i : kernel.timed) {
    if (i.op != Op::operate && i.op != Op::await) return 0;
    if (i.op != Op::operate) continue;
    const Operation& row = operation_of(i);
    if (row.pipe == "wgmma") return 0;  // A label between two products has each waited for.
    if (row.pipe == "sfu" && row.ptx.find("{g}") != std::string_view::npos) return 0;
    lines += i.count * static_cast<std::size_t>(std::count(row.ptx.begin(), row.ptx.end(), ';'));
  }
  return lines <= kLongestStraight ? 0 : static_cast<std::uint32_t>((lines - 1) / kBlockLines);
}

}  // namespace gpx::codegen
