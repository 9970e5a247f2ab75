// Elf. Interface: codegen/sass/elf.h.
#include "codegen/sass/elf.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpx::codegen {
namespace {

constexpr std::uint16_t kNvidiaGpu = 190;  // e_machine
constexpr std::uint32_t kNoBits = 8;       // sh_type of what takes no place in the file

std::span<const std::uint8_t> part(std::span<const std::uint8_t> bytes, std::uint64_t at,
                                   std::uint64_t size) {
  if (at > bytes.size() || size > bytes.size() - at) return {};
  return bytes.subspan(at, size);
}

/// Since CUDA 13 (version 8 of the format) bits 8 to 15 of the flags, before that bits 0 to 7.
int sm_of(std::span<const std::uint8_t> file) {
  constexpr std::uint64_t kVersion = 8, kFlags = 0x30;
  const auto flags = read_number<std::uint32_t>(file, kFlags).value_or(0);
  return static_cast<int>(file[kVersion] >= 8 ? flags >> 8 & 255u : flags & 255u);
}

/// Whether the file begins as an ELF file of 64 bits for a GPU; else why not.
std::string why_no_cubin(std::span<const std::uint8_t> file) {
  constexpr std::uint8_t kMagic[] = {0x7f, 'E', 'L', 'F'};
  constexpr std::uint64_t kHeader = 0x40, kClass = 4, kOrder = 5, kMachine = 0x12;
  if (file.size() < 4 || !std::equal(std::begin(kMagic), std::end(kMagic), file.begin()))
    return "is no cubin: it does not begin as an ELF file";
  if (file.size() < kHeader) return "is truncated: it ends inside its header";
  if (file[kClass] == 1) return "is an ELF file of 32 bits: gpx reads those of 64";
  if (file[kClass] != 2 || file[kOrder] != 1)
    return "is an ELF file of an unknown kind: gpx reads those of 64 bits, little endian";
  if (const auto machine = *read_number<std::uint16_t>(file, kMachine); machine != kNvidiaGpu)
    return fmt::format("is an ELF file for machine {}, not for an NVIDIA GPU ({})", machine,
                       kNvidiaGpu);
  return {};
}

}  // namespace

std::string_view text_at(std::span<const std::uint8_t> bytes, std::uint64_t at) {
  constexpr std::size_t kMost = 65536;
  if (at >= bytes.size()) return {};
  const auto* begin = reinterpret_cast<const char*>(bytes.data()) + at;
  return {begin, strnlen(begin, std::min(kMost, bytes.size() - static_cast<std::size_t>(at)))};
}

Result<Elf> Elf::read(std::span<const std::uint8_t> file, std::string_view name) {
  const auto refuse = [&](const std::string& why) {
    return fail(Fault::input, fmt::format("'{}' {}", name, why));
  };
  if (const std::string why = why_no_cubin(file); !why.empty()) return refuse(why);
  constexpr std::uint64_t kTable = 0x28, kEntrySize = 0x3a, kCount = 0x3c, kNames = 0x3e;
  constexpr std::uint64_t kEntry = 0x40;
  const auto table = *read_number<std::uint64_t>(file, kTable);
  const std::uint64_t size = *read_number<std::uint16_t>(file, kEntrySize);
  const std::uint64_t count = *read_number<std::uint16_t>(file, kCount);
  if (count > 0 && (size < kEntry || part(file, table, count * size).empty()))
    return refuse("is truncated: its list of sections is not whole");
  Elf elf;
  elf.sm_ = sm_of(file);
  std::vector<std::uint32_t> names;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto header = file.subspan(table + i * size, kEntry);
    ElfSection section;
    names.push_back(*read_number<std::uint32_t>(header, 0));
    section.type = *read_number<std::uint32_t>(header, 4);
    const auto bytes = *read_number<std::uint64_t>(header, 0x20);
    section.size = bytes;
    if (section.type != kNoBits) {
      section.bytes = part(file, *read_number<std::uint64_t>(header, 0x18), bytes);
      section.truncated = section.bytes.size() != bytes;
    }
    elf.sections_.push_back(section);
  }
  const auto all_names = *read_number<std::uint16_t>(file, kNames);
  if (all_names < count)
    for (std::size_t i = 0; i < count; ++i)
      elf.sections_[i].name = text_at(elf.sections_[all_names].bytes, names[i]);
  return elf;
}

const ElfSection* Elf::find(std::string_view name) const {
  const auto found = std::ranges::find(sections_, name, &ElfSection::name);
  return found == sections_.end() ? nullptr : &*found;
}

std::vector<ElfSymbol> Elf::symbols() const {
  constexpr std::size_t kEntry = 24;
  constexpr unsigned kFunction = 2;
  const ElfSection* table = find(".symtab");
  const ElfSection* names = find(".strtab");
  std::vector<ElfSymbol> symbols;
  if (!table || !names) return symbols;
  for (std::size_t at = 0; at + kEntry <= table->bytes.size(); at += kEntry) {
    const auto entry = table->bytes.subspan(at, kEntry);
    symbols.push_back({text_at(names->bytes, *read_number<std::uint32_t>(entry, 0)),
                       (entry[4] & 15u) == kFunction, *read_number<std::uint16_t>(entry, 6),
                       *read_number<std::uint64_t>(entry, 8),
                       *read_number<std::uint64_t>(entry, 16)});
  }
  return symbols;
}

}  // namespace gpx::codegen
