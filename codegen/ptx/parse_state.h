// What the parts of the PTX parser share: names in scope, pending references, the first error.
//
// parser.cpp reads directives and links; body.cpp reads a function's body; operands.cpp and
// forms.cpp read one instruction. Covered by tests/vgpu/ptx_test.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "codegen/ptx/cursor.h"
#include "codegen/ptx/ops.h"
#include "codegen/ptx/text.h"

namespace gpx::ptx {

/// A name in a scope.
struct Symbol {
  enum class Kind : std::uint8_t {
    reg,
    family,
    variable,
    label,
    targets,
    prototype
  } kind = Kind::reg;
  Type type = Type::none;
  Space space = Space::none;  ///< Of a variable.
  bool frame_param = false;   ///< A .param variable of a device function or of a call.
  std::uint32_t index = 0;    ///< Register; family's size; shared variable; label's
                              ///< instruction; vector of a target list.
  std::uint64_t address = 0;  ///< Of a variable, within its space; shared: known after linking.
  std::uint64_t bytes = 0;    ///< Of a variable.
};

struct Names {
  std::int32_t parent = -1;
  std::unordered_map<std::string_view, Symbol> names;
};

/// An operand that waits for a shared variable's address.
struct SharedUse {
  std::uint32_t function, instruction, operand, variable;
};

/// A label's use: of an operand, or of an element of a target list.
struct LabelUse {
  std::string_view name{};
  std::int32_t scope = 0;
  std::uint32_t position = 0;
  std::int32_t instruction = -1, list = -1, element = 0;
};

struct CallUse {
  std::uint32_t function, instruction;
  std::string_view callee;
  std::uint32_t position;
};

/// A function's address in a variable's initial value.
struct AddressUse {
  std::uint32_t variable, relocation;
  std::string_view function;
  std::uint32_t position;
};

struct SharedVariable {
  Variable variable;
  bool dynamic = false;  ///< .extern: the launch's dynamic shared memory
};

class Parser {
 public:
  Parser(std::string name, const std::string& text, Unsupported unsupported)
      : name_(std::move(name)), text_(text), at_(text), keeps_(unsupported == Unsupported::keep) {}
  Result<Module> run();

 private:
  // parser.cpp: directives at module level, and linking.
  bool parse_module();
  bool parse_directive(std::string_view word, bool is_extern);
  bool parse_alias();
  void skip_directive(const Cursor& begin, std::string_view word);
  void skip_parentheses();
  void forget_addresses();
  bool parse_function(bool is_entry);
  bool parse_parameters(std::vector<Variable>& out, bool is_entry, char open, char close);
  bool parse_performance_directives();
  bool parse_bound(std::string_view word);
  bool parse_variable(Space space, bool is_extern);
  bool parse_declarator(Space space, bool is_extern, Type type, unsigned vector,
                        std::uint32_t align);
  bool parse_initialiser(Type type, Variable& out);  // initial.cpp
  bool parse_initial_symbol(Relocation& out);
  bool place_initial_symbol(std::string_view name, std::uint32_t position, Relocation& out);
  bool declare_variable(Space space, bool is_extern, Variable variable, Type type,
                        std::uint32_t position);
  bool link();
  bool link_calls();
  bool link_call(const CallUse& call);
  bool link_addresses();
  std::size_t function_named(std::string_view name) const;
  std::vector<std::vector<bool>> reached() const;
  void place_shared();

  // body.cpp: statements.
  bool parse_body();
  bool parse_statement();
  bool parse_supported();
  void keep_unsupported(const Cursor& begin, std::size_t instructions);
  bool parse_body_directive();
  bool parse_registers();
  bool parse_labelled(std::string_view name, std::uint32_t position);
  bool parse_targets(std::string_view name);
  bool resolve_labels();
  std::int32_t open_scope();

