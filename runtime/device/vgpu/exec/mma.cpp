// Matrix products of a warp: mma.sync. Interface: mma_handler in decode.h. The places of elements:
// codegen/ptx/mma.h. Covered by tests/vgpu/exec_mma_test.cpp.
//
// Integers are exact, modulo 2^32 or clamped. Double precision is a chain of fused operations over
// k, from 0 up; PTX defines the single operation, not the order.
//
// What sums of f16, bf16 and tf32 round to is not documented by PTX. This is the truncated fused
// sum that Xie et al. ("MMA-Sim: Bit-Accurate Reference Model of Tensor Cores and Matrix Cores",
// 2025, arXiv 2511.10909) found on Hopper, with 25 bits of fraction: products are exact and not
// normalised; products and addend are cut, towards zero, to multiples of 2^-25 of the largest
// exponent among them; their exact sum is rounded to f32 towards zero, or to f16 to nearest even.
// An exponent counts as -126 at least; subnormal numbers count, in and out. The values_digest of
// modern_matrix in docs/results/h100 is the same; it tells 24 bits from 23 and both roundings from
// others, not 25 bits from 24 or more. The sign of a sum that is 0 is plus: of that no record is
// known.
#include "codegen/ptx/mma.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "runtime/device/vgpu/exec/context.h"
#include "runtime/device/vgpu/exec/fused_sum.h"
#include "runtime/device/vgpu/exec/groups.h"
#include "runtime/device/vgpu/exec/product.h"
#include "runtime/device/vgpu/exec/rounding.h"
#include "runtime/device/vgpu/exec/sparse.h"

namespace gpx::vgpu::exec {
namespace {

using ptx::MmaForm;
using ptx::Type;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr unsigned kMostM = 16, kMostN = 8;
constexpr unsigned kMostK = 64;  ///< Of 8 bits and more; of bits kMostBits.
constexpr unsigned kMostBits = 256;

/// What a lane holds of D, A, B, C: registers of the frame.
class Fragments {
 public:
  Fragments(Context& c, const MmaForm& form, const ProductRegisters& registers)
      : c_(c), form_(form), registers_(registers) {}

  /// Of a sparse A which elements are there. False: it trapped.
  bool keeps(const Op& op) {
    const unsigned bits = (form_.wide ? 64 : 32) / form_.per_factor;
    return !form_.sparse || kept_.read(c_, c_.in(op.c), bits);
  }

  /// use(bits, place) for each element; of a sparse A for those that are there.
  template <class Use>
  void each_a(Use use) const {
    sources(registers_.a, form_.a, form_.per_factor,
            [&](unsigned lane, unsigned r, unsigned e, u64 bits) {
              MmaForm::Place at = form_.of_a(lane, r, e);
              if (form_.sparse) at.column = kept_.place(at.column);
              use(bits, at);
            });
  }
  template <class Use>
  void each_b(Use use) const {
    sources(registers_.b, form_.b, form_.per_factor,
            [&](unsigned lane, unsigned r, unsigned e, u64 bits) {
              use(bits, form_.of_b(lane, r, e));
            });
  }
  /// `per_sum`: elements in a register of C, which may be others than in one of D.
  template <class Use>
  void each_c(unsigned per_sum, Use use) const {
    MmaForm form = form_;
    form.per_sum = per_sum;
    sources(
        registers_.c, form_.c * form_.per_sum / per_sum, per_sum,
        [&](unsigned lane, unsigned r, unsigned e, u64 bits) { use(bits, form.of_c(lane, r, e)); });
  }
  /// Writes value(place), whose elements have `bits` bits.
  template <class Value>
  void write(unsigned bits, Value value) const {
    for (unsigned r = 0; r < form_.c; ++r) {
      Lanes& row = c_.r[registers_.d[r]];
      for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        u64 all = 0;
        for (unsigned e = 0; e < form_.per_sum; ++e)
          all |= u64{value(form_.of_c(lane, r, e))} << (bits * e);
        row[lane] = all;
      }
    }
  }

