// Operands of wgmma.mma_async. Interface: warpgroup.h; part of the parser (parse_state.h). Covered
// by tests/vgpu/exec_warpgroup_test.cpp.
#include "codegen/ptx/warpgroup.h"

#include <fmt/format.h>

#include "codegen/ptx/parse_state.h"

namespace gpx::ptx {
namespace {

bool is_integer_byte(Type type) {
  return type == Type::u8 || type == Type::s8;
}
bool is_fp8(Type type) {
  return type == Type::e4m3 || type == Type::e5m2;
}

bool go_together_in_warpgroup(Type sum, Type a, Type b) {
  if (is_integer_byte(a)) return is_integer_byte(b) && sum == Type::s32;
  if (is_fp8(a)) return is_fp8(b) && sum != Type::s32;
  if (a != b || sum == Type::s32) return false;
  return sum == Type::f32 || a == Type::f16;
}

}  // namespace

std::optional<WarpgroupForm> warpgroup_form(const Instruction& i) {
  if (i.columns == 0 || !go_together_in_warpgroup(i.type, i.type2, i.type3)) return std::nullopt;
  WarpgroupForm form;
  form.n = i.columns;
  form.sparse = id_of(i) == OpId::wgmma_sp;
  form.factor_bits = 8 * bytes_of(i.type2);
  form.sum_bits = i.type == Type::f16 ? 16 : 32;
  form.k = 256 / form.factor_bits * (form.sparse ? 2 : 1);
  form.sums = form.n * form.sum_bits / 64;
  form.scales = i.type != Type::s32;
  form.transposes = form.factor_bits == 16;
  return form;
}

// K is what 32 bytes hold.
bool Parser::check_depth(const Mnemonic& found) {
  const auto form = warpgroup_form(instruction_);
  if (!form) return fail(fmt::format("'{}' has no product of these types", row_->name));
  if (form->k == found.depth) return true;
  return fail(fmt::format("'{}' of these types is .m64n{}k{}", row_->name, form->n, form->k));
}

// {d}, a, b, [kept, selector,] scale, [negate a, negate b,] [transpose a,] [transpose b]
bool Parser::parse_warpgroup_product() {
  const WarpgroupForm form = *warpgroup_form(instruction_);
  std::vector<Operand>& all = instruction_.operands;
  all.resize(WarpgroupOperands::kCount);
  const auto list = [&](Operand& out, unsigned count, bool destination) {
    const std::uint32_t position = at_.position();
    if (!parse_list(out, Type::b32, destination, false)) return false;
    if (out.count == count) return true;
    return fail(position, fmt::format("'{}' takes {} registers here", row_->name, count));
  };
  const auto number = [&](unsigned place) {
    return expect(',') && parse_immediate(all[place], Type::b32);
  };
  using O = WarpgroupOperands;
  if (!list(all[O::kD], form.sums, true) || !expect(',')) return false;
  const bool registers = at_.peek() == '{';
  if (registers ? !list(all[O::kA], WarpgroupForm::kFactors, false)
                : !parse_source(all[O::kA], Type::b64, false))
    return false;
  if (!expect(',') || !parse_source(all[O::kB], Type::b64, false)) return false;
  if (form.sparse &&
      (!expect(',') || !parse_source(all[O::kKept], Type::b32, false) || !number(O::kSelector)))
    return false;
  if (!expect(',') || !parse_predicate_source(all[O::kScale])) return false;
  if (form.scales && (!number(O::kNegateA) || !number(O::kNegateB))) return false;
  if (form.transposes && !registers && !number(O::kTransposeA)) return false;
  return !form.transposes || number(O::kTransposeB);
}

}  // namespace gpx::ptx
