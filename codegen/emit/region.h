// The timed region as one asm statement. Interface for emit.cpp alone; the shape of the code is
// described in codegen/emit/emit.h. Covered by tests/codegen/emit_test.cpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "codegen/emit/text.h"
#include "codegen/ir/chase.h"
#include "codegen/ir/operation.h"
#include "codegen/ir/region.h"

namespace gpx::codegen {

/// Builds the asm statement of a verified kernel: what stands before the barrier, the clocks around
/// the body, the sum that the end clock waits for, and the loop of rehearsals around all of it.
class RegionEmitter {
 public:
  explicit RegionEmitter(const Kernel& kernel);

  /// `  asm volatile(...);\n`
  std::string run();

 private:
  // region.cpp: the frame.
  void operands();
  void declarations();
  void ready();
  void unknowns();
  void starts();
  void landings();
  void meet();
  void operate(const Instruction& instruction);
  void fold();
  std::vector<std::string> loaded_words();
  void wait();
  void end();

  // control.cpp: the body.
  void body(const std::vector<Instruction>& list);
  void instruction(const Instruction& instruction);
  void when(const Instruction& instruction);
  void loop(const Instruction& instruction);
  void diverge(const Instruction& instruction);
  void stamp(const Instruction& instruction);
  void keep(const Instruction& instruction);
  void shared(const Instruction& instruction);
  void bulk(const Instruction& instruction);

  ChaseExpansion chase(const Instruction& instruction, std::uint32_t number) const;

  Type type(std::uint32_t reg) const { return kernel_.registers[reg].type; }
  const std::string& name(std::uint32_t reg) const { return kernel_.registers[reg].name; }
  /// A register as the asm block spells it: an operand, a name, or a vector of either.
  std::string spelled(std::uint32_t reg) const;
  std::string word(std::uint32_t reg, std::uint32_t index) const;
  std::string word_at(std::string_view shared_word) const;
  bool is_64_bits(std::uint32_t reg) const {
    return type(reg) == Type::address || type(reg) == Type::wide;
  }
  std::string low_half(std::uint32_t reg) const { return "low_" + name(reg); }
  /// Registers that start as 0, because the code that loads them may not be reached.
  struct Nested {
    const char* type;  ///< "u32", "u64"
    std::string name;
  };
  std::vector<Nested> nested_words() const;
  bool branches() const;

  const Kernel& kernel_;
  SharedWords shared_;
  AsmBlock block_;
  bool clocked_, folds_, orders_, rehearses_;
  std::string start_, end_, fold_, idle_, sink_, never_, never_low_, result_, rehearse_, words_;
  std::string full_;                        // Of bulk loads: the mbarrier.
  std::string latencies_, indices_, rows_;  // Of `observe each`.
  std::map<std::string, std::string, std::less<>> stamps_;
  std::vector<std::string> operands_;  // The mark of a register that is an operand, else empty.
  std::map<const Instruction*, Expansion> expansions_;
  std::uint32_t landings_ = 0, emitted_ = 0;  // Labels among the operations; their lines so far.
  std::map<const Instruction*, std::string> chases_;  // Prefix of the names of each.
};

}  // namespace gpx::codegen
