// Elf: the sections and symbols of a cubin, which is a 64-bit little-endian ELF file. Nothing that
// the file says is believed: what lies beyond its end is absent. Covered by
// tests/codegen/program_test.cpp.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lang/diagnostic.h"

namespace gpx::codegen {

/// A little-endian number in the bytes; nothing past their end.
template <typename Number>
std::optional<Number> read_number(std::span<const std::uint8_t> bytes, std::uint64_t at) {
  Number value;
  if (at > bytes.size() || bytes.size() - at < sizeof value) return std::nullopt;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

/// The text from `at` up to its NUL, or to the end of the bytes; at most 65536 bytes of it.
std::string_view text_at(std::span<const std::uint8_t> bytes, std::uint64_t at);

struct ElfSection {
  std::string_view name;
  std::uint32_t type = 0;
  std::span<const std::uint8_t> bytes;  ///< Empty where the file does not hold all of it.
  bool truncated = false;               ///< The file ends before the section does.
  std::uint64_t size = 0;               ///< In bytes, of one without contents too.
};

struct ElfSymbol {
  std::string_view name;
  bool function = false;
  std::uint16_t section = 0;  ///< Index into Elf::sections().
  std::uint64_t value = 0, size = 0;
};

/// Views into the file's bytes, which must outlive it.
class Elf {
 public:
  /// Errors (Fault::input, without a place): no ELF file, one of 32 bits, not of an NVIDIA GPU, or
  /// one whose list of sections is not whole. `name` is the file's in the error.
  static Result<Elf> read(std::span<const std::uint8_t> file, std::string_view name);

  const std::vector<ElfSection>& sections() const { return sections_; }
  /// The first section of that name; nullptr: none.
  const ElfSection* find(std::string_view name) const;
  /// In the file's order: a relocation names one by its index.
  std::vector<ElfSymbol> symbols() const;
  /// 90 of compute capability 9.0.
  int sm() const { return sm_; }

 private:
  std::vector<ElfSection> sections_;
  int sm_ = 0;
};

}  // namespace gpx::codegen
