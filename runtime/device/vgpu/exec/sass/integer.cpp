// Integers: sums and products with carries, logic, comparison, selection, shifts. Interface:
// builder.h. Covered by tests/vgpu/machine_code_test.cpp.
//
// Carries are predicates here, so that these operations have handlers of their own; what has the
// operands of PTX is executed as that.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/device/vgpu/exec/sass/builder.h"

namespace gpx::vgpu::exec::sass {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

/// What a handler reads of one source.
struct Reads {
  const Lanes& row;
  u32 flip, plus;
  Reads(Context& c, const Word32& word) : row(c.in(word.row)), flip(word.flip), plus(word.plus) {}
  u32 operator()(unsigned i) const { return (static_cast<u32>(row[i]) ^ flip) + plus; }
  /// Without the wrap: an opposite is the complement and one.
  u64 wide(unsigned i) const { return u64{static_cast<u32>(row[i]) ^ flip} + plus; }
};
struct Holds {
  const Lanes& row;
  u64 flip;
  Holds(Context& c, const Truth& truth) : row(c.in(truth.row)), flip(truth.negated ? 1 : 0) {}
  u64 operator()(unsigned i) const { return (row[i] ^ flip) & 1; }
};

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

bool iadd3(Builder& b) {
  Step& s = b.step();
  if (b.sources() < 3) return false;
  s.a = b.word32(0), s.b = b.word32(1), s.c = b.word32(2);
  s.d = b.d(), s.p = b.predicate_to(81), s.q = b.predicate_to(84);
  const bool carries_in = b.bit(74);
  const bool plain = !carries_in && s.p == b.sink() && s.q == b.sink();
  if (plain) return b.own(&add3);
  s.u = carries_in ? b.predicate(87) : Truth{b.constant(0)};
  s.v = carries_in ? b.predicate(77) : Truth{b.constant(0)};
  return b.own(&add3_carry);
}

bool iadd(Builder& b) {
  Step& s = b.step();
  if (b.sources() < 2 || b.has("64")) return false;
  if (b.has("16x2")) return b.ptx("add.u16x2", As::word, 2);
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
bool lea_of(Builder& b) {
  Step& s = b.step();
  const bool high = b.has("HI"), extends = b.has("SX32");
  if (b.sources() < 3 || b.source(0).negated || b.source(0).text.starts_with('~')) return false;
  s.a = b.word32(0), s.b = b.word32(1);
  s.c = high && !extends ? b.word32(2) : Word32{b.constant(0)};
  s.number = static_cast<u32>(b.field(75, 5));
  s.u = b.bit(74) ? b.predicate(87) : Truth{b.constant(0)};
  s.d = b.d(), s.p = b.predicate_to(81);
  if (!high) return b.own(&lea<false, false>);
  return b.own(extends ? &lea<true, true> : &lea<true, false>);
}

// ---- products

void mad(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Lanes &x = c.in(s.a.row), &y = c.in(s.b.row);
  const Reads z(c, s.c);
  Lanes& d = c.r[s.d];
  for_lanes(c.mask, [&](unsigned i) {
    d[i] = static_cast<u32>(x[i]) * static_cast<u32>(y[i]) + z(i);
  });
}
void mad_carry(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Reads x(c, s.a), y(c, s.b), z(c, s.c);
  const Holds u(c, s.u);
  Lanes& d = c.r[s.d];
  for_lanes(c.mask,
            [&](unsigned i) { d[i] = static_cast<u32>(x(i) * y(i) + z(i) + u(i)); });
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
    const u64 product = kSigned ? static_cast<u64>(s64{static_cast<s32>(x(i))} * static_cast<s32>(y(i)))
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
  const bool four = b.has("4A");
  const std::string_view types[] = {"u32", "s32"};
  const bool first = b.has("S8") || b.has("S16");
  const std::string_view opcode = b.in().opcode;
  const bool second = opcode.ends_with(".S8");
  const bool only = opcode.ends_with(".U8.S8") || opcode.ends_with(".U16.S8");
  return b.ptx(fmt::format("{}.{}.{}", four ? "dp4a" : "dp2a.lo", types[first && !only],
                           types[second]),
               As::integer, 3);
}

// ---- logic

/// Any function of three bits, by its table.
template <u32 kTable>
u32 looked_up(u32 x, u32 y, u32 z, u32 table) {
  const u32 t = kTable != 256 ? kTable : table;
  switch (t) {
    case 0xc0:
      return x & y;
    case 0xfc:
      return x | y;
    case 0x3c:
      return x ^ y;
    case 0x96:
      return x ^ y ^ z;
    case 0x33:
      return ~y;
    case 0xf8:
      return x | (y & z);
    case 0x80:
      return x & y & z;
    case 0xfe:
      return x | y | z;
    default:
      break;
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
    d[i] = looked_up<kTable>(static_cast<u32>(x[i]), static_cast<u32>(y[i]),
                             static_cast<u32>(z[i]), table);
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
    case 0xc0:
      return b.own(&lop3<0xc0>);
    case 0xfc:
      return b.own(&lop3<0xfc>);
    case 0x3c:
      return b.own(&lop3<0x3c>);
    case 0x96:
      return b.own(&lop3<0x96>);
    default:
      return b.own(&lop3<256>);
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
  s.w = uniform_third ? Truth{b.field(68, 3) == 7 ? b.constant(1) : b.predicate_row(static_cast<unsigned>(b.field(68, 3)), true),
                              b.bit(71)}
                      : b.predicate(68);
  s.number = static_cast<u32>(b.field(64, 3) | b.field(72, 5) << 3);
  s.second = static_cast<u32>(b.field(16, 8));
  s.p = b.predicate_to(81), s.q = b.predicate_to(84);
  return b.own(&plop3);
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
    case Compare::never:
      return &setp<Compare::never, T, kExtended>;
    case Compare::lt:
      return &setp<Compare::lt, T, kExtended>;
    case Compare::eq:
      return &setp<Compare::eq, T, kExtended>;
    case Compare::le:
      return &setp<Compare::le, T, kExtended>;
    case Compare::gt:
      return &setp<Compare::gt, T, kExtended>;
    case Compare::ne:
      return &setp<Compare::ne, T, kExtended>;
    case Compare::ge:
      return &setp<Compare::ge, T, kExtended>;
    default:
      return &setp<Compare::always, T, kExtended>;
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
  if (extended) return b.own(is_signed ? pick_setp<s32, true>(compare) : pick_setp<u32, true>(compare));
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
/// The same of two halves each.
template <class T>
void extreme_pair(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Reads x(c, s.a), y(c, s.b), z(c, s.c);
  const Holds u(c, s.u);
  Lanes& d = c.r[s.d];
  const bool sums = s.number == 2, three = s.number == 3, relu = s.second != 0;
  for_lanes(c.mask, [&](unsigned i) {
    const bool least = u(i) != 0;
    const auto pick = [&](T a, T b) { return (a < b) == least ? a : b; };
    u32 made = 0;
    for (const unsigned shift : {0u, 16u}) {
      const auto part = [&](u32 v) { return static_cast<T>(v >> shift); };
      T v = sums ? pick(static_cast<T>(part(x(i)) + part(y(i))), part(z(i)))
                 : pick(part(x(i)), part(y(i)));
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
  if (name == "IMNMX") return b.own(b.bit(73) ? &extreme<s32> : &extreme<u32>);
  s.second = b.bit(76);
  const u64 kind = b.field(72, 2);
  if (kind >= 2) return b.own(kind == 3 ? &extreme_pair<std::int16_t> : &extreme_pair<std::uint16_t>);
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

// ---- shifts and bits

struct Shift {
  bool left, wide, is_signed, high, wraps;
  u32 operator()(u32 low, u32 count, u32 upper) const {
    const u32 width = wide ? 64 : 32;
    const u32 n = wraps ? count & (width - 1) : std::min(count, width);
    using u128 = unsigned __int128;
    u64 v = low | u64{upper} << 32;
    if (left) {
      v = n >= 64 ? 0 : v << n;
    } else if (is_signed) {
      v = static_cast<u64>(static_cast<s64>(v) >> std::min(n, 63u));
    } else {
      v = n >= 64 ? 0 : v >> n;
    }
    return static_cast<u32>(high ? v >> 32 : v);
  }
};
template <bool kLeft, bool kHigh, bool kSigned>
void shift_plain(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Reads x(c, s.a), y(c, s.b), z(c, s.c);
  Lanes& d = c.r[s.d];
  const Shift how{kLeft, false, kSigned, kHigh, false};
  for_lanes(c.mask, [&](unsigned i) { d[i] = how(x(i), y(i), z(i)); });
}
void shift(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Reads x(c, s.a), y(c, s.b), z(c, s.c);
  Lanes& d = c.r[s.d];
  const Shift how{(s.number & 1) != 0, (s.number & 2) != 0, (s.number & 4) != 0,
                  (s.number & 8) != 0, (s.number & 16) != 0};
  for_lanes(c.mask, [&](unsigned i) { d[i] = how(x(i), y(i), z(i)); });
}
bool shf(Builder& b) {
  Step& s = b.step();
  if (b.sources() < 3) return false;
  s.a = b.word32(0), s.b = b.word32(1), s.c = b.word32(2);
  s.d = b.d();
  const bool left = !b.bit(76), wraps = b.bit(75), high = b.bit(80);
  const u64 type = b.field(73, 2);  // S64, U64, S32, U32
  const bool wide = type < 2, is_signed = type % 2 == 0;
  s.number = left | wide << 1 | is_signed << 2 | high << 3 | wraps << 4;
  if (wide || wraps) return b.own(&shift);
  if (left) return b.own(high ? &shift_plain<true, true, false> : &shift_plain<true, false, false>);
  if (is_signed) return b.own(high ? &shift_plain<false, true, true> : &shift_plain<false, false, true>);
  return b.own(high ? &shift_plain<false, true, false> : &shift_plain<false, false, false>);
}

bool prmt(Builder& b) {
  static constexpr std::string_view kModes[] = {"", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"};
  const u64 mode = b.uniform() ? 0 : b.field(72, 3);
  if (mode >= std::size(kModes) || b.sources() < 3) return false;
  if (!b.ptx(fmt::format("prmt.b32{}", kModes[mode]))) return false;
  Op& inner = b.step().inner;
  inner.a = b.value(0, As::word), inner.c = b.value(1, As::word), inner.b = b.value(2, As::word);
  inner.d = b.d();
  return true;
}

bool popc(Builder& b) {
  return b.ptx("popc.b32", As::integer, 1);
}
bool brev(Builder& b) {
  return b.ptx("brev.b32", As::integer, 1);
}
// The predicate is false where no bit was found.
bool flo(Builder& b) {
  if (b.predicate_to(81) != b.sink()) return b.refuse("a predicate that is written");
  return b.ptx(fmt::format("bfind{}.{}", b.has("SH") ? ".shiftamt" : "", b.has("U32") ? "u32" : "s32"),
               As::integer, 1);
}
bool bmsk(Builder& b) {
  return b.ptx(b.has("W") ? "bmsk.wrap.b32" : "bmsk.clamp.b32", As::word, 2);
}
bool sgxt(Builder& b) {
  return b.ptx(fmt::format("szext.{}.{}", b.has("W") ? "wrap" : "clamp", b.has("U32") ? "u32" : "s32"),
               As::word, 2);
}
bool vabsdiff(Builder& b) {
  return b.ptx(b.has("U32") ? "sad.u32" : "sad.s32", As::word, 3);
}
bool vabsdiff4(Builder& b) {
  if (b.predicate_to(81) != b.sink()) return false;
  const std::string_view type = b.has("U8") ? "u32" : "s32";
  return b.ptx(fmt::format("vabsdiff4.{}.{}.{}{}", type, type, type, b.has("ACC") ? ".add" : ""),
               As::word, 3);
}

// ---- predicates as bits

void predicates_to_register(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Reads x(c, s.a), y(c, s.b);
  Lanes& d = c.r[s.d];
  for_lanes(c.mask, [&](unsigned i) {
    u32 bits = 0;
    for (std::int32_t k = 0; k < 7; ++k) bits |= static_cast<u32>(c.r[s.c_high + k][i] & 1) << k;
    const u32 keep = y(i);
    d[i] = (x(i) & ~(keep << s.number)) | (bits & keep) << s.number;
  });
}
bool p2r(Builder& b) {
  Step& s = b.step();
  if (b.sources() < 2) return false;
  s.a = b.word32(0), s.b = b.word32(1);
  s.c_high = b.predicate_row(0, b.uniform());
  s.number = b.uniform() ? 0 : 8 * static_cast<u32>(b.field(76, 2));
  s.d = b.d();
  return b.own(&predicates_to_register);
}
void register_to_predicates(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Reads x(c, s.a), y(c, s.b);
  for_lanes(c.mask, [&](unsigned i) {
    const u32 bits = x(i) >> s.number, wanted = y(i);
    for (std::int32_t k = 0; k < 7; ++k)
      if (wanted >> k & 1) c.r[s.c_high + k][i] = bits >> k & 1;
  });
}
bool r2p(Builder& b) {
  Step& s = b.step();
  if (b.sources() < 2) return false;
  s.a = b.word32(0), s.b = b.word32(1);
  s.c_high = b.predicate_row(0, false);
  s.number = 8 * static_cast<u32>(b.field(76, 2));
  return b.own(&register_to_predicates);
}

constexpr Translator kIntegers[] = {
    {"IADD3", iadd3},       {"UIADD3", iadd3},      {"IADD", iadd},         {"VIADD", iadd},
    {"LEA", lea_of},        {"ULEA", lea_of},       {"IMAD", imad},         {"UIMAD", imad},
    {"IDP", dot},           {"LOP3", logic},        {"ULOP3", logic},       {"PLOP3", predicate_logic},
    {"UPLOP3", predicate_logic}, {"ISETP", isetp},  {"UISETP", isetp},      {"SEL", sel},
    {"USEL", sel},          {"FSEL", sel},          {"MOV", mov},           {"UMOV", mov},
    {"IMNMX", minmax},      {"VIMNMX", minmax},     {"VIMNMX3", minmax},    {"VIADDMNMX", minmax},
    {"IABS", iabs},         {"SHF", shf},           {"USHF", shf},          {"PRMT", prmt},
    {"UPRMT", prmt},        {"POPC", popc},         {"UPOPC", popc},        {"BREV", brev},
    {"UBREV", brev},        {"FLO", flo},           {"UFLO", flo},          {"BMSK", bmsk},
    {"SGXT", sgxt},         {"VABSDIFF", vabsdiff}, {"VABSDIFF4", vabsdiff4}, {"P2R", p2r},
    {"UP2UR", p2r},         {"R2P", r2p},
};

}  // namespace

std::span<const Translator> integer_translators() {
  return kIntegers;
}

}  // namespace gpx::vgpu::exec::sass
