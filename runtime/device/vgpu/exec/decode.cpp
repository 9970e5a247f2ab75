// Programs from functions. Interface: decode.h. Covered by tests/vgpu/exec_control_test.cpp.
#include "runtime/device/vgpu/exec/decode.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <unordered_map>

#include "codegen/ptx/warpgroup.h"
#include "runtime/device/vgpu/exec/context.h"

namespace gpx::vgpu::exec {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Operand;
using ptx::OpId;

/// Local memory beyond one frame of each function, if there is recursion: what a launch would
/// reserve by its stack limit.
constexpr std::uint64_t kRecursionBytes = 16 * 1024;

/// The module's initial memories, shared by its entries.
struct Images {
  std::vector<std::uint8_t> constant, global;
  std::vector<ptx::Relocation> constant_relocations, global_relocations;
};

std::shared_ptr<const Images> images_of(const ptx::Module& module) {
  if (auto known = module.prepared.get()) return std::static_pointer_cast<const Images>(known);
  auto images = std::make_shared<Images>();
  for (const ptx::Variable& v : module.variables) {
    if (v.space != ptx::Space::constant && v.space != ptx::Space::global) continue;
    auto& out = v.space == ptx::Space::constant ? images->constant : images->global;
    // Constant memory is there as a whole; of global memory only what is not zeros.
    if (v.space == ptx::Space::global && v.initial.empty()) continue;
    std::uint64_t bytes = v.space == ptx::Space::global ? v.initial.size() : v.bytes;
    out.resize(std::max<std::uint64_t>(out.size(), v.address + bytes));
    std::copy(v.initial.begin(), v.initial.end(),
              out.begin() + static_cast<std::ptrdiff_t>(v.address));
    auto& relocations =
        v.space == ptx::Space::constant ? images->constant_relocations : images->global_relocations;
    for (ptx::Relocation each : v.relocations) {
      each.offset += v.address;
      relocations.push_back(each);
    }
  }
  module.prepared.set(images);
  return images;
}

void trap_without_handler(Context& c, const Op& op) {
  c.trap = std::string(op.source->name) + " on this type is not supported by the virtual GPU";
}

class Decoder {
 public:
  Decoder(const ptx::Module& module, const Function& entry) : module_(module) {
    attach_images(*program_, module);
    frame_of(entry);
    for (std::size_t k = 0; k < program_->frames.size(); ++k) decode(k);
    program_->local_bytes = local_bytes();
  }
  std::shared_ptr<const Program> take() { return std::move(program_); }

 private:
  std::size_t frame_of(const Function& function) {
    auto& frames = program_->frames;
    for (std::size_t k = 0; k < frames.size(); ++k) {
      if (frames[k].function == &function) return k;
    }
    Frame frame{.begin = 0,
                .registers = function.registers + 1,
                .local_bytes = function.local_bytes,
                .taken_before = -1,
                .unwritten = {},
                .function = &function};
    if (takes_stack(function)) {
      const std::uint64_t word = (function.local_bytes + 7) / 8 * 8;
      if (!frames.empty()) frame.taken_before = static_cast<std::int64_t>(word);
      frame.local_bytes = word + 8;
      program_->taken_bytes = kTakenBytes + 16;
    }
    frames.push_back(std::move(frame));
    return frames.size() - 1;
  }

  void decode(std::size_t frame) {
    const Function& function = *program_->frames[frame].function;
    begin_ = static_cast<std::int32_t>(program_->code.size());
    sink_ = static_cast<std::int32_t>(function.registers);
    function_ = &function;
    frame_ = frame;
    program_->frames[frame].begin = begin_;
    program_->code.reserve(program_->code.size() + function.instructions.size());
    for (const Instruction& i : function.instructions) program_->code.push_back(decode(i));
    program_->frames[frame].unwritten = unwritten(function);
  }

