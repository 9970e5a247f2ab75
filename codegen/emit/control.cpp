// The body of the timed region: branches, loops, barriers, stamps and shared variables in PTX.
// Interface: codegen/emit/region.h. Covered by tests/codegen/emit_test.cpp.
#include <algorithm>

#include "codegen/emit/region.h"

namespace gpx::codegen {

void RegionEmitter::body(const std::vector<Instruction>& list) {
  for (const Instruction& next : list) instruction(next);
}

void RegionEmitter::instruction(const Instruction& instruction) {
  switch (instruction.op) {
    case Op::await: return;
    case Op::when: return when(instruction);
    case Op::loop: return loop(instruction);
    case Op::diverge: return diverge(instruction);
    case Op::stamp: return stamp(instruction);
    case Op::keep: return keep(instruction);
    case Op::ld_shared:
    case Op::st_shared: return shared(instruction);
    case Op::chase_b32:
    case Op::chase_b64:
      for (const std::string& line : chase(instruction, block_.next_label()).lines)
        block_.put(line);
      return;
    case Op::operate: return operate(instruction);
    case Op::sync_cluster:
    case Op::sync_cluster_div:
      for (const std::string& line : cluster_barrier(instruction.op)) block_.line("{}", line);
      return;
    case Op::bulk_expect:
    case Op::bulk_load:
    case Op::bulk_wait:
    case Op::bulk_store:
    case Op::bulk_group:
    case Op::tensor_load:
    case Op::tensor_store: return bulk(instruction);
    default:
      block_.line("{}", spell(instruction, [this](std::uint32_t reg) { return spelled(reg); }));
  }
}

// `else` is the path that is taken, as nvcc compiled Wong's listings: @!c bra ELSE.
void RegionEmitter::when(const Instruction& instruction) {
  const std::uint32_t number = block_.next_label();
  const bool has_else = !instruction.regions[1].empty();
  block_.line("@!{} bra {}{};", spelled(instruction.operands[0]), has_else ? "else" : "end",
              number);
  body(instruction.regions[0]);
  if (has_else) {
    block_.line("bra end{};", number);
    block_.label(fmt::format("else{}", number));
    body(instruction.regions[1]);
  }
  block_.label(fmt::format("end{}", number));
}

void RegionEmitter::loop(const Instruction& instruction) {
  const std::uint32_t number = block_.next_label();
  block_.label(fmt::format("while{}", number));
  block_.line(".pragma \"nounroll\";");
  body(instruction.regions[0]);
  block_.line("@!{} bra end{};", spelled(instruction.operands[0]), number);
  body(instruction.regions[1]);
  block_.line("bra while{};", number);
  block_.label(fmt::format("end{}", number));
}

// An if / else-if chain of equal bodies.
void RegionEmitter::diverge(const Instruction& instruction) {
  const std::uint32_t number = block_.next_label();
  for (std::size_t i = 0; i < instruction.values.size(); ++i) {
    const bool last = i + 1 == instruction.values.size();
    const std::string next =
        last ? fmt::format("end{}", number) : fmt::format("case{}_{}", number, i + 1);
    block_.line("setp.eq.u32 chosen, {}, {};", spelled(instruction.operands[0]),
                instruction.values[i]);
    block_.line("@!chosen bra {};", next);
    body(instruction.regions[0]);
    if (!last) block_.line("bra end{};", number);
    block_.label(next);
  }
}

ChaseExpansion RegionEmitter::chase(const Instruction& instruction, std::uint32_t number) const {
  const auto& at = instruction.operands;
  const ChaseOperands operands{spelled(at[0]), spelled(at[1]), spelled(at[2]),
                               rows_,          indices_,       latencies_};
  return expand_chase(kernel_, instruction, operands, spelled(instruction.result),
                      chases_.at(&instruction), number);
}

void RegionEmitter::stamp(const Instruction& instruction) {
  block_.line("mov.u32 {}, %clock;", stamps_.at(instruction.name));
}

void RegionEmitter::keep(const Instruction& instruction) {
  const auto& keeps = kernel_.keeps;
  const auto place = std::find(keeps.begin(), keeps.end(), instruction.name);
  const auto slot = kernel_.result_slots() - static_cast<std::uint32_t>(keeps.end() - place);
  block_.line("cvt.u64.u32 kept, {};", spelled(instruction.operands[0]));
  block_.line("st.volatile.global.u64 [{}+{}], kept;", result_, 8 * slot);
}

void RegionEmitter::bulk(const Instruction& instruction) {
  BulkOperands at{.full = full_};
  if (is_copy(instruction.op))
    at.global = spelled(instruction.operands.front()),
    at.shared = spelled(instruction.operands.back());
  if (is_tensor(instruction.op)) at.coordinate = spelled(instruction.operands[1]);
  if (instruction.op == Op::bulk_wait) at.number = block_.next_label();
  for (const std::string& line : bulk_lines(instruction, at)) block_.put(line);
}

std::string RegionEmitter::word_at(std::string_view shared_word) const {
  return fmt::format("[{}+{}]", words_, shared_.offset(shared_word));
}

void RegionEmitter::shared(const Instruction& instruction) {
  const std::string place = word_at(instruction.name);
  if (instruction.op == Op::ld_shared) {
    block_.line("ld.volatile.shared.u32 {}, {};", spelled(instruction.result), place);
  } else {
    block_.line("st.volatile.shared.u32 {}, {};", place, spelled(instruction.operands[0]));
  }
}

}  // namespace gpx::codegen