  // operands.cpp: one instruction.
  bool parse_instruction(std::string_view guard, bool guard_negated, std::uint32_t position);
  bool parse_shape();
  bool parse_operand(char role);
  bool parse_destination(char role);
  bool parse_optional(char role, bool& present);
  bool parse_symbol(Operand& out, std::string_view name);
  bool parse_register(Operand& out, Type type, bool wider_allowed, bool destination);
  bool parse_source(Operand& out, Type type, bool wider_allowed);
  bool parse_predicate_source(Operand& out);
  bool parse_vector(Operand& out, Type type, bool destination);
  bool parse_list(Operand& out, Type type, bool destination, bool wider);
  bool parse_address(Operand& out);
  bool parse_move();
  bool parse_call();
  bool parse_call_list(Operand& out);
  bool parse_brx();
  bool parse_video();  // video.cpp
  bool parse_video_source(Operand& out);
  bool parse_part(Operand& out);
  bool parse_texture();
  bool parse_product();
  bool parse_fragments(std::span<const unsigned> counts, bool wide);
  bool parse_matrices();
  bool parse_fragment();          // wmma.cpp
  bool parse_fragment_product();  // wmma.cpp
  bool parse_read_bytes(Operand& out);
  bool parse_tensor();
  bool parse_warpgroup_product();
  bool check_depth(const Mnemonic& found);
  bool parse_immediate(Operand& out, Type type);
  bool special_register(std::string_view name, Operand& out);
  bool through_register(Operand& source, Type type);
  bool finish_instruction();
  bool check_space(std::uint32_t position);
  bool check_modifiers(std::uint32_t position);  // checks.cpp
  const Mnemonic* mnemonic(std::string_view text);

  // Names.
  const Symbol* find(std::string_view name, std::int32_t scope);
  const Symbol* find(std::string_view name) { return find(name, scope_); }
  bool declare(std::string_view name, Symbol symbol, std::uint32_t position);
  bool new_register(Type type, std::uint16_t& out);

  bool fail(std::uint32_t position, std::string message);
  bool fail(Mistake mistake) { return fail(mistake.position, std::move(mistake.message)); }
  bool fail(std::string message) { return fail(at_.position(), std::move(message)); }
  bool expect(char c);
  static std::uint64_t align_up(std::uint64_t value, std::uint64_t align) {
    return (value + align - 1) / align * align;
  }

  std::string name_;
  const std::string& text_;
  Cursor at_;
  bool keeps_;  ///< Unsupported::keep
  Module module_;
  std::string error_;  ///< Empty: none yet.
  std::uint32_t error_position_ = 0;

  std::vector<Names> scopes_{Names{}};  ///< 0: the module.
  std::int32_t scope_ = 0;
  std::vector<SharedVariable> shared_;
  std::vector<SharedUse> shared_uses_;
  std::vector<CallUse> calls_;
  std::vector<AddressUse> address_uses_;
  std::vector<std::pair<std::string_view, std::string_view>> aliases_;
  std::unordered_map<std::string_view, std::uint32_t> function_names_;  ///< Declared so far.
  std::unordered_map<std::string_view, Mnemonic> mnemonics_;
  std::uint64_t global_bytes_ = 0, constant_bytes_ = 0;

  // The function being read.
  Function* function_ = nullptr;
  std::vector<Type> register_types_;
  std::vector<LabelUse> label_uses_;
  std::uint16_t carry_ = Operand::kNoRegister;
  // The instruction being read.
  Instruction instruction_;
  const OpRow* row_ = nullptr;
  bool policy_ = false;            ///< Its last operand is a cache policy.
  std::int32_t frame_param_ = -1;  ///< 1: its address is in the frame, 0: an entry's parameter.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pending_shared_;  ///< operand, variable
};

/// Makes an instruction one that fails by `why` when it is executed.
void make_unsupported(Instruction& instruction, Function& function, std::string why);

/// Fills reads, writes, unit and folds of an instruction whose operands are complete
/// (ptx/effects.cpp).
void fill_effects(Instruction& instruction, const OpRow& row, const Function& function);

/// Fills Instruction::reconvergence of every branch (ptx/flow.cpp).
void fill_reconvergence(Function& function);

}  // namespace gpx::ptx
