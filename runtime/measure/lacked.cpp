// Interface: runtime/measure/lacked.h.
#include "runtime/measure/lacked.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/ir/region.h"
#include "codegen/ptx/targets.h"
#include "lang/lists.h"

namespace gpx {
namespace {

/// An instruction by the words of the experiment: "lop3.b32", "ld.global.nc".
struct Lacked {
  std::string what;
  int sm;
  std::uint32_t line;
};

Lacked of(const codegen::Instruction& i) {
  if (i.op == codegen::Op::operate) {
    const codegen::Operation& row = codegen::operation_of(i);
    return {std::string(row.name), least_target_of(row), i.line};
  }
  if (codegen::is_chase(i.op)) {
    const std::string load = fmt::format("ld{}", codegen::cache_suffix(i.cache));
    return {load, ptx::least_target(load + ".u32"), i.line};
  }
  if (codegen::info(i.op).bytes == 0) return {{}, 0, 0};
  const std::string text = codegen::spell(i, [](std::uint32_t) { return "r"; });
  const std::string opcode = text.substr(0, text.find(' '));
  return {opcode, ptx::least_target(opcode), i.line};
}

std::string capability(int sm) {
  return fmt::format("{}.{}", sm / 10, sm % 10);
}

std::vector<Lacked> all_of(std::span<const LoweredMeasure> measures, int has) {
  std::vector<Lacked> all;
  const auto known = [&](const Lacked& one) { return contains(all, one.what, &Lacked::what); };
  for (const LoweredMeasure& measure : measures)
    for (const codegen::Kernel& kernel : measure.program.kernels)
      codegen::for_each(kernel.timed, [&](const codegen::Instruction& i) {
        if (Lacked one = of(i); one.sm > has && !known(one)) all.push_back(std::move(one));
      });
  return all;
}

}  // namespace

// A row's PTX has placeholders for its registers: "@{g} add.u32 {r}, {r}, {x};".
int least_target_of(const codegen::Operation& operation) {
  int least = operation.sm;
  for (std::string_view left = operation.ptx; !left.empty();) {
    std::string_view one = left.substr(0, left.find(';'));
    left.remove_prefix(std::min(one.size() + 1, left.size()));
    one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
    if (one.starts_with('@')) one.remove_prefix(std::min(one.find(' '), one.size() - 1) + 1);
    least = std::max(least, ptx::least_target(one.substr(0, one.find(' '))));
  }
  return least;
}

std::vector<std::string> lacked(std::span<const LoweredMeasure> measures,
                                const DeviceInfo& device) {
  constexpr std::size_t kMost = 6;
  const int has = static_cast<int>(10 * device.sm_major + device.sm_minor);
  const std::vector<Lacked> all = all_of(measures, has);
  if (all.empty()) return {};
  std::string text;
  for (std::size_t i = 0; i < std::min(all.size(), kMost); ++i)
    text += fmt::format("{}{} needs {} (line {})", i > 0 ? ", " : "", all[i].what,
                        capability(all[i].sm), all[i].line);
  if (all.size() > kMost) text += fmt::format(" and {} more", all.size() - kMost);
  return {
      fmt::format("compute capability: {}; {} has {}, and no GPU like it takes the clocks that "
                  "its model gives",
                  text, device.name, capability(has))};
}

}  // namespace gpx
