// ldmatrix and stmatrix: matrices of 8 x 8 elements of 16 bits between shared memory and registers.
// Interface: matrices_handler in decode.h. Covered by tests/vgpu/exec_mma_test.cpp.
//
// PTX ISA 8.5, "ldmatrix": lanes 8m to 8m + 7 have the addresses of matrix m's rows of 16 bytes;
// register m of a lane has elements 2 (lane % 4) and the next of row lane / 4, or of that column.
// In time they are accesses of 16 bytes by the lanes that have addresses.
#include "codegen/ptx/mma.h"
#include "runtime/device/vgpu/exec/access.h"

namespace gpx::vgpu::exec {
namespace {

constexpr unsigned kRows = 8, kRowBytes = 16, kElementBytes = 2;

/// What the rows' lanes point to. `rows` is empty where it trapped.
struct Rows {
  unsigned matrices;
  bool transposed;
  std::array<std::uint8_t*, kWarpSize> rows{};

  std::uint8_t* element(unsigned matrix, unsigned lane, unsigned which) const {
    unsigned row = lane / 4, column = 2 * (lane % 4) + which;
    if (transposed) std::swap(row, column);
    return rows[kRows * matrix + row] + kElementBytes * column;
  }
};

bool find_rows(Context& c, const Op& op, Rows& out) {
  if (!whole_warp(c)) return false;
  const ptx::OpId id = ptx::id_of(*op.source);
  out.matrices = ptx::matrices_of(id);
  out.transposed = ptx::transposes_matrices(id);
  const unsigned lanes = kRows * out.matrices;
  c.mask = lanes == kWarpSize ? kFull : (Mask{1} << lanes) - 1;
  c.effect.active = c.mask;
  access_memory(c, op, kRowBytes,
                [&](std::uint8_t* data, unsigned lane) { out.rows[lane] = data; });
  return c.trap.empty();
}

void load_matrices(Context& c, const Op& op) {
  c.effect.is_load = true;
  Rows rows;
  if (!find_rows(c, op, rows) || op.blind) return;
  const std::int32_t* list = c.machine.program->lists.data() + op.list;
  for (unsigned m = 0; m < rows.matrices; ++m)
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      std::uint16_t low, high;
      std::memcpy(&low, rows.element(m, lane, 0), sizeof low);
      std::memcpy(&high, rows.element(m, lane, 1), sizeof high);
      c.r[list[m]][lane] = std::uint32_t{high} << 16 | low;
    }
}

void store_matrices(Context& c, const Op& op) {
  c.effect.is_store = true;
  Rows rows;
  if (!find_rows(c, op, rows) || op.blind) return;
  const std::int32_t* list = c.machine.program->lists.data() + op.list;
  for (unsigned m = 0; m < rows.matrices; ++m)
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      for (unsigned which = 0; which < 2; ++which)
        write_element(c, rows.element(m, lane, which),
                      static_cast<std::uint16_t>(c.in(list[m])[lane] >> (16 * which)));
}

}  // namespace

Handler matrices_handler(const ptx::Instruction& i) {
  if (ptx::matrices_of(ptx::id_of(i)) == 0) return nullptr;
  return ptx::op_row(ptx::id_of(i)).shape == "X" ? &load_matrices : &store_matrices;
}

}  // namespace gpx::vgpu::exec
