// Cubin. Interface: codegen/cubin.h.
#include "codegen/cubin.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace gpx::codegen {
namespace {

/// A little-endian number in the file; nothing past its end.
template <typename Number>
std::optional<Number> read(std::span<const std::uint8_t> bytes, std::uint64_t at) {
  Number value;
  if (at > bytes.size() || bytes.size() - at < sizeof value) return std::nullopt;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

std::span<const std::uint8_t> part(std::span<const std::uint8_t> bytes, std::uint64_t at,
                                   std::uint64_t size) {
  if (at > bytes.size() || size > bytes.size() - at) return {};
  return bytes.subspan(at, size);
}

std::string_view name_at(std::span<const std::uint8_t> names, std::uint32_t at) {
  if (at >= names.size()) return {};
  const auto* begin = reinterpret_cast<const char*>(names.data()) + at;
  return {begin, strnlen(begin, names.size() - at)};
}

/// The section of that name, of a 64-bit ELF file.
std::span<const std::uint8_t> section(std::span<const std::uint8_t> elf, std::string_view name) {
  constexpr std::uint64_t kTable = 0x28, kEntrySize = 0x3a, kCount = 0x3c, kNames = 0x3e;
  const auto table = read<std::uint64_t>(elf, kTable);
  const auto size = read<std::uint16_t>(elf, kEntrySize);
  const auto count = read<std::uint16_t>(elf, kCount);
  const auto names = read<std::uint16_t>(elf, kNames);
  if (!table || !size || !count || !names) return {};
  const auto contents = [&](std::uint64_t index) -> std::span<const std::uint8_t> {
    const auto at = read<std::uint64_t>(elf, *table + index * *size + 0x18);
    const auto bytes = read<std::uint64_t>(elf, *table + index * *size + 0x20);
    return at && bytes ? part(elf, *at, *bytes) : std::span<const std::uint8_t>();
  };
  const auto all_names = contents(*names);
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto at = read<std::uint32_t>(elf, *table + i * *size);
    if (at && name_at(all_names, *at) == name) return contents(i);
  }
  return {};
}

/// Where .nv.info keeps the registers of each function: a list of (format, attribute, size or
/// value), of which attribute 0x2f holds a function's symbol and its registers.
std::vector<std::uint64_t> register_entries(std::span<const std::uint8_t> info) {
  constexpr std::uint8_t kSized = 4, kRegisters = 0x2f;
  std::vector<std::uint64_t> entries;
  for (std::uint64_t at = 0; at + 4 <= info.size();) {
    const std::uint8_t format = info[at], attribute = info[at + 1];
    const std::uint16_t value = read<std::uint16_t>(info, at + 2).value_or(0);
    if (format == kSized && attribute == kRegisters && at + 12 <= info.size())
      entries.push_back(at + 8);
    at += format == kSized ? 4u + value : 4u;
  }
  return entries;
}

}  // namespace

// A subroutine has an entry of its own: the kernel's is the largest.
std::uint32_t cubin_registers(std::span<const std::uint8_t> cubin) {
  const auto info = section(cubin, ".nv.info");
  std::uint32_t most = 0;
  for (const std::uint64_t at : register_entries(info))
    most = std::max(most, read<std::uint32_t>(info, at).value_or(0));
  return most;
}

bool set_cubin_registers(std::span<std::uint8_t> cubin, std::uint32_t registers) {
  const auto info = section(cubin, ".nv.info");
  const auto entries = register_entries(info);
  for (const std::uint64_t at : entries)
    std::memcpy(cubin.data() + (info.data() - cubin.data()) + at, &registers, sizeof registers);
  return !entries.empty();
}

}  // namespace gpx::codegen
