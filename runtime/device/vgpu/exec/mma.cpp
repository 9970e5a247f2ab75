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
    switch (elements) {
      case 1: return sources_of<1>(registers, count, use);
      case 2: return sources_of<2>(registers, count, use);
      case 4: return sources_of<4>(registers, count, use);
      case 8: return sources_of<8>(registers, count, use);
      default: return sources_of<32>(registers, count, use);
    }
  }
  template <unsigned kElements, class Use>
  void sources_of(const std::int32_t* registers, unsigned count, Use use) const {
    const unsigned bits = (form_.wide ? 64 : 32) / kElements;
    for (unsigned r = 0; r < count; ++r) {
      const Lanes& row = c_.in(registers[r]);
      for (unsigned lane = 0; lane < kWarpSize; ++lane)
        for (unsigned e = 0; e < kElements; ++e) use(lane, r, e, row[lane] >> (bits * e));
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

struct Doubles {
  std::array<std::array<double, kMostK>, kMostM> a;
  std::array<std::array<double, kMostK>, kMostN> b;
  std::array<std::array<double, kMostN>, kMostM> d;
};
[[gnu::always_inline]] inline void add_doubles_any(const MmaForm& form, Doubles& n) {
  for (unsigned i = 0; i < form.m; ++i)
    for (unsigned j = 0; j < form.n; ++j)
      for (unsigned k = 0; k < form.k; ++k)
        n.d[i][j] = with_nan(__builtin_fma(n.a[i][k], n.b[j][k], n.d[i][j]), n.a[i][k], n.b[j][k],
                             n.d[i][j]);
}
void add_doubles_plain(const MmaForm& form, Doubles& n) {
  add_doubles_any(form, n);
}
#if defined(__x86_64__)
// A library call unless the host is known to have the instruction.
[[gnu::target("fma")]] void add_doubles_fused(const MmaForm& form, Doubles& n) {
  add_doubles_any(form, n);
}
const auto add_doubles = __builtin_cpu_supports("fma") ? &add_doubles_fused : &add_doubles_plain;
#else
constexpr auto add_doubles = &add_doubles_plain;
#endif

void double_product(Context& c, const Op& op, const Product& product) {
  const MmaForm& form = product.form;
  const Fragments fragments(c, form, product.registers);
  Doubles n;
  fragments.each_a([&](u64 v, auto at) { n.a[at.row][at.column] = get<double>(v); });
  fragments.each_b([&](u64 v, auto at) { n.b[at.column][at.row] = get<double>(v); });
  fragments.each_c(form.per_sum, [&](u64 v, auto at) { n.d[at.row][at.column] = get<double>(v); });
  const RoundingScope rounding(ptx::modifiers_of(*op.source).rounding());
  add_doubles(form, n);
  fragments.write(64, [&](auto at) { return put<double>(n.d[at.row][at.column]); });
}

// ---- half precision, bfloat, tf32 -------------------------------------------------------------

constexpr int kFraction = 25;  ///< Bits kept below the largest exponent.
constexpr unsigned kColumns = kMostN;

/// A row of sums, or of B's columns at one depth.
using Words [[gnu::vector_size(4 * kColumns)]] = std::int32_t;
using UnsignedWords [[gnu::vector_size(4 * kColumns)]] = u32;

/// Factors as numbers. Columns of B lie side by side, so that a row of sums is a vector.
struct Numbers {
  std::int32_t significand_a[kMostM][kMostK], exponent_a[kMostM][kMostK];
  Words significand_b[kMostK], exponent_b[kMostK];
};
/// A row of sums, each in units of 2^(most - kFraction), that begin with an addend.
struct RowOfSums {
  Words significand, exponent;  ///< Of the addend.
  unsigned fraction;
  std::int64_t sum[kColumns];
  Words most;
};
/// Columns of A that are added: of each four the lower two, the upper two, or all.
enum class Taken : std::uint8_t { all, lower, upper };
constexpr bool is_taken(Taken which, unsigned k) {
  return which == Taken::all || (k % 4 < 2) == (which == Taken::lower);
}

/// True: all of them are finite.
[[gnu::always_inline]] inline bool decode_any(const Format& format, const u32* shown,
                                              unsigned count, std::int32_t* significand,
                                              std::int32_t* exponent) {
  const Format f = format;
  u32 odd = 0;
  for (unsigned i = 0; i < count; ++i) {
    const Number number = number_of(shown[i], f.exponents, f.fraction);
    significand[i] = number.significand;
    exponent[i] = number.exponent;
  }
  const u32 most = ((1u << f.exponents) - 1) << f.fraction;
  for (unsigned i = 0; i < count; ++i) odd |= (shown[i] & most) == most;
  return odd == 0;
}

/// Adds what cut() gives of values that have fewer bits of fraction than are kept.
[[gnu::always_inline]] inline void add_cut(const Words& significand, unsigned fraction,
                                           const Words& exponent, const Words& most, Words& sum) {
  const Words scaled = significand << (kFraction - static_cast<int>(fraction));
  Words down = most - exponent;
  down = down > 31 ? 31 - Words{} : down;
  const Words sign = scaled >> 31;
  const auto kept = reinterpret_cast<UnsignedWords>((scaled ^ sign) - sign) >>
                    reinterpret_cast<UnsignedWords>(down);
  sum += (reinterpret_cast<Words>(kept) ^ sign) - sign;
}

// What is cut is below 2^27: eight of them fit in 32 bits.
[[gnu::always_inline]] inline void add_row_any(const Numbers& n, unsigned row, unsigned depth,
                                               Taken which, unsigned fraction, RowOfSums& out) {
  constexpr unsigned kAtOnce = 8;
  Words most = out.exponent > kLeast ? out.exponent : kLeast - Words{};
  for (unsigned k = 0; k < depth; ++k) {
    if (!is_taken(which, k)) continue;
    const Words exponent = n.exponent_a[row][k] + n.exponent_b[k];
    most = exponent > most ? exponent : most;
  }
  Words addend = {};
  add_cut(out.significand, out.fraction, out.exponent, most, addend);
  for (unsigned j = 0; j < kColumns; ++j) out.sum[j] = addend[j];
  for (unsigned first = 0; first < depth; first += kAtOnce) {
    Words part = {};
    for (unsigned k = first; k < std::min(first + kAtOnce, depth); ++k)
      if (is_taken(which, k))
        add_cut(n.significand_a[row][k] * n.significand_b[k], fraction,
                n.exponent_a[row][k] + n.exponent_b[k], most, part);
    for (unsigned j = 0; j < kColumns; ++j) out.sum[j] += part[j];
  }
  out.most = most;
}

bool decode_plain(const Format& f, const u32* shown, unsigned count, std::int32_t* significand,
                  std::int32_t* exponent) {
  return decode_any(f, shown, count, significand, exponent);
}
void add_row_plain(const Numbers& n, unsigned row, unsigned depth, Taken which, unsigned fraction,
                   RowOfSums& out) {
  add_row_any(n, row, depth, which, fraction, out);
}
#if defined(__x86_64__)
// Eight words at once, shifted by different counts.
[[gnu::target("avx2")]] bool decode_wide(const Format& f, const u32* shown, unsigned count,
                                         std::int32_t* significand, std::int32_t* exponent) {
  return decode_any(f, shown, count, significand, exponent);
}
[[gnu::target("avx2")]] void add_row_wide(const Numbers& n, unsigned row, unsigned depth,
                                          Taken which, unsigned fraction, RowOfSums& out) {
  add_row_any(n, row, depth, which, fraction, out);
}
const bool kHostIsWide = __builtin_cpu_supports("avx2");
const auto decode = kHostIsWide ? &decode_wide : &decode_plain;
const auto add_row = kHostIsWide ? &add_row_wide : &add_row_plain;
#else
constexpr auto decode = &decode_plain;
constexpr auto add_row = &add_row_plain;
#endif

/// `sum` * 2^(most - kFraction) in single precision, towards zero: the bits of a double, where the
/// result is a normal number.
u32 rounded_single(std::int64_t sum, int most) {
  constexpr int kDoubleBias = 1023, kSingleBias = 127;
  constexpr Format kSingle{8, 23, 0};
  const u64 bits = std::bit_cast<u64>(static_cast<double>(sum));
  const int exponent =
      static_cast<int>(bits >> 52 & 0x7ff) - kDoubleBias + kSingleBias + most - kFraction;
  if (exponent < 1 || exponent > 2 * kSingleBias)
    return rounded(sum, most, kFraction, kSingle, false);
  return static_cast<u32>(bits >> 63) << 31 | static_cast<u32>(exponent) << 23 |
         static_cast<u32>(bits >> 29 & 0x7fffff);
}

/// One product: A and B as numbers, and what is not finite of them aside.
class FloatProduct {
 public:
  explicit FloatProduct(const Product& p)
      : form_(p.form),
        bytes_(p.a == Type::e4m3 || p.a == Type::e5m2),
        factor_{bytes_ ? kHalf : format_of(p.a), bytes_ ? kHalf : format_of(p.b)},
        narrows_(p.sum == Type::f16 && p.addend != Type::f16),
        half_(p.sum == Type::f16 && !narrows_),
        half_addend_(p.addend == Type::f16),
        sum_format_(half_ ? kHalf : kSingle),
        addend_(half_addend_ ? kHalf : kSingle),
        type_{p.a, p.b} {}

  void read(const Fragments& fragments) {
    if (form_.sparse) shown_a_ = {};
    std::array<bool, kMostK> there{};
    fragments.each_a([&](u64 v, auto at) {
      shown_a_[at.row][at.column] = shown(0, v);
      there[at.column] = true;
    });
    fragments.each_b([&](u64 v, auto at) { shown_b_[at.row][at.column] = shown(1, v); });
    fragments.each_c(half_addend_ ? 2 : 1,
                     [&](u64 v, auto at) { sum_[at.row][at.column] = static_cast<u32>(v); });
    for (unsigned i = 0; i < form_.m; ++i) {
      odd_a_[i] = !decode(factor_[0], shown_a_[i].data(), form_.k, numbers_.significand_a[i],
                          numbers_.exponent_a[i]);
      for (unsigned k = 0; form_.sparse && k < form_.k; ++k)
        if (!there[k]) numbers_.exponent_a[i][k] = 0;
    }
    // All depths are one array.
    const bool finite = decode(factor_[1], shown_b_[0].data(), form_.k * kColumns,
                               reinterpret_cast<std::int32_t*>(numbers_.significand_b),
                               reinterpret_cast<std::int32_t*>(numbers_.exponent_b));
    for (unsigned k = 0; !finite && k < form_.k; ++k)
      for (unsigned j = 0; j < kColumns; ++j) odd_b_[j] |= !factor_[1].finite(shown_b_[k][j]);
  }

  /// A row of the result. A sum in single precision that is asked for in half precision is rounded
  /// once more.
  void row(unsigned i, std::array<u32, kColumns>& out) const {
    std::array<u32, kColumns> c;
    for (unsigned j = 0; j < kColumns; ++j) c[j] = half_addend_ ? sum_[i][j] & 0xffff : sum_[i][j];
    if (bytes_)
      of_bytes(i, c, out);
    else
      add(i, c, Taken::all, out);
    for (unsigned j = 0; j < kColumns; ++j) {
      if (odd_a_[i] || odd_b_[j]) out[j] = special(i, j, c[j]);
      if (narrows_) out[j] = ptx::float_to_half(std::bit_cast<float>(out[j]));
    }
  }

 private:
  static constexpr Format kHalf{5, 10, 0}, kSingle{8, 23, 0};

  /// An element of A (0) or B. Bytes are numbers in half precision: see of_bytes. One that is
  /// subnormal as e4m3 has a lesser exponent there, and sums keep bits by it.
  u32 shown(unsigned of, u64 bits) const {
    const auto byte = static_cast<std::uint8_t>(bits);
    if (type_[of] == Type::e4m3) return E4m3::to_half(byte);
    return type_[of] == Type::e5m2 ? E5m2::to_half(byte) : factor_[of].shown(bits);
  }

  /// c and the products of the columns that are taken; where c is not finite, special().
  void add(unsigned i, const std::array<u32, kColumns>& c, Taken which,
           std::array<u32, kColumns>& out) const {
    RowOfSums sums;
    sums.fraction = addend_.fraction;
    const bool finite =
        decode(addend_, c.data(), kColumns, reinterpret_cast<std::int32_t*>(&sums.significand),
               reinterpret_cast<std::int32_t*>(&sums.exponent));
    add_row(numbers_, i, form_.k, which, factor_[0].fraction + factor_[1].fraction, sums);
    for (unsigned j = 0; j < kColumns; ++j)
      out[j] = half_ ? rounded(sums.sum[j], sums.most[j], kFraction, sum_format_, true)
                     : rounded_single(sums.sum[j], sums.most[j]);
    for (unsigned j = 0; !finite && j < kColumns; ++j)
      if (!addend_.finite(c[j])) out[j] = special(i, j, c[j]);
  }

  // Hopper has no such instruction for a warp. Its assembler (ptxas of CUDA 13.0) converts to f16,
  // multiplies the lower two of each four columns, adds the products of the upper two to that, and
  // then that to the addend, rounded to nearest.
  void of_bytes(unsigned i, const std::array<u32, kColumns>& c,
                std::array<u32, kColumns>& out) const {
    std::array<u32, kColumns> lower, sums;
    add(i, {}, Taken::lower, lower);
    add(i, lower, Taken::upper, sums);
    for (unsigned j = 0; j < kColumns; ++j) {
      const float all = addend_.value(c[j]) + addend_.value(sums[j]);
      if (half_)
        out[j] = ptx::float_to_half(all);  // Rounded again in vain: 24 bits hold it.
      else
        out[j] = std::isnan(all) ? 0x7fffffffu : std::bit_cast<u32>(all);
    }
  }

  // An infinity or NaN is in the row, the column or the addend: so it is in the sum. Products of
  // single precision do not overflow double precision.
  u32 special(unsigned i, unsigned j, u32 c) const {
    double sum = addend_.value(c);
    for (unsigned k = 0; k < form_.k; ++k)
      sum += static_cast<double>(factor_[0].value(shown_a_[i][k])) *
             static_cast<double>(factor_[1].value(shown_b_[k][j]));
    const u32 infinity = half_ ? 0x7c00u : 0x7f800000u;
    if (std::isnan(sum)) return half_ ? ptx::kHalfNan : 0x7fffffffu;
    return std::signbit(sum) ? infinity | (half_ ? 0x8000u : 0x80000000u) : infinity;
  }

  const MmaForm& form_;
  bool bytes_;
  std::array<Format, 2> factor_;  ///< Of A and of B.
  bool narrows_;                  ///< The sum is f32 until it is written as f16.
  bool half_, half_addend_;
  Format sum_format_, addend_;
  std::array<Type, 2> type_;
  std::array<std::array<u32, kMostK>, kMostM> shown_a_;
  std::array<std::array<u32, kColumns>, kMostK> shown_b_;
  Numbers numbers_;
  std::array<bool, kMostM> odd_a_{};
  std::array<bool, kMostN> odd_b_{};
  std::array<std::array<u32, kMostN>, kMostM> sum_;
};

void float_product(Context& c, const Op& op, const Product& product) {
  Fragments fragments(c, product.form, product.registers);
  if (!fragments.keeps(op)) return;
  FloatProduct made(product);
  made.read(fragments);
  std::array<std::array<u32, kColumns>, kMostM> sums;
  for (unsigned i = 0; i < product.form.m; ++i) made.row(i, sums[i]);
  fragments.write(32 / product.form.per_sum, [&](auto at) { return sums[at.row][at.column]; });
}

void mma(Context& c, const Op& op) {
  if (!whole_warp(c) || op.blind) return;
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