  Op decode(const Instruction& i) {
    Op op;
    op.source = &i;
    op.run = find_handler(i);
    op.computes = computes(i);
    if (!op.run) op.run = &trap_without_handler;
    op.guard = i.guard;
    op.guard_negated = i.guard_negated;
    op.d = op.d2 = sink_;
    op.a = op.b = op.c = op.e = constant(0);
    switch (ptx::id_of(i)) {
      case OpId::bra:
        op.list = begin_ + static_cast<std::int32_t>(i.operands[0].bits);
        op.value = begin_;
        break;
      case OpId::brx: decode_brx(i, op); break;
      case OpId::call: decode_call(i, op); break;
      case OpId::unsupported:
        op.list = static_cast<std::int32_t>(program_->unsupported.size());
        program_->unsupported.push_back(function_->unsupported[i.operands[0].bits]);
        break;
      case OpId::wgmma:
      case OpId::wgmma_sp: decode_warpgroup_product(i, op); break;
      default:
        if (ptx::tensor_sides(ptx::id_of(i)) > 0) break;  // Its handler reads the operands.
        if (i.unit == ptx::Unit::tensor) return decode_product(i, op), op;
        decode_operands(i, op);
    }
    return op;
  }

  void decode_operands(const Instruction& i, Op& op) {
    std::string_view shape = ptx::op_row(ptx::id_of(i)).shape;
    if (shape == "M") shape = "da";
    if (shape == "E") shape = "daau";
    if (shape == "X") shape = "dm";
    if (shape == "Y") shape = "ma";
    if (shape == "K") shape = "dmu";
    if (shape == "W") shape = "mau";
    std::int32_t* sources[] = {&op.a, &op.b, &op.c, &op.e};
    std::size_t source = 0, operand = 0;
    for (char role : shape) {
      if (operand >= i.operands.size()) break;  // an optional operand is absent
      const Operand& o = i.operands[operand++];
      if (role == 'd' || role == 'w' || role == 'r' || role == 'p' || role == 'V') {
        decode_destination(o, op.d, op);
      } else if (role == 'P' || role == 'S' || role == 'R') {
        const Operand& second = i.operands[operand++];
        decode_destination(o, op.d, op);
        decode_destination(second, op.d2, op);
        op.has_d2 = second.kind == Operand::Kind::reg;
      } else {
        decode_source(o, *sources[source++], op);
      }
    }
    // What is left is the hidden carry register.
    if (operand < i.operands.size()) op.e = i.operands[operand].index;
  }

  void decode_destination(const Operand& o, std::int32_t& out, Op& op) {
    if (o.kind == Operand::Kind::vector) return decode_vector(o, op);
    if (o.kind == Operand::Kind::reg) out = o.index;
  }

  void decode_source(const Operand& o, std::int32_t& out, Op& op) {
    switch (o.kind) {
      case Operand::Kind::reg:
        out = o.index;
        op.negated |= o.negated;
        break;
      case Operand::Kind::immediate: out = constant(o.bits); break;
      case Operand::Kind::special: {
        op.value = o.index;
        const auto id = static_cast<ptx::SpecialRegister>(o.index);
        program_->cooperative |= id == ptx::SpecialRegister::envreg2;
        program_->reserves_shared |= id == ptx::SpecialRegister::reserved_shared;
        break;
      }
      case Operand::Kind::vector: decode_vector(o, op); break;
      case Operand::Kind::symbol:
        op.value = static_cast<std::int64_t>(o.bits);
        op.module_address = static_cast<ptx::Space>(o.index) == ptx::Space::global;
        break;
      case Operand::Kind::address:
        out = o.index;
        op.value = o.index == Operand::kNoRegister ? static_cast<std::int64_t>(o.bits) : o.offset;
        op.wide_address = o.index == Operand::kNoRegister || o.count == 8;
        op.module_address = o.negated;
        break;
      default: break;
    }
  }

