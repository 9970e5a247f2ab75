// Single, double and half precision: what the PTX front end computes, with the operands and
// modifiers of machine code. Interface: builder.h. Covered by tests/vgpu/machine_code_test.cpp.
#include <fmt/format.h>

#include <cmath>

#include "runtime/device/vgpu/exec/approx.h"
#include "runtime/device/vgpu/exec/sass/builder.h"

namespace gpx::vgpu::exec::sass {
namespace {

std::string rounding(const Builder& b) {
  static constexpr std::string_view kNames[] = {".rn", ".rm", ".rp", ".rz"};
  return std::string(kNames[b.field(78, 2)]);
}
std::string ftz(const Builder& b) {
  return b.bit(80) ? ".ftz" : "";
}
std::string sat(const Builder& b) {
  return b.bit(77) ? ".sat" : "";
}

// ---- single precision

bool fadd(Builder& b) {
  return b.ptx("add" + rounding(b) + ftz(b) + sat(b) + ".f32", As::real32, 2);
}
bool fmul(Builder& b) {
  if (b.bit(76) || b.field(84, 3) != 4) return b.refuse("a scaled product");
  return b.ptx("mul" + rounding(b) + ftz(b) + sat(b) + ".f32", As::real32, 2);
}
bool ffma(Builder& b) {
  if (b.bit(76)) return b.refuse("FMZ");
  return b.ptx("fma" + rounding(b) + ftz(b) + sat(b) + ".f32", As::real32, 3);
}

/// The predicate chooses between min and max; nearly always it is a constant.
bool fmnmx(Builder& b) {
  if (b.has("XORSIGN")) return b.refuse("the product of both signs");
  if (b.field(87, 3) != 7) return b.refuse("a predicate that chooses");
  const std::string_view name = b.bit(90) ? "max" : "min";
  return b.ptx(fmt::format("{}{}{}.f32", name, ftz(b), b.has("NAN") ? ".NaN" : ""), As::real32, 2);
}

// ---- comparison

constexpr std::string_view kCompare[] = {"",    "lt",  "eq",  "le",  "gt",  "ne",  "ge",  "num",
                                         "nan", "ltu", "equ", "leu", "gtu", "neu", "geu", ""};
constexpr std::string_view kBool[] = {"and", "or", "xor"};

/// p = (a cmp b) op u, q = !(a cmp b) op u; the comparison is that of PTX, into a row of its own.
void join(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Lanes &holds = c.r[s.a.row], &u = c.in(s.u.row);
  Lanes &p = c.r[s.p], &q = c.r[s.q];
  const std::uint64_t flip = s.u.negated;
  for_lanes(c.mask, [&](unsigned i) {
    const std::uint64_t x = holds[i] & 1, y = x ^ 1, z = (u[i] ^ flip) & 1;
    p[i] = s.number == 0 ? x & z : s.number == 1 ? x | z : x ^ z;
    q[i] = s.number == 0 ? y & z : s.number == 1 ? y | z : y ^ z;
  });
}
void compare_and_join(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  s.inner.run(c, s.inner);
  join(c, op);
}
void join_constant(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  for_lanes(c.mask, [&](unsigned i) { c.r[s.a.row][i] = s.second; });
  join(c, op);
}

/// `compare`: the field's value, of 16 ways.
bool setp(Builder& b, std::uint64_t compare, const std::string& type, As as, std::size_t sources) {
  Step& s = b.step();
  s.p = b.predicate_to(81), s.q = b.predicate_to(84), s.u = b.predicate(87);
  s.a.row = b.temporary();
  const bool constant = kCompare[compare].empty();
  s.second = compare != 0;
  if (!constant) {
    if (!b.ptx(fmt::format("setp.{}{}", kCompare[compare], type)) || b.sources() < sources)
      return false;
    s.inner.a = b.value(0, as), s.inner.b = b.value(1, as);
    s.inner.d = s.a.row;
    s.inner.run = s.run;
  }
  s.inner.list = b.op().list;
  s.run = constant ? &join_constant : &compare_and_join;
  return true;
}
bool fsetp(Builder& b) {
  b.step().number = static_cast<std::uint32_t>(b.field(74, 2));
  return setp(b, b.field(76, 4), ftz(b) + ".f32", As::real32, 2);
}
/// .MIN, .MAX: p, whether the first operand is the result; q, whether both are none.
template <bool kMax>
void choose(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Lanes &x = c.in(s.a.row), &y = c.in(s.b.row);
  Lanes &p = c.r[s.p], &q = c.r[s.q];
  for_lanes(c.mask, [&](unsigned i) {
    const double a = get<double>(x[i]), b = get<double>(y[i]);
    const bool first = a == b ? std::signbit(a) != kMax : kMax ? a > b : a < b;
    p[i] = first || b != b;
    q[i] = a != a && b != b;
  });
}
bool dsetp(Builder& b) {
  const std::uint64_t compare = b.field(76, 4);
  if (kCompare[compare].empty() && b.sources() >= 2) {
    Step& s = b.step();
    s.a.row = b.value(0, As::real64), s.b.row = b.value(1, As::real64);
    s.p = b.predicate_to(81), s.q = b.predicate_to(84);
    return b.own(compare == 0 ? &choose<false> : &choose<true>);
  }
  b.step().number = static_cast<std::uint32_t>(b.field(74, 2));
  return setp(b, b.field(76, 4), ".f64", As::real64, 2);
}

bool fset(Builder& b) {
  const std::uint64_t compare = b.field(76, 4);
  if (kCompare[compare].empty()) return b.refuse("a constant comparison");
  const std::string name = fmt::format("set.{}.{}{}.{}.f32", kCompare[compare],
                                       kBool[std::min<std::uint64_t>(b.field(74, 2), 2)], ftz(b),
                                       b.bit(81) ? "u32" : "f32");
  if (!b.ptx(name, As::real32, 2)) return false;
  const Truth u = b.predicate(87);
  b.step().inner.c = u.row;
  b.step().inner.negated = u.negated;
  return true;
}

/// Whether a division needs its slow path: here where the quotient's fast one may leave the range
/// of normal numbers. Both paths round alike.
struct NeedsCare {
  bool operator()(float a, float b) const {
    const auto exponent = [](float v) {
      return static_cast<int>(__builtin_bit_cast(std::uint32_t, v) >> 23 & 0xff);
    };
    const int x = exponent(a), y = exponent(b);
    return y == 0 || y >= 0xfd || x == 0xff || x - y >= 126 || x - y <= -125 || x <= 24;
  }
};
bool fchk(Builder& b) {
  Op& inner = b.step().inner;
  inner.a = b.value(0, As::real32), inner.b = b.value(1, As::real32);
  inner.d = b.predicate_to(81);
  b.step().run = &binary<bool, float, NeedsCare>;
  return true;
}

/// A number of 16 bits, in either half of a register.
bool mufu_of_half(Builder& b, bool tanh, bool bfloat) {
  const std::string_view name = tanh ? "tanh.approx" : "ex2.approx";
  if (b.source(0).kind != code::OperandKind::reg) return b.refuse("a half that is no register");
  if (!b.ptx(fmt::format("{}{}.{}", name, bfloat && !tanh ? ".ftz" : "", bfloat ? "bf16" : "f16")))
    return false;
  b.step().inner.a = b.one_half(b.source(0));
  return true;
}

bool mufu(Builder& b) {
  static constexpr std::string_view kNames[] = {
      "", "", "ex2.approx",  "lg2.approx", "rcp.approx", "rsqrt.approx",
      "", "", "sqrt.approx", "tanh.approx"};
  const std::uint64_t what = b.field(74, 4), type = b.field(72, 2);
  Op& inner = b.step().inner;
  if (what == 6 || what == 7) {  // the upper halves of doubles
    if (!b.ptx(what == 6 ? "rcp.approx.ftz.f64" : "rsqrt.approx.ftz.f64")) return false;
    Input input;
    input.kind = Input::Kind::real64;
    input.lo = b.constant(0);
    const code::Operand& operand = b.source(0);
    input.hi = b.row(operand, operand.kind == code::OperandKind::immediate ? 1 : 0, true);
    if (operand.negated) input.flip = 1ull << 63;
    if (operand.absolute) input.keep = ~(1ull << 63);
    input.to = b.temporary();
    b.add(input);
    inner.a = input.to;
    inner.d = b.temporary();
    b.step().outputs.push_back({inner.d, b.sink(), b.d()});
    return true;
  }
  inner.a = b.value(0, As::real32);
  inner.d = b.d();
  b.shell().unit = ptx::Unit::sfu;
  if (what < 2) {
    b.step().run = revolution_handler(what == 0);
    return true;
  }
  if (what >= std::size(kNames)) return false;
  const bool tanh = what == 9;
  if (type == 3 || (type != 0 && !tanh && what != 2)) return b.refuse("a function of halves");
  if (type != 0) return mufu_of_half(b, tanh, type == 2);
  return b.ptx(fmt::format("{}{}.f32", kNames[what], tanh ? "" : ".ftz"));
}

// ---- double precision

bool doubles(Builder& b, std::string_view name, std::size_t sources) {
  if (!b.ptx(std::string(name) + rounding(b) + ".f64") || b.sources() < sources) return false;
  Op& inner = b.step().inner;
  inner.a = b.value(0, As::real64), inner.b = b.value(1, As::real64);
  if (sources > 2) inner.c = b.value(2, As::real64);
  b.wide_result();
  return true;
}
bool dadd(Builder& b) {
  return doubles(b, "add", 2);
}
bool dmul(Builder& b) {
  return doubles(b, "mul", 2);
}
bool dfma(Builder& b) {
  return doubles(b, "fma", 3);
}

// ---- half precision

std::string_view half_type(const Builder& b) {
  return b.bit(85) ? "bf16x2" : "f16x2";
}
bool halves(Builder& b, std::string_view name, std::size_t sources) {
  if (b.has("F32") || b.has("FMZ")) return b.refuse("sums of single precision");
  for (std::size_t k = 0; k < b.sources(); ++k)
    if (b.source(k).text.find(".F32") != std::string::npos) return b.refuse("a single operand");
  const std::string relu = name == "fma" && b.bit(79) ? ".relu" : "";
  return b.ptx(fmt::format("{}.rn{}{}{}.{}", name, ftz(b), sat(b), relu, half_type(b)), As::half,
               sources);
}
// A sum with -0 in single precision is the number of a half.
bool hadd2(Builder& b) {
  if (!b.has("F32")) return halves(b, "add", 2);
  if (b.sources() < 2) return false;
  const code::Operand& first = b.source(0);
  if (first.index != kZeroRegister || !first.negated) return b.refuse("a sum of single precision");
  if (!b.ptx(b.bit(85) ? "cvt.f32.bf16" : "cvt.f32.f16")) return false;
  b.step().inner.a = b.half(b.source(1));
  b.step().inner.d = b.d();
  return true;
}
bool hmul2(Builder& b) {
  return halves(b, "mul", 2);
}
bool hfma2(Builder& b) {
  return halves(b, "fma", 3);
}

bool hmnmx2(Builder& b) {
  if (b.has("XORSIGN")) return b.refuse("the product of both signs");
  if (b.field(87, 3) != 7) return b.refuse("a predicate that chooses");
  return b.ptx(fmt::format("{}{}{}.{}", b.bit(90) ? "max" : "min", ftz(b),
                           b.has("NAN") ? ".NaN" : "", half_type(b)),
               As::half, 2);
}

/// Two comparisons, of the lower halves and of the upper ones.
void compare_halves(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Lanes x = c.in(s.inner.a), y = c.in(s.inner.b);
  Lanes &a = c.r[s.c_high], &b = c.r[s.a_high], &holds = c.r[s.a.row];
  Op inner = s.inner;
  inner.a = s.c_high, inner.b = s.a_high;
  for_lanes(c.mask, [&](unsigned i) { b[i] = y[i] & 0xffff, a[i] = x[i] & 0xffff; });
  inner.run(c, inner);
  const Lanes low = holds;
  for_lanes(c.mask, [&](unsigned i) { b[i] = y[i] >> 16 & 0xffff, a[i] = x[i] >> 16 & 0xffff; });
  inner.run(c, inner);
  const Lanes& u = c.in(s.u.row);
  const std::uint64_t flip = s.u.negated;
  const auto joined = [&](std::uint64_t v, std::uint64_t z) {
    return s.number == 0 ? v & z : s.number == 1 ? v | z : v ^ z;
  };
  Lanes &p = c.r[s.p], &q = c.r[s.q];
  const bool both = s.second != 0;
  for_lanes(c.mask, [&](unsigned i) {
    const std::uint64_t z = (u[i] ^ flip) & 1, l = low[i] & 1, h = holds[i] & 1;
    p[i] = joined(both ? l & h : l, z);
    q[i] = both ? joined((l & h) ^ 1, z) : joined(h, z);
  });
}
void set_halves(Context& c, const Op& op) {
  compare_halves(c, op);
  const Step& s = step_of(c, op);
  const Lanes &p = c.r[s.p], &q = c.r[s.q];
  Lanes& d = c.r[s.d];
  const std::uint64_t truth = static_cast<std::uint64_t>(s.d_high);
  for_lanes(c.mask,
            [&](unsigned i) { d[i] = (p[i] != 0 ? truth : 0) | (q[i] != 0 ? truth : 0) << 16; });
}
bool half_compare(Builder& b, Handler run) {
  Step& s = b.step();
  const std::uint64_t compare = b.field(76, 4);
  if (kCompare[compare].empty() || b.sources() < 2) return b.refuse("a constant comparison");
  const bool bfloat = b.bit(65);
  if (!b.ptx(fmt::format("setp.{}{}.{}", kCompare[compare], ftz(b), bfloat ? "bf16" : "f16")))
    return false;
  s.inner.a = b.value(0, As::half), s.inner.b = b.value(1, As::half);
  s.a.row = b.temporary(), s.a_high = b.temporary(), s.c_high = b.temporary();
  s.inner.d = s.a.row;
  s.inner.run = s.run;
  s.inner.list = b.op().list;
  s.number = static_cast<std::uint32_t>(b.field(69, 2));
  s.u = b.predicate(87);
  s.run = run;
  return true;
}
bool hsetp2(Builder& b) {
  Step& s = b.step();
  s.second = b.bit(71);
  s.p = b.predicate_to(81), s.q = b.predicate_to(84);
  return half_compare(b, &compare_halves);
}
bool hset2(Builder& b) {
  Step& s = b.step();
  s.p = b.temporary(), s.q = b.temporary();
  s.d = b.d();
  s.d_high = !b.bit(71) ? 0xffff : b.bit(65) ? 0x3f80 : 0x3c00;
  return half_compare(b, &set_halves);
}

constexpr Translator kFloats[] = {
    {"FADD", fadd},     {"FMUL", fmul},   {"FFMA", ffma},     {"FMNMX", fmnmx}, {"FSETP", fsetp},
    {"FSET", fset},     {"FCHK", fchk},   {"MUFU", mufu},     {"DADD", dadd},   {"DMUL", dmul},
    {"DFMA", dfma},     {"DSETP", dsetp}, {"HADD2", hadd2},   {"HMUL2", hmul2}, {"HFMA2", hfma2},
    {"HSETP2", hsetp2}, {"HSET2", hset2}, {"HMNMX2", hmnmx2},
};

}  // namespace

std::span<const Translator> float_translators() {
  return kFloats;
}

}  // namespace gpx::vgpu::exec::sass
