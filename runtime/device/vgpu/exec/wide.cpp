// 128 bits at once: mov, ld, st, atom.exch and atom.cas of .b128. The upper half of a register is
// the row behind the lower one. Interface: wide_handler in decode.h. Covered by
// tests/vgpu/exec_headers_test.cpp.
#include <cstring>

#include "runtime/device/vgpu/exec/access.h"

namespace gpx::vgpu::exec {
namespace {

using ptx::OpId;

constexpr unsigned kWideBytes = 16;

struct Wide {
  std::uint64_t low = 0, high = 0;
  bool operator==(const Wide&) const = default;
};

Wide read_row(const Context& c, std::int32_t row, unsigned lane) {
  return {c.in(row)[lane], c.in(row + 1)[lane]};
}
void write_row(Context& c, std::int32_t row, unsigned lane, const Wide& value) {
  c.r[row][lane] = value.low;
  c.r[row + 1][lane] = value.high;
}

void move_wide(Context& c, const Op& op) {
  const std::int32_t* const list = c.machine.program->lists.data() + op.list;
  const bool packs = op.source->operands[1].kind == ptx::Operand::Kind::vector;
  const bool splits = op.source->operands[0].kind == ptx::Operand::Kind::vector;
  for_lanes(c.mask, [&](unsigned i) {
    const Wide value = packs ? Wide{c.in(list[0])[i], c.in(list[1])[i]} : read_row(c, op.a, i);
    if (!splits) return write_row(c, op.d, i, value);
    c.r[list[0]][i] = value.low;
    c.r[list[1]][i] = value.high;
  });
}

void load_wide(Context& c, const Op& op) {
  c.effect.is_load = true;
  access_memory(c, op, kWideBytes, [&](const std::uint8_t* data, unsigned lane) {
    Wide value;
    std::memcpy(&value, data, sizeof value);
    write_row(c, op.d, lane, value);
  });
}

void write_wide(Context& c, std::uint8_t* data, const Wide& value) {
  write_element(c, data, value.low);
  write_element(c, data + 8, value.high);
}

void store_wide(Context& c, const Op& op) {
  c.effect.is_store = true;
  access_memory(c, op, kWideBytes, [&](std::uint8_t* data, unsigned lane) {
    write_wide(c, data, read_row(c, op.b, lane));
  });
}

template <bool kCompares>
void swap_wide(Context& c, const Op& op) {
  c.effect.is_atomic = c.effect.is_store = c.effect.is_load = true;
  access_memory(c, op, kWideBytes, [&](std::uint8_t* data, unsigned lane) {
    Wide old;
    std::memcpy(&old, data, sizeof old);
    const Wide given = read_row(c, op.b, lane);
    if (!kCompares)
      write_wide(c, data, given);
    else if (old == given)
      write_wide(c, data, read_row(c, op.c, lane));
    write_row(c, op.d, lane, old);
  });
}

}  // namespace

Handler wide_handler(const ptx::Instruction& i) {
  switch (ptx::id_of(i)) {
    case OpId::mov_wide: return &move_wide;
    case OpId::ld_wide: return &load_wide;
    case OpId::st_wide: return &store_wide;
    case OpId::atom_exch_wide: return &swap_wide<false>;
    case OpId::atom_cas_wide: return &swap_wide<true>;
    default: return nullptr;
  }
}

}  // namespace gpx::vgpu::exec