  // Where an instruction has several lists, they lie one behind the other.
  void decode_vector(const Operand& o, Op& op) {
    if (op.list < 0) op.list = static_cast<std::int32_t>(program_->lists.size());
    op.count = o.count;
    for (const Operand& element : function_->vectors[o.index]) {
      std::int32_t index = sink_;
      if (element.kind == Operand::Kind::reg) index = element.index;
      if (element.kind == Operand::Kind::immediate) index = constant(element.bits);
      program_->lists.push_back(index);
    }
  }

  // D, A, B, C, and which elements a sparse A has.
  void decode_product(const Instruction& i, Op& op) {
    for (std::size_t k = 0; k < 4; ++k) decode_vector(i.operands[k], op);
    if (i.operands.size() > 4) decode_source(i.operands[4], op.c, op);
  }

  // D, then A's registers or its descriptor, B's descriptor, which elements a sparse A has, and the
  // predicate that says whether D counts.
  void decode_warpgroup_product(const Instruction& i, Op& op) {
    using O = ptx::WarpgroupOperands;
    decode_vector(i.operands[O::kD], op);
    if (i.operands[O::kA].kind == Operand::Kind::vector) {
      decode_vector(i.operands[O::kA], op);
    } else {
      decode_source(i.operands[O::kA], op.a, op);
    }
    decode_source(i.operands[O::kB], op.b, op);
    decode_source(i.operands[O::kKept], op.c, op);
    decode_source(i.operands[O::kScale], op.e, op);
  }

  void decode_brx(const Instruction& i, Op& op) {
    decode_source(i.operands[0], op.a, op);
    op.list = static_cast<std::int32_t>(program_->lists.size());
    op.value = begin_;
    op.b = static_cast<std::int32_t>(program_->sizes.size());
    const auto& targets = function_->vectors[i.operands[1].index];
    program_->sizes.push_back(static_cast<std::uint32_t>(targets.size()));
    for (const Operand& target : targets) {
      program_->lists.push_back(begin_ + static_cast<std::int32_t>(target.bits));
    }
  }

  void decode_call(const Instruction& i, Op& op) {
    const Operand& callee = i.operands[0];
    if (callee.kind == Operand::Kind::label) {
      op.list = call_site(i, module_.functions[callee.bits]);
      return;
    }
    if (callee.kind == Operand::Kind::builtin) {
      op.run = builtin_handler(static_cast<ptx::Builtin>(callee.bits));
      op.list = builtin_site(i);
      return;
    }
    decode_source(callee, op.a, op);
    op.run = &call_by_address;
    op.value = begin_;
    std::vector<std::int32_t> sites;
    for (const Function& function : module_.functions)
      sites.push_back(function.address_taken && passes(i, function) ? call_site(i, function) : -1);
    op.list = static_cast<std::int32_t>(program_->indirect.size());
    program_->indirect.push_back(std::move(sites));
  }

  /// The call's variables, as long as what the function takes and returns.
  bool passes(const Instruction& i, const Function& callee) const {
    const auto fits = [&](const Operand& list, const std::vector<ptx::Variable>& variables) {
      return std::ranges::equal(function_->vectors[list.index], variables,
                                [](const Operand& mine, const ptx::Variable& theirs) {
                                  return static_cast<std::uint64_t>(mine.offset) == theirs.bytes;
                                });
    };
    return fits(i.operands[1], callee.returns) && fits(i.operands[2], callee.parameters);
  }

  std::int32_t call_site(const Instruction& i, const Function& callee) {
    CallSite site{.caller = frame_, .callee = frame_of(callee), .parameters = {}, .returns = {}};
    auto fill = [&](const Operand& list, const std::vector<ptx::Variable>& variables, bool in,
                    std::vector<Passed>& out) {
      const auto& mine = function_->vectors[list.index];
      for (std::size_t k = 0; k < variables.size(); ++k) {
        auto here = static_cast<std::uint32_t>(mine[k].bits);
        auto there = static_cast<std::uint32_t>(variables[k].address);
        auto bytes = static_cast<std::uint32_t>(variables[k].bytes);
        out.push_back(in ? Passed{here, there, bytes} : Passed{there, here, bytes});
      }
    };
    fill(i.operands[1], callee.returns, false, site.returns);
    fill(i.operands[2], callee.parameters, true, site.parameters);
    program_->calls.push_back(std::move(site));
    return static_cast<std::int32_t>(program_->calls.size()) - 1;
  }

