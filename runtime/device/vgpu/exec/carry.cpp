// Multi-word integer arithmetic: add.cc, addc, sub.cc, subc, mad.cc, madc. Interface:
// carry_handler in decode.h. Covered by tests/vgpu/exec_hardware_test.cpp.
//
// The condition code is a hidden register of the function, the op's last operand (Op::e). A
// subtraction is a + ~b + 1, and its carry is that sum's: 1 where nothing is borrowed. So addc
// reads it after sub.cc on GPUs (IADD3.X), on which the toolkit's division of 128 bits relies.
#include "runtime/device/vgpu/exec/context.h"

namespace gpx::vgpu::exec {
namespace {

using ptx::OpId;
using u128 = unsigned __int128;

enum class Kind { add, sub, mad_lo, mad_hi };

template <class T>
T product(Kind kind, T a, T b, bool is_signed) {
  if (kind == Kind::mad_lo) return static_cast<T>(static_cast<u128>(a) * b);
  constexpr unsigned kBits = 8 * sizeof(T);
  using S = std::make_signed_t<T>;
  if (is_signed) {
    return static_cast<T>((static_cast<__int128>(static_cast<S>(a)) * static_cast<S>(b)) >> kBits);
  }
  return static_cast<T>((static_cast<u128>(a) * b) >> kBits);
}

template <class T, Kind kKind, bool kIn, bool kOut>
void carry_op(Context& c, const Op& op) {
  constexpr bool kMad = kKind == Kind::mad_lo || kKind == Kind::mad_hi;
  bool is_signed = ptx::is_signed(op.source->type);
  Lanes &d = c.r[op.d], &cc = c.r[op.e];
  const Lanes &x = c.in(op.a), &y = c.in(op.b), &z = kMad ? c.in(op.c) : y;
  for_lanes(c.mask, [&](unsigned i) {
    T a = get<T>(x[i]), b = get<T>(y[i]);
    if constexpr (kMad) {
      a = product<T>(kKind, a, b, is_signed);
      b = get<T>(z[i]);
    }
    if constexpr (kKind == Kind::sub) b = static_cast<T>(~b);
    const u128 in = kIn ? cc[i] & 1 : kKind == Kind::sub;
    const u128 result = static_cast<u128>(a) + b + in;
    d[i] = put<T>(static_cast<T>(result));
    if (kOut) cc[i] = static_cast<std::uint64_t>(result >> (8 * sizeof(T))) & 1;
  });
}

template <Kind kKind, bool kIn, bool kOut>
Handler pick(ptx::Type type) {
  return ptx::bytes_of(type) == 8 ? &carry_op<std::uint64_t, kKind, kIn, kOut>
                                  : &carry_op<std::uint32_t, kKind, kIn, kOut>;
}

}  // namespace

Handler carry_handler(const ptx::Instruction& i) {
  switch (ptx::id_of(i)) {
    case OpId::add_cc: return pick<Kind::add, false, true>(i.type);
    case OpId::addc: return pick<Kind::add, true, false>(i.type);
    case OpId::addc_cc: return pick<Kind::add, true, true>(i.type);
    case OpId::sub_cc: return pick<Kind::sub, false, true>(i.type);
    case OpId::subc: return pick<Kind::sub, true, false>(i.type);
    case OpId::subc_cc: return pick<Kind::sub, true, true>(i.type);
    case OpId::mad_lo_cc: return pick<Kind::mad_lo, false, true>(i.type);
    case OpId::mad_hi_cc: return pick<Kind::mad_hi, false, true>(i.type);
    case OpId::madc_lo: return pick<Kind::mad_lo, true, false>(i.type);
    case OpId::madc_hi: return pick<Kind::mad_hi, true, false>(i.type);
    case OpId::madc_lo_cc: return pick<Kind::mad_lo, true, true>(i.type);
    case OpId::madc_hi_cc: return pick<Kind::mad_hi, true, true>(i.type);
    default: return nullptr;
  }
}

}  // namespace gpx::vgpu::exec
