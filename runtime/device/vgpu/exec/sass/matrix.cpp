// Matrix products of a warp: HMMA, IMMA, DMMA, BMMA are those of PTX, register by register.
// Interface: builder.h. Covered by tests/vgpu/machine_code_test.cpp.
#include <fmt/format.h>

#include "codegen/ptx/mma.h"
#include "runtime/device/vgpu/exec/sass/builder.h"

namespace gpx::vgpu::exec::sass {
namespace {

/// A register's one element, or a pair's, with the other sign.
std::int32_t opposite(Builder& b, const ptx::MmaForm& form, unsigned first) {
  Input input;
  input.lo = b.reg(first);
  if (form.wide) input.hi = b.reg(in_row(first, 1));
  input.flip = form.wide ? 1ull << 63 : 1ull << 31;
  input.to = b.temporary();
  b.add(input);
  return input.to;
}

/// D, A, B and C begin at these registers; each value of 64 bits lies in two.
bool product(Builder& b, const std::string& mnemonic, bool sparse = false) {
  if (b.field(87, 4) != 0 && b.sm() >= 80) return b.refuse("a uniform predicate");
  for (std::size_t k = 0; k < b.sources(); ++k)
    if (b.source(k).absolute) return b.refuse("a magnitude");
  if (!b.ptx(mnemonic)) return false;
  const auto form = ptx::mma_form(b.shell());
  if (!form) return false;
  // The assembler writes a sign where bit 31 alone is to change; whether the other half's does is
  // not known.
  for (std::size_t k = 0; k < b.sources(); ++k)
    if (b.source(k).negated && form->per_factor != 1) return b.refuse("a sign of two factors");
  Op& inner = b.step().inner;
  auto& lists = b.program().lists;
  std::vector<std::int32_t> rows;
  const auto place = [&](unsigned position, unsigned count, bool written, unsigned source = 0) {
    const auto first = static_cast<unsigned>(b.field(position, 8));
    for (unsigned k = 0; k < count; ++k) {
      const auto at = [&](unsigned n) { return in_row(first, n); };
      const bool minus = !written && source < b.sources() && b.source(source).negated;
      if (minus) {
        rows.push_back(opposite(b, *form, at(form->wide ? 2 * k : k)));
      } else if (!form->wide) {
        rows.push_back(written ? b.reg_to(at(k)) : b.reg(at(k)));
      } else if (!written) {
        rows.push_back(b.pair(b.reg(at(2 * k)), b.reg(at(2 * k + 1))));
      } else {
        rows.push_back(b.temporary());
        b.step().outputs.push_back({rows.back(), b.reg_to(at(2 * k)), b.reg_to(at(2 * k + 1))});
      }
    }
  };
  place(16, form->c, true);
  place(24, form->a, false, 0);
  place(32, form->b, false, 1);
  place(64, form->c, false, 2);
  inner.list = static_cast<std::int32_t>(lists.size());
  lists.insert(lists.end(), rows.begin(), rows.end());
  if (sparse) inner.c = b.reg(static_cast<unsigned>(b.field(40, 8)));
  return true;
}

bool hmma(Builder& b) {
  static constexpr std::string_view kFactors[] = {"f16", "bf16", "tf32"};
  const std::uint64_t factor = b.field(82, 2);
  if (factor >= std::size(kFactors) || b.sm() < 80) return b.refuse("the steps of Volta");
  const bool sparse = b.bit(73);
  const unsigned k = b.bit(78) ? (b.bit(75) ? 32 : 4) : b.bit(75) ? 16 : 8;
  const std::string_view sum = b.bit(76) ? "f32" : "f16", type = kFactors[factor];
  return product(b,
                 fmt::format("mma{}.sync.aligned.m16n8k{}.row.col.{}.{}.{}.{}", sparse ? ".sp" : "",
                             k, sum, type, type, sum),
                 sparse);
}

bool imma(Builder& b) {
  static constexpr std::string_view kTypes[] = {"u8", "s8", "u4", "s4"};
  const bool wide = b.bit(86), twice = b.bit(85), deep = b.bit(75), sparse = b.bit(72);
  std::string_view shape = wide    ? (twice  ? "m16n8k64"
                                      : deep ? "m16n8k32"
                                             : "m16n8k16")
                           : twice ? "m8n8k32"
                                   : "m8n8k16";
  const auto type = [&](unsigned sign, unsigned narrow) {
    return kTypes[2 * b.field(narrow, 1) + b.field(sign, 1)];
  };
  return product(b,
                 fmt::format("mma{}.sync.aligned.{}.row.col{}.s32.{}.{}.s32", sparse ? ".sp" : "",
                             shape, b.bit(82) ? ".satfinite" : "", type(76, 83), type(78, 84)),
                 sparse);
}

bool dmma(Builder& b) {
  static constexpr std::string_view kShapes[] = {"m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"};
  static constexpr std::string_view kRounding[] = {"rn", "rm", "rp", "rz"};
  const std::uint64_t shape = b.sm() < 90 ? 0 : b.field(76, 2);
  const std::string_view how = kRounding[b.field(78, 2)];
  return product(b, fmt::format("mma.sync.aligned.{}.row.col.{}f64.f64.f64.f64", kShapes[shape],
                                how == "rn" ? "" : std::string(how) + "."));
}

bool bmma(Builder& b) {
  static constexpr std::string_view kShapes[] = {"m8n8k128", "m16n8k128", "m16n8k256"};
  const std::uint64_t shape = b.field(75, 2);
  if (shape >= std::size(kShapes)) return false;
  return product(b, fmt::format("mma.sync.aligned.{}.row.col.s32.b1.b1.s32.{}.popc", kShapes[shape],
                                b.bit(78) ? "and" : "xor"));
}

constexpr Translator kMatrices[] = {{"HMMA", hmma}, {"IMMA", imma}, {"DMMA", dmma}, {"BMMA", bmma}};

}  // namespace

std::span<const Translator> matrix_translators() {
  return kMatrices;
}

}  // namespace gpx::vgpu::exec::sass
