// Matrix products of a warpgroup: HGMMA, IGMMA, QGMMA are wgmma.mma_async of PTX. Interface:
// builder.h. Covered by tests/vgpu/machine_code_test.cpp.
//
// Four uniform registers hold the descriptors of A and B, or the last two of them that of B where A
// lies in registers. Descriptors count shared memory from its begin, the executor from the block's.
#include "codegen/ptx/warpgroup.h"

#include <fmt/format.h>

#include "runtime/device/vgpu/exec/sass/builder.h"

namespace gpx::vgpu::exec::sass {
namespace {

constexpr unsigned kDescriptor = 24, kDescriptorBehindA = 32;

/// "m64n8k16" of HGMMA.64x8x16.F32.
std::string shape_of(std::string_view opcode) {
  const std::size_t at = opcode.find(".64x");
  if (at == opcode.npos) return {};
  std::string_view shape = opcode.substr(at + 4);
  shape = shape.substr(0, shape.find('.'));
  const std::size_t x = shape.find('x');
  if (x == shape.npos) return {};
  return fmt::format("m64n{}k{}", shape.substr(0, x), shape.substr(x + 1));
}

std::int32_t matrix_descriptor(Builder& b, unsigned index) {
  return b.pair(b.ureg(index), b.ureg(index == 63 ? 63 : index + 1));
}

ptx::Operand word_of(std::uint64_t bits) {
  ptx::Operand made;
  made.kind = ptx::Operand::Kind::immediate;
  made.bits = bits;
  return made;
}

/// The predicate by which sums go on from D: bits 87 to 90, stored inverted.
void read_scale(Builder& b) {
  const auto value = static_cast<unsigned>(b.field(87, 4));
  Op& inner = b.step().inner;
  const bool negated = value >= 8;
  const unsigned index = 7 - (value & 7);
  inner.e = index == 7 ? b.constant(negated ? 0 : 1) : b.predicate_row(index, true);
  inner.negated = index != 7 && negated;
}

void read_operands(Builder& b, const ptx::WarpgroupForm& form) {
  using O = ptx::WarpgroupOperands;
  auto& operands = b.shell().operands;
  Op& inner = b.step().inner;
  const bool registers = b.word().form() == 6;
  constexpr std::uint64_t kMinusOne = 0xffffffff;
  operands.assign(O::kCount, {});
  operands[O::kA].kind = registers ? ptx::Operand::Kind::vector : ptx::Operand::Kind::reg;
  operands[O::kNegateA] = word_of(form.scales && b.bit(72) ? kMinusOne : 1);
  operands[O::kNegateB] = word_of(form.scales && b.bit(63) ? kMinusOne : 1);
  operands[O::kTransposeA] = word_of(!registers && b.bit(61));
  operands[O::kTransposeB] = word_of(b.bit(62));
  operands[O::kSelector] = word_of(b.field(48, 2));
  const auto first =
      static_cast<unsigned>(b.field(registers ? kDescriptorBehindA : kDescriptor, 6));
  if (!registers) inner.a = matrix_descriptor(b, first);
  inner.b = matrix_descriptor(b, first == 63 ? 63 : first + 2);
  if (form.sparse) inner.c = b.reg(static_cast<unsigned>(b.field(40, 8)));
  auto& lists = b.program().lists;
  inner.list = static_cast<std::int32_t>(lists.size());
  const auto d = static_cast<unsigned>(b.field(16, 8)), a = static_cast<unsigned>(b.field(24, 8));
  for (unsigned k = 0; k < form.sums; ++k) lists.push_back(b.reg_to(in_row(d, k)));
  for (unsigned k = 0; registers && k < ptx::WarpgroupForm::kFactors; ++k)
    lists.push_back(b.reg(in_row(a, k)));
}

bool warpgroup_product(Builder& b, std::string_view types) {
  constexpr std::uint64_t kNothing = 255, kNoGroup = 7;
  if (b.word().form() == 6 && b.bit(74)) return b.refuse("registers by an offset");
  const std::uint64_t sums = b.field(64, 8);
  if (sums != b.field(16, 8) && sums != kNothing) return b.refuse("sums that go on elsewhere");
  if (!b.ptx(fmt::format("wgmma.mma_async{}.sync.aligned.{}.{}", b.bit(73) ? ".sp" : "",
                         shape_of(b.in().opcode), types)))
    return false;
  const auto form = ptx::warpgroup_form(b.shell());
  if (!form) return false;
  read_operands(b, *form);
  read_scale(b);
  if (sums == kNothing && b.field(87, 4) != 8) return b.refuse("sums that begin with zero");
  b.issue_word().commits = b.field(84, 3) != kNoGroup;
  return true;
}

bool hgmma(Builder& b) {
  static constexpr std::string_view kFactors[] = {"f16", "bf16", "tf32"};
  const std::uint64_t factor = b.field(76, 2);
  if (factor >= std::size(kFactors)) return false;
  return warpgroup_product(b,
                           fmt::format("{0}.{1}.{1}", b.bit(75) ? "f32" : "f16", kFactors[factor]));
}
bool qgmma(Builder& b) {
  return warpgroup_product(
      b, fmt::format("{}.{}.{}", b.bit(75) ? "f32" : "f16", b.bit(76) ? "e5m2" : "e4m3",
                     b.bit(77) ? "e5m2" : "e4m3"));
}
bool igmma(Builder& b) {
  return warpgroup_product(b, fmt::format("{}s32.{}.{}", b.has("SAT") ? "satfinite." : "",
                                          b.bit(76) ? "s8" : "u8", b.bit(82) ? "s8" : "u8"));
}

bool warpgroup(Builder& b) {
  switch (b.field(79, 2)) {
    case 0: return b.ptx("wgmma.fence.sync.aligned");
    case 2:
      b.shell().operands = {word_of(b.field(72, 3))};
      return b.ptx("wgmma.wait_group.sync.aligned");
    default: return b.refuse("a form of the wait");
  }
}

constexpr Translator kWarpgroups[] = {
    {"HGMMA", hgmma}, {"QGMMA", qgmma}, {"IGMMA", igmma}, {"WARPGROUP", warpgroup}};

}  // namespace

std::span<const Translator> warpgroup_translators() {
  return kWarpgroups;
}

}  // namespace gpx::vgpu::exec::sass
