// Logic, comparison, selection, the smaller and the larger of integers. Interface: builder.h.
// Covered by tests/vgpu/machine_code_test.cpp.

#include <algorithm>

#include "runtime/device/vgpu/exec/sass/builder.h"
#include "runtime/device/vgpu/exec/sass/sources.h"

namespace gpx::vgpu::exec::sass {
namespace {

// ---- logic

/// Any function of three bits, by its table.
template <u32 kTable>
u32 looked_up(u32 x, u32 y, u32 z, u32 table) {
  const u32 t = kTable != 256 ? kTable : table;
  switch (t) {
    case 0xc0: return x & y;
    case 0xfc: return x | y;
    case 0x3c: return x ^ y;
    case 0x96: return x ^ y ^ z;
    case 0x33: return ~y;
    case 0xf8: return x | (y & z);
    case 0x80: return x & y & z;
    case 0xfe: return x | y | z;
    default: break;
  }
  u32 made = 0;
  if (t & 1) made |= ~x & ~y & ~z;
  if (t & 2) made |= ~x & ~y & z;
  if (t & 4) made |= ~x & y & ~z;
  if (t & 8) made |= ~x & y & z;
  if (t & 16) made |= x & ~y & ~z;
  if (t & 32) made |= x & ~y & z;
  if (t & 64) made |= x & y & ~z;
  if (t & 128) made |= x & y & z;
  return made;
}
template <u32 kTable>
void lop3(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Lanes &x = c.in(s.a.row), &y = c.in(s.b.row), &z = c.in(s.c.row);
  Lanes& d = c.r[s.d];
  const u32 table = s.number;
  for_lanes(c.mask, [&](unsigned i) {
    d[i] = looked_up<kTable>(static_cast<u32>(x[i]), static_cast<u32>(y[i]), static_cast<u32>(z[i]),
                             table);
  });
}
void lop3_predicate(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Lanes &x = c.in(s.a.row), &y = c.in(s.b.row), &z = c.in(s.c.row);
  const Holds u(c, s.u);
  Lanes &d = c.r[s.d], &p = c.r[s.p];
  const bool both = s.second != 0;
  for_lanes(c.mask, [&](unsigned i) {
    const u32 v = looked_up<256>(static_cast<u32>(x[i]), static_cast<u32>(y[i]),
                                 static_cast<u32>(z[i]), s.number);
    d[i] = v;
    p[i] = both ? (v != 0) & u(i) : (v != 0) | u(i);
  });
}
bool logic(Builder& b) {
  Step& s = b.step();
  if (b.sources() < 3) return false;
  s.a = b.word32(0), s.b = b.word32(1), s.c = b.word32(2);
  s.number = static_cast<u32>(b.field(72, 8));
  s.second = b.bit(80);
  s.d = b.d(), s.p = b.predicate_to(81), s.u = b.predicate(87);
  if (s.p != b.sink()) return b.own(&lop3_predicate);
  switch (s.number) {
    case 0xc0: return b.own(&lop3<0xc0>);
    case 0xfc: return b.own(&lop3<0xfc>);
    case 0x3c: return b.own(&lop3<0x3c>);
    case 0x96: return b.own(&lop3<0x96>);
    default: return b.own(&lop3<256>);
  }
}

void plop3(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Holds u(c, s.u), v(c, s.v), w(c, s.w);
  Lanes &p = c.r[s.p], &q = c.r[s.q];
  for_lanes(c.mask, [&](unsigned i) {
    const u64 at = u(i) << 2 | v(i) << 1 | w(i);
    const u64 first = s.number >> at & 1, second = s.second >> at & 1;
    p[i] = first;
    q[i] = second;
  });
}
bool predicate_logic(Builder& b) {
  Step& s = b.step();
  s.u = b.predicate(87), s.v = b.predicate(77);
  const bool uniform_third = !b.uniform() && b.bit(67);
  s.w = uniform_third ? Truth{b.field(68, 3) == 7
                                  ? b.constant(1)
                                  : b.predicate_row(static_cast<unsigned>(b.field(68, 3)), true),
                              b.bit(71)}
                      : b.predicate(68);
  s.number = static_cast<u32>(b.field(64, 3) | b.field(72, 5) << 3);
  s.second = static_cast<u32>(b.field(16, 8));
  s.p = b.predicate_to(81), s.q = b.predicate_to(84);
  return b.own(&plop3);
}

/// Whether a sum or a difference has left the range of its words shows in the signs of its operands
/// and of itself.
void sign3(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Lanes &x = c.in(s.a.row), &y = c.in(s.b.row), &z = c.in(s.c.row);
  Lanes& p = c.r[s.p];
  const auto sign = [](u64 word) { return word >> 31 & 1; };
  for_lanes(c.mask, [&](unsigned i) {
    p[i] = s.number >> (sign(x[i]) << 2 | sign(y[i]) << 1 | sign(z[i])) & 1;
  });
}
bool sign_table(Builder& b) {
  if (b.sources() < 3 || b.predicate_to(84) != b.sink()) return b.refuse("a second result");
  Step& s = b.step();
  s.a.row = b.row(b.source(0)), s.b.row = b.row(b.source(1)), s.c.row = b.row(b.source(2));
  s.number = static_cast<u32>(b.field(72, 8));
  s.p = b.predicate_to(81);
  return b.own(&sign3);
}

// ---- comparison and selection

enum class Compare { never, lt, eq, le, gt, ne, ge, always };
template <Compare kCompare, class T>
bool compared(T x, T y) {
  if constexpr (kCompare == Compare::lt) return x < y;
  if constexpr (kCompare == Compare::eq) return x == y;
  if constexpr (kCompare == Compare::le) return x <= y;
  if constexpr (kCompare == Compare::gt) return x > y;
  if constexpr (kCompare == Compare::ne) return x != y;
  if constexpr (kCompare == Compare::ge) return x >= y;
  return kCompare == Compare::always;
}
u64 joined(u32 how, u64 holds, u64 other) {
  return how == 0 ? holds & other : how == 1 ? holds | other : holds ^ other;
}

/// .EX: where both are equal, what the lower words gave counts.
template <Compare kCompare, class T, bool kExtended>
void setp(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Lanes &x = c.in(s.a.row), &y = c.in(s.b.row);
  const Holds u(c, s.u), v(c, s.v);
  Lanes &p = c.r[s.p], &q = c.r[s.q];
  const u32 how = s.number;
  for_lanes(c.mask, [&](unsigned i) {
    const T a = static_cast<T>(static_cast<u32>(x[i])), b = static_cast<T>(static_cast<u32>(y[i]));
    u64 holds = compared<kCompare>(a, b);
    if (kExtended && a == b) holds = v(i);
    const u64 other = u(i);
    p[i] = joined(how, holds, other);
    q[i] = joined(how, holds ^ 1, other);
  });
}
template <class T, bool kExtended>
Handler pick_setp(u64 compare) {
  switch (static_cast<Compare>(compare)) {
    case Compare::never: return &setp<Compare::never, T, kExtended>;
    case Compare::lt: return &setp<Compare::lt, T, kExtended>;
    case Compare::eq: return &setp<Compare::eq, T, kExtended>;
    case Compare::le: return &setp<Compare::le, T, kExtended>;
    case Compare::gt: return &setp<Compare::gt, T, kExtended>;
    case Compare::ne: return &setp<Compare::ne, T, kExtended>;
    case Compare::ge: return &setp<Compare::ge, T, kExtended>;
    default: return &setp<Compare::always, T, kExtended>;
  }
}
bool isetp(Builder& b) {
  Step& s = b.step();
  if (b.sources() < 2 || b.sm() >= 100) return false;
  s.a = b.word32(0), s.b = b.word32(1);
  s.p = b.predicate_to(81), s.q = b.predicate_to(84);
  s.u = b.predicate(87);
  s.number = static_cast<u32>(b.field(74, 2));
  const bool is_signed = b.bit(73), extended = b.bit(72);
  s.v = extended ? b.predicate(68) : Truth{b.constant(0)};
  const u64 compare = b.field(76, 3);
  if (extended)
    return b.own(is_signed ? pick_setp<s32, true>(compare) : pick_setp<u32, true>(compare));
  return b.own(is_signed ? pick_setp<s32, false>(compare) : pick_setp<u32, false>(compare));
}

void select(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Lanes &x = c.in(s.a.row), &y = c.in(s.b.row);
  const Holds u(c, s.u);
  Lanes& d = c.r[s.d];
  for_lanes(c.mask, [&](unsigned i) { d[i] = u(i) != 0 ? x[i] : y[i]; });
}
bool sel(Builder& b) {
  Step& s = b.step();
  if (b.sources() < 2) return false;
  const bool real = b.in().base() == "FSEL";
  if (b.has("FTZ") || b.has("64")) return false;
  s.a.row = b.value(0, real ? As::real32 : As::integer);
  s.b.row = b.value(1, real ? As::real32 : As::integer);
  s.u = b.predicate(87);
  s.d = b.d();
  return b.own(&select);
}

void move(Context& c, const Op& op) {
  Lanes& d = c.r[op.d];
  const Lanes& a = c.in(op.a);
  for_lanes(c.mask, [&](unsigned i) { d[i] = a[i]; });
}
bool mov(Builder& b) {
  if (b.sources() < 1 || b.has("64")) return false;
  if (!b.uniform() && b.field(72, 4) != 15) return b.refuse("bytes of a register");
  b.step().inner.a = b.value(0, As::integer);
  b.step().inner.d = b.d();
  b.step().run = &move;
  return true;
}

// ---- the smaller and the larger

/// The predicate that chooses min is no constant in general.
template <class T>
void extreme(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Reads x(c, s.a), y(c, s.b), z(c, s.c);
  const Holds u(c, s.u);
  Lanes& d = c.r[s.d];
  const bool sums = s.number == 2, three = s.number == 3, relu = s.second != 0;
  for_lanes(c.mask, [&](unsigned i) {
    const bool least = u(i) != 0;
    const auto pick = [&](T a, T b) { return (a < b) == least ? a : b; };
    T v = sums ? pick(static_cast<T>(x(i) + y(i)), static_cast<T>(z(i)))
               : pick(static_cast<T>(x(i)), static_cast<T>(y(i)));
    if (three) v = pick(v, static_cast<T>(z(i)));
    if (relu) v = std::max<T>(v, 0);
    d[i] = static_cast<u32>(v);
  });
}
/// The same of two halves each. Predicates say of the lower and the upper one whether the first
/// source is taken, as it is where both are the same.
template <class T>
void extreme_pair(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Reads x(c, s.a), y(c, s.b), z(c, s.c);
  const Holds u(c, s.u);
  Lanes &d = c.r[s.d], &p = c.r[s.p], &q = c.r[s.q];
  const bool sums = s.number == 2, three = s.number == 3, relu = s.second != 0;
  for_lanes(c.mask, [&](unsigned i) {
    const bool least = u(i) != 0;
    const auto pick = [&](T a, T b) { return (a < b) == least ? a : b; };
    u32 made = 0;
    for (const unsigned shift : {0u, 16u}) {
      const auto part = [&](u32 v) { return static_cast<T>(v >> shift); };
      T v = sums ? pick(static_cast<T>(part(x(i)) + part(y(i))), part(z(i)))
                 : pick(part(x(i)), part(y(i)));
      (shift == 0 ? p : q)[i] = v == part(x(i));
      if (three) v = pick(v, part(z(i)));
      if (relu) v = std::max<T>(v, 0);
      made |= static_cast<u32>(static_cast<std::uint16_t>(v)) << shift;
    }
    d[i] = made;
  });
}
bool minmax(Builder& b) {
  Step& s = b.step();
  const std::string_view name = b.in().base();
  if (b.sources() < 2 || b.sm() >= 100) return false;
  s.a = b.word32(0), s.b = b.word32(1);
  s.c = b.sources() > 2 ? b.word32(2) : Word32{b.constant(0)};
  s.number = name == "VIADDMNMX" ? 2 : name == "VIMNMX3" ? 3 : 1;
  s.u = b.predicate(87);
  s.d = b.d();
  if (name == "VIMNMX") s.p = b.predicate_to(81), s.q = b.predicate_to(84);
  const bool decides = s.p != b.sink() || s.q != b.sink();
  if (name == "IMNMX") return b.own(b.bit(73) ? &extreme<s32> : &extreme<u32>);
  s.second = b.bit(76);
  const u64 kind = b.field(72, 2);
  if (decides && (kind < 2 || s.second != 0)) return b.refuse("a predicate");
  if (kind >= 2 && b.source(1).negated) return b.refuse("the opposite of a pair");
  if (kind >= 2)
    return b.own(kind == 3 ? &extreme_pair<std::int16_t> : &extreme_pair<std::uint16_t>);
  return b.own(kind == 1 ? &extreme<s32> : &extreme<u32>);
}

void absolute(Context& c, const Op& op) {
  Lanes& d = c.r[op.d];
  const Lanes& a = c.in(op.a);
  for_lanes(c.mask, [&](unsigned i) {
    const u32 v = static_cast<u32>(a[i]);
    d[i] = static_cast<s32>(v) < 0 ? 0 - v : v;
  });
}
bool iabs(Builder& b) {
  b.step().inner.a = b.value(0, As::integer);
  b.step().inner.d = b.d();
  b.step().run = &absolute;
  return true;
}

constexpr Translator kLogic[] = {
    {"LOP3", logic},
    {"ULOP3", logic},
    {"PLOP3", predicate_logic},
    {"UPLOP3", predicate_logic},
    {"SIGN3", sign_table},
    {"ISETP", isetp},
    {"UISETP", isetp},
    {"SEL", sel},
    {"USEL", sel},
    {"FSEL", sel},
    {"MOV", mov},
    {"UMOV", mov},
    {"IMNMX", minmax},
    {"VIMNMX", minmax},
    {"VIMNMX3", minmax},
    {"VIADDMNMX", minmax},
    {"IABS", iabs},
};

}  // namespace

std::span<const Translator> logic_translators() {
  return kLogic;
}

}  // namespace gpx::vgpu::exec::sass
