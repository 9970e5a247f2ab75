// Interface: touched.h. Covered by tests/vgpu/dependence_test.cpp.
#include "runtime/device/vgpu/counts/touched.h"

#include <algorithm>

#include "codegen/ptx/ops.h"
#include "lang/lists.h"

namespace gpx::vgpu {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::OpId;
using Buffers = Touched::Buffers;

constexpr Buffers kAny = ~Buffers{0};

/// What an instruction does to global memory.
struct Access {
  bool reads = false, writes = false, atomic = false;
  explicit operator bool() const { return reads || writes; }
};

Access access_of(const Instruction& i) {
  switch (ptx::id_of(i)) {
    case OpId::ld:
    case OpId::ld_wide:
    case OpId::ldu:
    case OpId::tex_1d:
    case OpId::cp_async: return {true, false, false};
    case OpId::st:
    case OpId::st_wide: return {false, true, false};
    default: break;
  }
  if (i.name.starts_with("wmma.load")) return {true, false, false};
  if (i.name.starts_with("red.") || i.name.starts_with("wmma.store")) return {false, true, false};
  if (i.name.starts_with("atom.")) return {true, true, true};
  if (i.unit == ptx::Unit::bulk_copy) return {true, true, false};
  return {};
}

bool may_be_global(ptx::Space space) {
  return space == ptx::Space::global || space == ptx::Space::none || space == ptx::Space::texture;
}

/// Another block may have written it a moment ago, and the kernel says that it wants to know.
bool is_ordered(const Instruction& i) {
  const ptx::Modifiers modifiers = ptx::modifiers_of(i);
  return (modifiers.bits & ptx::Modifiers::kVolatile) != 0 ||
         modifiers.scope() == ptx::Scope::gpu || modifiers.scope() == ptx::Scope::sys;
}

class Analysis {
 public:
  Analysis(const ptx::Function& function, const ptx::Function& entry, const codegen::Launch& launch)
      : function_(function), entry_(entry), launch_(launch) {
    held_.assign(function.registers, 0);
    read_.assign(function.registers, false);
    for (const Instruction& i : function.instructions)
      for (const std::uint16_t r : i.reads) read_[r] = true;
  }

  void add_to(Touched& out) {
    while (flow()) {
    }
    for (const Instruction& i : function_.instructions)
      if (const Access access = access_of(i)) add(i, access, out);
  }

 private:
  /// True: some register may hold more than was known.
  bool flow() {
    bool more = false;
    for (const Instruction& i : function_.instructions) {
      const Buffers held = result_of(i);
      for (const std::uint16_t r : i.writes) {
        more |= (held & ~held_[r]) != 0;
        held_[r] |= held;
      }
    }
    return more;
  }

  Buffers result_of(const Instruction& i) const {
    if (const Access access = access_of(i); access.reads) return loaded(i);
    Buffers held = 0;
    for (const std::uint16_t r : i.reads) held |= held_[r];
    for (const Operand& operand : i.operands) held |= symbol(operand);
    return held;
  }

  static Buffers symbol(const Operand& operand) {
    const bool global = operand.kind == Operand::Kind::symbol &&
                        static_cast<ptx::Space>(operand.index) == ptx::Space::global;
    const bool module = operand.kind == Operand::Kind::address && operand.negated;
    return global || module ? Buffers{1} << Touched::kModule : 0;
  }

  Buffers loaded(const Instruction& i) const {
    if (ptx::bytes_of(i.type) < 8 || ptx::is_float(i.type)) return 0;  // no pointer
    if (i.space != ptx::Space::param || ptx::modifiers_of(i).frame_param()) return kAny;
    const Operand* at = address_of(i);
    if (!at || at->index != Operand::kNoRegister || &function_ != &entry_) return kAny;
    const std::uint64_t begin = at->bits + static_cast<std::uint64_t>(std::int64_t{at->offset});
    return argument(begin, 8 * ptx::modifiers_of(i).vector());
  }

  /// The buffers of the arguments' parts that lie in these bytes.
  Buffers argument(std::uint64_t begin, std::uint64_t bytes) const {
    Buffers held = 0;
    for (std::size_t a = 0; a < launch_.arguments.size() && a < entry_.parameters.size(); ++a)
      for (const codegen::Argument::Part& part : launch_.arguments[a].parts) {
        const std::uint64_t at = entry_.parameters[a].address + part.offset;
        if (part.buffer >= 0 && at + part.bytes > begin && at < begin + bytes)
          held |= Touched::bit(static_cast<std::size_t>(part.buffer));
      }
    return held;
  }

  static const Operand* address_of(const Instruction& i) {
    return find_in(i.operands, Operand::Kind::address, &Operand::kind);
  }

  /// Where its addresses may lie.
  Buffers reached(const Instruction& i) const {
    if (i.unit == ptx::Unit::bulk_copy) return kAny;
    Buffers held = 0;
    for (const Operand& operand : i.operands) {
      held |= symbol(operand);
      const bool address = operand.kind == Operand::Kind::address;
      if (address && operand.index != Operand::kNoRegister) held |= held_[operand.index];
    }
    if (ptx::id_of(i) != OpId::tex_1d) return held;
    for (const std::uint16_t r : i.reads) held |= held_[r];
    return held;
  }

  void add(const Instruction& i, const Access& access, Touched& out) const {
    if (i.unit != ptx::Unit::bulk_copy && i.unit != ptx::Unit::async_copy &&
        !may_be_global(i.space))
      return;
    const Buffers at = reached(i);
    if (at == 0) return;
    const bool used =
        access.atomic && std::ranges::any_of(i.writes, [&](std::uint16_t r) { return read_[r]; });
    const auto line = static_cast<std::size_t>(std::max(i.line, 0));
    if (out.result_used.size() <= line) out.result_used.resize(line + 1);
    out.result_used[line] = used;
    if (access.writes) out.written |= at;
    if (access.reads && (used || !access.atomic)) out.read |= at;
    if (used && out.communicates == 0) out.communicates = i.line;
    if (access.reads && !access.atomic) out.loads.push_back({i.line, at, is_ordered(i)});
  }

  const ptx::Function& function_;
  const ptx::Function& entry_;
  const codegen::Launch& launch_;
  std::vector<Buffers> held_;  ///< By register.
  std::vector<bool> read_;     ///< By register: some instruction reads it.
};

/// The entry and the functions that it may call: by their names, those that these call, and where
/// one of them calls by an address, all whose address some text has.
std::vector<const ptx::Function*> reachable(const ptx::Module& module, const ptx::Function& entry) {
  std::vector<const ptx::Function*> found = {&entry};
  const auto add = [&](const ptx::Function& function) { add_once(found, &function); };
  for (std::size_t next = 0; next < found.size(); ++next)
    for (const Instruction& i : found[next]->instructions) {
      if (ptx::id_of(i) != OpId::call || i.operands.empty()) continue;
      const Operand& callee = i.operands.front();
      if (callee.kind == Operand::Kind::label)
        add(module.functions[callee.bits]);
      else if (callee.kind != Operand::Kind::builtin)
        for (const ptx::Function& function : module.functions)
          if (function.address_taken) add(function);
    }
  return found;
}

}  // namespace

Touched touched_by(const ptx::Module& module, const ptx::Function& entry,
                   const codegen::Launch& launch) {
  Touched out;
  for (const ptx::Function* function : reachable(module, entry))
    Analysis(*function, entry, launch).add_to(out);
  for (const Touched::Load& load : out.loads)
    if (load.ordered && (load.from & out.written) != 0 && out.communicates == 0)
      out.communicates = load.line;
  return out;
}

}  // namespace gpx::vgpu
