// Interface: device_parameters.h.
#include "runtime/device_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "lang/ast.h"
#include "lang/language.h"

namespace gpx {
namespace {

/// Blocks that move 4 KB for each access of a thread, of a real GPU: a launch of ten accesses then
/// takes 0.2 ms on an H200, of which its timer is off by 1 us; of small memories an eighth.
std::uint64_t many_blocks(const DeviceInfo& device) {
  constexpr std::uint64_t kMostBytes = 10 * 4096;
  const std::uint64_t room = device.memory_bytes / 8 / kMostBytes;
  return std::max<std::uint64_t>(1, std::min<std::uint64_t>(192 * device.sm_count, room));
}

/// Blocks of 4 KB times five or more, that stores go past L2 with: on a model the fewest, or one
/// where these take half a minute.
std::uint64_t storing_blocks(const DeviceInfo& device) {
  constexpr std::uint64_t kLeastBytes = 5 * 4096, kQuick = std::uint64_t{4} << 20;
  const std::uint64_t past_l2 = 2 * device.l2_bytes / kLeastBytes + 1;
  if (device.measured) return std::max(many_blocks(device), past_l2);
  return device.l2_bytes > kQuick ? 1 : std::max<std::uint64_t>(4 * device.sm_count, past_l2);
}

/// A third of L2, in blocks of 32 KB for each SM.
std::uint64_t l2_share(const DeviceInfo& device) {
  const std::uint64_t each = std::uint64_t{32768} * std::max(1U, device.sm_count);
  return device.measured ? std::max<std::uint64_t>(1, device.l2_bytes / 3 / each) : 1;
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
    {"reads",
     [](const DeviceInfo& d) -> std::uint64_t {
       return d.measured ? many_blocks(d) : std::max(256U, 4 * d.sm_count);
     }},
    {"stores", storing_blocks},
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
