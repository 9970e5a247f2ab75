// Builder: one instruction of machine code becomes an op, its step, and what timing reads of it.
// The files of a family (arithmetic.cpp, memory.cpp, ...) have a translator for each operation.
// Covered by tests/vgpu/machine_code_test.cpp.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "codegen/sass/kernel_image.h"
#include "codegen/sass/unshown.h"
#include "runtime/device/vgpu/exec/sass/step.h"

namespace gpx::vgpu::exec::sass {

namespace code = codegen::sass;

/// How a source's signs are applied. Of a pair an immediate is the lower word, with its sign; of
/// `real64` and `long64` it is the upper one.
enum class As : std::uint8_t { word, integer, real32, real64, pair, long64, half };

/// RZ: it reads as zero, and what is written to it is lost.
inline constexpr unsigned kZeroRegister = 255;
/// The k-th register from that one on; RZ stays RZ.
constexpr unsigned in_row(unsigned first, unsigned k) {
  return first == kZeroRegister ? first : first + k;
}

class Builder {
 public:
  Builder(const code::KernelImage& image, ptx::Function& function, Program& program);

  /// All instructions; the function's registers are counted when it is done.
  void build();

  // ---- the instruction that is translated

  const code::Instruction& in() const { return *in_; }
  const code::Word& word() const { return in_->word; }
  bool uniform() const { return in_->unit == "uniform"; }
  std::uint64_t field(unsigned position, unsigned width) const {
    return word().bits(position, width);
  }
  bool bit(unsigned position) const { return word().bit(position); }
  bool has(std::string_view modifier) const;
  int sm() const { return image_.sm; }
  const code::KernelImage& image() const { return image_; }
  std::uint64_t address() const { return address_; }
  std::size_t instructions() const { return image_.function.statements.size(); }

  ptx::Instruction& shell() { return *shell_; }
  Op& op() { return *op_; }
  Step& step() { return *step_; }
  MachineProgram& machine() { return machine_; }
  /// The instruction's access reads that row; what is none of the warp's registers does not count.
  void reads(std::int32_t row) { issue_word().read += row >= 0 && row < uniforms_; }
  Issue& issue_word() { return machine_.issue[static_cast<std::size_t>(op_->list)]; }
  Program& program() { return program_; }

  // ---- rows

  std::int32_t reg(unsigned index);     ///< That is read: RZ is zeros.
  std::int32_t reg_to(unsigned index);  ///< That is written: RZ is nothing's.
  std::int32_t ureg(unsigned index);
  std::int32_t ureg_to(unsigned index);
  std::int32_t predicate_to(unsigned index);  ///< Of the instruction's file.
  std::int32_t barrier(unsigned index) { return row_of(barriers_[index]); }
  std::int32_t barrier_result() { return row_of(result_); }
  std::int32_t spins() { return row_of(spins_, 2); }  ///< Of note_spin(), and the digest behind it.
  /// Where a lane goes on behind a collective.
  std::int32_t collective_end() { return row_of(collective_end_); }
  std::int32_t temporary();
  std::int32_t sink() const { return sink_; }
  std::int32_t constant(std::uint64_t value);
  std::int32_t bank(unsigned bank, std::uint32_t offset);
  Truth predicate(unsigned position);  ///< With its negation 3 bits above.
  std::int32_t predicate_row(unsigned index, bool uniform);
  /// The guard as a source: lanes for which it fails execute the instruction, too.
  Truth take_guard();

  /// Destination R16 or UR16, and the register behind it.
  std::int32_t d(unsigned behind = 0);

  // ---- sources, in the order of the text

