// Operands of video instructions, which may be a byte or a half of a register: vadd, vmad, ... Part
// of the parser (parse_state.h). Covered by tests/vgpu/ptx_test.cpp.

#include "codegen/ptx/parse_state.h"

namespace gpx::ptx {

// .b0 to .b3, .h0, .h1; nothing: all of it.
bool Parser::parse_part(Operand& out) {
  constexpr std::string_view kParts[] = {"b0", "b1", "b2", "b3", "h0", "h1"};
  if (!at_.accept('.')) return true;
  const std::uint32_t position = at_.position();
  const std::string_view name = at_.name();
  for (std::size_t k = 0; k < std::size(kParts); ++k)
    if (kParts[k] == name) return out.offset = static_cast<std::int32_t>(k) + 1, true;
  return fail(position, "one of .b0 to .b3, .h0 and .h1 is expected here");
}

// Of vmad a register may have a minus.
bool Parser::parse_video_source(Operand& out) {
  Cursor ahead = at_;
  bool negated = row_->id == OpId::vmad && ahead.accept('-') && !ahead.name().empty();
  if (negated) at_.accept('-');
  if (!parse_source(out, Type::b32, false)) return false;
  out.negated = negated;
  return parse_part(out);
}

// d{.part}, a{.part}, b{.part} {, c}
bool Parser::parse_video() {
  Operand to, a, b, c;
  if (!parse_register(to, Type::b32, false, true) || !parse_part(to) || !expect(',') ||
      !parse_video_source(a) || !expect(',') || !parse_video_source(b))
    return false;
  instruction_.operands = {to, a, b};
  const Modifiers m = modifiers_of(instruction_);
  const bool second = (m.bits & Modifiers::kUni) || m.second() != Second::none;
  const bool multiplies = row_->id == OpId::vmad;
  if (second && to.offset != 0) return fail("a part of the result excludes .add, .min and .max");
  if ((m.bits & Modifiers::kUni) && m.second() != Second::none)
    return fail(".add, .min and .max exclude each other");
  if (multiplies && to.offset != 0) return fail("'vmad' writes a whole register");
  if (!second && !multiplies && to.offset == 0) return true;
  if (!expect(',') || !parse_video_source(c)) return false;
  if ((m.bits & Modifiers::kPlusOne) && (a.negated || b.negated || c.negated))
    return fail(".po excludes negated operands");
  if (multiplies && c.offset != 0) return fail("the third operand is a whole register");
  instruction_.operands.push_back(c);
  return true;
}

}  // namespace gpx::ptx