 private:
  template <class Use>
  void sources(const std::int32_t* registers, unsigned count, unsigned elements, Use use) const {
    const unsigned bits = (form_.wide ? 64 : 32) / elements;
    for (unsigned r = 0; r < count; ++r) {
      const Lanes& row = c_.in(registers[r]);
      for (unsigned lane = 0; lane < kWarpSize; ++lane)
        for (unsigned e = 0; e < elements; ++e) use(lane, r, e, row[lane] >> (bits * e));
    }
  }

  Context& c_;
  const MmaForm& form_;
  ProductRegisters registers_;
  KeptElements kept_;
};

// ---- integers ---------------------------------------------------------------------------------

std::int32_t integer_of(u64 bits, Type type) {
  if (type == Type::b1) return static_cast<std::int32_t>(bits & 1);
  if (type == Type::u4) return static_cast<std::int32_t>(bits & 15);
  if (type == Type::s4) return static_cast<std::int32_t>((bits & 15) ^ 8) - 8;
  return type == Type::s8 ? static_cast<std::int8_t>(bits) : static_cast<std::uint8_t>(bits);
}

// Of bits, .and.popc counts where both are set: that is a sum of products. .xor.popc counts where
// they differ.
void integer_product(Context& c, const Op& op, const Product& product) {
  const MmaForm& form = product.form;
  Fragments fragments(c, form, product.registers);
  if (!fragments.keeps(op)) return;
  const bool clamps = op.source->modifiers & ptx::Modifiers::kSatFinite;
  std::array<std::array<std::int32_t, kMostBits>, kMostM> a;
  std::array<std::array<std::int32_t, kMostBits>, kMostN> b;
  if (form.sparse) a = {};
  std::array<std::array<std::int64_t, kMostN>, kMostM> d;
  fragments.each_a([&](u64 v, auto at) { a[at.row][at.column] = integer_of(v, product.a); });
  fragments.each_b([&](u64 v, auto at) { b[at.column][at.row] = integer_of(v, product.b); });
  fragments.each_c(form.per_sum,
                   [&](u64 v, auto at) { d[at.row][at.column] = static_cast<std::int32_t>(v); });
  const bool differ = op.source->name.ends_with("xor.popc");
  for (unsigned i = 0; i < form.m; ++i)
    for (unsigned j = 0; j < form.n; ++j)
      for (unsigned k = 0; k < form.k; ++k)
        d[i][j] += differ ? a[i][k] ^ b[j][k] : a[i][k] * b[j][k];
  using Limits = std::numeric_limits<std::int32_t>;
  fragments.write(32, [&](auto at) {
    std::int64_t v = d[at.row][at.column];
    if (clamps) v = std::clamp<std::int64_t>(v, Limits::min(), Limits::max());
    return static_cast<u32>(v);
  });
}

// ---- double precision -------------------------------------------------------------------------

void double_product(Context& c, const Op& op, const Product& product) {
  const MmaForm& form = product.form;
  const Fragments fragments(c, form, product.registers);
  std::array<std::array<double, kMostK>, kMostM> a;
  std::array<std::array<double, kMostK>, kMostN> b;
  std::array<std::array<double, kMostN>, kMostM> d;
  fragments.each_a([&](u64 v, auto at) { a[at.row][at.column] = get<double>(v); });
  fragments.each_b([&](u64 v, auto at) { b[at.column][at.row] = get<double>(v); });
  fragments.each_c(form.per_sum, [&](u64 v, auto at) { d[at.row][at.column] = get<double>(v); });
  const RoundingScope rounding(ptx::modifiers_of(*op.source).rounding());
  for (unsigned i = 0; i < form.m; ++i)
    for (unsigned j = 0; j < form.n; ++j)
      for (unsigned k = 0; k < form.k; ++k)
        d[i][j] = with_nan(std::fma(a[i][k], b[j][k], d[i][j]), a[i][k], b[j][k], d[i][j]);
  fragments.write(64, [&](auto at) { return put<double>(d[at.row][at.column]); });
}

// ---- half precision, bfloat, tf32 -------------------------------------------------------------

constexpr int kFraction = 25;  ///< Bits kept below the largest exponent.

/// One product: A and B as numbers, and what is not finite of them aside.
class FloatProduct {
 public:
  explicit FloatProduct(const Product& p)
      : form_(p.form),
        factor_{format_of(p.a), format_of(p.b)},
        narrows_(p.sum == Type::f16 && p.addend != Type::f16),
        half_(p.sum == Type::f16 && !narrows_),
        half_addend_(p.addend == Type::f16),
        sum_format_(half_ ? kHalf : kSingle),
        addend_(half_addend_ ? kHalf : kSingle),
        bytes_(p.a == Type::e4m3 || p.a == Type::e5m2) {}