  std::size_t sources() const { return sources_.size(); }
  const code::Operand& source(std::size_t k) const { return *sources_[k]; }
  /// Its 32 bits; of a pair the word of that number. `upper`: an immediate is the upper one.
  std::int32_t row(const code::Operand& operand, unsigned which = 0, bool upper = false);
  Word32 word32(std::size_t k);
  /// A row as a PTX handler reads it: the register's own where nothing is in the way.
  std::int32_t value(std::size_t k, As as);
  std::int32_t half(const code::Operand& operand);
  std::int32_t one_half(const code::Operand& operand);  ///< By bit 60 the upper one.
  /// Two registers as one value.
  std::int32_t pair(std::int32_t lo, std::int32_t hi);
  void add(const Input& input) { step_->inputs.push_back(input); }

  // ---- what is executed

  /// An instruction of PTX by its mnemonic, as Step::run, on Step::inner. False: there is none.
  bool ptx(std::string_view mnemonic);
  /// The same, with destination and sources of the shape "daa"; d is R16.
  bool ptx(std::string_view mnemonic, As as, std::size_t count);
  /// The result has 64 bits.
  void wide_result();
  /// A handler of machine code's own, which finds its step by the op.
  bool own(Handler run) {
    step_->run = run;
    step_->inner.list = op_->list;
    return true;
  }
  bool refuse(std::string why);

 private:
  template <std::size_t n>
  static std::array<std::int32_t, n> unnamed() {
    std::array<std::int32_t, n> made;
    made.fill(-1);
    return made;
  }
  void one(std::size_t index);
  bool is_understood();
  void guard();
  void find_sources();
  void finish();
  void place_boards();
  void find_readers();
  void issue();
  std::array<std::uint8_t, 2> bank_reads();
  std::int32_t take_rows(std::int32_t count);
  std::int32_t row_of(std::int32_t& known, std::int32_t count = 1);

  const code::KernelImage& image_;
  ptx::Function& function_;
  Program& program_;
  MachineProgram& machine_;
  const code::Instruction* in_ = nullptr;
  ptx::Instruction* shell_ = nullptr;
  Op* op_ = nullptr;
  Step* step_ = nullptr;
  std::uint64_t address_ = 0;
  std::string why_;
  bool guarded_ = false;  ///< The executor applies the guard.
  std::vector<const code::Operand*> sources_;
  /// Registers that the last instruction keeps for reuse: of double precision, and of the others.
  std::array<std::vector<unsigned>, 2> kept_;
  code::UnshownBits unshown_;
  std::map<std::uint64_t, std::int32_t> constants_;
  std::map<std::uint64_t, std::int32_t> bank_rows_;
  // Rows, behind those of the registers; below 0: nothing has named it.
  std::int32_t uniforms_ = 0, rows_ = 0, sink_ = 0;  ///< The first one, all, and one of nothing.
  std::int32_t result_ = -1, collective_end_ = -1, spins_ = -1;
  std::array<std::int32_t, 2> predicates_ = unnamed<2>();  ///< Of lanes, and uniform ones.
  std::array<std::int32_t, 64> uniform_rows_ = unnamed<64>();
  std::array<std::int32_t, 16> barriers_ = unnamed<16>();
  std::array<std::int32_t, 24> temporaries_ = unnamed<24>();
  std::size_t next_temporary_ = 0;
  std::array<Board, kScoreboards> boards_;
  std::array<unsigned, kScoreboards> set_{};  ///< How often each was set so far.
};

/// False: the form is not executed.
using Translate = bool (*)(Builder&);
struct Translator {
  std::string_view name;  ///< Up to the first dot.
  Translate translate;
};
std::span<const Translator> integer_translators();
std::span<const Translator> logic_translators();
std::span<const Translator> bit_translators();
std::span<const Translator> float_translators();
std::span<const Translator> convert_translators();
std::span<const Translator> memory_translators();
std::span<const Translator> atomic_translators();
std::span<const Translator> control_translators();
std::span<const Translator> warp_translators();
std::span<const Translator> collective_translators();
std::span<const Translator> special_translators();
std::span<const Translator> matrix_translators();
std::span<const Translator> warpgroup_translators();
std::span<const Translator> async_translators();

}  // namespace gpx::vgpu::exec::sass
