// Which modifiers go with which types: what the op table's groups are too coarse to say. Part of
// the parser (parse_state.h). Covered by tests/vgpu/ptx_test.cpp.
#include <fmt/format.h>

#include "codegen/ptx/mma.h"
#include "codegen/ptx/parse_state.h"

namespace gpx::ptx {
namespace {

bool is_bits(Type type) {
  return type == Type::b16 || type == Type::b32 || type == Type::b64;
}
bool is_fractional(Type type) {
  return is_float(type) || is_half(type);
}
bool is_unsigned(Type type) {
  return is_integer(type) && !is_signed(type);
}

std::string_view wrong_comparison(Compare compare, Type type) {
  if (is_fractional(type)) {
    bool ok = compare < Compare::lo || compare > Compare::hs;
    return ok ? "" : "unsigned comparisons are for unsigned integers";
  }
  if (compare > Compare::hs) return "unordered comparisons are for floating point";
  if (is_bits(type) && compare > Compare::ne) return "bits compare by .eq and .ne alone";
  if (compare >= Compare::lo && !is_unsigned(type)) {
    return "unsigned comparisons are for unsigned integers";
  }
  return "";
}

std::string_view wrong_rounding(Rounding rounding, Type to, Type from) {
  bool to_integer_rounding = rounding >= Rounding::rni;
  bool none = rounding == Rounding::none;
  if (is_integer(to) && is_integer(from)) return none ? "" : "integers are not rounded";
  if (is_integer(to)) return to_integer_rounding ? "" : "needs .rni, .rzi, .rmi or .rpi";
  if (is_integer(from)) return none || to_integer_rounding ? "needs .rn, .rz, .rm or .rp" : "";
  if (to == from) return none || to_integer_rounding ? "" : "takes .rni, .rzi, .rmi or .rpi";
  // bf16 has f32's exponents but f16's size: between the two it rounds either way.
  bool narrower = bytes_of(to) < bytes_of(from) || (is_half(to) && is_half(from));
  if (narrower) return none || to_integer_rounding ? "needs .rn, .rz, .rm or .rp" : "";
  return none ? "" : "is exact and takes no rounding";
}

std::string_view wrong_flush(OpId id, Type type, Type type2) {
  // Only these two exist on f64, and only with .ftz.
  bool f64_approx = (id == OpId::rcp_approx || id == OpId::rsqrt_approx) && type == Type::f64;
  if (f64_approx) return "";
  const bool bf16 = type == Type::bf16 || type == Type::bf16x2;
  if (id == OpId::ex2_approx && bf16) return "";
  auto flushes = [](Type t) { return t == Type::f32 || t == Type::f16 || t == Type::f16x2; };
  bool ok = flushes(type) || (type2 != Type::none && flushes(type2));
  return ok ? "" : ".ftz is for single and half precision";
}

bool is_pair(Type type) {
  return type == Type::f16x2 || type == Type::bf16x2;
}
bool is_set(OpId id) {
  return id == OpId::set || id == OpId::set_half || id == OpId::set_short || id == OpId::set_halves;
}
// PTX ISA, set: a comparison of pairs has a pair, or a word with a half for each of them.
bool wrong_set(Type type, Type type2) {
  if (is_pair(type)) return type != type2;
  return is_pair(type2) && type != Type::u32 && type != Type::s32;
}
bool takes_relu(Type type) {
  return type == Type::s32 || type == Type::s16x2 || type == Type::tf32 || is_half(type) ||
         type == Type::e4m3x2 || type == Type::e5m2x2;
}

}  // namespace

bool Parser::check_modifiers(std::uint32_t position) {
  const Instruction& i = instruction_;
  Modifiers m = modifiers_of(i);
  OpId id = row_->id;
  std::string_view why;
  auto also = [&](bool bad, std::string_view reason) {
    if (bad && why.empty()) why = reason;
  };
  bool compares = m.compare() != Compare::none;
  if (compares)
    why = wrong_comparison(m.compare(),
                           is_set(id) || id == OpId::vset2 || id == OpId::vset4 || id == OpId::vset
                               ? i.type2
                               : i.type);
  also(is_set(id) && wrong_set(i.type, i.type2), "has no such pair of types");
  if (id == OpId::cvt && why.empty()) why = wrong_rounding(m.rounding(), i.type, i.type2);
  if (m.ftz())
    also(!wrong_flush(id, i.type, i.type2).empty(), ".ftz is for single and half precision");
  also((id == OpId::rcp_approx || (id == OpId::rsqrt_approx && m.ftz())) && i.type == Type::f64 &&
           !m.ftz(),
       "on .f64 needs .ftz");
  const bool sums = (m.bits & Modifiers::kUni) && row_->unit == Unit::alu && row_->shape != "E";
  also(sums && m.sat(), ".add excludes .sat");
  bool integer_sat = id == OpId::add_int || id == OpId::sub_int || id == OpId::mad_hi;
  also(m.sat() && integer_sat && i.type != Type::s32, ".sat is for .s32");
  bool no_sat = i.type == Type::f64 || i.type == Type::bf16 || i.type == Type::bf16x2;
  also(m.sat() && no_sat, ".sat is not for this type");
  also(m.nan() && i.type == Type::f64, ".NaN is not for .f64");
  also(m.sat() && m.relu(), ".sat excludes .relu");
  also(m.relu() && !takes_relu(i.type), ".relu is not for this type");
  const bool clamps = (m.bits & Modifiers::kSatFinite) && id == OpId::cvt;
  also((clamps || (m.relu() && id == OpId::cvt)) && (!is_half(i.type) || i.type2 != Type::f32),
       ".relu and .satfinite are for halves of .f32");
  also(row_->unit == Unit::tensor && m.rounding() != Rounding::none && i.type != Type::f64,
       "rounding is for .f64");
  also(row_->unit == Unit::tensor && (m.bits & Modifiers::kSatFinite) && i.type != Type::s32,
       ".satfinite is for .s32");
  also(m.vector() * bytes_of(i.type) > 16, "an access has at most 16 bytes");
  also(m.vector() == 8 && (id == OpId::ld || id == OpId::ldu || id == OpId::st),
       "has vectors of 2 and of 4");
  also(id == OpId::membar && m.scope() == Scope::none, "needs .cta, .gl or .sys");
  bool needs_space = id == OpId::cvta || id == OpId::cvta_to || id == OpId::isspacep;
  also(needs_space && i.space == Space::none, "needs a space");
  also(matrices_of(id) > 0 && i.space != Space::shared, "is of shared memory");
  if (why.empty()) return true;
  return fail(position, fmt::format("instruction '{}': {}", row_->name, why));
}

}  // namespace gpx::ptx