  void read(const Fragments& fragments) {
    if (form_.sparse) significand_a_ = {}, exponent_a_ = {}, value_a_ = {};
    fragments.each_a([&](u64 v, auto at) {
      take(factor_[0], v, significand_a_[at.row][at.column], exponent_a_[at.row][at.column],
           value_a_[at.row][at.column], odd_a_[at.row]);
    });
    fragments.each_b([&](u64 v, auto at) {
      take(factor_[1], v, significand_b_[at.column][at.row], exponent_b_[at.column][at.row],
           value_b_[at.column][at.row], odd_b_[at.column]);
    });
    fragments.each_c(half_addend_ ? 2 : 1,
                     [&](u64 v, auto at) { sum_[at.row][at.column] = static_cast<u32>(v); });
  }

  /// A sum in single precision that is asked for in half precision is rounded once more.
  u32 element(unsigned i, unsigned j) const {
    const u32 sum = sum_of(i, j);
    return narrows_ ? ptx::float_to_half(std::bit_cast<float>(sum)) : sum;
  }

 private:
  static constexpr Format kHalf{5, 10, 0}, kSingle{8, 23, 0};

  u32 sum_of(unsigned i, unsigned j) const {
    const u32 c = half_addend_ ? sum_[i][j] & 0xffff : sum_[i][j];
    if (odd_a_[i] || odd_b_[j]) return special(i, j, c);
    return bytes_ ? of_bytes(i, j, c) : of(i, j, c, [](unsigned) { return true; });
  }

  static void take(const Format& factor, u64 bits, std::int32_t& significand,
                   std::int32_t& exponent, float& value, bool& odd) {
    const u32 shown = factor.shown(bits);
    const Number number = number_of(shown, factor.exponents, factor.fraction);
    significand = number.significand, exponent = number.exponent, value = factor.value(shown);
    odd = odd || !factor.finite(shown);
  }

  // Over the columns that are `taken`.
  template <class Taken>
  u32 of(unsigned i, unsigned j, u32 c, Taken taken) const {
    if (!addend_.finite(c)) return special(i, j, c);
    return finite(i, j, number_of(c, addend_.exponents, addend_.fraction), taken);
  }

  // Hopper has no such instruction for a warp. Its assembler (ptxas of CUDA 13.0) converts to f16,
  // multiplies the lower two of each four columns, adds the products of the upper two to that, and
  // then that to the addend, rounded to nearest.
  u32 of_bytes(unsigned i, unsigned j, u32 c) const {
    const u32 lower = of(i, j, 0, [](unsigned k) { return k % 4 < 2; });
    const u32 sum = of(i, j, lower, [](unsigned k) { return k % 4 >= 2; });
    const float all = addend_.value(c) + addend_.value(sum);
    if (half_)
      return ptx::float_to_half(all);  // A second rounding that changes nothing: 24 bits hold it.
    return std::isnan(all) ? 0x7fffffffu : std::bit_cast<u32>(all);
  }

