// Matrix products of a warpgroup: wgmma. Interface: warpgroup_handler in decode.h. The operands:
// codegen/ptx/warpgroup.h. Covered by tests/vgpu/exec_warpgroup_test.cpp.
//
// A warp executes its own 16 rows at once, whatever the other three do: nothing here is
// asynchronous, and a program that reads its sums without a wait reads them too early on a GPU
// only. Sums round as those of mma.sync (exec/mma.cpp); those of 8-bit floats keep 13 bits of
// fraction below the largest exponent and round to 13 bits towards zero, which Xie et al. (arXiv
// 2511.10909) found on Hopper, too: of that no record of this project is known.
//
// Tiles (PTX ISA, "Matrix Descriptor Format", "Canonical Layouts"): rows of W bytes, 16 without a
// swizzle, else 32, 64 or 128; 8 rows follow another, the next 8 are SBO bytes apart, the next W
// bytes of a row LBO. Transposed, rows are columns; without a swizzle both distances change places.
// Of a swizzled address, bits 4 to 6 are crossed with bits 7 to 9, as many as W has.
#include "codegen/ptx/warpgroup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "codegen/ptx/mma.h"
#include "runtime/device/vgpu/exec/context.h"
#include "runtime/device/vgpu/exec/fused_sum.h"
#include "runtime/device/vgpu/exec/sparse.h"

namespace gpx::vgpu::exec {
namespace {

using ptx::Type;
using ptx::WarpgroupForm;
using ptx::WarpgroupOperands;

constexpr unsigned kWarpRows = 16;

/// A matrix in shared memory.
class Tile {
 public:
  Tile(std::uint64_t descriptor, bool transposed)
      : start_(field(descriptor, 0)),
        leading_(field(descriptor, 16)),
        stride_(field(descriptor, 32)),
        transposed_(transposed),
        based_(descriptor >> 49 & 7) {
    constexpr unsigned kShifts[] = {4, 7, 6, 5};
    shift_ = kShifts[descriptor >> 62];
    width_ = 1u << shift_;
    if (width_ == 16 && transposed) std::swap(leading_, stride_);
  }

  bool based() const { return based_; }
  /// Of the element in a row of A (or column of B) and at a depth of K.
  std::uint64_t address(unsigned row, unsigned depth, unsigned bytes) const {
    if (transposed_) std::swap(row, depth);
    const unsigned byte = depth * bytes;
    const std::uint64_t plain = start_ + row % 8 * width_ + row / 8 * stride_ +
                                (byte >> shift_) * leading_ + (byte & (width_ - 1));
    return plain ^ (plain >> 7 & (width_ / 16 - 1)) << 4;
  }

 private:
  static std::uint64_t field(std::uint64_t descriptor, unsigned bit) {
    return (descriptor >> bit & 0x3fff) << 4;
  }

  std::uint64_t start_, leading_, stride_;
  unsigned shift_, width_;
  bool transposed_, based_;
};

/// The bits of A's 16 rows and B's columns, K of each in a row; of a sparse A zeros where nothing
/// is kept.
struct Factors {
  std::vector<std::uint32_t> a, b;
};

class WarpgroupReader {
 public:
  WarpgroupReader(Context& c, const Op& op, const WarpgroupForm& form)
      : c_(c), op_(op), form_(form), bytes_(form.factor_bits / 8) {}

  /// Nothing: it trapped.
  bool read(Factors& out) {
    out.a.assign(std::size_t{kWarpRows} * form_.k, 0);
    out.b.resize(std::size_t{form_.n} * form_.k);
    return keeps() && read_a(out.a) && read_b(out.b);
  }

 private:
  const ptx::Operand& operand(unsigned place) const { return op_.source->operands[place]; }

  bool trap(std::string message) {
    c_.trap = std::move(message);
    return false;
  }

  bool keeps() { return !form_.sparse || kept_.read(c_, c_.in(op_.c), form_.factor_bits); }
  /// The place of what A has at `column`.
  unsigned spread(unsigned column) const { return form_.sparse ? kept_.place(column) : column; }

  bool read_a(std::vector<std::uint32_t>& a) {
    if (operand(WarpgroupOperands::kA).kind == ptx::Operand::Kind::vector) {
      of_registers(a);
      return true;
    }
    const bool transposed = operand(WarpgroupOperands::kTransposeA).bits & 1;
    const Tile tile(c_.in(op_.a)[0], transposed);
    const unsigned first = c_.warp.id % 4 * kWarpRows;
    for (unsigned row = 0; row < kWarpRows; ++row)
      for (unsigned k = 0; k < form_.a_columns(); ++k)
        if (!load(tile, first + row, k, a[row * form_.k + spread(k)])) return false;
    return true;
  }

