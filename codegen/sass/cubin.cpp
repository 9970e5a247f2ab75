// Cubin. Interface: codegen/sass/cubin.h.
#include "codegen/sass/cubin.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/sass/elf.h"

namespace gpx::codegen {
namespace {

std::optional<Elf> elf_of(std::span<const std::uint8_t> cubin) {
  auto elf = Elf::read(cubin, "the cubin");
  return elf ? std::optional(std::move(*elf)) : std::nullopt;
}

std::span<const std::uint8_t> section(std::span<const std::uint8_t> cubin, std::string_view name) {
  const auto elf = elf_of(cubin);
  const ElfSection* found = elf ? elf->find(name) : nullptr;
  return found ? found->bytes : std::span<const std::uint8_t>();
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
    const std::uint16_t value = read_number<std::uint16_t>(info, at + 2).value_or(0);
    if (format == kSized && attribute == kRegisters && at + 12 <= info.size())
      visit(*read_number<std::uint32_t>(info, at + 4), *read_number<std::uint32_t>(info, at + 8),
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
  const auto elf = elf_of(cubin);
  const auto symbols = elf ? elf->symbols() : std::vector<ElfSymbol>();
  for_registers(cubin, [&](std::uint32_t symbol, std::uint32_t count, std::size_t) {
    if (symbol < symbols.size() && symbols[symbol].name == function) found = count;
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