  /// Where in the caller's frame what is passed lies: Passed::from, and what is returned, ::to.
  std::int32_t builtin_site(const Instruction& i) {
    CallSite site{.caller = frame_, .callee = frame_, .parameters = {}, .returns = {}};
    for (const Operand& each : function_->vectors[i.operands[1].index])
      site.returns.push_back(
          {0, static_cast<std::uint32_t>(each.bits), static_cast<std::uint32_t>(each.offset)});
    for (const Operand& each : function_->vectors[i.operands[2].index])
      site.parameters.push_back(
          {static_cast<std::uint32_t>(each.bits), 0, static_cast<std::uint32_t>(each.offset)});
    program_->builtin_calls.push_back(std::move(site));
    return static_cast<std::int32_t>(program_->builtin_calls.size()) - 1;
  }

  std::int32_t constant(std::uint64_t value) {
    auto [it, added] = constants_.try_emplace(value, program_->constants.size());
    if (added) {
      program_->constants.emplace_back();
      program_->constants.back().fill(value);
    }
    return ~static_cast<std::int32_t>(it->second);
  }

  // The deepest chain of frames, each starting on 16 bytes. Depths grow from the leaves; where they
  // have not settled after as many rounds as there are frames, some function calls itself.
  std::uint64_t local_bytes() const {
    const auto& frames = program_->frames;
    auto own = [&](std::size_t k) { return (frames[k].local_bytes + 15) / 16 * 16; };
    std::vector<std::uint64_t> depth(frames.size());
    std::uint64_t sum = 0;
    for (std::size_t k = 0; k < frames.size(); ++k) sum += depth[k] = own(k);
    bool changed = true;
    for (std::size_t round = 0; round < frames.size() && changed; ++round) {
      changed = false;
      for (const CallSite& site : program_->calls) {
        std::uint64_t below = own(site.caller) + depth[site.callee];
        changed |= below > depth[site.caller];
        depth[site.caller] = std::max(depth[site.caller], below);
      }
    }
    const std::uint64_t all = changed ? sum + kRecursionBytes : depth[0];
    return all + program_->taken_bytes;
  }

  // Registers live at the begin: they read as 0. Backwards data flow over basic blocks; a guarded
  // write does not count as one.
  std::vector<std::uint16_t> unwritten(const Function& function) const;