  void of_registers(std::vector<std::uint32_t>& a) const {
    const std::int32_t* registers = c_.machine.program->lists.data() + op_.list + form_.sums;
    ptx::MmaForm places{};
    places.m = kWarpRows;
    places.per_factor = 32 / form_.factor_bits;
    for (unsigned r = 0; r < WarpgroupForm::kFactors; ++r) {
      const Lanes& row = c_.in(registers[r]);
      for (unsigned lane = 0; lane < kWarpSize; ++lane)
        for (unsigned e = 0; e < places.per_factor; ++e) {
          const auto at = places.of_a(lane, r, e);
          a[at.row * form_.k + spread(at.column)] =
              static_cast<std::uint32_t>(row[lane]) >> (form_.factor_bits % 32 * e);
        }
    }
  }

  bool read_b(std::vector<std::uint32_t>& b) {
    const bool transposed = operand(WarpgroupOperands::kTransposeB).bits & 1;
    const Tile tile(c_.in(op_.b)[0], transposed);
    for (unsigned column = 0; column < form_.n; ++column)
      for (unsigned k = 0; k < form_.k; ++k)
        if (!load(tile, column, k, b[column * form_.k + k])) return false;
    return true;
  }

  bool load(const Tile& tile, unsigned row, unsigned depth, std::uint32_t& out) {
    if (tile.based()) return trap("a matrix descriptor with a base offset is not modelled");
    const std::uint64_t at = tile.address(row, depth, bytes_);
    const std::uint64_t begin = c_.machine.shared_begin;
    if (at < begin || at + bytes_ > begin + c_.machine.shared_bytes)
      return trap(fmt::format("a matrix descriptor reaches byte {} of shared memory, which has {}",
                              static_cast<std::int64_t>(at + bytes_ - 1 - begin),
                              c_.machine.shared_bytes));
    out = 0;
    std::memcpy(&out, c_.block().shared.data() + at, bytes_);
    return true;
  }

  Context& c_;
  const Op& op_;
  const WarpgroupForm& form_;
  unsigned bytes_;
  KeptElements kept_;
};

/// Reads and writes D: value(row, column, old bits) is what an element becomes.
template <class Value>
void update_sums(Context& c, const Op& op, const WarpgroupForm& form, Value value) {
  const std::int32_t* registers = c.machine.program->lists.data() + op.list;
  const unsigned elements = 32 / form.sum_bits;
  const std::uint64_t mask = form.sum_bits == 16 ? 0xffff : 0xffffffff;
  const Lanes& scale = c.in(op.e);
  for (unsigned r = 0; r < form.sums; ++r) {
    Lanes& row = c.r[registers[r]];
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      const bool adds = (scale[lane] & 1) != (op.negated ? 1 : 0);
      std::uint64_t all = 0;
      for (unsigned e = 0; e < elements; ++e) {
        const unsigned i = r * elements + e;
        const std::uint64_t old = adds ? row[lane] >> (form.sum_bits * e) & mask : 0;
        all |= std::uint64_t{value(lane / 4 + 8 * (i / 2 % 2), 8 * (i / 4) + 2 * (lane % 4) + i % 2,
                                   static_cast<std::uint32_t>(old))}
               << (form.sum_bits * e);
      }
      row[lane] = all;
    }
  }
}

// ---- integers ---------------------------------------------------------------------------------

std::vector<std::int32_t> signed_bytes(const std::vector<std::uint32_t>& bits, Type type) {
  std::vector<std::int32_t> made(bits.size());
  std::ranges::transform(bits, made.begin(), [&](std::uint32_t v) {
    return type == Type::s8 ? std::int32_t{static_cast<std::int8_t>(v)}
                            : std::int32_t{static_cast<std::uint8_t>(v)};
  });
  return made;
}

void integer_warpgroup_product(Context& c, const Op& op) {
  if (!whole_warp(c)) return;
  const WarpgroupForm form = *ptx::warpgroup_form(*op.source);
  Factors factors;
  if (!WarpgroupReader(c, op, form).read(factors)) return;
  const auto a = signed_bytes(factors.a, op.source->type2);
  const auto b = signed_bytes(factors.b, op.source->type3);
  const bool clamps = op.source->modifiers & ptx::Modifiers::kSatFinite;
  using Limits = std::numeric_limits<std::int32_t>;
  update_sums(c, op, form, [&](unsigned row, unsigned column, std::uint32_t old) {
    std::int64_t sum = static_cast<std::int32_t>(old);
    for (unsigned k = 0; k < form.k; ++k) sum += a[row * form.k + k] * b[column * form.k + k];
    if (clamps) sum = std::clamp<std::int64_t>(sum, Limits::min(), Limits::max());
    return static_cast<std::uint32_t>(sum);
  });
}

// ---- floats -----------------------------------------------------------------------------------

/// Factors as numbers.
class FactorNumbers {
 public:
  FactorNumbers(const std::vector<std::uint32_t>& bits, unsigned depth, Type type, bool negated)
      : depth_(depth), exponents_(bits.size()), values_(bits.size()), odd_(bits.size() / depth) {
    const Format format = format_of(type);
    for (std::size_t i = 0; i < bits.size(); ++i) {
      const std::uint32_t shown = format.shown(bits[i]);
      const Number number = number_of(shown, format.exponents, format.fraction);
      exponents_[i] = number.exponent;
      const float value = format.value(shown);
      values_[i] = static_cast<double>(negated ? -value : value);
      if (!format.finite(shown)) odd_[i / depth] = true;
    }
  }

