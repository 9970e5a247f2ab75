// Conversions between integers and floating point: those of the PTX front end. Interface:
// builder.h. Covered by tests/vgpu/machine_code_test.cpp.
#include <fmt/format.h>

#include "runtime/device/vgpu/exec/sass/builder.h"

namespace gpx::vgpu::exec::sass {
namespace {

constexpr std::string_view kFloat[] = {"", "f16", "f32", "f64", "bf16"};
constexpr std::string_view kRounding[] = {".rn", ".rm", ".rp", ".rz"};
constexpr std::string_view kIntegral[] = {".rni", ".rmi", ".rpi", ".rzi"};

/// A conversion of one operand, with as many bytes on both sides as the types have.
bool convert(Builder& b, const std::string& mnemonic, std::string_view to, std::string_view from) {
  if (!b.ptx(mnemonic) || b.sources() < 1) return false;
  Op& inner = b.step().inner;
  const bool wide_source = from == "f64" || from == "u64" || from == "s64",
             wide = to == "f64" || to == "u64" || to == "s64";
  const bool half = from == "f16" || from == "bf16";
  As as = As::integer;
  if (from == "f32") as = As::real32;
  if (wide_source) as = from == "f64" ? As::real64 : As::long64;
  const bool register_half = half && b.source(0).kind == code::OperandKind::reg;
  inner.a = register_half ? b.one_half(b.source(0)) : b.value(0, half ? As::half : as);
  // Integers below 32 bits fill their register.
  inner.d = b.d();
  if (wide) b.wide_result();
  b.shell().unit = ptx::Unit::sfu;
  return true;
}

std::string_view float_at(const Builder& b, unsigned position, unsigned width) {
  const std::uint64_t value = b.field(position, width);
  return value < std::size(kFloat) ? kFloat[value] : "";
}

// Between types of one width only rounding to integers is left.
bool f2f(Builder& b) {
  const std::string_view to = float_at(b, 75, 3), from = float_at(b, 84, 3);
  if (to.empty() || from.empty()) return false;
  const bool same = to == from;
  const bool narrows = (to == "f32" && from == "f64") || to == "f16" || to == "bf16";
  const std::uint64_t rounding = b.field(78, 2);
  std::string_view how;
  if (same) return b.refuse("no change of the type");
  if (narrows) how = kRounding[rounding];
  if (!narrows && rounding != 0) how = kIntegral[rounding];
  const bool flushes = b.bit(80) && (to == "f32" || from == "f32");
  return convert(b, fmt::format("cvt{}{}.{}.{}", how, flushes ? ".ftz" : "", to, from), to, from);
}

bool frnd(Builder& b) {
  const std::string_view type = float_at(b, 84, 3);
  if (type.empty()) return false;
  const bool flushes = b.bit(80) && type == "f32";
  return convert(
      b, fmt::format("cvt{}{}.{}.{}", kIntegral[b.field(78, 2)], flushes ? ".ftz" : "", type, type),
      type, type);
}

std::string integer_type(bool is_signed, std::uint64_t size) {
  return fmt::format("{}{}", is_signed ? 's' : 'u', 8u << size);
}

// .NTZ, which keeps a NaN from being 0, is of no NaN here: its result is that of PTX.
bool f2i(Builder& b) {
  const std::string_view from = float_at(b, 84, 3);
  if (from.empty()) return false;
  const std::string to = integer_type(b.bit(72), b.field(75, 2));
  const bool flushes = b.bit(80) && from == "f32";
  return convert(
      b, fmt::format("cvt{}{}.{}.{}", kIntegral[b.field(78, 2)], flushes ? ".ftz" : "", to, from),
      to, from);
}

bool i2f(Builder& b) {
  const std::string_view to = float_at(b, 75, 3);
  if (to.empty() || b.sources() < 1) return false;
  const std::uint64_t size = b.field(84, 2);
  const std::string from = integer_type(b.bit(74), size);
  const bool exact = to == "f64" && size < 3;
  const std::string_view how = exact ? "" : kRounding[b.field(78, 2)];
  if (!convert(b, fmt::format("cvt{}.{}.{}", exact ? ".rn" : how, to, from), to, from))
    return false;
  // A byte or a half of its register.
  const std::uint64_t part = b.field(60, 2);
  if (size >= 2 || part == 0 || b.source(0).kind != code::OperandKind::reg) return true;
  Input input;
  input.lo = b.row(b.source(0));
  input.shift = size == 0 ? 8 * static_cast<unsigned>(part) : 16;
  input.to = b.temporary();
  b.add(input);
  b.step().inner.a = input.to;
  return true;
}

bool i2fp(Builder& b) {
  return convert(b,
                 fmt::format("cvt{}.f32.{}", kRounding[b.field(78, 2)], b.bit(74) ? "s32" : "u32"),
                 "f32", "s32");
}

std::int32_t upper_half(Builder& b, std::int32_t row) {
  Input input;
  input.lo = row;
  input.shift = 16;
  input.to = b.temporary();
  b.add(input);
  return input.to;
}

/// A conversion to two bytes, above which the third source's lower half stands.
void merge_bytes(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  s.inner.run(c, s.inner);
  const Lanes& upper = c.in(s.c.row);
  Lanes& d = c.r[s.inner.d];
  for_lanes(c.mask, [&](unsigned i) { d[i] = (d[i] & 0xffff) | (upper[i] & 0xffff) << 16; });
}
/// Of one source: numbers of 8 bits to halves, or single precision to a fraction of 10 bits.
bool of_one(Builder& b, const std::string& relu) {
  if (b.sources() < 1) return false;
  Step& s = b.step();
  if (b.bit(86)) {
    const std::string_view how = b.field(79, 2) == 3 ? "rz" : "rn";
    if (b.bit(77) || !b.ptx(fmt::format("cvt.{}{}.tf32.f32", how, relu))) return false;
    s.inner.a = b.value(0, As::real32);
    s.inner.d = b.d();
    return true;
  }
  if (!b.ptx(fmt::format("cvt.rn{}.f16x2.{}", relu, b.bit(73) ? "e4m3x2" : "e5m2x2"))) return false;
  s.inner.a = b.value(0, As::word);
  s.inner.d = b.d();
  if (b.bit(88)) s.inner.a = upper_half(b, s.inner.a);
  return true;
}
bool of_bytes(Builder& b) {
  const std::string relu = b.bit(75) ? ".relu" : "";
  Step& s = b.step();
  if (b.bit(89)) return of_one(b, relu);
  if (b.field(79, 2) != 0) return b.refuse("a rounding of 8 bits");
  const std::string_view to = b.bit(76) ? "e4m3x2" : "e5m2x2";
  const bool halves = b.bit(73);
  if (!b.ptx(fmt::format("cvt.rn.satfinite{}.{}.{}", relu, to, halves ? "f16x2" : "f32")))
    return false;
  s.inner.a = b.value(0, halves ? As::word : As::real32);
  if (!halves) s.inner.b = b.value(1, As::real32);
  s.inner.d = b.temporary();
  s.c.row = b.row(b.source(b.sources() - 1));
  s.inner.run = s.run;
  s.inner.list = b.op().list;
  s.run = &merge_bytes;
  s.outputs.push_back({s.inner.d, b.d(), b.sink()});
  return true;
}

/// Two of single precision packed, the first in the upper half.
bool f2fp(Builder& b) {
  if (b.sm() >= 89 && (b.bit(87) || b.bit(89))) return of_bytes(b);
  if (b.bit(77)) return b.refuse("numbers that are clamped");
  const std::string_view type = b.bit(76) ? "bf16" : "f16";
  const std::string name =
      fmt::format("cvt.{}{}.{}", b.field(79, 2) == 3 ? "rz" : "rn", b.bit(75) ? ".relu" : "", type);
  if (!b.bit(78)) return b.ptx(name + "x2.f32", As::real32, 2);
  // The assembler's merge: one number, above which nothing stands.
  constexpr unsigned kFirst = 24, kThird = 64, kZeros = 255;
  if (b.field(kFirst, 8) != kZeros || b.field(kThird, 8) != kZeros) return b.refuse("a merge");
  if (!b.ptx(name + ".f32")) return false;
  b.step().inner.a = b.value(1, As::real32);
  b.step().inner.d = b.d();
  return true;
}

bool i2i(Builder& b) {
  static constexpr std::string_view kTypes[] = {"u8", "s8", "u16", "s16"};
  const std::string_view to = kTypes[b.field(76, 2)];
  return b.ptx(fmt::format("cvt.sat.{}.s32", to), As::integer, 1);
}

/// Two words to narrower ones side by side, above which stands the lower half of a third.
bool i2ip(Builder& b) {
  static constexpr std::string_view kTypes[] = {"u8", "s8", "u16", "s16"};
  const std::uint64_t to = b.field(76, 2);
  if (to > 1) return b.ptx(fmt::format("cvt.pack.sat.{}.s32", kTypes[to]), As::word, 2);
  if (!b.ptx(fmt::format("cvt.pack.sat.{}.s32.b32", kTypes[to]), As::word, 3)) return false;
  if (b.bit(72)) b.step().inner.c = upper_half(b, b.step().inner.c);
  return true;
}

/// The assembler's: one number, whose neighbours are zeros.
bool f2ip(Builder& b) {
  constexpr unsigned kFirst = 24, kThird = 64, kZeros = 255;
  if (b.field(kFirst, 8) != kZeros || b.field(kThird, 8) != kZeros || b.sources() < 2)
    return b.refuse("several numbers");
  if (!b.ptx(fmt::format("cvt{}.sat.u8.f32", kIntegral[b.field(78, 2)]))) return false;
  b.step().inner.a = b.value(1, As::real32);
  b.step().inner.d = b.d();
  return true;
}

constexpr Translator kConversions[] = {
    {"F2F", f2f},   {"FRND", frnd}, {"F2I", f2i},   {"I2F", i2f},   {"I2FP", i2fp},
    {"F2FP", f2fp}, {"I2I", i2i},   {"I2IP", i2ip}, {"F2IP", f2ip},
};

}  // namespace

std::span<const Translator> convert_translators() {
  return kConversions;
}

}  // namespace gpx::vgpu::exec::sass
