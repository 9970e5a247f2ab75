// Operations: the table's rows and their expansion. Interface: codegen/operation.h.
#include "codegen/operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gpx::codegen {
namespace {

constexpr Operation kOperations[] = {
#define GPX_OPERATION(name, type, pipe, ptx, sass, help) {name, #type, #pipe, ptx, sass},
#include "lang/operations.def"
#undef GPX_OPERATION
};

// A spelling with {r}, {x}, ... replaced by registers of one stream and guard.
std::string spell(std::string_view ptx, const std::string& prefix, std::uint32_t stream, int side) {
  std::string made;
  for (std::size_t i = 0; i < ptx.size(); ++i) {
    if (ptx[i] != '{' || i + 2 >= ptx.size() || ptx[i + 2] != '}') {
      made += ptx[i];
      continue;
    }
    made += ptx[i + 1] == 'r' ? fmt::format("{}r{}", prefix, stream)
                              : fmt::format("{}{}{}", prefix, ptx[i + 1], side);
    i += 2;
  }
  return made;
}

}  // namespace

const Operation* find_operation(std::string_view name) {
  const auto it = std::find_if(std::begin(kOperations), std::end(kOperations),
                               [&](const Operation& row) { return row.name == name; });
  return it == std::end(kOperations) ? nullptr : it;
}

Expansion expand(const Operation& operation, std::uint32_t count, std::uint32_t streams,
                 const std::string& prefix) {
  Expansion made;
  const bool real = operation.type == "f32";
  const auto start = [&](const std::string& name, std::uint32_t salt) {
    made.declarations.push_back(fmt::format(".reg .{} {};", operation.type, name));
    made.starts.push_back(fmt::format("add.u32 {}bits, {}, {};", prefix, kUnknown, salt));
    made.starts.push_back(real ? fmt::format("cvt.rn.f32.u32 {}, {}bits;", name, prefix)
                               : fmt::format("mov.b32 {}, {}bits;", name, prefix));
  };
  made.declarations.push_back(fmt::format(".reg .u32 {}bits;", prefix));
  for (const char* operand : {"x0", "x1"}) start(prefix + operand, operand[1] == '0' ? 3 : 5);
  for (std::uint32_t s = 0; s < streams; ++s) start(fmt::format("{}r{}", prefix, s), 7 + s);
  for (std::uint32_t i = 0; i < count; ++i) {
    const int side = static_cast<int>(i / streams % 2);
    made.lines.push_back(fmt::format("@{} {}", side == 0 ? kEvenGuard : kOddGuard,
                                     spell(operation.ptx, prefix, i % streams, side)));
  }
  for (std::uint32_t s = 0; s < streams; ++s) {
    const std::string word = fmt::format("{}w{}", prefix, s);
    made.declarations.push_back(fmt::format(".reg .b32 {};", word));
    made.converts.push_back(fmt::format("mov.b32 {}, {}r{};", word, prefix, s));
    made.words.push_back(word);
  }
  made.registers = streams + 2;
  return made;
}

}  // namespace gpx::codegen