  // Products have the bits of fraction of both factors.
  template <class Taken>
  u32 finite(unsigned i, unsigned j, Number c, Taken taken) const {
    const auto &ea = exponent_a_[i], &eb = exponent_b_[j];
    const auto &sa = significand_a_[i], &sb = significand_b_[j];
    std::int32_t most = std::max(kLeast, c.exponent);
    for (unsigned k = 0; k < form_.k; ++k)
      if (taken(k)) most = std::max(most, ea[k] + eb[k]);
    const unsigned fraction = factor_[0].fraction + factor_[1].fraction;
    std::int64_t sum = cut(c.significand, addend_.fraction, c.exponent, most, kFraction);
    for (unsigned k = 0; k < form_.k; ++k)
      if (taken(k)) sum += cut(sa[k] * sb[k], fraction, ea[k] + eb[k], most, kFraction);
    return rounded(sum, most, kFraction, sum_format_, half_);
  }

  // An infinity or NaN is in the row, the column or the addend: so it is in the sum. Products of
  // single precision do not overflow double precision.
  u32 special(unsigned i, unsigned j, u32 c) const {
    double sum = addend_.value(c);
    for (unsigned k = 0; k < form_.k; ++k)
      sum += static_cast<double>(value_a_[i][k]) * static_cast<double>(value_b_[j][k]);
    const u32 infinity = half_ ? 0x7c00u : 0x7f800000u;
    if (std::isnan(sum)) return half_ ? ptx::kHalfNan : 0x7fffffffu;
    return std::signbit(sum) ? infinity | (half_ ? 0x8000u : 0x80000000u) : infinity;
  }

  template <class T, unsigned kRows>
  using Rows = std::array<std::array<T, kMostK>, kRows>;
  const MmaForm& form_;
  std::array<Format, 2> factor_;  ///< Of A and of B.
  bool narrows_;                  ///< The sum is f32 until it is written as f16.
  bool half_, half_addend_;
  Format sum_format_, addend_;
  bool bytes_;
  Rows<std::int32_t, kMostM> significand_a_, exponent_a_;
  Rows<std::int32_t, kMostN> significand_b_, exponent_b_;
  Rows<float, kMostM> value_a_;
  Rows<float, kMostN> value_b_;
  std::array<bool, kMostM> odd_a_{};
  std::array<bool, kMostN> odd_b_{};
  std::array<std::array<u32, kMostN>, kMostM> sum_;
};

void float_product(Context& c, const Op& op, const Product& product) {
  Fragments fragments(c, product.form, product.registers);
  if (!fragments.keeps(op)) return;
  FloatProduct made(product);
  made.read(fragments);
  fragments.write(32 / product.form.per_sum,
                  [&](auto at) { return made.element(at.row, at.column); });
}

void mma(Context& c, const Op& op) {
  if (!whole_warp(c)) return;
  const ptx::Instruction& i = *op.source;
  const MmaForm form = *ptx::mma_form(i);
  const std::int32_t* const d = c.machine.program->lists.data() + op.list;
  const std::int32_t *const a = d + form.c, *const b = a + form.a;
  multiply(c, op, {form, {d, a, b, b + form.b}, i.type, i.type2, i.type3, i.type});
}

}  // namespace

void multiply(Context& c, const Op& op, const Product& product) {
  if (product.sum == Type::f64) return double_product(c, op, product);
  if (product.sum == Type::s32) return integer_product(c, op, product);
  float_product(c, op, product);
}

bool whole_warp(Context& c) {
  const Mask missing = ~c.mask;
  if (missing == 0) return true;
  const bool may_come = (missing & alive(c.warp)) == missing;
  if (may_come && c.machine.model == Model::independent && try_again(c)) {
    c.effect.retried = true;
    return false;
  }
  c.trap =
      fmt::format("a matrix product needs all lanes of its warp: 0x{:x} are not there", missing);
  return false;
}

Handler mma_handler(const ptx::Instruction& i) {
  return i.unit == ptx::Unit::tensor && ptx::mma_form(i) ? &mma : nullptr;
}

}  // namespace gpx::vgpu::exec