  const ptx::Module& module_;
  std::shared_ptr<Program> program_ = std::make_shared<Program>();
  std::unordered_map<std::uint64_t, std::size_t> constants_;
  const Function* function_ = nullptr;
  std::size_t frame_ = 0;
  std::int32_t begin_ = 0, sink_ = 0;
};

using Bits = std::vector<std::uint64_t>;
void set(Bits& bits, std::size_t i) {
  bits[i / 64] |= 1ull << (i % 64);
}
bool has(const Bits& bits, std::size_t i) {
  return bits[i / 64] >> (i % 64) & 1;
}

struct LiveBlock {
  std::size_t begin = 0, end = 0;
  Bits needs, writes;
  std::vector<std::size_t> next;  ///< Instructions.
};

std::vector<std::size_t> successors(const Function& f, std::size_t at) {
  const Instruction& i = f.instructions[at];
  OpId id = ptx::id_of(i);
  std::vector<std::size_t> result;
  if (id == OpId::bra) result.push_back(i.operands[0].bits);
  if (id == OpId::brx) {
    for (const Operand& o : f.vectors[i.operands[1].index]) result.push_back(o.bits);
  }
  bool ends = id == OpId::bra || id == OpId::brx || id == OpId::ret || id == OpId::exit;
  bool falls = !ends || i.guard != Operand::kNoRegister;
  if (falls && at + 1 < f.instructions.size()) result.push_back(at + 1);
  return result;
}

std::vector<LiveBlock> live_blocks(const Function& f) {
  std::vector<bool> starts(f.instructions.size() + 1);
  starts[0] = true;
  for (std::size_t i = 0; i < f.instructions.size(); ++i) {
    auto next = successors(f, i);
    if (next.size() == 1 && next[0] == i + 1) continue;
    starts[i + 1] = true;
    for (std::size_t n : next) starts[n] = true;
  }
  std::vector<LiveBlock> blocks;
  for (std::size_t i = 0; i < f.instructions.size(); ++i) {
    if (starts[i]) {
      blocks.push_back({.begin = i, .end = i, .needs = {}, .writes = {}, .next = {}});
      blocks.back().needs.resize(f.registers / 64 + 1);
      blocks.back().writes.resize(f.registers / 64 + 1);
    }
    LiveBlock& b = blocks.back();
    const Instruction& instruction = f.instructions[i];
    for (std::uint16_t r : instruction.reads) {
      if (!has(b.writes, r)) set(b.needs, r);
    }
    if (instruction.guard == Operand::kNoRegister) {
      for (std::uint16_t r : instruction.writes) set(b.writes, r);
    }
    b.end = i + 1;
    b.next = successors(f, i);
  }
  return blocks;
}

std::vector<std::uint16_t> Decoder::unwritten(const Function& f) const {
  auto blocks = live_blocks(f);
  std::unordered_map<std::size_t, std::size_t> at;
  for (std::size_t b = 0; b < blocks.size(); ++b) at[blocks[b].begin] = b;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = blocks.size(); b-- > 0;) {
      for (std::size_t n : blocks[b].next) {
        const Bits& from = blocks[at[n]].needs;
        for (std::size_t w = 0; w < from.size(); ++w) {
          std::uint64_t add = from[w] & ~blocks[b].writes[w] & ~blocks[b].needs[w];
          blocks[b].needs[w] |= add;
          changed |= add != 0;
        }
      }
    }
  }
  std::vector<std::uint16_t> result;
  for (std::uint32_t r = 0; r < f.registers && !blocks.empty(); ++r) {
    if (has(blocks[0].needs, r)) result.push_back(static_cast<std::uint16_t>(r));
  }
  return result;
}

}  // namespace

void attach_images(Program& program, const ptx::Module& module) {
  const auto images = images_of(module);
  program.constant_memory = {images, &images->constant};
  program.global_image = {images, &images->global};
  program.constant_relocations = {images, &images->constant_relocations};
  program.global_relocations = {images, &images->global_relocations};
}

namespace {

using Family = Handler (*)(const Instruction&);
/// Their handlers see registers alone.
constexpr Family kComputing[] = {
    integer_handler, carry_handler,  bits_handler,    compare_handler, float_handler,
    half_handler,    approx_handler, convert_handler, video_handler,   video_scalar_handler,
};
constexpr Family kFamilies[] = {
    move_handler,        memory_handler, mbarrier_handler,  wmma_handler,
    cache_handler,       atomic_handler, control_handler,   barrier_handler,
    warp_handler,        mma_handler,    copy_handler,      wide_handler,
    async_store_handler, stack_handler,  warpgroup_handler, matrices_handler,
};

Handler first_of(std::span<const Family> families, const Instruction& i) {
  for (const Family family : families)
    if (const Handler handler = family(i)) return handler;
  return nullptr;
}

}  // namespace

bool computes(const Instruction& i) {
  return first_of(kComputing, i) != nullptr;
}

Handler find_handler(const Instruction& i) {
  const Handler computing = first_of(kComputing, i);
  return computing ? computing : first_of(kFamilies, i);
}

std::shared_ptr<const Program> program_of(const ptx::Module& module, const Function& entry) {
  if (auto known = entry.prepared.get()) return std::static_pointer_cast<const Program>(known);
  auto program = Decoder(module, entry).take();
  entry.prepared.set(program);
  return program;
}

}  // namespace gpx::vgpu::exec
