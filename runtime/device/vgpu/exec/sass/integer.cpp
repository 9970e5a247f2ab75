// Integers: sums and products with carries. Interface: builder.h. Covered by
// tests/vgpu/machine_code_test.cpp.
//
// Carries are predicates here, so that these operations have handlers of their own; what has the
// operands of PTX is executed as that.
#include <fmt/format.h>

#include "runtime/device/vgpu/exec/sass/builder.h"
#include "runtime/device/vgpu/exec/sass/sources.h"

namespace gpx::vgpu::exec::sass {
namespace {

// ---- sums

void add3(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Reads x(c, s.a), y(c, s.b), z(c, s.c);
  Lanes& d = c.r[s.d];
  for_lanes(c.mask, [&](unsigned i) { d[i] = x(i) + y(i) + z(i); });
}

// Up to two carries come out: the sum's upper bits, counted by two predicates.
void add3_carry(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Reads x(c, s.a), y(c, s.b), z(c, s.c);
  const Holds u(c, s.u), v(c, s.v);
  Lanes &d = c.r[s.d], &p = c.r[s.p], &q = c.r[s.q];
  for_lanes(c.mask, [&](unsigned i) {
    const u64 sum = x.wide(i) + y.wide(i) + z.wide(i) + u(i) + v(i);
    d[i] = static_cast<u32>(sum);
    p[i] = sum >> 32 >= 1;
    q[i] = sum >> 32 >= 2;
  });
}

/// Three pairs of registers.
void add3_wide(Context& c, const Op& op) {
  Lanes& d = c.r[op.d];
  const Lanes &x = c.in(op.a), &y = c.in(op.b), &z = c.in(op.c);
  for_lanes(c.mask, [&](unsigned i) { d[i] = x[i] + y[i] + z[i]; });
}
bool iadd3_wide(Builder& b) {
  Step& s = b.step();
  for (std::size_t k = 0; k < 3; ++k)
    if (b.source(k).negated) return b.refuse("a pair with a sign");
  if (b.bit(74) || b.predicate_to(81) != b.sink() || b.predicate_to(84) != b.sink())
    return b.refuse("a carry of 64 bits");
  s.inner.a = b.value(0, As::pair), s.inner.b = b.value(1, As::pair);
  s.inner.c = b.value(2, As::pair);
  s.run = &add3_wide;
  b.wide_result();
  return true;
}

bool iadd3(Builder& b) {
  Step& s = b.step();
  if (b.sources() < 3) return false;
  if (b.has("64")) return iadd3_wide(b);
  s.a = b.word32(0), s.b = b.word32(1), s.c = b.word32(2);
  s.d = b.d(), s.p = b.predicate_to(81), s.q = b.predicate_to(84);
  const bool carries_in = b.bit(74);
  const bool plain = !carries_in && s.p == b.sink() && s.q == b.sink();
  if (plain) return b.own(&add3);
  s.u = carries_in ? b.predicate(87) : Truth{b.constant(0)};
  s.v = carries_in ? b.predicate(77) : Truth{b.constant(0)};
  return b.own(&add3_carry);
}

/// Two sums of 16 bits, or differences.
void add_pair(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Lanes &x = c.in(s.a.row), &y = c.in(s.b.row);
  Lanes& d = c.r[s.d];
  const bool minus = s.number != 0;
  for_lanes(c.mask, [&](unsigned i) {
    const u32 a = static_cast<u32>(x[i]), b = static_cast<u32>(y[i]);
    const u32 low = minus ? a - b : a + b,
              high = minus ? (a >> 16) - (b >> 16) : (a >> 16) + (b >> 16);
    d[i] = (low & 0xffff) | high << 16;
  });
}
bool add_halves(Builder& b) {
  Step& s = b.step();
  s.a.row = b.row(b.source(0)), s.b.row = b.row(b.source(1));
  s.number = b.source(1).negated;
  s.d = b.d();
  return b.own(&add_pair);
}
bool iadd(Builder& b) {
  Step& s = b.step();
  if (b.sources() < 2 || b.has("64")) return false;
  if (b.has("16x2")) return add_halves(b);
  s.a = b.word32(0), s.b = b.word32(1), s.c = {b.constant(0)};
  s.d = b.d();
  return b.own(&add3);
}

/// (a << number) + b, or the upper half of that of the pair c, a.
template <bool kHigh, bool kSigned>
void lea(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Reads x(c, s.a), y(c, s.b), z(c, s.c);
  const Holds u(c, s.u);
  Lanes &d = c.r[s.d], &p = c.r[s.p];
  const u32 shift = s.number;
  for_lanes(c.mask, [&](unsigned i) {
    u64 v = x(i);
    if (kHigh && kSigned) v = static_cast<u64>(s64{static_cast<s32>(x(i))});
    if (kHigh && !kSigned) v |= u64{z(i)} << 32;
    v <<= shift;
    const u64 part = kHigh ? v >> 32 : static_cast<u32>(v);
    const u64 sum = part + y.wide(i) + u(i);
    d[i] = static_cast<u32>(sum);
    p[i] = sum >> 32 != 0;
  });
}
/// b - (a << number). The carry is that of b + ~(a << number) + 1: nothing was borrowed.
void lea_opposite(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Reads x(c, s.a), y(c, s.b);
  const Holds u(c, s.u);
  Lanes &d = c.r[s.d], &p = c.r[s.p];
  for_lanes(c.mask, [&](unsigned i) {
    const u64 part = u64{~(static_cast<u32>(x(i)) << s.number)} + 1;
    const u64 sum = part + y.wide(i) + u(i);
    d[i] = static_cast<u32>(sum);
    p[i] = sum >> 32 != 0;
  });
}
bool lea_of(Builder& b) {
  Step& s = b.step();
  const bool high = b.has("HI"), extends = b.has("SX32");
  const bool opposite = b.source(0).negated;
  if (b.sources() < 3 || (high && opposite) || b.source(0).text.starts_with('~')) return false;
  s.a = b.word32(0), s.b = b.word32(1);
  s.c = high && !extends ? b.word32(2) : Word32{b.constant(0)};
  s.number = static_cast<u32>(b.field(75, 5));
  s.u = b.bit(74) ? b.predicate(87) : Truth{b.constant(0)};
  s.d = b.d(), s.p = b.predicate_to(81);
  if (opposite) {
    s.a.flip = 0, s.a.plus = 0;
    return b.own(&lea_opposite);
  }
  if (!high) return b.own(&lea<false, false>);
  return b.own(extends ? &lea<true, true> : &lea<true, false>);
}

// ---- products

void mad(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Lanes &x = c.in(s.a.row), &y = c.in(s.b.row);
  const Reads z(c, s.c);
  Lanes& d = c.r[s.d];
  for_lanes(c.mask,
            [&](unsigned i) { d[i] = static_cast<u32>(x[i]) * static_cast<u32>(y[i]) + z(i); });
}
void mad_carry(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Reads x(c, s.a), y(c, s.b), z(c, s.c);
  const Holds u(c, s.u);
  Lanes& d = c.r[s.d];
  for_lanes(c.mask, [&](unsigned i) { d[i] = static_cast<u32>(x(i) * y(i) + z(i) + u(i)); });
}

/// 64 bits of product and sum; `kHigh`: the upper half is the result.
template <bool kSigned, bool kHigh>
void mad_wide(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Reads x(c, s.a), y(c, s.b);
  const Lanes &low = c.in(s.c.row), &high = c.in(s.c_high);
  const Holds u(c, s.u);
  Lanes &d = c.r[s.d], &e = c.r[s.d_high], &p = c.r[s.p];
  const u64 flip = s.c.flip != 0 ? ~0ull : 0, plus = s.c.plus;
  for_lanes(c.mask, [&](unsigned i) {
    const u64 product = kSigned
                            ? static_cast<u64>(s64{static_cast<s32>(x(i))} * static_cast<s32>(y(i)))
                            : u64{x(i)} * y(i);
    const u64 addend = (static_cast<u32>(low[i]) | high[i] << 32) ^ flip;
    const u64 first = product + addend, sum = first + plus + u(i);
    p[i] = (first < product) | (sum < first);
    d[i] = kHigh ? sum >> 32 : static_cast<u32>(sum);
    if (!kHigh) e[i] = sum >> 32;
  });
}

bool imad(Builder& b) {
  Step& s = b.step();
  const bool wide = b.has("WIDE"), high = b.has("HI"), is_signed = b.bit(73);
  if (b.sources() < 3) return false;
  s.a = b.word32(0), s.b = b.word32(1), s.c = b.word32(2);
  s.d = b.d();
  s.u = b.bit(74) ? b.predicate(87) : Truth{b.constant(0)};
  if (!wide && !high) {
    const bool plain = !b.bit(74) && s.a.flip == 0 && s.b.flip == 0;
    return b.own(plain ? &mad : &mad_carry);
  }
  s.c_high = b.row(b.source(2), 1);
  s.p = b.predicate_to(81);
  if (high) return b.own(is_signed ? &mad_wide<true, true> : &mad_wide<false, true>);
  s.d_high = b.d(1);
  return b.own(is_signed ? &mad_wide<true, false> : &mad_wide<false, false>);
}

bool dot(Builder& b) {
  if (b.sm() >= 100) return false;
  const std::string_view types[] = {"u32", "s32"};
  const std::string_view name = !b.bit(76) ? "dp4a" : b.bit(77) ? "dp2a.hi" : "dp2a.lo";
  return b.ptx(fmt::format("{}.{}.{}", name, types[b.bit(73)], types[b.bit(74)]), As::integer, 3);
}

constexpr Translator kIntegers[] = {
    {"IADD3", iadd3}, {"UIADD3", iadd3}, {"IADD", iadd},  {"VIADD", iadd}, {"LEA", lea_of},
    {"ULEA", lea_of}, {"IMAD", imad},    {"UIMAD", imad}, {"IDP", dot},
};

}  // namespace

std::span<const Translator> integer_translators() {
  return kIntegers;
}

}  // namespace gpx::vgpu::exec::sass
