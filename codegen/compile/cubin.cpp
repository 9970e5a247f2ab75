// Cubin. Interface: codegen/compile/cubin.h.
#include "codegen/compile/cubin.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
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

/// The name of symbol `index` of the file.
std::string_view symbol_name(std::span<const std::uint8_t> elf, std::uint32_t index) {
  constexpr std::uint64_t kEntry = 24;
  const auto name = read<std::uint32_t>(section(elf, ".symtab"), index * kEntry);
  return name ? name_at(section(elf, ".strtab"), *name) : std::string_view();
}

/// Calls `visit` with each function's symbol, its registers, and where in the file these stand.
/// .nv.info is a list of (format, attribute, size or value), of which attribute 0x2f holds a
/// function's symbol and its registers.
template <typename Visit>
void for_registers(std::span<const std::uint8_t> cubin, Visit visit) {
  constexpr std::uint8_t kSized = 4, kRegisters = 0x2f;
  const auto info = section(cubin, ".nv.info");
  for (std::uint64_t at = 0; at + 4 <= info.size();) {
    const std::uint8_t format = info[at], attribute = info[at + 1];
    const std::uint16_t value = read<std::uint16_t>(info, at + 2).value_or(0);
    if (format == kSized && attribute == kRegisters && at + 12 <= info.size())
      visit(*read<std::uint32_t>(info, at + 4), *read<std::uint32_t>(info, at + 8),
            static_cast<std::size_t>(info.data() - cubin.data()) + at + 8);
    at += format == kSized ? 4u + value : 4u;
  }
}

}  // namespace

// A subroutine has an entry of its own: the kernel's is the largest.
std::uint32_t cubin_registers(std::span<const std::uint8_t> cubin) {
  std::uint32_t most = 0;
  for_registers(cubin, [&](std::uint32_t, std::uint32_t count, std::size_t) {
    most = std::max(most, count);
  });
  return most;
}

std::uint32_t cubin_registers(std::span<const std::uint8_t> cubin, std::string_view function) {
  std::uint32_t found = 0;
  for_registers(cubin, [&](std::uint32_t symbol, std::uint32_t count, std::size_t) {
    if (symbol_name(cubin, symbol) == function) found = count;
  });
  return found;
}

std::span<const std::uint8_t> cubin_code(std::span<const std::uint8_t> cubin,
                                         std::string_view function) {
  return section(cubin, ".text." + std::string(function));
}

bool set_cubin_registers(std::span<std::uint8_t> cubin, std::uint32_t registers) {
  std::vector<std::size_t> places;
  for_registers(cubin, [&](std::uint32_t, std::uint32_t, std::size_t at) { places.push_back(at); });
  for (const std::size_t at : places) std::memcpy(cubin.data() + at, &registers, sizeof registers);
  return !places.empty();
}

}  // namespace gpx::codegen