  bool odd(unsigned row) const { return odd_[row]; }
  const std::int32_t* exponents(unsigned row) const { return &exponents_[row * depth_]; }
  const double* values(unsigned row) const { return &values_[row * depth_]; }

 private:
  unsigned depth_;
  std::vector<std::int32_t> exponents_;
  std::vector<double> values_;
  std::vector<bool> odd_;  // An infinity or NaN is in the row.
};

/// What sums are rounded to and how many bits of fraction they keep.
struct SumRule {
  Format addend, sum;
  bool nearest;
  int kept;
};

SumRule rule_of(const ptx::Instruction& i) {
  const bool bytes = i.type2 == Type::e4m3 || i.type2 == Type::e5m2;
  const int kept = bytes ? 13 : 25;
  if (i.type == Type::f16) return {{5, 10, 0}, {5, 10, 0}, true, kept};
  return {{8, 23, 0}, {8, bytes ? 13u : 23u, 0}, false, kept};
}

class SumOfProducts {
 public:
  SumOfProducts(const FactorNumbers& a, const FactorNumbers& b, unsigned depth, SumRule rule)
      : a_(a), b_(b), depth_(depth), rule_(rule) {}

  std::uint32_t operator()(unsigned row, unsigned column, std::uint32_t old) const {
    if (a_.odd(row) || b_.odd(column) || !rule_.addend.finite(old))
      return special(row, column, rule_.addend.value(old));
    const Number c = number_of(old, rule_.addend.exponents, rule_.addend.fraction);
    const double *va = a_.values(row), *vb = b_.values(column);
    const std::int32_t *ea = a_.exponents(row), *eb = b_.exponents(column);
    std::int32_t most = std::max(kLeast, c.exponent);
    for (unsigned k = 0; k < depth_; ++k) most = std::max(most, ea[k] + eb[k]);
    // Products and their multiples by powers of two are exact in double precision; a conversion
    // cuts. At most 64 numbers below 2^27 are added.
    const double units = std::ldexp(1.0, rule_.kept - most);
    std::int64_t sum = cut(c.significand, rule_.addend.fraction, c.exponent, most, rule_.kept);
    for (unsigned k = 0; k < depth_; ++k) sum += static_cast<std::int32_t>(va[k] * vb[k] * units);
    return rounded(sum, most, rule_.kept, rule_.sum, rule_.nearest)
           << (rule_.addend.fraction - rule_.sum.fraction);
  }

 private:
  std::uint32_t special(unsigned row, unsigned column, float c) const {
    double sum = c;
    for (unsigned k = 0; k < depth_; ++k) sum += a_.values(row)[k] * b_.values(column)[k];
    const bool half = rule_.addend.exponents == 5;
    const std::uint32_t infinity = half ? 0x7c00u : 0x7f800000u;
    if (std::isnan(sum)) return half ? ptx::kHalfNan : 0x7fffffffu;
    return std::signbit(sum) ? infinity | (half ? 0x8000u : 0x80000000u) : infinity;
  }

  const FactorNumbers &a_, &b_;
  unsigned depth_;
  SumRule rule_;
};

void float_warpgroup_product(Context& c, const Op& op) {
  if (!whole_warp(c)) return;
  const ptx::Instruction& i = *op.source;
  const WarpgroupForm form = *ptx::warpgroup_form(i);
  Factors factors;
  if (!WarpgroupReader(c, op, form).read(factors)) return;
  constexpr std::uint64_t kMinusOne = 0xffffffff;
  const FactorNumbers a(factors.a, form.k, i.type2,
                        i.operands[WarpgroupOperands::kNegateA].bits == kMinusOne);
  const FactorNumbers b(factors.b, form.k, i.type3,
                        i.operands[WarpgroupOperands::kNegateB].bits == kMinusOne);
  update_sums(c, op, form, SumOfProducts(a, b, form.k, rule_of(i)));
}

void order_warpgroup(Context&, const Op&) {}

}  // namespace

Handler warpgroup_handler(const ptx::Instruction& i) {
  if (i.unit != ptx::Unit::wgmma) return nullptr;
  if (i.columns == 0) return &order_warpgroup;
  return i.type == Type::s32 ? &integer_warpgroup_product : &float_warpgroup_product;
}

}  // namespace gpx::vgpu::exec
