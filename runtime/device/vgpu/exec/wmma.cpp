// wmma: fragments loaded from and stored to memory, and their products. Interface: wmma_handler in
// decode.h. The places of elements: codegen/ptx/wmma.h. Covered by
// tests/vgpu/exec_headers_test.cpp.
//
// A matrix is moved in 32 pieces of its lines, one by each lane: that is the access that the timing
// model sees.
#include "codegen/ptx/wmma.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "runtime/device/vgpu/exec/access.h"
#include "runtime/device/vgpu/exec/product.h"

namespace gpx::vgpu::exec {
namespace {

using ptx::OpId;
using ptx::WmmaMatrix;

constexpr unsigned kMostMatrixBytes = 1024;  ///< 32 x 16 halves, or 16 x 16 words.

/// A matrix as it lies in memory, line after line without gaps.
struct MatrixBytes {
  std::array<std::uint8_t, kMostMatrixBytes> bytes{};

  static unsigned index(const WmmaMatrix& matrix, ptx::MmaForm::Place at) {
    return matrix.column_major ? at.column * matrix.rows + at.row
                               : at.row * matrix.columns + at.column;
  }
  std::uint64_t get(unsigned index, unsigned bits) const {
    std::uint64_t value = 0;
    if (bits < 8) return bytes[index * bits / 8] >> (index * bits % 8) & ((1u << bits) - 1);
    // Each size by itself: a copy of any number of bytes is a call.
    const std::uint8_t* const from = bytes.data() + index * bits / 8;
    if (bits == 16)
      std::memcpy(&value, from, 2);
    else if (bits == 32)
      std::memcpy(&value, from, 4);
    else
      std::memcpy(&value, from, bits / 8);
    return value;
  }
  /// Of whole bytes.
  void put(unsigned index, unsigned bits, std::uint64_t value) {
    std::memcpy(bytes.data() + index * bits / 8, &value, bits / 8);
  }
};

/// What each lane moves.
class Pieces {
 public:
  explicit Pieces(const WmmaMatrix& matrix)
      : line_bytes_(matrix.line() * matrix.bits / 8),
        bytes_(matrix.rows * matrix.columns * matrix.bits / 8 / kWarpSize),
        bits_(matrix.bits) {}

  /// As one access of the instruction takes; what is left of a piece follows it.
  unsigned part() const { return std::min(bytes_, kMostPart); }
  unsigned parts() const { return bytes_ / part(); }
  unsigned bytes() const { return bytes_; }
  unsigned offset(unsigned lane, unsigned which) const { return lane * bytes_ + which * part(); }
  /// From the matrix' first element; lines begin `stride` elements apart.
  std::uint64_t distance(unsigned lane, unsigned which, std::uint64_t stride) const {
    const unsigned at = offset(lane, which);
    return at / line_bytes_ * (stride * bits_ / 8) + at % line_bytes_;
  }

 private:
  static constexpr unsigned kMostPart = 16;
  unsigned line_bytes_, bytes_, bits_;
};

/// use(data, offset within the tile, count) for all pieces. False after a trap. The effect is that
/// of one access of whole pieces.
template <class Byte, class Use>
bool move_pieces(Context& c, const Op& op, const WmmaMatrix& matrix, const Lanes& strides,
                 Use use) {
  const Pieces pieces(matrix);
  const Lanes stride = strides;
  for (unsigned which = pieces.parts(); which-- > 0;) {
    compute_addresses(c, op);
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      c.machine.addresses[lane] += pieces.distance(lane, which, get<std::uint32_t>(stride[lane]));
    access_computed(c, op, pieces.part(), [&](Byte* data, unsigned lane) {
      use(data, pieces.offset(lane, which), pieces.part());
    });
    if (!c.trap.empty()) return false;
  }
  c.effect.bytes = static_cast<std::uint8_t>(pieces.bytes());
  return true;
}

void load_fragment(Context& c, const Op& op) {
  if (!whole_warp(c)) return;
  c.effect.is_load = true;
  const WmmaMatrix matrix = *ptx::wmma_matrix(*op.source);
  MatrixBytes tile;
  const auto take = [&](const std::uint8_t* data, unsigned offset, unsigned count) {
    std::memcpy(tile.bytes.data() + offset, data, count);
  };
  if (!move_pieces<const std::uint8_t>(c, op, matrix, c.in(op.b), take) || op.blind) return;
  const std::int32_t* const list = c.machine.program->lists.data() + op.list;
  for (unsigned r = 0; r < matrix.registers; ++r)
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      std::uint64_t all = 0;
      for (unsigned e = 0; e < matrix.per_register; ++e)
        all |= tile.get(MatrixBytes::index(matrix, matrix.place(lane, r, e)), matrix.bits)
               << (matrix.bits * e);
      c.r[list[r]][lane] = all;
    }
}

void store_fragment(Context& c, const Op& op) {
  if (!whole_warp(c)) return;
  c.effect.is_store = true;
  const WmmaMatrix matrix = *ptx::wmma_matrix(*op.source);
  const std::int32_t* const list = c.machine.program->lists.data() + op.list;
  MatrixBytes tile;
  for (unsigned r = 0; r < matrix.registers && !op.blind; ++r)
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      for (unsigned e = 0; e < matrix.per_register; ++e)
        tile.put(MatrixBytes::index(matrix, matrix.place(lane, r, e)), matrix.bits,
                 c.in(list[r])[lane] >> (matrix.bits * e));
  move_pieces<std::uint8_t>(
      c, op, matrix, c.in(op.c), [&](std::uint8_t* data, unsigned offset, unsigned count) {
        c.machine.changes += std::memcmp(data, tile.bytes.data() + offset, count) != 0;
        std::memcpy(data, tile.bytes.data() + offset, count);
      });
}

// Block by block, each a product of mma.
void multiply_fragments(Context& c, const Op& op) {
  if (!whole_warp(c) || op.blind) return;
  const ptx::Instruction& i = *op.source;
  const ptx::WmmaForm form = *ptx::wmma_form(i.columns, i.type2, i.type);
  const ptx::WmmaForm addend = *ptx::wmma_form(i.columns, i.type2, i.type3);
  const std::int32_t* const d = c.machine.program->lists.data() + op.list;
  const std::int32_t *const a = d + form.registers_c(), *const b = a + form.registers_a(),
                            *const sums = b + form.registers_b();
  for (unsigned row = 0; row < form.row_blocks(); ++row)
    for (unsigned column = 0; column < form.column_blocks(); ++column) {
      const unsigned number = row * form.column_blocks() + column;
      multiply(c, op,
               {form.block,
                {d + number * form.block.c, a + row * form.block.a, b + column * form.block.b,
                 sums + number * addend.block.c},
                i.type,
                i.type2,
                i.type2,
                i.type3});
    }
}

}  // namespace

Handler wmma_handler(const ptx::Instruction& i) {
  switch (ptx::id_of(i)) {
    case OpId::wmma_load_a:
    case OpId::wmma_load_b:
    case OpId::wmma_load_c: return &load_fragment;
    case OpId::wmma_store_d: return &store_fragment;
    case OpId::wmma_mma:
    case OpId::wmma_and:
    case OpId::wmma_xor: return &multiply_fragments;
    default: return nullptr;
  }
}

}  // namespace gpx::vgpu::exec
