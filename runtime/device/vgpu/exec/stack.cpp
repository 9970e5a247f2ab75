// alloca, stacksave and stackrestore. Interface: stack_handler in decode.h. Covered by
// tests/vgpu/exec_headers_test.cpp.
//
// What a thread takes lies at the end of its local memory and grows down, so that frames keep their
// places. How much is taken stands in the last word; a function that takes some has a word of its
// frame for what was taken before (Frame::taken_before), and gives the rest back when it returns.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime/device/vgpu/exec/context.h"

namespace gpx::vgpu::exec {
namespace {

using ptx::OpId;

std::uint8_t* memory_of(Context& c, unsigned lane) {
  const std::uint64_t stride = c.machine.program->local_bytes;
  return c.block().local.data() + (std::uint64_t{c.warp.id} * kWarpSize + lane) * stride;
}
/// Where what is taken ends: the word that counts it.
std::uint64_t end_of(const Context& c) {
  return c.machine.program->local_bytes - sizeof(std::uint64_t);
}
std::uint64_t taken(Context& c, unsigned lane) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, memory_of(c, lane) + end_of(c), sizeof bytes);
  return bytes;
}
void set_taken(Context& c, unsigned lane, std::uint64_t bytes) {
  std::memcpy(memory_of(c, lane) + end_of(c), &bytes, sizeof bytes);
}

template <class Use>
void each_lane(Context& c, Use use) {
  for (Mask rest = c.mask; rest != 0 && c.trap.empty(); rest &= rest - 1)
    use(static_cast<unsigned>(std::countr_zero(rest)));
}

// d, bytes {, alignment}
void take(Context& c, const Op& op) {
  constexpr std::uint64_t kAlignment = 8;  // PTX ISA, alloca: where none is given
  const bool narrow = ptx::bytes_of(op.source->type) == 4;
  const bool given = op.source->operands.size() > 2 &&
                     op.source->operands[2].kind == ptx::Operand::Kind::immediate;
  const std::uint64_t align = given ? op.source->operands[2].bits : kAlignment;
  if (!std::has_single_bit(align) || align > 1u << 23) {
    c.trap = fmt::format("alloca: {} is no alignment", align);
    return;
  }
  each_lane(c, [&](unsigned lane) {
    std::uint64_t bytes = c.in(op.a)[lane];
    if (narrow) bytes = static_cast<std::uint32_t>(bytes);
    const std::uint64_t end = end_of(c), before = taken(c, lane);
    if (bytes > kTakenBytes || before + bytes + align > kTakenBytes) {
      c.trap = fmt::format(
          "alloca of {} bytes overflows the stack: a thread may take {} bytes, "
          "{} of which are taken",
          bytes, kTakenBytes, before);
      return;
    }
    const std::uint64_t address = (end - before - bytes) / align * align;
    set_taken(c, lane, end - address);
    c.r[op.d][lane] = address;
  });
}

void save(Context& c, const Op& op) {
  each_lane(c, [&](unsigned lane) { c.r[op.d][lane] = end_of(c) - taken(c, lane); });
}

void restore(Context& c, const Op& op) {
  const bool narrow = ptx::bytes_of(op.source->type) == 4;
  each_lane(c, [&](unsigned lane) {
    std::uint64_t address = c.in(op.a)[lane];
    if (narrow) address = static_cast<std::uint32_t>(address);
    const std::uint64_t end = end_of(c);
    if (address > end || end - address > taken(c, lane)) {
      c.trap = fmt::format("stackrestore: stacksave gave no 0x{:x}", address);
      return;
    }
    set_taken(c, lane, end - address);
  });
}

}  // namespace

void note_taken(Context& c, const Frame& frame, std::uint32_t base) {
  if (frame.taken_before < 0) return;
  each_lane(c, [&](unsigned lane) {
    const std::uint64_t bytes = taken(c, lane);
    std::memcpy(memory_of(c, lane) + base + frame.taken_before, &bytes, sizeof bytes);
  });
}

void give_back_taken(Context& c, const Frame& frame, std::uint32_t base) {
  if (frame.taken_before < 0) return;
  each_lane(c, [&](unsigned lane) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, memory_of(c, lane) + base + frame.taken_before, sizeof bytes);
    set_taken(c, lane, bytes);
  });
}

bool takes_stack(const ptx::Function& function) {
  return std::ranges::any_of(function.instructions, [](const ptx::Instruction& i) {
    return ptx::id_of(i) == OpId::alloca;
  });
}

Handler stack_handler(const ptx::Instruction& i) {
  switch (ptx::id_of(i)) {
    case OpId::alloca: return &take;
    case OpId::stack_save: return &save;
    case OpId::stack_restore: return &restore;
    default: return nullptr;
  }
}

}  // namespace gpx::vgpu::exec
