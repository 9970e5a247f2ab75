// A device file read in a process of its own: it is a program. Interface: lua_table.h.
// Covered by tests/vgpu/device_test.cpp and tests/security/attacks/limits.sh.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/confined/error_wire.h"
#include "runtime/device/vgpu/description/lua_table.h"

namespace gpx::vgpu::timing {
namespace {

constexpr double kSeconds = 5;  ///< The library's files take less than a millisecond.
constexpr std::uint64_t kMemory = std::uint64_t{256} << 20;

/// The part of the text that is its line `number`.
Span line_of(const std::string& text, int number) {
  std::size_t begin = 0;
  for (int line = 1; line < number && begin < text.size(); ++line)
    begin = std::min(text.find('\n', begin), text.size() - 1) + 1;
  const std::size_t end = std::min(text.find('\n', begin), text.size());
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

}  // namespace

template <typename Archive, Sent<LuaValue> T>
void exchange(Archive& archive, T& value) {
  archive(value.kind, value.truth, value.number, value.text, value.items, value.odd_keys);
  std::vector<std::string> names;
  std::vector<LuaValue> fields;
  for (const auto& [name, field] : value.named) {
    names.push_back(name);
    fields.push_back(field);
  }
  archive(names, fields);
  if constexpr (!std::is_const_v<T>)
    for (std::size_t i = 0; i < std::min(names.size(), fields.size()); ++i)
      value.named.emplace(std::move(names[i]), std::move(fields[i]));
}

template <typename Archive, Sent<LuaData> T>
void exchange(Archive& archive, T& value) {
  archive(value.value);
  std::vector<std::string> names;
  std::vector<std::uint32_t> spans;
  for (const auto& [name, span] : value.places) {
    names.push_back(name);
    spans.insert(spans.end(), {span.begin, span.end});
  }
  archive(names, spans);
  if constexpr (!std::is_const_v<T>)
    for (std::size_t i = 0; 2 * i + 1 < spans.size() && i < names.size(); ++i)
      value.places[names[i]] = {spans[2 * i], spans[2 * i + 1]};
}

Result<LuaData> read_lua_file(const Source& source) {
  using How = confined::Outcome::How;
  const auto outcome =
      confined::run({.seconds = kSeconds, .memory_bytes = kMemory},
                    [&](confined::Asker&) { return confined::to_bytes(read_lua_data(source)); });
  if (outcome.how == How::done) return confined::result_from<LuaData>(outcome.result);
  if (outcome.how == How::late)
    return fail(Fault::input, source, line_of(source.text(), std::max(outcome.place.line, 1)),
                fmt::format("the device file runs for more than {} s", kSeconds));
  if (outcome.how == How::stopped) return fail(Fault::device, "interrupted");
  return fail(Fault::input, source, {},
              fmt::format("the process that read the device file {}", outcome.why));
}

}  // namespace gpx::vgpu::timing
