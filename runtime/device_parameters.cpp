// Interface: device_parameters.h.
#include "runtime/device_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "lang/ast.h"
#include "lang/language.h"

namespace gpx {
namespace {

/// Bytes of a round of all SMs that each have one block.
std::uint64_t round_bytes(const DeviceInfo& device) {
  return std::uint64_t{32768} * std::max(1U, device.sm_count);
}

/// A third of L2, in blocks of 32 KB for each SM.
std::uint64_t l2_share(const DeviceInfo& device) {
  return device.measured ? std::max<std::uint64_t>(1, device.l2_bytes / 3 / round_bytes(device))
                         : 1;
}

/// Rounds that a launch streams past L2: a millisecond of a real GPU, of which its timer is off by
/// a microsecond, and its memory by more where it takes less.
std::uint64_t streamed(const DeviceInfo& device) {
  return device.measured ? 256 : 8;
}

/// Rounds that fill L2 before the first one that must write to memory. A flush leaves the L2 of a
/// real GPU full of what it wrote.
std::uint64_t overflow(const DeviceInfo& device) {
  return device.measured ? 0 : device.l2_bytes / round_bytes(device) + 1;
}

/// Rounds of the arrays that are streamed: eight times L2, of which it holds less than 0.1 % by any
/// policy, as long as that is an eighth of the memory; of a model as many as a launch has.
std::uint64_t laps(const DeviceInfo& device) {
  if (!device.measured) return overflow(device) + streamed(device);
  const std::uint64_t each = l2_share(device) * round_bytes(device);
  return std::max<std::uint64_t>(1, std::min(8 * device.l2_bytes, device.memory_bytes / 8) / each);
}

/// Of a block that has 64 registers a thread, whole warps.
std::uint64_t near_threads(const DeviceInfo& device) {
  const std::uint64_t most = device.max_threads_per_block, room = device.registers_per_sm / 64;
  return room == 0
             ? most
             : std::clamp<std::uint64_t>(room / 32 * 32, 32, std::max<std::uint64_t>(32, most));
}

/// Parameters of an experiment that take a fact of the device, or follow from some, where a file
/// has them.
struct DeviceParameter {
  const char* name;
  std::uint64_t (*value)(const DeviceInfo& device);
};
constexpr DeviceParameter kDeviceParameters[] = {
    {"full", [](const DeviceInfo& d) -> std::uint64_t { return d.max_threads_per_block; }},
    {"near", near_threads},
    {"sms", [](const DeviceInfo& d) -> std::uint64_t { return d.sm_count; }},
    {"rounds", [](const DeviceInfo& d) -> std::uint64_t { return d.measured ? 64 : 8; }},
    {"repeats", [](const DeviceInfo& d) -> std::uint64_t { return d.measured ? 5 : 1; }},
    {"l2_bytes", [](const DeviceInfo& d) -> std::uint64_t { return d.l2_bytes; }},
    {"l2_share", l2_share},
    {"streamed", streamed},
    {"overflow", overflow},
    {"laps", laps},
};

}  // namespace

Result<Source> with_facts(const Source& source, const DeviceInfo& device) {
  const auto ast = parse(source);
  if (!ast) return tl::unexpected(ast.error());
  std::string text = source.text();
  for (auto item = ast->items.rbegin(); item != ast->items.rend(); ++item) {
    const auto* statement = std::get_if<ast::Statement>(&*item);
    const auto* param = statement ? std::get_if<ast::Param>(&statement->node) : nullptr;
    for (const DeviceParameter& parameter : kDeviceParameters)
      if (param && param->name.text == parameter.name)
        text.replace(statement->span.begin, statement->span.end - statement->span.begin,
                     fmt::format("param {} = {}", parameter.name, parameter.value(device)));
  }
  return Source(source.name(), std::move(text));
}

}  // namespace gpx
