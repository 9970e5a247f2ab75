// From a function's instructions to handlers: what an Executor runs.
//
// A Program is derived once for each entry function and kept with it (ptx::Function::prepared).
// Each instruction becomes an Op: a handler and operands as indices, resolved as far as they do not
// depend on the launch. Covered by tests/vgpu/exec_control_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "codegen/ptx/ops.h"
#include "runtime/device/vgpu/exec/executor.h"

namespace gpx::vgpu::exec {

struct Op;
struct Context;
/// Executes an op for the lanes of Context::mask.
using Handler = void (*)(Context&, const Op&);

struct Op {
  Handler run = nullptr;
  const ptx::Instruction* source = nullptr;
  /// Destinations: registers of the frame. Sources: a register, or ~i for constant row i.
  std::int32_t d = 0, d2 = 0;
  std::int32_t a = 0, b = 0, c = 0, e = 0;
  std::uint16_t guard = ptx::Operand::kNoRegister;
  bool guard_negated = false;
  bool negated = false;         ///< The predicate source counts as its opposite.
  bool has_d2 = false;          ///< d2 was written in the text.
  bool wide_address = true;     ///< The address register has 64 bits.
  bool module_address = false;  ///< `value` counts from the module's global variables.
  bool computes = false;        ///< It reads and writes registers alone, and cannot fail.
  bool blind = false;           ///< It moves or multiplies nothing: exec/values.h.
  std::uint8_t count = 1;       ///< Elements of `list`.
  std::int32_t list = -1;       ///< First element in Program::lists; the target of a bra; the call
                           ///< site of a call, or the calls of one by address. Of mma: registers of
                           ///< D, A, B and C in a row.
  std::int64_t value = 0;  ///< Address offset, symbol, special register; of a branch: where its
                           ///< function begins, to which `reconvergence` is relative.
};

/// A function within a Program.
struct Frame {
  std::int32_t begin = 0;       ///< Its first op.
  std::uint32_t registers = 0;  ///< Of the frame, one to write to in vain included.
  std::uint64_t local_bytes = 0;
  std::int64_t taken_before = -1;  ///< Where it keeps what its callers took by alloca; -1: nowhere.
  std::vector<std::uint16_t> unwritten;  ///< Registers that some path reads before a write.
  const ptx::Function* function = nullptr;
};

/// A .param variable copied between frames: offsets within them.
struct Passed {
  std::uint32_t from, to, bytes;
};
struct CallSite {
  std::size_t caller = 0, callee = 0;  ///< Frames.
  std::vector<Passed> parameters, returns;
};

namespace sass {
struct MachineProgram;
}

struct Program {
  std::vector<Op> code;
  std::vector<Frame> frames;  ///< The entry first.
  std::vector<Lanes> constants;
  std::vector<std::int32_t> lists;   ///< Vector elements, targets of brx.
  std::vector<std::uint32_t> sizes;  ///< Of the lists of brx: Op::b.
  std::vector<CallSite> calls;
  std::vector<CallSite> builtin_calls;  ///< Of functions of the driver: no frame is entered.
  /// Of a call by address, by the function's index in the module: its call site; -1: it does not
  /// take what the call passes.
  std::vector<std::vector<std::int32_t>> indirect;
  std::vector<std::string> unsupported;  ///< What such an instruction fails by: Op::list.
  std::uint64_t local_bytes = 0;         ///< A thread's, all frames and what follows.
  std::uint64_t taken_bytes = 0;         ///< At their end: what alloca takes, and its count.
  bool reserves_shared = false;          ///< It looks for shared memory beyond its own.
  bool cooperative = false;  ///< It looks for the workspace of a grid that waits for itself.
  std::shared_ptr<const std::vector<std::uint8_t>> constant_memory;
  std::shared_ptr<const std::vector<std::uint8_t>> global_image;  ///< Initial .global variables.
  std::shared_ptr<const sass::MachineProgram> machine;            ///< nullptr: the code is PTX.
  /// Addresses in these, whose `offset` counts from the image's begin.
  std::shared_ptr<const std::vector<ptx::Relocation>> constant_relocations, global_relocations;
};

/// The program of `entry`, made now or earlier.
std::shared_ptr<const Program> program_of(const ptx::Module& module, const ptx::Function& entry);

/// The initial memories of the module's variables, as its programs have them.
void attach_images(Program& program, const ptx::Module& module);

/// The handler of an instruction; null if there is none. One function for each family.
Handler integer_handler(const ptx::Instruction& instruction);
Handler carry_handler(const ptx::Instruction& instruction);
Handler bits_handler(const ptx::Instruction& instruction);
Handler compare_handler(const ptx::Instruction& instruction);
Handler float_handler(const ptx::Instruction& instruction);
Handler approx_handler(const ptx::Instruction& instruction);
Handler half_handler(const ptx::Instruction& instruction);
Handler convert_handler(const ptx::Instruction& instruction);
Handler move_handler(const ptx::Instruction& instruction);
Handler memory_handler(const ptx::Instruction& instruction);
Handler atomic_handler(const ptx::Instruction& instruction);
Handler control_handler(const ptx::Instruction& instruction);
Handler barrier_handler(const ptx::Instruction& instruction);
Handler warp_handler(const ptx::Instruction& instruction);
Handler mma_handler(const ptx::Instruction& instruction);
Handler matrices_handler(const ptx::Instruction& instruction);
Handler warpgroup_handler(const ptx::Instruction& instruction);
Handler copy_handler(const ptx::Instruction& instruction);
/// A call of the function whose address a register has.
void call_by_address(Context&, const Op&);
/// Of a function that the driver brings (exec/device_library.cpp).
Handler builtin_handler(ptx::Builtin builtin);
Handler mbarrier_handler(const ptx::Instruction& instruction);
Handler wmma_handler(const ptx::Instruction& instruction);
Handler video_handler(const ptx::Instruction& instruction);
Handler video_scalar_handler(const ptx::Instruction& instruction);
Handler wide_handler(const ptx::Instruction& instruction);
Handler async_store_handler(const ptx::Instruction& instruction);
Handler stack_handler(const ptx::Instruction& instruction);
Handler cache_handler(const ptx::Instruction& instruction);
/// What a thread may take by alloca: half of what a launch's stack limit would reserve.
inline constexpr std::uint64_t kTakenBytes = 16 * 1024;
/// Whether it has an alloca.
bool takes_stack(const ptx::Function& function);
/// At a call and a return of a function that takes some: its frame begins at `base`.
void note_taken(Context& c, const Frame& frame, std::uint32_t base);
void give_back_taken(Context& c, const Frame& frame, std::uint32_t base);
/// Op::computes.
bool computes(const ptx::Instruction& instruction);
/// Asks them all.
Handler find_handler(const ptx::Instruction& instruction);

}  // namespace gpx::vgpu::exec
